"""Breaks real and bad meshes by CVD: cvd_meshes.py FOLDER... [--record]

Every mesh is hit on its top and broken into 20 and 100 cells. It is refused with a reason, or its pieces must be closed and
2-manifold, and their volumes must add up to that of the solid.
"""
import sys
import time

import hackle
import numpy
from breaking import faults, first_line, keep_table, mesh_files, tolerance_of

CELLS = (20, 100)


def top_of(geometry):
    points = geometry.points[geometry.vertex_points]
    points = points[numpy.isfinite(points).all(axis=1)]
    return points[points[:, 1].argmax()] if len(points) else (0.0, 0.0, 0.0)


def break_by_cvd(geometry, count, tolerance):
    """Report of the result, seconds, why it was refused, and what is wrong with it."""
    report = {}
    at = [float(c) for c in top_of(geometry)]
    start = time.perf_counter()
    try:
        hackle.cvd(geometry, impact=[{"at": at, "dir": [0, -1, 0], "impulse": 1.0}], pieces=count, cells=16, report=report)
    except (hackle.InputError, hackle.FileError) as error:
        return None, time.perf_counter() - start, first_line(error), ""
    except hackle.Error as error:
        return None, time.perf_counter() - start, "", first_line(error)
    seconds = time.perf_counter() - start
    return report["result"], seconds, "", faults(report["result"], tolerance)


def main(folders, record):
    rows, passed, failed, refused = [], 0, 0, 0
    for path in mesh_files(folders):
        try:
            geometry = hackle.read(path)
        except hackle.Error as error:
            refused += 1
            reason = first_line(error).replace(str(path), path.name)
            rows.append((path.name, None, None, None, None, None, None, None, reason, ""))
            continue
        if hackle.info(geometry)["points"] == 0:
            continue
        for count in CELLS:
            result, seconds, reason, wrong = break_by_cvd(geometry, count, tolerance_of(geometry))
            refused += bool(reason)
            failed += bool(wrong)
            passed += not reason and not wrong
            figures = [result[k] if result else None for k in ("tetrahedra", "dimensions", "pieces", "moved_nodes", "volume_error")]
            rows.append((path.name, count, *figures, seconds, reason, wrong))
            print(f"{path.name:40} {count:4} cells {figures[2] or '-':>5} pieces {seconds:7.2f} s  {wrong or reason}", flush=True)
            if reason:
                break
    if record:
        columns = ("mesh", "cells", "tetrahedra", "dimensions", "pieces", "moved_nodes", "volume_error", "seconds", "refused", "problem")
        keep_table("validate_cvd.tsv", columns, rows)
    print(f"{passed} passed, {failed} failed, {refused} refused with a reason")
    return 1 if failed else 0


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    sys.exit(main(arguments, "--record" in sys.argv))
