#include <hackle/ops/parameter.h>

#include <hackle/ops/describe.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

namespace hackle {

namespace {

[[noreturn]] void refuse(const Parameter& parameter, const std::string& message,
                         const std::string& remedy = {}) {
  throw Error(ErrorCode::Usage, fmt::format("{}: {}", parameter.name, message), remedy);
}

/// Text within spaces and after one plus sign, which std::from_chars does not take.
std::string_view bareNumber(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return text;
}

template <class T>
std::optional<T> parseNumber(const std::string& text) {
  const std::string_view bare = bareNumber(text);
  T value = 0;
  const auto [rest, error] = std::from_chars(bare.data(), bare.data() + bare.size(), value);
  if (error != std::errc() || rest != bare.data() + bare.size()) return std::nullopt;
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

/// A finite number, whatever the row's range.
double finiteNumber(const Parameter& p, const Value& given) {
  std::optional<double> number;
  if (given.isNumber()) number = given.asNumber();
  if (given.isString()) number = parseNumber<double>(given.asString());
  if (!number) {
    const std::string range = rangeText(p);
    refuse(p, fmt::format("expected a number, got {}", given.toJson(-1)),
           range.empty() ? "" : fmt::format("{} is a number, {}", p.name, range));
  }
  if (!std::isfinite(*number))
    refuse(p, fmt::format("expected a finite number, got {}", numberText(*number)));
  return *number;
}

double checkedNumber(const Parameter& p, const Value& given) {
  const double number = finiteNumber(p, given);
  if ((p.hardMin && number < *p.hardMin) || (p.hardMax && number > *p.hardMax))
    refuse(p, fmt::format("{} is out of range", numberText(number)),
           fmt::format("{} must be {}", p.name, hardRangeText(p)));
  return number;
}

Value checkedInt(const Parameter& p, const Value& given) {
  const double number = checkedNumber(p, given);
  if (number != std::floor(number))
    refuse(p, fmt::format("expected a whole number, got {}", numberText(number)));
  // Whole numbers beyond 2^53 keep all their digits if they were given as such.
  std::optional<int64_t> whole;
  if (given.isInt()) whole = given.asInt();
  if (given.isString()) whole = parseNumber<int64_t>(given.asString());
  if (!whole && std::abs(number) < 0x1p63) whole = static_cast<int64_t>(number);
  if (!whole || *whole < p.wholeMin || *whole > p.wholeMax)
    refuse(p, fmt::format("{} is out of range", numberText(number)),
           fmt::format("{} must be {} to {}", p.name, p.wholeMin, p.wholeMax));
  return *whole;
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
  refuse(p, fmt::format("expected on or off, got {}", given.toJson(-1)));
}

Value checkedMenu(const Parameter& p, const Value& given) {
  std::vector<std::string> tokens;
  for (const MenuItem& item : p.menu) tokens.push_back(item.token);
  if (given.isString() && std::find(tokens.begin(), tokens.end(), given.asString()) != tokens.end())
    return given;
  std::string remedy = fmt::format("choose {}", menuText(p));
  const std::string nearest = given.isString() ? nearestName(given.asString(), tokens) : "";
  if (!nearest.empty()) remedy = fmt::format("did you mean {}? {}", nearest, remedy);
  refuse(p, fmt::format("there is no choice {}", given.toJson(-1)), remedy);
}

Value checkedVector(const Parameter& p, const Value& given) {
  Value::List parts;
  if (given.isList()) parts = given.asList();
  if (given.isString())
    for (const std::string& part : split(given.asString(), ',')) parts.emplace_back(part);
  if (given.isNumber()) parts = {given};
  if (parts.size() == 1) parts = {parts[0], parts[0], parts[0]};
  if (parts.size() != 3)
    refuse(p, fmt::format("expected three numbers, got {}", given.toJson(-1)), "write it as x,y,z");
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
  const bool pairs = std::all_of(knots.begin(), knots.end(), [](const Value& knot) {
    return knot.isList() && knot.asList().size() == 2;
  });
  if (knots.empty() || !pairs)
    refuse(p, fmt::format("expected a ramp, got {}", given.toJson(-1)),
           "write it as position:value pairs, such as 0:0,0.5:1,1:0");
  Value::List checked;
  for (const Value& knot : knots) {
    const double position = finiteNumber(p, knot.asList()[0]);
    if (position < 0 || position > 1)
      refuse(p, fmt::format("the position {} is out of range", numberText(position)),
             "positions of a ramp are 0 to 1");
    checked.emplace_back(Value::List{position, checkedNumber(p, knot.asList()[1])});
  }
  std::stable_sort(checked.begin(), checked.end(), [](const Value& a, const Value& b) {
    return a.asList()[0].asNumber() < b.asList()[0].asNumber();
  });
  return checked;
}

Value checkedRecords(const Parameter& p, const Value& given) {
  // One record needs no list around it.
  const Value::List items = given.isList() ? given.asList() : Value::List{given};
  Value::List records;
  for (const Value& item : items) {
    if (!item.isMap())
      refuse(p, fmt::format("expected a record, got {}", item.toJson(-1)),
             "write it as field=value field=value");
    const std::string which = fmt::format("{} {}", p.name, records.size() + 1);
    try {
      records.emplace_back(checkedValues(p.fields, item.asMap(), which));
    } catch (const Error& e) {
      const std::string message = e.what();
      const bool named = message.compare(0, which.size(), which) == 0;
      throw Error(e.code(), named ? message : fmt::format("{}: {}", which, message), e.remedy());
    }
  }
  return records;
}

std::string lowerCase(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  return text;
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

/// The refusal of a name that the table does not have, with the nearest one it has.
[[noreturn]] void refuseUnknown(const std::vector<Parameter>& table, const std::string& name,
                                const std::string& what) {
  std::vector<std::string> names;
  for (const Parameter& known : table) names.push_back(known.name);
  const std::string nearest = nearestName(name, names);
  std::string remedy = "it has no parameters";
  if (!names.empty()) remedy = fmt::format("its parameters are {}", joinWords(names, " and "));
  if (!nearest.empty()) remedy = fmt::format("did you mean {}?", nearest);
  throw Error(ErrorCode::Usage, fmt::format("{} has no parameter {}", what, name), remedy);
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

Value checkedValue(const Parameter& p, const Value& given) {
  if (p.optional && given.isNull()) return given;
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
  if (!given.isString()) refuse(p, fmt::format("expected text, got {}", given.toJson(-1)));
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
  std::vector<const std::string*> givenAs(table.size(), nullptr);
  for (const Parameter& p : table) values.emplace_back(p.name, p.defaultValue);
  for (const auto& [name, value] : given) {
    const Parameter* p = findParameter(table, name);
    if (!p) refuseUnknown(table, name, what);
    const size_t row = static_cast<size_t>(p - table.data());
    if (givenAs[row])
      throw Error(ErrorCode::Usage, fmt::format("{}: {} is given twice", what, p->name),
                  *givenAs[row] == name ? "" : fmt::format("{} and {} are the same", *givenAs[row], name));
    givenAs[row] = &name;
    values[row].second = checkedValue(*p, value);
  }
  return values;
}

std::string nearestName(const std::string& name, const std::vector<std::string>& candidates) {
  const std::string wanted = lowerCase(name);
  std::string best;
  size_t bestDistance = std::max<size_t>(1, name.size() / 2) + 1;
  for (const std::string& candidate : candidates) {
    const std::string known = lowerCase(candidate);
    size_t distance = editDistance(wanted, known);
    if (wanted.size() >= 3 && known.compare(0, wanted.size(), wanted) == 0)
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
