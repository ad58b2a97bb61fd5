#include <hackle/io/houdini/reader.h>

#include <hackle/io/houdini/container.h>
#include <hackle/io/houdini/detail_parts.h>
#include <hackle/volume/grid_names.h>

#include <fmt/format.h>

#include <limits>

namespace hackle::houdini {

namespace {

bool isClassic(std::string_view bytes) {
  return bytes.substr(0, 9) == "PGEOMETRY" || bytes.substr(0, 5) == "BgeoV";
}

/// True for `[ "fileversion" ...`.
bool isAsciiGeometry(std::string_view bytes) {
  const std::string_view start = bytes.substr(0, 256);
  const size_t bracket = start.find_first_not_of(" \t\r\n");
  if (bracket == start.npos || start[bracket] != '[') return false;
  const size_t quote = start.find_first_not_of(" \t\r\n", bracket + 1);
  return quote != start.npos && start.substr(quote, 13) == "\"fileversion\"";
}

size_t readCount(const JsonValue& root, const char* key) {
  const JsonValue value = root[key];
  if (value.isNull())
    throw Error(ErrorCode::BadInput, fmt::format("it has no {}: this is not a geometry file", key));
  const int64_t count = value.asInt();
  if (count < 0 || count > std::numeric_limits<int32_t>::max())
    throw Error(ErrorCode::BadInput, fmt::format("a {} of {}", key, count));
  return static_cast<size_t>(count);
}

std::vector<int32_t> readTopology(const JsonValue& root, const FileElements& elements, ReadScope& scope) {
  const JsonValue indices = root["topology"]["pointref"]["indices"];
  if (indices.size() != elements.vertices)
    throw Error(ErrorCode::BadInput,
                fmt::format("expected {} vertices, found {}", elements.vertices, indices.size()));
  scope.claim(elements.vertices, sizeof(int32_t));
  std::vector<int32_t> points(elements.vertices);
  indices.copyNumbers(0, points.size(), points.data());
  for (size_t v = 0; v < points.size(); ++v)
    if (points[v] < 0 || static_cast<size_t>(points[v]) >= elements.points)
      throw Error(ErrorCode::BadInput,
                  fmt::format("vertex {} is on point {} of {}", v, points[v], elements.points));
  return points;
}

/// Adds the primitives, whole runs of one type at a time.
void addPrimitives(PrimitiveTable& table, Span<const int32_t> corners, Geometry& geometry) {
  size_t corner = 0, packed = 0, volume = 0;
  for (size_t first = 0; first < table.types.size();) {
    const PrimitiveType type = table.types[first];
    if (type == PrimitiveType::Packed || type == PrimitiveType::Volume) {
      if (type == PrimitiveType::Packed)
        geometry.addPacked(std::move(table.packed[packed++]), corners[corner++]);
      else
        geometry.addVolume(std::move(table.volumes[volume++]), corners[corner++]);
      ++first;
      continue;
    }
    size_t last = first, used = 0;
    for (; last < table.types.size() && table.types[last] == type; ++last)
      used += static_cast<size_t>(table.counts[last]);
    geometry.addPrimitives(type, Span<const int32_t>(table.counts).subspan(first, last - first),
                           corners.subspan(corner, used));
    corner += used;
    first = last;
  }
}

}  // namespace

size_t FileElements::count(Owner owner) const {
  switch (owner) {
    case Owner::Point:
      return points;
    case Owner::Vertex:
      return vertices;
    case Owner::Primitive:
      return primitives;
    default:
      return 1;
  }
}

const std::vector<int32_t>* FileElements::source(Owner owner) const {
  if (owner == Owner::Vertex && verticesMoved) return &vertexSource;
  if (owner == Owner::Primitive && primitivesMoved) return &primitiveSource;
  return nullptr;
}

Geometry readDetail(const JsonValue& root, ReadScope& scope, bool* usable) {
  FileElements elements;
  elements.points = readCount(root, "pointcount");
  elements.vertices = readCount(root, "vertexcount");
  elements.primitives = readCount(root, "primitivecount");
  std::vector<int32_t> corners = at("topology", [&] { return readTopology(root, elements, scope); });
  Storage storage = Storage::Float32;
  std::vector<Vec3> positions = readPositions(root, elements.points, storage, scope);
  PrimitiveTable table = readPrimitives(root, corners, positions, elements, scope);
  if (usable) *usable = !table.types.empty() || table.particles || elements.primitives == 0;

  Geometry geometry;
  geometry.positionFileStorage = storage;
  geometry.addPoints(positions.size());
  geometry.editPositions() = std::move(positions);
  if (elements.verticesMoved) {
    std::vector<int32_t> moved(elements.vertexSource.size());
    for (size_t v = 0; v < moved.size(); ++v) moved[v] = corners[elements.vertexSource[v]];
    corners = std::move(moved);
  }
  addPrimitives(table, corners, geometry);
  readAttributes(root, elements, geometry, scope);
  readGroups(root, elements, geometry, scope);
  takeGridNames(geometry);
  geometry.flipWinding();
  return geometry;
}

bool isGeometryFile(std::string_view bytes) {
  return isBinaryJson(bytes) || isScf(bytes) || isGzip(bytes) || isClassic(bytes) || isAsciiGeometry(bytes);
}

Geometry readGeometryFile(std::string_view bytes, const std::filesystem::path&, Context& context) {
  if (isGzip(bytes) || isScf(bytes)) {
    const std::string inside = isGzip(bytes) ? unwrapGzip(bytes, context) : unwrapScf(bytes, context);
    if (isGzip(inside) || isScf(inside))
      throw Error(ErrorCode::BadInput, "the file is compressed twice", "decompress it once");
    return readGeometryFile(inside, {}, context);
  }
  if (isClassic(bytes))
    throw Error(ErrorCode::BadInput, "this is the geometry format of Houdini 11 and earlier",
                "open it in Houdini 12 or later and save it again");
  ReadScope scope(bytes.size(), context);
  const JsonDocument document(bytes, context);
  bool usable = true;
  Geometry geometry = readDetail(document.root(), scope, &usable);
  scope.reportSkipped();
  if (!usable)
    throw Error(ErrorCode::BadInput,
                fmt::format("it holds no primitive that Hackle can use ({})", scope.skippedPrimitives()),
                "convert them to polygons in Houdini");
  return geometry;
}

}  // namespace hackle::houdini
