"""The build for Houdini, configured against a folder that looks like one. Usage: houdini_build_test.py SOURCE COMPILER

Checks what a machine without Houdini can: that Houdini's own OpenVDB, TBB and ABI switch are taken, nothing that brings
another TBB is linked, and that without a Houdini the messages say what to do.
"""
import json
import os
import pathlib
import re
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
                # Houdini has these too, or the machine has none: they are inside, from archives.
                for other in ("libqhull_r.so", "libblosc.so", "libpng16.so", "libpng.so", "libz.so"):
                    self.assertNotIn(other, line)
            library = next(line for line in links if "hidden/libblosc.a" in line)
            for archive in ("qhullstatic_r", "blosc", "png16", "z", "lz4", "zstd", "snappy"):
                self.assertIn(f"hidden/lib{archive}.a", library)
                self.assertTrue((folder / f"build/hidden/lib{archive}.a").exists())
            self.assertIn("--exclude-libs,ALL", ninja)
            self.assertIn(f"-rpath-link,{folder}/hfs/dsolib", ninja)
            self.assertIn(f"hackle_houdini_package {folder}/build/package {version}", ninja)
            self.check_includes(folder, json.loads((folder / "build/compile_commands.json").read_text()))
            # The program looks for its library beside it, then for Houdini's.
            installs = (folder / "build/cli/cmake_install.cmake").read_text()
            self.assertIn(f'"$ORIGIN/../lib:{folder}/hfs/dsolib"', installs.replace("\\$", "$"))
            scripts = (folder / "build/sop/cmake_install.cmake").read_text()
            for part in ("toolbar", "viewer_states", "hackle.shelf", "hackle_place.py", "hackle_tools.py", "simulation.json"):
                self.assertIn(part, scripts)
            flags = [line for line in ninja.splitlines() if line.strip().startswith("DEFINES")]
            self.assertTrue(flags and all(f"_GLIBCXX_USE_CXX11_ABI={abi}" in line for line in flags))
            for part, wanted in (("package/hackle/dso/hackle_sop.so", True), ("hackle/render/tracer", False),
                                 ("ops/render.cpp", False), ("test_core", False)):
                self.assertEqual(part in ninja, wanted, part)

    def check_includes(self, folder, commands):
        """Houdini's folder of headers has other versions of ours: only where OpenVDB or TBB are, and behind our own."""
        toolkit = f"-isystem{folder}/hfs/toolkit/include"
        for entry in commands:
            file, command = entry["file"], entry["command"].replace('"', "")
            if "/lib/hackle/" in file:
                wanted = "/hackle/core/" in file or "/hackle/volume/" in file
                self.assertEqual(toolkit in command, wanted, file)
                self.assertIn("-DHACKLE_HOUDINI", command)
                if wanted:
                    self.assertLess(command.index("eigen3"), command.index(toolkit), file)
            if "/cli/" in file or "/sop/package/" in file:
                self.assertNotIn("toolkit/include", command, file)

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

    def test_python_headers_are_with_the_toolkit(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            fake_houdini(folder / "hfs", "20.5.445", 1)
            (folder / "hfs/python/bin").mkdir(parents=True)
            version = f"python3.{sys.version_info.minor}"
            (folder / "hfs/python/bin" / version).symlink_to(sys.executable)
            headers = folder / "hfs/toolkit/include" / version
            headers.symlink_to(f"/usr/include/{version}")
            run = configure(folder, "-DHACKLE_PYTHON=ON", HFS=str(folder / "hfs"))
            if "pybind11" in run.stderr:
                self.skipTest("there is no pybind11")
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn(f"{headers}", (folder / "build/compile_commands.json").read_text())

    def test_old_compilers_have_an_architecture_too(self):
        """GCC 9 and 10 do not know x86-64-v3."""
        text = (SOURCE / "CMakeLists.txt").read_text()
        self.assertRegex(text, r'VERSION_LESS 11\)\n\s+set\(HACKLE_ARCH_FLAG -march=haswell')
        levels = subprocess.run([COMPILER, "-march=x86-64-v3", "-dM", "-E", "-x", "c++", "/dev/null"], capture_output=True, text=True)
        haswell = subprocess.run([COMPILER, "-march=haswell", "-dM", "-E", "-x", "c++", "/dev/null"], capture_output=True, text=True)
        wanted = {line for line in levels.stdout.splitlines() if re.search(r"__(AVX2?|FMA|BMI2?|LZCNT|MOVBE|F16C|SSE4_2)__", line)}
        self.assertGreater(len(wanted), 6)
        self.assertLessEqual(wanted, set(haswell.stdout.splitlines()))

    def test_the_command_works_without_apt(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            fake_houdini(folder / "hfs", "20.5.445", 1)
            (folder / "bin").mkdir()
            for tool in ("bash", "dirname", "readlink", "basename", "awk", "sort", "env"):
                (folder / "bin" / tool).symlink_to(subprocess.run(["which", tool], capture_output=True, text=True).stdout.strip())
            run = subprocess.run([str(SOURCE / "run"), "houdini"], capture_output=True, text=True,
                                 env={"PATH": str(folder / "bin"), "HFS": str(folder / "hfs")})
            self.assertNotEqual(run.returncode, 0)
            self.assertIn("--no-install", run.stderr)
            # With it, the next thing that is missing is cmake.
            run = subprocess.run([str(SOURCE / "run"), "houdini", "--no-install"], capture_output=True, text=True,
                                 env={"PATH": str(folder / "bin"), "HFS": str(folder / "hfs")})
            self.assertRegex(run.stderr, r"cmake: command not found")
            self.assertNotIn("apt-get", run.stderr)
            run = subprocess.run([str(SOURCE / "run"), "houdini", "--no-instal"], capture_output=True, text=True)
            self.assertEqual(run.returncode, 2)
            self.assertIn("it takes --no-install", run.stderr)

    def test_the_command_installs_what_the_module_needs(self):
        run = (SOURCE / "run").read_text()
        self.assertIn("install_packages build python houdini", run)
        packages = (SOURCE / "packages.txt").read_text()
        for name, tag in (("pybind11-dev", "python"), ("libsnappy-dev", "houdini")):
            self.assertRegex(packages, rf"(?m)^{name}\s+{tag}$")

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
