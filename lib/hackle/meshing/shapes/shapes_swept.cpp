// Shapes that are tubes around closed curves.
#include <hackle/meshing/shapes/shape_builders.h>
#include <hackle/meshing/shapes/tube.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace hackle::detail {

namespace {

/// Points at equal distances along a closed curve, given densely.
std::vector<Vec3> resampled(const std::vector<Vec3>& dense, size_t count) {
  std::vector<double> arc(dense.size() + 1, 0.0);
  for (size_t i = 0; i < dense.size(); ++i)
    arc[i + 1] = arc[i] + (dense[(i + 1) % dense.size()] - dense[i]).norm();
  std::vector<Vec3> out;
  size_t at = 0;
  for (size_t k = 0; k < count; ++k) {
    const double target = arc.back() * static_cast<double>(k) / static_cast<double>(count);
    while (arc[at + 1] < target) ++at;
    const double t = (target - arc[at]) / (arc[at + 1] - arc[at]);
    out.push_back(dense[at] + t * (dense[(at + 1) % dense.size()] - dense[at]));
  }
  return out;
}

double closedLength(const std::vector<Vec3>& curve) {
  double length = 0;
  for (size_t i = 0; i < curve.size(); ++i) length += (curve[(i + 1) % curve.size()] - curve[i]).norm();
  return length;
}

struct TubeCounts {
  size_t along = 0;
  int around = 0;
};

/// Faces along and around a tube. Chords along it leave its tightest bend by a small part of its radius.
TubeCounts tubeCounts(double length, double radius, double tightest, const ShapeOptions& options) {
  const double spacing = spacingFor(2.0 * kPi * radius * length, options);
  const double chord = std::sqrt(8.0 * tightest * 0.04 * radius);
  TubeCounts counts;
  counts.around = std::max(8, static_cast<int>(std::lround(2.0 * kPi * radius / spacing)));
  counts.along = static_cast<size_t>(std::max(12.0, std::ceil(length / std::min(spacing, chord))));
  return counts;
}

}  // namespace

void buildTorus(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double outer = 0.15, ring = outer / (1.0 + options.tubeRatio), tube = outer - ring;
  const TubeCounts counts = tubeCounts(2.0 * kPi * ring, tube, ring, options);
  std::vector<Vec3> curve;
  for (size_t i = 0; i < counts.along; ++i) {
    const double angle = 2.0 * kPi * static_cast<double>(i) / static_cast<double>(counts.along);
    curve.push_back({ring * std::sin(angle), tube, ring * std::cos(angle)});
  }
  TubeOptions sweep;
  sweep.radius = tube;
  sweep.segments = counts.around;
  const int32_t outerPart = builder.part("outer"), innerPart = builder.part("inner");
  sweep.part = [&](size_t i, const Vec3& outward) {
    const Vec3 middle = curve[i] + curve[(i + 1) % curve.size()];
    return outward.x() * middle.x() + outward.z() * middle.z() >= 0 ? outerPart : innerPart;
  };
  addTube(curve, sweep, builder);
}

void buildLink(const ShapeOptions& options, SurfaceBuilder& builder) {
  const double length = 0.1, width = options.linkWidth * length, radius = 0.5 * options.wire * length;
  const double bend = 0.5 * width - radius;            // of the centre line's half circles
  const double straight = 0.5 * length - 0.5 * width;  // half of a straight side
  if (bend < 1.15 * radius)
    throw Error(ErrorCode::Usage,
                fmt::format("wire: {} of the length leaves no hole in the link", options.wire),
                fmt::format("wire must be at most {:.3f} at this link_width", options.linkWidth / 2.15));

  // The stadium, piece by piece, so that the bends' ends are points of it.
  const double total = 4.0 * straight + 2.0 * kPi * bend;
  const TubeCounts counts = tubeCounts(total, radius, bend, options);
  const double step = total / static_cast<double>(counts.along);
  const size_t onSide =
      static_cast<size_t>(straight > 0 ? std::max(1L, std::lround(2.0 * straight / step)) : 0);
  const size_t onBend = static_cast<size_t>(std::max(6L, std::lround(kPi * bend / step)));
  std::vector<Vec3> curve;
  std::vector<int32_t> parts;
  const char* const kNames[4] = {"right", "top", "left", "bottom"};
  for (int piece = 0; piece < 4; ++piece) {
    const bool side = piece % 2 == 0;
    const double sign = piece < 2 ? 1.0 : -1.0;
    const size_t count = side ? onSide : onBend;
    for (size_t i = 0; i < count; ++i) {
      const double t = static_cast<double>(i) / static_cast<double>(count);
      const Vec2 p = side ? Vec2(bend, straight * (2.0 * t - 1.0))
                          : Vec2(bend * std::cos(kPi * t), straight + bend * std::sin(kPi * t));
      curve.push_back({sign * p.x(), 0.5 * length + sign * p.y(), 0});
      parts.push_back(builder.part(kNames[piece]));
    }
  }
  TubeOptions sweep;
  sweep.radius = radius;
  sweep.segments = counts.around;
  sweep.firstNormal = Vec3::UnitX();
  sweep.part = [&](size_t i, const Vec3&) { return parts[i]; };
  addTube(curve, sweep, builder);
}

void buildKnot(const ShapeOptions& options, SurfaceBuilder& builder) {
  const int p = options.knotP, q = options.knotQ;
  if (std::gcd(p, q) != 1)
    throw Error(ErrorCode::Usage, fmt::format("knot_p, knot_q: {} and {} have a common divisor", p, q),
                "use numbers without a common divisor, such as 2 and 3, 3 and 5 or 2 and 7");
  // A curve on a ring torus, p times around its axis and q times around its tube.
  const double ring = 1.0, swing = 0.45;
  const size_t dense = static_cast<size_t>(400 * std::max(p, q));
  std::vector<Vec3> curve;
  for (size_t i = 0; i < dense; ++i) {
    const double t = 2.0 * kPi * static_cast<double>(i) / static_cast<double>(dense);
    const double r = ring + swing * std::cos(q * t);
    curve.push_back({r * std::sin(p * t), swing * std::sin(q * t), r * std::cos(p * t)});
  }
  // Reach needs fewer points than length.
  const double thickest = thickestTube(resampled(curve, std::min<size_t>(dense, 1600)));
  const double radius = options.knotTube * thickest;
  const double scale = 0.15 / (ring + swing + radius);
  for (Vec3& c : curve) c = scale * (c + (swing + radius) * Vec3::UnitY());

  const double length = closedLength(curve);
  const TubeCounts counts = tubeCounts(length, scale * radius, scale * thickest, options);
  const std::vector<Vec3> centre = resampled(curve, counts.along);
  // As many parts as strands around the axis.
  std::vector<int32_t> parts;
  for (int i = 0; i < p; ++i) parts.push_back(builder.part(fmt::format("strand{}", i)));
  TubeOptions sweep;
  sweep.radius = scale * radius;
  sweep.segments = counts.around;
  sweep.part = [&](size_t i, const Vec3&) { return parts[i * parts.size() / centre.size()]; };
  addTube(centre, sweep, builder);
}

}  // namespace hackle::detail
