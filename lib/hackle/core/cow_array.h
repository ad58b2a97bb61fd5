// An array whose copies share storage until one of them is edited.
#pragma once

#include <hackle/core/span.h>

#include <atomic>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace hackle {

/// Copying costs one reference count. Reading never copies; `edit()` gives this array storage of its own
/// first if others share it. One object must not be edited by two threads; two copies may be.
template <class T>
class CowArray {
 public:
  CowArray() = default;
  explicit CowArray(size_t size, const T& value = T())
      : mData(std::make_shared<std::vector<T>>(size, value)) {}
  CowArray(std::vector<T> values) : mData(std::make_shared<std::vector<T>>(std::move(values))) {}
  CowArray(std::initializer_list<T> values) : mData(std::make_shared<std::vector<T>>(values)) {}

  size_t size() const { return mData ? mData->size() : 0; }
  bool empty() const { return size() == 0; }
  const T* data() const { return mData ? mData->data() : nullptr; }
  /// Any integer type: meshes store indices as int32_t.
  template <class Index, class = std::enable_if_t<std::is_integral_v<Index>>>
  const T& operator[](Index i) const {
    return (*mData)[i];
  }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  Span<const T> span() const { return {data(), size()}; }
  operator Span<const T>() const { return span(); }

  /// The vector itself, to change; unshared first.
  std::vector<T>& edit() {
    if (!mData)
      mData = std::make_shared<std::vector<T>>();
    else if (mData.use_count() > 1)
      mData = std::make_shared<std::vector<T>>(*mData);
    // Alone now: what a copy on another thread read before it went must come before our writes.
    std::atomic_thread_fence(std::memory_order_acquire);
    return *mData;
  }
  bool sharesStorageWith(const CowArray& other) const { return mData && mData == other.mData; }
  /// Keeps the storage alive for somebody who views it (numpy arrays do).
  std::shared_ptr<const void> keepAlive() const { return mData; }

 private:
  std::shared_ptr<std::vector<T>> mData;
};

}  // namespace hackle
