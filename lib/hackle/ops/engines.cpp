#include <hackle/ops/engines.h>

#include <hackle/ops/registry.h>

#include <fmt/format.h>

namespace hackle {

std::vector<std::string> engineIds() {
  std::vector<std::string> ids;
  for (const Operator& op : operators())
    if (op.makeEngine) ids.push_back(op.id);
  return ids;
}

std::shared_ptr<const FractureEngine> engineOf(const std::string& id, Value::Map given,
                                               const MaterialOptions& material, Context& context) {
  const Operator& op = findOperator(id);
  if (!op.makeEngine)
    throw Error(ErrorCode::Usage, fmt::format("{} is no engine that breaks bodies", id),
                fmt::format("engines are {}", fmt::join(engineIds(), ", ")));
  const Value::Map own{{"density", material.density},
                       {"young", material.young},
                       {"poisson", material.poisson},
                       {"strength", material.strength},
                       {"toughness", material.toughness}};
  for (const auto& [name, value] : own) {
    const Parameter* row = findParameter(op.parameters, name);
    const bool isNumber = row && row->type == ParameterType::Float;  // voronoi's density is an attribute
    if (isNumber && !Value(given).find(name)) given.emplace_back(name, value);
  }
  const Value::Map values = checkedValues(op.parameters, given, fmt::format("engine {}", id));
  const std::shared_ptr<void> options = op.makeOptions();
  for (const Parameter& row : op.parameters)
    row.store(options.get(), values[&row - op.parameters.data()].second);
  return op.makeEngine(Inputs(), options.get(), context);
}

bool engineKnowsStrength(const std::string& id) {
  return findParameter(findOperator(id).parameters, "toughness") != nullptr;
}

Value::Map parametersFromText(const std::string& text) {
  Value::Map given;
  size_t at = 0;
  while ((at = text.find_first_not_of(" \t\n", at)) != std::string::npos) {
    const size_t equals = text.find('=', at), space = text.find_first_of(" \t\n", at);
    if (equals == std::string::npos || (space != std::string::npos && space < equals))
      throw Error(ErrorCode::Usage, fmt::format("\"{}\" gives no value", text.substr(at, space - at)),
                  "write name=value, with spaces between");
    const bool quoted = equals + 1 < text.size() && text[equals + 1] == '"';
    const size_t begin = equals + (quoted ? 2 : 1);
    const size_t end =
        std::min(quoted ? text.find('"', begin) : text.find_first_of(" \t\n", begin), text.size());
    given.emplace_back(text.substr(at, equals - at), text.substr(begin, end - begin));
    at = end + (quoted && end < text.size() ? 1 : 0);
  }
  return given;
}

}  // namespace hackle
