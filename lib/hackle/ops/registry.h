// The list of operators, and the one way to run one.
#pragma once

#include <hackle/ops/operator.h>

namespace hackle {

/// Every operator, in the order in which help lists them.
const std::vector<Operator>& operators();
/// Those that are nodes in Houdini: all but the ones that stand alone.
const std::vector<Operator>& nodeOperators();
/// Those that are nodes where geometry goes through files: also the ones that need it packed.
const std::vector<Operator>& scriptedNodeOperators();

/// Throws Error(Usage) that names the nearest operator if there is none of that id.
const Operator& findOperator(const std::string& id);

struct Run {
  Outputs outputs;
  Value::Map parameters;  // all in force
};

/// Throws Error(Usage) if inputs are missing or too many; connected[i] tells whether input i has something.
void checkConnections(const Operator& op, const std::vector<bool>& connected);

/// Checks parameters and inputs, turns points on list inputs into records (after those that are given),
/// applies presets, unpacks packed inputs, and runs. `given` holds what the user set, by name or alias;
/// values may be text. Setting a parameter that is disabled, or by an older name, is warned about.
Run runOperator(const Operator& op, Inputs inputs, const Value::Map& given, Context& context);

/// The JSON report of a run: op, version, params, warnings, seconds, stages, peak_mb, threads, result.
Value makeReport(const Operator& op, const Run& run, const Context& context);

/// The report of a run that failed: op, version, error (code, message, remedy), warnings.
Value makeErrorReport(const std::string& op, const Error& error, const Context& context);

}  // namespace hackle
