"""Cracks through real meshes and all shapes of `model`: crack_meshes.py FOLDER... [--record]

Each solid is held at one end of its longest axis and pulled at the other, three times as hard as it takes to start a crack: once of
uniform material, once with grains at twice the resolution by the hybrid method. Pieces must be closed and 2-manifold, and their volumes
must add up to 1e-9 of the solid's (1e-6 where the file has single precision). A mesh may be refused with a reason.
"""
import sys
import time

import hackle
from breaking import check_solids, faults, tolerance_of

PULL = 3.0  # of what starts a crack
KINDS = (
    {"cracks": 6},
    {"cracks": 6, "toughness_pattern": "grains", "ratio": 20, "method": "hybrid", "hybrid_elements": 1000},
)


def conditions(geometry, traction):
    """A tenth of the longest axis held at its lower end, a tenth pulled at the other."""
    bounds = hackle.info(geometry)["bounds"]
    low, high = bounds["min"], bounds["max"]
    axis = max(range(3), key=lambda k: high[k] - low[k])
    tenth = 0.1 * (high[axis] - low[axis])
    lower, upper, pull = [1e30] * 3, [-1e30] * 3, [0.0] * 3
    lower[axis], upper[axis], pull[axis] = low[axis] + tenth, high[axis] - tenth, traction
    return [{"high": lower}, {"kind": "traction", "traction": pull, "low": upper}]


def break_mesh(geometry):
    """Pieces by kind; seconds; what is wrong."""
    report = {}
    hackle.crack(geometry, condition=conditions(geometry, 1e6), preset="pmma", cracks=0, steps=1, loading="sudden", report=report)
    stress = max(step["stress_ratio"] for step in report["result"]["steps"])
    pieces, wrong = [], []
    start = time.perf_counter()
    for kind in KINDS:
        report = {}
        hackle.crack(geometry, condition=conditions(geometry, PULL * 1e6 / stress), preset="pmma", loading="sudden", steps=20, report=report, **kind)
        pieces.append(report["result"]["pieces"])
        wrong.append(faults(report["result"], tolerance_of(geometry)))
    return ("/".join(map(str, pieces)),), time.perf_counter() - start, ", ".join(filter(None, wrong))


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    refusals = (hackle.InputError, hackle.UsageError)  # the ends may have no face of the coarse mesh
    sys.exit(check_solids(arguments, break_mesh, "validate_crack_meshes.tsv", ("pieces",), "--record" in sys.argv, refusals))
