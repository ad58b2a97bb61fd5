#include <hackle/ops/parameter.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hackle {

namespace {

[[noreturn]] void refuse(const Parameter& parameter, const std::string& message, const std::string& remedy) {
  throw Error(ErrorCode::Usage, fmt::format("{}: {}", parameter.name, message), remedy);
}

std::optional<double> parseNumber(const std::string& text) {
  double value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || rest != end) return std::nullopt;
  return value;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::string unitSuffix(const Parameter& p) { return p.unit.empty() || p.unit == "none" ? "" : " " + p.unit; }

double checkedNumber(const Parameter& p, const Value& given) {
  std::optional<double> number;
  if (given.isNumber()) number = given.asNumber();
  if (given.isString()) number = parseNumber(given.asString());
  if (!number) refuse(p, fmt::format("expected a number, got {}", given.toJson(-1)), "");
  if (!std::isfinite(*number)) refuse(p, "is not a finite number", "");
  if ((p.hardMin && *number < *p.hardMin) || (p.hardMax && *number > *p.hardMax)) {
    std::string allowed;
    if (p.hardMin && p.hardMax)
      allowed = fmt::format("between {} and {}", *p.hardMin, *p.hardMax);
    else if (p.hardMin)
      allowed = fmt::format("at least {}", *p.hardMin);
    else
      allowed = fmt::format("at most {}", *p.hardMax);
    refuse(p, fmt::format("{} is out of range", *number),
           fmt::format("{} must be {}{}", p.name, allowed, unitSuffix(p)));
  }
  return *number;
}

Value checkedInt(const Parameter& p, const Value& given) {
  const double number = checkedNumber(p, given);
  if (number != std::floor(number) || std::abs(number) > 9.0e15)
    refuse(p, fmt::format("expected a whole number, got {}", given.toJson(-1)), "");
  return given.isInt() ? given : Value(static_cast<int64_t>(number));
}

Value checkedToggle(const Parameter& p, const Value& given) {
  if (given.isBool()) return given;
  if (given.isInt() && (given.asInt() == 0 || given.asInt() == 1)) return Value(given.asInt() == 1);
  if (given.isString()) {
    const std::string& text = given.asString();
    for (const char* yes : {"true", "on", "yes", "1"})
      if (text == yes) return true;
    for (const char* no : {"false", "off", "no", "0"})
      if (text == no) return false;
  }
  refuse(p, fmt::format("expected on or off, got {}", given.toJson(-1)), "");
}

Value checkedMenu(const Parameter& p, const Value& given) {
  std::vector<std::string> tokens;
  for (const MenuItem& item : p.menu) tokens.push_back(item.token);
  if (given.isString() && std::find(tokens.begin(), tokens.end(), given.asString()) != tokens.end())
    return given;
  std::string remedy = fmt::format("choose one of {}", fmt::join(tokens, ", "));
  const std::string nearest = given.isString() ? nearestName(given.asString(), tokens) : "";
  if (!nearest.empty()) remedy = fmt::format("did you mean {}? {}", nearest, remedy);
  refuse(p, fmt::format("has no choice {}", given.toJson(-1)), remedy);
}

Value checkedVector(const Parameter& p, const Value& given) {
  Value::List parts;
  if (given.isList()) parts = given.asList();
  if (given.isString())
    for (const std::string& part : split(given.asString(), ',')) parts.emplace_back(part);
  if (given.isNumber()) parts = {given};
  if (parts.size() == 1) parts = {parts[0], parts[0], parts[0]};
  if (parts.size() != 3)
    refuse(p, fmt::format("expected three numbers, got {}", given.toJson(-1)),
           fmt::format("write it as x,y,z"));
  Value::List numbers;
  for (const Value& part : parts) numbers.emplace_back(checkedNumber(p, part));
  return numbers;
}

Value checkedRamp(const Parameter& p, const Value& given) {
  Value::List knots;
  if (given.isString()) {
    for (const std::string& knot : split(given.asString(), ',')) {
      Value::List pair;
      for (const std::string& part : split(knot, ':')) pair.emplace_back(part);
      knots.emplace_back(std::move(pair));
    }
  } else if (given.isList()) {
    knots = given.asList();
  }
  Value::List checked;
  for (const Value& knot : knots) {
    if (!knot.isList() || knot.asList().size() != 2) {
      knots.clear();
      break;
    }
    const auto number = [&](const Value& v) {
      const auto n = v.isNumber()   ? std::optional<double>(v.asNumber())
                     : v.isString() ? parseNumber(v.asString())
                                    : std::nullopt;
      if (!n || !std::isfinite(*n)) refuse(p, fmt::format("expected a number, got {}", v.toJson(-1)), "");
      return *n;
    };
    const double position = number(knot.asList()[0]);
    const double value = number(knot.asList()[1]);
    if (position < 0 || position > 1)
      refuse(p, fmt::format("ramp position {} is outside 0 to 1", position), "");
    checked.emplace_back(Value::List{position, value});
  }
  if (knots.empty())
    refuse(p, fmt::format("expected a ramp, got {}", given.toJson(-1)),
           "write it as 0:0,0.5:1,1:0 (position:value)");
  std::stable_sort(checked.begin(), checked.end(), [](const Value& a, const Value& b) {
    return a.asList()[0].asNumber() < b.asList()[0].asNumber();
  });
  return checked;
}

Value checkedRecords(const Parameter& p, const Value& given) {
  if (!given.isList()) refuse(p, fmt::format("expected a list of records, got {}", given.typeName()), "");
  Value::List records;
  for (const Value& item : given.asList()) {
    if (!item.isMap())
      refuse(p, fmt::format("expected a record, got {}", item.toJson(-1)),
             "write it as name=value name=value");
    records.emplace_back(checkedValues(p.fields, item.asMap(), p.name));
  }
  return records;
}

size_t editDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

const char* parameterTypeName(ParameterType type) {
  static const char* kNames[] = {"float",  "int",  "toggle", "menu",      "string", "file", "vector",
                                 "colour", "ramp", "group",  "attribute", "volume", "list"};
  return kNames[static_cast<int>(type)];
}

double Ramp::operator()(double position) const {
  if (knots.empty()) return 0.0;
  if (position <= knots.front().position) return knots.front().value;
  for (size_t k = 1; k < knots.size(); ++k) {
    const Knot& a = knots[k - 1];
    const Knot& b = knots[k];
    if (position > b.position) continue;
    const double width = b.position - a.position;
    return width > 0 ? a.value + (b.value - a.value) * (position - a.position) / width : b.value;
  }
  return knots.back().value;
}

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

Value checkedValue(const Parameter& p, const Value& given) {
  switch (p.type) {
    case ParameterType::Float:
      return checkedNumber(p, given);
    case ParameterType::Int:
      return checkedInt(p, given);
    case ParameterType::Toggle:
      return checkedToggle(p, given);
    case ParameterType::Menu:
      return checkedMenu(p, given);
    case ParameterType::Vector:
    case ParameterType::Colour:
      return checkedVector(p, given);
    case ParameterType::Ramp:
      return checkedRamp(p, given);
    case ParameterType::List:
      return checkedRecords(p, given);
    case ParameterType::String:
    case ParameterType::File:
    case ParameterType::Group:
    case ParameterType::Attribute:
    case ParameterType::Volume:
      break;
  }
  if (!given.isString()) refuse(p, fmt::format("expected text, got {}", given.toJson(-1)), "");
  return given;
}

const Parameter* findParameter(const std::vector<Parameter>& table, const std::string& name) {
  for (const Parameter& p : table)
    if (p.name == name || std::find(p.aliases.begin(), p.aliases.end(), name) != p.aliases.end()) return &p;
  return nullptr;
}

Value::Map checkedValues(const std::vector<Parameter>& table, const Value::Map& given,
                         const std::string& what) {
  Value::Map values;
  for (const Parameter& p : table) values.emplace_back(p.name, p.defaultValue);
  for (const auto& [name, value] : given) {
    const Parameter* p = findParameter(table, name);
    if (!p) {
      std::vector<std::string> names;
      for (const Parameter& known : table) names.push_back(known.name);
      const std::string nearest = nearestName(name, names);
      throw Error(ErrorCode::Usage, fmt::format("{} has no parameter {}", what, name),
                  nearest.empty() ? fmt::format("its parameters are {}", fmt::join(names, ", "))
                                  : fmt::format("did you mean {}?", nearest));
    }
    values[static_cast<size_t>(p - table.data())].second = checkedValue(*p, value);
  }
  return values;
}

std::string nearestName(const std::string& name, const std::vector<std::string>& candidates) {
  std::string best;
  size_t bestDistance = std::max<size_t>(2, name.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    size_t distance = editDistance(name, candidate);
    if (name.size() >= 3 && candidate.compare(0, name.size(), name) == 0)
      distance = std::min<size_t>(distance, 1);
    if (distance >= bestDistance) continue;
    bestDistance = distance;
    best = candidate;
  }
  return best;
}

bool isEnabled(const Parameter& parameter, const Value::Map& values) {
  for (const Condition& condition : parameter.enabledWhen) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const auto& v) { return v.first == condition.parameter; });
    HACKLE_ASSERT(found != values.end());
    const Value& value = found->second;
    const std::string token = value.isBool()     ? (value.asBool() ? "on" : "off")
                              : value.isString() ? value.asString()
                                                 : value.toJson(-1);
    if (std::find(condition.tokens.begin(), condition.tokens.end(), token) == condition.tokens.end())
      return false;
  }
  return true;
}

}  // namespace hackle
