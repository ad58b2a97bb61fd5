"""Functions made from the registry; a few of them by name, as people call them."""

import inspect
import pickle
import unittest
import warnings
from pathlib import Path

import numpy as np

import hackle
from hackle import _hackle, _operators
from shapes import cube


def function_of(id):
    return next(f for f in vars(hackle).values() if getattr(f, "operator", None) == id)


class Memo(unittest.TestCase):
    def test_new_loads_use_the_same_factor(self):
        box, memo, report = hackle.model("box", resolution=4), hackle.Memo(), {}
        held = {"kind": "displacement", "group": "bottom"}
        for force in (-100.0, -300.0):
            loads = [held, {"kind": "force", "force": (0, force, 0), "group": "top"}]
            kept = hackle.stress(box, condition=loads, memo=memo, report=report).geometry
            fresh = hackle.stress(box, condition=loads).geometry
            np.testing.assert_array_equal(kept.attribute("von_mises"), fresh.attribute("von_mises"))
            self.assertEqual("factorisation" in report["stages"], force == -100.0)
        self.assertGreater(memo.bytes, 1000)
        memo.clear()
        self.assertEqual(memo.count, 0)
        with self.assertRaises(TypeError):
            hackle.stress(box, condition=loads, memo="yes")


class Outputs(unittest.TestCase):
    def test_only_those_that_are_named_are_computed(self):
        box, report = hackle.model("box"), {}
        every = hackle.voronoi(box, pieces=5)
        some = hackle.voronoi(box, pieces=5, outputs=["geometry", "constraints"], report=report)
        np.testing.assert_array_equal(some.geometry.points, every.geometry.points)
        np.testing.assert_array_equal(some.constraints.points, every.constraints.points)
        self.assertIsNone(some.proxies)
        self.assertIsNotNone(every.proxies)
        self.assertNotIn("proxies", report["stages"])
        self.assertIsNone(hackle.run("voronoi", [box], {"pieces": 5}, outputs=["proxies"]).constraints)
        with self.assertRaises(hackle.UsageError):
            hackle.voronoi(box, outputs=["splinters"])


class EveryOperator(unittest.TestCase):
    def test_has_a_function_with_signature_and_help(self):
        self.assertIn("convert", hackle.operators())
        for id in hackle.operators():
            with self.subTest(operator=id):
                op = hackle.describe(id)
                function = function_of(id)
                names = list(inspect.signature(function).parameters)
                self.assertEqual(names[-5:], ["threads", "progress", "report", "memo", "outputs"])
                self.assertEqual(len(names), len(op["inputs"]) + len(op["parameters"]) + 5)
                for p in op["parameters"]:
                    name = _operators.parameter_name(p["name"])
                    self.assertEqual(inspect.signature(function).parameters[name].default, p["default"])
                    self.assertIn(f"\n{name} : ", function.__doc__)
                    self.assertIn(p["help"].split()[0], function.__doc__)
                self.assertTrue(function.__name__.isidentifier())
                self.assertLess(max(map(len, function.__doc__.split("\n"))), 400)

    # Instead of the defaults of parameters that decide how long a run takes.
    QUICK = {"cells": 6, "elements": 500, "modes": 2, "starts": 1, "pieces": 6, "heights": 2, "repeats": 1,
             "orientations": 4, "held_out": 1, "frames": 1}

    def test_runs_with_defaults_or_says_why_not(self):
        """A cube for every geometry input. What needs more than that has to say so; what runs gives the same when it
        is handed its own defaults."""
        for id in hackle.operators():
            op = hackle.describe(id)
            if any(port["type"] != "geometry" and not port["optional"] for port in op["inputs"]):
                continue
            with self.subTest(operator=id):
                report, again = {}, {}
                inputs = [None if port["optional"] else cube() for port in op["inputs"]]
                quick = {p["name"]: self.QUICK[p["name"]] for p in op["parameters"] if p["name"] in self.QUICK}
                if id == "sheet":
                    quick["fine"] = 0.3  # a third of the cube
                try:
                    result = function_of(id)(*inputs, report=report, **quick)
                except hackle.Error as error:
                    self.assertIn(error.code, ("usage", "bad_input"))
                    self.assertTrue(error.remedy, f"{id} refuses a cube without a remedy: {error}")
                    continue
                self.assertEqual(report["op"], id)
                self.assertEqual(report["version"], hackle.__version__)
                self.assertEqual(set(report["params"]), {p["name"] for p in op["parameters"]})
                if len(op["outputs"]) > 1:
                    self.assertEqual(result._fields, tuple(port["name"] for port in op["outputs"]))
                elif not op["outputs"]:
                    self.assertEqual(result, report["result"])
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", hackle.Warning)
                    hackle.run(id, inputs, {p["name"]: p["default"] for p in op["parameters"]} | quick, report=again)
                self.assertEqual(again["params"], report["params"])
                self.assertEqual(again["result"], report["result"])


class Calling(unittest.TestCase):
    def test_inputs_by_position_and_by_name(self):
        geo = cube()
        self.assertEqual(hackle.convert(geo).point_count, 8)
        self.assertEqual(hackle.convert(geometry=geo).point_count, 8)
        with self.assertRaises(TypeError):
            hackle.convert(geo, geometry=geo)

    def test_generic_run_is_the_same(self):
        report = {"old": 1}
        geo = hackle.run("convert", [cube()], {"precision": "single"}, report=report)
        self.assertEqual(geo.point_count, 8)
        self.assertEqual(report["params"], {"unpack": False, "precision": "single"})
        self.assertNotIn("old", report)

    def test_none_leaves_the_default(self):
        report = {}
        hackle.convert(cube(), precision=None, report=report)
        self.assertEqual(report["params"]["precision"], "auto")

    def test_wrong_calls_say_what_is_right(self):
        for call, message in (
            (lambda: hackle.convert(cube(), precison="single"), "did you mean precision"),
            (lambda: hackle.convert(cube(), precision="half"), "choose auto, single or double"),
            (lambda: hackle.convert(cube(), unpack="perhaps"), "expected on or off"),
            (lambda: hackle.convert(cube(), unpack=object()), "unpack: a value of type object"),
            (lambda: hackle.convert(), "convert needs the input geometry"),
            (lambda: hackle.convert(None), "convert needs the input geometry"),
            (lambda: hackle.convert(cube(), cube()), "takes 1 input, got 2"),
            (lambda: hackle.convert("statue.obj"), "hackle.read"),
            (lambda: hackle.convert(hackle.Image(np.zeros((2, 2, 3), np.uint8))), "wrong kind"),
            (lambda: hackle.convert(cube(), threads=-1), "threads must be"),
            (lambda: hackle.run("convrt", [cube()]), "did you mean convert"),
        ):
            with self.subTest(message=message), self.assertRaisesRegex(hackle.UsageError, message) as caught:
                call()
            self.assertEqual(caught.exception.code, "usage")
            self.assertIsInstance(caught.exception, TypeError)

    def test_values_in_all_their_python_forms(self):
        report = {}
        for value in (True, 1, np.bool_(True), np.int64(1), "on"):
            hackle.convert(cube(), unpack=value, report=report)
            self.assertIs(report["params"]["unpack"], True)

    def test_a_shape_by_position_many_inputs_and_figures(self):
        shape = hackle.model("box", size=2.0, proportions=np.array([1, 1, 1]), resolution=4)
        np.testing.assert_allclose(np.ptp(shape.bounds, axis=0), [2, 2, 2])
        with self.assertRaises(TypeError):
            hackle.model("box", shape="torus")
        self.assertEqual(hackle.merge(cube(), cube(), cube()).point_count, 24)
        figures = hackle.info(shape)
        self.assertTrue(figures["closed"] and figures["manifold"])
        self.assertAlmostEqual(figures["volume"], 8.0)
        image = hackle.render(shape, width=64, height=48, samples=1)
        self.assertEqual(image.pixels.shape, (48, 64, 3))

    def test_warnings_come_out_at_the_callers_line(self):
        for call in (lambda: hackle.explode(cube(), centre_position=(0, 1, 0)),
                     lambda: hackle.run("explode", [cube()], {"centre_position": (0, 1, 0)})):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                call()
            self.assertIn("centre_position has no effect", str(caught[0].message))
            self.assertEqual(caught[0].filename, __file__)

    def test_errors_have_message_remedy_and_code(self):
        with self.assertRaises(hackle.Error) as caught:
            hackle.convert(cube(), precison=1)
        error = caught.exception
        self.assertEqual(str(error), f"{error.message} ({error.remedy})")
        twin = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(twin), str(twin), twin.code), (type(error), str(error), error.code))
        with self.assertRaises(OSError) as caught:
            hackle.read(Path("no") / "such.obj")
        self.assertEqual(caught.exception.code, "io")
        self.assertIn("no/such.obj", str(caught.exception))


class Names(unittest.TestCase):
    OP = {
        "id": "import",
        "label": "Import",
        "summary": "A made-up operator",
        "help": "First paragraph.\n\nSecond paragraph.",
        "inputs": [
            {"name": "geometry", "label": "Geometry", "help": "g", "type": "geometry", "optional": False,
             "repeats": False},
            {"name": "size", "label": "Size", "help": "s", "type": "geometry", "optional": True, "repeats": False},
            {"name": "basis", "label": "Basis", "help": "b", "type": "blob", "optional": True, "repeats": False},
        ],
        "outputs": [],
        "parameters": [],
        "positional": None,
    }

    def test_keywords_and_clashes_get_an_underscore(self):
        self.assertEqual(_operators.python_name("import"), "import_")
        self.assertEqual(_operators.python_name("read", {"read"}), "read_")
        self.assertEqual(_operators.python_name("two-words"), "two_words")
        self.assertEqual(_operators.python_name("3d"), "_3d")
        self.assertEqual(_operators.parameter_name("lambda"), "lambda_")
        self.assertEqual(_operators.parameter_name("threads"), "threads_")

    def test_inputs_with_a_parameters_name_are_positional(self):
        parameter = dict(hackle.describe("convert")["parameters"][0], name="size", default=0.5)
        op = dict(self.OP, parameters=[parameter])
        arguments = _operators.input_arguments(op)
        self.assertEqual([(name, by_keyword) for name, _, by_keyword in arguments],
                         [("geometry", False), ("size_", False), ("basis", True)])
        self.assertIn("size_: hackle.Geometry = None, /, basis: hackle.Blob = None, *, size=0.5", str(_operators.signature(op)))

    def test_operators_do_not_hide_the_module(self):
        catalogue = _operators.Catalogue(taken={"convert"})
        self.assertIn("convert_", catalogue.functions)
        self.assertEqual(catalogue.functions["convert_"](cube()).point_count, 8)


class Registry(unittest.TestCase):
    def test_materials_and_formats(self):
        glass = hackle.materials()["glass"]
        self.assertEqual((glass["density"], glass["young"]), (2500.0, 70e9))
        self.assertTrue(glass["source"])
        self.assertTrue(all(set(f) == {"name", "extensions", "reads", "writes"} for f in hackle.formats()))

    def test_primitive_types_are_the_librarys(self):
        self.assertEqual([t.name.lower() for t in hackle.PrimitiveType], list(_hackle.PRIMITIVE_TYPES))


if __name__ == "__main__":
    unittest.main()
