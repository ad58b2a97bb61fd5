#include <hackle/core/error.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/painted_field.h>

#include <fmt/format.h>

namespace hackle {

PaintedField::PaintedField(const Paint& paint, const Geometry& surface, const TriangleMesh& mesh,
                           const TriangleBvh& bvh, const std::string& what)
    : mGrid(paint.grid) {
  if (mGrid) {
    mIsVector = mGrid->valueType().compare(0, 3, "vec") == 0;
    return;
  }
  if (paint.attribute.empty()) return;
  const Attribute* values = surface.findAttribute(Owner::Point, paint.attribute);
  if (!values || values->isString() || (values->tupleSize() != 1 && values->tupleSize() != 3))
    throw Error(ErrorCode::BadInput,
                fmt::format("the surface has no number or vector '{}' on its points", paint.attribute),
                fmt::format("name a point attribute, or give a VDB on the input of {}", what));
  mValues = *values;
  mMesh = &mesh;
  mBvh = &bvh;
  mIsVector = values->tupleSize() == 3;
}

double PaintedField::attributeAt(const ClosestPoint& place, int component) const {
  const Triangle& t = mMesh->triangles[place.triangle];
  double sum = 0;
  for (size_t k = 0; k < 3; ++k)
    sum += place.barycentric[k] * mValues->number(static_cast<size_t>(t[k]), component);
  return sum;
}

double PaintedField::number(const Vec3& x) const {
  return mGrid ? sampleGrid(*mGrid, x) : attributeAt(mBvh->closestPoint(x), 0);
}

Vec3 PaintedField::vector(const Vec3& x) const {
  if (mGrid) return sampleVectorGrid(*mGrid, x);
  const ClosestPoint place = mBvh->closestPoint(x);
  if (!mIsVector) return Vec3::Constant(attributeAt(place, 0));
  return {attributeAt(place, 0), attributeAt(place, 1), attributeAt(place, 2)};
}

void addToKey(MemoKey& key, const Paint& paint, const Geometry& surface) {
  key.add(paint.grid).add(paint.attribute);
  const Attribute* values =
      paint.attribute.empty() ? nullptr : surface.findAttribute(Owner::Point, paint.attribute);
  if (values) addToKey(key, *values);
}

VolumePtr firstGrid(const Geometry& volumes, const std::string& what) {
  for (size_t p = 0; p < volumes.primitiveCount(); ++p)
    if (volumes.primitiveType(p) == PrimitiveType::Volume) return volumes.volume(p);
  throw Error(ErrorCode::BadInput, fmt::format("there is no VDB on the input of {}", what),
              "give a VDB file");
}

VolumePtr namedGrid(const Geometry& volumes, const std::string& name, const std::string& what) {
  std::vector<std::string> names;
  for (size_t p = 0; p < volumes.primitiveCount(); ++p) {
    if (volumes.primitiveType(p) != PrimitiveType::Volume) continue;
    if (volumes.volume(p)->name() == name) return volumes.volume(p);
    names.push_back(volumes.volume(p)->name());
  }
  throw Error(ErrorCode::BadInput, fmt::format("there is no VDB {} on the input of {}", name, what),
              names.empty() ? "connect a VDB file to it"
                            : fmt::format("name one that is there: {}", fmt::join(names, ", ")));
}

}  // namespace hackle
