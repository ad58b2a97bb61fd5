// In which tetrahedron of a mesh a point lies, and where in it.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <array>
#include <optional>
#include <vector>

namespace hackle {

struct TetPlace {
  int32_t tetrahedron = -1;
  std::array<double, 4> weights{};  // barycentric, of the corners; 0 or more, they add up to 1
};

/// Finds tetrahedra by a grid of buckets. Queries may come from many threads at once. Keeps a reference to
/// the mesh; tetrahedra without volume are never found.
class TetLocator {
 public:
  TetLocator(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context);

  /// The tetrahedron in which the point lies deepest; on faces, edges and corners that several share, one of
  /// them. A point counts as inside if it is no farther out than rounding, 1e-12 of the mesh, can put
  /// it.
  std::optional<TetPlace> find(const Vec3& p) const;

  /// Memory that it takes.
  size_t bytes() const {
    return mStarts.capacity() * sizeof(int64_t) + mMembers.capacity() * sizeof(int32_t);
  }

 private:
  std::optional<size_t> bucketOf(const Vec3& p) const;
  std::array<double, 4> weightsIn(int32_t tetrahedron, const Vec3& p) const;

  Span<const Vec3> mPoints;
  Span<const Tetrahedron> mTetrahedra;
  Box3 mBounds;
  double mBucket = 1;  // m, edge of a bucket
  std::array<int32_t, 3> mCount{};
  std::vector<int64_t> mStarts;
  std::vector<int32_t> mMembers;
};

}  // namespace hackle
