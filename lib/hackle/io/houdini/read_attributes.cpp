#include <hackle/io/houdini/detail_parts.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace hackle::houdini {

namespace {

constexpr int64_t kLargestTuple = 1 << 16;

struct Section {
  const char* key;
  Owner owner;
};
constexpr Section kSections[] = {{"vertexattributes", Owner::Vertex},
                                 {"pointattributes", Owner::Point},
                                 {"primitiveattributes", Owner::Primitive},
                                 {"globalattributes", Owner::Detail}};

/// The storage in memory for one in the file; small types are widened.
std::optional<Storage> storageInMemory(std::string_view name) {
  if (name == "fpreal32" || name == "fpreal16") return Storage::Float32;
  if (name == "fpreal64") return Storage::Float64;
  if (name == "int64") return Storage::Int64;
  for (const char* small : {"int32", "int16", "int8", "uint8", "bool"})
    if (name == small) return Storage::Int32;
  return std::nullopt;
}

Storage storageOf(const JsonValue& body) {
  const std::string_view name = body["storage"].asString();
  const std::optional<Storage> storage = storageInMemory(name);
  if (!storage) throw Error(ErrorCode::BadInput, fmt::format("unknown storage \"{}\"", name));
  return *storage;
}

int tupleSizeOf(const JsonValue& body) {
  const int64_t size = body["size"].asInt();
  if (size < 0 || size > kLargestTuple)
    throw Error(ErrorCode::BadInput, fmt::format("tuples of {} components", size));
  return static_cast<int>(size);
}

/// Houdini writes one zero for "no default".
std::vector<double> defaultsOf(const JsonValue& body) {
  const JsonValue values = body["defaults"]["values"];
  std::vector<double> defaults(std::min<size_t>(values.size(), kLargestTuple));
  values.copyNumbers(0, defaults.size(), defaults.data());
  if (defaults.size() == 1 && defaults[0] == 0) defaults.clear();
  return defaults;
}

Attribute readNumeric(const std::string& name, const JsonValue& body, size_t count, ReadScope& scope) {
  const Storage storage = storageOf(body);
  const int width = tupleSizeOf(body);
  const size_t numbers = count * static_cast<size_t>(width);
  scope.claim(numbers, storage == Storage::Float32 || storage == Storage::Int32 ? 4 : 8);
  Attribute attribute(name, storage, width);
  attribute.defaults = defaultsOf(body);
  const auto fill = [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values(numbers);
    readValues(body["values"], count, static_cast<size_t>(width), values.data());
    attribute.assign<T>(std::move(values));
  };
  switch (storage) {
    case Storage::Float32:
      fill(float());
      break;
    case Storage::Float64:
      fill(double());
      break;
    case Storage::Int32:
      fill(int32_t());
      break;
    default:
      fill(int64_t());
  }
  return attribute;
}

Attribute readStrings(const std::string& name, const JsonValue& body, size_t count, ReadScope& scope) {
  const int width = tupleSizeOf(body);
  const size_t numbers = count * static_cast<size_t>(width);
  scope.claim(numbers, sizeof(int32_t));
  const JsonValue strings = body["strings"];
  std::vector<std::string> table;
  table.reserve(strings.size());
  for (size_t i = 0; i < strings.size(); ++i) table.push_back(scope.text(strings.at(i).asString()));
  std::vector<int32_t> indices(numbers);
  readValues(body["indices"], count, static_cast<size_t>(width), indices.data());
  for (int32_t& index : indices)
    if (index < 0 || static_cast<size_t>(index) >= table.size()) index = -1;
  Attribute attribute(name, Storage::String, width);
  attribute.assignStrings({std::move(table), std::move(indices)});
  return attribute;
}

std::string nameOf(const JsonValue& definition, ReadScope& scope) {
  const JsonValue name = definition["name"];
  return name.isNull() ? std::string() : scope.text(name.asString());
}

void readAttribute(const JsonValue& pair, Owner owner, const FileElements& elements, Geometry& geometry,
                   ReadScope& scope) {
  const JsonValue definition = pair.at(0), body = pair.at(1);
  const std::string name = nameOf(definition, scope);
  const std::string_view type = definition["type"].asString();
  if (owner == Owner::Point && name == "P") return;
  const std::string place = fmt::format("{} attribute \"{}\"", ownerName(owner), name);
  if (type != "numeric" && type != "string")
    return scope.skipAttribute(type, fmt::format("{} {}", ownerName(owner), name));
  if (const JsonValue visibility = definition["scope"];
      !visibility.isNull() && visibility.asString() != "public")
    return scope.skipAttribute(fmt::format("{} ({})", type, visibility.asString()),
                               fmt::format("{} {}", ownerName(owner), name));
  at(place, [&] {
    const size_t count = elements.count(owner);
    Attribute attribute =
        type == "string" ? readStrings(name, body, count, scope) : readNumeric(name, body, count, scope);
    if (const JsonValue qualifier = definition["options"]["type"]["value"]; !qualifier.isNull())
      attribute.qualifier = scope.text(qualifier.asString());
    if (const std::vector<int32_t>* source = elements.source(owner)) {
      scope.claim(source->size() * static_cast<size_t>(attribute.tupleSize()), 8);
      attribute = attribute.gathered(*source);
    }
    geometry.addAttribute(owner, std::move(attribute));
  });
}

}  // namespace

namespace {

/// T is the precision of the file: ASCII spells single precision with more digits than it has.
template <class T>
std::vector<Vec3> readPositionsAs(const JsonValue& body, size_t points, ReadScope& scope) {
  const size_t width = static_cast<size_t>(tupleSizeOf(body));
  scope.claim(points, sizeof(Vec3) + width * sizeof(T));
  std::vector<T> values(points * width);
  readValues(body["values"], points, width, values.data());
  std::vector<Vec3> positions(points);
  bool weighted = false;
  for (size_t p = 0; p < points; ++p) {
    const T* tuple = values.data() + p * width;
    positions[p] = Vec3(tuple[0], tuple[1], tuple[2]);
    weighted = weighted || (width == 4 && tuple[3] != 1);
  }
  if (weighted) scope.context().warn("the fourth component of P (weights other than 1) was left out");
  return positions;
}

}  // namespace

std::vector<Vec3> readPositions(const JsonValue& root, size_t points, Storage& storage, ReadScope& scope) {
  const JsonValue attributes = root["attributes"]["pointattributes"];
  for (size_t i = 0; i < attributes.size(); ++i) {
    const JsonValue definition = attributes.at(i).at(0), body = attributes.at(i).at(1);
    const JsonValue name = definition["name"];
    if (name.isNull() || name.asString() != "P") continue;
    return at("point attribute \"P\"", [&] {
      const int width = tupleSizeOf(body);
      if (definition["type"].asString() != "numeric" || (width != 3 && width != 4))
        throw Error(ErrorCode::BadInput, "positions must be 3 or 4 numbers");
      storage = storageOf(body) == Storage::Float64 ? Storage::Float64 : Storage::Float32;
      return storage == Storage::Float64 ? readPositionsAs<double>(body, points, scope)
                                         : readPositionsAs<float>(body, points, scope);
    });
  }
  if (points > 0) throw Error(ErrorCode::BadInput, "the points have no position (attribute P)");
  return {};
}

void readAttributes(const JsonValue& root, const FileElements& elements, Geometry& geometry,
                    ReadScope& scope) {
  const JsonValue sections = root["attributes"];
  for (const Section& section : kSections) {
    const JsonValue list = sections[section.key];
    for (size_t i = 0; i < list.size(); ++i) {
      scope.context().checkCancel();
      at(section.key, [&] { readAttribute(list.at(i), section.owner, elements, geometry, scope); });
    }
  }
}

}  // namespace hackle::houdini
