// Numbers and vectors that an artist painted, seen from anywhere: a VDB, or a point attribute of a surface.
#pragma once

#include <hackle/core/memo.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/geometry.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/volume_grid.h>

#include <optional>
#include <string>

namespace hackle {

/// Where painted values come from; nothing is painted if both are empty.
struct Paint {
  VolumePtr grid;         // takes precedence
  std::string attribute;  // of the surface's points, one or three numbers

  bool empty() const { return !grid && attribute.empty(); }
};

/// Paint anywhere in space. A VDB is interpolated linearly, an attribute is that of the nearest place of the
/// surface. May be asked from several threads.
class PaintedField {
 public:
  PaintedField() = default;
  /// `surface` has the attribute, `mesh` and `bvh` are of it; both must outlive the field. `what` names the
  /// paint in errors: Error(BadInput) for an attribute that is not there, or not of one or three numbers.
  PaintedField(const Paint& paint, const Geometry& surface, const TriangleMesh& mesh, const TriangleBvh& bvh,
               const std::string& what);

  /// False if nothing is painted.
  explicit operator bool() const { return mGrid || mMesh; }
  bool isVector() const { return mIsVector; }
  /// A number; of vectors the length in a VDB, the first component in an attribute.
  double number(const Vec3& x) const;
  /// A vector; numbers come three times.
  Vec3 vector(const Vec3& x) const;

 private:
  double attributeAt(const ClosestPoint& place, int component) const;

  VolumePtr mGrid;
  std::optional<Attribute> mValues;
  const TriangleMesh* mMesh = nullptr;
  const TriangleBvh* mBvh = nullptr;
  bool mIsVector = false;
};

/// What a precomputation depends on that samples this paint of a surface.
void addToKey(MemoKey& key, const Paint& paint, const Geometry& surface);

/// The first VDB of a geometry. Error(BadInput) that names the input (`what`: "fragilities") if it has none.
VolumePtr firstGrid(const Geometry& volumes, const std::string& what);
/// The VDB of this name; Error(BadInput) with the names that there are.
VolumePtr namedGrid(const Geometry& volumes, const std::string& name, const std::string& what);

}  // namespace hackle
