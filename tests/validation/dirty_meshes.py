"""Repairs and breaks bad meshes: dirty_meshes.py FOLDER... [--record]

Every mesh is repaired with certainty alone; if that is refused with its holes filled; if that is refused, too, through a
level set; or it is refused with a reason. What comes out is broken into 20 pieces, which must be closed and 2-manifold and
add up to the volume of the repaired solid.
"""
import sys
import time

import hackle
from breaking import break_solid, first_line, keep_table, mesh_files, tolerance_of

ATTEMPTS = (
    ("repaired", {}),
    ("filled", {"fill_holes": 1000, "fill_diameter": 0.5}),
    ("resurfaced", {"resurface": True}),
)
PIECES = 20


def repair(geometry):
    """The solid or None, how it was made, what was done to it, and the first reason to refuse it."""
    reason = ""
    for outcome, parameters in ATTEMPTS:
        report = {}
        try:
            solid = hackle.repair(geometry, report=report, **parameters)
        except hackle.InputError as error:
            reason = reason or first_line(error)
            continue
        steps = ", ".join(f"{s['action']} {s['count']}" for s in report["result"]["steps"])
        return solid, outcome if steps else "clean", steps, reason
    return None, "refused", "", reason


def main(folders, record):
    rows, failed, counts = [], 0, {}
    for path in mesh_files(folders):
        start = time.perf_counter()
        try:
            geometry = hackle.read(path)
            solid, outcome, steps, reason = repair(geometry)
        except hackle.Error as error:
            if not isinstance(error, (hackle.InputError, hackle.FileError)):
                failed += 1
            solid, outcome, steps, reason = None, "refused", "", first_line(error)
        seconds = time.perf_counter() - start
        pieces, error, wrong = None, None, ""
        if solid is not None:
            pieces, _, error, wrong = break_solid(solid, PIECES, tolerance_of(solid))
        failed += bool(wrong)
        counts[outcome] = counts.get(outcome, 0) + 1
        rows.append((path.name, outcome, steps, reason, seconds, pieces, error, wrong))
        shown = f"{error:.1e}" if error is not None else "-"
        print(f"{path.name:40} {outcome:10} {seconds:6.2f} s  {pieces or '-':>4} pieces  volume {shown:8} {wrong or steps or reason}", flush=True)
    if record:
        columns = ("mesh", "outcome", "steps", "refused_before", "seconds", "pieces", "volume_error", "problem")
        keep_table("validate_repair.tsv", columns, rows)
    print(", ".join(f"{n} {outcome}" for outcome, n in sorted(counts.items())))
    print(f"{len(rows) - failed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    sys.exit(main(arguments, "--record" in sys.argv))
