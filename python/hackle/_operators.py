"""Functions with keyword arguments, signatures and docstrings, made from the operator registry.

Nothing here knows any operator by name.
"""

import inspect
import keyword
import re
import textwrap
from collections import namedtuple

from . import _hackle

_WIDTH = 88
_OUTPUT_CLASSES = {"geometry": _hackle.Geometry, "image": _hackle.Image, "blob": _hackle.Blob}
_TYPES = {
    "float": "float",
    "int": "int",
    "toggle": "bool",
    "string": "str",
    "file": "str or path",
    "vector": "3 floats",
    "colour": "3 floats",
    "ramp": "list of (position, value)",
    "group": "str, a group pattern",
    "attribute": "str, an attribute's name",
    "volume": "str, a volume's name",
    "list": "list of dict",
}
# Keyword arguments that every operator has: name, default, help.
EXTRA_ARGUMENTS = (
    ("threads", 0, "Number of threads; 0 for all cores. Results do not depend on it."),
    (
        "progress",
        None,
        "Called as progress(stage, fraction, seconds), on the thread that made the call. "
        "An exception in it cancels the run and is passed on.",
    ),
    ("report", None, "A dict to fill with the report: parameters in force, warnings, times, results."),
    ("memo", None, "A hackle.Memo that keeps what later calls with the same solid can use again."),
    ("outputs", None, "Names of the outputs to compute; optional ones that are left out are None. None: all."),
)
_EXTRA_NAMES = tuple(name for name, _, _ in EXTRA_ARGUMENTS)


def python_name(name, taken=()):
    """A name of the registry as a Python identifier: keywords and taken names get a trailing underscore."""
    identifier = re.sub(r"\W", "_", name)
    if identifier[:1].isdigit():
        identifier = "_" + identifier
    return identifier + "_" if keyword.iskeyword(identifier) or identifier in taken else identifier


def parameter_name(name):
    """The keyword argument for a parameter."""
    return python_name(name, _EXTRA_NAMES)


def input_arguments(op):
    """The inputs as (identifier, port, by_keyword), in order.

    An input can be given by keyword if neither it nor one after it has a parameter's name, as Python wants
    positional-only arguments first, and if no input repeats.
    """
    taken = {parameter_name(p["name"]) for p in op["parameters"]} | set(_EXTRA_NAMES)
    by_keyword = not any(port["repeats"] for port in op["inputs"])
    arguments = []
    for port in reversed(op["inputs"]):
        name = python_name(port["name"], taken)
        by_keyword = by_keyword and name == port["name"]
        arguments.append((name, port, by_keyword))
    return arguments[::-1]


def signature(op):
    """The call signature, with the registry's defaults."""
    kinds = inspect.Parameter
    arguments = []
    optional = False
    for name, port, by_keyword in input_arguments(op):
        if port["repeats"]:
            arguments.append(kinds(name, kinds.VAR_POSITIONAL, annotation=_hackle.Geometry))
            continue
        optional = optional or port["optional"]
        kind = kinds.POSITIONAL_OR_KEYWORD if by_keyword else kinds.POSITIONAL_ONLY
        arguments.append(
            kinds(name, kind, default=None if optional else kinds.empty, annotation=_OUTPUT_CLASSES[port["type"]])
        )
    for p in op["parameters"]:
        kind = kinds.POSITIONAL_OR_KEYWORD if p["name"] == op["positional"] else kinds.KEYWORD_ONLY
        arguments.append(kinds(parameter_name(p["name"]), kind, default=p["default"]))
    for name, default, _ in EXTRA_ARGUMENTS:
        arguments.append(kinds(name, kinds.KEYWORD_ONLY, default=default))
    return inspect.Signature(arguments)


def _type_text(p):
    if p["type"] == "menu":
        return "{" + ", ".join(repr(token) for token, _ in p["menu"]) + "}"
    return _TYPES[p["type"]]


def _wrapped(text, indent=""):
    paragraphs = text.split("\n\n")
    return "\n\n".join(
        textwrap.fill(" ".join(paragraph.split()), _WIDTH, initial_indent=indent, subsequent_indent=indent)
        for paragraph in paragraphs
    )


def _parameter_text(p, indent=""):
    """One parameter in numpy style: name, type and default, then help, unit, range and the rest."""
    facts = [p["help"]]
    if p["range_text"]:
        facts.append(f"Range: {p['range_text']}.")
    elif p["unit"]:
        facts.append(f"Unit: {p['unit']}.")
    if p["enabled_when"]:
        facts.append(f"Has an effect when {p['enabled_when']}.")
    if p["points_input"]:
        facts.append(f"Points on the input {p['points_input']} add records.")
    if p["aliases"]:
        facts.append(f"Older names: {', '.join(p['aliases'])}.")
    name = p["name"] if indent else parameter_name(p["name"])
    lines = [f"{indent}{name} : {_type_text(p)}, default {p['default']!r}"]
    lines.append(_wrapped(" ".join(fact for fact in facts if fact), indent + "    "))
    lines += [_parameter_text(field, indent + "    ") for field in p["fields"]]
    return "\n".join(lines)


def _port_text(name, port):
    kind = _OUTPUT_CLASSES[port["type"]].__name__ + (", optional" if port["optional"] else "")
    return f"{'*' if port['repeats'] else ''}{name} : {kind}\n{_wrapped(port['help'] or port['label'], '    ')}"


def docstring(op):
    """The help text of an operator's function, in numpy style."""
    parts = [_wrapped(op["summary"].rstrip(".") + ".")]
    if op["help"]:
        parts.append(_wrapped(op["help"]))
    arguments = [_port_text(name, port) for name, port, _ in input_arguments(op)]
    arguments += [_parameter_text(p) for p in op["parameters"]]
    arguments += [f"{name} : default {default!r}\n{_wrapped(text, '    ')}" for name, default, text in EXTRA_ARGUMENTS]
    parts.append("Parameters\n----------\n" + "\n".join(arguments))
    if op["outputs"]:
        results = [_port_text(python_name(port["name"]), port) for port in op["outputs"]]
    else:
        results = ["dict\n    The figures of the report."]
    parts.append("Returns\n-------\n" + "\n".join(results))
    return "\n\n".join(parts) + "\n"


def outputs_class_name(op):
    """Name of the tuple that an operator with several outputs returns."""
    return "".join(word.capitalize() for word in re.split(r"\W|_", op["id"])) + "Outputs"


class Catalogue:
    """Every operator by its id, with what Python needs to call it."""

    def __init__(self, taken):
        self.operators = {op["id"]: op for op in _hackle.describe_operators()}
        self.nullable = {
            id: {p["name"] for p in op["parameters"] if p["optional"] and p["default"] is not None}
            for id, op in self.operators.items()
        }
        self.outputs_classes = {}
        for id, op in self.operators.items():
            if len(op["outputs"]) > 1:
                fields = [python_name(port["name"]) for port in op["outputs"]]
                self.outputs_classes[id] = namedtuple(outputs_class_name(op), fields, module="hackle")
        self.functions = {}
        for op in self.operators.values():
            function = self._function(op, python_name(op["id"], taken))
            self.functions[function.__name__] = function

    def run(self, id, inputs, params, threads, progress, report, memo, outputs, stack_level):
        """Runs an operator and shapes what it gives. Parameters that are None keep their defaults, save those
        for which None is a value of its own."""
        given = {name: value for name, value in params.items() if value is not None or name in self.nullable.get(id, ())}
        made, filled = _hackle.run(id, inputs, given, threads, progress, memo, outputs, stack_level + 1)
        if report is not None:
            report.clear()
            report.update(filled)
        if not made:
            return filled["result"]
        return made[0] if len(made) == 1 else self.outputs_classes[id](*made)

    def _function(self, op, name):
        positional = op["positional"]
        keywords = {parameter_name(p["name"]): p["name"] for p in op["parameters"]}
        by_keyword = {name: i for i, (name, _, allowed) in enumerate(input_arguments(op)) if allowed}

        def function(*inputs, threads=0, progress=None, report=None, memo=None, outputs=None, **params):
            items = list(inputs)
            given = {positional: items.pop(0)} if positional and items else {}
            for key, value in params.items():
                place = by_keyword.get(key)
                if keywords.get(key, key) in given or (place is not None and place < len(items)):
                    raise TypeError(f"{name}() got multiple values for argument '{key}'")
                if place is None:
                    given[keywords.get(key, key)] = value
                    continue
                items += [None] * (place + 1 - len(items))
                items[place] = value
            return self.run(op["id"], items, given, threads, progress, report, memo, outputs, stack_level=2)

        function.__name__ = function.__qualname__ = name
        function.__module__ = "hackle"
        function.__doc__ = docstring(op)
        function.__signature__ = signature(op)
        function.operator = op["id"]
        return function
