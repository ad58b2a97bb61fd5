"""The nodes without a plug-in: hackle_nodes.py with a stand-in for hou and the real program."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

SOURCE = Path(os.environ["HACKLE_SOURCE_DIR"])
sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(SOURCE / "python/houdini"))
sys.path.insert(0, str(SOURCE / "tests/sop"))

import fake_hou  # noqa: E402
import houdini_format  # noqa: E402

import numpy as np  # noqa: E402

import hackle  # noqa: E402


class Parm:
    def __init__(self, value, disabled=False):
        self.value, self.disabled = value, disabled

    def eval(self):
        return self.value

    def evalAsString(self):
        return str(self.value)

    def isDisabled(self):
        return self.disabled


class Tuple(tuple):
    def eval(self):
        return tuple(parm.value for parm in self)


class Asset:
    """An asset with the defaults of its operator, as the dialog script gives them."""

    def __init__(self, nodes, operator, path="/obj/geo1/x"):
        self._path, self._operator, self._values = path, operator, {}
        for row in nodes.describe(operator)["parameters"]:
            self._values[row["name"]] = self._default(row)
            if row["optional"] or row["preset"]:
                self._values["use_" + row["name"]] = 0
        if len(nodes.describe(operator)["outputs"]) > 1:
            self._values["hackle_stream"] = nodes.describe(operator)["outputs"][0]["name"]

    @staticmethod
    def _default(row):
        if row["type"] == "list":
            return 0
        if row["type"] in ("vector", "colour"):
            return tuple(float(word) for word in (row["default"] or "0,0,0").split(","))
        if row["type"] == "toggle":
            return int(row["default"] == "on")
        if row["type"] in ("float", "int"):
            return (float if row["type"] == "float" else int)(row["default"] or 0)
        return row["default"]

    def set(self, **values):
        self._values.update(values)

    def path(self):
        return self._path

    def parm(self, name):
        return Parm(self._values[name]) if name in self._values else None

    def parmTuple(self, name):
        value = self._values[name]
        return Tuple(Parm(v) for v in value) if isinstance(value, tuple) else Tuple([Parm(value)])

    def type(self):
        return type("Type", (), {"nameComponents": lambda _: ("", "hackle", self._operator, "1.0")})()


class Python:
    """The Python SOP inside. It starts with a copy of its first input."""

    def __init__(self, asset, *inputs):
        self._asset, self._inputs = asset, inputs
        self._geometry = fake_hou.Geometry(inputs[0] if inputs else None)

    def parent(self):
        return self._asset

    def inputs(self):
        return [None if g is None else type("Source", (), {"geometry": lambda _, g=g: fake_hou.Geometry(g)})() for g in self._inputs]

    def geometry(self):
        return self._geometry


class Operation:
    stop = False

    def __init__(self, name, open_interrupt_dialog=False):
        self.fractions = []

    def __enter__(self):
        Operation.last = self
        return self

    def __exit__(self, *_):
        return False

    def updateProgress(self, fraction):
        self.fractions.append(fraction)
        if Operation.stop:
            raise sys.modules["hou"].OperationInterrupted


class Case(unittest.TestCase):
    """With a package of its own, and the program."""

    @classmethod
    def setUpClass(cls):
        hou = fake_hou.make()
        hou.InterruptableOperation = Operation
        hou.OperationInterrupted = type("OperationInterrupted", (Exception,), {})
        hou.NodeError, hou.NodeWarning = type("NodeError", (Exception,), {}), type("NodeWarning", (Exception,), {})
        sys.modules["hou"] = cls.hou = hou
        cls.folder = tempfile.TemporaryDirectory()
        subprocess.run([os.environ["HACKLE_PACKAGE_PROGRAM"], cls.folder.name, "--python",
                        str(SOURCE / "python/houdini")], check=True)
        os.environ["HACKLE"] = os.path.join(cls.folder.name, "hackle")
        sys.modules.pop("hackle_nodes", None)  # of an earlier hou
        import hackle_nodes
        cls.nodes = hackle_nodes

    @classmethod
    def tearDownClass(cls):
        cls.nodes.end_workers()
        del sys.modules["hou"]
        cls.folder.cleanup()

    def setUp(self):
        Operation.stop = False

    def cook(self, operator, *inputs, path="/obj/geo1/x", **values):
        asset = Asset(self.nodes, operator, path)
        asset.set(**values)
        node = Python(asset, *inputs)
        self.nodes.cook(node)
        return node.geometry()._content


class Nodes(Case):
    def test_the_assets_have_the_form_that_houdini_reads(self):
        libraries = sorted(Path(self.folder.name, "hackle/otls").glob("*.hda"))
        self.assertGreater(len(libraries), 12)
        for library in libraries:
            operator, parms, nodes, _ = houdini_format.check_library(library)
            self.assertEqual(operator, f"hackle::{library.stem}::1.0")
            self.assertEqual(nodes["work"].type, "python")
            known = {row["name"] for row in self.nodes.describe(library.stem)["parameters"]}
            self.assertLessEqual(known, {p.name for p in parms})
        for version in ("3.9", "3.10", "3.11"):
            self.assertTrue(Path(self.folder.name, f"hackle/python{version}libs/hackle_nodes.py").exists())

    def test_a_node_gives_what_the_module_gives(self):
        solid = hackle.model(shape="column", size=1)
        got = self.cook("voronoi", solid, pieces=7, seed=3)
        expected = hackle.voronoi(solid, pieces=7, seed=3).geometry
        self.assertEqual(got.point_count, expected.point_count)
        self.assertEqual(list(got.attribute("name", "primitive")), list(expected.attribute("name", "primitive")))
        self.assertTrue(Operation.last.fractions)

    def test_other_outputs_need_no_other_run(self):
        solid = hackle.model(shape="column", size=1)
        runs = []
        whole = self.nodes.Worker.run
        self.nodes.Worker.run = lambda *a: runs.append(1) or whole(*a)
        try:
            self.cook("voronoi", solid, pieces=5, path="/obj/geo1/y")
            proxies = self.cook("voronoi", solid, pieces=5, hackle_stream="proxies", path="/obj/geo1/y")
        finally:
            self.nodes.Worker.run = whole
        self.assertEqual(len(runs), 1)
        self.assertGreater(proxies.primitive_count, 0)

    def test_records_and_switches(self):
        asset = Asset(self.nodes, "voronoi")
        asset.set(cluster=1, cluster_at1=(0.0, 1.0, 0.0), cluster_radius1=0.25, pieces=9)
        for field in self.nodes.describe("voronoi")["parameters"]:
            for own in field["fields"] if field["name"] == "cluster" else []:
                asset._values.setdefault(f"cluster_{own['name']}1", Asset._default(own))
        words = self.nodes.words_of(asset, "voronoi")
        self.assertIn("--cluster", words)
        self.assertIn("at=0.0,1.0,0.0", words)
        self.assertEqual(words[words.index("--pieces") + 1], "9")

    def test_bad_input_is_an_error_with_its_remedy(self):
        with self.assertRaisesRegex(self.hou.NodeError, "Remedy: "):
            self.cook("voronoi", hackle.model(shape="column"), pieces=-4)

    def test_esc_stops_it(self):
        Operation.stop = True
        start = time.monotonic()
        with self.assertRaisesRegex(self.hou.NodeWarning, "was interrupted"):
            self.cook("voronoi", hackle.model(shape="knot", resolution=60), pieces=3000)
        self.assertLess(time.monotonic() - start, 10)
        Operation.stop = False
        self.assertEqual(len(set(self.cook("voronoi", hackle.model(shape="column"), pieces=3).attribute("name", "primitive"))), 3)

    def test_a_crash_is_an_error_of_the_node_and_the_next_cook_goes_on(self):
        solid = hackle.model(shape="column")
        self.cook("voronoi", solid, pieces=3)
        worker = self.nodes.worker("/obj/geo1/x")
        os.kill(worker._process.pid, signal.SIGSTOP)
        killer = threading.Timer(0.3, lambda: os.kill(worker._process.pid, signal.SIGKILL))
        killer.start()
        with self.assertRaisesRegex(self.hou.NodeError, "ended \\(signal 9\\)"):
            self.cook("voronoi", solid, pieces=4)
        killer.join()
        self.assertEqual(len(set(self.cook("voronoi", solid, pieces=4).attribute("name", "primitive"))), 4)

    def test_a_lack_of_memory_is_an_error_of_the_node_and_the_next_cook_goes_on(self):
        self.cook("voronoi", hackle.model(shape="column"), pieces=3)
        process = self.nodes.worker("/obj/geo1/x")._process
        status = Path(f"/proc/{process.pid}/status").read_text()
        held = 1024 * int(status.split("VmSize:")[1].split()[0])
        big = hackle.model(shape="knot", resolution=300)
        unlimited = resource.prlimit(process.pid, resource.RLIMIT_AS, (held + (64 << 20), resource.RLIM_INFINITY))
        with self.assertRaisesRegex(self.hou.NodeError, "memory"):
            self.cook("voronoi", big, pieces=2000)
        if process.poll() is None:
            resource.prlimit(process.pid, resource.RLIMIT_AS, unlimited)
        self.assertEqual(len(set(self.cook("voronoi", hackle.model(shape="column"), pieces=3).attribute("name", "primitive"))), 3)

    def test_progress_reaches_the_bar(self):
        self.cook("voronoi", hackle.model(shape="knot", resolution=60), pieces=2000)
        fractions = Operation.last.fractions
        self.assertTrue(fractions)
        self.assertEqual(fractions, sorted(fractions))
        self.assertTrue(any(0 < f < 1 for f in fractions), fractions)

    def test_a_missing_program_says_what_to_do(self):
        saved = os.environ["HACKLE_PROGRAM"]
        self.nodes.end_workers()
        os.environ["HACKLE_PROGRAM"] = "/nowhere/hackle"
        try:
            with self.assertRaisesRegex(self.hou.NodeError, "set HACKLE_PROGRAM"):
                self.cook("voronoi", hackle.model(shape="column"), pieces=2)
        finally:
            os.environ["HACKLE_PROGRAM"] = saved

    def test_a_million_polygons_there_and_back(self):
        """Processor time of this process and of the program, of which moving the points is next to nothing."""
        n = 1000
        across, along = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
        points = np.stack([across.ravel(), along.ravel(), np.zeros((n + 1) ** 2)], axis=1).astype(float)
        first = (np.arange(n)[:, None] * (n + 1) + np.arange(n)[None, :]).ravel()
        grid = hackle.Geometry.from_arrays(points, np.stack([first, first + 1, first + n + 2, first + n + 1], axis=1))
        self.cook("transform", hackle.model(shape="box"), path="/obj/geo1/big")  # the program is there

        def spent(pid):
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        both = (os.getpid(), self.nodes.worker("/obj/geo1/big")._process.pid)
        before = sum(map(spent, both))
        moved = self.cook("transform", grid, path="/obj/geo1/big", translate=(0.0, 0.0, 1.0))
        overhead = sum(map(spent, both)) - before
        self.assertEqual(moved.primitive_count, n * n)
        self.assertAlmostEqual(moved.points[5, 2], 1.0)
        print(f"a million polygons there and back: {overhead:.2f} s")
        self.assertLess(overhead, 1.5)

    def test_two_nodes_at_once(self):
        solid = hackle.model(shape="column")
        results = {}

        def work(name, pieces):
            results[name] = len(set(self.cook("voronoi", solid, pieces=pieces, path=name).attribute("name", "primitive")))

        threads = [threading.Thread(target=work, args=(f"/obj/geo1/n{i}", 3 + i)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, {"/obj/geo1/n0": 3, "/obj/geo1/n1": 4})


class Simulation(Case):
    """The node fracture_step in a SOP Solver: the loop here is the solver, the program breaks the pieces."""

    IMPACT, FRAMES = 10, 24

    @staticmethod
    def start():
        """A bar that falls onto a block, packed, as the rigid body solver has them."""
        bar, block = hackle.model(shape="box", size=1), hackle.model(shape="box", size=0.5)
        bar.points = (bar.points - bar.points.mean(axis=0)) * [2, 0.5, 0.5]
        block.points = block.points - block.points.mean(axis=0)
        pieces = hackle.Geometry.from_packed([bar, block], [[0, 1, 0], [0, 0.5, 0]])
        pieces.set_attribute("name", ["bar", "block"], "point")
        for name, values in (("v", [[0, -3, 0], [0, 0, 0]]), ("w", [[0, 0, 0]] * 2), ("density", [1000, 1000])):
            pieces.set_attribute(name, np.array(values, dtype=np.float32), "point")
        pieces.set_attribute("id", np.array([1, 2], dtype=np.int32), "point")
        return pieces

    @staticmethod
    def impact():
        """What DOP Import Records makes of one record."""
        points = hackle.Geometry.from_arrays([[0.0, 0.75, 0.0]])
        points.set_attribute("normal", np.array([[0, 1, 0]], dtype=np.float32), "point")
        for name, value in (("impulse", 1500.0), ("primnum", 0), ("objid", 7), ("otherobjid", 7), ("otherprimnum", 1)):
            kind = np.float32 if isinstance(value, float) else np.int32
            points.set_attribute(name, np.array([value], dtype=kind), "point")
        return points

    def step(self, pieces, frame, path="/obj/dop/break/fracture", constraints=None, **values):
        impacts = self.impact() if frame == self.IMPACT else hackle.Geometry.from_arrays(np.zeros((0, 3)))
        given = dict(time=frame / 24, timestep=1 / 24, engine_parameters="pieces=6", min_impulse=100.0, min_volume=0.2)
        return self.cook("fracture_step", pieces, impacts, constraints, path=path, **{**given, **values})

    def play(self, pieces, first=0):
        frames = []
        for frame in range(first, self.FRAMES):
            pieces = self.step(pieces, frame)
            frames.append(pieces)
        return frames

    @staticmethod
    def content(pieces):
        apart = pieces.unpacked()
        values = [list(pieces.attribute("name", "point")), pieces.attribute("hackle_state", "detail")[0], apart.points.tolist()]
        return values + [np.array(pieces.attribute(name, "point")).tolist() for name in ("v", "w")]

    def test_an_impact_over_24_frames_and_a_rewind(self):
        frames = self.play(self.start())
        self.assertEqual([f.primitive_count for f in frames], [2] * self.IMPACT + [7] * (self.FRAMES - self.IMPACT))
        last = frames[-1]
        names = list(last.attribute("name", "point"))
        self.assertEqual(names, ["block"] + [f"bar-{i}" for i in range(6)])
        mass = np.array(last.attribute("mass", "point"))[1:]
        self.assertAlmostEqual(mass.sum(), 500, places=2)
        np.testing.assert_allclose((mass[:, None] * np.array(last.attribute("v", "point"))[1:]).sum(axis=0), [0, -1500, 0], atol=0.01)
        self.assertTrue((np.array(last.attribute("id", "point"))[1:] == 0).all())
        for start in (0, self.IMPACT, 15):
            pieces = self.start() if start == 0 else frames[start - 1]
            self.nodes.end_workers()  # nothing that a program kept may show
            again = self.play(pieces, start)
            self.assertEqual(self.content(again[-1]), self.content(last), start)

    def test_the_module_gives_what_the_program_gives(self):
        pieces = self.step(self.start(), 0)
        broken = self.step(pieces, self.IMPACT)
        values = dict(time=self.IMPACT / 24, timestep=1 / 24, engine_parameters="pieces=6", min_impulse=100, min_volume=0.2)
        own = hackle.run("fracture_step", [pieces, self.impact()], values).geometry
        self.assertEqual(self.content(broken), self.content(own))

    def test_constraints_of_the_same_step(self):
        line = hackle.Geometry.from_arrays([[0.9, 0.75, 0], [0, 0.5, 0]], [[0, 1]], closed=False)
        line.set_attribute("name", ["bar", "block"], "point")
        pieces = self.step(self.start(), 0)
        after = self.step(pieces, self.IMPACT, constraints=line, hackle_stream="constraints", path="/obj/dop/break2/fracture")
        broken = self.step(pieces, self.IMPACT)
        anchor, other = after.attribute("name", "point")
        self.assertIn(anchor, list(broken.attribute("name", "point")))
        self.assertEqual(other, "block")

    def test_esc_keeps_the_old_pieces(self):
        pieces = self.step(self.start(), 0)
        Operation.stop = True
        asset = Asset(self.nodes, "fracture_step", "/obj/dop/break3/fracture")
        asset.set(time=1.0, engine_parameters="pieces=4000", min_impulse=1.0)
        node = Python(asset, pieces, self.impact())
        with self.assertRaisesRegex(self.hou.NodeWarning, "was interrupted"):
            self.nodes.cook(node)
        Operation.stop = False
        self.assertEqual(self.content(node.geometry()._content), self.content(pieces))

    def test_bad_parameters_are_errors_with_remedies(self):
        for values in (dict(engine="vorono"), dict(engine_parameters="pieces 20"), dict(world_scale=0.0)):
            with self.assertRaisesRegex(self.hou.NodeError, "Remedy: "):
                self.step(self.start(), 0, **values)


if __name__ == "__main__":
    unittest.main()
