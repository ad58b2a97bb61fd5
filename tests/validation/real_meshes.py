"""Reads, converts and breaks real meshes: real_meshes.py FOLDER... [--record]

Every file must read or be refused with a reason. Every mesh that is a clean solid is broken with 2, 20, 200 and 2000
random sites: each result must be closed and 2-manifold, and its volumes must add up to 1e-9 of the input's (1e-6 where the
file has single precision).
"""
import pathlib
import sys
import time
import warnings

import hackle

SITES = (2, 20, 200, 2000)
warnings.simplefilter("ignore", hackle.Warning)


def break_solid(solid, count, tolerance):
    """One row of the table: pieces, seconds, volume error, and what is wrong, if anything."""
    report = {}
    start = time.perf_counter()
    try:
        hackle.voronoi(solid, pieces=count, seed=1, report=report)
    except hackle.Error as error:
        return None, time.perf_counter() - start, None, str(error).splitlines()[0]
    seconds = time.perf_counter() - start
    result = report["result"]
    wrong = []
    if not result["closed"]:
        wrong.append("not closed")
    if not result["manifold"]:
        wrong.append("not manifold")
    if result["volume_error"] > tolerance:
        wrong.append(f"volume error {result['volume_error']:.2e}")
    return result["pieces"], seconds, result["volume_error"], ", ".join(wrong)


def main(folders, record):
    rows, refused, passed, failed, skipped = [], 0, 0, 0, 0
    files = sorted(p for folder in folders for p in pathlib.Path(folder).rglob("*") if p.is_file())
    for path in files:
        if path.suffix.lower() not in {".obj", ".off", ".ply", ".stl", ".mesh", ".nodes"}:
            continue
        try:
            geometry = hackle.read(path)
        except hackle.Error as error:
            refused += 1
            print(f"{path.name}: refused: {str(error).splitlines()[0]}")
            continue
        info = hackle.info(geometry)
        if not (info["closed"] and info["manifold"] and info["oriented"]) or "polygon" not in info["primitive_types"]:
            skipped += 1
            continue
        tolerance = 1e-6 if info["position_storage"] == "float32" else 1e-9
        for count in SITES:
            pieces, seconds, error, wrong = break_solid(geometry, count, tolerance)
            # A surface that crosses itself where a cut passes is refused by name: no solid to break.
            honest = wrong.find("crosses itself") >= 0
            passed += not wrong
            failed += bool(wrong) and not honest
            skipped += honest
            rows.append((path.name, info["primitives"], count, pieces, seconds, error, wrong))
            shown = f"{error:.1e}" if error is not None else "-"
            print(f"{path.name:40} {info['primitives']:8} faces {count:5} sites {seconds:7.2f} s  volume {shown}  {wrong}", flush=True)
    if record:
        out = pathlib.Path("docs/figures/validate_voronoi.tsv")
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("w") as table:
            table.write("# ./run validate --record\nmesh\tfaces\tsites\tpieces\tseconds\tvolume_error\tproblem\n")
            for name, faces, count, pieces, seconds, error, wrong in rows:
                table.write(f"{name}\t{faces}\t{count}\t{pieces}\t{seconds:.2f}\t{error}\t{wrong}\n")
        print(f"kept in {out}")
    print(f"{refused} files refused with a reason")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--record"]
    sys.exit(main(arguments, "--record" in sys.argv))
