// Parameters of pictures, shared by all operators that draw.
#pragma once

#include <hackle/ops/parameter_table.h>
#include <hackle/render/render.h>

namespace hackle {

ParameterTable<RenderOptions> renderTable();

}  // namespace hackle
