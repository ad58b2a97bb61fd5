// The words of a command line, read by an operator's table of parameters.
#pragma once

#include <cli/progress_display.h>
#include <hackle/ops/operator.h>

#include <optional>
#include <string>
#include <vector>

namespace hackle::cli {

/// What `hackle OP words...` asks for.
struct Arguments {
  std::vector<std::string> inputs;   // file names by input; "" where an input is left open
  std::vector<std::string> outputs;  // file names by output; "" where an output is not wanted
  Value::Map values;                 // parameters that were set, by the name that was used; text
  std::optional<std::string> json;   // where the report goes; "-" is standard output
  int threads = 0;                   // 0: all cores
  bool quiet = false;
  bool verbose = false;
  ProgressStyle progress = ProgressStyle::Auto;
  bool help = false;
};

/// Reads the words after the operator. Flags: `--name value`, `--name=value`; toggles `--name`, `--no-name`,
/// `--name on|off`; lists `--name field=value field=value`, repeated; hyphens and underscores in names are
/// alike, and the last of two equal flags holds. `-o` takes as many files as the operator has outputs, up to
/// the next flag, and may be repeated; `-` stands for an output that is not wanted or an input that is left
/// open; after `--` every word is an input. Values are checked, files are not touched. Throws Error(Usage).
Arguments parseArguments(const Operator& op, const std::vector<std::string>& words);

/// Where `--json` sends the report, found without reading the other words; so that even words that make no
/// sense get their report.
std::optional<std::string> jsonTarget(const std::vector<std::string>& words);

/// A flag that every operator has.
struct GeneralFlag {
  std::string flag;         // "--json"
  std::string shortFlag;    // "-o", or ""
  std::string placeholder;  // "" if it takes no value
  std::string help;
};
const std::vector<GeneralFlag>& generalFlags();

/// The row that a flag's name (without dashes) means, hyphens and underscores alike; nullptr if there is
/// none.
const Parameter* findFlag(const std::vector<Parameter>& table, std::string name);

}  // namespace hackle::cli
