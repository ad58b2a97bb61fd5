// Data that goes from operator to operator and is neither geometry nor a picture.
#pragma once

#include <hackle/core/cow_array.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <typeindex>

namespace hackle {

/// What an operator made of a blob's bytes, kept beside them and shared by all copies of the blob. A front
/// that holds on to a blob between runs (a node, a Python variable) so pays for reading it once. May be
/// asked from any thread.
class BlobMemo {
 public:
  /// The value of type T that was kept, or that of `make()`, which gives a std::shared_ptr<const T> and is
  /// kept unless it throws. One value at a time: another type replaces it.
  template <class T, class Make>
  std::shared_ptr<const T> get(const Make& make) {
    {
      const std::lock_guard<std::mutex> lock(mMutex);
      if (mValue && mType == std::type_index(typeid(T))) return std::static_pointer_cast<const T>(mValue);
    }
    // Not under the lock: making may run on many threads, which may ask for another blob.
    const std::shared_ptr<const T> made = make();
    const std::lock_guard<std::mutex> lock(mMutex);
    mValue = made;
    mType = std::type_index(typeid(T));
    return made;
  }

 private:
  std::mutex mMutex;
  std::shared_ptr<const void> mValue;
  std::type_index mType = typeid(void);
};

/// A precomputed basis, a trained model. `kind` is its file extension ("modes"). The bytes stay as they are
/// once an operator has read them.
struct Blob {
  std::string kind;
  CowArray<uint8_t> bytes;
  std::shared_ptr<BlobMemo> memo = std::make_shared<BlobMemo>();
};

}  // namespace hackle
