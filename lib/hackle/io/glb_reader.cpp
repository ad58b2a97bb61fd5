#include <hackle/io/glb.h>

#include <hackle/io/gltf_document.h>
#include <hackle/io/left_out.h>
#include <hackle/io/seams.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace hackle {

namespace {

using Json = nlohmann::json;
using Transform = Eigen::Affine3d;

/// Extensions that change nothing about the shape of meshes.
constexpr std::string_view kHarmless[] = {"KHR_mesh_quantization", "KHR_texture_transform",
                                          "KHR_texture_basisu",    "KHR_lights_punctual",
                                          "EXT_texture_webp",      "KHR_materials_"};

constexpr size_t kAny = std::numeric_limits<int32_t>::max();

void refuseUnknownExtensions(const GltfDocument& document) {
  for (const Json& item : optionalList(document.root(), "extensionsRequired", "the file")) {
    const std::string name = item.is_string() ? item.get<std::string>() : "";
    const bool harmless =
        std::any_of(std::begin(kHarmless), std::end(kHarmless),
                    [&](std::string_view known) { return name.compare(0, known.size(), known) == 0; });
    if (!harmless)
      throw Error(ErrorCode::BadInput,
                  fmt::format("the file requires the extension {}, which Hackle does not read", name),
                  "export it without compression and extensions");
  }
}

Transform nodeTransform(const Json& node, const std::string& where) {
  Transform transform = Transform::Identity();
  if (const auto matrix = optionalNumbers(node, "matrix", 16, where)) {
    for (int column = 0; column < 4; ++column)
      for (int row = 0; row < 3; ++row) transform(row, column) = (*matrix)[4 * column + row];
    return transform;
  }
  if (const auto t = optionalNumbers(node, "translation", 3, where))
    transform.translate(Vec3((*t)[0], (*t)[1], (*t)[2]));
  if (const auto r = optionalNumbers(node, "rotation", 4, where))
    transform.rotate(Eigen::Quaterniond((*r)[3], (*r)[0], (*r)[1], (*r)[2]).normalized());
  if (const auto s = optionalNumbers(node, "scale", 3, where))
    transform.scale(Vec3((*s)[0], (*s)[1], (*s)[2]));
  return transform;
}

struct PlacedNode {
  size_t index = 0;
  Transform transform = Transform::Identity();
};

/// All nodes of the scene in depth-first order with their places in the world.
std::vector<PlacedNode> placedNodes(const GltfDocument& document, Context& context) {
  const size_t count = document.count("nodes");
  std::vector<uint8_t> state(count, 0);  // 1: somebody's child or visited
  std::vector<PlacedNode> stack, placed;
  const auto push = [&](const Json& list, const Transform& parent, const std::string& where) {
    for (size_t i = list.size(); i-- > 0;) {
      const size_t node = list[i].is_number_unsigned() ? list[i].get<size_t>() : count;
      if (node >= count) throw Error(ErrorCode::BadInput, where + " names a node that is not there");
      if (state[node]++)
        throw Error(ErrorCode::BadInput, fmt::format("nodes[{}] has more than one parent", node));
      stack.push_back({node, parent});
    }
  };

  if (document.count("scenes") > 0) {
    const size_t scene = optionalIndex(document.root(), "scene", kAny, "the file").value_or(0);
    push(optionalList(document.entry("scenes", scene), "nodes", "the scene"), Transform::Identity(),
         "the scene");
  } else {
    // Without scenes, all nodes that are nobody's child.
    std::vector<uint8_t> isChild(count, 0);
    for (size_t n = 0; n < count; ++n)
      for (const Json& child : optionalList(document.entry("nodes", n), "children", "a node"))
        if (child.is_number_unsigned() && child.get<size_t>() < count) isChild[child.get<size_t>()] = 1;
    Json roots = Json::array();
    for (size_t n = 0; n < count; ++n)
      if (!isChild[n]) roots.push_back(n);
    push(roots, Transform::Identity(), "the file");
  }
  while (!stack.empty()) {
    context.checkCancel();
    PlacedNode node = stack.back();
    stack.pop_back();
    const std::string where = fmt::format("nodes[{}]", node.index);
    const Json& json = document.entry("nodes", node.index);
    node.transform = node.transform * nodeTransform(json, where);
    push(optionalList(json, "children", where), node.transform, where);
    placed.push_back(node);
  }
  return placed;
}

/// Puts together the geometry, node by node.
class MeshCollector {
 public:
  MeshCollector(const GltfDocument& document, Context& context)
      : mDocument(document), mContext(context), mBudget(16 * document.fileSize() + 65536) {}

  void addNode(const PlacedNode& node) {
    mContext.checkCancel();
    const Json& json = mDocument.entry("nodes", node.index);
    const std::string where = fmt::format("nodes[{}]", node.index);
    const auto mesh = optionalIndex(json, "mesh", kAny, where);
    if (!mesh) return;
    mSkins += json.contains("skin");
    mNode = optionalString(json, "name");
    mTransform = node.transform;
    mNormalTransform = node.transform.linear().inverse().transpose();
    mMirrored = node.transform.linear().determinant() < 0;
    mVerticesOf.clear();
    mTriangles.clear();
    const size_t firstVertex = mPositions.size();
    const std::string meshWhere = fmt::format("meshes[{}]", *mesh);
    const Json& primitives = optionalList(mDocument.entry("meshes", *mesh), "primitives", meshWhere);
    for (size_t p = 0; p < primitives.size(); ++p) {
      mContext.checkCancel();
      if (!primitives[p].is_object()) fail(meshWhere, "has a primitive that is no object");
      addPrimitive(primitives[p], fmt::format("{}.primitives[{}]", meshWhere, p));
    }
    mContext.checkCancel();
    // The file has a vertex for each uv or normal at a point: make points of them again.
    const Span<const Vec3> ownPositions(mPositions.data() + firstVertex, mPositions.size() - firstVertex);
    for (int32_t& vertex : mTriangles) vertex -= static_cast<int32_t>(firstVertex);
    for (const int32_t vertex : joinSeams(ownPositions, mTriangles))
      mSameAs.push_back(static_cast<int32_t>(firstVertex) + vertex);
  }

  Geometry finish() {
    Geometry geometry;
    geometry.positionFileStorage = Storage::Float32;
    const std::vector<int32_t> vertexOf = mCorners;
    numberPoints();
    geometry.addPoints(mPositions.size());
    geometry.editPositions() = std::move(mPositions);
    // Lists of equal type are added in one go, so that polygons and polylines keep their order.
    for (const Run& run : mRuns)
      geometry.addPrimitives(run.type, Span<const int32_t>(mCounts).subspan(run.firstCount, run.counts),
                             Span<const int32_t>(mCorners).subspan(run.firstCorner, run.corners));
    addFloats(geometry, "N", "normal", mNormals, vertexOf);
    addFloats(geometry, "uv", "texturecoord", mUvs, vertexOf);
    addFloats(geometry, "Cd", "color", mColours, vertexOf);
    addStrings(geometry, "name", mNames);
    addStrings(geometry, "shop_materialpath", mMaterials);
    for (const auto& [name, members] : mGroups) {
      Group& group = geometry.addGroup(Owner::Primitive, name);
      std::vector<uint8_t>& bits = group.bits.edit();
      for (const int32_t p : members) bits[p] = 1;
    }
    return geometry;
  }

  void report(LeftOut& leftOut) const {
    leftOut.addCount(mSkins, "skin", "skins");
    leftOut.addCount(mMorphed, "mesh's morph targets", "meshes' morph targets");
    leftOut.addCount(mTransparent, "mesh's vertex opacity", "meshes' vertex opacity");
    for (const auto& [name, count] : mOtherAttributes) leftOut.add("vertex attribute", name);
  }

 private:
  struct Run {
    PrimitiveType type;
    size_t firstCount, counts, firstCorner, corners;
  };

  [[noreturn]] static void fail(const std::string& where, const std::string& what) {
    throw Error(ErrorCode::BadInput, where + " " + what);
  }

  /// Instances multiply the file: a hostile one could fill any memory.
  void spend(size_t elements) {
    if (elements > mBudget)
      throw Error(ErrorCode::BadInput, "the instances of its meshes are more than 16 times the file",
                  "export fewer copies, or copy in the scene instead");
    mBudget -= elements;
  }

  void addPrimitive(const Json& primitive, const std::string& where) {
    const auto found = primitive.find("attributes");
    if (found == primitive.end() || !found->is_object()) fail(where, "has no attributes");
    const Json& attributes = *found;
    const auto position = optionalIndex(attributes, "POSITION", kAny, where);
    if (!position) return;
    mMorphed += primitive.contains("targets");
    for (const auto& [name, value] : attributes.items())
      if (name != "POSITION" && name != "NORMAL" && name != "TEXCOORD_0" && name != "COLOR_0" &&
          name != "TANGENT")
        ++mOtherAttributes[name];
    size_t count = 0;
    const size_t first = addVertices(attributes, *position, where, count);

    const auto indexAccessor = optionalIndex(primitive, "indices", kAny, where);
    std::vector<uint32_t> indices;
    if (indexAccessor) {
      indices = mDocument.readIndices(*indexAccessor);
    } else {
      indices.resize(count);
      for (size_t i = 0; i < count; ++i) indices[i] = static_cast<uint32_t>(i);
    }
    spend(indices.size());
    for (const uint32_t index : indices)
      if (index >= count) fail(where, fmt::format("has index {} of {} vertices", index, count));
    const size_t firstPrimitive = mCounts.size();
    const size_t mode = optionalIndex(primitive, "mode", 255, where).value_or(4);
    addShapes(mode, indices, first, where);
    nameNewPrimitives(primitive, firstPrimitive, where);
  }

  /// Keeps the file's vertices; primitives of one node that share all accessors share them. Returns the
  /// first.
  size_t addVertices(const Json& attributes, size_t position, const std::string& where, size_t& count) {
    const auto accessorOf = [&](const char* name) { return optionalIndex(attributes, name, kAny, where); };
    const std::array<std::optional<size_t>, 4> key{position, accessorOf("NORMAL"), accessorOf("TEXCOORD_0"),
                                                   accessorOf("COLOR_0")};
    if (const auto known = mVerticesOf.find(key); known != mVerticesOf.end()) {
      count = known->second.second;
      return known->second.first;
    }
    const AccessorValues positions = mDocument.readFloats(position);
    if (positions.components != 3) fail(where, "has positions that are no vectors of 3");
    count = positions.count;
    const size_t first = mPositions.size();
    spend(count);
    if (first + count > kAny) fail(where, "brings the points above 2^31");
    for (size_t i = 0; i < count; ++i) {
      const float* p = &positions.values[3 * i];
      mPositions.push_back(mTransform * Vec3(p[0], p[1], p[2]));
    }
    const auto attribute = [&](std::optional<size_t> accessor, int least, int most, const char* name,
                               std::vector<float>& out, const auto& convert) {
      if (!accessor) return;
      const AccessorValues values = mDocument.readFloats(*accessor);
      if (values.count != count || values.components < least || values.components > most)
        fail(where, fmt::format("has a {} that does not fit its positions", name));
      out.resize(3 * mPositions.size(), 0.0f);
      for (size_t i = 0; i < count; ++i) {
        const Eigen::Vector3f v = convert(&values.values[i * static_cast<size_t>(values.components)]);
        std::copy_n(v.data(), 3, &out[3 * (first + i)]);
      }
    };
    attribute(key[1], 3, 3, "NORMAL", mNormals, [&](const float* v) {
      const Vec3 n = mNormalTransform * Vec3(v[0], v[1], v[2]);
      const double length = n.norm();
      return Eigen::Vector3f((length > 0 ? Vec3(n / length) : Vec3(0, 0, 0)).cast<float>());
    });
    // In glTF v runs down from the top of the texture.
    attribute(key[2], 2, 2, "TEXCOORD_0", mUvs,
              [](const float* v) { return Eigen::Vector3f(v[0], 1.0f - v[1], 0.0f); });
    bool transparent = false;
    const bool hasAlpha = key[3] && optionalString(mDocument.entry("accessors", *key[3]), "type") == "VEC4";
    attribute(key[3], 3, 4, "COLOR_0", mColours, [&](const float* v) {
      transparent |= hasAlpha && v[3] < 1.0f;
      return Eigen::Vector3f(v[0], v[1], v[2]);
    });
    mTransparent += transparent;
    mVerticesOf[key] = {first, count};
    return first;
  }

  void addShape(PrimitiveType type, std::initializer_list<uint32_t> indices, size_t first) {
    startRun(type);
    ++mRuns.back().counts;
    mRuns.back().corners += indices.size();
    mCounts.push_back(static_cast<int32_t>(indices.size()));
    for (const uint32_t index : indices) mCorners.push_back(static_cast<int32_t>(first + index));
  }

  void startRun(PrimitiveType type) {
    if (mRuns.empty() || mRuns.back().type != type)
      mRuns.push_back({type, mCounts.size(), 0, mCorners.size(), 0});
  }

  void addTriangle(uint32_t a, uint32_t b, uint32_t c, size_t first) {
    if (mMirrored) std::swap(b, c);
    addShape(PrimitiveType::Polygon, {a, b, c}, first);
    mTriangles.insert(mTriangles.end(), mCorners.end() - 3, mCorners.end());
  }

  void addShapes(size_t mode, const std::vector<uint32_t>& indices, size_t first, const std::string& where) {
    const size_t n = indices.size();
    const auto distinct = [&](size_t a, size_t b, size_t c) {
      return indices[a] != indices[b] && indices[b] != indices[c] && indices[a] != indices[c];
    };
    switch (mode) {
      case 0:  // points stay loose
        break;
      case 1:
        for (size_t i = 0; i + 1 < n; i += 2)
          addShape(PrimitiveType::Polyline, {indices[i], indices[i + 1]}, first);
        break;
      case 2:
      case 3:
        addPath(indices, mode == 2, first);
        break;
      case 4:
        for (size_t i = 0; i + 2 < n; i += 3) addTriangle(indices[i], indices[i + 1], indices[i + 2], first);
        break;
      case 5:  // every second triangle of a strip is turned over; degenerate ones only join its parts
        for (size_t i = 0; i + 2 < n; ++i)
          if (distinct(i, i + 1, i + 2))
            addTriangle(indices[i], indices[i + 1 + i % 2], indices[i + 2 - i % 2], first);
        break;
      case 6:
        for (size_t i = 1; i + 1 < n; ++i)
          if (distinct(0, i, i + 1)) addTriangle(indices[0], indices[i], indices[i + 1], first);
        break;
      default:
        fail(where, fmt::format("has the unknown mode {}", mode));
    }
  }

  void addPath(const std::vector<uint32_t>& indices, bool closed, size_t first) {
    if (indices.size() < 2) return;
    startRun(PrimitiveType::Polyline);
    const size_t corners = indices.size() + (closed ? 1 : 0);
    ++mRuns.back().counts;
    mRuns.back().corners += corners;
    mCounts.push_back(static_cast<int32_t>(corners));
    for (size_t i = 0; i < corners; ++i)
      mCorners.push_back(static_cast<int32_t>(first + indices[i % indices.size()]));
  }

  /// Gives the primitives from `firstPrimitive` on the node's name and the material.
  void nameNewPrimitives(const Json& primitive, size_t firstPrimitive, const std::string& where) {
    std::string material, group;
    if (const auto index = optionalIndex(primitive, "material", kAny, where)) {
      const Json& json = mDocument.entry("materials", *index);
      material = optionalString(json, "name");
      if (json.contains("extras") && json["extras"].is_object())
        group = optionalString(json["extras"], "group");
      if (group != "inside" && group != "outside") group.clear();
      // Then the name only repeats the group.
      if (material == group) material.clear();
    }
    mNames.emplace_back(firstPrimitive, mNode);
    mMaterials.emplace_back(firstPrimitive, material);
    if (group.empty()) return;
    for (size_t p = firstPrimitive; p < mCounts.size(); ++p)
      mGroups[group].push_back(static_cast<int32_t>(p));
  }

  /// Leaves only the first of vertices that are one point; corners name points afterwards.
  void numberPoints() {
    std::vector<int32_t> pointOf(mSameAs.size());
    size_t points = 0;
    for (size_t v = 0; v < mSameAs.size(); ++v) {
      const auto first = static_cast<size_t>(mSameAs[v]);
      pointOf[v] = first == v ? static_cast<int32_t>(points) : pointOf[first];
      if (first == v) mPositions[points++] = mPositions[v];
    }
    mPositions.resize(points);
    for (int32_t& corner : mCorners) corner = pointOf[corner];
  }

  /// `values` holds 3 per vertex of the file. An attribute of points if the vertices of every point agree,
  /// else of corners, whose vertices in the file are `vertexOf`.
  void addFloats(Geometry& geometry, const char* name, const char* qualifier, std::vector<float>& values,
                 Span<const int32_t> vertexOf) const {
    if (values.empty()) return;
    values.resize(3 * mSameAs.size(), 0.0f);
    const auto valueOf = [&](size_t vertex) { return values.data() + 3 * vertex; };
    std::vector<float> chosen;
    bool agree = true;
    for (size_t v = 0; v < mSameAs.size() && agree; ++v) {
      const auto first = static_cast<size_t>(mSameAs[v]);
      agree = std::equal(valueOf(v), valueOf(v) + 3, valueOf(first));
      if (first == v) chosen.insert(chosen.end(), valueOf(v), valueOf(v) + 3);
    }
    if (!agree) {
      chosen.clear();
      for (const int32_t vertex : vertexOf) {
        const float* value = valueOf(static_cast<size_t>(vertex));
        chosen.insert(chosen.end(), value, value + 3);
      }
    }
    Attribute attribute(name, Storage::Float32, 3, 0, qualifier);
    attribute.assign<float>(std::move(chosen));
    geometry.addAttribute(agree ? Owner::Point : Owner::Vertex, std::move(attribute));
  }

  /// `values` holds each text with the first primitive that has it. No attribute if all are empty.
  static void addStrings(Geometry& geometry, const char* name,
                         const std::vector<std::pair<size_t, std::string>>& values) {
    StringArray strings;
    std::vector<std::string>& table = strings.table.edit();
    std::vector<int32_t>& indices = strings.indices.edit();
    indices.assign(geometry.primitiveCount(), -1);
    std::unordered_map<std::string, int32_t> known;
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string& text = values[i].second;
      if (text.empty()) continue;
      const auto [place, added] = known.emplace(text, static_cast<int32_t>(table.size()));
      if (added) table.push_back(text);
      const size_t end = i + 1 < values.size() ? values[i + 1].first : indices.size();
      std::fill(indices.begin() + static_cast<std::ptrdiff_t>(values[i].first),
                indices.begin() + static_cast<std::ptrdiff_t>(end), place->second);
    }
    if (table.empty()) return;
    Attribute attribute(name, Storage::String, 1);
    attribute.assignStrings(std::move(strings));
    geometry.addAttribute(Owner::Primitive, std::move(attribute));
  }

  const GltfDocument& mDocument;
  Context& mContext;
  size_t mBudget;

  // Of the current node.
  std::string mNode;
  Transform mTransform = Transform::Identity();
  Mat3 mNormalTransform = Mat3::Identity();
  bool mMirrored = false;
  std::map<std::array<std::optional<size_t>, 4>, std::pair<size_t, size_t>> mVerticesOf;

  std::vector<int32_t> mTriangles;  // 3 vertices each

  // Of all nodes, by vertex of the file until finish().
  std::vector<Vec3> mPositions;
  std::vector<int32_t> mSameAs;                 // the first vertex of the same point
  std::vector<float> mNormals, mUvs, mColours;  // 3 per vertex, as far as some had them
  std::vector<Run> mRuns;
  std::vector<int32_t> mCounts, mCorners;
  std::vector<std::pair<size_t, std::string>> mNames, mMaterials;
  std::map<std::string, std::vector<int32_t>> mGroups;

  size_t mSkins = 0, mMorphed = 0, mTransparent = 0;
  std::map<std::string, size_t> mOtherAttributes;
};

}  // namespace

bool isGlb(std::string_view bytes) { return bytes.compare(0, 4, "glTF") == 0; }

Geometry readGlb(std::string_view bytes, const std::filesystem::path&, Context& context) {
  const GltfDocument document(bytes, context);
  refuseUnknownExtensions(document);
  MeshCollector collector(document, context);
  for (const PlacedNode& node : placedNodes(document, context)) collector.addNode(node);
  LeftOut leftOut("glTF");
  collector.report(leftOut);
  leftOut.addCount(document.count("animations"), "animation", "animations");
  leftOut.addCount(document.count("cameras"), "camera", "cameras");
  leftOut.warn(context);
  return collector.finish();
}

}  // namespace hackle
