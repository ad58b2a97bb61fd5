"""hackle.houdini and the scripts of examples/houdini, with a stand-in for hou."""

import contextlib
import importlib.util
import io
import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import hackle
import hackle.houdini
from shapes import cube

sys.path.insert(0, str(Path(__file__).parent))
import fake_hou  # noqa: E402

FOLDER = Path(os.environ["HACKLE_SOURCE_DIR"]) / "examples" / "houdini"


def everything():
    geo = cube()
    geo.set_attribute("Cd", np.linspace(0, 1, 24).reshape(8, 3).astype(np.float32), qualifier="color")
    geo.set_attribute("id", np.arange(24, dtype=np.int64), "vertex")
    geo.set_attribute("name", ["left", "left", "right", "right", "", "left"], "primitive")
    geo.set_attribute("level", np.array([3], np.int32), "detail")
    geo.set_group("inside", np.array([1, 0, 0, 1, 1, 0], bool))
    return geo


class Conversion(unittest.TestCase):
    def test_there_and_back_loses_nothing(self):
        geo = everything()
        back = hackle.houdini.from_hou(hackle.houdini.to_hou(geo, fake_hou.Geometry()))
        np.testing.assert_array_equal(back.points, geo.points)
        np.testing.assert_array_equal(back.vertex_points, geo.vertex_points)
        for owner in ("point", "vertex", "primitive", "detail"):
            self.assertEqual(back.attributes(owner), geo.attributes(owner))
            for name in geo.attributes(owner):
                np.testing.assert_array_equal(back.attribute(name, owner), geo.attribute(name, owner))
        np.testing.assert_array_equal(back.group("inside"), geo.group("inside"))

    def test_what_was_there_is_replaced(self):
        target = hackle.houdini.to_hou(everything(), fake_hou.Geometry())
        hackle.houdini.to_hou(cube(), target)
        self.assertEqual(hackle.houdini.from_hou(target).attributes("primitive"), [])

    def test_a_new_one_is_made(self):
        sys.modules["hou"] = fake_hou.make()
        try:
            made = hackle.houdini.as_hou(cube())
        finally:
            del sys.modules["hou"]
        self.assertEqual(hackle.houdini.from_hou(made).primitive_count, 6)

    def test_other_things_are_refused(self):
        with self.assertRaisesRegex(TypeError, "expected a hackle.Geometry, got str"):
            hackle.houdini.to_hou("cube", fake_hou.Geometry())

    def test_no_name_means_something_else_in_houdini(self):
        """hou.Geometry.freeze makes a copy that does not change; ours never did that."""
        self.assertFalse(hasattr(hackle.houdini, "freeze"))

    def test_no_file_stays(self):
        before = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
        hackle.houdini.from_hou(hackle.houdini.to_hou(cube(), fake_hou.Geometry()))
        after = set(os.listdir("/dev/shm")) if os.path.isdir("/dev/shm") else set()
        self.assertFalse({name for name in after - before if name.startswith("hackle_")})


class Scripts(unittest.TestCase):
    def setUp(self):
        sys.modules["hou"] = fake_hou.make()
        self.folders = [str(FOLDER), str(FOLDER.parents[1] / "python/houdini")]
        sys.path[:0] = self.folders

    def tearDown(self):
        for folder in self.folders:
            sys.path.remove(folder)
        for name in ("hou", "networks", "wedge", "check", "hackle_tools"):
            sys.modules.pop(name, None)

    def script(self, name):
        spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    def test_networks_cook(self):
        networks = self.script("networks")
        with tempfile.TemporaryDirectory() as folder:
            files = networks.main(folder, ["goblet", "column"])
            self.assertEqual(len(files), 4)
            self.assertEqual(len(set(hackle.read(files[0]).attribute("name", "primitive"))), 60)
            self.assertTrue(os.path.exists(os.path.join(folder, "networks.hip")))

    def test_every_network_has_only_parameters_that_are_there(self):
        networks = self.script("networks")
        for network in networks.NETWORKS:
            networks.build(network)  # parm() of an unknown name gives None, which has no set()

    def test_every_example_has_a_network_that_cooks(self):
        networks = self.script("networks")
        quick = {"cells": 6, "pieces": 4, "modes": 2, "triangles": 80, "steps": 1, "coarse": 0.2, "ratio": 4, "elements": 600}
        made = {}
        for network in networks.NETWORKS:
            if network.operator in made:
                continue
            shorter = lambda values: {name: quick.get(name, value) for name, value in values.items()}
            basis = {**shorter(network.basis), "elements": 150, "starts": 1} if network.basis else {}
            fracture, apart = networks.build(network._replace(parameters=shorter(network.parameters), basis=basis))
            made[network.operator] = networks.cook(apart)._content
        # A sheet is a simulation that writes files; recipes are voronoi with other parameters.
        names = {path.stem for path in FOLDER.parent.glob("*.sh")} - {"demo", "sheet", "recipes"}
        self.assertEqual({name.replace("modes_impact", "modes") for name in made}, names)
        self.assertIn("von_mises", made["stress"].attributes("point"))
        for name in ("voronoi", "cvd", "crack", "impact", "modes_impact"):
            self.assertIn("name", made[name].attributes("primitive"), name)

    def test_wedges_cook_and_resume(self):
        wedge = self.script("wedge")
        wedge.PIECES, wedge.SEEDS = (3, 5), (0, 1)
        with tempfile.TemporaryDirectory() as folder:
            first = wedge.main(folder, 1)
            stamp = os.stat(first[0]).st_mtime_ns
            files = wedge.main(folder)
            self.assertEqual(len(files), 12)
            self.assertEqual(os.stat(first[0]).st_mtime_ns, stamp)
            self.assertEqual(len(set(hackle.read(first[0]).attribute("name", "primitive"))), 5)
            self.assertFalse([name for name in os.listdir(folder) if name.startswith(".")])

    def test_check_runs(self):
        check = self.script("check")
        names = ["model", "transform", "voronoi", "normals", "cvd"]  # the last says that it needs impacts
        rows = {name: (verdict, detail) for name, verdict, detail in check.main(names)}
        for name in names:
            self.assertEqual(rows[f"node {name}"][0], "ok", rows[f"node {name}"])
        for name in ("streams", "two records", "verb from Python"):
            self.assertEqual(rows[name][0], "ok", (name, rows[name]))
        # The stand-in has no assets, compiled blocks or plug-in: these fail, and the rest goes on.
        self.assertEqual(rows["assets"][0], "FAILED")
        self.assertEqual(rows["asset of simulations"][0], "skipped")
        self.assertEqual(rows["compiled block"][0], "FAILED")
        self.assertEqual(rows["libraries of the plug-in"][0], "FAILED")
        self.assertEqual(list(rows)[-1], "help cards")

    def test_check_runs_without_the_module(self):
        """The package without a plug-in: every node of it is cooked, and what needs the plug-in is skipped."""
        check = self.script("check")
        check.hackle = None
        with tempfile.TemporaryDirectory() as folder:
            described = [{"id": name, "inputs": hackle.describe(name)["inputs"]} for name in ("model", "voronoi", "cvd")]
            with open(os.path.join(folder, "operators.json"), "w") as file:
                json.dump(described, file)
            os.environ["HACKLE"] = folder
            try:
                rows = {name: (verdict, detail) for name, verdict, detail in check.main()}
            finally:
                del os.environ["HACKLE"]
        self.assertEqual(rows["node voronoi"][0], "ok", rows["node voronoi"])
        self.assertRegex(rows["node cvd"][1], "says: .*Remedy: ")
        for name in ("verb from Python", "compiled block", "libraries of the plug-in"):
            self.assertEqual(rows[name][0], "skipped")
        self.assertNotIn("assets", rows)

    def test_check_goes_on_after_a_crash(self):
        """Checks that take their process with them, or never end, are a line of the table like others."""
        check = self.script("check")
        check.TIME_LIMIT = 3
        child = f"""
import os, sys, time
sys.path[:0] = {sys.path!r}
import fake_hou
sys.modules["hou"] = fake_hou.make()
import check
check.planned = lambda operators: [("fine", lambda place: "1"), ("crash", lambda place: os.kill(os.getpid(), 11)),
                                   ("wrong", lambda place: 1 / 0), ("hang", lambda place: time.sleep(60)),
                                   ("last", lambda place: "2")]
check.main(first=int(sys.argv[-1]), tell=check.tell_the_watcher)
"""
        with contextlib.redirect_stdout(io.StringIO()) as said:
            rows = check.watch([sys.executable, "-c", f"import sys; sys.path[:0] = {[str(FOLDER)]!r}\n{child}"])
        self.assertEqual([row[:2] for row in rows[1:]], [("fine", "ok"), ("crash", "CRASHED"), ("wrong", "FAILED"),
                                                         ("hang", "CRASHED"), ("last", "ok")])
        self.assertIn("signal 11", rows[2][2])
        self.assertIn("no word for 3 s", rows[4][2])
        self.assertRegex(said.getvalue(), r"(?m)^crash +CRASHED .*\n(.*\n)*5 checks, 3 failed$")

    def test_check_says_what_it_could_not_import(self):
        check = self.script("check")
        check.hackle, check.MISSING = None, {"the Python module": ImportError("libhackle.so: undefined symbol")}
        with contextlib.redirect_stdout(io.StringIO()):
            rows = {row[0]: row[1:] for row in check.main()}
        self.assertEqual(rows["the Python module"][0], "FAILED")
        self.assertIn("undefined symbol", rows["the Python module"][1])
        self.assertEqual(list(rows)[-1], "help cards")


if __name__ == "__main__":
    unittest.main()
