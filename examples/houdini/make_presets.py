"""Saves presets of Hackle's nodes where Houdini's preset menu finds them, with Houdini's own command.

    hython examples/houdini/make_presets.py [FOLDER]     FOLDER is one of HOUDINI_PATH; the package itself if left away

Called by ./run houdini. Presets are parameters only: they fit every model. From Houdini 20.5 on they are also saved as recipes,
which that version shows in the menu of a node's presets and lets users edit: FOLDER/otls/hackle_recipes.hda.
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


def recipe_name(kind, name):
    """hackle::cvd::1.0 and Even Pieces: hackle::cvd_even_pieces::1.0."""
    space, operator, version = kind.split("::")
    return f"{space}::{operator}_{name.lower().replace(' ', '_')}::{version}"


def save_recipe(node, kind, name, folder):
    """False before Houdini 20.5."""
    keep = getattr(getattr(hou, "data", None), "saveNodePresetRecipe", None)
    if keep is None:
        return False
    library = os.path.join(folder, "otls", "hackle_recipes.hda")
    os.makedirs(os.path.dirname(library), exist_ok=True)
    keep(recipe_name(kind, name), name, library, node, nodetype_patterns=f"Sop/{kind}", submenu="Hackle")
    return True


def save(place, kind, name, values, records, folder):
    node = place.createNode(kind)
    networks.set_parameters(node, values)
    for field, rows in records.items():
        networks.set_records(node, field, rows)
    _, error = hou.hscript(f'oppresetsave {node.path()} "{name}" {folder}')
    if error:
        raise hou.OperationFailed(f"oppresetsave {kind} {name}: {error.strip()}")
    return save_recipe(node, kind, name, folder)


def main(folder=None):
    folder = folder or os.environ["HACKLE"]
    place = hou.node("/obj").createNode("geo", "presets")
    saved = []  # (type, name, also as a recipe)
    for operator, name, values, records in PRESETS:
        for kind in kinds(operator):
            saved.append((kind, name, save(place, kind, name, values, records, folder)))
    return saved


if __name__ == "__main__":
    made = main(*sys.argv[1:2])
    print(f"{len(made)} presets, {sum(recipe for _, _, recipe in made)} recipes")
