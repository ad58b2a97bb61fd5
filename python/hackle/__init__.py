"""Hackle: brittle fracture for visual effects.

    import hackle
    geo = hackle.read("statue.bgeo")
    geo.points                       # numpy, without a copy
    help(hackle.convert)             # every operator is a function
    hackle.operators()               # their names

Geometry is SI, Y up; polygons are counter-clockwise seen from outside.
"""

import enum as _enum

from . import _hackle, _operators
from ._errors import Error, FileError, InputError, UsageError, Warning  # noqa: A004
from ._hackle import Blob, Geometry, Image, Memo, __version__, formats, materials, read

for _thing in (Blob, Geometry, Image, Memo, Error, FileError, InputError, UsageError, Warning):
    _thing.__module__ = "hackle"

if hasattr(_hackle, "Simulation"):  # Houdini simulates by itself
    from ._hackle import Simulation

    Simulation.__module__ = "hackle"

PrimitiveType = _enum.IntEnum(
    "PrimitiveType", [(name.upper(), i) for i, name in enumerate(_hackle.PRIMITIVE_TYPES)], module="hackle"
)


def write(item, path, **options):
    """Writes a geometry, an image or a blob to a file; the same as item.save(path)."""
    item.save(path, **options)


def operators():
    """The ids of all operators. For each there is a function of that name."""
    return list(_catalogue.operators)


def describe(id):
    """What the registry knows of an operator, as a dict: label, summary, help, inputs, outputs, parameters."""
    for op in _hackle.describe_operators():
        if op["id"] == id:
            return op
    raise UsageError(f"there is no operator {id}", "hackle.operators() lists them")


def run(id, inputs=(), params=None, *, threads=0, progress=None, report=None, memo=None, outputs=None):
    """Runs any operator by its id, as its function would: inputs in order (None for one that is left out) and a
    dict of parameters by the registry's names."""
    return _catalogue.run(id, list(inputs), params or {}, threads, progress, report, memo, outputs, stack_level=2)


_catalogue = _operators.Catalogue(taken=set(globals()))
globals().update(_catalogue.functions)
globals().update({outputs.__name__: outputs for outputs in _catalogue.outputs_classes.values()})
__all__ = sorted(name for name in globals() if not name.startswith("_"))
