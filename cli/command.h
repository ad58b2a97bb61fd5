// Runs one operator as the command line asks: files in, files out, a report.
#pragma once

#include <hackle/ops/operator.h>

#include <string>
#include <vector>

namespace hackle::cli {

/// `hackle OP words...`. Prints results and the report; throws Error after the report of the failure and the
/// warnings are out.
void runCommand(const Operator& op, const std::vector<std::string>& words);

}  // namespace hackle::cli
