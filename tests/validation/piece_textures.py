"""Texture of inside faces on real and bad meshes, for every engine: piece_textures.py FOLDER... [--record]

Every mesh is broken by voronoi, by voronoi with bent faces and chips, by cvd, modes and crack (through grains). Per engine the table says, over all
meshes: the share of smooth inside edges (faces that meet at less than 30 degrees) where the texture has a seam, the share of the
inside area that is stretched by more than 1.5, sizes of texels (half a per cent of the area has smaller, and larger ones), and
how often the two sides of a face do not agree. Pieces must be closed, 2-manifold, and their volumes must add up.
"""
import sys
import time

import hackle
import numpy
from breaking import faults, first_line, keep_table, solids, tolerance_of
from crack_meshes import conditions
from cvd_meshes import top_of

SMOOTH = numpy.cos(numpy.radians(30))


def hit(geometry):
    return [{"at": [float(c) for c in top_of(geometry)], "dir": [0, -1, 0], "impulse": 1.0}]


def by_voronoi(geometry, report):
    return hackle.voronoi(geometry, pieces=50, seed=1, outputs=["geometry"], report=report).geometry


def by_edges(geometry, report):
    return hackle.voronoi(geometry, pieces=12, edge_amount=0.12, chip_amount=0.1, seed=1, outputs=["geometry"], report=report).geometry


def by_cvd(geometry, report):
    return hackle.cvd(geometry, impact=hit(geometry), pieces=20, cells=16, outputs=["geometry"], report=report).geometry


def by_modes(geometry, report):
    modes = hackle.modes(geometry, modes=6, elements=2000).modes
    return hackle.prefracture(modes, outputs=["geometry"], report=report).geometry


def by_crack(geometry, report):
    return hackle.crack(geometry, condition=conditions(geometry, 3e8), preset="pmma", loading="sudden", steps=12, triangles=600,
                        toughness_pattern="grains", ratio=20, method="hybrid", hybrid_elements=1000, cracks=4, outputs=["geometry"], report=report).geometry


ENGINES = {"voronoi": by_voronoi, "edges": by_edges, "cvd": by_cvd, "modes": by_modes, "crack": by_crack}


class InsideFaces:
    """Polygons of the inside group: corners, places, uv, area vectors."""

    def __init__(self, geometry):
        points, uv = geometry.points, geometry.attribute("uv", "vertex")[:, :2].astype(float)
        starts, corners = geometry.vertex_starts, geometry.vertex_points
        self.faces = []
        for f in numpy.flatnonzero(geometry.group("inside")):
            own = slice(starts[f], starts[f + 1])
            place = points[corners[own]]
            d, e = place - place[0], uv[own] - uv[own][0]
            area = 0.5 * numpy.cross(d[1:-1], d[2:]).sum(axis=0)
            flat = 0.5 * (e[1:-1, 0] * e[2:, 1] - e[1:-1, 1] * e[2:, 0]).sum()
            self.faces.append((corners[own], place, uv[own], area, flat))

    def stretch(self):
        """Area, and size of texels relative to 1, of each face."""
        areas = numpy.array([numpy.linalg.norm(f[3]) for f in self.faces])
        flats = numpy.array([abs(f[4]) for f in self.faces])
        return areas, flats / numpy.maximum(areas, 1e-300)

    def seams(self):
        """Smooth edges, and those of them with a seam."""
        edges, smooth, seams = {}, 0, 0
        for corners, place, uv, area, _ in self.faces:
            size = numpy.linalg.norm(area)
            if not size > 0:
                continue
            for k in range(len(corners)):
                n = (k + 1) % len(corners)
                a, b = corners[k], corners[n]
                here = (uv[k], uv[n], area / size, place[k], place[n])
                other = edges.pop((b, a), None)
                if other is None:
                    edges[a, b] = here
                elif here[2] @ other[2] > SMOOTH:
                    smooth += 1
                    length = numpy.linalg.norm(place[n] - place[k])
                    apart = max(abs(here[0] - other[1]).max(), abs(here[1] - other[0]).max())
                    seams += bool(apart > 1e-3 * length + 1e-5 * abs(here[0]).max())
        return smooth, seams

    def mismatches(self):
        """Faces whose other side has another texture, or is missing."""
        open_faces, wrong = {}, 0
        for corners, place, uv, _, _ in self.faces:
            key = frozenset(map(tuple, place))
            texture = {tuple(p): tuple(t) for p, t in zip(place, uv)}
            other = open_faces.pop(key, None)
            if other is None:
                open_faces[key] = texture
            else:
                wrong += texture != other
        return wrong + len(open_faces)


def figures(geometry):
    faces = InsideFaces(geometry)
    if not faces.faces:
        return None
    areas, texels = faces.stretch()
    smooth, seams = faces.seams()
    off = numpy.maximum(texels, 1 / numpy.maximum(texels, 1e-9)) > 1.5
    order = numpy.argsort(texels)
    summed = numpy.cumsum(areas[order]) / areas.sum()
    low, high = (texels[order][min(numpy.searchsorted(summed, s), len(order) - 1)] for s in (0.005, 0.995))
    return len(faces.faces), smooth, seams, areas[off].sum() / areas.sum(), low, high, faces.mismatches()


def check(name, geometry, engine):
    """A row, or None where the mesh is refused or stays whole."""
    report, start = {}, time.perf_counter()
    try:
        pieces = ENGINES[engine](geometry, report)
    except hackle.Error as error:
        print(f"{name:36} {engine:8} refused: {first_line(error)}", flush=True)
        return None
    seconds = time.perf_counter() - start
    found = figures(pieces)
    if not found:
        return None
    faces, smooth, seams, stretched, low, high, mismatches = found
    wrong = [faults(report["result"], tolerance_of(geometry))]
    if seams > 0.05 * smooth and smooth > 20:
        wrong.append("seams")
    if stretched > 0.01:
        wrong.append("stretched")
    if mismatches:
        wrong.append("sides differ")
    wrong = ", ".join(w for w in wrong if w)
    print(f"{name:36} {engine:8} {faces:7} faces, seams {seams:5} of {smooth:6}, stretched {100 * stretched:6.2f} %, "
          f"texels {low:.2f} to {high:.2f}, {mismatches} sides differ, {seconds:.1f} s  {wrong}", flush=True)
    return (name, engine, report["result"]["pieces"], faces, smooth, f"{seams / max(smooth, 1):.4f}", f"{stretched:.4f}", f"{low:.3f}", f"{high:.3f}",
            mismatches, seconds, wrong)


def main(folders, engines, record):
    rows = []
    for name, geometry in solids(folders):
        if isinstance(geometry, hackle.Error):
            continue
        rows += [row for engine in engines if (row := check(name, geometry, engine))]
    for engine in engines:
        own = [r for r in rows if r[1] == engine]
        smooth = sum(r[4] for r in own)
        seams = sum(float(r[5]) * r[4] for r in own)
        print(f"{engine}: {len(own)} meshes, {100 * seams / max(smooth, 1):.2f} % of smooth edges are seams, {sum(bool(r[-1]) for r in own)} with a problem")
    if record:
        columns = ("mesh", "engine", "pieces", "inside_faces", "smooth_edges", "seams", "stretched", "texel_low", "texel_high", "sides_differ",
                   "seconds", "problem")
        keep_table("validate_textures.tsv", columns, rows)
    return 1 if any(r[-1] for r in rows) else 0


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    chosen = [a[2:] for a in sys.argv[1:] if a[2:] in ENGINES]
    sys.exit(main(arguments, chosen or list(ENGINES), "--record" in sys.argv))
