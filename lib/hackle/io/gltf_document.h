// The bones of a glTF file: its JSON and buffers, and checked ways to get at them. Private to the reader.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/error.h>

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

/// Numbers of an accessor, converted: normalised integers to [0, 1] or [-1, 1].
struct AccessorValues {
  size_t count = 0;
  int components = 1;
  std::vector<float> values;  // count * components
};

/// Every getter throws Error(BadInput) that names the place in the file. No call allocates more than a small
/// multiple of the file's size.
class GltfDocument {
 public:
  using Json = nlohmann::json;

  /// Takes a .glb or the text of a .gltf; the bytes must outlive the document.
  GltfDocument(std::string_view bytes, Context& context);

  const Json& root() const { return mRoot; }
  size_t fileSize() const { return mFileSize; }

  /// Entry `index` of a top-level list.
  const Json& entry(const char* list, size_t index) const;
  size_t count(const char* list) const;

  AccessorValues readFloats(size_t accessor) const;
  std::vector<uint32_t> readIndices(size_t accessor) const;

 private:
  struct Layout;  // where an accessor's elements are

  void readChunks(std::string_view bytes, Context& context);
  void parseJson(std::string_view text, Context& context);
  void loadBuffers(std::optional<std::string_view> binaryChunk);
  std::string_view bufferView(size_t index, const std::string& user) const;
  Layout layout(const Json& accessor, const std::string& where) const;
  template <class Store>
  void readSparse(const Json& accessor, const Layout& layout, const std::string& where,
                  const Store& store) const;

  size_t mFileSize;
  Json mRoot;
  std::vector<std::string> mDecoded;       // base64 buffers
  std::vector<std::string_view> mBuffers;  // one a buffer of the file
};

/// A whole number at `key` of an object, at most `most`; empty if there is none.
std::optional<size_t> optionalIndex(const nlohmann::json& object, const char* key, size_t most,
                                    const std::string& where);
size_t requiredIndex(const nlohmann::json& object, const char* key, size_t most, const std::string& where);
/// Numbers of a list at `key`, exactly `count` of them, all finite; empty if there is none.
std::optional<std::vector<double>> optionalNumbers(const nlohmann::json& object, const char* key,
                                                   size_t count, const std::string& where);
/// A string at `key`, or "".
std::string optionalString(const nlohmann::json& object, const char* key);
/// The list at `key`, or an empty one.
const nlohmann::json& optionalList(const nlohmann::json& object, const char* key, const std::string& where);

}  // namespace hackle
