#include <sop/package/icon.h>

#include <fmt/format.h>

#include <cmath>

namespace hackle::houdini {

namespace {

const char* colourOf(const std::string& category) {
  if (category == "Fracture") return "#e2703a";
  if (category == "Solids") return "#5b8fd6";
  if (category == "Output") return "#8a6fc0";
  return "#79a85a";
}

uint64_t seedOf(const std::string& text) {
  uint64_t hash = 1469598103934665603u;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211u;
  return hash;
}

}  // namespace

std::string iconSvg(const Operator& op) {
  // Cracks run from a point inside a rounded square to its rim, one for every turn of a fan.
  uint64_t state = seedOf(op.id);
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state >> 40) / static_cast<double>(1u << 24);
  };
  const double cx = 26 + 12 * next(), cy = 26 + 12 * next();
  const int rays = 3 + static_cast<int>(4 * next());
  std::string cracks;
  for (int i = 0; i < rays; ++i) {
    const double angle = 2 * 3.14159265358979 * (i + 0.7 * next()) / rays;
    const double x = std::cos(angle), y = std::sin(angle), bend = 5 * (next() - 0.5);
    cracks += fmt::format("  <path d=\"M{:.1f} {:.1f} L{:.1f} {:.1f} L{:.1f} {:.1f}\"/>\n", cx, cy,
                          cx + 11 * x - bend * y, cy + 11 * y + bend * x, cx + 40 * x, cy + 40 * y);
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"64\" height=\"64\" viewBox=\"0 0 64 64\">\n"
      " <clipPath id=\"c\"><rect x=\"6\" y=\"6\" width=\"52\" height=\"52\" rx=\"8\"/></clipPath>\n"
      " <rect x=\"6\" y=\"6\" width=\"52\" height=\"52\" rx=\"8\" fill=\"{}\"/>\n"
      " <g clip-path=\"url(#c)\" fill=\"none\" stroke=\"#2b2b2b\" stroke-width=\"2.4\" "
      "stroke-linejoin=\"round\">\n{} </g>\n</svg>\n",
      colourOf(op.category), cracks);
}

}  // namespace hackle::houdini
