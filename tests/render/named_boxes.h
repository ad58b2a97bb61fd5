// Shapes that the renderer's tests look at.
#pragma once

#include <hackle/geometry/geometry.h>

#include <string>

#include "shapes.h"

namespace hackle {

/// A cube about the origin; its face 1 looks to +z.
inline Geometry boxShape() { return shapes::box({-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}); }

/// Boxes in a row along x, named piece0, piece1, ...
inline Geometry namedBoxes(int count) {
  Geometry geometry;
  for (int i = 0; i < count; ++i) geometry.append(shapes::box({1.3 * i, 0, 0}, {1.3 * i + 1, 1, 1}));
  Attribute& name = geometry.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) name.setString(p, "piece" + std::to_string(p / 6));
  return geometry;
}

}  // namespace hackle
