// What every operator that needs a solid asks of its input.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

namespace hackle {

/// The geometry as a solid: closed, 2-manifold and oriented outwards. A clean input comes back as it is,
/// after a look at its topology that takes milliseconds for 100k triangles; otherwise the certain repairs of
/// repairSolid are made, each with a warning. Error(BadInput) that names the place and the remedy where they
/// do not suffice. Surfaces that cross themselves pass: whoever cuts them finds the crossings that matter.
Geometry checkedSolid(const Geometry& input, Context& context);

}  // namespace hackle
