// Named arrays on points, vertices, primitives or the whole detail.
#pragma once

#include <hackle/core/cow_array.h>
#include <hackle/core/error.h>

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace hackle {

enum class Owner { Point, Vertex, Primitive, Detail };
constexpr int kOwnerCount = 4;
/// "point", "vertex", "primitive", "detail"
const char* ownerName(Owner owner);

enum class Storage { Float32, Float64, Int32, Int64, String };
/// "float32", "float64", "int32", "int64", "string"
const char* storageName(Storage storage);

/// Strings are kept once in a table; elements hold indices into it, -1 for the empty string.
struct StringArray {
  CowArray<std::string> table;
  CowArray<int32_t> indices;
};

/// How the tuple is transformed, in Houdini's words: "point", "vector", "normal", "color", "texturecoord",
/// "quaternion", "matrix", ...; empty if it is just numbers.
using Qualifier = std::string;

/// Elements are tuples of `tupleSize` numbers or strings, interleaved. Copies share storage.
class Attribute {
 public:
  Attribute(std::string name, Storage storage, int tupleSize, size_t elements = 0, Qualifier qualifier = {});

  const std::string& name() const { return mName; }
  void rename(std::string name) { mName = std::move(name); }
  Storage storage() const { return mStorage; }
  int tupleSize() const { return mTupleSize; }
  bool isString() const { return mStorage == Storage::String; }
  bool isFloat() const { return mStorage == Storage::Float32 || mStorage == Storage::Float64; }
  bool isInt() const { return mStorage == Storage::Int32 || mStorage == Storage::Int64; }
  size_t elementCount() const;

  /// New elements get the default value (0 or the empty string unless set).
  void resize(size_t elements);

  Qualifier qualifier;
  /// Value of new elements: empty (zeros), one number for all components, or one per component.
  std::vector<double> defaults;
  /// Storage to use in files where it is not the one in memory: P is double in memory, single in most files.
  std::optional<Storage> fileStorage;

  /// The numbers themselves, elementCount() * tupleSize() of them; T must be the C++ type of storage().
  template <class T>
  Span<const T> values() const {
    return std::get<CowArray<T>>(mData).span();
  }
  template <class T>
  const CowArray<T>& array() const {
    return std::get<CowArray<T>>(mData);
  }
  /// To change them. Keep the size.
  template <class T>
  std::vector<T>& edit() {
    return std::get<CowArray<T>>(mData).edit();
  }
  template <class T>
  void assign(CowArray<T> values) {
    HACKLE_ASSERT(mTupleSize == 0 || values.size() % static_cast<size_t>(mTupleSize) == 0);
    std::get<CowArray<T>>(mData) = std::move(values);
  }

  /// Calls f with a Span of the stored type: float, double, int32_t or int64_t. Not for strings.
  template <class F>
  auto visitNumbers(F&& f) const {
    switch (mStorage) {
      case Storage::Float32:
        return f(values<float>());
      case Storage::Float64:
        return f(values<double>());
      case Storage::Int32:
        return f(values<int32_t>());
      default:
        return f(values<int64_t>());
    }
  }

  /// One number, converted; component c of an element. Not for strings.
  double number(size_t element, int c = 0) const;
  void setNumber(size_t element, int c, double value);

  const std::string& string(size_t element, int c = 0) const;
  void setString(size_t element, const std::string& value, int c = 0);
  const StringArray& strings() const { return std::get<StringArray>(mData); }
  void assignStrings(StringArray strings) { mData = std::move(strings); }

  /// Elements in a new order: result element i is this one's order[i].
  Attribute gathered(Span<const int32_t> order) const;
  /// Adds another attribute's elements at the end; numbers are converted to this one's storage, tuples cut or
  /// filled with zeros. Strings and numbers do not mix (Error BadInput).
  void append(const Attribute& other);

  /// Equal name, type and values.
  bool operator==(const Attribute& other) const;

 private:
  size_t valueIndex(size_t element, int c) const {
    return element * static_cast<size_t>(mTupleSize) + static_cast<size_t>(c);
  }
  std::string mName;
  Storage mStorage;
  int mTupleSize;
  std::variant<CowArray<float>, CowArray<double>, CowArray<int32_t>, CowArray<int64_t>, StringArray> mData;
};

}  // namespace hackle
