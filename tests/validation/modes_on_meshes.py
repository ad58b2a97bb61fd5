"""Fracture modes of real meshes and all shapes of `model`, and impacts on them: modes_on_meshes.py FOLDER... [--record]

Each mesh gets eight modes in a cage of about 3000 elements. All pieces of the modes, and the pieces of three impacts of rising strength,
must be closed and 2-manifold, their volumes must add up to 1e-9 of the solid's (1e-6 where the file has single precision), and
their number must not fall with the impulse. A mesh may be refused with a reason (parts that do not touch, nothing to close).
"""
import sys
import time

import hackle
from breaking import check_solids, faults, tolerance_of

IMPULSES = (0.3, 3.0, 300.0)  # m/s times the mass


def break_mesh(geometry):
    """Elements, parts, pieces by impulse; seconds; what is wrong."""
    start = time.perf_counter()
    report = {}
    modes = hackle.modes(geometry, modes=8, elements=3000, report=report).modes
    result, tolerance = report["result"], tolerance_of(geometry)
    seconds = time.perf_counter() - start
    wrong = [faults(result, tolerance)]
    low, high = hackle.info(geometry)["bounds"]["min"], hackle.info(geometry)["bounds"]["max"]
    at = [high[0], 0.5 * (low[1] + high[1]), 0.5 * (low[2] + high[2])]
    counts = []
    for speed in IMPULSES:
        hit = {}
        hackle.modes_impact(modes, at=at, dir=[-1, 0.2, 0.1], impulse=speed * result["mass"], threshold=0.5, report=hit)
        counts.append(hit["result"]["pieces"])
        wrong.append(faults(hit["result"], tolerance))
    if counts != sorted(counts):
        wrong.append(f"pieces fall with the impulse: {counts}")
    cells = result["elements"], result["pieces"], "/".join(map(str, counts))
    return cells, seconds, ", ".join(filter(None, wrong))


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    sys.exit(check_solids(arguments, break_mesh, "validate_modes.tsv", ("elements", "parts", "struck"), "--record" in sys.argv))
