// Texts about the program and its operators, made from the registry.
#pragma once

#include <hackle/ops/operator.h>

#include <string>
#include <vector>

namespace hackle::cli {

/// Verbs that are no operators: name and what they do.
struct Verb {
  std::string name;
  std::string usage;
  std::string summary;
};
const std::vector<Verb>& verbs();

/// `hackle help`
std::string programHelp(int columns);

/// `hackle list`: operators by category, one line each.
std::string operatorList(const std::vector<Operator>& operators);

/// `hackle help OP`
std::string operatorHelp(const Operator& op, int columns);

/// `hackle formats`
std::string formatList();

/// What a row accepts: "[at least 0, usually 0 to 10 m; default 0.5; when style is rough]".
std::string detailText(const Parameter& parameter);

}  // namespace hackle::cli
