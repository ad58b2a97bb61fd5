#include <hackle/fracture/impact/stress_recovery.h>

#include <hackle/core/memo.h>
#include <hackle/core/parallel.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/surface_distance.h>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr int kOrder = 5;             // of the regular places in a tetrahedron that are asked for: 56 of them
constexpr double kNothing = 1e-4;     // share below which the stress of a tetrahedron says nothing
constexpr double kSlopeRidge = 1e-3;  // of the fit, against slopes that the places do not determine

double volumeOf(Span<const Vec3> points, const Tetrahedron& t) {
  const Vec3 &a = points[t[0]], &b = points[t[1]], &c = points[t[2]], &d = points[t[3]];
  return std::abs((b - a).dot((c - a).cross(d - a))) / 6;
}

SolidPart sampledPart(const std::array<Vec3, 4>& corners, const SurfaceDistance& distance) {
  SolidPart part;
  int all = 0, within = 0;
  for (int i = 0; i <= kOrder; ++i)
    for (int j = 0; i + j <= kOrder; ++j)
      for (int k = 0; i + j + k <= kOrder; ++k) {
        const int l = kOrder - i - j - k;
        const Vec3 place = ((i + 0.25) * corners[0] + (j + 0.25) * corners[1] + (k + 0.25) * corners[2] +
                            (l + 0.25) * corners[3]) /
                           (kOrder + 1);
        ++all;
        if (!distance.inside(place)) continue;
        ++within;
        part.centre += place;
      }
  part.share = static_cast<double>(within) / all;
  part.centre =
      within ? Vec3(part.centre / within) : Vec3(0.25 * (corners[0] + corners[1] + corners[2] + corners[3]));
  return part;
}

/// Tetrahedra by point.
struct Stars {
  std::vector<int64_t> starts;
  std::vector<int32_t> members;
  Stars(size_t points, Span<const Tetrahedron> tetrahedra) : starts(points + 1, 0) {
    for (const Tetrahedron& t : tetrahedra)
      for (const int32_t p : t) ++starts[p + 1];
    for (size_t p = 0; p < points; ++p) starts[p + 1] += starts[p];
    members.resize(4 * tetrahedra.size());
    std::vector<int64_t> next(starts.begin(), starts.end() - 1);
    for (size_t t = 0; t < tetrahedra.size(); ++t)
      for (const int32_t p : tetrahedra[t]) members[next[p]++] = static_cast<int32_t>(t);
  }
  Span<const int32_t> of(size_t p) const {
    return {members.data() + starts[p], static_cast<size_t>(starts[p + 1] - starts[p])};
  }
};

void addOnce(std::vector<int32_t>& ring) {
  std::sort(ring.begin(), ring.end());
  ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
}

}  // namespace

std::vector<SolidPart> solidParts(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                  const TriangleMesh& surface, Context& context) {
  const SurfaceDistance distance(surface, context);
  std::vector<SolidPart> parts(tetrahedra.size());
  parallelFor(context, parts.size(), 64, [&](size_t t) {
    std::array<Vec3, 4> corners;
    for (size_t k = 0; k < 4; ++k) corners[k] = points[tetrahedra[t][k]];
    const Vec3 middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
    double radius = 0;
    for (const Vec3& c : corners) radius = std::max(radius, (c - middle).norm());
    if (distance.tree().closestPoint(middle, radius).triangle < 0)
      parts[t] = {distance.inside(middle) ? 1.0 : 0.0, middle};
    else
      parts[t] = sampledPart(corners, distance);
  });
  return parts;
}

StressRecovery::StressRecovery(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                               Span<const SolidPart> parts, Context& context) {
  const Stars stars(points.size(), tetrahedra);
  std::vector<double> volumes(tetrahedra.size());
  for (size_t t = 0; t < volumes.size(); ++t) volumes[t] = volumeOf(points, tetrahedra[t]);
  std::vector<std::vector<int32_t>> rings(points.size());
  std::vector<std::vector<float>> weights(points.size());
  parallelFor(context, points.size(), 64, [&](size_t p) {
    std::vector<int32_t>& ring = rings[p];
    const Span<const int32_t> star = stars.of(p);
    ring.assign(star.begin(), star.end());
    const bool inner = std::all_of(ring.begin(), ring.end(), [&](int32_t t) { return parts[t].share == 1; });
    if (!inner) {
      std::vector<int32_t> corners;
      for (const int32_t t : ring) corners.insert(corners.end(), tetrahedra[t].begin(), tetrahedra[t].end());
      addOnce(corners);
      for (const int32_t c : corners) {
        const Span<const int32_t> more = stars.of(static_cast<size_t>(c));
        ring.insert(ring.end(), more.begin(), more.end());
      }
      addOnce(ring);
    }
    ring.erase(std::remove_if(ring.begin(), ring.end(), [&](int32_t t) { return parts[t].share < kNothing; }),
               ring.end());
    // Fit a + b . (x - p) / h by weighted least squares; the value at the point is a.
    double size = 0, total = 0;
    for (const int32_t t : ring) {
      const double w = volumes[t] * parts[t].share;
      size += w * (parts[t].centre - points[p]).norm();
      total += w;
    }
    if (!(total > 0)) return;
    size = std::max(size / total, 1e-300);
    Eigen::Matrix4d normal = Eigen::Matrix4d::Zero();
    const auto row = [&](int32_t t) {
      Eigen::Vector4d r;
      r << 1, (parts[t].centre - points[p]) / size;
      return r;
    };
    for (const int32_t t : ring)
      normal.selfadjointView<Eigen::Lower>().rankUpdate(row(t), volumes[t] * parts[t].share / total);
    for (int k = 1; k < 4; ++k) normal(k, k) += kSlopeRidge;
    const Eigen::Vector4d first =
        normal.selfadjointView<Eigen::Lower>().ldlt().solve(Eigen::Vector4d::Unit(0));
    for (const int32_t t : ring)
      weights[p].push_back(static_cast<float>(first.dot(row(t)) * volumes[t] * parts[t].share / total));
  });
  mStarts.assign(1, 0);
  for (size_t p = 0; p < points.size(); ++p) {
    mTetrahedra.insert(mTetrahedra.end(), rings[p].begin(), rings[p].end());
    mWeights.insert(mWeights.end(), weights[p].begin(), weights[p].end());
    // A point around which there is no solid has no stress.
    mTetrahedra.resize(mWeights.size());
    mStarts.push_back(static_cast<int64_t>(mWeights.size()));
  }
}

size_t StressRecovery::bytes() const { return bytesOf(mStarts) + bytesOf(mTetrahedra) + bytesOf(mWeights); }

}  // namespace hackle
