#include <hackle/render/legend.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// The largest of 1, 2, 5 times a power of ten that fits 3.5 times or more.
double tickStep(double span) {
  const double power = std::pow(10.0, std::floor(std::log10(span)));
  for (const double step : {power, 0.5 * power, 0.2 * power})
    if (span / step >= 3.5) return step;
  return 0.1 * power;
}

/// As many digits as the step needs. Numbers of a legend share a power of ten where plain digits would have
/// many zeros: 0.5e6, 1.0e6.
std::string tickLabel(double value, double step, double largest) {
  if (std::abs(value) < 1e-9 * step) return "0";
  const double exponent = std::floor(std::log10(largest) + 1e-9);
  const double stepExponent = std::floor(std::log10(step) + 1e-9);
  const bool plain = exponent < 5 && exponent >= -3;
  const double shift = plain ? 0.0 : exponent;
  const int digits = std::clamp(static_cast<int>(shift - stepExponent), 0, 12);
  std::string label = fmt::format("{:.{}f}", value / std::pow(10.0, shift), digits);
  return plain ? label : label + fmt::format("e{}", static_cast<int>(exponent));
}

Rgb softInk() { return {0.12f, 0.12f, 0.13f}; }

/// All measures in parts of the text's size.
struct Layout {
  float text, pad, bar, gap, top, bottom;
};

Layout layoutFor(int height) {
  const float text = legendText(height).size;
  const auto h = static_cast<float>(height);
  return {text, 2.2f * text, 1.3f * text, 0.9f * text, 0.24f * h, 0.84f * h};
}

float widestLabel(double low, double high, const TextStyle& style) {
  float widest = 0;
  for (const Tick& tick : legendTicks(low, high)) widest = std::max(widest, textWidth(tick.label, style));
  return widest;
}

}  // namespace

std::vector<Tick> legendTicks(double low, double high) {
  const double span = high - low;
  const double size = std::max(std::abs(low), std::abs(high));
  // A range of rounding errors has no round numbers in it.
  if (!(span > 1e-12 * size)) return {{low, fmt::format("{:.6g}", low)}};
  const double step = tickStep(span);
  std::vector<Tick> ticks;
  for (double i = std::ceil(low / step - 1e-6); i * step <= high + 1e-6 * step; ++i)
    ticks.push_back({i * step, tickLabel(i * step, step, size)});
  return ticks;
}

TextStyle legendText(int pictureHeight) {
  TextStyle style;
  style.size = std::clamp(0.0175f * static_cast<float>(pictureHeight), 7.5f, 60.0f);
  style.colour = softInk();
  return style;
}

TextStyle titleText(int pictureHeight) {
  TextStyle style = legendText(pictureHeight);
  style.size *= 1.45f;
  return style;
}

int legendWidth(const std::string& title, double low, double high, int pictureHeight) {
  const Layout layout = layoutFor(pictureHeight);
  const TextStyle style = legendText(pictureHeight);
  const float labels = layout.bar + layout.gap + widestLabel(low, high, style);
  return static_cast<int>(std::ceil(std::max(labels, textWidth(title, style)) + layout.pad));
}

void drawLegend(Raster& raster, const std::string& title, double low, double high) {
  const Layout layout = layoutFor(raster.height);
  const TextStyle style = legendText(raster.height);
  const auto left = static_cast<float>(raster.width - legendWidth(title, low, high, raster.height));
  drawText(raster, left, layout.top - 1.6f * layout.text, title, style);

  // The bar, brightest above, in a thin frame.
  const float right = left + layout.bar;
  raster.fillBox(left - 1, layout.top - 1, right + 1, layout.bottom + 1, softInk());
  const float span = layout.bottom - layout.top;
  for (int y = static_cast<int>(layout.top); static_cast<float>(y) < layout.bottom; ++y) {
    const float t = 1 - (static_cast<float>(y) + 0.5f - layout.top) / span;
    raster.fillBox(left, std::max(static_cast<float>(y), layout.top), right,
                   std::min(static_cast<float>(y + 1), layout.bottom), viridis(t));
  }

  for (const Tick& tick : legendTicks(low, high)) {
    const double t = high > low ? (tick.value - low) / (high - low) : 0.5;
    const float y = layout.bottom - static_cast<float>(t) * span;
    raster.fillBox(right + 1, y - 0.5f, right + 1 + 0.45f * layout.text, y + 0.5f, softInk());
    drawText(raster, right + layout.gap, y + 0.5f * style.size, tick.label, style);
  }
}

int titleHeight(int pictureHeight) {
  return static_cast<int>(std::ceil(3.0f * titleText(pictureHeight).size));
}

void drawTitle(Raster& raster, const std::string& title) {
  const TextStyle style = titleText(raster.height);
  drawText(raster, 1.6f * style.size, 2.6f * style.size, title, style);
}

}  // namespace hackle
