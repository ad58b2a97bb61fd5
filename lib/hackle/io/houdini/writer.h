// Writer of Houdini geometry files: .bgeo (binary) and .geo (ASCII), plain or inside .gz and .sc.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <string>

namespace hackle::houdini {

/// The whole file; `extension` is "bgeo" or "geo", or one of them with ".gz" or ".sc" behind. Faces are
/// turned to Houdini's winding. The same geometry gives the same bytes.
std::string writeGeometryFile(const Geometry& geometry, const std::string& extension, Context& context);

}  // namespace hackle::houdini
