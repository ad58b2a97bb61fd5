"""Breaks real meshes by impacts: impact_meshes.py FOLDER... [--record]

Every mesh is hit from three sides, by an impulse that goes with its mass. It is refused with a reason, or its pieces must be closed and
2-manifold, their volumes must add up, the energy of cracks must not exceed what was there, and a second run must give the same points,
also without the file of vibrations.
"""
import sys
import time

import hackle
import numpy
from breaking import check_solids, faults, tolerance_of

DIRECTIONS = ((0, -1, 0), (-1, 0, 0), (0, 0, -1))
LATTICE = {"elements": 2500, "modes": 40}


def farthest(points, direction):
    return [float(c) for c in points[(points @ -numpy.array(direction, float)).argmax()]]


def work(geometry):
    points = geometry.points[geometry.vertex_points]
    measured = {}
    hackle.measure(geometry, report=measured)
    volume = measured["result"]["volume"]["total"]
    wrong, pieces, start = [], [], time.perf_counter()
    vibrations = hackle.impact_prepare(geometry, preset="plaster", **LATTICE).vibrations
    for direction in DIRECTIONS:
        # Thrown against a wall at 20 m/s, in plaster of 1100 kg/m^3.
        impact = {"at": farthest(points, direction), "dir": list(direction), "impulse": 2 * 20 * 1100 * abs(volume)}
        report = {}
        broken = hackle.impact(geometry, vibrations=vibrations, impact=[impact], preset="plaster", report=report, **LATTICE)
        # Once more; for the first direction without the file.
        kept = {} if direction == DIRECTIONS[0] else {"vibrations": vibrations}
        again = hackle.impact(geometry, impact=[impact], preset="plaster", **kept, **LATTICE)
        result = report["result"]
        pieces.append(result["pieces"])
        wrong.append(faults(result, tolerance_of(geometry)))
        if result.get("energy_least_left", 0) < 0 or result.get("crack_energy", 0) > result.get("energy_available", 0):
            wrong.append("energy is overdrawn")
        if not numpy.array_equal(broken.geometry.points, again.geometry.points):
            wrong.append("two runs differ")
    return pieces, time.perf_counter() - start, ", ".join(w for w in wrong if w)


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    columns = ("pieces_top", "pieces_right", "pieces_front")
    sys.exit(check_solids(arguments, work, "validate_impact.tsv", columns, "--record" in sys.argv))
