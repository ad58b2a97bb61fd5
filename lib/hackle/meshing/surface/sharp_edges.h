// The sharp edges of a closed surface, which coarser copies of it have to keep.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>

#include <optional>
#include <vector>

namespace hackle {

/// Angle between the normals of two faces, in degrees, from which on their edge is a shape's own and not an
/// artefact of how a curved surface was divided.
constexpr double kSharpAngle = 40;

/// Edges between triangles whose normals are kSharpAngle or more apart. The surface has to be closed.
class SharpEdges {
 public:
  SharpEdges(const TriangleMesh& mesh, Context& context);

  const std::vector<Edge>& edges() const { return mEdges; }
  /// The nearest place of a sharp edge within reach (m).
  std::optional<Vec3> nearest(const Vec3& place, double reach) const;
  /// Whether a segment runs along sharp edges, to within a part of its length.
  bool hasAlong(const Vec3& a, const Vec3& b) const;

 private:
  std::vector<Edge> mEdges;
  std::optional<TriangleBvh> mTree;  // of the edges, as triangles without area
};

}  // namespace hackle
