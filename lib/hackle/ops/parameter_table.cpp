#include <hackle/ops/parameter_table.h>

#include <algorithm>

namespace hackle {

ParameterRow& ParameterRow::menu(std::vector<MenuItem> items) {
  mRow.menu = std::move(items);
  std::vector<std::string> tokens;
  for (const MenuItem& item : mRow.menu) tokens.push_back(item.token);
  if (mRow.type == ParameterType::Menu) {
    // Values of an enum travel as tokens.
    mRow.load = [number = mRow.load, tokens](const void* o) {
      return Value(tokens.at(static_cast<size_t>(number(o).asInt())));
    };
    mRow.store = [store = mRow.store, tokens](void* o, const Value& v) {
      const auto found = std::find(tokens.begin(), tokens.end(), v.asString());
      HACKLE_ASSERT(found != tokens.end());
      store(o, Value(static_cast<int64_t>(found - tokens.begin())));
    };
    mRow.defaultValue = tokens.at(static_cast<size_t>(mRow.defaultValue.asInt()));
  }
  mRow.type = ParameterType::Menu;
  return *this;
}

namespace detail {

Value rampToValue(const Ramp& ramp) {
  Value::List list;
  for (const Ramp::Knot& k : ramp.knots) list.emplace_back(Value::List{k.position, k.value});
  return list;
}

Ramp rampFromValue(const Value& value) {
  Ramp ramp;
  ramp.knots.clear();
  for (const Value& k : value.asList())
    ramp.knots.push_back({k.asList()[0].asNumber(), k.asList()[1].asNumber()});
  return ramp;
}

}  // namespace detail

}  // namespace hackle
