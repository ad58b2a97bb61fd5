// A view of contiguous elements; C++20's std::span, as far as C++17 code needs it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

namespace hackle {

template <class T>
class Span {
 public:
  Span() = default;
  Span(T* data, size_t size) : mData(data), mSize(size) {}
  Span(std::vector<std::remove_const_t<T>>& v) : mData(v.data()), mSize(v.size()) {}
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  Span(const std::vector<std::remove_const_t<T>>& v) : mData(v.data()), mSize(v.size()) {}
  template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
  Span(const Span<std::remove_const_t<T>>& s) : mData(s.data()), mSize(s.size()) {}

  T* data() const { return mData; }
  size_t size() const { return mSize; }
  bool empty() const { return mSize == 0; }
  /// Any integer type: meshes store indices as int32_t.
  template <class Index, class = std::enable_if_t<std::is_integral_v<Index>>>
  T& operator[](Index i) const {
    return mData[i];
  }
  T* begin() const { return mData; }
  T* end() const { return mData + mSize; }
  T& front() const { return mData[0]; }
  T& back() const { return mData[mSize - 1]; }
  Span subspan(size_t offset, size_t count) const { return {mData + offset, count}; }

 private:
  T* mData = nullptr;
  size_t mSize = 0;
};

}  // namespace hackle
