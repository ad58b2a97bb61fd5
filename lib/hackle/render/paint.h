// What colour each drawn corner has, by colour mode.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/render/drawable.h>
#include <hackle/render/render.h>

#include <vector>

namespace hackle {

/// What the three numbers at a corner mean; they are interpolated first and turned into colour after.
enum class PaintKind {
  Colour,  // linear RGB
  Scalar,  // x: place on the colour map, 0 to 1; y: 1 where the value is a number, 0 for NaN
  Uv,      // x, y: texture coordinates
};

struct DrawnColours {
  PaintKind kind = PaintKind::Colour;
  std::vector<Vec3f> surface;  // one per corner of each list in Drawable
  std::vector<Vec3f> segments;
  std::vector<Vec3f> dots;
  // What the legend says; Scalar only.
  std::string legendTitle;
  double low = 0.0, high = 1.0;

  /// The diffuse colour for interpolated numbers.
  Rgb colour(const Vec3f& numbers) const;
};

/// Throws Error(BadInput) if the attribute asked for is missing or holds text; warns where a mode finds
/// nothing to show (no uv, no group `inside`) and paints plain.
DrawnColours makePaint(const Geometry& geometry, const Drawable& drawable, const std::vector<Vec3f>& normals,
                       const RenderOptions& options, Context& context);

}  // namespace hackle
