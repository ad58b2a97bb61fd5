// The parameters of a node as Houdini's dialog script: tabs, menus, ranges, tooltips, multiparms, ramps.
#pragma once

#include <hackle/ops/operator.h>

#include <string>

namespace hackle::houdini {

struct DialogScriptOptions {
  /// Leaves the menu of streams away; the wrapper assets have an output for each.
  bool streams = true;
};

/// What stands between the braces of a dialog script: parm, group and multiparm blocks.
std::string parameterBlocks(const Operator& op, const DialogScriptOptions& options = {});

/// A whole script named `name`, as PRM_TemplateBuilder takes it.
std::string dialogScript(const Operator& op, const std::string& name);

/// Text in quotes, with what needs it escaped; line ends become spaces.
std::string quoted(const std::string& text);

}  // namespace hackle::houdini
