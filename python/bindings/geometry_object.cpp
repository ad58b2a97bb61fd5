#include "geometry_object.h"

#include <fmt/format.h>

#include <algorithm>

namespace hackle::python {

namespace {

bool isPoints(Owner owner, const std::string& name) { return owner == Owner::Point && name == "P"; }

}  // namespace

Shape attributeShape(const Attribute& attribute) {
  const auto count = static_cast<py::ssize_t>(attribute.elementCount());
  if (attribute.tupleSize() == 1) return {count};
  return {count, attribute.tupleSize()};
}

py::dtype dtypeOf(Storage storage) {
  HACKLE_ASSERT(storage != Storage::String);
  return py::dtype(storageName(storage));
}

GeometryObject::Lease GeometryObject::storageOf(const Geometry& geometry, Owner owner,
                                                const std::string& name) {
  if (isPoints(owner, name)) return {geometry.positions().keepAlive(), geometry.positions().data()};
  const Attribute* attribute = geometry.findAttribute(owner, name);
  if (!attribute || attribute->isString()) return {};
  return attribute->visitNumbers([&](auto span) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(span[0])>>;
    return Lease{attribute->array<T>().keepAlive(), span.data()};
  });
}

void GeometryObject::unshare(Geometry& geometry, Owner owner, const std::string& name) {
  if (isPoints(owner, name)) {
    geometry.editPositions();
    return;
  }
  Attribute* attribute = geometry.findAttribute(owner, name);
  attribute->visitNumbers([&](auto span) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(span[0])>>;
    attribute->edit<T>();
  });
}

Geometry GeometryObject::share() const {
  Geometry copy = mGeometry;
  for (const Lent& lent : mLent) {
    const std::shared_ptr<const Lease> lease = lent.lease.lock();
    if (lease && lease->data == storageOf(copy, lent.owner, lent.name).data)
      unshare(copy, lent.owner, lent.name);
  }
  return copy;
}

std::shared_ptr<const GeometryObject::Lease> GeometryObject::lend(Owner owner, const std::string& name) {
  mLent.erase(std::remove_if(mLent.begin(), mLent.end(), [](const Lent& l) { return l.lease.expired(); }),
              mLent.end());
  // Views that already write to this array must go on seeing each other.
  for (const Lent& lent : mLent) {
    if (lent.owner != owner || lent.name != name) continue;
    std::shared_ptr<const Lease> lease = lent.lease.lock();
    if (lease && lease->data == storageOf(mGeometry, owner, name).data) return lease;
  }
  unshare(mGeometry, owner, name);
  auto lease = std::make_shared<const Lease>(storageOf(mGeometry, owner, name));
  mLent.push_back({owner, name, lease});
  return lease;
}

py::array GeometryObject::points() const {
  return viewOf<double>(mGeometry.positions(), {static_cast<py::ssize_t>(mGeometry.pointCount()), 3});
}

void GeometryObject::setPoints(py::handle array) {
  std::vector<Vec3> points = pointsFrom(array, "points");
  if (points.size() != mGeometry.pointCount())
    throw Error(ErrorCode::Usage,
                fmt::format("points: there are {}, got {}", mGeometry.pointCount(), points.size()),
                "Geometry.from_arrays makes a geometry with other points");
  mGeometry.editPositions() = std::move(points);
}

py::array GeometryObject::editPoints() {
  const std::shared_ptr<const Lease> lease = lend(Owner::Point, "P");
  const Shape shape{static_cast<py::ssize_t>(mGeometry.pointCount()), 3};
  return arrayOver(py::dtype::of<double>(), shape, lease->data, lease, true);
}

py::array GeometryObject::editAttribute(Owner owner, const std::string& name) {
  const std::shared_ptr<const Lease> lease = lend(owner, name);
  const Attribute& attribute = *mGeometry.findAttribute(owner, name);
  return arrayOver(dtypeOf(attribute.storage()), attributeShape(attribute), lease->data, lease, true);
}

}  // namespace hackle::python
