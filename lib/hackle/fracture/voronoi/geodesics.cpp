#include <hackle/fracture/voronoi/geodesics.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <queue>

namespace hackle {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The least arrival time at x of plane fronts through places with known times. With P the rows p_i - x and
/// G = P P^T, the front has (u - t 1)^T G^-1 (u - t 1) = 1, and comes from between the places if
/// G^-1 (t 1 - u) has no negative entry.
class FrontArrival {
 public:
  explicit FrontArrival(const Vec3& x) : mX(x) {}

  void add(const Vec3& place, double time) {
    mOffset[mCount] = place - mX;
    mTime[mCount] = time;
    ++mCount;
  }

  /// Of all subsets that contain the first place.
  double earliest() const {
    double best = mTime[0] + mOffset[0].norm();
    for (size_t k = 1; k < mCount; ++k) best = std::min(best, fromTwo(0, k));
    if (mCount == 3) best = std::min(best, fromThree());
    return best;
  }

 private:
  double fromTwo(size_t i, size_t j) const {
    const double a = mOffset[i].squaredNorm(), b = mOffset[i].dot(mOffset[j]), c = mOffset[j].squaredNorm();
    const double det = a * c - b * b;
    if (!(det > 1e-12 * a * c)) return kInfinity;
    // G^-1 of the two, times det
    const auto apply = [&](double u, double v) {
      return std::array<double, 2>{c * u - b * v, a * v - b * u};
    };
    const auto ones = apply(1, 1), times = apply(mTime[i], mTime[j]);
    const double t =
        laterRoot(ones[0] + ones[1], times[0] + times[1], mTime[i] * times[0] + mTime[j] * times[1], det);
    const bool between = t * ones[0] >= times[0] && t * ones[1] >= times[1];
    return between ? t : kInfinity;
  }

  double fromThree() const {
    Mat3 rows;
    for (int k = 0; k < 3; ++k) rows.row(k) = mOffset[k].transpose();
    const double volume = rows.determinant();
    const double size = mOffset[0].norm() * mOffset[1].norm() * mOffset[2].norm();
    if (!(std::abs(volume) > 1e-9 * size)) return kInfinity;
    // G^-1 = P^-T P^-1
    const Mat3 inverse = rows.inverse();
    const Vec3 u(mTime[0], mTime[1], mTime[2]);
    const Vec3 a = inverse * Vec3::Ones(), b = inverse * u;
    const double t = laterRoot(a.dot(a), a.dot(b), b.dot(b), 1.0);
    if (!(t < kInfinity)) return kInfinity;
    const Vec3 weights = inverse.transpose() * (t * a - b);
    return weights.minCoeff() >= 0 ? t : kInfinity;
  }

  /// Of aa t^2 - 2 ab t + bb = unit; infinite if there is none.
  static double laterRoot(double aa, double ab, double bb, double unit) {
    const double discriminant = ab * ab - aa * (bb - unit);
    if (!(discriminant >= 0) || !(aa > 0)) return kInfinity;
    return (ab + std::sqrt(discriminant)) / aa;
  }

  Vec3 mX;
  std::array<Vec3, 3> mOffset;
  std::array<double, 3> mTime{};
  size_t mCount = 0;
};

}  // namespace

std::vector<double> LatticeGeodesics::march(size_t source, Context& context) const {
  std::vector<double> time(mPositions.size(), kInfinity);
  std::vector<uint8_t> done(mPositions.size(), 0);
  using Entry = std::pair<double, int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> front;
  const auto reach = [&](int32_t node, double t) {
    if (t < time[node]) {
      time[node] = t;
      front.emplace(t, node);
    }
  };
  // Start with straight lines to what is near: plane fronts are poor there.
  reach(static_cast<int32_t>(source), 0.0);
  for (const int32_t near : mGraph.neighbours(source))
    for (const int32_t next : mGraph.neighbours(static_cast<size_t>(near)))
      reach(next, (mPositions[next] - mPositions[source]).norm());

  for (size_t step = 0; !front.empty(); ++step) {
    if (step % 4096 == 0) context.checkCancel();
    const auto [t, node] = front.top();
    front.pop();
    const auto n = static_cast<size_t>(node);
    if (done[n]) continue;
    done[n] = 1;
    for (const int32_t tet : mGraph.tetrahedra(n)) {
      const Tetrahedron& corners = mTetrahedra[tet];
      for (const int32_t x : corners) {
        if (done[x]) continue;
        FrontArrival arrival(mPositions[x]);
        arrival.add(mPositions[n], t);
        for (const int32_t k : corners)
          if (k != node && done[k]) arrival.add(mPositions[k], time[k]);
        reach(x, arrival.earliest());
      }
    }
  }
  return time;
}

std::vector<double> LatticeGeodesics::from(size_t node, Context& context) const {
  constexpr double kStraight = 1.03, kBent = 1.08;
  std::vector<double> length = march(node, context);
  for (size_t n = 0; n < length.size(); ++n) {
    const double straight = (mPositions[n] - mPositions[node]).norm();
    if (!std::isfinite(length[n]) || !(straight > 0)) continue;
    const double bent = (length[n] / straight - kStraight) / (kBent - kStraight);
    length[n] = straight + std::clamp(bent, 0.0, 1.0) * std::max(length[n] - straight, 0.0);
  }
  return length;
}

}  // namespace hackle
