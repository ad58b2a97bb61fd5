"""What the checks on real meshes share: finding files, breaking a solid, keeping a table."""
import pathlib
import time
import warnings

import hackle

warnings.simplefilter("ignore", hackle.Warning)

SUFFIXES = {".obj", ".off", ".ply", ".stl", ".mesh", ".nodes"}


def mesh_files(folders):
    files = (p for folder in folders for p in pathlib.Path(folder).rglob("*"))
    return sorted(p for p in files if p.is_file() and p.suffix.lower() in SUFFIXES)


def first_line(error):
    return error.message.splitlines()[0]


def tolerance_of(geometry):
    """Of volumes, by the precision of the file."""
    return 1e-6 if hackle.info(geometry)["position_storage"] == "float32" else 1e-9


def solids(folders):
    """All shapes of `model` and all files, by name; a refused file comes with its error."""
    (shape,) = (p for p in hackle.describe("model")["parameters"] if p["name"] == "shape")
    for token, _ in shape["menu"]:
        yield f"model {token}", hackle.model(shape=token)
    for path in mesh_files(folders):
        try:
            yield path.name, hackle.read(path)
        except hackle.Error as error:
            yield path.name, error


def faults(result, tolerance):
    """What is wrong with the pieces that a report tells of; empty if nothing is."""
    wrong = [f"not {fact}" for fact in ("closed", "manifold") if not result[fact]]
    if result["volume_error"] > tolerance:
        wrong.append(f"volume error {result['volume_error']:.2e}")
    return ", ".join(wrong)


def break_solid(solid, count, tolerance):
    """Pieces, seconds, volume error, and what is wrong, if anything."""
    report = {}
    start = time.perf_counter()
    try:
        hackle.voronoi(solid, pieces=count, seed=1, report=report)
    except hackle.Error as error:
        return None, time.perf_counter() - start, None, first_line(error)
    seconds = time.perf_counter() - start
    result = report["result"]
    return result["pieces"], seconds, result["volume_error"], faults(result, tolerance)


def keep_table(name, columns, rows):
    """Writes docs/figures/NAME; numbers of seconds with two digits."""
    out = pathlib.Path("docs/figures") / name
    out.parent.mkdir(parents=True, exist_ok=True)
    with out.open("w") as table:
        table.write("# ./run validate --record\n" + "\t".join(columns) + "\n")
        for row in rows:
            cells = (f"{v:.2f}" if c == "seconds" and v is not None else str(v) for c, v in zip(columns, row))
            table.write("\t".join(cells) + "\n")
    print(f"kept in {out}")


def check_solids(folders, work, table, columns, record, refusals=(hackle.InputError,)):
    """Calls work(geometry) on all solids: cells of a row, seconds, what is wrong. With `record` the table is kept, with `columns` for the
    cells. The exit code: 1 if something is wrong; a refusal with a reason is not."""
    rows, passed, failed, refused = [], 0, 0, 0
    for name, geometry in solids(folders):
        if isinstance(geometry, hackle.Error):
            continue  # real_meshes.py looks at these
        faces = hackle.info(geometry)["primitives"]
        try:
            cells, seconds, wrong = work(geometry)
        except refusals as error:
            refused += 1
            rows.append((name, faces, *["-"] * len(columns), None, "refused: " + first_line(error)))
            print(f"{name:40} refused: {first_line(error)}", flush=True)
            continue
        passed += not wrong
        failed += bool(wrong)
        rows.append((name, faces, *cells, seconds, wrong))
        text = ", ".join(f"{cell} {column}" for cell, column in zip(cells, columns))
        print(f"{name:40} {faces:8} faces: {text}, {seconds:.1f} s  {wrong}", flush=True)
    if record:
        keep_table(table, ("mesh", "faces", *columns, "seconds", "problem"), rows)
    print(f"{passed} passed, {failed} failed, {refused} refused with a reason")
    return 1 if failed else 0
