// Precomputation that a caller keeps between runs, found again by what it depends on.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
#include <vector>

namespace hackle {

/// Everything that a precomputation depends on, as 64 bits of its content; two keys are taken for equal by
/// mistake with one chance in 2^64. What is added has to come in the same order each time.
class MemoKey {
 public:
  /// `name` tells what is kept: "stress.system".
  explicit MemoKey(std::string name) : mName(std::move(name)) {}

  /// Numbers, truth values, items of enumerations, and lists of these or of tuples of them without gaps.
  template <class T>
  std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>, MemoKey&> add(T value) {
    return addBytes(&value, sizeof(T));
  }
  template <class T>
  MemoKey& add(Span<const T> values) {
    return addBytes(values.data(), values.size() * sizeof(T));
  }
  MemoKey& add(std::string_view text) { return addBytes(text.data(), text.size()); }
  MemoKey& addBytes(const void* data, size_t size);
  /// An object that never changes (a grid), by its identity; the key keeps it alive. May be null.
  MemoKey& add(std::shared_ptr<const void> object);
  /// All that the other one stands for.
  MemoKey& add(const MemoKey& other);

  bool operator==(const MemoKey& other) const {
    return mSum == other.mSum && mName == other.mName && mObjects == other.mObjects;
  }

 private:
  std::string mName;
  uint64_t mSum = 0;
  std::vector<std::shared_ptr<const void>> mObjects;
};

/// Values by their keys. A front that runs an operator again and again (a node, a script) owns one and hands
/// it over with setMemo; it dies with its owner. May be asked from any thread.
class Memo {
 public:
  /// Values that were not used for longest are let go when there are more than `limit` bytes; one that is
  /// larger by itself is not kept.
  explicit Memo(size_t limit = size_t(2) << 30) : mLimit(limit) {}
  Memo(const Memo&) = delete;
  Memo& operator=(const Memo&) = delete;

  /// A value and what was warned about when it was made.
  struct Kept {
    std::shared_ptr<const void> value;
    std::vector<std::string> warnings;
  };
  /// Null if there is none of that type under the key.
  Kept find(const MemoKey& key, std::type_index type);
  void keep(const MemoKey& key, std::type_index type, Kept kept, size_t bytes);

  /// Lets go of what no run asked for since the last call.
  void dropUnused();
  void clear();

  size_t count() const;
  size_t bytes() const;
  /// How often a value was found, and how often one had to be made; for tests.
  size_t found() const;
  size_t made() const;

 private:
  struct Entry {
    MemoKey key;
    std::type_index type;
    Kept kept;
    size_t bytes;
    bool used;
  };
  using Entries = std::vector<Entry>;
  Entries::iterator locate(const MemoKey& key, std::type_index type);

  mutable std::mutex mMutex;
  Entries mEntries;  // the one used last at the end
  size_t mLimit, mBytes = 0, mFound = 0, mMade = 0;
};

/// The memo of a run, or null. It must outlive the run.
void setMemo(Context& context, Memo* memo);
Memo* memoOf(const Context& context);

/// Hears what a context is warned about while it lives, also what was said before.
class WarningLog {
 public:
  explicit WarningLog(Context& context);
  ~WarningLog();
  WarningLog(const WarningLog&) = delete;
  WarningLog& operator=(const WarningLog&) = delete;
  std::vector<std::string> warnings() const;

 private:
  Context& mContext;
  std::vector<std::string> mWarnings;
};

/// The value that the context's memo has under the key, with the warnings of its making, or `make()`, a
/// std::shared_ptr<const T>, which is kept. Nothing is when `make` throws, so cancelled and failed work
/// leaves nothing behind. Without a memo it is just `make()`. T tells its size in memory as `bytes()`.
///
/// Rules: the key has all that the value depends on (geometry, parameters, painted attributes), so that
/// results are the same bytes with and without a memo. Values are shared by runs and threads: what has to
/// change is copied, or locks itself.
template <class T, class Make>
std::shared_ptr<const T> remembered(Context& context, const MemoKey& key, const Make& make) {
  Memo* memo = memoOf(context);
  if (!memo) return make();
  const std::type_index type = typeid(T);
  if (const Memo::Kept kept = memo->find(key, type); kept.value) {
    for (const std::string& warning : kept.warnings) context.warn(warning);
    return std::static_pointer_cast<const T>(kept.value);
  }
  const WarningLog log(context);
  const std::shared_ptr<const T> value = make();
  memo->keep(key, type, {value, log.warnings()}, value->bytes());
  return value;
}

/// Memory of a vector's elements, for `bytes()`.
template <class T>
size_t bytesOf(const std::vector<T>& values) {
  return values.capacity() * sizeof(T);
}

}  // namespace hackle
