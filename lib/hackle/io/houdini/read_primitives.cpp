#include <hackle/io/houdini/detail_parts.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace hackle::houdini {

namespace {

constexpr uint64_t kBytesPerPrimitive = 16;  // of PrimitiveTable, FileElements and Geometry together

class PrimitiveReader {
 public:
  PrimitiveReader(const JsonValue& root, Span<const int32_t> vertexPoints, std::vector<Vec3>& positions,
                  FileElements& elements, ReadScope& scope)
      : mVertexPoints(vertexPoints),
        mPositions(positions),
        mElements(elements),
        mScope(scope),
        mShared(root["sharedprimitivedata"]) {}

  PrimitiveTable read(const JsonValue& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      const JsonValue record = list.at(i);
      at(fmt::format("primitive {}", mRead), [&] { readRecord(record.at(0), record.at(1)); });
    }
    if (mRead != mElements.primitives)
      throw Error(ErrorCode::BadInput,
                  fmt::format("expected {} primitives, found {}", mElements.primitives, mRead));
    return std::move(mTable);
  }

 private:
  void readRecord(const JsonValue& header, const JsonValue& body) {
    mScope.context().checkCancel();
    const std::string_view type = header["type"].asString();
    if (type == "Polygon_run" || type == "p_r") return readFaces(body, PrimitiveType::Polygon);
    if (type == "PolygonCurve_run" || type == "c_r") return readFaces(body, PrimitiveType::Polyline);
    if (type == "Tetrahedron_run" || type == "t_r") return readFaces(body, PrimitiveType::Tetrahedron);
    if (type != "run") return readOne(type, PrimitiveFields(body));
    const std::string_view runType = header["runtype"].asString();
    const JsonValue names = header["varyingfields"], uniform = header["uniformfields"];
    if (!body.isList()) throw Error(ErrorCode::BadInput, "a run without a list of primitives");
    for (size_t i = 0; i < body.size(); ++i) readOne(runType, PrimitiveFields(names, body.at(i), uniform));
  }

  // Runs of polygons, polylines and tetrahedra ------------------------------------------------------------

  static JsonValue either(const JsonValue& body, const char* longName, const char* shortName) {
    const JsonValue value = body[longName];
    return value.isNull() ? body[shortName] : value;
  }

  void readFaces(const JsonValue& body, PrimitiveType type) {
    const int64_t firstVertex = either(body, "startvertex", "s_v").asInt();
    const int64_t count = either(body, "nprimitives", "n_p").asInt();
    if (count < 0 || firstVertex < 0)
      throw Error(ErrorCode::BadInput, fmt::format("a run of {} from vertex {}", count, firstVertex));
    const size_t faces = static_cast<size_t>(count), old = mTable.counts.size();
    mScope.claim(faces, kBytesPerPrimitive);
    const JsonValue runs = either(body, "nvertices_rle", "r_v"), sizes = either(body, "nvertices", "n_v");
    if (type == PrimitiveType::Tetrahedron) {
      mTable.counts.resize(old + faces, 4);
    } else if (!runs.isNull()) {
      readVertexRuns(runs, faces);
    } else {
      if (sizes.size() != faces)
        throw Error(ErrorCode::BadInput, fmt::format("a run of {} with {} sizes", faces, sizes.size()));
      mTable.counts.resize(old + faces);
      sizes.copyNumbers(0, faces, mTable.counts.data() + old);
    }

    uint64_t vertices = 0;
    for (size_t i = old; i < mTable.counts.size(); ++i) {
      if (mTable.counts[i] < 0)
        throw Error(ErrorCode::BadInput, fmt::format("a face with {} vertices", mTable.counts[i]));
      vertices += static_cast<uint64_t>(mTable.counts[i]);
    }
    if (vertices > mElements.vertices || static_cast<uint64_t>(firstVertex) > mElements.vertices - vertices)
      throw Error(ErrorCode::BadInput,
                  fmt::format("it uses vertices {} to {} of {}", firstVertex,
                              static_cast<uint64_t>(firstVertex) + vertices, mElements.vertices));
    mScope.claim(vertices, sizeof(int32_t));
    appendSequence(mElements.vertexSource, firstVertex, vertices);
    appendSequence(mElements.primitiveSource, static_cast<int64_t>(mRead), faces);
    mTable.types.resize(mTable.types.size() + faces, type);
    mRead += faces;
  }

  /// Pairs (vertices of a face, how many such faces).
  void readVertexRuns(const JsonValue& runs, size_t faces) {
    size_t total = 0;
    for (size_t i = 0; i < runs.size(); i += 2) {
      const int64_t size = runs.at(i).asInt(), repeat = runs.at(i + 1).asInt();
      if (repeat < 0 || static_cast<uint64_t>(repeat) > faces - total || size < 0 ||
          static_cast<uint64_t>(size) > mElements.vertices)
        throw Error(ErrorCode::BadInput, fmt::format("{} faces of {} vertices do not fit", repeat, size));
      total += static_cast<size_t>(repeat);
      mTable.counts.resize(mTable.counts.size() + static_cast<size_t>(repeat), static_cast<int32_t>(size));
    }
    if (total != faces)
      throw Error(ErrorCode::BadInput, fmt::format("a run of {} faces with sizes for {}", faces, total));
  }

  static void appendSequence(std::vector<int32_t>& list, int64_t first, size_t count) {
    const size_t old = list.size();
    list.resize(old + count);
    std::iota(list.begin() + static_cast<std::ptrdiff_t>(old), list.end(), static_cast<int32_t>(first));
  }

  // Single primitives -------------------------------------------------------------------------------------

  void readOne(std::string_view type, const PrimitiveFields& fields) {
    const auto read = [&] {
      if (type == "Poly" || type == "Polygon") return readPolygon(fields);
      if (type == "Tetrahedron") return addFace(PrimitiveType::Tetrahedron, fields["vertex"]);
      if (type == "PolySoup") return readSoup(fields);
      if (type == "PackedGeometry") return readPacked(PackedPrimitive::Kind::Geometry, fields);
      if (type == "PackedFragment") return readPacked(PackedPrimitive::Kind::Fragment, fields);
      if (type == "PackedDisk") return readPacked(PackedPrimitive::Kind::Disk, fields);
      if (type == "Volume" || type == "VDB") return readVolume(type == "VDB", fields);
      mScope.skipPrimitives(type, 1);
      mTable.particles = mTable.particles || type == "Part";
    };
    at(fmt::format("{} {}", type, mRead), read);
    ++mRead;
  }

  void readPolygon(const PrimitiveFields& fields) {
    const JsonValue closed = fields["closed"];
    const bool open = !closed.isNull() && !closed.asBool();
    addFace(open ? PrimitiveType::Polyline : PrimitiveType::Polygon, fields["vertex"]);
  }

  void addFace(PrimitiveType type, const JsonValue& vertices) {
    if (!vertices.isNumbers()) throw Error(ErrorCode::BadInput, "it has no list of vertices");
    if (type == PrimitiveType::Tetrahedron && vertices.size() != 4)
      throw Error(ErrorCode::BadInput, fmt::format("a tetrahedron of {} vertices", vertices.size()));
    std::vector<int32_t> corners(vertices.size());
    vertices.copyNumbers(0, corners.size(), corners.data());
    addCorners(type, corners);
  }

  void addCorners(PrimitiveType type, Span<const int32_t> corners) {
    mScope.claim(1, kBytesPerPrimitive);
    mScope.claim(corners.size(), sizeof(int32_t));
    for (const int32_t vertex : corners)
      if (vertex < 0 || static_cast<size_t>(vertex) >= mElements.vertices)
        throw Error(ErrorCode::BadInput, fmt::format("its vertex {} is not there", vertex));
    mTable.types.push_back(type);
    mTable.counts.push_back(static_cast<int32_t>(corners.size()));
    mElements.vertexSource.insert(mElements.vertexSource.end(), corners.begin(), corners.end());
    mElements.primitiveSource.push_back(static_cast<int32_t>(mRead));
  }

  void readSoup(const PrimitiveFields& fields) {
    const JsonValue info = fields["polyinfo"];
    const JsonValue sizes = info.at(0), counts = info.at(1), vertices = info.at(2);
    if (sizes.size() != counts.size())
      throw Error(ErrorCode::BadInput, fmt::format("{} sizes, but {} counts", sizes.size(), counts.size()));
    mScope.claim(vertices.size(), sizeof(int32_t));
    std::vector<int32_t> corners(vertices.size());
    vertices.copyNumbers(0, corners.size(), corners.data());
    size_t used = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      const int64_t size = sizes.intAt(i), repeat = counts.intAt(i);
      for (int64_t r = 0; r < repeat; ++r) {
        if (size < 0 || static_cast<uint64_t>(size) > corners.size() - used)
          throw Error(ErrorCode::BadInput,
                      fmt::format("it has too few vertices for {} polygons of {}", repeat, size));
        addCorners(PrimitiveType::Polygon,
                   Span<const int32_t>(corners).subspan(used, static_cast<size_t>(size)));
        used += static_cast<size_t>(size);
      }
    }
    if (used != corners.size())
      throw Error(ErrorCode::BadInput,
                  fmt::format("its polygons use {} of {} vertices", used, corners.size()));
  }

  /// The one vertex of a primitive that has a place only.
  int32_t onlyVertex(const PrimitiveFields& fields) const {
    JsonValue vertex = fields["vertex"];
    if (vertex.isList()) vertex = vertex.at(0);
    const int64_t v = vertex.asInt();
    if (v < 0 || static_cast<uint64_t>(v) >= mElements.vertices)
      throw Error(ErrorCode::BadInput, fmt::format("its vertex {} is not there", v));
    return static_cast<int32_t>(v);
  }

  void readPacked(PackedPrimitive::Kind kind, const PrimitiveFields& fields) {
    const JsonValue parameters = fields["parameters"];
    PackedPrimitive packed;
    packed.kind = kind;
    if (const JsonValue m = fields["transform"]; !m.isNull())
      for (int i = 0; i < 9; ++i) packed.transform(i / 3, i % 3) = m.realAt(static_cast<size_t>(i));
    if (const JsonValue pivot = fields["pivot"]; !pivot.isNull())
      for (int i = 0; i < 3; ++i) packed.pivot[i] = pivot.realAt(static_cast<size_t>(i));
    if (!packed.transform.allFinite() || !packed.pivot.allFinite())
      throw Error(ErrorCode::BadInput, "its transform is not finite");
    if (const JsonValue instance = parameters["pointinstancetransform"];
        !instance.isNull() && instance.asBool())
      mScope.context().warn(
          "packed primitives are also moved by attributes of their points (pointinstancetransform); this was "
          "left out");
    if (kind == PackedPrimitive::Kind::Disk) {
      packed.fileName = mScope.text(parameters["filename"].asString());
    } else {
      packed.source = embedded(parameters["embedded"].asString());
    }
    if (kind == PackedPrimitive::Kind::Fragment) {
      packed.fragmentAttribute = mScope.text(parameters["attribute"].asString());
      packed.fragmentName = mScope.text(parameters["name"].asString());
    }
    const int32_t vertex = onlyVertex(fields);
    mScope.claim(1, sizeof(PackedPrimitive));
    addCorners(PrimitiveType::Packed, Span<const int32_t>(&vertex, 1));
    mTable.packed.push_back(std::move(packed));
  }

  std::shared_ptr<const Geometry> embedded(std::string_view key) {
    const auto known = mShared.details.find(key);
    if (known != mShared.details.end()) return known->second;
    const JsonValue root = mShared.find(key);
    auto detail = std::make_shared<const Geometry>(
        at(fmt::format("embedded geometry {}", key), [&] { return readDetail(root, mScope, nullptr); }));
    mShared.details.emplace(key, detail);
    return detail;
  }

  void readVolume(bool isVdb, const PrimitiveFields& fields) {
    const int32_t vertex = onlyVertex(fields);
    Vec3& position = mPositions[mVertexPoints[vertex]];
    VolumePtr volume = isVdb ? readVdbPrimitive(fields, position, mScope)
                             : readNativeVolume(fields, position, mShared, mScope);
    position = gridOrigin(*volume);
    addCorners(PrimitiveType::Volume, Span<const int32_t>(&vertex, 1));
    mTable.volumes.push_back(std::move(volume));
  }

  Span<const int32_t> mVertexPoints;
  std::vector<Vec3>& mPositions;
  FileElements& mElements;
  ReadScope& mScope;
  SharedData mShared;
  PrimitiveTable mTable;
  size_t mRead = 0;  // primitives of the file so far
};

bool isSequence(const std::vector<int32_t>& list, size_t count) {
  if (list.size() != count) return false;
  for (size_t i = 0; i < count; ++i)
    if (static_cast<size_t>(list[i]) != i) return false;
  return true;
}

}  // namespace

JsonValue PrimitiveFields::operator[](std::string_view name) const {
  if (!mInRun) return mOwn[name];
  for (size_t i = 0; i < mNames.size(); ++i)
    if (mNames.at(i).asString() == name) return mOwn.at(i);
  return mUniform[name];
}

SharedData::SharedData(const JsonValue& list) {
  for (size_t i = 0; i + 1 < list.size(); i += 2) {
    const JsonValue block = list.at(i + 1);  // data type, key, data
    mBlocks.emplace(block.at(1).asString(), block.at(2));
  }
}

JsonValue SharedData::find(std::string_view key) const {
  const auto found = mBlocks.find(key);
  if (found == mBlocks.end())
    throw Error(ErrorCode::BadInput, fmt::format("the file does not hold the data \"{}\"", key));
  return found->second;
}

PrimitiveTable readPrimitives(const JsonValue& root, Span<const int32_t> vertexPoints,
                              std::vector<Vec3>& positions, FileElements& elements, ReadScope& scope) {
  PrimitiveTable table =
      PrimitiveReader(root, vertexPoints, positions, elements, scope).read(root["primitives"]);
  elements.verticesMoved = !isSequence(elements.vertexSource, elements.vertices);
  elements.primitivesMoved = !isSequence(elements.primitiveSource, elements.primitives);
  return table;
}

}  // namespace hackle::houdini
