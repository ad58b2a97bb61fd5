"""Writes the type stub of the package: `make_stub.py CLASSES OUT`. The classes are written by hand in CLASSES, the
operators are made from the registry. PYTHONPATH leads to the package that was just built."""

import inspect
import os
import sys
import tempfile

import hackle
from hackle import _operators

TYPES = {
    "float": "float",
    "int": "int",
    "toggle": "bool",
    "string": "str",
    "file": "_Path",
    "vector": "_Vector",
    "colour": "_Vector",
    "ramp": "Sequence[tuple[float, float]]",
    "group": "str",
    "attribute": "str",
    "volume": "str",
}
PORTS = {"geometry": "Geometry", "image": "Image", "blob": "Blob"}


def record_name(op, p):
    return _operators.outputs_class_name(op).replace("Outputs", "") + p["name"].capitalize() + "Record"


def parameter_type(op, p):
    if p["type"] == "menu":
        return "Literal[" + ", ".join(repr(token) for token, _ in p["menu"]) + "]"
    if p["type"] == "list":
        return f"Sequence[{record_name(op, p)}]"
    return TYPES[p["type"]]


def record_class(op, p):
    """The dictionaries of a list parameter. The call form takes names that are keywords too."""
    name = record_name(op, p)
    fields = ", ".join(f"{field['name']!r}: {parameter_type(op, field)}" for field in p["fields"])
    return f"{name} = TypedDict({name!r}, {{{fields}}}, total=False)\n"


def outputs_class(op):
    lines = [f"class {_operators.outputs_class_name(op)}(NamedTuple):"]
    lines += [f"    {_operators.python_name(port['name'])}: {PORTS[port['type']]}" for port in op["outputs"]]
    return "\n".join(lines) + "\n"


def input_lines(op):
    arguments = _operators.input_arguments(op)
    lines = []
    optional = False
    for i, (name, port, by_keyword) in enumerate(arguments):
        kind = PORTS[port["type"]]
        if port["repeats"]:
            lines.append(f"*{name}: {kind} | None" if port["optional"] else f"*{name}: {kind}")
            continue
        optional = optional or port["optional"]
        lines.append(f"{name}: {kind} | None = None" if optional else f"{name}: {kind}")
        last = i + 1 == len(arguments) or arguments[i + 1][2] or arguments[i + 1][1]["repeats"]
        if not by_keyword and last:
            lines.append("/")
    return lines


def parameter_lines(op):
    lines = [] if any(port["repeats"] for port in op["inputs"]) else ["*"]
    for p in op["parameters"]:
        line = f"{_operators.parameter_name(p['name'])}: {parameter_type(op, p)} | None = {p['default']!r}"
        lines.insert(0 if p["name"] == op["positional"] else len(lines), line)
    return lines


def function(op, name):
    lines = input_lines(op) + parameter_lines(op)
    lines += ["threads: int = 0", "progress: _Progress | None = None", "report: dict[str, Any] | None = None",
              "memo: Memo | None = None", "outputs: Sequence[str] | None = None"]
    outputs = op["outputs"]
    result = "dict[str, Any]" if not outputs else PORTS[outputs[0]["type"]]
    if len(outputs) > 1:
        result = _operators.outputs_class_name(op)
    arguments = "".join(f"    {line},\n" for line in lines)
    text = inspect.cleandoc(_operators.docstring(op)).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    doc = "\n".join("    " + line if line else "" for line in text.split("\n"))
    return f'def {name}(\n{arguments}) -> {result}:\n    """{doc.lstrip()}\n    """\n'


def stub(classes):
    names = {f.operator: name for name, f in vars(hackle).items() if hasattr(f, "operator")}
    parts = [classes]
    for id in hackle.operators():
        op = hackle.describe(id)
        parts += [record_class(op, p) for p in op["parameters"] if p["type"] == "list"]
        if len(op["outputs"]) > 1:
            parts.append(outputs_class(op))
        parts.append(function(op, names[id]))
    return "\n".join(parts)


def main():
    source, target = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = stub(file.read())
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=os.path.dirname(target), delete=False) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, target)


if __name__ == "__main__":
    main()
