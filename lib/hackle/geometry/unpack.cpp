#include <hackle/geometry/geometry.h>
#include <hackle/geometry/transform.h>

namespace hackle {

namespace {

constexpr int kMaxNesting = 64;

Geometry unpackLevel(const Geometry& geometry, int depth);

Geometry contents(const PackedPrimitive& packed, int depth) {
  if (packed.kind == PackedPrimitive::Kind::Disk)
    throw Error(ErrorCode::BadInput, "packed primitive refers to the file " + packed.fileName,
                "read that file directly, or unpack it in Houdini before saving");
  HACKLE_ASSERT(packed.source != nullptr);
  if (packed.kind == PackedPrimitive::Kind::Geometry) return unpackLevel(*packed.source, depth + 1);

  const Geometry& source = *packed.source;
  std::vector<int32_t> members;
  const Attribute* names = source.findAttribute(Owner::Primitive, packed.fragmentAttribute);
  const Attribute* pointNames = source.findAttribute(Owner::Point, packed.fragmentAttribute);
  for (size_t p = 0; p < source.primitiveCount(); ++p) {
    bool member = false;
    if (names && names->isString())
      member = names->string(p) == packed.fragmentName;
    else if (pointNames && pointNames->isString() && source.vertexCount(p) > 0)
      member = pointNames->string(static_cast<size_t>(source.corners(p)[0])) == packed.fragmentName;
    if (member) members.push_back(static_cast<int32_t>(p));
  }
  return unpackLevel(source.extract(members), depth + 1);
}

Geometry unpackLevel(const Geometry& geometry, int depth) {
  if (geometry.countOf(PrimitiveType::Packed) == 0) return geometry;
  if (depth > kMaxNesting)
    throw Error(ErrorCode::BadInput, "packed geometry is nested more than 64 levels deep",
                "unpack it in Houdini");

  // What is not packed keeps its place in front.
  std::vector<int32_t> plain;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Packed) plain.push_back(static_cast<int32_t>(p));
  }
  std::vector<Geometry> parts{geometry.extract(plain)};

  const Attribute* pieceNames = geometry.findAttribute(Owner::Point, "name");
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Packed) continue;
    const PackedPrimitive& packed = geometry.packed(p);
    const size_t point = static_cast<size_t>(geometry.corners(p)[0]);
    Geometry content = contents(packed, depth);
    const Mat3 linear = packed.transform.transpose();  // for column vectors
    Context context;
    transformGeometry(content, linear, geometry.position(point) - linear * packed.pivot, context);
    if (pieceNames && pieceNames->isString() && !pieceNames->string(point).empty()) {
      Attribute& name = content.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
      std::vector<int32_t> indices(content.primitiveCount(), 0);
      name.assignStrings({CowArray<std::string>{pieceNames->string(point)}, std::move(indices)});
    }
    parts.push_back(std::move(content));
  }
  return merged(parts);
}

}  // namespace

Geometry unpacked(const Geometry& geometry) { return unpackLevel(geometry, 0); }

}  // namespace hackle
