// How the faces of a geometry are connected: edges, boundaries, manifoldness, components.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <vector>

namespace hackle {

/// Figures of the polygons (three corners or more) as they are, not of their triangles. Points count where
/// polygons share them; equal positions do not join faces.
struct Topology {
  size_t faces = 0;
  size_t edges = 0;
  size_t points = 0;             // used by faces
  size_t boundaryEdges = 0;      // with one face
  size_t nonManifoldEdges = 0;   // with three faces or more
  size_t nonManifoldPoints = 0;  // whose faces form more than one fan (two cones that touch at their tips)
  size_t misorientedEdges = 0;   // whose faces do not run along it equally often in both directions
  size_t degenerateFaces = 0;    // with fewer than three different points
  size_t components = 0;         // joined by shared points

  /// Every edge has an even number of faces, and there is a face.
  bool closed = false;
  /// No edge has more than two faces, no point more than one fan. May have a boundary.
  bool manifold = false;
  /// Neighbouring faces agree on which side is outside (boundary edges aside).
  bool oriented = false;
  /// Points - edges + faces: 2 for a sphere, 0 for a torus, the sum over components.
  int64_t euler() const {
    return static_cast<int64_t>(points) - static_cast<int64_t>(edges) + static_cast<int64_t>(faces);
  }
};

Topology analyseTopology(const Geometry& geometry, Context& context);

/// The edges of the polygons with the half-edges along each. A half-edge is named by the vertex it starts
/// from and runs to the next vertex of its polygon. Edges between equal points are left out.
struct EdgeTable {
  std::vector<Edge> edges;         // smaller point first, sorted
  std::vector<int32_t> starts;     // edge e has halfEdges[starts[e]] to starts[e + 1], in ascending order
  std::vector<int32_t> halfEdges;  // vertices
  std::vector<int32_t> next;       // of every vertex: the next one round its polygon; -1 outside polygons

  Span<const int32_t> halfEdgesOf(size_t edge) const {
    return Span<const int32_t>(halfEdges.data() + starts[edge],
                               static_cast<size_t>(starts[edge + 1] - starts[edge]));
  }
};

EdgeTable findEdges(const Geometry& geometry, Context& context);

/// Edges with one face only, in the direction of that face.
std::vector<Edge> boundaryEdges(const Geometry& geometry, Context& context);

/// Primitives of any type that share points, directly or through others.
struct Components {
  size_t count = 0;
  std::vector<int32_t> ofPrimitive;  // numbered in order of first appearance; -1 for one without vertices
  std::vector<int32_t> ofPoint;      // -1 for points that no primitive uses
};

Components findComponents(const Geometry& geometry);

}  // namespace hackle
