"""Checks an installed package inside a real Houdini: hython examples/houdini/check.py. Called by ./run houdini.

Every operator must be a node type that cooks on a small solid; what the node gives must be what the same operator
gives through the Python module, point by point; the verb and the asset with three outputs must be there.
"""

import sys

import hackle
import hackle.houdini
import hou
import numpy

SOLID = {"shape": "column", "size": 1}
# Operators that need something else than a solid as their first input, or a second one.
SKIPPED = {"surface", "boolean", "segment"}


def geometry_inputs(operator):
    return [port for port in operator["inputs"] if not port.get("optional")]


def compare(name, node, inputs):
    """The node against the function of the same name: the same error, or the same geometry."""
    solid = hackle.model(**SOLID)
    try:
        expected = hackle.run(name, [solid] * inputs)
    except hackle.Error as error:
        assert node.errors() and error.message in node.errors()[0], (name, error.message, node.errors())
        return
    assert not node.errors(), (name, node.errors())
    expected = expected if isinstance(expected, hackle.Geometry) else getattr(expected, "geometry", None)
    if expected is None or inputs == 0:
        return
    got = hackle.houdini.from_hou(node.geometry())
    assert got.point_count == expected.point_count, (name, got.point_count, expected.point_count)
    numpy.testing.assert_allclose(got.points, expected.points, rtol=0, atol=1e-6)
    numpy.testing.assert_array_equal(got.vertex_points, expected.vertex_points)


def main():
    place = hou.node("/obj").createNode("geo", "check")
    model = place.createNode("hackle::model")
    for name, value in SOLID.items():
        model.parm(name).set(value)
    checked = []
    for name in hackle.operators():
        inputs = geometry_inputs(hackle.describe(name))
        node = place.createNode(f"hackle::{name}")
        assert hou.sopNodeTypeCategory().nodeVerb(f"hackle::{name}") is not None, f"{name} has no verb"
        if name in SKIPPED or any(port.get("type", "geometry") != "geometry" for port in inputs):
            continue
        for i in range(len(inputs)):
            node.setInput(i, model)
        try:
            node.cook(force=True)
        except hou.OperationFailed:
            pass  # compare() looks at what the node says
        compare(name, node, len(inputs))
        checked.append(name)
    print(f"{len(checked)} nodes cook and agree with the Python module: {', '.join(checked)}")
    return checked


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
