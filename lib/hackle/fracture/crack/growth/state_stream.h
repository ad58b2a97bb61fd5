// Values in a row of bytes, written and read by the same code.
#pragma once

#include <hackle/core/error.h>
#include <hackle/geometry/vec.h>

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hackle {

/// Each call writes a value, or replaces it by what was written at this place. Little endian.
class StateStream {
 public:
  StateStream() = default;
  explicit StateStream(std::string_view bytes) : mReading(true), mRest(bytes) {}

  bool reading() const { return mReading; }
  bool atEnd() const { return mRest.empty(); }
  const std::string& bytes() const { return mBytes; }

  template <class... Values>
  void all(Values&... values) {
    (value(values), ...);
  }

  template <class T>
  std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>> value(T& v) {
    raw(&v, sizeof(T));
  }
  void value(Vec3& v) { raw(v.data(), 3 * sizeof(double)); }
  void value(Mat3& v) { raw(v.data(), 9 * sizeof(double)); }
  void value(Eigen::VectorXd& v) {
    const size_t count = length(static_cast<size_t>(v.size()), sizeof(double));
    if (mReading) v.resize(static_cast<Eigen::Index>(count));
    raw(v.data(), count * sizeof(double));
  }
  template <class T, size_t N>
  void value(std::array<T, N>& values) {
    for (T& v : values) value(v);
  }
  template <class T>
  void value(std::vector<T>& values) {
    const size_t count = length(values.size(), 1);
    if (mReading) values.assign(count, T());
    if constexpr (std::is_arithmetic_v<T>)
      raw(values.data(), count * sizeof(T));
    else
      for (T& v : values) value(v);
  }
  /// Calls each(element) for all elements of a list.
  template <class T, class Each>
  void list(std::vector<T>& values, const Each& each) {
    const size_t count = length(values.size(), 1);
    if (mReading) values = std::vector<T>(count);
    for (T& v : values) each(v);
  }

 private:
  size_t length(size_t count, size_t least) {
    uint64_t n = count;
    raw(&n, sizeof n);
    if (mReading && n > mRest.size() / least) broken();
    return static_cast<size_t>(n);
  }
  void raw(void* data, size_t size) {
    if (size == 0) return;
    if (!mReading) {
      mBytes.append(static_cast<const char*>(data), size);
      return;
    }
    if (size > mRest.size()) broken();
    std::memcpy(data, mRest.data(), size);
    mRest.remove_prefix(size);
  }
  [[noreturn]] static void broken() {
    throw Error(ErrorCode::BadInput, "the saved state of cracks ends too early", "start the run anew");
  }

  bool mReading = false;
  std::string mBytes;
  std::string_view mRest;
};

}  // namespace hackle
