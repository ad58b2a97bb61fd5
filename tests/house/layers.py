"""Rules of the house that a compiler does not check. Usage: layers.py SOURCE_DIR

- includes point down the layers: core <- geometry, linalg <- mechanics <- meshing, volume, fem, bem, rigid <- io,
  fracture, render <- coupling <- sim <- ops <- fronts; engines under fracture/ never include each other, nor ops;
- io knows no solver, coupling no rigid-body engine, and the Houdini plug-in neither rigid nor sim;
- OpenVDB is included in volume/ only, Bullet in rigid/ only, HDK headers in sop/ and dop/ only;
- no include cycles, neither of headers nor between the folders of meshing or of the crack engine;
- sop/ and dop/, the code that touches the HDK, have less than 2,000 lines;
- every header has #pragma once and a name of its own, every type one definition; every engine is among those of
  tests/fracture/engines_test.cpp; no file is named after nothing (utils, common, misc).
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
LAYERS = [
    {"core"},
    {"geometry", "linalg"},
    {"mechanics"},
    {"meshing", "volume", "fem", "bem", "rigid"},
    {"io", "fracture", "render"},
    {"coupling"},
    {"sim"},
    {"ops"},
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
# Folders of one level that may use each other, one way: user -> used.
SAME_LEVEL = {("meshing", "volume"), ("fem", "meshing"), ("bem", "meshing"), ("fem", "volume"), ("bem", "volume")}
# What the levels would allow, but the design does not: user -> not used.
FORBIDDEN = {("io", "linalg"), ("io", "fem"), ("io", "bem"), ("io", "rigid"), ("coupling", "rigid"),
             ("sop", "rigid"), ("sop", "sim"), ("dop", "rigid"), ("dop", "sim")}
OWNED = {
    "openvdb/": {"volume"},
    "embree3/": {"render"},
    "btBullet": {"rigid"},
    "BulletCollision/": {"rigid"},
    "BulletDynamics/": {"rigid"},
    "LinearMath/": {"rigid"},
}
HDK = re.compile(r"^(UT|GA|GEO|GU|GOP|OP|PRM|SOP|SIM|GAS|SYS)/")
# A struct, class, enumeration or alias of a namespace: those inside of a type are indented.
TYPE = re.compile(r"^(?:(?:struct|class|enum class|enum) (\w+)(?: final)?(?: : [^;\n]*)? \{|using (\w+) =)", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]', re.M)


def sources(folder):
    return sorted(p for p in (ROOT / folder).rglob("*") if p.suffix in {".h", ".cpp"})


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


class Layers(unittest.TestCase):
    def test_includes_point_down(self):
        wrong = []
        for path in sources("lib/hackle"):
            layer = path.relative_to(ROOT / "lib/hackle").parts[0]
            self.assertIn(layer, LEVEL, f"{path}: folder {layer} has no place among the layers")
            for name in includes(path):
                if not name.startswith("hackle/"):
                    continue
                used = name.split("/")[1]
                allowed = used == layer or LEVEL[used] < LEVEL[layer] or (layer, used) in SAME_LEVEL
                if not allowed:
                    wrong.append(f"{path.relative_to(ROOT)} includes {name}")
        self.assertEqual(wrong, [])

    def test_fracture_does_not_know_ops(self):
        """Engines are called by operators, the coupling and programs alike: what they need lies below them."""
        wrong = [f"{path.relative_to(ROOT)} includes {name}" for path in sources("lib/hackle/fracture")
                 for name in includes(path) if name.startswith("hackle/ops/")]
        self.assertEqual(wrong, [])

    def test_little_code_touches_houdini(self):
        """What needs the HDK cannot be run here but against a double: the rest lies in lib/ and in the package folders."""
        lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for folder in ("sop", "dop")
                    for path in (ROOT / folder).iterdir() if path.suffix in {".h", ".cpp"})
        self.assertLess(lines, 2000, "move logic to lib/hackle/coupling, sop/package or dop/package")

    def test_design_forbids(self):
        wrong = []
        for path in sources("lib/hackle") + sources("sop") + sources("dop"):
            parts = path.relative_to(ROOT).parts
            layer = parts[2] if parts[0] == "lib" else parts[0]
            wrong += [f"{path.relative_to(ROOT)} includes {name}" for name in includes(path)
                      if name.startswith("hackle/") and (layer, name.split("/")[1]) in FORBIDDEN]
        self.assertEqual(wrong, [])

    def test_engines_do_not_know_each_other(self):
        base = ROOT / "lib/hackle/fracture"
        wrong = []
        for path in sources("lib/hackle/fracture"):
            parts = path.relative_to(base).parts
            engine = parts[0] if len(parts) > 1 else None
            for name in includes(path):
                used = name.split("/")
                if used[:2] == ["hackle", "fracture"] and len(used) > 3 and used[2] != engine:
                    wrong.append(f"{path.relative_to(ROOT)} includes {name}")
        self.assertEqual(wrong, [])

    def test_libraries_stay_in_their_folder(self):
        wrong = []
        for path in sources("lib/hackle") + sources("cli") + sources("python") + sources("sop") + sources("dop"):
            parts = path.relative_to(ROOT).parts
            layer = parts[2] if parts[0] == "lib" else parts[0]
            for name in includes(path):
                for prefix, owners in OWNED.items():
                    if name.startswith(prefix) and layer not in owners:
                        wrong.append(f"{path.relative_to(ROOT)} includes {name}")
        self.assertEqual(wrong, [])

    def test_houdini_stays_in_its_folders(self):
        wrong = []
        for path in sources("lib/hackle") + sources("cli") + sources("python") + sources("sop/package"):
            wrong += [f"{path.relative_to(ROOT)} includes {name}" for name in includes(path) if HDK.match(name)]
        self.assertEqual(wrong, [])

    def test_headers_have_no_cycles(self):
        graph = {}
        for path in sources("lib/hackle"):
            if path.suffix == ".h":
                graph[str(path.relative_to(ROOT / "lib"))] = [i for i in includes(path) if i.startswith("hackle/")]
        self.assertNoCycles(graph)

    def test_folders_have_no_cycles(self):
        """The folders inside of a large one are layers, too."""
        for base in ["meshing", "fracture/crack"]:
            graph = {}
            for path in sources(f"lib/hackle/{base}"):
                parts = path.relative_to(ROOT / "lib/hackle" / base).parts
                if len(parts) < 2:
                    continue
                used = set()
                for name in includes(path):
                    rest = name[len(f"hackle/{base}/"):].split("/") if name.startswith(f"hackle/{base}/") else []
                    if len(rest) > 1 and rest[0] != parts[0]:
                        used.add(rest[0])
                graph.setdefault(parts[0], set()).update(used)
            self.assertNoCycles({folder: sorted(used) for folder, used in graph.items()})

    def assertNoCycles(self, graph):
        state = {}

        def visit(name, trail):
            if state.get(name) == "done":
                return
            self.assertNotEqual(state.get(name), "open", " -> ".join(trail + [name]))
            state[name] = "open"
            for used in graph.get(name, []):
                visit(used, trail + [name])
            state[name] = "done"

        for name in graph:
            visit(name, [])

    def test_types_have_one_definition(self):
        """Two types of one name in the namespace are one type to the linker, which may keep the wrong members."""
        found = {}
        for path in sources("lib/hackle"):
            if path.suffix == ".h":
                for name in map("".join, TYPE.findall(path.read_text(encoding="utf-8"))):
                    found.setdefault(name, set()).add(str(path.relative_to(ROOT)))
        self.assertEqual({name: sorted(where) for name, where in found.items() if len(where) > 1}, {})

    def test_headers_have_names_of_their_own(self):
        found = {}
        for path in sources("lib/hackle"):
            if path.suffix == ".h":
                found.setdefault(path.name, []).append(str(path.relative_to(ROOT)))
        self.assertEqual([where for where in found.values() if len(where) > 1], [])

    def test_every_engine_is_tested_through_the_interface(self):
        tested = includes(ROOT / "tests/fracture/engines_test.cpp")
        engines = [str(path.relative_to(ROOT / "lib")) for path in (ROOT / "lib/hackle/fracture").glob("*/*_engine.h")]
        self.assertGreater(len(engines), 0)
        self.assertEqual([name for name in sorted(engines) if name not in tested], [])

    def test_headers_are_guarded(self):
        for path in sources("lib/hackle"):
            if path.suffix == ".h":
                self.assertIn("#pragma once", path.read_text(encoding="utf-8"), path)

    def test_names_say_something(self):
        for path in sources("lib/hackle") + sources("cli"):
            self.assertNotIn(path.stem, {"utils", "util", "common", "misc", "helpers"}, path)


if __name__ == "__main__":
    unittest.main()
