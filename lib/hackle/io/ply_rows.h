// The rows of PLY elements, one number after the other, from text or binary. Internal to the PLY reader.
#pragma once

#include <hackle/core/error.h>
#include <hackle/io/byte_order.h>
#include <hackle/io/ply_header.h>
#include <hackle/io/text_scanner.h>

#include <fmt/format.h>

#include <limits>

namespace hackle::ply {

/// Both kinds of rows have the same members, so that one template reads either.
template <ByteOrder order>
class BinaryRows {
 public:
  BinaryRows(std::string_view bytes, size_t start, Context& context)
      : mBytes(bytes), mAt(start), mContext(context) {}

  /// Throws if that many things of at least `bytes` bytes (0 is fine) cannot follow: "3 vertex elements".
  void expect(size_t count, size_t bytes, std::string_view owner, const char* what) const {
    if (bytes > 0 && count > remaining() / bytes)
      fail(fmt::format("{} {} {} are announced, but only {} bytes follow", count, owner, what, remaining()));
  }
  static size_t leastBytes(const Element& element) { return element.rowBytes(); }
  static size_t leastItemBytes(Type type) { return sizeOf(type); }

  double number(Type type) {
    return withType(type, [&](auto zero) { return static_cast<double>(next<decltype(zero)>()); });
  }
  /// Calls f with every item of a list; the caller made sure that they are there.
  template <class F>
  void items(Type type, size_t count, const F& f) {
    withType(type, [&](auto zero) {
      for (size_t i = 0; i < count; ++i) f(next<decltype(zero)>());
    });
  }
  void skipItems(Type type, size_t count) { mAt += count * sizeOf(type); }

  /// Bytes that are known to be there, which are then behind us.
  const char* take(size_t bytes) {
    const char* at = mBytes.data() + mAt;
    mAt += bytes;
    return at;
  }
  size_t remaining() const { return mBytes.size() - mAt; }
  size_t offset() const { return mAt; }
  void report() const { mContext.advance(static_cast<double>(mAt) / static_cast<double>(mBytes.size())); }
  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorCode::BadInput, fmt::format("byte {}: {}", mAt, reason));
  }

 private:
  template <class T>
  T next() {
    if (remaining() < sizeof(T)) fail("the file ends in the middle of an element");
    return loadNumber<T, order>(take(sizeof(T)));
  }

  std::string_view mBytes;
  size_t mAt;
  Context& mContext;
};

class TextRows {
 public:
  TextRows(std::string_view bytes, size_t start, Context& context) : mScan(bytes, context) {
    while (mScan.offset() < start) mScan.nextLine();
  }

  void expect(size_t count, size_t bytes, std::string_view owner, const char* what) const {
    if (bytes > 0 && count > (mScan.remaining() + 1) / bytes)
      fail(fmt::format("{} {} {} are announced, but only {} bytes follow", count, owner, what,
                       mScan.remaining()));
  }
  /// A digit and a gap for each number.
  static size_t leastBytes(const Element& element) { return 2 * element.properties.size(); }
  static size_t leastItemBytes(Type) { return 2; }

  double number(Type type) {
    if (!mScan.nextItem()) mScan.fail("the file ends in the middle of an element");
    if (type == Type::Float32) return static_cast<double>(mScan.single("a property"));
    const double value = mScan.number("a property");
    if (!isReal(type)) withType(type, [&](auto zero) { checkRange<decltype(zero)>(value); });
    return value;
  }
  template <class F>
  void items(Type type, size_t count, const F& f) {
    for (size_t i = 0; i < count; ++i) f(number(type));
  }
  void skipItems(Type type, size_t count) {
    items(type, count, [](double) {});
  }

  size_t offset() const { return mScan.offset(); }
  void report() const {}  // the scanner does
  [[noreturn]] void fail(const std::string& reason) const { mScan.fail(reason); }

 private:
  template <class T>
  void checkRange(double value) const {
    if (!(value >= static_cast<double>(std::numeric_limits<T>::lowest()) &&
          value <= static_cast<double>(std::numeric_limits<T>::max())))
      fail(fmt::format("{} does not fit into the type of its property", value));
  }

  TextScanner mScan;
};

}  // namespace hackle::ply
