// The header of PLY files: elements and the types of their properties. Internal to the PLY reader and writer.
#pragma once

#include <hackle/core/context.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hackle::ply {

enum class Type : uint8_t { Int8, UInt8, Int16, UInt16, Int32, UInt32, Float32, Float64 };
size_t sizeOf(Type type);
const char* nameOf(Type type);
inline bool isReal(Type type) { return type >= Type::Float32; }

/// Calls f with a value of the C++ type.
template <class F>
decltype(auto) withType(Type type, F&& f) {
  switch (type) {
    case Type::Int8:
      return f(int8_t());
    case Type::UInt8:
      return f(uint8_t());
    case Type::Int16:
      return f(int16_t());
    case Type::UInt16:
      return f(uint16_t());
    case Type::Int32:
      return f(int32_t());
    case Type::UInt32:
      return f(uint32_t());
    case Type::Float32:
      return f(float());
    default:
      return f(double());
  }
}

struct Property {
  std::string name;
  Type type = Type::Float32;  // of the number, or of a list's items
  bool isList = false;
  Type countType = Type::UInt8;
};

struct Element {
  std::string name;
  size_t count = 0;
  std::vector<Property> properties;

  /// Index of a property, or -1.
  int find(std::string_view property) const;
  bool hasLists() const;
  /// Bytes that a row takes at least; all rows take it if there are no lists.
  size_t rowBytes() const;
};

enum class Encoding { Text, BinaryLittle, BinaryBig };

struct Header {
  Encoding encoding = Encoding::Text;
  std::vector<Element> elements;
  size_t dataStart = 0;  // in bytes

  const Element* find(std::string_view element) const;
};

/// Throws Error(BadInput) with the line.
Header parseHeader(std::string_view bytes, Context& context);

}  // namespace hackle::ply
