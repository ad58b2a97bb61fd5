"""Writes solids made of blocks as OBJ files of quads: blocks.py table|horseshoe OUT.obj"""
import sys

# Planes along each axis (m), and the filled cells between them.
SOLIDS = {
    "table": (
        [-0.6, -0.56, -0.46, 0.46, 0.56, 0.6],
        [0.0, 0.64, 0.72],
        [-0.36, -0.33, -0.23, 0.23, 0.33, 0.36],
        lambda x, y, z: y == 1 or (x in (1, 3) and z in (1, 3)),
    ),
    "horseshoe": ([-0.5, -0.06, 0.06, 0.5], [0.0, 0.3, 1.0], [-0.15, 0.15], lambda x, y, z: y == 0 or x != 1),
}


def quads(planes, filled):
    """Faces between filled and empty cells, counter-clockwise seen from outside, as corners (i, j, k)."""
    counts = [len(axis) - 1 for axis in planes]

    def solid(cell):
        return all(0 <= c < n for c, n in zip(cell, counts)) and filled(*cell)

    cells = [(x, y, z) for x in range(counts[0]) for y in range(counts[1]) for z in range(counts[2])]
    for cell in filter(solid, cells):
        for axis in range(3):
            for side in (0, 1):
                beyond = list(cell)
                beyond[axis] += 2 * side - 1
                if solid(beyond):
                    continue
                u, v = (axis + 1) % 3, (axis + 2) % 3
                corners = []
                for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                    corner = list(cell)
                    corner[axis] += side
                    corner[u] += a
                    corner[v] += b
                    corners.append(tuple(corner))
                yield corners if side else corners[::-1]


def main(name, path):
    *planes, filled = SOLIDS[name]
    numbers, faces = {}, []
    for corners in quads(planes, filled):
        faces.append([numbers.setdefault(c, len(numbers) + 1) for c in corners])
    with open(path, "w") as out:
        for corner in numbers:
            out.write("v {} {} {}\n".format(*(axis[c] for axis, c in zip(planes, corner))))
        for face in faces:
            out.write("f {} {} {} {}\n".format(*face))


if __name__ == "__main__":
    main(*sys.argv[1:])
