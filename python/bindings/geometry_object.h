// hackle.Geometry: a Geometry plus the arrays of it that Python may write to.
#pragma once

#include "array_view.h"

#include <hackle/geometry/geometry.h>

#include <memory>
#include <string>
#include <vector>

namespace hackle::python {

/// Copy-on-write meets numpy. A read-only view counts as an owner of its storage, so later edits of the
/// geometry leave it alone. A writable view writes into the geometry's own storage; so that no other geometry
/// sees it,
///   - storage is unshared before a writable view of it is made, and
///   - while such a view (or a slice of it) lives, `share` gives others a copy of that array.
/// Edits that replace or resize an array (new points, a new attribute of that name) leave older writable
/// views behind: they keep their memory, but the geometry no longer uses it.
class GeometryObject {
 public:
  GeometryObject() = default;
  explicit GeometryObject(Geometry geometry) : mGeometry(std::move(geometry)) {}
  GeometryObject(GeometryObject&&) = default;
  GeometryObject& operator=(GeometryObject&&) = default;

  /// To look at. Never copy it: `share` is for that.
  const Geometry& read() const { return mGeometry; }
  /// To change. The caller keeps out of arrays' memory: it may have writable views.
  Geometry& edit() { return mGeometry; }
  /// A copy that may live on elsewhere.
  Geometry share() const;

  /// The points (n, 3), read-only.
  pybind11::array points() const;
  /// Moves all points. Error(Usage) unless there are as many as now.
  void setPoints(pybind11::handle array);
  /// The points (n, 3) to write to.
  pybind11::array editPoints();
  /// A numeric attribute to write to, shaped as `attributeShape` says. Precondition: it exists and is no
  /// text.
  pybind11::array editAttribute(Owner owner, const std::string& name);

 private:
  /// Memory of an array and what keeps it; writable views hold one.
  struct Lease {
    std::shared_ptr<const void> storage;
    const void* data = nullptr;
  };
  /// An array that was lent for writing; over when the lease has expired or the geometry uses other memory.
  struct Lent {
    Owner owner = Owner::Point;
    std::string name;  // "P" on points: the points themselves
    std::weak_ptr<const Lease> lease;
  };
  static Lease storageOf(const Geometry& geometry, Owner owner, const std::string& name);
  static void unshare(Geometry& geometry, Owner owner, const std::string& name);
  std::shared_ptr<const Lease> lend(Owner owner, const std::string& name);

  Geometry mGeometry;
  std::vector<Lent> mLent;
};

/// (n,) for single numbers, (n, size) for tuples.
Shape attributeShape(const Attribute& attribute);

/// Numpy's type for a numeric storage.
pybind11::dtype dtypeOf(Storage storage);

}  // namespace hackle::python
