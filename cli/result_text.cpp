#include <cli/result_text.h>
#include <cli/terminal.h>
#include <hackle/ops/describe.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle::cli {

namespace {

std::string words(std::string name) {
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

/// Six digits are more than a person wants and enough to tell apart; reports have them all.
std::string floatText(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  if (std::abs(value) >= 1e4 && std::abs(value) < 1e9 && value == std::floor(value))
    return groupedDigits(static_cast<long long>(value));
  return numberText(std::stod(fmt::format("{:.6g}", value)));
}

bool isTable(const Value& value) {
  if (!value.isList() || value.asList().empty()) return false;
  const Value::List& rows = value.asList();
  return std::all_of(rows.begin(), rows.end(), [](const Value& row) { return row.isMap(); });
}

/// A value in a table; matrices would make lines that nobody can read.
std::string cellText(const Value& value) {
  constexpr size_t kLongestTuple = 4;
  const bool tooLong = value.isList() && value.asList().size() > kLongestTuple;
  return tooLong ? fmt::format("({} values)", value.asList().size()) : shortText(value);
}

/// Columns in the order in which rows first mention them; numbers to the right.
std::string tableText(const Value::List& rows, size_t indent) {
  std::vector<std::string> keys;
  for (const Value& row : rows)
    for (const auto& [key, value] : row.asMap())
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  std::vector<size_t> widths;
  std::vector<bool> numeric;
  for (const std::string& key : keys) {
    size_t width = key.size();
    bool allNumbers = true;
    for (const Value& row : rows) {
      const Value* value = row.find(key);
      width = std::max(width, value ? cellText(*value).size() : 0);
      allNumbers = allNumbers && (!value || value->isNumber() || value->isNull());
    }
    widths.push_back(width);
    numeric.push_back(allNumbers);
  }
  const auto line = [&](const auto& cell) {
    std::string text(indent, ' ');
    for (size_t k = 0; k < keys.size(); ++k)
      text += numeric[k] ? fmt::format("{:>{}}  ", cell(k), widths[k])
                         : fmt::format("{:<{}}  ", cell(k), widths[k]);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string out = line([&](size_t k) { return words(keys[k]); });
  for (const Value& row : rows)
    out += line([&](size_t k) {
      const Value* value = row.find(keys[k]);
      return value ? cellText(*value) : std::string();
    });
  return out;
}

std::string mapText(const Value::Map& map, size_t indent) {
  size_t width = 0;
  for (const auto& [name, value] : map)
    if (!value.isMap() && !isTable(value)) width = std::max(width, name.size());
  std::string out;
  for (const auto& [name, value] : map) {
    const std::string start(indent, ' ');
    if (value.isMap() && !value.asMap().empty())
      out += start + words(name) + "\n" + mapText(value.asMap(), indent + 2);
    else if (isTable(value))
      out += start + words(name) + "\n" + tableText(value.asList(), indent + 2);
    else
      out += fmt::format("{}{:<{}}  {}\n", start, words(name), width, shortText(value));
  }
  return out;
}

}  // namespace

std::string shortText(const Value& value) {
  if (value.isBool()) return value.asBool() ? "yes" : "no";
  if (value.isInt()) return groupedDigits(value.asInt());
  if (value.isFloat()) return floatText(value.asNumber());
  if (value.isString()) return value.asString().empty() ? "-" : value.asString();
  std::vector<std::string> parts;
  if (value.isList())
    for (const Value& part : value.asList()) parts.push_back(shortText(part));
  if (value.isMap())
    for (const auto& [name, part] : value.asMap()) parts.push_back(words(name) + " " + shortText(part));
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string resultText(const Value& result) { return result.isMap() ? mapText(result.asMap(), 0) : ""; }

}  // namespace hackle::cli
