// What the binary and the ASCII parser share: values in, a tree out. Internal to the JSON layer.
#pragma once

#include <hackle/core/context.h>
#include <hackle/io/houdini/json.h>

#include <memory_resource>
#include <string_view>
#include <vector>

namespace hackle::houdini {

/// Error(BadInput) that names the byte.
[[noreturn]] void failAtByte(size_t byte, const std::string& reason);

class JsonTreeBuilder {
 public:
  JsonTreeBuilder(std::pmr::memory_resource& pool, Context& context) : mPool(pool), mContext(context) {}

  void add(JsonValue value);
  /// Opens a list; 256 levels at most.
  void open(bool map, size_t byte);
  /// Closes it; a list of numbers only becomes one packed node.
  void close(bool map, size_t byte);
  /// True once the root is complete.
  bool done() const { return mOpen.empty() && !mStack.empty(); }
  size_t depth() const { return mOpen.size(); }
  JsonValue root() const { return mStack.front(); }

  /// Memory that lives as long as the document.
  void* allocate(size_t bytes) { return mPool.allocate(bytes, 8); }

 private:
  struct OpenList {
    size_t firstChild;
    bool map;
  };
  std::pmr::memory_resource& mPool;
  Context& mContext;
  std::vector<JsonValue> mStack;  // children of all open lists
  std::vector<OpenList> mOpen;
  size_t mAdded = 0;
};

void parseBinaryJson(std::string_view bytes, JsonTreeBuilder& builder);
void parseAsciiJson(std::string_view bytes, JsonTreeBuilder& builder);

}  // namespace hackle::houdini
