// Numbers at any address, in either byte order.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace hackle {

enum class ByteOrder { Little, Big };

/// Value of `number` with its bytes reversed.
template <class T>
T byteSwapped(T number) {
  static_assert(std::is_arithmetic_v<T>);
  if constexpr (sizeof(T) == 1) {
    return number;
  } else {
    using Bits =
        std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;
    static_assert(sizeof(T) == sizeof(Bits));
    Bits bits;
    std::memcpy(&bits, &number, sizeof bits);
    if constexpr (sizeof(T) == 2) bits = __builtin_bswap16(bits);
    if constexpr (sizeof(T) == 4) bits = __builtin_bswap32(bits);
    if constexpr (sizeof(T) == 8) bits = __builtin_bswap64(bits);
    std::memcpy(&number, &bits, sizeof bits);
    return number;
  }
}

/// Reads a number that is stored in the given order; this machine is little endian.
template <class T, ByteOrder order = ByteOrder::Little>
T loadNumber(const char* at) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
  T number;
  std::memcpy(&number, at, sizeof number);
  return order == ByteOrder::Big ? byteSwapped(number) : number;
}

/// Stores a number in the given order and returns the address behind it.
template <class T, ByteOrder order = ByteOrder::Little>
char* storeNumber(char* at, T number) {
  if (order == ByteOrder::Big) number = byteSwapped(number);
  std::memcpy(at, &number, sizeof number);
  return at + sizeof number;
}

}  // namespace hackle
