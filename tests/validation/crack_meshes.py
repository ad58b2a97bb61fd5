"""Cracks through real meshes and all shapes of `model`: crack_meshes.py FOLDER... [--record]

Each solid is held at one end of its longest axis and pulled at the other, three times as hard as it takes to start a crack: once of
uniform material, once with grains at twice the resolution by the hybrid method. Pieces must be closed and 2-manifold, and their volumes
must add up to 1e-9 of the solid's (1e-6 where the file has single precision). A mesh may be refused with a reason.
"""
import sys
import time

import hackle
from breaking import faults, first_line, keep_table, solids, tolerance_of

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
    """Pieces and seconds by kind, and what is wrong."""
    report = {}
    hackle.crack(geometry, condition=conditions(geometry, 1e6), preset="pmma", cracks=0, steps=1, report=report)
    stress = max(step["stress_ratio"] for step in report["result"]["steps"])
    pieces, seconds, wrong = [], [], []
    for kind in KINDS:
        start = time.perf_counter()
        report = {}
        hackle.crack(geometry, condition=conditions(geometry, PULL * 1e6 / stress), preset="pmma", report=report, **kind)
        seconds.append(time.perf_counter() - start)
        pieces.append(report["result"]["pieces"])
        wrong.append(faults(report["result"], tolerance_of(geometry)))
    return pieces, seconds, ", ".join(filter(None, wrong))


def main(folders, record):
    rows, passed, failed, refused = [], 0, 0, 0
    for name, geometry in solids(folders):
        if isinstance(geometry, hackle.Error):
            continue  # real_meshes.py looks at these
        faces = hackle.info(geometry)["primitives"]
        try:
            pieces, seconds, wrong = break_mesh(geometry)
        except (hackle.InputError, hackle.UsageError) as error:
            refused += 1
            rows.append((name, faces, "-", None, "refused: " + first_line(error)))
            print(f"{name:40} refused: {first_line(error)}", flush=True)
            continue
        passed += not wrong
        failed += bool(wrong)
        rows.append((name, faces, "/".join(map(str, pieces)), sum(seconds), wrong))
        print(f"{name:40} {faces:8} faces, pieces {pieces} {sum(seconds):6.1f} s  {wrong}", flush=True)
    if record:
        keep_table("validate_crack_meshes.tsv", ("mesh", "faces", "pieces", "seconds", "problem"), rows)
    print(f"{passed} passed, {failed} failed, {refused} refused with a reason")
    return 1 if failed else 0


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    sys.exit(main(arguments, "--record" in sys.argv))
