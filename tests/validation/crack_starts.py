"""Where and at which load the first crack starts, on coarser and finer meshes: crack_starts.py [--record] [--starts] [--triangles N...]

Ten shapes under loads of their own are solved on meshes of 500, 1000, 2000 and 4000 triangles. From 1000 on the factor of the load at
which the first crack starts has to stay within 10 % of that on the finest mesh; on all meshes its place within half the thickness of the
place there or of one that the finest mesh loads alike: places at which it needs at most 5 % more load (both sides of a hole, the legs of a
link, along a notch). The number of parts that come off at the first break has to be the same (in nine shapes of ten); the force of every
condition has to arrive to 1 %. With --rows FILE results are kept there, and those of the same program are not made again: a long table can be
made in several runs. Seconds are CPU seconds. `away` is the distance from the place on the finest mesh over the thickness, `alike` that from the nearest place loaded
alike. With --starts cracks start but do not grow: no parts are counted, in a tenth of the time. Strength is the same everywhere, so that nothing
but the mesh varies.
"""
import argparse
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HACKLE = os.environ.get("HACKLE", "build/bin/hackle")
TRIANGLES = [500, 1000, 2000, 4000]
LOAD, FORCE = 0.10, 0.01  # tolerances


def write_obj(path, points, faces):
    with open(path, "w") as file:
        file.writelines(f"v {x} {y} {z}\n" for x, y, z in points)
        file.writelines("f " + " ".join(str(i + 1) for i in face) + "\n" for face in faces)


def extruded(path, outline, depth):
    """A prism: an outline in x and y, counterclockwise, along z."""
    count = len(outline)
    points = [(x, y, z) for z in (-depth / 2, depth / 2) for x, y in outline]
    sides = [(i, (i + 1) % count, count + (i + 1) % count, count + i) for i in range(count)]
    write_obj(path, points, sides + [tuple(reversed(range(count))), tuple(range(count, 2 * count))])


def plate_with_hole(path, half=0.2, radius=0.05, depth=0.04, count=48):
    """A square plate with a round hole."""
    points = []
    for i in range(count):
        angle = 2 * math.pi * (i + 0.5 * (count % 8 != 0)) / count
        c, s = math.cos(angle), math.sin(angle)
        out = half / max(abs(c), abs(s))
        points += [(r * c, r * s, z) for r in (radius, out) for z in (-depth / 2, depth / 2)]
    faces = []
    for i in range(count):
        a, b = 4 * i, 4 * ((i + 1) % count)  # inner low, inner high, outer low, outer high
        faces += [(a, b, b + 1, a + 1), (a + 2, a + 3, b + 3, b + 2), (a + 1, b + 1, b + 3, a + 3), (a, a + 2, b + 2, b)]
    write_obj(path, points, faces)


def i_beam(path):
    w, h, flange, web = 0.05, 0.05, 0.016, 0.01
    outline = [(-w, -h), (w, -h), (w, -h + flange), (web, -h + flange), (web, h - flange), (w, h - flange),
               (w, h), (-w, h), (-w, h - flange), (-web, h - flange), (-web, -h + flange), (-w, -h + flange)]
    extruded(path, outline, 0.6)


def hammer(path):
    """A handle that goes into a head."""
    outline = [(-0.02, 0), (0.02, 0), (0.02, 0.3), (0.07, 0.3), (0.07, 0.38), (-0.07, 0.38), (-0.07, 0.3), (-0.02, 0.3)]
    extruded(path, outline, 0.04)


def model(shape, *options):
    return lambda path: run("model", shape, *options, "-o", path)


# Shape, material, conditions.
SHAPES = {
    "bar": (model("box", "--size", "1", "--proportions", "1,0.1,0.1", "--resolution", "20", "--centre"), "plaster",
            ["high=-0.49,9,9", "kind=force force=0,-1000,0 low=0.45,-9,-9"]),
    "notched bar": (model("notched_bar", "--size", "0.5", "--resolution", "40"), "plaster",
                    ["group=support_left", "group=support_right axes=y", "group=load kind=force force=0,-2000,0"]),
    "plate with a hole": (plate_with_hole, "plaster", ["high=9,-0.1999,9", "kind=force force=0,20000,0 low=-9,0.1999,-9"]),
    "link": (model("link", "--size", "0.3", "--resolution", "50"), "plaster",
             ["high=9,0.02,9", "kind=force force=0,3000,0 low=-9,0.28,-9"]),
    "column": (model("column", "--size", "1", "--resolution", "50"), "plaster", ["high=9,0.02,9", "kind=force force=3000,0,0 low=-9,0.95,-9"]),
    "figure": (model("figure", "--size", "1"), "plaster", ["high=9,0.05,9", "kind=force force=300,0,0 at=0,1,0 radius=0.15"]),
    "rabbit": (model("bunny", "--size", "0.3", "--resolution", "80"), "plaster",
               ["high=9,0.01,9", "kind=force force=200,0,0 low=-9,0.27,-9"]),
    "goblet": (model("goblet", "--size", "0.2", "--wall", "0.1", "--resolution", "60"), "glass",
               ["high=9,0.004,9", "kind=force force=200,0,0 low=-9,0.19,-9"]),
    "I-beam": (i_beam, "plaster", ["high=9,9,-0.2999", "kind=force force=0,-3000,0 low=-9,-9,0.27"]),
    "hammer": (hammer, "plaster", ["low=-9,0.3001,-9", "kind=force force=300,0,0 high=9,0.03,9"]),
}


def run(*words):
    subprocess.run([HACKLE, *map(str, words), "--quiet"], check=True, stderr=subprocess.DEVNULL)


def checksum():
    """Of the program and its library."""
    files = [HACKLE, *re.findall(r"=> (\S*libhackle\S*)", subprocess.run(["ldd", HACKLE], capture_output=True, text=True).stdout)]
    return hashlib.sha256(b"".join(pathlib.Path(f).read_bytes() for f in files)).hexdigest()


def cpu_seconds():
    """Of programs that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def start_of(solid, preset, conditions, triangles, starts_only, folder):
    """What the run reports."""
    words = ["crack", solid, "--preset", preset, "--triangles", triangles, "--strength-modulus", 0, "--load-end", "breaking", "--no-output-cracks"]
    if starts_only:
        words += ["--steps", 1]
    for condition in conditions:
        words += ["--condition", *condition.split()]
    run(*words, "-o", folder / "pieces.bgeo", "--json", folder / "report.json")
    return json.loads((folder / "report.json").read_text())["result"]


def row_of(result, seconds):
    load = result["load"][0]
    loads = [c for c in result["conditions"] if "asked" in c]
    missing = max(math.dist(c["force"], c["asked"]) / math.hypot(*c["asked"]) for c in loads)
    return {"solved": result["elements_before"], "factor": load.get("first_start"), "place": load.get("first_place"),
            "places": load.get("first_alike", []), "thickness": load.get("first_thickness", 0.0),
            "parts": len(load["breaks"]) + 1, "missing": missing, "seconds": seconds}


def judge(rows):
    """Adds what is wrong to the rows of one shape, against the finest."""
    finest = rows[-1]
    for row in rows:
        wrong = []
        if row["factor"] is None:
            wrong.append("no start")
        else:
            row["off"] = row["factor"] / finest["factor"] - 1
            row["away"] = math.dist(row["place"], finest["place"]) / finest["thickness"]
            row["alike"] = min(math.dist(row["place"], p) for p in [finest["place"], *finest["places"]]) / finest["thickness"]
            if row["asked"] >= 1000 and abs(row["off"]) > LOAD:
                wrong.append("load")
            if row["alike"] > 0.5:
                wrong.append("place")
        if row["missing"] > FORCE:
            wrong.append("force")
        row["problem"] = ", ".join(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--starts", action="store_true")
    parser.add_argument("--triangles", type=int, nargs="+", default=TRIANGLES)
    parser.add_argument("--shapes", nargs="+", default=list(SHAPES))
    parser.add_argument("--rows", type=pathlib.Path)
    options = parser.parse_args()
    kept = [json.loads(line) for line in options.rows.read_text().splitlines()] if options.rows and options.rows.exists() else []
    program = checksum()
    columns = ["shape", "asked", "solved", "factor", "off", "away", "alike", "parts", "missing", "seconds", "problem"]
    lines, failed, differing = [], 0, 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for shape in options.shapes:
            make, preset, conditions = SHAPES[shape]
            solid = folder / "solid.obj"
            make(solid)
            if make.__name__ == "<lambda>":  # groups of models are in bgeo only
                solid = folder / "solid.bgeo"
                make(solid)
            rows = []
            for triangles in options.triangles:
                key = {"shape": shape, "asked": triangles, "starts": options.starts, "program": program}
                row = next((r["row"] for r in kept if r["key"] == key), None)
                if row is None:
                    begin = cpu_seconds()
                    result = start_of(solid, preset, conditions, triangles, options.starts, folder)
                    row = row_of(result, cpu_seconds() - begin)
                    if options.rows:
                        with open(options.rows, "a") as file:
                            file.write(json.dumps({"key": key, "row": row}) + "\n")
                rows.append({"shape": shape, "asked": triangles, **row})
            judge(rows)
            differing += len({row["parts"] for row in rows}) > 1
            for row in rows:
                failed += bool(row["problem"])
                cells = [f"{row.get(c, ''):.4g}" if isinstance(row.get(c), float) else str(row.get(c, "")) for c in columns]
                print("\t".join(cells), flush=True)
                lines.append("\t".join(cells))
    if options.record:
        words = [f"--triangles {' '.join(map(str, options.triangles))}", "--starts" if options.starts else ""]
        out = pathlib.Path("docs/figures/validate_crack_starts.tsv")
        out.write_text("\n".join(["# tests/validation/crack_starts.py --record " + " ".join(words), "\t".join(columns), *lines]) + "\n")
        print(f"kept in {out}")
    print(f"{failed} rows outside of tolerances, {differing} shapes with different numbers of parts")
    return 1 if failed or differing > 1 else 0


if __name__ == "__main__":
    sys.exit(main())
