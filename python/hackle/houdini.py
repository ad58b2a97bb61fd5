"""Between hou.Geometry and hackle.Geometry, for hython, Python SOPs and shelf tools.

    import hackle.houdini
    geo = hackle.houdini.from_hou(hou.node("/obj/geo1/box1").geometry())
    pieces = hackle.voronoi(geo, pieces=50).geometry
    hackle.houdini.to_hou(pieces, hou.pwd().geometry())

Both go through Houdini's own .bgeo, so nothing is lost and no element is touched by Python.
"""

import os
import tempfile
from contextlib import contextmanager

from . import Geometry, read

__all__ = ["from_hou", "to_hou", "as_hou"]


@contextmanager
def _passing_file():
    """A name for a file that lives in memory where the machine has such a folder, and is gone afterwards."""
    memory = "/dev/shm"
    parent = memory if os.path.isdir(memory) and os.access(memory, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="hackle_", dir=parent) as folder:
        yield os.path.join(folder, "passing.bgeo")


def from_hou(geometry):
    """The content of a hou.Geometry as a hackle.Geometry. Houdini's clockwise faces become counter-clockwise."""
    with _passing_file() as path:
        geometry.saveToFile(path)
        return read(path)


def to_hou(geometry, target):
    """Replaces the content of a hou.Geometry (of a Python SOP, or a hou.Geometry() of its own); returns it."""
    if not isinstance(geometry, Geometry):
        raise TypeError(f"expected a hackle.Geometry, got {type(geometry).__name__}")
    with _passing_file() as path:
        geometry.save(path)
        target.clear()
        target.loadFromFile(path)
    return target


def as_hou(geometry):
    """A new hou.Geometry with the content of a hackle.Geometry; only inside Houdini or hython."""
    import hou

    return to_hou(geometry, hou.Geometry())
