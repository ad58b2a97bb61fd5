"""Breaks real meshes by impacts: impact_meshes.py FOLDER... [--record]

Every mesh is hit from three sides, by an impulse that goes with its mass. It is refused with a reason, or its pieces must be closed and
2-manifold, their volumes must add up, the energy of cracks must not exceed what was there, and a second run must give the same points.
"""
import sys
import time

import hackle
import numpy
from breaking import check_solids, faults, tolerance_of

DIRECTIONS = ((0, -1, 0), (-1, 0, 0), (0, 0, -1))


def farthest(points, direction):
    return [float(c) for c in points[(points @ -numpy.array(direction, float)).argmax()]]


def work(geometry):
    points = geometry.points[geometry.vertex_points]
    measured = {}
    hackle.measure(geometry, report=measured)
    volume = measured["result"]["volume"]["total"]
    wrong, pieces, start = [], [], time.perf_counter()
    for direction in DIRECTIONS:
        # Thrown against a wall at 20 m/s, in plaster of 1100 kg/m^3.
        impact = {"at": farthest(points, direction), "dir": list(direction), "impulse": 2 * 20 * 1100 * abs(volume)}
        runs = []
        for _ in range(2):
            report = {}
            broken = hackle.impact(geometry, impact=[impact], preset="plaster", elements=4000, modes=50, report=report)
            runs.append(broken.geometry.points)
        result = report["result"]
        pieces.append(result["pieces"])
        wrong.append(faults(result, tolerance_of(geometry)))
        if result.get("energy_least_left", 0) < 0 or result.get("crack_energy", 0) > result.get("energy_available", 0):
            wrong.append("energy is overdrawn")
        if not numpy.array_equal(runs[0], runs[1]):
            wrong.append("two runs differ")
    return pieces, time.perf_counter() - start, ", ".join(w for w in wrong if w)


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    columns = ("pieces_top", "pieces_right", "pieces_front")
    sys.exit(check_solids(arguments, work, "validate_impact.tsv", columns, "--record" in sys.argv))
