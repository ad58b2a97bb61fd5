// A parameter of an operator: what every front knows of it, and the checks on its value.
#pragma once

#include <hackle/core/error.h>
#include <hackle/core/value.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hackle {

enum class ParameterType {
  Float,
  Int,
  Toggle,
  Menu,
  String,
  File,
  Vector,
  Colour,
  Ramp,
  Group,      // a group pattern
  Attribute,  // an attribute's name
  Volume,     // a VDB's name
  List,       // records; Houdini's multiparm
};
const char* parameterTypeName(ParameterType type);

struct MenuItem {
  std::string token;
  std::string label;
};

/// The parameter is enabled while `parameter` has one of `tokens` ("on"/"off" for toggles).
struct Condition {
  std::string parameter;
  std::vector<std::string> tokens;
};

/// Piecewise linear function of [0, 1]; `knots` are sorted by position.
struct Ramp {
  struct Knot {
    double position = 0.0;
    double value = 0.0;
  };
  std::vector<Knot> knots{{0.0, 0.0}, {1.0, 1.0}};
  /// Constant beyond the ends.
  double operator()(double position) const;
};

/// One row of the table; everything that a front shows of a parameter is here.
struct Parameter {
  std::string name;
  std::string label;
  std::string help;
  std::string unit;     // "m", "kg/m^3", "Pa", "deg", ...; "none" for pure numbers
  std::string section;  // heading or tab
  ParameterType type = ParameterType::String;
  Value defaultValue;
  std::optional<double> hardMin, hardMax;  // outside is an error
  std::optional<double> softMin, softMax;  // range of a slider
  int64_t wholeMin = INT64_MIN;            // Int: what the member can hold
  int64_t wholeMax = INT64_MAX;
  bool optional = false;  // null means not set; the member is a std::optional
  std::vector<MenuItem> menu;
  std::vector<Condition> enabledWhen;  // all must hold
  std::vector<std::string> aliases;    // older names that still work
  std::vector<Parameter> fields;       // of a List's records
  std::string pointsInput;             // List: name of an input whose points become records
  std::string pointAttribute;          // field of a record: the point attribute it comes from, if not `name`
  /// Menu of presets: the values that a token gives to other parameters where they are not set themselves.
  std::function<Value::Map(const std::string& token)> fills;

  std::function<void(void* options, const Value&)> store;
  std::function<Value(const void* options)> load;
};

/// Checks one value against its row and brings it to the row's own form: numbers from text, menu tokens,
/// vectors of 3. A vector from one number has it three times. Throws Error(Usage) that names the parameter,
/// the value and what would be allowed.
Value checkedValue(const Parameter& parameter, const Value& given);

/// All values of a table by name: the given ones checked, the others at their defaults. Aliases are resolved;
/// an unknown name is an Error(Usage) that names the nearest one, a parameter given under two names as well.
/// `what` says whose table it is in messages.
Value::Map checkedValues(const std::vector<Parameter>& table, const Value::Map& given,
                         const std::string& what);

/// The row of that name or alias, or nullptr.
const Parameter* findParameter(const std::vector<Parameter>& table, const std::string& name);

/// The candidate with the smallest edit distance to `name`, upper and lower case alike, or "" if none is
/// near.
std::string nearestName(const std::string& name, const std::vector<std::string>& candidates);

/// True while all of its conditions hold among `values` (complete and checked).
bool isEnabled(const Parameter& parameter, const Value::Map& values);

}  // namespace hackle
