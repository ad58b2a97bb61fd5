// Parameters for how a material property varies in space.
#pragma once

#include <hackle/ops/parameter_table.h>
#include <hackle/volume/material_pattern.h>

namespace hackle {

/// Rows `NAME_pattern`, `NAME_amount`, ... under a heading of their own; `label` is the property's.
ParameterTable<PatternOptions> patternTable(const std::string& name, const std::string& label);

}  // namespace hackle
