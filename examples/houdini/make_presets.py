"""Saves presets of Hackle's nodes where Houdini's preset menu finds them, with Houdini's own command.

    hython examples/houdini/make_presets.py [FOLDER]     FOLDER is one of HOUDINI_PATH; the package itself if left away

Called by ./run houdini. Presets are parameters only: they fit every model.
"""

import os
import sys

import hou
import networks

# (operator, name in the menu, parameters, records)
PRESETS = [
    ("voronoi", "Rubble", {"pieces": 80, "relaxation": 0}, {}),
    ("voronoi", "Even Pieces", {"pieces": 60, "relaxation": 8}, {}),
    ("voronoi", "Splintered Wood", {"pieces": 70, "stretch": (1, 4, 1)}, {}),
    ("voronoi", "Rough Concrete", {"pieces": 25, "detail_size": 0.01, "detail_amount": 0.03, "detail_scale": 0.06}, {}),
    ("voronoi", "Shattered Twice", {"pieces": 12, "levels": 2, "level_pieces": 6}, {}),
    ("cvd", "Ceramic", {"preset": "ceramic"}, {}),
    ("cvd", "Concrete", {"preset": "concrete", "granularity": 0.5}, {}),
    ("cvd", "Glass", {"preset": "glass"}, {}),
    ("impact", "Plaster", {"preset": "plaster"}, {}),
    ("impact", "Glass", {"preset": "glass"}, {}),
    ("crack", "Glass", {"preset": "glass"}, {}),
    ("crack", "Concrete", {"preset": "concrete"}, {}),
    ("crack", "Plexiglass", networks.PMMA, {}),
]


def kinds(operator):
    """The node, and the asset around it where there is one."""
    known = hou.sopNodeTypeCategory().nodeTypes()
    return [kind for kind in (f"hackle::{operator}::1.0", f"hackle::rbd_{operator}::1.0") if kind in known]


def save(place, kind, name, values, records, folder):
    node = place.createNode(kind)
    networks.set_parameters(node, values)
    for field, rows in records.items():
        networks.set_records(node, field, rows)
    _, error = hou.hscript(f'oppresetsave {node.path()} "{name}" {folder}')
    if error:
        raise hou.OperationFailed(f"oppresetsave {kind} {name}: {error.strip()}")


def main(folder=None):
    folder = folder or os.environ["HACKLE"]
    place = hou.node("/obj").createNode("geo", "presets")
    saved = []
    for operator, name, values, records in PRESETS:
        for kind in kinds(operator):
            save(place, kind, name, values, records, folder)
            saved.append((kind, name))
    return saved


if __name__ == "__main__":
    print(f"{len(main(*sys.argv[1:2]))} presets")
