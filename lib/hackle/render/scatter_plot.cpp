#include <hackle/render/scatter_plot.h>

#include <hackle/render/legend.h>
#include <hackle/render/raster.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

const Rgb kPaper{1, 1, 1}, kGrid{0.82f, 0.83f, 0.85f}, kInk{0.05f, 0.05f, 0.06f}, kDot{0.04f, 0.2f, 0.55f},
    kLine{0.8f, 0.3f, 0.1f};

/// One axis: from values to pixels.
struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool logarithmic = false;
  float first = 0, last = 1;  // px of low and high

  double scaled(double v) const { return logarithmic ? std::log10(v) : v; }
  bool shows(double v) const { return std::isfinite(v) && (!logarithmic || v > 0); }
  void add(double v) {
    low = std::min(low, scaled(v));
    high = std::max(high, scaled(v));
  }
  void pad() {
    if (!(low <= high)) low = 0, high = 1;
    const double margin = std::max(0.04 * (high - low), 1e-9 * std::max(1.0, std::abs(high)));
    low -= margin;
    high += margin;
  }
  float px(double s) const { return first + static_cast<float>((s - low) / (high - low)) * (last - first); }
  std::vector<Tick> ticks() const {
    if (!logarithmic) return legendTicks(low, high);
    std::vector<Tick> result;
    for (int decade = -12; decade <= 12; ++decade)
      for (const int digit : {1, 2, 5}) {
        const double v = digit * std::pow(10.0, decade), s = std::log10(v);
        if (s < low || s > high) continue;
        std::string label = legendTicks(v, v).front().label;
        result.push_back({s, std::move(label)});
      }
    return result;
  }
};

/// A round dot, its border softened over a pixel.
void drawDot(Raster& raster, float x, float y, float radius, const Rgb& colour, float opacity) {
  for (int j = static_cast<int>(y - radius) - 1; j <= static_cast<int>(y + radius) + 1; ++j)
    for (int i = static_cast<int>(x - radius) - 1; i <= static_cast<int>(x + radius) + 1; ++i) {
      const float d = std::hypot(static_cast<float>(i) + 0.5f - x, static_cast<float>(j) + 0.5f - y);
      const float cover = std::clamp(radius + 0.5f - d, 0.0f, 1.0f);
      if (cover > 0) raster.blend(i, j, colour, cover * opacity);
    }
}

void drawFrame(Raster& raster, const Axis& x, const Axis& y, const ScatterOptions& options) {
  const TextStyle small = legendText(options.height);
  for (const Tick& t : x.ticks()) {
    const float at = x.px(t.value);
    raster.fillBox(at - 0.5f, y.last, at + 0.5f, y.first, kGrid);
    drawText(raster, at - 0.5f * textWidth(t.label, small), y.first + 2.0f * small.size, t.label, small);
  }
  for (const Tick& t : y.ticks()) {
    const float at = y.px(t.value);
    raster.fillBox(x.first, at - 0.5f, x.last, at + 0.5f, kGrid);
    drawText(raster, x.first - textWidth(t.label, small) - small.size, at + 0.5f * small.size, t.label,
             small);
  }
  raster.fillBox(x.first - 1, y.last, x.first + 1, y.first, kInk);
  raster.fillBox(x.first, y.first - 1, x.last, y.first + 1, kInk);
  const TextStyle title = titleText(options.height);
  drawText(raster, x.first, 2.2f * title.size, options.title, title);
  drawText(raster, x.first, 2.2f * title.size + 2 * small.size, options.note, small);
  drawText(raster, x.last - textWidth(options.xLabel, small), y.first + 4.2f * small.size, options.xLabel,
           small);
  drawText(raster, x.first + small.size, y.last + small.size, options.yLabel, small);
}

}  // namespace

Image scatterPlot(Span<const Vec2> points, const ScatterOptions& options) {
  Raster raster(options.width, options.height, kPaper);
  Axis x, y;
  x.logarithmic = y.logarithmic = options.logarithmic;
  for (const Vec2& p : points)
    if (x.shows(p.x()) && y.shows(p.y())) {
      x.add(p.x());
      y.add(p.y());
    }
  if (options.diagonal) {
    x.low = y.low = std::min(x.low, y.low);
    x.high = y.high = std::max(x.high, y.high);
  }
  x.pad();
  y.pad();
  const auto width = static_cast<float>(options.width), height = static_cast<float>(options.height);
  x.first = 0.11f * width, x.last = 0.96f * width;
  y.first = 0.89f * height, y.last = 0.12f * height;
  drawFrame(raster, x, y, options);
  if (options.diagonal)
    for (float at = x.first; at < x.last; at += 0.5f) {
      const double value =
          x.low + (x.high - x.low) * static_cast<double>((at - x.first) / (x.last - x.first));
      drawDot(raster, at, y.px(value), 0.7f, kLine, 0.5f);
    }
  const float radius = 0.005f * height;
  for (const Vec2& p : points)
    if (x.shows(p.x()) && y.shows(p.y()))
      drawDot(raster, x.px(x.scaled(p.x())), y.px(y.scaled(p.y())), radius, kDot, 0.6f);
  return encoded(raster);
}

}  // namespace hackle
