"""The library compiles against other versions of OpenVDB and TBB than the one that is installed: Houdini 19.5 to 21 have
OpenVDB 9 to 12 and TBB 2020 to 2022. Usage: compile_test.py SOURCE_DIR COMPILER

Stand-ins declare exactly what the library uses, the way the other version does, and the sources are compiled without code.
The installed version (OpenVDB 10, TBB 2021 in Debian 12) compiles in the build itself. The stand-ins for OpenVDB were written
from the headers of 10 and of the later ones that are public; what differs by version among what the library uses is the
declaration of accessors (11).
"""
import pathlib
import re
import subprocess
import sys
import unittest

COMPILER = sys.argv.pop()
SOURCE = pathlib.Path(sys.argv.pop()).resolve()
COMPAT = SOURCE / "tests/compat"


# Words of the language and of its library that no header of OpenVDB has.
CPLUSPLUS = {"exception", "enable_if_t", "remove_const_t", "conditional_t"}


def compile_with(source, folders, *options):
    """What the compiler says; empty if nothing."""
    command = [COMPILER, "-std=c++17", "-fsyntax-only", "-DEIGEN_MAX_ALIGN_BYTES=32", *options, f"-I{SOURCE}/lib"]
    command += [f"-I{COMPAT / folder}" for folder in folders] + ["-isystem", "/usr/include/eigen3", str(SOURCE / source)]
    return subprocess.run(command, capture_output=True, text=True).stderr


def sources(pattern, folder):
    return [path.relative_to(SOURCE) for path in sorted((SOURCE / "lib/hackle" / folder).glob("*.cpp"))
            if re.search(pattern, path.read_text())]


class Compile(unittest.TestCase):
    def check(self, source, folders, *options):
        said = compile_with(source, folders, *options)
        self.assertNotIn("error:", said, f"{source} with {folders}: {said[:2000]}")

    @staticmethod
    def said_of(program, folder, *options):
        return subprocess.run([COMPILER, "-std=c++17", "-fsyntax-only", *options, f"-I{COMPAT / folder}", "-x", "c++", "-"],
                              input=program, capture_output=True, text=True).stderr

    def test_tbb_2020(self):
        found = sources(r"#include <(tbb/|hackle/core/context_shared\.h)", "core")
        self.assertGreater(len(found), 1)
        for source in found:
            self.check(source, ["tbb2020"])

    def test_tbb_2022(self):
        for source in sources(r"#include <(tbb/|hackle/core/context_shared\.h)", "core"):
            self.check(source, ["tbb2022"])
        self.check("lib/hackle/volume/level_set_combine.cpp", ["tbb2022", "openvdb_core", "openvdb"], "-DSTAND_IN_VERSION=12")
        self.assertIn("tbb/task.h", self.said_of("#include <tbb/task.h>\n", "tbb2022", "-nostdinc"))

    def test_the_tbb_of_houdini(self):
        """Nothing sets the number of threads of the whole process."""
        for source in sources(r"#include <(tbb/|hackle/core/context_shared\.h)", "core"):
            self.check(source, ["tbb_houdini"], "-DHACKLE_HOUDINI")
        self.assertIn("Houdini's to set", compile_with("lib/hackle/core/context.cpp", ["tbb_houdini"]))

    def test_openvdb_9_to_12(self):
        """Grids, trees, transforms, archives and tools. Versions differ by accessors: a class up to 10, an alias from 11 on."""
        found = sources(r"openvdb", "volume")
        self.assertGreater(len(found), 5)
        for source in found:
            accessors = "ccessor" in (SOURCE / source).read_text()
            for version in (9, 12) if accessors else (12,):
                self.check(source, ["openvdb_core", "openvdb"], f"-DSTAND_IN_VERSION={version}")

    def test_the_volumes_of_the_plug_in(self):
        self.check("sop/detail_volumes.cpp", ["openvdb_core"], "-DSTAND_IN_VERSION=12", f"-I{SOURCE}",
                   f"-I{SOURCE}/tests/hdk/include")

    def test_the_stand_in_has_nothing_of_its_own(self):
        """Every name of the stand-ins for OpenVDB is in the headers that are installed, or is listed here."""
        installed = set()
        for path in pathlib.Path("/usr/include/openvdb").rglob("*.h"):
            installed.update(re.findall(r"\w+", path.read_text(errors="replace")))
        ours = {"STAND_IN_VERSION", "stand_in", "tryAll", "LeafValueIter", "TreeValueIter", "Grids",
                "ValueAccessorImpl", "IntegerSequence", "MutexT"}
        for path in [*(COMPAT / "openvdb_core").rglob("*.h"), *(COMPAT / "openvdb").rglob("*.h")]:
            code = re.sub(r"//.*|^#(include|error|pragma).*", "", path.read_text(), flags=re.M)
            names = set(re.findall(r"[A-Za-z_]\w*", code)) - installed - ours
            self.assertEqual(names - CPLUSPLUS, set(), path.name)

    def test_the_double_has_no_more_than_houdini(self):
        """Colours have members and no brackets."""
        for text, fits in (("node.rgba.r", True), ("node.rgba[0]", False)):
            program = f"#include <UT/UT_Ramp.h>\nfloat first(const UT_ColorNode& node) {{ return {text}; }}\n"
            run = subprocess.run([COMPILER, "-std=c++17", "-fsyntax-only", f"-I{SOURCE}/tests/hdk/include", "-x", "c++", "-"],
                                 input=program, capture_output=True, text=True)
            self.assertEqual(run.returncode == 0, fits, run.stderr)

    def test_every_tool_has_a_stand_in(self):
        used = {name for path in (SOURCE / "lib/hackle").rglob("*.cpp")
                for name in re.findall(r"#include <(openvdb/tools/\S+|tbb/\S+)>", path.read_text())}
        for name in used:
            folder = "openvdb" if name.startswith("openvdb") else "tbb2020"
            self.assertTrue((COMPAT / folder / name).exists(), f"tests/compat/{folder} has no {name}")


if __name__ == "__main__":
    unittest.main()
