#include <hackle/geometry/fragment_index.h>
#include <hackle/geometry/geometry.h>
#include <hackle/geometry/transform.h>

#include <map>
#include <utility>

namespace hackle {

namespace {

constexpr int kMaxNesting = 64;

Geometry unpackLevel(const Geometry& geometry, Context& context, int depth);

/// What the packed primitives of one level hold. Each source is sorted by fragment once.
class Contents {
 public:
  Contents(Context& context, int depth) : mContext(context), mDepth(depth) {}

  Geometry of(const PackedPrimitive& packed) {
    if (packed.kind == PackedPrimitive::Kind::Disk)
      throw Error(ErrorCode::BadInput, "packed primitive refers to the file " + packed.fileName,
                  "read that file directly, or unpack it in Houdini before saving");
    HACKLE_ASSERT(packed.source != nullptr);
    if (packed.kind == PackedPrimitive::Kind::Geometry)
      return unpackLevel(*packed.source, mContext, mDepth + 1);
    const auto key = std::make_pair(packed.source.get(), packed.fragmentAttribute);
    const FragmentIndex& index =
        mIndices.try_emplace(key, *packed.source, packed.fragmentAttribute).first->second;
    return unpackLevel(packed.source->extract(index.members(packed.fragmentName)), mContext, mDepth + 1);
  }

 private:
  Context& mContext;
  int mDepth;
  std::map<std::pair<const Geometry*, std::string>, FragmentIndex> mIndices;
};

/// What is not packed: the other primitives, and all points but those that only hold packed ones.
Geometry plainPart(const Geometry& geometry) {
  std::vector<int32_t> primitives;
  std::vector<uint8_t> holdsPacked(geometry.pointCount(), 0), holdsPlain(geometry.pointCount(), 0);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    const bool packed = geometry.primitiveType(p) == PrimitiveType::Packed;
    if (!packed) primitives.push_back(static_cast<int32_t>(p));
    for (const int32_t point : geometry.corners(p)) (packed ? holdsPacked : holdsPlain)[point] = 1;
  }
  Geometry plain = geometry.extract(primitives, /*keepPoints=*/true);
  std::vector<int32_t> kept, newPoint(geometry.pointCount(), -1), corners;
  for (size_t p = 0; p < geometry.pointCount(); ++p) {
    if (holdsPacked[p] && !holdsPlain[p]) continue;
    newPoint[p] = static_cast<int32_t>(kept.size());
    kept.push_back(static_cast<int32_t>(p));
  }
  corners.reserve(plain.vertexCount());
  for (const int32_t point : plain.vertexPoints()) corners.push_back(newPoint[point]);
  plain.replacePoints(kept, corners);
  return plain;
}

void setPieceName(Geometry& geometry, const std::string& name) {
  Attribute& names = geometry.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  std::vector<int32_t> indices(geometry.primitiveCount(), 0);
  names.assignStrings({CowArray<std::string>{name}, std::move(indices)});
}

Geometry unpackLevel(const Geometry& geometry, Context& context, int depth) {
  if (geometry.countOf(PrimitiveType::Packed) == 0) return geometry;
  if (depth > kMaxNesting)
    throw Error(ErrorCode::BadInput, "packed geometry is nested more than 64 levels deep",
                "unpack it in Houdini");
  std::vector<Geometry> parts{plainPart(geometry)};  // what is not packed keeps its place in front
  Contents contents(context, depth);
  const Attribute* pieceNames = geometry.findAttribute(Owner::Point, "name");
  if (pieceNames && (!pieceNames->isString() || pieceNames->tupleSize() < 1)) pieceNames = nullptr;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Packed) continue;
    const PackedPrimitive& packed = geometry.packed(p);
    const size_t point = static_cast<size_t>(geometry.corners(p)[0]);
    Geometry content = contents.of(packed);
    const Mat3 linear = packed.transform.transpose();  // for column vectors
    transformGeometry(content, linear, geometry.position(point) - linear * packed.pivot, context);
    if (pieceNames && !pieceNames->string(point).empty()) setPieceName(content, pieceNames->string(point));
    parts.push_back(std::move(content));
  }
  return merged(parts);
}

}  // namespace

Geometry unpacked(const Geometry& geometry) {
  Context context;
  return unpackLevel(geometry, context, 0);
}

}  // namespace hackle
