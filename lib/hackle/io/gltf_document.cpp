#include <hackle/io/gltf_document.h>

#include <hackle/io/byte_order.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

using Json = nlohmann::json;

constexpr int kDeepestJson = 64;
constexpr uint32_t kMagic = 0x46546C67;      // "glTF"
constexpr uint32_t kJsonChunk = 0x4E4F534A;  // "JSON"
constexpr uint32_t kBinaryChunk = 0x004E4942;

[[noreturn]] void malformed(const std::string& message, const std::string& remedy = {}) {
  throw Error(ErrorCode::BadInput, message, remedy);
}

/// Size in bytes of a component, 0 for unknown types.
size_t componentSize(size_t type) {
  switch (type) {
    case 5120:
    case 5121:
      return 1;
    case 5122:
    case 5123:
      return 2;
    case 5125:
    case 5126:
      return 4;
    default:
      return 0;
  }
}

float component(const char* at, size_t type, bool normalised) {
  const auto scaled = [&](auto value, float largest) {
    const auto number = static_cast<float>(value);
    return normalised ? std::max(number / largest, -1.0f) : number;
  };
  switch (type) {
    case 5120:
      return scaled(loadNumber<int8_t>(at), 127.0f);
    case 5121:
      return scaled(loadNumber<uint8_t>(at), 255.0f);
    case 5122:
      return scaled(loadNumber<int16_t>(at), 32767.0f);
    case 5123:
      return scaled(loadNumber<uint16_t>(at), 65535.0f);
    case 5125:
      return scaled(loadNumber<uint32_t>(at), 4294967295.0f);
    default:
      return loadNumber<float>(at);
  }
}

uint32_t wholeNumber(const char* at, size_t type) {
  if (type == 5121) return loadNumber<uint8_t>(at);
  if (type == 5123) return loadNumber<uint16_t>(at);
  return loadNumber<uint32_t>(at);
}

int componentsOf(const std::string& type) {
  if (type == "SCALAR") return 1;
  if (type.size() == 4 && type.compare(0, 3, "VEC") == 0 && type[3] >= '2' && type[3] <= '4')
    return type[3] - '0';
  return 0;
}

/// The bytes of a text one after another, asking for cancel now and then.
struct PolledText {
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  reference operator*() const { return *at; }
  PolledText& operator++() {
    constexpr uintptr_t kEvery = 1 << 15;
    if (reinterpret_cast<uintptr_t>(++at) % kEvery == 0) context->checkCancel();
    return *this;
  }
  PolledText operator++(int) {
    const PolledText before = *this;
    ++*this;
    return before;
  }
  bool operator==(const PolledText& o) const { return at == o.at; }
  bool operator!=(const PolledText& o) const { return at != o.at; }

  const char* at;
  const Context* context;
};

/// Before it is parsed: a callback of the parser would look at all elements of a list after each of them.
void checkDepth(std::string_view text, const Context& context) {
  int depth = 0;
  bool quoted = false;
  const PolledText end{text.data() + text.size(), &context};
  for (PolledText at{text.data(), &context}; at != end; ++at) {
    if (quoted && *at == '\\') {
      if (++at == end) return;
    } else if (*at == '"') {
      quoted = !quoted;
    } else if (!quoted && (*at == '[' || *at == '{')) {
      if (++depth > kDeepestJson)
        malformed(fmt::format("the JSON is nested more than {} deep", kDeepestJson));
    } else if (!quoted && (*at == ']' || *at == '}')) {
      --depth;
    }
  }
}

std::string decodedBase64(std::string_view text, const std::string& where) {
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    uint32_t six = 0;
    if (c >= 'A' && c <= 'Z')
      six = static_cast<uint32_t>(c - 'A');
    else if (c >= 'a' && c <= 'z')
      six = static_cast<uint32_t>(c - 'a') + 26;
    else if (c >= '0' && c <= '9')
      six = static_cast<uint32_t>(c - '0') + 52;
    else if (c == '+' || c == '/')
      six = c == '+' ? 62 : 63;
    else
      malformed(where + " is no base64 text");
    bits = bits << 6 | six;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>(bits >> held & 0xff));
  }
  return bytes;
}

}  // namespace

/// Elements start at `data` + i * stride; a null view stands for zeros.
struct GltfDocument::Layout {
  size_t count = 0;
  size_t type = 0;
  int components = 1;
  bool normalised = false;
  size_t elementSize = 0;
  size_t stride = 0;
  std::string_view data;
};

GltfDocument::GltfDocument(std::string_view bytes, Context& context) : mFileSize(bytes.size()) {
  if (bytes.size() >= 4 && loadNumber<uint32_t>(bytes.data()) == kMagic) {
    readChunks(bytes, context);
  } else {
    parseJson(bytes, context);
    loadBuffers(std::nullopt);
  }
}

void GltfDocument::readChunks(std::string_view bytes, Context& context) {
  if (bytes.size() < 20) malformed("the file ends inside its header");
  const uint32_t version = loadNumber<uint32_t>(bytes.data() + 4);
  if (version != 2)
    malformed(fmt::format("this is version {} of glTF binary", version), "export it as glTF 2.0");
  const size_t length = loadNumber<uint32_t>(bytes.data() + 8);
  if (length > bytes.size())
    malformed(fmt::format("the file should have {} bytes and has {}", length, bytes.size()),
              "it was cut short; copy or export it again");

  std::optional<std::string_view> json, binary;
  for (size_t at = 12; at + 8 <= length;) {
    const size_t size = loadNumber<uint32_t>(bytes.data() + at);
    const uint32_t kind = loadNumber<uint32_t>(bytes.data() + at + 4);
    at += 8;
    if (size > length - at) malformed(fmt::format("the chunk at byte {} runs past the end", at - 8));
    if (kind == kJsonChunk && !json) json = bytes.substr(at, size);
    if (kind == kBinaryChunk && !binary) binary = bytes.substr(at, size);
    at += size;
  }
  if (!json) malformed("the file has no JSON chunk");
  parseJson(*json, context);
  loadBuffers(binary);
}

void GltfDocument::parseJson(std::string_view text, Context& context) {
  checkDepth(text, context);
  try {
    mRoot = Json::parse(PolledText{text.data(), &context}, PolledText{text.data() + text.size(), &context});
  } catch (const Json::exception& e) {
    malformed(fmt::format("the JSON is malformed: {}", e.what()));
  }
  if (!mRoot.is_object()) malformed("the JSON is no object");
  const Json& asset = mRoot.contains("asset") ? mRoot["asset"] : Json();
  const std::string version = asset.is_object() ? optionalString(asset, "version") : "";
  if (version.compare(0, 2, "2.") != 0)
    malformed(version.empty() ? "the JSON says no glTF version" : "this is glTF " + version,
              "export it as glTF 2.0");
}

void GltfDocument::loadBuffers(std::optional<std::string_view> binaryChunk) {
  const size_t buffers = count("buffers");
  mDecoded.reserve(buffers);
  for (size_t i = 0; i < buffers; ++i) {
    const std::string where = fmt::format("buffers[{}]", i);
    const Json& buffer = entry("buffers", i);
    const size_t length = requiredIndex(buffer, "byteLength", std::numeric_limits<uint32_t>::max(), where);
    const std::string uri = optionalString(buffer, "uri");
    std::string_view data;
    if (uri.empty()) {
      if (i != 0 || !binaryChunk) malformed(where + " has no data");
      data = *binaryChunk;
    } else {
      const size_t comma = uri.find(";base64,");
      if (uri.compare(0, 5, "data:") != 0 || comma == std::string::npos)
        malformed(fmt::format("{} is in another file, {}", where, uri.substr(0, 80)),
                  "export with embedded buffers, or as .glb");
      mDecoded.push_back(decodedBase64(std::string_view(uri).substr(comma + 8), where));
      data = mDecoded.back();
    }
    if (length > data.size())
      malformed(fmt::format("{} should have {} bytes and has {}", where, length, data.size()));
    mBuffers.push_back(data.substr(0, length));
  }
}

size_t GltfDocument::count(const char* list) const { return optionalList(mRoot, list, "the file").size(); }

const Json& GltfDocument::entry(const char* list, size_t index) const {
  const Json& entries = optionalList(mRoot, list, "the file");
  if (index >= entries.size())
    malformed(fmt::format("{}[{}] is not there; there are {}", list, index, entries.size()));
  if (!entries[index].is_object()) malformed(fmt::format("{}[{}] is no object", list, index));
  return entries[index];
}

std::string_view GltfDocument::bufferView(size_t index, const std::string& user) const {
  const std::string where = fmt::format("bufferViews[{}] of {}", index, user);
  const Json& view = entry("bufferViews", index);
  const size_t buffer = requiredIndex(view, "buffer", std::numeric_limits<uint32_t>::max(), where);
  if (buffer >= mBuffers.size()) malformed(where + " names a buffer that is not there");
  const std::string_view data = mBuffers[buffer];
  const size_t offset = optionalIndex(view, "byteOffset", data.size(), where).value_or(0);
  const size_t length = requiredIndex(view, "byteLength", data.size(), where);
  if (length > data.size() - offset) malformed(where + " runs past the end of its buffer");
  return data.substr(offset, length);
}

GltfDocument::Layout GltfDocument::layout(const Json& accessor, const std::string& where) const {
  Layout layout;
  layout.type = requiredIndex(accessor, "componentType", 65535, where);
  layout.components = componentsOf(optionalString(accessor, "type"));
  if (componentSize(layout.type) == 0 || layout.components == 0)
    malformed(where + " has a type that vertices cannot have");
  layout.elementSize = componentSize(layout.type) * static_cast<size_t>(layout.components);
  layout.normalised = accessor.contains("normalized") && accessor["normalized"] == true;
  // Without a view the elements are zeros that cost nothing in the file: no more than it has bytes.
  layout.count = requiredIndex(accessor, "count", mFileSize, where);
  layout.stride = layout.elementSize;
  const auto view = optionalIndex(accessor, "bufferView", std::numeric_limits<uint32_t>::max(), where);
  if (!view) return layout;

  std::string_view data = bufferView(*view, where);
  const size_t offset = optionalIndex(accessor, "byteOffset", data.size(), where).value_or(0);
  data.remove_prefix(offset);
  const size_t stride = optionalIndex(entry("bufferViews", *view), "byteStride", 65535, where).value_or(0);
  if (stride > 0) layout.stride = stride;
  if (layout.stride < layout.elementSize) malformed(where + " has elements that overlap");
  const bool fits =
      layout.count == 0 || (data.size() >= layout.elementSize &&
                            layout.count - 1 <= (data.size() - layout.elementSize) / layout.stride);
  if (!fits) malformed(where + " runs past the end of its buffer view");
  layout.data = data;
  return layout;
}

/// Calls store(element, address of its new value) for every sparse entry.
template <class Store>
void GltfDocument::readSparse(const Json& accessor, const Layout& layout, const std::string& where,
                              const Store& store) const {
  if (!accessor.contains("sparse")) return;
  const Json& sparse = accessor["sparse"];
  constexpr size_t kAny = std::numeric_limits<uint32_t>::max();
  const auto part = [&](const char* key) -> const Json& {
    if (!sparse.is_object() || !sparse.contains(key) || !sparse[key].is_object())
      malformed(where + " has malformed sparse entries");
    return sparse[key];
  };
  const Json& indices = part("indices");
  const Json& values = part("values");
  const size_t count = requiredIndex(sparse, "count", layout.count, where);
  const size_t type = requiredIndex(indices, "componentType", 65535, where);
  if (type != 5121 && type != 5123 && type != 5125) malformed(where + " has sparse indices of a wrong type");
  const auto data = [&](const Json& source, size_t elementSize) {
    std::string_view view = bufferView(requiredIndex(source, "bufferView", kAny, where), where);
    view.remove_prefix(optionalIndex(source, "byteOffset", view.size(), where).value_or(0));
    if (count > view.size() / elementSize)
      malformed(where + " has sparse entries past the end of their view");
    return view;
  };
  const std::string_view indexData = data(indices, componentSize(type));
  const std::string_view valueData = data(values, layout.elementSize);
  for (size_t i = 0; i < count; ++i) {
    const size_t element = wholeNumber(indexData.data() + i * componentSize(type), type);
    if (element >= layout.count) malformed(where + " has a sparse index out of range");
    store(element, valueData.data() + i * layout.elementSize);
  }
}

AccessorValues GltfDocument::readFloats(size_t index) const {
  const std::string where = fmt::format("accessors[{}]", index);
  const Json& accessor = entry("accessors", index);
  const Layout from = layout(accessor, where);
  const auto components = static_cast<size_t>(from.components);
  AccessorValues result;
  result.count = from.count;
  result.components = from.components;
  result.values.resize(from.count * components, 0.0f);
  const auto store = [&](size_t element, const char* at) {
    for (size_t c = 0; c < components; ++c)
      result.values[element * components + c] =
          component(at + c * componentSize(from.type), from.type, from.normalised);
  };
  if (from.data.data())
    for (size_t i = 0; i < from.count; ++i) store(i, from.data.data() + i * from.stride);
  readSparse(accessor, from, where, store);
  return result;
}

std::vector<uint32_t> GltfDocument::readIndices(size_t index) const {
  const std::string where = fmt::format("accessors[{}]", index);
  const Json& accessor = entry("accessors", index);
  const Layout from = layout(accessor, where);
  if (from.components != 1 || (from.type != 5121 && from.type != 5123 && from.type != 5125))
    malformed(where + " has no type for indices");
  std::vector<uint32_t> result(from.count, 0);
  const auto store = [&](size_t element, const char* at) { result[element] = wholeNumber(at, from.type); };
  if (from.data.data())
    for (size_t i = 0; i < from.count; ++i) store(i, from.data.data() + i * from.stride);
  readSparse(accessor, from, where, store);
  return result;
}

std::optional<size_t> optionalIndex(const Json& object, const char* key, size_t most,
                                    const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  // Some writers give whole numbers a fraction of zero.
  const double value = found->is_number() ? found->get<double>() : -1.0;
  if (!(value >= 0) || value != std::floor(value) || value > static_cast<double>(most))
    malformed(fmt::format("{}: {} is not a whole number from 0 to {}", where, key, most));
  return static_cast<size_t>(value);
}

size_t requiredIndex(const Json& object, const char* key, size_t most, const std::string& where) {
  const auto value = optionalIndex(object, key, most, where);
  if (!value) malformed(fmt::format("{} has no {}", where, key));
  return *value;
}

std::optional<std::vector<double>> optionalNumbers(const Json& object, const char* key, size_t count,
                                                   const std::string& where) {
  const auto found = object.find(key);
  if (found == object.end()) return std::nullopt;
  if (!found->is_array() || found->size() != count)
    malformed(fmt::format("{}: {} is no list of {} numbers", where, key, count));
  std::vector<double> numbers;
  for (const Json& item : *found) {
    const double number = item.is_number() ? item.get<double>() : std::nan("");
    if (!std::isfinite(number))
      malformed(fmt::format("{}: {} holds something that is no number", where, key));
    numbers.push_back(number);
  }
  return numbers;
}

std::string optionalString(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json& optionalList(const Json& object, const char* key, const std::string& where) {
  static const Json kEmpty = Json::array();
  const auto found = object.find(key);
  if (found == object.end()) return kEmpty;
  if (!found->is_array()) malformed(fmt::format("{}: {} is no list", where, key));
  return *found;
}

}  // namespace hackle
