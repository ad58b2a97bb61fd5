// What a node of an operator has: its names, streams and parameters. Both the dialog script and the node that
// reads the values go by this.
#pragma once

#include <hackle/ops/operator.h>

#include <string>
#include <vector>

namespace hackle::houdini {

/// Of all node types; raised when old scenes could not be read otherwise.
extern const char* const kNodeVersion;

/// "hackle::voronoi::1.0"
std::string nodeTypeName(const Operator& op);
/// "hackle--voronoi-1.0" for a name without its namespace: the path of a help card.
std::string helpPath(const std::string& name);
/// "hackle_voronoi"
std::string iconName(const Operator& op);
/// "Hackle/Fracture"
std::string tabMenuPath(const Operator& op);

/// Inputs that have to be connected.
unsigned requiredInputs(const Operator& op);

/// Name of the menu that chooses among several outputs; its token for all of them, packed.
extern const char* const kStreamParameter;
extern const char* const kAllStreams;
/// Attribute of the packed primitives that tells the outputs apart.
extern const char* const kStreamAttribute;

/// Outputs that a node can give, as indices of ports: geometry and data. Pictures go to files.
std::vector<size_t> streamPorts(const Operator& op);
/// Outputs that are pictures, as indices of ports.
std::vector<size_t> picturePorts(const Operator& op);
/// "picture_file"
std::string pictureParameter(const Port& port);

/// Name of the toggle that says whether an optional parameter is set, or whether a parameter keeps its own
/// value against a preset.
std::string toggleName(const Parameter& parameter);
/// Name of a field of a record, with # for its number: "cluster_at#".
std::string fieldName(const Parameter& list, const std::string& field);

/// The viewer state that places the records of an operator (python/houdini/hackle_place.py); empty if none of
/// them has a place.
std::string viewerState(const Operator& op);

/// The menu whose items fill in this parameter, or nullptr.
const Parameter* presetOf(const Operator& op, const Parameter& parameter);
/// Tokens of a menu that fill in nothing: with them every parameter has its own value.
std::vector<std::string> emptyPresets(const Parameter& menu);
/// Of the values that a node has, those that count: a greyed field has no say, and a value that a preset may
/// change is given even if it is the default.
Value::Map givenValues(const Operator& op, const Value::Map& set);

}  // namespace hackle::houdini
