"""The library compiles against other versions of OpenVDB and TBB than the one that is installed: Houdini 19.5 to 21 have
OpenVDB 9 to 12 and TBB 2020 to 2022. Usage: compile_test.py SOURCE_DIR COMPILER

Stand-ins declare exactly what the library uses, the way the other version does, and the sources are compiled without code.
The installed version (OpenVDB 10, TBB 2021 in Debian 12) compiles in the build itself. Types of OpenVDB (grids, trees,
transforms, archives) are those that are installed: the parts of them that are used are the same from 9 to 12.
"""
import pathlib
import re
import subprocess
import sys
import unittest

COMPILER = sys.argv.pop()
SOURCE = pathlib.Path(sys.argv.pop()).resolve()
COMPAT = SOURCE / "tests/compat"


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

    def test_tbb_2020(self):
        found = sources(r"#include <(tbb/|hackle/core/context_shared\.h)", "core")
        self.assertGreater(len(found), 1)
        for source in found:
            self.check(source, ["tbb2020"])

    def test_the_tbb_of_houdini(self):
        """Nothing sets the number of threads of the whole process."""
        for source in sources(r"#include <(tbb/|hackle/core/context_shared\.h)", "core"):
            self.check(source, ["tbb_houdini"], "-DHACKLE_HOUDINI")
        self.assertIn("Houdini's to set", compile_with("lib/hackle/core/context.cpp", ["tbb_houdini"]))

    def test_the_tools_of_openvdb_9_to_12(self):
        found = sources(r"#include <openvdb/tools/", "volume")
        self.assertGreater(len(found), 3)
        for source in found:
            self.check(source, ["openvdb"])

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
