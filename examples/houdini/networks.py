"""Networks of Hackle nodes in /obj, the same as the scripts in examples/ make on the command line.

    hython examples/houdini/networks.py FOLDER [NAME...]     writes NAME.bgeo.sc for all or some, and networks.hip
"""

import os
import sys
from typing import NamedTuple

import hou


class Network(NamedTuple):
    """model -> [basis ->] operator -> explode"""

    name: str
    operator: str
    model: dict
    parameters: dict  # of the operator
    records: dict = {}  # its lists, such as impacts
    apart: float = 0.3  # how far pieces move apart; 0 for what stays whole
    basis: dict = {}  # parameters of hackle::modes, if the operator breaks by its modes
    stream: str = ""  # output of the operator, if not the first


PMMA = {"young": 3.1e9, "poisson": 0.327, "density": 1200, "strength": 76e6, "toughness": 1e6, "compression_ratio": 2}

NETWORKS = [
    # examples/voronoi.sh
    Network("figure", "voronoi", {"shape": "figure", "size": 1}, {"pieces": 80, "relaxation": 4}),
    Network("goblet", "voronoi", {"shape": "goblet", "size": 1}, {"pieces": 60},
            {"cluster": [{"at": (0.2, 0.9, 0.0), "radius": 0.12}]}),
    Network("column", "voronoi", {"shape": "column", "size": 1},
            {"pieces": 9, "detail_size": 0.004, "detail_amount": 0.03, "detail_scale": 0.06}, apart=0.5),
    Network("knot", "voronoi", {"shape": "knot", "size": 1},
            {"pieces": 12, "levels": 2, "level_pieces": 6, "min_volume": 0.002}, apart=0.25),
    Network("gear", "voronoi", {"shape": "gear", "size": 1}, {"pieces": 70, "stretch": (1, 1, 3), "seed": 4},
            apart=0.35),
    # examples/recipes.sh
    Network("recipe_stone", "voronoi", {"shape": "box", "size": 1, "proportions": (1, 0.8, 0.14), "resolution": 8},
            {"recipe": "stone", "seed": 3}, {"cluster": [{"at": (0.15, 0.5, 0.07), "radius": 0.12}]}, apart=0.12),
    # examples/modes.sh
    Network("modes", "modes_impact", {"shape": "figure", "size": 1},
            {"preset": "plaster", "at": (0.12, 0.65, 0), "dir": (-1, 0, 0), "impulse": 25}, apart=0.25,
            basis={"modes": 20, "preset": "plaster"}),
    # examples/cvd.sh
    Network("cvd_figure", "cvd", {"shape": "figure", "size": 1},
            {"preset": "ceramic", "cells": 32, "pieces_by": "threshold", "gamma": 0.01},
            {"impact": [{"at": (0, 1, 0), "dir": (0, -1, 0), "impulse": 40}]}, apart=0.25),
    Network("cvd_wall", "cvd", {"shape": "box", "size": 1, "proportions": (1, 1, 0.12), "centre": True},
            {"preset": "concrete", "cells": 32, "pieces": 60, "granularity": 0.5},
            {"impact": [{"at": (0.1, 0.1, 0.06), "dir": (0, 0, -1), "impulse": 60, "mass": 5, "radius": 0.1}]},
            apart=0.25),
    # examples/impact.sh
    Network("impact_figure", "impact", {"shape": "figure", "size": 1}, {"preset": "plaster", "elements": 5000},
            {"impact": [{"at": (0.12, 0.65, 0), "dir": (-1, 0, 0), "impulse": 6, "mass": 0.5, "radius": 0.02}]},
            apart=0.25),
    # examples/stress.sh
    Network("stress_bar", "stress", {"shape": "notched_bar", "resolution": 15}, {"preset": "glass", "triangles": 4000},
            {"condition": [{"kind": "displacement", "group": "support_left"},
                           {"kind": "displacement", "axes": "yz", "group": "support_right"},
                           {"kind": "force", "force": (0, -2000, 0), "group": "load"}]}, apart=0, stream="deformed"),
    # examples/crack.sh
    Network("crack_penny", "crack", {"shape": "box", "size": 1, "resolution": 4, "centre": True},
            {**PMMA, "coarse": 0.05, "ratio": 16.7, "steps": 20, "cracks": 0, "min_volume": 1e-4, "loading": "sudden"},
            {"initial": [{"at": (0, 0, 0), "normal": (1, 1, 0), "radius": 0.2}],
             "condition": [{"group": "bottom"}, {"group": "top", "kind": "traction", "traction": (0, 5e6, 0)}]},
            apart=0.6),
]


def set_parameters(node, values, suffix="", prefix=""):
    """Numbers, texts and vectors by the names of the table. What may stay unset has a switch, which goes on."""
    for name, value in values.items():
        if isinstance(value, (tuple, list)):
            node.parmTuple(prefix + name + suffix).set(value)
        else:
            node.parm(prefix + name + suffix).set(value)
        switch = node.parm(f"{prefix}use_{name}{suffix}")
        if switch is not None:
            switch.set(1)


def set_records(node, name, records):
    """A list of records is a multiparm: its count, then fields with the number of the record."""
    node.parm(name).set(len(records))
    for number, record in enumerate(records, start=1):
        set_parameters(node, record, suffix=str(number), prefix=f"{name}_")


def build(network):
    """The nodes in a geometry object of their own; returns (operator, explode), the same twice where nothing breaks."""
    place = hou.node("/obj").createNode("geo", network.name)
    last = place.createNode("hackle::model", "model")
    set_parameters(last, network.model)
    if network.basis:
        basis = place.createNode("hackle::modes", "basis")
        basis.setInput(0, last)
        set_parameters(basis, {**network.basis, "hackle_stream": "modes"})
        last = basis
    fracture = place.createNode(f"hackle::{network.operator}", "fracture")
    fracture.setInput(0, last)
    set_parameters(fracture, network.parameters)
    for name, records in network.records.items():
        set_records(fracture, name, records)
    if network.stream:
        fracture.parm("hackle_stream").set(network.stream)
    last = fracture
    if network.apart:
        last = place.createNode("hackle::explode", "apart")
        last.setInput(0, fracture)
        last.parm("amount").set(network.apart)
    last.setDisplayFlag(True)
    place.layoutChildren()
    return fracture, last


def cook(node):
    """Cooks, and stops at the first error with what the node says."""
    try:
        node.cook(force=True)
    except hou.OperationFailed as failure:
        raise RuntimeError(f"{node.path()}: {'; '.join(node.errors())}") from failure
    return node.geometry()


def main(folder, names=()):
    files = []
    for network in NETWORKS:
        if names and network.name not in names:
            continue
        fracture, apart = build(network)
        for node, suffix in ((fracture, ""), (apart, "_apart")):
            if node is apart and apart is fracture and suffix:
                continue
            files.append(os.path.join(folder, f"{network.name}{suffix}.bgeo.sc"))
            cook(node).saveToFile(files[-1])
    hou.hipFile.save(os.path.join(folder, "networks.hip"))
    return files


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
