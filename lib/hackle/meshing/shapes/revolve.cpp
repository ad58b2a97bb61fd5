#include <hackle/meshing/shapes/revolve.h>

#include <hackle/core/error.h>
#include <hackle/core/pi.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr int kFewestSegments = 6;

struct Ring {
  double radius = 0.0;            // of the profile
  double arc = 0.0;               // m, along the profile
  std::vector<int32_t> points;    // one at the axis
  std::vector<double> perimeter;  // m, up to each point and once around; empty at the axis

  size_t segments() const { return points.size(); }
  double angle(size_t i) const {
    return 2.0 * kPi * static_cast<double>(i) / static_cast<double>(segments());
  }
};

/// A stretch of bands with one flat map.
struct Chart {
  size_t firstBand = 0, endBand = 0;
  bool disc = false;
  double offset = 0.0;   // disc: radius in the map = offset + sign * arc
  double sign = 1.0;     // disc: -1 if the profile runs inwards
  size_t widthRing = 0;  // strip: the ring whose lengths are true
  int32_t id = 0;
};

/// Fewest edges of a ring that keep its chords within a tolerance.
int segmentsForTolerance(double radius, double tolerance) {
  if (!(tolerance < radius)) return kFewestSegments;
  return std::max(kFewestSegments, static_cast<int>(std::ceil(kPi / std::acos(1.0 - tolerance / radius))));
}

/// How many edges every ring has: the full number, halved where rings get narrow. Runs shorter than a few
/// rings take the number of their finer neighbours.
std::vector<int> ringSegments(const SampledProfile& profile, const RevolveOptions& options) {
  double widest = 0;
  for (const Vec2& p : profile.points) widest = std::max(widest, p.x());
  const double fullRadius = options.fullRadius.value_or(widest);
  const int bySpacing = 8 * static_cast<int>(std::lround(2.0 * kPi * widest / options.spacing / 8.0));
  const int full = options.segments.value_or(
      std::max({8, bySpacing, 8 * ((segmentsForTolerance(widest, options.tolerance) + 7) / 8)}));
  const auto halved = [&](int level) {
    return std::max(kFewestSegments, static_cast<int>(std::lround(std::ldexp(full, -level))));
  };
  const std::ptrdiff_t count = static_cast<std::ptrdiff_t>(profile.points.size());
  std::vector<int> levels(profile.points.size(), 0);
  for (size_t i = 0; i < levels.size(); ++i) {
    const double radius = profile.points[i].x();
    const int least = segmentsForTolerance(radius, options.tolerance);
    if (radius <= 0)
      levels[i] = 30;
    else
      while (levels[i] < 30 && radius * std::ldexp(1.0, levels[i] + 1) <= fullRadius &&
             halved(levels[i] + 1) >= least)
        ++levels[i];
  }
  constexpr std::ptrdiff_t kReach = 2;
  std::vector<int> segments(levels.size());
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    int level = 30;
    for (std::ptrdiff_t j = std::max<std::ptrdiff_t>(0, i - kReach); j <= std::min(count - 1, i + kReach);
         ++j)
      level = std::min(level, levels[j]);
    // Towards the axis rings get narrow fast: there they are halved at once.
    const bool nearAxis = i <= kReach || i >= count - 1 - kReach;
    segments[i] = halved(nearAxis ? levels[i] : level);
  }
  return segments;
}

std::vector<Ring> makeRings(const SampledProfile& profile, const RevolveOptions& options,
                            SurfaceBuilder& builder) {
  const std::vector<int> segments = ringSegments(profile, options);
  std::vector<Ring> rings(profile.points.size());
  for (size_t i = 0; i < rings.size(); ++i) {
    Ring& ring = rings[i];
    const Vec2& p = profile.points[i];
    ring.radius = p.x();
    if (i > 0) ring.arc = rings[i - 1].arc + (p - profile.points[i - 1]).norm();
    if (p.x() <= 0) {
      ring.points.push_back(builder.addPoint(Vec3(0, p.y(), 0)));
      continue;
    }
    ring.points.resize(static_cast<size_t>(segments[i]));
    for (size_t j = 0; j < ring.segments(); ++j) {
      const double angle = ring.angle(j);
      const double r = p.x() * (options.shape ? options.shape(p, profile.weights[i], angle) : 1.0);
      ring.points[j] = builder.addPoint(Vec3(r * std::sin(angle), p.y(), r * std::cos(angle)));
    }
    ring.perimeter.assign(1, 0.0);
    for (size_t j = 0; j < ring.segments(); ++j)
      ring.perimeter.push_back(
          ring.perimeter.back() +
          (builder.position(ring.points[(j + 1) % ring.segments()]) - builder.position(ring.points[j]))
              .norm());
  }
  return rings;
}

/// Whether a flat band runs between rings of different form, so that it is much wider at some angles.
bool changesForm(const std::vector<Ring>& rings, size_t band, const SurfaceBuilder& builder) {
  const Ring& a = rings[band];
  const Ring& b = rings[band + 1];
  if (a.segments() != b.segments() || a.radius <= 0) return false;
  const double rise = builder.position(b.points[0]).y() - builder.position(a.points[0]).y();
  if (std::abs(rise) > 0.01 * (b.arc - a.arc)) return false;
  double widest = 0;
  for (size_t i = 0; i < a.segments(); ++i)
    widest = std::max(widest, (builder.position(b.points[i]) - builder.position(a.points[i])).norm());
  return widest > 1.5 * (b.arc - a.arc);
}

/// The longest disc chart that starts at a ring and runs forwards (step 1) or backwards (-1); bands it
/// covers.
size_t discReach(const std::vector<Ring>& rings, size_t start, int step) {
  constexpr double kStretch = 1.25;
  const auto at = [&](size_t n) -> const Ring& { return step > 0 ? rings[start + n] : rings[start - n]; };
  const size_t most = step > 0 ? rings.size() - 1 - start : start;
  if (most == 0) return 0;
  const double sign = at(1).radius >= at(0).radius ? 1.0 : -1.0;
  size_t bands = 0;
  while (bands < most) {
    const Ring& next = at(bands + 1);
    const double mapped = at(0).radius + sign * std::abs(next.arc - at(0).arc);
    if (next.radius <= 0 || mapped > kStretch * next.radius || mapped * kStretch < next.radius) break;
    ++bands;
  }
  // Beside the axis there is nothing but a disc.
  return bands == 0 && at(0).radius <= 0 ? 1 : bands;
}

/// The longest strip that starts at a ring and stays before band `end`; 0 if the first band must be a disc.
size_t stripReach(const std::vector<Ring>& rings, size_t start, size_t end, const SurfaceBuilder& builder) {
  constexpr double kRatio = 1.6;
  double low = rings[start].perimeter.back(), high = low;
  size_t bands = 0;
  while (start + bands < end) {
    if (changesForm(rings, start + bands, builder)) break;
    const double length = rings[start + bands + 1].perimeter.back();
    low = std::min(low, length);
    high = std::max(high, length);
    if (high > kRatio * low && bands > 0) break;
    ++bands;
  }
  return bands;
}

/// Cuts the profile into charts: a disc at either end, discs and strips between, each as long as it stretches
/// little.
std::vector<Chart> makeCharts(const std::vector<Ring>& rings, SurfaceBuilder& builder) {
  const size_t bands = rings.size() - 1;
  const size_t head = discReach(rings, 0, 1);
  const size_t tail = std::min(discReach(rings, bands, -1), bands - head);
  std::vector<Chart> charts;
  const auto addDisc = [&](size_t first, size_t end, size_t anchor) {
    Chart chart{first, end, true, 0, 1, 0, builder.addChart()};
    chart.sign = rings[end].radius >= rings[first].radius ? 1.0 : -1.0;
    chart.offset = rings[anchor].radius - chart.sign * rings[anchor].arc;
    charts.push_back(chart);
  };
  addDisc(0, head, 0);
  for (size_t band = head; band < bands - tail;) {
    const size_t strip = stripReach(rings, band, bands - tail, builder);
    const size_t disc = std::clamp<size_t>(discReach(rings, band, 1), strip == 0, bands - tail - band);
    if (disc > strip) {
      addDisc(band, band + disc, band);
      band += disc;
      continue;
    }
    Chart chart{band, band + strip, false, 0, 1, 0, builder.addChart()};
    // True lengths at the ring whose perimeter is nearest to the mean of all.
    double mean = 0;
    for (size_t i = band; i <= band + strip; ++i)
      mean += rings[i].perimeter.back() / static_cast<double>(strip + 1);
    chart.widthRing = band;
    for (size_t i = band; i <= band + strip; ++i)
      if (std::abs(rings[i].perimeter.back() - mean) <
          std::abs(rings[chart.widthRing].perimeter.back() - mean))
        chart.widthRing = i;
    charts.push_back(chart);
    band += strip;
  }
  if (tail > 0) addDisc(bands - tail, bands, bands);
  return charts;
}

/// Where corner i of a ring (i may be its number of segments: once around) lies in a chart.
Vec2 chartPlace(const Chart& chart, const std::vector<Ring>& rings, const Ring& ring, size_t i,
                const SurfaceBuilder& builder) {
  if (!chart.disc) {
    const Ring& wide = rings[chart.widthRing];
    const double at = ring.angle(i) / (2.0 * kPi) * static_cast<double>(wide.segments());
    const size_t below = std::min(static_cast<size_t>(at), wide.segments() - 1);
    const double fraction = at - static_cast<double>(below);
    return {wide.perimeter[below] + fraction * (wide.perimeter[below + 1] - wide.perimeter[below]), ring.arc};
  }
  if (ring.radius <= 0) return Vec2::Zero();
  const Vec3& p = builder.position(ring.points[i % ring.segments()]);
  const double mapped = chart.offset + chart.sign * ring.arc;
  // Seen from outside: from above where the profile runs inwards, else from below.
  return mapped / ring.radius * Vec2(p.x(), chart.sign * p.z());
}

/// Adds the faces between two rings, walking around both at once.
void stitch(const std::vector<Ring>& rings, size_t band, const Chart& chart, int32_t part,
            SurfaceBuilder& builder) {
  const Ring& a = rings[band];
  const Ring& b = rings[band + 1];
  const auto corner = [&](const Ring& ring, size_t i) {
    return SurfaceCorner{ring.points[i % ring.segments()], chartPlace(chart, rings, ring, i, builder)};
  };
  // The axis takes no steps.
  const size_t na = a.radius > 0 ? a.segments() : 0, nb = b.radius > 0 ? b.segments() : 0;
  size_t i = 0, j = 0;
  while (i < na || j < nb) {
    // Compare the next angles, (i + 1) / na with (j + 1) / nb, in whole numbers.
    const size_t nextA = i < na ? (i + 1) * std::max<size_t>(nb, 1) : SIZE_MAX;
    const size_t nextB = j < nb ? (j + 1) * std::max<size_t>(na, 1) : SIZE_MAX;
    if (nextA == nextB) {
      builder.addFace({corner(a, i), corner(a, i + 1), corner(b, j + 1), corner(b, j)}, part, chart.id);
      ++i, ++j;
    } else if (nextA < nextB) {
      builder.addFace({corner(a, i), corner(a, i + 1), corner(b, j)}, part, chart.id);
      ++i;
    } else {
      builder.addFace({corner(a, i), corner(b, j + 1), corner(b, j)}, part, chart.id);
      ++j;
    }
  }
}

}  // namespace

void revolve(const Profile& profile, const RevolveOptions& options, SurfaceBuilder& builder) {
  const SampledProfile sampled = profile.sample(options.spacing, options.tolerance);
  HACKLE_ASSERT(sampled.points.size() >= 3);
  HACKLE_ASSERT(sampled.points.front().x() == 0.0 && sampled.points.back().x() == 0.0);
  std::vector<int32_t> parts;
  for (const std::string& name : profile.partNames()) parts.push_back(builder.part(name));
  const std::vector<Ring> rings = makeRings(sampled, options, builder);
  for (const Chart& chart : makeCharts(rings, builder))
    for (size_t band = chart.firstBand; band < chart.endBand; ++band)
      stitch(rings, band, chart, parts[sampled.bandParts[band]], builder);
}

}  // namespace hackle
