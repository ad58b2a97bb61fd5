#include <hackle/fracture/impact/stress_recovery.h>

#include <hackle/core/memo.h>
#include <hackle/core/parallel.h>

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kNothing = 1e-4;         // share of solid around a point below which it says nothing
constexpr double kCurvatureRidge = 1e-5;  // of the fit, against what the points do not determine

double volumeOf(Span<const Vec3> points, const Tetrahedron& t) {
  const Vec3 &a = points[t[0]], &b = points[t[1]], &c = points[t[2]], &d = points[t[3]];
  return std::abs((b - a).dot((c - a).cross(d - a))) / 6;
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

constexpr int kTerms = 10;  // of a quadratic polynomial in space
using Terms = Eigen::Matrix<double, kTerms, 1>;

Terms termsOf(const Vec3& x) {
  Terms t;
  t << 1, x, x.x() * x.x(), x.y() * x.y(), x.z() * x.z(), x.y() * x.z(), x.x() * x.z(), x.x() * x.y();
  return t;
}

/// Coefficients with which displacements of the points of a ring give the gradient at `middle`.
std::vector<StressRecovery::Slope> slopesOfFit(const Vec3& middle, Span<const Vec3> points,
                                               const std::vector<int32_t>& ring, Span<const double> weights) {
  double size = 0, total = 0;
  for (const int32_t p : ring) {
    size += weights[p] * (points[p] - middle).norm();
    total += weights[p];
  }
  size = std::max(size / total, 1e-300);
  Eigen::Matrix<double, kTerms, kTerms> normal = Eigen::Matrix<double, kTerms, kTerms>::Zero();
  for (const int32_t p : ring)
    normal.selfadjointView<Eigen::Lower>().rankUpdate(termsOf((points[p] - middle) / size),
                                                      weights[p] / total);
  // Two layers of points cannot tell a slope across them from a curvature: then it is a slope.
  // The norm of the curvature, which no turn of the axes changes, has squares twice.
  for (int k = 4; k < kTerms; ++k) normal(k, k) += (k < 7 ? 2 : 1) * kCurvatureRidge;
  for (int k = 1; k < 4; ++k) normal(k, k) += 1e-3 * kCurvatureRidge;
  Eigen::Matrix<double, kTerms, 3> wanted = Eigen::Matrix<double, kTerms, 3>::Zero();
  wanted.middleRows<3>(1).setIdentity();
  const Eigen::Matrix<double, kTerms, 3> rows = normal.selfadjointView<Eigen::Lower>().ldlt().solve(wanted);
  std::vector<StressRecovery::Slope> slopes;
  for (const int32_t p : ring) {
    const Vec3 slope =
        rows.transpose() * termsOf((points[p] - middle) / size) * (weights[p] / (total * size));
    slopes.push_back(slope.cast<float>());
  }
  return slopes;
}

void addCorners(Span<const Tetrahedron> tetrahedra, Span<const int32_t> star, std::vector<int32_t>& ring) {
  for (const int32_t t : star) ring.insert(ring.end(), tetrahedra[t].begin(), tetrahedra[t].end());
}

}  // namespace

StressRecovery::StressRecovery(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                               Span<const SolidPart> parts, Context& context) {
  const Stars stars(points.size(), tetrahedra);
  std::vector<double> weights(points.size(), 0);  // share of what is solid around each point
  parallelFor(context, points.size(), 256, [&](size_t p) {
    double solid = 0, all = 0;
    for (const int32_t t : stars.of(p)) {
      const double volume = volumeOf(points, tetrahedra[t]);
      solid += parts[t].share * volume;
      all += volume;
    }
    weights[p] = all > 0 && solid > kNothing * all ? solid / all : 0;
  });
  std::vector<std::vector<int32_t>> rings(points.size());
  std::vector<std::vector<Slope>> slopes(points.size());
  parallelFor(context, points.size(), 64, [&](size_t p) {
    // A point around which there is no solid has no stress.
    if (!(weights[p] > 0)) return;
    std::vector<int32_t>& ring = rings[p];
    addCorners(tetrahedra, stars.of(p), ring);
    addOnce(ring);
    if (weights[p] < 1) {
      const std::vector<int32_t> first = ring;
      for (const int32_t q : first) addCorners(tetrahedra, stars.of(static_cast<size_t>(q)), ring);
      addOnce(ring);
    }
    ring.erase(std::remove_if(ring.begin(), ring.end(), [&](int32_t q) { return !(weights[q] > 0); }),
               ring.end());
    slopes[p] = slopesOfFit(points[p], points, ring, weights);
  });
  mStarts.assign(1, 0);
  for (size_t p = 0; p < points.size(); ++p) {
    mNeighbours.insert(mNeighbours.end(), rings[p].begin(), rings[p].end());
    mSlopes.insert(mSlopes.end(), slopes[p].begin(), slopes[p].end());
    mStarts.push_back(static_cast<int64_t>(mNeighbours.size()));
  }
}

size_t StressRecovery::bytes() const { return bytesOf(mStarts) + bytesOf(mNeighbours) + bytesOf(mSlopes); }

}  // namespace hackle
