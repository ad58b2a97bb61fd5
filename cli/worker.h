// A program that stays: commands come in line by line, results go out line by line, and what a command
// computed is kept for the next of the same session. The Houdini nodes that need no plug-in work with it.
#pragma once

#include <iosfwd>

namespace hackle::cli {

/// Reads from `in` until it ends, which cancels what is running:
///
///     run <id> <session> <operator> <words of the command line...>
///     cancel <id>
///
/// with tabs between the words; a tab, a line end or a backslash in a word is \t, \n, \\. Answers with one
/// line of JSON each: {"id", "stage", "fraction"} while it runs, then {"id", "report"}, where the report is
/// that of
/// --json, of a failure too. Commands run one after another, in their order; `-o` and input files are as on
/// the command line. Each of the last few sessions keeps its own precomputation.
void runWorker(std::istream& in);

}  // namespace hackle::cli
