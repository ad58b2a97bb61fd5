#include <hackle/geometry/geometry_archive.h>

#include <fmt/format.h>

#include <array>

namespace hackle {

namespace {

[[noreturn]] void damaged(const std::string& what) {
  throw Error(ErrorCode::BadInput, "the file is damaged: " + what, "make it anew");
}

std::string ownerPrefix(const std::string& prefix, int owner) {
  return prefix + ownerName(static_cast<Owner>(owner)) + ".";
}

// Attributes --------------------------------------------------------------------------------------------

void addAttribute(ArchiveWriter& archive, const std::string& prefix, const Attribute& a) {
  archive.addText(prefix + "name", a.name());
  archive.addText(prefix + "qualifier", a.qualifier);
  const int32_t file = a.fileStorage ? static_cast<int32_t>(*a.fileStorage) : -1;
  archive.add(prefix + "shape", std::vector<int32_t>{static_cast<int32_t>(a.storage()), a.tupleSize(), file});
  archive.add(prefix + "defaults", a.defaults);
  if (a.isString()) {
    archive.addTexts(prefix + "table",
                     std::vector<std::string>(a.strings().table.begin(), a.strings().table.end()));
    archive.add(prefix + "indices", a.strings().indices.span());
    return;
  }
  a.visitNumbers([&](auto values) { archive.add(prefix + "values", values); });
}

template <class T>
void assignValues(Attribute& a, std::vector<T> values, size_t elements) {
  if (values.size() != elements * static_cast<size_t>(a.tupleSize()))
    damaged(fmt::format("the attribute {} has the wrong size", a.name()));
  a.assign(CowArray<T>(std::move(values)));
}

void readStrings(const ArchiveReader& archive, const std::string& prefix, Attribute& a, size_t elements) {
  StringArray strings;
  strings.table = CowArray<std::string>(archive.texts(prefix + "table"));
  std::vector<int32_t> indices = archive.int32s(prefix + "indices");
  if (indices.size() != elements * static_cast<size_t>(a.tupleSize()))
    damaged(fmt::format("the attribute {} has the wrong size", a.name()));
  for (const int32_t i : indices)
    if (i < -1 || i >= static_cast<int32_t>(strings.table.size()))
      damaged(fmt::format("the attribute {} points outside of its texts", a.name()));
  strings.indices = CowArray<int32_t>(std::move(indices));
  a.assignStrings(std::move(strings));
}

Attribute readAttribute(const ArchiveReader& archive, const std::string& prefix, size_t elements) {
  const std::vector<int32_t> shape = archive.int32s(prefix + "shape");
  constexpr int32_t kStorages = static_cast<int32_t>(Storage::String) + 1;
  if (shape.size() != 3 || shape[0] < 0 || shape[0] >= kStorages || shape[1] < 1 || shape[1] > 1000000 ||
      shape[2] < -1 || shape[2] >= kStorages)
    damaged("an attribute has an unknown type");
  Attribute a(archive.text(prefix + "name"), static_cast<Storage>(shape[0]), shape[1], 0,
              archive.text(prefix + "qualifier"));
  if (shape[2] >= 0) a.fileStorage = static_cast<Storage>(shape[2]);
  a.defaults = archive.float64s(prefix + "defaults");
  const std::string values = prefix + "values";
  switch (a.storage()) {
    case Storage::Float32:
      assignValues(a, archive.float32s(values), elements);
      break;
    case Storage::Float64:
      assignValues(a, archive.float64s(values), elements);
      break;
    case Storage::Int32:
      assignValues(a, archive.int32s(values), elements);
      break;
    case Storage::Int64:
      assignValues(a, archive.int64s(values), elements);
      break;
    case Storage::String:
      readStrings(archive, prefix, a, elements);
      break;
  }
  return a;
}

// Points and polygons -------------------------------------------------------------------------------------

void readPolygons(const ArchiveReader& archive, const std::string& prefix, Geometry& geometry) {
  const std::vector<double> positions = archive.float64s(prefix + "P");
  if (positions.size() % 3 != 0) damaged("a point has not three coordinates");
  geometry.addPoints(positions.size() / 3);
  std::vector<Vec3>& points = geometry.editPositions();
  for (size_t p = 0; p < points.size(); ++p)
    points[p] = Vec3(positions[3 * p], positions[3 * p + 1], positions[3 * p + 2]);
  const std::vector<int32_t> counts = archive.int32s(prefix + "counts");
  const std::vector<int32_t> corners = archive.int32s(prefix + "corners");
  int64_t sum = 0;
  for (const int32_t c : counts) {
    if (c < 0) damaged("a polygon has a negative number of corners");
    sum += c;
  }
  if (sum != static_cast<int64_t>(corners.size())) damaged("polygons and corners do not fit together");
  for (const int32_t p : corners)
    if (p < 0 || static_cast<size_t>(p) >= points.size()) damaged("a polygon has a point that is not there");
  geometry.addPrimitives(PrimitiveType::Polygon, counts, corners);
}

}  // namespace

void addGeometry(ArchiveWriter& archive, const std::string& prefix, const Geometry& geometry) {
  HACKLE_ASSERT(geometry.countOf(PrimitiveType::Polygon) == geometry.primitiveCount());
  const Vec3* positions = geometry.positions().data();
  static_assert(sizeof(Vec3) == 3 * sizeof(double));
  archive.add(prefix + "P",
              Span<const double>(positions ? positions->data() : nullptr, 3 * geometry.pointCount()));
  archive.add(prefix + "P.file", std::vector<int32_t>{static_cast<int32_t>(geometry.positionFileStorage)});
  std::vector<int32_t> counts;
  for (size_t f = 0; f < geometry.primitiveCount(); ++f)
    counts.push_back(static_cast<int32_t>(geometry.vertexCount(f)));
  archive.add(prefix + "counts", counts);
  archive.add(prefix + "corners", geometry.vertexPoints().span());
  for (int o = 0; o < kOwnerCount; ++o) {
    const Owner owner = static_cast<Owner>(o);
    const std::string start = ownerPrefix(prefix, o);
    const std::vector<Attribute>& attributes = geometry.attributes(owner);
    const std::vector<Group>& groups = geometry.groups(owner);
    archive.add(start + "counts", std::vector<int32_t>{static_cast<int32_t>(attributes.size()),
                                                       static_cast<int32_t>(groups.size())});
    for (size_t i = 0; i < attributes.size(); ++i)
      addAttribute(archive, fmt::format("{}{}.", start, i), attributes[i]);
    for (size_t i = 0; i < groups.size(); ++i) {
      archive.addText(fmt::format("{}group{}.name", start, i), groups[i].name);
      archive.add(fmt::format("{}group{}.bits", start, i), groups[i].bits.span());
    }
  }
}

Geometry readGeometry(const ArchiveReader& archive, const std::string& prefix) {
  Geometry geometry;
  readPolygons(archive, prefix, geometry);
  const std::vector<int32_t> storage = archive.int32s(prefix + "P.file");
  if (storage.size() != 1 || storage[0] < 0 || storage[0] > static_cast<int32_t>(Storage::Float64))
    damaged("P has an unknown type");
  geometry.positionFileStorage = static_cast<Storage>(storage[0]);
  for (int o = 0; o < kOwnerCount; ++o) {
    const Owner owner = static_cast<Owner>(o);
    const size_t elements = geometry.elementCount(owner);
    const std::string start = ownerPrefix(prefix, o);
    const std::vector<int32_t> counts = archive.int32s(start + "counts");
    if (counts.size() != 2) damaged("the list of attributes is not there");
    for (int32_t i = 0; i < counts[0]; ++i)
      geometry.addAttribute(owner, readAttribute(archive, fmt::format("{}{}.", start, i), elements));
    for (int32_t i = 0; i < counts[1]; ++i) {
      std::vector<uint8_t> bits = archive.bytes(fmt::format("{}group{}.bits", start, i));
      if (bits.size() != elements) damaged("a group has the wrong size");
      for (uint8_t& b : bits) b = b ? 1 : 0;
      geometry.addGroup(owner, archive.text(fmt::format("{}group{}.name", start, i))).bits =
          CowArray<uint8_t>(std::move(bits));
    }
  }
  return geometry;
}

uint64_t geometryFingerprint(const Geometry& geometry) {
  std::vector<float> positions;
  positions.reserve(3 * geometry.pointCount());
  for (const Vec3& p : geometry.positions())
    for (int c = 0; c < 3; ++c) positions.push_back(static_cast<float>(p[c]) + 0.0f);  // no -0
  const auto view = [](const auto* data, size_t count) {
    return std::string_view(reinterpret_cast<const char*>(data), count * sizeof(*data));
  };
  uint64_t sum = checksum64(view(positions.data(), positions.size()));
  sum = checksum64(view(geometry.vertexPoints().data(), geometry.vertexPoints().size()), sum);
  return checksum64(view(geometry.vertexStarts().data(), geometry.vertexStarts().size()), sum);
}

}  // namespace hackle
