#include <hackle/meshing/shapes/tube.h>

#include <hackle/core/error.h>
#include <hackle/core/pi.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

struct Frame {
  Vec3 tangent, normal, binormal;
};

Vec3 tangentAt(Span<const Vec3> curve, size_t i) {
  const size_t n = curve.size();
  const Vec3 forward = curve[(i + 1) % n] - curve[i], backward = curve[i] - curve[(i + n - 1) % n];
  return (forward.normalized() + backward.normalized()).normalized();
}

Vec3 rotated(const Vec3& v, const Vec3& axis, double angle) {
  return std::cos(angle) * v + std::sin(angle) * axis.cross(v) + (1 - std::cos(angle)) * axis.dot(v) * axis;
}

/// Rotation-minimising frames; the turn that is left when the curve closes is spread over its length.
std::vector<Frame> closedFrames(Span<const Vec3> curve, const Vec3& firstNormal) {
  const size_t n = curve.size();
  std::vector<Frame> frames(n + 1);
  for (size_t i = 0; i <= n; ++i) {
    Frame& frame = frames[i];
    frame.tangent = tangentAt(curve, i % n);
    const Vec3 carried = i == 0
                             ? firstNormal
                             : Vec3(Eigen::Quaterniond::FromTwoVectors(frames[i - 1].tangent, frame.tangent) *
                                    frames[i - 1].normal);
    frame.normal = carried - carried.dot(frame.tangent) * frame.tangent;
    if (frame.normal.norm() < 1e-6) frame.normal = frame.tangent.unitOrthogonal();
    frame.normal.normalize();
  }
  const Frame& first = frames[0];
  const double excess =
      std::atan2(first.tangent.cross(first.normal).dot(frames[n].normal), first.normal.dot(frames[n].normal));
  frames.resize(n);
  for (size_t i = 0; i < n; ++i) {
    Frame& frame = frames[i];
    const double share = -excess * static_cast<double>(i) / static_cast<double>(n);
    frame.normal = rotated(frame.normal, frame.tangent, share);
    frame.binormal = frame.tangent.cross(frame.normal);
  }
  return frames;
}

}  // namespace

void addTube(Span<const Vec3> curve, const TubeOptions& options, SurfaceBuilder& builder) {
  const size_t n = curve.size(), m = static_cast<size_t>(options.segments);
  HACKLE_ASSERT(n >= 3 && m >= 3);
  const std::vector<Frame> frames = closedFrames(curve, options.firstNormal);

  // Points, section by section; lengths along the curve.
  std::vector<int32_t> points(n * m);
  std::vector<double> arc(n + 1, 0.0);
  const auto outward = [&](size_t i, double j) {
    const double angle = 2.0 * kPi * j / static_cast<double>(m);
    return Vec3(std::cos(angle) * frames[i].normal + std::sin(angle) * frames[i].binormal);
  };
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < m; ++j)
      points[i * m + j] = builder.addPoint(curve[i] + options.radius * outward(i, static_cast<double>(j)));
    arc[i + 1] = arc[i] + (curve[(i + 1) % n] - curve[i]).norm();
  }

  // Faces; a new chart after each few girths.
  constexpr double kChartGirths = 4.0;
  const double girth = 2.0 * kPi * options.radius;
  const size_t chartCount = static_cast<size_t>(std::max(1.0, std::round(arc[n] / (kChartGirths * girth))));
  int32_t chart = -1;
  size_t chartIndex = SIZE_MAX;
  const auto corner = [&](size_t i, size_t j) {
    return SurfaceCorner{points[(i % n) * m + j % m],
                         Vec2(girth * static_cast<double>(j) / static_cast<double>(m), arc[i])};
  };
  for (size_t i = 0; i < n; ++i) {
    const size_t index = i * chartCount / n;
    if (index != chartIndex) chart = builder.addChart();
    chartIndex = index;
    for (size_t j = 0; j < m; ++j) {
      const Vec3 direction =
          outward(i, static_cast<double>(j) + 0.5) + outward((i + 1) % n, static_cast<double>(j) + 0.5);
      builder.addFace({corner(i, j), corner(i, j + 1), corner(i + 1, j + 1), corner(i + 1, j)},
                      options.part(i, direction.normalized()), chart);
    }
  }
}

double thickestTube(Span<const Vec3> curve) {
  const size_t n = curve.size();
  std::vector<double> arc(n + 1, 0.0);
  double radius = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < n; ++i) {
    arc[i + 1] = arc[i] + (curve[(i + 1) % n] - curve[i]).norm();
    // Circle through three neighbours.
    const Vec3 a = curve[(i + n - 1) % n] - curve[i], b = curve[(i + 1) % n] - curve[i];
    const double twiceArea = a.cross(b).norm();
    if (twiceArea > 0) radius = std::min(radius, a.norm() * b.norm() * (b - a).norm() / (2.0 * twiceArea));
  }
  // Two points further apart along the curve than half a turn must keep two radii apart; nearer ones do so
  // because of the bound on curvature (Schur's theorem).
  for (size_t i = 0; i < n; ++i)
    for (size_t j = i + 1; j < n; ++j) {
      const double along = std::min(arc[j] - arc[i], arc[n] - (arc[j] - arc[i]));
      const double apart = (curve[j] - curve[i]).norm();
      if (apart < 2.0 * radius && along > kPi * radius) radius = 0.5 * apart;
    }
  return radius;
}

}  // namespace hackle
