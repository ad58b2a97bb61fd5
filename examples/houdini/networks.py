"""Networks of Hackle nodes in /obj, the same as examples/voronoi.sh makes on the command line.

    hython examples/houdini/networks.py FOLDER      writes NAME.bgeo.sc for each, and networks.hip
"""

import os
import sys

import hou

# Name, shape, how far pieces move apart, parameters of the fracture, clusters of sites.
NETWORKS = [
    ("figure", "figure", 0.3, {"pieces": 80, "relaxation": 4}, []),
    ("goblet", "goblet", 0.3, {"pieces": 60}, [{"at": (0.2, 0.9, 0.0), "radius": 0.12}]),
    ("column", "column", 0.5, {"pieces": 9, "detail_size": 0.004, "detail_amount": 0.03, "detail_scale": 0.06}, []),
    ("knot", "knot", 0.25, {"pieces": 12, "levels": 2, "level_pieces": 6, "min_volume": 0.002}, []),
    ("gear", "gear", 0.35, {"pieces": 70, "stretch": (1, 1, 3), "seed": 4}, []),
]


def set_parameters(node, values):
    """Numbers, texts and vectors by the names of the table."""
    for name, value in values.items():
        if isinstance(value, (tuple, list)):
            node.parmTuple(name).set(value)
        else:
            node.parm(name).set(value)


def set_records(node, name, records):
    """A list of records is a multiparm: its count, then fields with the number of the record."""
    node.parm(name).set(len(records))
    for number, record in enumerate(records, start=1):
        set_parameters(node, {f"{name}_{field}{number}": value for field, value in record.items()})


def build(name, shape, apart, parameters, clusters):
    """model -> voronoi -> explode in a geometry object of its own; returns (fracture, explode)."""
    place = hou.node("/obj").createNode("geo", name)
    model = place.createNode("hackle::model", "model")
    set_parameters(model, {"shape": shape, "size": 1})
    fracture = place.createNode("hackle::voronoi", "fracture")
    fracture.setInput(0, model)
    set_parameters(fracture, parameters)
    set_records(fracture, "cluster", clusters)
    explode = place.createNode("hackle::explode", "apart")
    explode.setInput(0, fracture)
    explode.parm("amount").set(apart)
    explode.setDisplayFlag(True)
    place.layoutChildren()
    return fracture, explode


def cook(node):
    """Cooks, and stops at the first error with what the node says."""
    try:
        node.cook(force=True)
    except hou.OperationFailed as failure:
        raise RuntimeError(f"{node.path()}: {'; '.join(node.errors())}") from failure
    return node.geometry()


def main(folder):
    files = []
    for network in NETWORKS:
        fracture, explode = build(*network)
        for node, suffix in ((fracture, ""), (explode, "_apart")):
            files.append(os.path.join(folder, f"{network[0]}{suffix}.bgeo.sc"))
            cook(node).saveToFile(files[-1])
    hou.hipFile.save(os.path.join(folder, "networks.hip"))
    return files


if __name__ == "__main__":
    main(sys.argv[1])
