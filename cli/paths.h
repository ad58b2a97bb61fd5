// Which files one command reads and writes: none may destroy another.
#pragma once

#include <cli/arguments.h>

namespace hackle::cli {

/// Error(Usage) if a file that the command writes is one that it reads, or writes twice: inputs, outputs, the
/// report and files that parameters name. Only the first output may be its own input, if both are geometry:
/// it takes its place when all is done.
void checkPaths(const Operator& op, const Arguments& arguments);

/// Whether the report of a command that failed may go to `target`: not where another word names that file.
bool mayTakeReport(const std::string& target, const std::vector<std::string>& words);

}  // namespace hackle::cli
