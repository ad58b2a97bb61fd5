"""The type stub is valid, complete and says the right types."""

import ast
import importlib.util
import inspect
import os
import unittest
from pathlib import Path

import hackle
from hackle import _operators

STUB = Path(hackle.__file__).with_name("__init__.pyi")


class Stub(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = ast.parse(STUB.read_text(encoding="utf-8"))
        cls.functions = {n.name: n for n in cls.tree.body if isinstance(n, ast.FunctionDef)}
        cls.classes = {n.name: n for n in cls.tree.body if isinstance(n, ast.ClassDef)}

    def test_package_is_marked_as_typed(self):
        self.assertTrue(STUB.with_name("py.typed").exists())

    def test_lists_every_public_name(self):
        stubbed = set(self.functions) | set(self.classes)
        self.assertLessEqual(set(hackle.__all__), stubbed)

    def test_every_operator_with_all_its_parameters(self):
        for id in hackle.operators():
            op = hackle.describe(id)
            name = _operators.python_name(id, {"read", "write", "run"})
            with self.subTest(operator=id):
                arguments = self.functions[name].args
                inputs = [a.arg for a in arguments.posonlyargs + arguments.args]
                inputs += [arguments.vararg.arg] if arguments.vararg else []
                keywords = list(zip(arguments.kwonlyargs, arguments.kw_defaults))
                if op["positional"]:
                    self.assertEqual(inputs.pop(), op["parameters"][0]["name"])
                    keywords.insert(0, (arguments.args[-1], arguments.defaults[-1]))
                given = {a.arg: ast.unparse(a.annotation) for a, _ in keywords}
                expected = [_operators.parameter_name(p["name"]) for p in op["parameters"]]
                self.assertEqual(list(given), expected + ["threads", "progress", "report", "memo", "outputs"])
                for p, argument, (_, default) in zip(op["parameters"], expected, keywords):
                    self.assertEqual(ast.literal_eval(default), p["default"])
                    self.check_type(p, given[argument])
                self.assertEqual(inputs, [name for name, _, _ in _operators.input_arguments(op)])

    def check_type(self, p, annotation):
        tokens = ", ".join(repr(token) for token, _ in p["menu"])
        expected = {"menu": f"Literal[{tokens}]", "float": "float", "int": "int", "toggle": "bool", "string": "str",
                    "vector": "_Vector", "colour": "_Vector", "file": "_Path"}.get(p["type"])
        if expected:
            self.assertEqual(annotation, expected + " | None")
        if p["type"] == "list":
            record = annotation[len("Sequence["):annotation.index("]")]
            assigned = {n.targets[0].id: n.value for n in self.tree.body if isinstance(n, ast.Assign)}
            self.assertEqual([ast.literal_eval(k) for k in assigned[record].args[1].keys],
                             [field["name"] for field in p["fields"]])

    def test_classes_have_the_members_that_python_sees(self):
        for cls in (hackle.Geometry, hackle.Image, hackle.Blob):
            members = {n.name for n in self.classes[cls.__name__].body if isinstance(n, ast.FunctionDef)}
            public = {name for name in dir(cls) if not name.startswith("_")}
            self.assertEqual({m for m in members if not m.startswith("_")}, public)
            for name in public:
                self.assertTrue(inspect.getdoc(getattr(cls, name)), f"{cls.__name__}.{name} has no help")

    def test_primitive_types(self):
        assigned = {n.targets[0].id: ast.literal_eval(n.value) for n in self.classes["PrimitiveType"].body}
        self.assertEqual(assigned, {t.name: t.value for t in hackle.PrimitiveType})

    def test_made_up_operators_give_a_valid_stub(self):
        spec = importlib.util.spec_from_file_location(
            "make_stub", Path(os.environ["HACKLE_SOURCE_DIR"]) / "python" / "stub" / "make_stub.py")
        make_stub = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(make_stub)
        toggle = hackle.describe("convert")["parameters"][0]
        port = {"label": "", "help": 'quotes """ and \\ in help', "type": "geometry", "optional": False,
                "repeats": False}
        record = dict(toggle, name="impacts", type="list", default=[],
                      fields=[dict(toggle, name="from", type="vector", default=[0, 0, 0])])
        op = {"id": "class", "label": "Class", "summary": "s", "help": 'h """', "category": "c",
              "inputs": [dict(port, name="a"), dict(port, name="more", repeats=True, optional=True)],
              "positional": None, "outputs": [dict(port, name="pieces"), dict(port, name="is", type="image")],
              "parameters": [record, dict(toggle, name="lambda", type="ramp", default=[[0.0, 1.0]])]}
        text = "\n".join([make_stub.record_class(op, record), make_stub.outputs_class(op),
                          make_stub.function(op, "class_")])
        tree = ast.parse(text)
        self.assertEqual([type(n).__name__ for n in tree.body], ["Assign", "ClassDef", "FunctionDef"])
        self.assertEqual(tree.body[2].args.vararg.arg, "more")
        self.assertEqual([a.arg for a in tree.body[2].args.posonlyargs], ["a"])
        self.assertEqual(tree.body[1].body[1].target.id, "is_")
        self.assertIn('"""', ast.get_docstring(tree.body[2]))


if __name__ == "__main__":
    unittest.main()
