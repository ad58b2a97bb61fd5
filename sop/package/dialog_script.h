// The parameters of a node as Houdini's dialog script: tabs, menus, ranges, tooltips, multiparms, ramps.
#pragma once

#include <hackle/ops/operator.h>

#include <string>

namespace hackle::houdini {

struct DialogScriptOptions {
  /// Leaves the menu of streams away; the wrapper assets have an output for each.
  bool streams = true;
  /// Writes menus of groups, attributes and volumes as scripts. Nodes from C++ get theirs from Houdini.
  bool menus = false;
  /// The menu of streams has "All, Packed".
  bool packed = true;
};

/// What stands between the braces of a dialog script: parm, group and multiparm blocks.
std::string parameterBlocks(const Operator& op, const DialogScriptOptions& options = {});

/// A whole script named `name`, as PRM_TemplateBuilder takes it.
std::string dialogScript(const Operator& op, const std::string& name);

/// Text in quotes, with quotes, backslashes and line ends escaped.
std::string quoted(const std::string& text);

/// What the field of a number shows while an optional parameter is not set, and what it starts from when it
/// is: the middle of the slider, never one of its ends.
double restingNumber(const Parameter& p);

}  // namespace hackle::houdini
