// The table of parameters in words: what help, docstrings and reference pages show.
#pragma once

#include <hackle/ops/operator.h>

#include <string>
#include <vector>

namespace hackle {

// Parameters ------------------------------------------------------------------------------------------------

/// The shortest text that reads back equal, without an exponent for everyday sizes: 2400, 0.25, 7e10.
std::string numberText(double value);

/// A value of that row as the command line takes it: 0.5, on, 0,1,0, 0:0,1:1, concrete. Records are
/// name=value words, separated by "; ". Empty for empty text and lists.
std::string valueText(const Parameter& parameter, const Value& value);

/// The row's default as `valueText` has it; "not set" where that is empty.
std::string defaultText(const Parameter& parameter);

/// The unit, or "" for pure numbers.
std::string unitText(const Parameter& parameter);

/// What is accepted, with its unit: "0 to 10 m", "at least 0 Pa"; "" if anything is.
std::string hardRangeText(const Parameter& parameter);

/// Also what is usual: "at least 0, usually 1e8 to 3e11 Pa"; "" if the row has no range.
std::string rangeText(const Parameter& parameter);

/// Menu tokens: "auto, single or double".
std::string menuText(const Parameter& parameter);

/// "precision is single or double and unpack is on"; "" if the parameter is always enabled.
std::string enabledText(const Parameter& parameter);

/// What stands for the value in usage lines: NUMBER, X,Y,Z, TOKEN, FIELD=VALUE...
std::string placeholderText(const Parameter& parameter);

/// Rows under their headings, in the order in which the headings first appear.
struct ParameterSection {
  std::string heading;
  std::vector<const Parameter*> parameters;
};
/// Rows without a heading come first, under "Parameters".
std::vector<ParameterSection> parameterSections(const Operator& op);

// The command line ------------------------------------------------------------------------------------------

/// "--inside-group" for `inside_group`.
std::string flagText(const Parameter& parameter);

/// The parameter that the first word without a flag sets (`hackle model figure`): the first one, if it is a
/// menu or a file and the operator has no inputs; else nullptr.
const Parameter* positionalParameter(const Operator& op);

/// The parameter that -o sets for an operator without outputs, which writes a folder of files: a file named
/// `folder`; else nullptr.
const Parameter* folderParameter(const Operator& op);

/// "hackle merge GEOMETRY [MORE...] -o GEOMETRY [--parameter value ...]"
std::string usageLine(const Operator& op);

/// The operator's own examples, or one made from its ports; without the leading "hackle ".
std::vector<std::string> exampleLines(const Operator& op);

/// Names that no parameter may have, because every operator has a flag of that name.
const std::vector<std::string>& reservedNames();

/// "a, b or c"
std::string joinWords(const std::vector<std::string>& words, const std::string& lastSeparator);

}  // namespace hackle
