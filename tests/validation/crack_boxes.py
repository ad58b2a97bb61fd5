"""Boxes pulled at their ends, chosen by a group, an attribute, a box or a ball: crack_boxes.py [--record]

On meshes of 300, 700 and 2000 triangles, which have far fewer faces than the box given, the intensity of a small round crack across the
pull has to be within 4 % of the exact one, 2 s sqrt(a / pi), and the stress within 1 % of the traction s. The force of each
condition has to arrive to 1 %.
"""
import argparse
import math
import sys

import breaking
import hackle
import numpy

SIZES = [(8, 24, 8), (12, 10, 6), (10, 10, 10)]
TRIANGLES = [300, 700, 2000]
TRACTION = 1e4
INTENSITY, STRESS, FORCE = 0.04, 0.01, 0.01  # tolerances
COLUMNS = ["box", "region", "triangles", "K_of_exact", "stress_least", "stress_greatest", "force_missing", "problem"]


def box(size):
    """With its ends as groups (top, bottom) and as values of the attribute end."""
    solid = hackle.model(shape="box", size=max(size), proportions=size, resolution=24, centre=True)
    ends = 2 * solid.group("top", "primitive").astype(int) + solid.group("bottom", "primitive")
    solid.set_attribute("end", ends.astype(numpy.int32), "primitive")
    return solid


def regions(size):
    """The upper and the lower end, by each way to choose them."""
    half, far = size[1] / 2, 1e5
    rim = (size[0] ** 2 + size[2] ** 2) / 4  # of the end, squared distance from its middle
    depth = far - math.sqrt(far**2 - 1.01 * rim)  # the end is within a ball that is almost flat there
    return {
        "group": [{"group": "top"}, {"group": "bottom"}],
        "attribute": [{"attribute": "end", "match": "2"}, {"attribute": "end", "match": "1"}],
        "box": [{"low": (-99, half - 0.01, -99)}, {"high": (99, 0.01 - half, 99)}],
        "ball": [{"at": (0, s * (half - depth + far), 0), "radius": far} for s in (1, -1)],
    }


def pulled(ends):
    return [{"kind": "traction", "traction": (0, s * TRACTION, 0), **end} for s, end in zip((1, -1), ends)]


def intensity(solid, size, ends, triangles):
    """Over the exact one, and the largest part of a force that does not arrive."""
    radius = 0.1 * min(size)
    report = {}
    elements = hackle.crack(solid, condition=pulled(ends), initial=[{"radius": radius}], coarse=radius / 3, cracks=0, steps=0,
                            triangles=triangles, output_elements=True, outputs=["elements"], report=report).elements
    k = elements.attribute("K1", "point")
    asked = TRACTION * size[0] * size[2]
    missing = max(abs(abs(c["force"][1]) / asked - 1) for c in report["result"]["conditions"])
    return k[k > 0].mean() / (2 * TRACTION * math.sqrt(radius / math.pi)), missing


def stresses(solid, ends, triangles):
    """Least and greatest principal stress along the pull, over the traction."""
    solved = hackle.stress(solid, condition=pulled(ends), triangles=triangles, outputs=["geometry"])
    stress = getattr(solved, "geometry", solved).attribute("principal_stress", "point")[:, 0] / TRACTION
    return stress.min(), stress.max()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    rows = []
    for size in SIZES:
        solid = box(size)
        for way, ends in regions(size).items():
            for triangles in TRIANGLES:
                k, missing = intensity(solid, size, ends, triangles)
                least, greatest = stresses(solid, ends, triangles)
                wrong = [name for name, off, most in [("K", abs(k - 1), INTENSITY), ("force", missing, FORCE),
                                                      ("stress", max(1 - least, greatest - 1), STRESS)] if off > most]
                name = " x ".join(map(str, size))
                rows.append((name, way, triangles, f"{k:.4f}", f"{least:.4f}", f"{greatest:.4f}", f"{missing:.1e}", ", ".join(wrong)))
                print("\t".join(map(str, rows[-1])), flush=True)
    if options.record:
        breaking.keep_table("validate_crack_boxes.tsv", COLUMNS, rows)
    failed = sum(bool(row[-1]) for row in rows)
    print(f"{len(rows) - failed} of {len(rows)} as they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
