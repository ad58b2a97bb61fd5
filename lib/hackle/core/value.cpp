#include <hackle/core/value.h>

#include <hackle/core/error.h>

#include <charconv>
#include <cmath>

namespace hackle {

namespace {

void writeString(std::string& out, const std::string& text) {
  static const char* kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += kHex[(c >> 4) & 15];
          out += kHex[c & 15];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

void writeNumber(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string text(buffer, end);
  out += text;
  if (text.find_first_of(".e") == std::string::npos) out += ".0";
}

}  // namespace

const char* Value::typeName() const {
  static const char* kNames[] = {"null", "bool", "int", "float", "string", "list", "map"};
  return kNames[mData.index()];
}

bool Value::asBool() const {
  HACKLE_ASSERT(isBool());
  return std::get<bool>(mData);
}
int64_t Value::asInt() const {
  HACKLE_ASSERT(isInt());
  return std::get<int64_t>(mData);
}
double Value::asNumber() const {
  if (isInt()) return static_cast<double>(std::get<int64_t>(mData));
  HACKLE_ASSERT(isFloat());
  return std::get<double>(mData);
}
const std::string& Value::asString() const {
  HACKLE_ASSERT(isString());
  return std::get<std::string>(mData);
}
const Value::List& Value::asList() const {
  HACKLE_ASSERT(isList());
  return std::get<List>(mData);
}
const Value::Map& Value::asMap() const {
  HACKLE_ASSERT(isMap());
  return std::get<Map>(mData);
}

const Value* Value::find(const std::string& key) const {
  if (!isMap()) return nullptr;
  for (const auto& [name, value] : std::get<Map>(mData))
    if (name == key) return &value;
  return nullptr;
}

void Value::set(const std::string& key, Value value) {
  if (isNull()) mData = Map();
  HACKLE_ASSERT(isMap());
  for (auto& [name, old] : std::get<Map>(mData)) {
    if (name != key) continue;
    old = std::move(value);
    return;
  }
  std::get<Map>(mData).emplace_back(key, std::move(value));
}

void Value::append(Value value) {
  if (isNull()) mData = List();
  HACKLE_ASSERT(isList());
  std::get<List>(mData).push_back(std::move(value));
}

std::string Value::toJson(int indent) const {
  std::string out;
  writeJson(out, indent, 0);
  return out;
}

void Value::writeJson(std::string& out, int indent, int depth) const {
  const auto newLine = [&](int level) {
    if (indent < 0) return;
    out += '\n';
    out.append(static_cast<size_t>(indent * level), ' ');
  };
  if (isNull()) out += "null";
  if (isBool()) out += asBool() ? "true" : "false";
  if (isInt()) out += std::to_string(asInt());
  if (isFloat()) writeNumber(out, asNumber());
  if (isString()) writeString(out, asString());
  if (isList()) {
    // Lists of scalars stay on one line: vectors and histograms read better so.
    bool flat = true;
    for (const Value& v : asList()) flat = flat && !v.isList() && !v.isMap();
    out += '[';
    bool first = true;
    for (const Value& v : asList()) {
      if (!first) out += flat && indent >= 0 ? ", " : ",";
      first = false;
      if (!flat) newLine(depth + 1);
      v.writeJson(out, indent, depth + 1);
    }
    if (!flat) newLine(depth);
    out += ']';
  }
  if (isMap()) {
    out += '{';
    bool first = true;
    for (const auto& [name, v] : asMap()) {
      if (!first) out += ',';
      first = false;
      newLine(depth + 1);
      writeString(out, name);
      out += indent < 0 ? ":" : ": ";
      v.writeJson(out, indent, depth + 1);
    }
    if (!asMap().empty()) newLine(depth);
    out += '}';
  }
}

}  // namespace hackle
