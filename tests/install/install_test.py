"""Installs the build to a temporary prefix and uses it as a stranger would: the command line from another folder, the
Python package, the headers, and a small program that finds the CMake package.

Usage: install_test.py BUILD_DIR PYTHON_DIR CXX (PYTHON_DIR: the package's folder under the prefix, "" if not built)
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, PYTHON_DIR, CXX = sys.argv[1:4]
CONSUMER = Path(__file__).resolve().parent / "consumer"
# What a program that uses Hackle has to have besides a compiler: libeigen3-dev.
ALLOWED_INCLUDES = re.compile(r"hackle/|Eigen/|[a-z_0-9]+$|sys/")
# Everything else that the library was built with is its own affair.
OWN_AFFAIRS = ("TBB", "fmt", "ZLIB", "PNG", "OpenVDB", "embree", "nlohmann_json", "Boost", "Blosc")


def output(*command, **options):
    """What a command prints; its errors go into the test's message."""
    result = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            **options)
    if result.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} gave {result.returncode}:\n{result.stdout[-3000:]}")
    return result.stdout


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="hackle-install-")
        cls.top = Path(cls.folder.name)
        cls.prefix = cls.top / "prefix"
        output("cmake", "--install", BUILD, "--prefix", cls.prefix)
        # Nothing may lead back to the build folder.
        cls.environment = {k: v for k, v in os.environ.items() if k not in ("LD_LIBRARY_PATH", "PYTHONPATH")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_program_runs_from_another_folder(self):
        text = output(self.prefix / "bin" / "hackle", "--version", cwd=self.top, env=self.environment)
        self.assertRegex(text, r"\d+\.\d+\.\d+")

    def test_headers_include_the_standard_library_hackle_and_eigen_only(self):
        headers = sorted((self.prefix / "include").rglob("*.h"))
        self.assertGreater(len(headers), 20)
        for header in headers:
            for name in re.findall(r'^\s*#\s*include\s*[<"]([^">]+)[">]', header.read_text(encoding="utf-8"), re.M):
                self.assertRegex(name, ALLOWED_INCLUDES, f"{header.name} includes {name}")

    def test_cmake_package_builds_a_program(self):
        build = self.top / "consumer"
        output("cmake", "-S", CONSUMER, "-B", build, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={CXX}",
               f"-DCMAKE_PREFIX_PATH={self.prefix}", *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{n}=ON" for n in OWN_AFFAIRS),
               env=self.environment)
        output("cmake", "--build", build, env=self.environment)
        self.assertRegex(output(build / "consumer", cwd="/", env=self.environment),
                         r"^20 pieces by an operator\n5 pieces by an engine, \d+ contacts\n$")

    def test_the_page_for_programs_shows_that_program(self):
        page = (CONSUMER.parents[2] / "docs/cpp.md").read_text(encoding="utf-8")
        for name in ("main.cpp", "CMakeLists.txt"):
            self.assertIn((CONSUMER / name).read_text(encoding="utf-8"), page, f"copy {name} into docs/cpp.md")

    @unittest.skipUnless(PYTHON_DIR, "built without Python")
    def test_python_package(self):
        text = output(sys.executable, "-B", "-c", "import hackle; print(hackle.__file__, hackle.convert(hackle.Geometry()))",
                      cwd="/", env={**self.environment, "PYTHONPATH": str(self.prefix / PYTHON_DIR)})
        self.assertIn(str(self.prefix), text)
        package = self.prefix / PYTHON_DIR / "hackle"
        self.assertTrue((package / "__init__.pyi").exists() and (package / "py.typed").exists())

    def test_nothing_refers_to_the_build_folder(self):
        for path in (self.prefix / "lib").rglob("*"):
            if path.is_file() and path.suffix == ".cmake":
                self.assertNotIn(BUILD, path.read_text(encoding="utf-8"), path)
        for path in (*(self.prefix / "lib").rglob("*.so*"), self.prefix / "bin" / "hackle"):
            runpath = re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", output("readelf", "-d", path))
            self.assertTrue(all(p.startswith("$ORIGIN") for r in runpath for p in r.split(":")), (path, runpath))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
