#include <hackle/fracture/voronoi/mean_value.h>

#include <hackle/core/parallel.h>
#include <hackle/core/pi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace hackle {

namespace {

/// Weights of all points for one place.
class MeanValueWeights {
 public:
  MeanValueWeights(Span<const Vec3> points, Span<const Triangle> triangles)
      : mPoints(points), mTriangles(triangles), mUnit(points.size()), mDistance(points.size()) {
    Box3 box;
    for (const Vec3& p : points) box.add(p);
    mNear = 1e-9 * box.diagonal();
  }

  const std::vector<double>& at(const Vec3& place) {
    mWeights.assign(mPoints.size(), 0.0);
    for (size_t p = 0; p < mPoints.size(); ++p) {
      const Vec3 offset = mPoints[p] - place;
      mDistance[p] = offset.norm();
      if (mDistance[p] <= mNear) {
        mWeights[p] = 1.0;
        return mWeights;
      }
      mUnit[p] = offset / mDistance[p];
    }
    for (const Triangle& t : mTriangles)
      if (const auto within = add(t)) {
        // The place is on this triangle: its corners alone.
        std::fill(mWeights.begin(), mWeights.end(), 0.0);
        for (size_t k = 0; k < 3; ++k) mWeights[t[k]] += (*within)[k];
        return mWeights;
      }
    double sum = 0;
    for (const double w : mWeights) sum += w;
    for (double& w : mWeights) w /= sum;
    return mWeights;
  }

 private:
  /// The spherical triangle that t spans around the place has the sides angle[k] opposite to its corners.
  /// Gives weights if the place lies on it.
  std::optional<std::array<double, 3>> add(const Triangle& t) {
    std::array<double, 3> angle, sine, cosine, radius;
    std::array<Vec3, 3> unit;
    for (size_t k = 0; k < 3; ++k) {
      unit[k] = mUnit[t[k]];
      radius[k] = mDistance[t[k]];
    }
    double half = 0;
    for (size_t k = 0; k < 3; ++k) {
      const double chord = (unit[(k + 1) % 3] - unit[(k + 2) % 3]).norm();
      angle[k] = 2.0 * std::asin(std::min(0.5 * chord, 1.0));
      half += 0.5 * angle[k];
    }
    constexpr double kTiny = 1e-8;
    if (kPi - half < kTiny) {
      std::array<double, 3> weights;
      double sum = 0;
      for (size_t k = 0; k < 3; ++k) {
        weights[k] = std::sin(angle[k]) * radius[(k + 1) % 3] * radius[(k + 2) % 3];
        sum += weights[k];
      }
      for (double& w : weights) w /= sum;
      return weights;
    }
    const double orientation = unit[0].dot(unit[1].cross(unit[2])) < 0 ? -1.0 : 1.0;
    for (size_t k = 0; k < 3; ++k) {
      cosine[k] = 2.0 * std::sin(half) * std::sin(half - angle[k]) /
                      (std::sin(angle[(k + 1) % 3]) * std::sin(angle[(k + 2) % 3])) -
                  1.0;
      sine[k] = orientation * std::sqrt(std::max(0.0, 1.0 - cosine[k] * cosine[k]));
      // In the plane of the triangle but outside of it: no share.
      if (!(std::abs(sine[k]) > kTiny)) return std::nullopt;
    }
    for (size_t k = 0; k < 3; ++k) {
      const size_t next = (k + 1) % 3, last = (k + 2) % 3;
      mWeights[t[k]] += (angle[k] - cosine[next] * angle[last] - cosine[last] * angle[next]) /
                        (radius[k] * std::sin(angle[next]) * sine[last]);
    }
    return std::nullopt;
  }

  Span<const Vec3> mPoints;
  Span<const Triangle> mTriangles;
  std::vector<Vec3> mUnit;
  std::vector<double> mDistance, mWeights;
  double mNear = 0;
};

}  // namespace

Eigen::MatrixXd meanValueInterpolation(Span<const Vec3> points, Span<const Triangle> triangles,
                                       const Eigen::MatrixXd& values, Span<const Vec3> places,
                                       Context& context) {
  // One row a place.
  Eigen::MatrixXd result(static_cast<Eigen::Index>(places.size()), values.cols());
  parallelRanges(context, places.size(), 8, [&](size_t begin, size_t end) {
    MeanValueWeights weights(points, triangles);
    for (size_t n = begin; n < end; ++n) {
      context.checkCancel();
      const std::vector<double>& w = weights.at(places[n]);
      const Eigen::Map<const Eigen::RowVectorXd> row(w.data(), static_cast<Eigen::Index>(w.size()));
      for (Eigen::Index k = 0; k < values.cols(); ++k)
        result(static_cast<Eigen::Index>(n), k) = row.dot(values.col(k));
    }
  });
  return result;
}

}  // namespace hackle
