"""The build for Houdini, configured against a folder that looks like one. Usage: houdini_build_test.py SOURCE COMPILER

Checks what a machine without Houdini can: that Houdini's own OpenVDB, TBB and ABI switch are taken, nothing that brings
another TBB is linked, and that without a Houdini the messages say what to do.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPILER = sys.argv.pop()
SOURCE = pathlib.Path(sys.argv.pop())

CONFIG = """
set(Houdini_VERSION {version})
add_library(Houdini INTERFACE IMPORTED)
set_target_properties(Houdini PROPERTIES INTERFACE_COMPILE_OPTIONS "-D_GLIBCXX_USE_CXX11_ABI={abi};-DMAKING_DSO"
  INTERFACE_INCLUDE_DIRECTORIES "{root}/toolkit/include")
function(houdini_configure_target target)
  cmake_parse_arguments(ARG "" "INSTDIR" "" ${{ARGN}})
  if(NOT ARG_INSTDIR)
    message(FATAL_ERROR "without INSTDIR hython would be asked")
  endif()
  set_target_properties(${{target}} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${{ARG_INSTDIR}} PREFIX "")
endfunction()
"""


def fake_houdini(root, version, abi):
    (root / "toolkit/cmake").mkdir(parents=True)
    (root / "toolkit/include").mkdir()
    (root / "dsolib").mkdir()
    (root / "toolkit/cmake/HoudiniConfig.cmake").write_text(CONFIG.format(version=version, abi=abi, root=root))
    (root / "toolkit/cmake/HoudiniConfigVersion.cmake").write_text(f"set(PACKAGE_VERSION {version})\n")
    for name in ("openvdb_sesi", "tbb"):
        subprocess.run([COMPILER, "-shared", "-x", "c++", "/dev/null", f"-Wl,-soname,lib{name}.so", "-o",
                        str(root / f"dsolib/lib{name}.so")], check=True)


def configure(folder, *options, **environment):
    env = {k: v for k, v in os.environ.items() if k not in ("HFS", "Houdini_DIR")} | environment
    return subprocess.run(["cmake", "-G", "Ninja", "-S", str(SOURCE), "-B", str(folder / "build"), "-DHACKLE_HOUDINI=ON",
                           f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DHACKLE_PYTHON=OFF", *options],
                          capture_output=True, text=True, env=env)


class HoudiniBuild(unittest.TestCase):
    def check(self, version, abi):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            fake_houdini(folder / "hfs", version, abi)
            run = configure(folder, HFS=str(folder / "hfs"))
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn(f"Houdini {version} in", run.stdout)
            ninja = (folder / "build/build.ninja").read_text()
            links = [line for line in ninja.splitlines() if line.strip().startswith("LINK_LIBRARIES")]
            plugin = next(line for line in links if "openvdb_sesi" in line)
            self.assertIn("hfs/dsolib/libtbb.so", plugin)
            for line in links:
                for other in ("embree", "libopenvdb.so", "x86_64-linux-gnu/libtbb", "tbbmalloc"):
                    self.assertNotIn(other, line)
            flags = [line for line in ninja.splitlines() if line.strip().startswith("DEFINES")]
            self.assertTrue(flags and all(f"_GLIBCXX_USE_CXX11_ABI={abi}" in line for line in flags))
            for part, wanted in (("package/hackle/dso/hackle_sop.so", True), ("hackle/render/tracer", False),
                                 ("ops/render.cpp", False), ("test_core", False)):
                self.assertEqual(part in ninja, wanted, part)

    def test_old_abi(self):
        self.check("19.5.805", 0)

    def test_new_abi(self):
        self.check("21.0.440", 1)

    def test_too_old(self):
        with tempfile.TemporaryDirectory() as name:
            fake_houdini(pathlib.Path(name) / "hfs", "18.5.759", 0)
            run = configure(pathlib.Path(name), HFS=str(pathlib.Path(name) / "hfs"))
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("Hackle needs Houdini 19.5 or later", run.stderr)

    def test_none(self):
        with tempfile.TemporaryDirectory() as name:
            run = configure(pathlib.Path(name))
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("Set HFS to its folder", " ".join(run.stderr.split()))

    def test_the_command_says_so_too(self):
        if list(pathlib.Path("/opt").glob("hfs*")):
            self.skipTest("there is a Houdini on this machine, which the command would build against")
        env = {k: v for k, v in os.environ.items() if k not in ("HFS", "Houdini_DIR")}
        run = subprocess.run([str(SOURCE / "run"), "houdini"], capture_output=True, text=True, env=env)
        self.assertNotEqual(run.returncode, 0)
        self.assertIn("no Houdini", run.stderr)
        self.assertIn("HFS", run.stderr)


if __name__ == "__main__":
    unittest.main()
