#include <hackle/io/houdini/detail_writer.h>
#include <hackle/volume/grid.h>

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

namespace hackle::houdini {

namespace {

constexpr size_t kPageSize = 1024;

template <class T>
const char* storageWord() {
  if constexpr (std::is_same_v<T, float>) return "fpreal32";
  if constexpr (std::is_same_v<T, double>) return "fpreal64";
  if constexpr (std::is_same_v<T, int32_t>) return "int32";
  return "int64";
}

/// Pages in which all tuples have equal bits; empty if there is none.
template <class T>
std::vector<uint8_t> constantPages(Span<const T> values, size_t width) {
  const size_t count = values.size() / width;
  std::vector<uint8_t> flags;
  for (size_t first = 0; first < count; first += kPageSize) {
    const size_t n = std::min(kPageSize, count - first);
    const T* page = values.data() + first * width;
    // All tuples are equal if each equals its neighbour.
    const bool constant = n > 1 && std::memcmp(page, page + width, (n - 1) * width * sizeof(T)) == 0;
    if (constant && flags.empty()) flags.resize((count + kPageSize - 1) / kPageSize, 0);
    if (constant) flags[first / kPageSize] = 1;
  }
  return flags;
}

template <class T>
void writePages(Span<const T> values, size_t width, JsonWriter& out) {
  out.field("pagesize", static_cast<int64_t>(kPageSize));
  const std::vector<uint8_t> constant = width == 0 ? std::vector<uint8_t>() : constantPages(values, width);
  if (constant.empty()) {
    out.word("rawpagedata");
    return out.numbers(values);
  }
  out.word("constantpageflags");
  out.beginArray();
  out.bits(constant);
  out.endArray();
  out.word("rawpagedata");
  const size_t perPage = kPageSize * width;
  const auto pageLength = [&](size_t page) {
    return constant[page] ? width : std::min(perPage, values.size() - page * perPage);
  };
  size_t total = 0;
  for (size_t page = 0; page < constant.size(); ++page) total += pageLength(page);
  out.beginPacked<T>(total);
  for (size_t page = 0; page < constant.size(); ++page)
    out.appendPacked(values.subspan(page * perPage, pageLength(page)));
}

/// size, storage and the numbers, in the layout of the file's encoding.
template <class T>
void writeValues(Span<const T> values, size_t width, JsonWriter& out) {
  out.beginArray();
  out.field("size", static_cast<int64_t>(width));
  out.field("storage", storageWord<T>());
  if (out.binary()) {
    writePages(values, width, out);
  } else if (width <= 1) {
    out.word("arrays");
    out.beginArray();
    if (width == 1) out.numbers(values);
    out.endArray();
  } else {
    out.word("tuples");
    out.beginArray();
    for (size_t i = 0; i < values.size(); i += width) out.numbers(values.subspan(i, width));
    out.endArray();
  }
  out.endArray();
}

void writeDefinition(const char* type, const std::string& name, const Qualifier& qualifier, JsonWriter& out) {
  out.beginArray();
  out.field("scope", "public");
  out.field("type", type);
  out.word("name");
  out.text(name);
  out.word("options");
  out.beginMap();
  if (!qualifier.empty()) {
    out.word("type");
    out.beginMap();
    out.field("type", "string");
    out.field("value", qualifier);
    out.endMap();
  }
  out.endMap();
  out.endArray();
}

template <class T>
void writeNumericBody(Span<const T> values, size_t width, const std::vector<double>& defaults,
                      JsonWriter& out) {
  out.beginArray();
  out.field("size", static_cast<int64_t>(width));
  out.field("storage", storageWord<T>());
  const std::vector<double> written = defaults.empty() ? std::vector<double>{0.0} : defaults;
  out.word("defaults");
  out.beginArray();
  out.field("size", static_cast<int64_t>(written.size()));
  out.field("storage", "fpreal64");
  out.word("values");
  out.numbers(Span<const double>(written));
  out.endArray();
  out.word("values");
  writeValues(values, width, out);
  out.endArray();
}

template <class To, class From>
std::vector<To> converted(Span<const From> values) {
  std::vector<To> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(), [](From v) { return static_cast<To>(v); });
  return result;
}

void writeNumeric(const Attribute& attribute, JsonWriter& out) {
  const size_t width = static_cast<size_t>(attribute.tupleSize());
  writeDefinition("numeric", attribute.name(), attribute.qualifier, out);
  attribute.visitNumbers([&](auto values) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(values[0])>>;
    // Only floats have another precision in the file than in memory.
    if constexpr (std::is_floating_point_v<T>) {
      const Storage wanted = attribute.fileStorage.value_or(attribute.storage());
      if (wanted == Storage::Float32 && std::is_same_v<T, double>)
        return writeNumericBody<float>(converted<float>(values), width, attribute.defaults, out);
      if (wanted == Storage::Float64 && std::is_same_v<T, float>)
        return writeNumericBody<double>(converted<double>(values), width, attribute.defaults, out);
    }
    writeNumericBody<T>(values, width, attribute.defaults, out);
  });
}

void writeStrings(const Attribute& attribute, JsonWriter& out) {
  writeDefinition("string", attribute.name(), attribute.qualifier, out);
  out.beginArray();
  out.field("size", static_cast<int64_t>(attribute.tupleSize()));
  out.field("storage", "int32");
  out.word("strings");
  out.beginArray();
  for (const std::string& text : attribute.strings().table) out.text(text);
  out.endArray();
  out.word("indices");
  writeValues(attribute.strings().indices.span(), static_cast<size_t>(attribute.tupleSize()), out);
  out.endArray();
}

void writeAttribute(const Attribute& attribute, JsonWriter& out) {
  out.beginArray();
  attribute.isString() ? writeStrings(attribute, out) : writeNumeric(attribute, out);
  out.endArray();
}

/// Positions as one list of numbers. Houdini moves a VDB to its point, so the point must be at its origin.
template <class T>
std::vector<T> flatPositions(const Geometry& geometry) {
  std::vector<T> flat(3 * geometry.pointCount());
  const double* source = geometry.pointCount() ? geometry.positions()[0].data() : nullptr;
  for (size_t i = 0; i < flat.size(); ++i) flat[i] = static_cast<T>(source[i]);
  if (geometry.countOf(PrimitiveType::Volume) == 0) return flat;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Volume) continue;
    const Vec3 origin = gridOrigin(*geometry.volume(p));
    for (int c = 0; c < 3; ++c)
      flat[3 * static_cast<size_t>(geometry.corners(p)[0]) + static_cast<size_t>(c)] =
          static_cast<T>(origin[c]);
  }
  return flat;
}

void writePositions(const Geometry& geometry, JsonWriter& out) {
  out.beginArray();
  writeDefinition("numeric", "P", "point", out);
  if (geometry.positionFileStorage == Storage::Float64)
    writeNumericBody<double>(flatPositions<double>(geometry), 3, {}, out);
  else
    writeNumericBody<float>(flatPositions<float>(geometry), 3, {}, out);
  out.endArray();
}

}  // namespace

void writeAttributes(const Geometry& geometry, JsonWriter& out, Context& context) {
  const auto section = [&](const char* key, Owner owner) {
    const std::vector<Attribute>& attributes = geometry.attributes(owner);
    if (attributes.empty() && owner != Owner::Point) return;
    out.word(key);
    out.beginArray();
    if (owner == Owner::Point) writePositions(geometry, out);
    for (const Attribute& attribute : attributes) {
      context.checkCancel();
      writeAttribute(attribute, out);
    }
    out.endArray();
  };
  out.word("attributes");
  out.beginArray();
  section("vertexattributes", Owner::Vertex);
  section("pointattributes", Owner::Point);
  section("primitiveattributes", Owner::Primitive);
  section("globalattributes", Owner::Detail);
  out.endArray();
}

}  // namespace hackle::houdini
