"""Files that the operator `model` cannot make, for the cases: dirty meshes, painted solids, points with attributes."""
import itertools
import json


def box_faces(n, size=1.0):
    """Points and quads of a cube around the origin, n quads along an edge, counter-clockwise seen from outside."""
    points, quads = {}, []
    for axis, side in itertools.product(range(3), (0, n)):
        for i, j in itertools.product(range(n), repeat=2):
            corners = []
            for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
                corner = [0, 0, 0]
                corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3] = side, i + a, j + b
                corners.append(points.setdefault(tuple(corner), len(points)))
            quads.append(corners if side else corners[::-1])
    return [[size * (c / n - 0.5) for c in point] for point in points], quads


def obj(*parts):
    """OBJ text of (points, faces), one part after the other."""
    lines, first = [], 1
    for points, faces in parts:
        lines += ["v {} {} {}".format(*point) for point in points]
        lines += ["f " + " ".join(str(corner + first) for corner in face) for face in faces]
        first += len(points)
    return "\n".join(lines) + "\n"


def moved(part, offset):
    points, faces = part
    return [[c + o for c, o in zip(point, offset)] for point in points], faces


def painted_box(n=6):
    """A cube as PLY with the point attributes paint (0.5 to 1.5 along x), cell (m), axes and lean (vectors)."""
    points, quads = box_faces(n)
    names = ["x", "y", "z", "paint", "cell", "axes_0", "axes_1", "axes_2", "lean_0", "lean_1", "lean_2"]
    lines = ["ply", "format ascii 1.0", f"element vertex {len(points)}"]
    lines += [f"property double {name}" for name in names]
    lines += [f"element face {len(quads)}", "property list uchar int vertex_indices", "end_header"]
    for x, y, z in points:
        values = [x, y, z, 1 + x, 0.2 + 0.1 * y, 1 + x, 1, 2 - y, 0.2 * y, 0.1 * z, 0]
        lines.append(" ".join(repr(round(value, 6)) for value in values))
    lines += ["4 {} {} {} {}".format(*quad) for quad in quads]
    return "\n".join(lines) + "\n"


def points_geo(positions, **attributes):
    """Loose points with attributes (numbers, tuples or strings, one for each point) as a Houdini file."""
    def numbers(name, values):
        tuples = [list(v) if isinstance(v, (list, tuple)) else [v] for v in values]
        size = len(tuples[0])
        body = ["size", size, "storage", "fpreal64", "values", ["size", size, "storage", "fpreal64", "tuples", tuples]]
        return [["scope", "public", "type", "numeric", "name", name, "options", {}], body]

    def strings(name, values):
        indices = ["size", 1, "storage", "int32", "tuples", [[i] for i in range(len(values))]]
        body = ["size", 1, "storage", "int32", "strings", list(values), "indices", indices]
        return [["scope", "public", "type", "string", "name", name, "options", {}], body]

    made = [numbers("P", positions)]
    made += [(strings if isinstance(v[0], str) else numbers)(name, v) for name, v in attributes.items()]
    return json.dumps([
        "fileversion", "18.5.408", "hasindex", False, "pointcount", len(positions), "vertexcount", 0,
        "primitivecount", 0, "info", {}, "topology", ["pointref", ["indices", []]],
        "attributes", ["pointattributes", made], "primitives", []])


def sheet(n=8):
    """An open, slightly bent surface through one side of a cube of size 1 that stands on the ground."""
    points = [[0.2 + 0.5 * i / n, 0.5 + 0.04 * (k / n - 0.5), -0.7 + 1.4 * k / n]
              for i in range(n + 1) for k in range(n + 1)]
    faces = [[i * (n + 1) + k, i * (n + 1) + k + 1, (i + 1) * (n + 1) + k + 1, (i + 1) * (n + 1) + k]
             for i in range(n) for k in range(n)]
    return points, faces


CUBE = box_faces(4)
OPEN = {"open.obj": obj((CUBE[0], CUBE[1][:-5]))}
FLIPPED = {"flipped.obj": obj((CUBE[0], [face[::-1] if i % 3 else face for i, face in enumerate(CUBE[1])]))}
CROSSING = {"crossing.obj": obj(CUBE, moved(CUBE, (0.3, 0.21, 0.17)))}
TWO = {"two.obj": obj(CUBE, moved(CUBE, (3, 0, 0)))}
PAINTED = {"painted.ply": painted_box()}
