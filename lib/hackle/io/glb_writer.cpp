#include <hackle/io/glb.h>

#include <hackle/core/version.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/io/byte_order.h>
#include <hackle/io/left_out.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace hackle {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kFloat = 5126;
constexpr int kUnsigned = 5125;
enum Mode { kLines = 1, kTriangles = 4 };

/// A float attribute on vertices or points, of at least some components; null where there is none.
struct Source {
  const Attribute* attribute = nullptr;
  bool onVertices = false;

  Source(const Geometry& geometry, const std::string& name, int leastComponents) {
    for (const Owner owner : {Owner::Vertex, Owner::Point}) {
      const Attribute* found = geometry.findAttribute(owner, name);
      if (!found || !found->isFloat() || found->tupleSize() < leastComponents) continue;
      attribute = found;
      onVertices = owner == Owner::Vertex;
      return;
    }
  }
  explicit operator bool() const { return attribute != nullptr; }
  bool is(Owner owner, const std::string& name) const {
    return attribute && attribute->name() == name && owner == (onVertices ? Owner::Vertex : Owner::Point);
  }
  /// Zero for what is not finite.
  float number(int32_t point, int32_t vertex, int c) const {
    const auto value =
        static_cast<float>(attribute->number(static_cast<size_t>(onVertices ? vertex : point), c));
    return std::isfinite(value) ? value : 0.0f;
  }
};

/// All that a vertex of the file has beside its position.
struct VertexData {
  std::array<float, 3> normal{};
  std::array<float, 2> uv{};
  std::array<float, 3> colour{};
  bool operator==(const VertexData& o) const {
    return normal == o.normal && uv == o.uv && colour == o.colour;
  }
};

/// One buffer view of equal elements, grown piece by piece.
struct Stream {
  const char* type;  // "VEC3"
  size_t stride;
  std::string bytes;
  int view = -1;  // index in the file, once it is known

  size_t count() const { return bytes.size() / stride; }
  template <class T>
  void push(T value) {
    char raw[sizeof(T)];
    storeNumber(raw, value);
    bytes.append(raw, sizeof(T));
  }
};

/// What sets primitives of one piece apart: how they are drawn and of what they are made.
struct Bucket {
  int mode = kTriangles;
  std::string group;     // "inside", "outside" or ""
  std::string material;  // shop_materialpath or ""
  bool operator<(const Bucket& o) const {
    return std::tie(mode, group, material) < std::tie(o.mode, o.group, o.material);
  }
};

class GlbWriter {
 public:
  GlbWriter(const Geometry& geometry, Context& context)
      : mGeometry(geometry),
        mContext(context),
        mNormal(geometry, "N", 3),
        mUv(geometry, "uv", 2),
        mColour(geometry, "Cd", 3),
        mTriangles(triangleMesh(geometry)),
        mInside(geometry.findGroup(Owner::Primitive, "inside")),
        mOutside(geometry.findGroup(Owner::Primitive, "outside")),
        mLastOf(geometry.pointCount(), -1) {
    const Attribute* material = geometry.findAttribute(Owner::Primitive, "shop_materialpath");
    if (material && material->isString() && material->tupleSize() == 1) mMaterial = material;
    mHasNames = hasPieceNames(geometry);
    // The triangles of each primitive stand together.
    mFirstTriangle.assign(geometry.primitiveCount() + 1, 0);
    for (const int32_t p : mTriangles.primitives) ++mFirstTriangle[p + 1];
    for (size_t p = 1; p < mFirstTriangle.size(); ++p) mFirstTriangle[p] += mFirstTriangle[p - 1];
  }

  std::string write() {
    warnAboutTheRest();
    if (mHasNames) {
      const Pieces pieces = piecesByName(mGeometry);
      for (size_t i = 0; i < pieces.count(); ++i) {
        if (i % 256 == 0) mContext.checkCancel();
        writePiece(pieces.names[i], pieces.primitivesOf(i));
      }
    } else {
      std::vector<int32_t> all(mGeometry.primitiveCount());
      for (size_t p = 0; p < all.size(); ++p) all[p] = static_cast<int32_t>(p);
      writePiece("", all);
    }
    return file();
  }

 private:
  void warnAboutTheRest() {
    Carried carried;
    carried.primitives = [](PrimitiveType type) {
      return type == PrimitiveType::Polygon || type == PrimitiveType::Polyline;
    };
    carried.attributes = [&](Owner owner, const Attribute& attribute) {
      return mNormal.is(owner, attribute.name()) || mUv.is(owner, attribute.name()) ||
             mColour.is(owner, attribute.name()) ||
             (owner == Owner::Primitive &&
              (&attribute == mMaterial || (mHasNames && attribute.name() == "name")));
    };
    carried.groups = [&](Owner owner, const Group& group) {
      return owner == Owner::Primitive && (group.name == "inside" || group.name == "outside");
    };
    LeftOut leftOut("glTF");
    leftOut.compare(mGeometry, carried);
    std::vector<uint8_t> used(mGeometry.pointCount(), 0);
    for (const int32_t point : mGeometry.vertexPoints()) used[point] = 1;
    leftOut.addCount(static_cast<size_t>(std::count(used.begin(), used.end(), 0)), "loose point",
                     "loose points");
    leftOut.warn(mContext);
  }

  Bucket bucketOf(size_t primitive) const {
    Bucket bucket;
    if (mGeometry.primitiveType(primitive) == PrimitiveType::Polyline) bucket.mode = kLines;
    if (mInside && mInside->bits[primitive])
      bucket.group = "inside";
    else if (mOutside && mOutside->bits[primitive])
      bucket.group = "outside";
    if (mMaterial) bucket.material = mMaterial->string(primitive);
    return bucket;
  }

  void writePiece(const std::string& name, Span<const int32_t> primitives) {
    mFirstVertex = mPositions.count();
    mNextOf.clear();
    mData.clear();
    std::map<Bucket, std::vector<uint32_t>> indices;
    for (const int32_t p : primitives) {
      const auto primitive = static_cast<size_t>(p);
      const PrimitiveType type = mGeometry.primitiveType(primitive);
      if (type == PrimitiveType::Polygon && mFirstTriangle[primitive] < mFirstTriangle[primitive + 1])
        addTriangles(primitive, indices[bucketOf(primitive)]);
      if (type == PrimitiveType::Polyline && mGeometry.vertexCount(primitive) > 1)
        addSegments(primitive, indices[bucketOf(primitive)]);
    }
    for (const int32_t point : mTouched) mLastOf[point] = -1;
    mTouched.clear();
    if (indices.empty()) return;

    Json node = Json::object();
    if (!name.empty()) node["name"] = name;
    node["mesh"] = mMeshes.size();
    mNodes.push_back(std::move(node));
    Json mesh = Json::object();
    if (!name.empty()) mesh["name"] = name;
    const Json attributes = vertexAccessors();
    for (const auto& [bucket, list] : indices) {
      Json primitive = Json::object();
      primitive["attributes"] = attributes;
      primitive["indices"] = indexAccessor(list);
      primitive["mode"] = bucket.mode;
      if (const auto material = materialOf(bucket)) primitive["material"] = *material;
      mesh["primitives"].push_back(std::move(primitive));
    }
    mMeshes.push_back(std::move(mesh));
  }

  void addTriangles(size_t primitive, std::vector<uint32_t>& indices) {
    for (auto t = static_cast<size_t>(mFirstTriangle[primitive]);
         t < static_cast<size_t>(mFirstTriangle[primitive + 1]); ++t)
      for (size_t c = 0; c < 3; ++c)
        indices.push_back(vertexFor(mTriangles.triangles[t][c], mTriangles.vertices[t][c]));
  }

  void addSegments(size_t primitive, std::vector<uint32_t>& indices) {
    const auto first = static_cast<int32_t>(mGeometry.firstVertex(primitive));
    const Span<const int32_t> corners = mGeometry.corners(primitive);
    for (size_t c = 0; c + 1 < corners.size(); ++c)
      for (const size_t end : {c, c + 1})
        indices.push_back(vertexFor(corners[end], first + static_cast<int32_t>(end)));
  }

  /// The file's vertex for a corner: an earlier one of the piece with the same point and equal data, or a
  /// new one. Vertices of one point form a chain.
  uint32_t vertexFor(int32_t point, int32_t vertex) {
    VertexData data;
    for (int c = 0; c < 3; ++c) {
      const auto i = static_cast<size_t>(c);
      if (mNormal) data.normal[i] = mNormal.number(point, vertex, c);
      if (mUv && c < 2) data.uv[i] = mUv.number(point, vertex, c);
      if (mColour) data.colour[i] = std::clamp(mColour.number(point, vertex, c), 0.0f, 1.0f);
    }
    int32_t& last = mLastOf[point];
    for (int32_t known = last; known >= 0; known = mNextOf[known])
      if (mData[known] == data) return static_cast<uint32_t>(known);
    if (last < 0) mTouched.push_back(point);
    mNextOf.push_back(last);
    last = static_cast<int32_t>(mData.size());
    mData.push_back(data);
    push(point, data);
    return static_cast<uint32_t>(last);
  }

  void push(int32_t point, const VertexData& data) {
    const Vec3& position = mGeometry.position(static_cast<size_t>(point));
    for (int c = 0; c < 3; ++c) {
      const auto value = static_cast<float>(position[c]);
      if (!std::isfinite(value))
        throw Error(ErrorCode::BadInput, fmt::format("point {} has no finite position", point),
                    "glTF has no place for it; remove the point first");
      mPositions.push(value);
    }
    if (mNormal) {
      const Eigen::Vector3f n(data.normal.data());
      const float length = n.norm();
      // The format wants unit vectors; up stands for what has no direction.
      const Eigen::Vector3f unit = length > 1e-20f ? Eigen::Vector3f(n / length) : Eigen::Vector3f(0, 1, 0);
      for (int c = 0; c < 3; ++c) mNormals.push(unit[c]);
    }
    if (mUv) {
      mUvs.push(data.uv[0]);
      mUvs.push(1.0f - data.uv[1]);  // v runs down from the top of the texture
    }
    if (mColour)
      for (const float value : data.colour) mColours.push(value);
  }

  Json accessor(int view, size_t byteOffset, int componentType, size_t count, const char* type) {
    Json json = Json::object();
    json["bufferView"] = view;
    json["byteOffset"] = byteOffset;
    json["componentType"] = componentType;
    json["count"] = count;
    json["type"] = type;
    return json;
  }

  int add(Json accessor) {
    mAccessors.push_back(std::move(accessor));
    return static_cast<int>(mAccessors.size()) - 1;
  }

  /// Accessors for the vertices of the current piece.
  Json vertexAccessors() {
    const size_t count = mData.size();
    Json attributes = Json::object();
    const auto one = [&](const char* name, Stream& stream) {
      if (stream.bytes.empty()) return;
      if (stream.view < 0) stream.view = mViewCount++;
      Json json = accessor(stream.view, mFirstVertex * stream.stride, kFloat, count, stream.type);
      if (&stream == &mPositions) addBounds(json);
      attributes[name] = add(std::move(json));
    };
    one("POSITION", mPositions);
    one("NORMAL", mNormals);
    one("TEXCOORD_0", mUvs);
    one("COLOR_0", mColours);
    return attributes;
  }

  void addBounds(Json& json) const {
    std::array<float, 3> low, high;
    low.fill(std::numeric_limits<float>::infinity());
    high.fill(-std::numeric_limits<float>::infinity());
    for (size_t v = mFirstVertex; v < mPositions.count(); ++v)
      for (size_t c = 0; c < 3; ++c) {
        const float value = loadNumber<float>(mPositions.bytes.data() + 12 * v + 4 * c);
        low[c] = std::min(low[c], value);
        high[c] = std::max(high[c], value);
      }
    json["min"] = low;
    json["max"] = high;
  }

  int indexAccessor(const std::vector<uint32_t>& indices) {
    if (mIndices.view < 0) mIndices.view = mViewCount++;
    const size_t offset = mIndices.bytes.size();
    for (const uint32_t index : indices) mIndices.push(index);
    return add(accessor(mIndices.view, offset, kUnsigned, indices.size(), "SCALAR"));
  }

  /// The index of the bucket's material, made when first asked for; none for plain faces.
  std::optional<int> materialOf(const Bucket& bucket) {
    if (bucket.group.empty() && bucket.material.empty()) return std::nullopt;
    const auto [place, added] =
        mMaterialIndex.emplace(std::pair(bucket.group, bucket.material), static_cast<int>(mMaterials.size()));
    if (added) {
      const bool inside = bucket.group == "inside";
      Json material = Json::object();
      material["name"] = bucket.material.empty() ? bucket.group : bucket.material;
      Json& shading = material["pbrMetallicRoughness"];
      shading["baseColorFactor"] =
          inside ? std::array<double, 4>{0.60, 0.15, 0.06, 1} : std::array<double, 4>{0.60, 0.59, 0.56, 1};
      shading["metallicFactor"] = 0;
      shading["roughnessFactor"] = 0.85;
      material["doubleSided"] = true;
      if (!bucket.group.empty()) material["extras"]["group"] = bucket.group;
      mMaterials.push_back(std::move(material));
    }
    return place->second;
  }

  std::string file() {
    // Lay the streams out one after the other; all have elements of whole words, so they stay aligned.
    std::array<Stream*, 5> streams{&mPositions, &mNormals, &mUvs, &mColours, &mIndices};
    std::sort(streams.begin(), streams.end(),
              [](const Stream* a, const Stream* b) { return a->view < b->view; });
    Json views = Json::array();
    std::string binary;
    for (Stream* stream : streams) {
      if (stream->view < 0) continue;
      Json view = Json::object();
      view["buffer"] = 0;
      view["byteOffset"] = binary.size();
      view["byteLength"] = stream->bytes.size();
      if (stream != &mIndices) view["byteStride"] = stream->stride;
      view["target"] = stream == &mIndices ? 34963 : 34962;
      views.push_back(std::move(view));
      binary += stream->bytes;
      stream->bytes = {};
    }

    Json root = Json::object();
    root["asset"]["version"] = "2.0";
    root["asset"]["generator"] = fmt::format("Hackle {}", version());
    root["scene"] = 0;
    Json scene = Json::object();
    for (size_t n = 0; n < mNodes.size(); ++n) scene["nodes"].push_back(n);
    root["scenes"].push_back(std::move(scene));
    const auto put = [&](const char* key, Json&& list) {
      if (!list.empty()) root[key] = std::move(list);
    };
    put("nodes", std::move(mNodes));
    put("meshes", std::move(mMeshes));
    put("materials", std::move(mMaterials));
    put("accessors", std::move(mAccessors));
    put("bufferViews", std::move(views));
    if (!binary.empty()) root["buffers"].push_back({{"byteLength", binary.size()}});
    return packed(root, binary);
  }

  static std::string packed(const Json& root, const std::string& binary) {
    std::string json = root.dump(-1, ' ', false, Json::error_handler_t::replace);
    json.append((4 - json.size() % 4) % 4, ' ');
    const size_t total = 12 + 8 + json.size() + (binary.empty() ? 0 : 8 + binary.size());
    if (total > std::numeric_limits<uint32_t>::max())
      throw Error(ErrorCode::Failed, "the file would be larger than the 4 GB that .glb allows",
                  "write fewer pieces at a time, or another format");
    Stream out{"", 1, {}, -1};
    out.bytes.reserve(total);
    out.bytes += "glTF";
    out.push<uint32_t>(2);
    out.push<uint32_t>(static_cast<uint32_t>(total));
    out.push<uint32_t>(static_cast<uint32_t>(json.size()));
    out.bytes += "JSON";
    out.bytes += json;
    if (!binary.empty()) {
      out.push<uint32_t>(static_cast<uint32_t>(binary.size()));
      out.bytes.append("BIN\0", 4);
      out.bytes += binary;
    }
    return std::move(out.bytes);
  }

  const Geometry& mGeometry;
  Context& mContext;
  Source mNormal, mUv, mColour;
  TriangleMesh mTriangles;
  std::vector<int32_t> mFirstTriangle;
  const Group* mInside;
  const Group* mOutside;
  const Attribute* mMaterial = nullptr;
  bool mHasNames = false;

  // Vertices of the current piece.
  size_t mFirstVertex = 0;
  std::vector<int32_t> mLastOf;   // a point: its latest vertex in the piece, or -1
  std::vector<int32_t> mTouched;  // points whose mLastOf is set
  std::vector<int32_t> mNextOf;   // a vertex: the one before it of the same point
  std::vector<VertexData> mData;

  Stream mPositions{"VEC3", 12, {}, -1}, mNormals{"VEC3", 12, {}, -1}, mUvs{"VEC2", 8, {}, -1},
      mColours{"VEC3", 12, {}, -1}, mIndices{"SCALAR", 4, {}, -1};
  int mViewCount = 0;
  Json mNodes = Json::array(), mMeshes = Json::array(), mMaterials = Json::array(),
       mAccessors = Json::array();
  std::map<std::pair<std::string, std::string>, int> mMaterialIndex;
};

}  // namespace

std::string writeGlb(const Geometry& geometry, const std::string&, Context& context) {
  return GlbWriter(geometry, context).write();
}

}  // namespace hackle
