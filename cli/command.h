// Runs one operator as the command line asks: files in, files out, a report.
#pragma once

#include <hackle/ops/operator.h>

#include <string>
#include <vector>

namespace hackle::cli {

/// `hackle OP words...`. Prints results and the report; throws Error after the report of the failure and the
/// warnings are out.
void runCommand(const Operator& op, const std::vector<std::string>& words);

/// The same without a word to anybody: files in, files out, and the report. Throws Error. The context is the
/// caller's, with its cancel, progress and memo.
Value runForReport(const Operator& op, const std::vector<std::string>& words, Context& context);

}  // namespace hackle::cli
