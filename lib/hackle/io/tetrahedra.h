// Tetrahedra as Geometry wants them, for readers.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <string>

namespace hackle {

/// Turns tetrahedra of negative volume over and warns with their number and the format's name.
void orientTetrahedra(Geometry& geometry, const std::string& format, Context& context);

}  // namespace hackle
