// A plot of one quantity against another, for reports.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/image.h>
#include <hackle/geometry/vec.h>

#include <string>

namespace hackle {

struct ScatterOptions {
  std::string title, xLabel, yLabel;
  std::string note;      // a line below the title
  int width = 900;       // px
  int height = 900;      // px
  bool diagonal = true;  // the line y = x, and equal axes
  bool logarithmic = false;
};

/// Dots at finite points; with logarithmic axes only positive ones are drawn. Without any, empty axes.
Image scatterPlot(Span<const Vec2> points, const ScatterOptions& options);

}  // namespace hackle
