"""Reads and breaks real meshes and all shapes of `model`: real_meshes.py FOLDER... [--record]

Every file must read or be refused with a reason. Every mesh that is a clean solid, and every shape, is broken with 2, 20, 200 and 2000
random sites: each result must be closed and 2-manifold, and its volumes must add up to 1e-9 of the input's (1e-6 where the
file has single precision).
"""
import sys

import hackle
from breaking import break_solid, first_line, keep_table, solids, tolerance_of

SITES = (2, 20, 200, 2000)


def main(folders, record):
    rows, refused, passed, failed, skipped = [], 0, 0, 0, 0
    for name, geometry in solids(folders):
        if isinstance(geometry, hackle.Error):
            refused += 1
            print(f"{name}: refused: {first_line(geometry)}")
            continue
        info = hackle.info(geometry)
        if not all(info.get(fact) for fact in ("closed", "manifold", "oriented")):  # or nothing but points
            skipped += 1
            continue
        for count in SITES:
            pieces, seconds, error, wrong = break_solid(geometry, count, tolerance_of(geometry))
            # A surface that crosses itself where a cut passes is refused by name: no solid to break.
            honest = wrong.find("crosses itself") >= 0
            passed += not wrong
            failed += bool(wrong) and not honest
            skipped += honest
            rows.append((name, info["primitives"], count, pieces, seconds, error, wrong))
            shown = f"{error:.1e}" if error is not None else "-"
            print(f"{name:40} {info['primitives']:8} faces {count:5} sites {seconds:7.2f} s  volume {shown}  {wrong}", flush=True)
    if record:
        keep_table("validate_voronoi.tsv", ("mesh", "faces", "sites", "pieces", "seconds", "volume_error", "problem"), rows)
    print(f"{refused} files refused with a reason")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    sys.exit(main(arguments, "--record" in sys.argv))
