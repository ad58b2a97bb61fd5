#include <hackle/render/render.h>

#include <hackle/core/parallel.h>
#include <hackle/render/camera.h>
#include <hackle/render/corner_normals.h>
#include <hackle/render/denoise.h>
#include <hackle/render/drawable.h>
#include <hackle/render/legend.h>
#include <hackle/render/paint.h>
#include <hackle/render/raster.h>
#include <hackle/render/tracer.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// The background: the given colour in the middle, 8 % darker at the corners.
Rgb backdrop(const Rgb& colour, int x, int y, int width, int height) {
  const float dx = 2 * (static_cast<float>(x) + 0.5f) / static_cast<float>(width) - 1;
  const float dy = 2 * (static_cast<float>(y) + 0.5f) / static_cast<float>(height) - 1;
  const float r = 0.5f * (dx * dx + dy * dy);
  return (1 - 0.08f * r * r) * colour;
}

/// Lets shadows end before the borders of a sheet's cells, so that no seams show.
void fadeTowardsBorders(LayeredImage& layers, const PixelRect& cell) {
  const float reach = 0.12f * static_cast<float>(std::min(cell.width, cell.height));
  for (int y = 0; y < cell.height; ++y)
    for (int x = 0; x < cell.width; ++x) {
      const auto border = static_cast<float>(std::min({x, y, cell.width - 1 - x, cell.height - 1 - y}));
      float& shade = layers.at(cell.x + x, cell.y + y).shade;
      shade += (1 - shade) * std::max(0.0f, 1 - border / reach);
    }
}

/// Puts the layers of each pixel together.
Raster composed(const LayeredImage& layers, const RenderOptions& options, Context& context) {
  Raster raster(layers.width, layers.height, Rgb(0, 0, 0));
  const Rgb background = linearFromSrgb(options.background);
  parallelFor(context, static_cast<size_t>(layers.height), 8, [&](size_t row) {
    const auto y = static_cast<int>(row);
    for (int x = 0; x < layers.width; ++x) {
      const LayeredPixel& p = layers.at(x, y);
      const Rgb back = backdrop(background, x, y, layers.width, layers.height);
      const float rest = 1 - p.coverage - p.floorCoverage;
      raster.at(x, y) = p.coverage * toneMapped(p.albedo * p.light) +
                        (p.floorCoverage * std::min(p.shade, 1.0f) + rest) * back;
    }
  });
  return raster;
}

/// Line widths in pixels, at the distance of the scene's middle in the first view.
LineSizes lineSizes(const View& view, const RenderOptions& options) {
  const float depth = std::max(0.1f, -view.camera.eye.dot(view.camera.forward));
  const float pixel = depth / view.camera.pixelsPerSlope;
  return {0.5f * pixel * static_cast<float>(options.lineWidth),
          0.5f * pixel * static_cast<float>(options.pointSize)};
}

}  // namespace

Image renderGeometry(const Geometry& geometry, const RenderOptions& options, Context& context) {
  // Turn the geometry into triangles, tubes and dots with colours.
  auto stage = std::make_unique<Context::Stage>(context, "prepare", 0.15);
  Drawable drawable = makeDrawable(geometry, context);
  if (options.floorHeight) drawable.floorHeight = drawable.toUnit(Vec3(0, *options.floorHeight, 0)).y();
  const std::vector<Vec3f> normals = cornerNormals(geometry, drawable, options.cuspAngle, context);
  const DrawnColours paint = makePaint(geometry, drawable, normals, options, context);
  const bool legend = options.legend && paint.kind == PaintKind::Scalar;
  const int right = legend ? legendWidth(paint.legendTitle, paint.low, paint.high, options.height) : 0;
  const int top = options.title.empty() ? 0 : titleHeight(options.height);
  const std::vector<View> views = makeViews(drawable, options, right, top);
  const Tracer tracer(drawable, normals, paint, lineSizes(views.front(), options), context);
  stage.reset();

  // Trace each view, then smooth the light in it.
  LayeredImage layers(options.width, options.height);
  for (const View& view : views) {
    const double share = 1.0 / static_cast<double>(views.size());
    {
      const Context::Stage tracing(context, "trace", 0.75 * share);
      tracer.trace(view, options, layers, context);
    }
    const Context::Stage smoothing(context, "smooth", 0.10 * share);
    denoise(layers, view.cell, context);
    if (views.size() > 1) fadeTowardsBorders(layers, view.cell);
  }

  // Put it together and write on it.
  Raster raster = composed(layers, options, context);
  if (legend) drawLegend(raster, paint.legendTitle, paint.low, paint.high);
  if (!options.title.empty()) drawTitle(raster, options.title);
  return encoded(raster);
}

}  // namespace hackle
