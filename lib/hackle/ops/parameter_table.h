// One table binds the names of parameters to members of a plain options struct.
#pragma once

#include <hackle/geometry/vec.h>
#include <hackle/ops/parameter.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace hackle {

/// Fills in one row: `table.add(&Options::size, "size", "Size").unit("m").range(0, 10).help("...")`.
class ParameterRow {
 public:
  explicit ParameterRow(Parameter& row) : mRow(row) {}
  ParameterRow& help(std::string text) { return mRow.help = std::move(text), *this; }
  ParameterRow& unit(std::string text) { return mRow.unit = std::move(text), *this; }
  /// Values outside are refused.
  ParameterRow& hard(std::optional<double> low, std::optional<double> high) {
    return mRow.hardMin = low, mRow.hardMax = high, *this;
  }
  /// Ends of the slider.
  ParameterRow& soft(double low, double high) { return mRow.softMin = low, mRow.softMax = high, *this; }
  /// Both at once.
  ParameterRow& range(double low, double high) { return hard(low, high).soft(low, high); }
  ParameterRow& menu(std::vector<MenuItem> items);
  ParameterRow& enabledWhen(std::string parameter, std::vector<std::string> tokens) {
    return mRow.enabledWhen.push_back({std::move(parameter), std::move(tokens)}), *this;
  }
  ParameterRow& alias(std::string name) { return mRow.aliases.push_back(std::move(name)), *this; }
  ParameterRow& fills(std::function<Value::Map(const std::string&)> values) {
    return mRow.fills = std::move(values), *this;
  }
  ParameterRow& as(ParameterType type) { return mRow.type = type, *this; }
  /// List: records can also come as points on that input. Field: from that point attribute.
  ParameterRow& fromPoints(std::string inputName) { return mRow.pointsInput = std::move(inputName), *this; }
  ParameterRow& fromAttribute(std::string name) { return mRow.pointAttribute = std::move(name), *this; }

 private:
  Parameter& mRow;
};

namespace detail {

Value rampToValue(const Ramp& ramp);
Ramp rampFromValue(const Value& value);

template <class T, class = void>
struct Binding;  // C++ type <-> Value; the type that a row gets unless `as` says otherwise

template <>
struct Binding<double> {
  static constexpr ParameterType kType = ParameterType::Float;
  static Value toValue(double v) { return v; }
  static double fromValue(const Value& v) { return v.asNumber(); }
};
template <class T>
struct Binding<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static constexpr ParameterType kType = ParameterType::Int;
  static Value toValue(T v) { return static_cast<int64_t>(v); }
  static T fromValue(const Value& v) { return static_cast<T>(v.asInt()); }
};
template <class T>
struct Binding<std::optional<T>> {
  static constexpr ParameterType kType = Binding<T>::kType;
  static Value toValue(const std::optional<T>& v) { return v ? Binding<T>::toValue(*v) : Value(); }
  static std::optional<T> fromValue(const Value& v) {
    return v.isNull() ? std::nullopt : std::optional<T>(Binding<T>::fromValue(v));
  }
};
template <>
struct Binding<bool> {
  static constexpr ParameterType kType = ParameterType::Toggle;
  static Value toValue(bool v) { return v; }
  static bool fromValue(const Value& v) { return v.asBool(); }
};
template <>
struct Binding<std::string> {
  static constexpr ParameterType kType = ParameterType::String;
  static Value toValue(const std::string& v) { return v; }
  static std::string fromValue(const Value& v) { return v.asString(); }
};
template <>
struct Binding<Vec3> {
  static constexpr ParameterType kType = ParameterType::Vector;
  static Value toValue(const Vec3& v) { return Value::List{v.x(), v.y(), v.z()}; }
  static Vec3 fromValue(const Value& v) {
    const Value::List& list = v.asList();
    return {list[0].asNumber(), list[1].asNumber(), list[2].asNumber()};
  }
};
template <>
struct Binding<Ramp> {
  static constexpr ParameterType kType = ParameterType::Ramp;
  static Value toValue(const Ramp& v) { return rampToValue(v); }
  static Ramp fromValue(const Value& v) { return rampFromValue(v); }
};

/// What is inside a std::optional; other types are themselves.
template <class T>
struct Bare {
  using Type = T;
};
template <class T>
struct Bare<std::optional<T>> {
  using Type = T;
};

}  // namespace detail

/// The rows of an options struct. Give `menu` items in the order of the enum's values.
template <class Options>
class ParameterTable {
 public:
  /// Rows that follow go under this heading.
  ParameterTable& section(std::string name) { return mSection = std::move(name), *this; }

  template <class T>
  ParameterRow add(T Options::*member, std::string name, std::string label) {
    Parameter row = makeRow(std::move(name), std::move(label));
    if constexpr (std::is_enum_v<T>) {
      // Until menu() gives tokens their names, the value is the enum's number.
      row.type = ParameterType::Menu;
      row.load = [member](const void* o) {
        return Value(static_cast<int64_t>(static_cast<const Options*>(o)->*member));
      };
      row.store = [member](void* o, const Value& v) {
        static_cast<Options*>(o)->*member = static_cast<T>(v.asInt());
      };
    } else {
      using B = detail::Binding<T>;
      using Bare = typename detail::Bare<T>::Type;
      row.type = B::kType;
      row.optional = !std::is_same_v<T, Bare>;
      if constexpr (std::is_integral_v<Bare>) {
        constexpr auto kMax = static_cast<uint64_t>(std::numeric_limits<Bare>::max());
        row.wholeMin = static_cast<int64_t>(std::numeric_limits<Bare>::min());
        row.wholeMax = static_cast<int64_t>(std::min<uint64_t>(kMax, INT64_MAX));
      }
      row.load = [member](const void* o) { return B::toValue(static_cast<const Options*>(o)->*member); };
      row.store = [member](void* o, const Value& v) { static_cast<Options*>(o)->*member = B::fromValue(v); };
    }
    return push(std::move(row));
  }

  /// A list of records; `fields` is the table of the record.
  template <class Record>
  ParameterRow addList(std::vector<Record> Options::*member, std::string name, std::string label,
                       const ParameterTable<Record>& fields) {
    Parameter row = makeRow(std::move(name), std::move(label));
    row.type = ParameterType::List;
    row.fields = fields.rows();
    const std::vector<Parameter> records = row.fields;
    row.load = [member, records](const void* o) {
      Value::List list;
      for (const Record& record : static_cast<const Options*>(o)->*member) {
        Value::Map map;
        for (const Parameter& field : records) map.emplace_back(field.name, field.load(&record));
        list.emplace_back(std::move(map));
      }
      return Value(std::move(list));
    };
    row.store = [member, records](void* o, const Value& v) {
      auto& list = static_cast<Options*>(o)->*member;
      list.clear();
      for (const Value& item : v.asList()) {
        Record record;
        for (const Parameter& field : records)
          if (const Value* given = item.find(field.name)) field.store(&record, *given);
        list.push_back(std::move(record));
      }
    };
    return push(std::move(row));
  }

  /// All rows of a struct that is a member of this one (materials, regions).
  template <class Part>
  ParameterTable& include(Part Options::*member, const ParameterTable<Part>& part) {
    for (Parameter row : part.rows()) {
      row.load = [member, load = row.load](const void* o) {
        return load(&(static_cast<const Options*>(o)->*member));
      };
      row.store = [member, store = row.store](void* o, const Value& v) {
        store(&(static_cast<Options*>(o)->*member), v);
      };
      push(std::move(row));  // with the defaults of the member, not of a fresh Part
    }
    return *this;
  }

  const std::vector<Parameter>& rows() const { return mRows; }

 private:
  Parameter makeRow(std::string name, std::string label) const {
    Parameter row;
    row.name = std::move(name);
    row.label = std::move(label);
    row.section = mSection;
    return row;
  }
  ParameterRow push(Parameter row) {
    const Options defaults{};
    row.defaultValue = row.load(&defaults);
    return ParameterRow(mRows.emplace_back(std::move(row)));
  }

  std::string mSection;
  std::vector<Parameter> mRows;
};

}  // namespace hackle
