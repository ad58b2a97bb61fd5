// The fields of an impact as parameters, the same for every operator that takes impacts.
#pragma once

#include <hackle/mechanics/impact.h>
#include <hackle/ops/operator.h>
#include <hackle/ops/parameter_table.h>

namespace hackle {

/// Rows at, dir, impulse, speed, mass, radius, for a list of impacts; also as attributes of points.
ParameterTable<Impact> impactTable();
/// The input that takes impacts as points.
Port impactPort();

}  // namespace hackle
