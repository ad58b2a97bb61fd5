// The parts of a partition's edges that lie inside a solid.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/triangle_mesh.h>

#include <functional>
#include <vector>

namespace hackle {

/// An edge where regions of the partition meet, from node to node.
struct PartitionEdge {
  int32_t start = -1, end = -1;
};

/// Where the solid's surface crosses a partition edge.
struct EdgeCrossing {
  int32_t edge;
  int32_t triangle;  // of the surface
  int32_t vertex;    // of the cut
  bool leaves;       // going along the edge, the solid is left here
};

/// A part of an edge inside the solid, between vertices of the cut, in the direction of the edge.
struct InnerStretch {
  int32_t edge, from, to;
};

struct InnerEdgesInput {
  Span<const PartitionEdge> edges;
  Span<const EdgeCrossing> crossings;         // by edge, then along it
  Span<const uint8_t> outside;                // nodes that are known to lie outside
  int32_t firstNodeVertex = 0;                // node n is vertex firstNodeVertex + n of the cut
  std::function<Vec3(int32_t)> nodePosition;  // m
};

/// Nodes next to a crossing are decided by it, and those that edges join to them; parts of the partition that
/// the surface does not touch by the winding number. Error(BadInput) where crossings contradict each other,
/// which means that the surface crosses itself or is not closed.
std::vector<InnerStretch> innerStretches(const TriangleMesh& mesh, const InnerEdgesInput& input,
                                         Context& context);

[[noreturn]] void refuseCrossingSurface(const TriangleMesh& mesh, int32_t triangle);

}  // namespace hackle
