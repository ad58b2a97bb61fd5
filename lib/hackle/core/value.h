// A value of a parameter or of a report: null, bool, int, float, string, list or map. Prints as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace hackle {

class Value {
 public:
  using List = std::vector<Value>;
  using Map = std::vector<std::pair<std::string, Value>>;  // keeps its order

  Value() = default;
  Value(bool v) : mData(v) {}
  Value(int v) : mData(static_cast<int64_t>(v)) {}
  Value(int64_t v) : mData(v) {}
  Value(size_t v) : mData(static_cast<int64_t>(v)) {}
  Value(double v) : mData(v) {}
  Value(const char* v) : mData(std::string(v)) {}
  Value(std::string v) : mData(std::move(v)) {}
  Value(List v) : mData(std::move(v)) {}
  Value(Map v) : mData(std::move(v)) {}
  template <class T, class = std::enable_if_t<!std::is_same_v<T, Value>>>
  static Value listOf(const std::vector<T>& items) {
    List list;
    list.reserve(items.size());
    for (const T& item : items) list.emplace_back(item);
    return list;
  }
  /// Numbers of anything with begin() and end().
  template <class Range>
  static Value numbers(const Range& range) {
    List list;
    for (const double v : range) list.emplace_back(v);
    return list;
  }

  bool isNull() const { return std::holds_alternative<std::monostate>(mData); }
  bool isBool() const { return std::holds_alternative<bool>(mData); }
  bool isInt() const { return std::holds_alternative<int64_t>(mData); }
  bool isFloat() const { return std::holds_alternative<double>(mData); }
  bool isNumber() const { return isInt() || isFloat(); }
  bool isString() const { return std::holds_alternative<std::string>(mData); }
  bool isList() const { return std::holds_alternative<List>(mData); }
  bool isMap() const { return std::holds_alternative<Map>(mData); }
  /// "float", "list", ... for messages.
  const char* typeName() const;

  // Each throws Error(Internal) when the type does not fit; asNumber takes ints too.
  bool asBool() const;
  int64_t asInt() const;
  double asNumber() const;
  const std::string& asString() const;
  const List& asList() const;
  const Map& asMap() const;

  /// The value under a key of a map; nullptr if there is none or this is no map.
  const Value* find(const std::string& key) const;
  /// Sets a key of a map (a null value becomes a map), keeping the place of an existing key.
  void set(const std::string& key, Value value);
  void append(Value value);

  bool operator==(const Value& other) const { return mData == other.mData; }
  bool operator!=(const Value& other) const { return !(*this == other); }

  /// JSON; numbers in the shortest form that reads back equal, NaN and infinities as null. indent < 0: one
  /// line.
  std::string toJson(int indent = 2) const;

 private:
  void writeJson(std::string& out, int indent, int depth) const;
  std::variant<std::monostate, bool, int64_t, double, std::string, List, Map> mData;
};

}  // namespace hackle
