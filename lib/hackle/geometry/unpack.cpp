#include <hackle/geometry/fragment_index.h>
#include <hackle/geometry/geometry.h>
#include <hackle/geometry/transform.h>
#include <hackle/geometry/unpack.h>

#include <map>
#include <set>
#include <string>
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

/// The geometry without its packed primitives; all points stay.
Geometry plainPart(const Geometry& geometry) {
  std::vector<int32_t> primitives;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (geometry.primitiveType(p) != PrimitiveType::Packed) primitives.push_back(static_cast<int32_t>(p));
  return geometry.extract(primitives, /*keepPoints=*/true);
}

/// What names and places a piece: of no use once it is unpacked.
const std::set<std::string>& spentAttributes() {
  static const std::set<std::string> kNames{"name", "orient", "pivot", "scale",    "pscale",
                                            "rot",  "trans",  "up",    "transform"};
  return kNames;
}

/// Gives the points of a part what the point that held it says, unless they say it themselves.
void handDown(const Geometry& geometry, int32_t point, Geometry& part) {
  const std::vector<int32_t> same(part.pointCount(), point);
  for (const Attribute& source : geometry.attributes(Owner::Point))
    if (spentAttributes().count(source.name()) == 0 && !part.findAttribute(Owner::Point, source.name()))
      part.addAttribute(Owner::Point, source.gathered(same));
}

/// Drops the marked points, but for those that a primitive uses.
Geometry withoutPoints(const Geometry& geometry, std::vector<uint8_t> unwanted) {
  for (const int32_t point : geometry.vertexPoints()) unwanted[point] = 0;
  std::vector<int32_t> kept, number(geometry.pointCount(), -1), corners;
  for (size_t p = 0; p < unwanted.size(); ++p) {
    if (unwanted[p]) continue;
    number[p] = static_cast<int32_t>(kept.size());
    kept.push_back(static_cast<int32_t>(p));
  }
  corners.reserve(geometry.vertexCount());
  for (const int32_t point : geometry.vertexPoints()) corners.push_back(number[point]);
  Geometry rest = geometry;
  rest.replacePoints(kept, corners);
  // Without points, the names of pieces would stay as an empty attribute beside those of the primitives.
  if (kept.empty())
    for (const std::string& name : spentAttributes()) rest.removeAttribute(Owner::Point, name);
  return rest;
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
  std::vector<UnpackedPart> parts;
  Contents contents(context, depth);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Packed) continue;
    const PackedPrimitive& packed = geometry.packed(p);
    const int32_t point = geometry.corners(p)[0];
    Geometry content = contents.of(packed);
    const Mat3 linear = packed.transform.transpose();  // for column vectors
    transformGeometry(content, linear, geometry.position(point) - linear * packed.pivot, context);
    parts.push_back({point, std::move(content)});
  }
  return withUnpacked(plainPart(geometry), std::move(parts));
}

}  // namespace

Geometry withUnpacked(const Geometry& geometry, std::vector<UnpackedPart> parts) {
  std::vector<uint8_t> heldPacked(geometry.pointCount(), 0);
  for (const UnpackedPart& part : parts) heldPacked[part.point] = 1;
  const Attribute* names = geometry.findAttribute(Owner::Point, "name");
  if (names && (!names->isString() || names->tupleSize() < 1)) names = nullptr;
  std::vector<Geometry> all{withoutPoints(geometry, std::move(heldPacked))};
  for (UnpackedPart& part : parts) {
    if (names && !names->string(part.point).empty()) setPieceName(part.geometry, names->string(part.point));
    handDown(geometry, part.point, part.geometry);
    all.push_back(std::move(part.geometry));
  }
  return merged(all);
}

Geometry unpacked(const Geometry& geometry) {
  Context context;
  return unpackLevel(geometry, context, 0);
}

}  // namespace hackle
