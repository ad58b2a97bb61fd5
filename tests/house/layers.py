"""Rules of the house that a compiler does not check. Usage: layers.py SOURCE_DIR

- includes point down the layers: core <- geometry, linalg <- mechanics <- meshing, volume, fem, bem, rigid <- io,
  fracture, render <- coupling <- sim <- ops <- fronts; engines under fracture/ never include each other;
- OpenVDB is included in volume/ only, Bullet in rigid/ only, HDK headers in sop/ and dop/ only;
- no include cycles; every header has #pragma once; no file is named after nothing (utils, common, misc).
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
OWNED = {
    "openvdb/": {"volume"},
    "embree3/": {"render"},
    "btBullet": {"rigid"},
    "BulletCollision/": {"rigid"},
    "BulletDynamics/": {"rigid"},
    "LinearMath/": {"rigid"},
}
HDK = re.compile(r"^(UT|GA|GEO|GU|GOP|OP|PRM|SOP|SIM|GAS|SYS)/")
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
        for path in sources("lib/hackle") + sources("cli") + sources("python") + sources("sop"):
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

    def test_headers_are_guarded(self):
        for path in sources("lib/hackle"):
            if path.suffix == ".h":
                self.assertIn("#pragma once", path.read_text(encoding="utf-8"), path)

    def test_names_say_something(self):
        for path in sources("lib/hackle") + sources("cli"):
            self.assertNotIn(path.stem, {"utils", "util", "common", "misc", "helpers"}, path)


if __name__ == "__main__":
    unittest.main()
