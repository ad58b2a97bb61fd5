"""The nodes without a plug-in: hackle_nodes.py with a stand-in for hou and the real program."""

import json
import os
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
    """The Python SOP inside."""

    def __init__(self, asset, *inputs):
        self._asset, self._inputs, self._geometry = asset, inputs, fake_hou.Geometry()

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


class Nodes(unittest.TestCase):
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

    def test_a_missing_program_says_what_to_do(self):
        saved = os.environ["HACKLE_PROGRAM"]
        self.nodes.end_workers()
        os.environ["HACKLE_PROGRAM"] = "/nowhere/hackle"
        try:
            with self.assertRaisesRegex(self.hou.NodeError, "set HACKLE_PROGRAM"):
                self.cook("voronoi", hackle.model(shape="column"), pieces=2)
        finally:
            os.environ["HACKLE_PROGRAM"] = saved

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


if __name__ == "__main__":
    unittest.main()
