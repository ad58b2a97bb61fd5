// Texture charts: flat maps of pieces of a surface, packed side by side into the unit square.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <vector>

namespace hackle {

/// Charts are true to scale: `uv` is in metres, in its chart's own frame.
struct TextureCharts {
  std::vector<Vec2> uv;        // one per vertex
  std::vector<int32_t> chart;  // one per primitive; numbered from 0
};

/// Adds the vertex attribute `uv` (3 floats): the charts, all at one scale, laid side by side without overlap
/// in [0, 1]^2. A chart that is taller than wide is turned by a quarter.
void addPackedUv(Geometry& geometry, const TextureCharts& charts);

/// Charts for any polygon surface: faces are projected along the coordinate axis nearest to their normal, and
/// a chart is a connected set of faces with one axis and one label (`labels` has one per primitive). Lengths
/// shrink by a factor of at most about two.
TextureCharts boxCharts(const Geometry& geometry, Span<const int32_t> labels, Context& context);

}  // namespace hackle
