// Convex parts put together from smaller ones.
#include <hackle/fracture/convex_parts.h>
#include <hackle/geometry/triangle_mesh.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

namespace hackle {

namespace {

// Frames whose boxes stand for hulls while parts are put together: turned by equal parts of a right angle
// about axes that are spread evenly.
constexpr size_t kFrames = 12;

const std::array<Mat3, kFrames>& frames() {
  static const std::array<Mat3, kFrames> kAll = [] {
    std::array<Mat3, kFrames> all;
    for (size_t i = 0; i < kFrames; ++i) {
      const double share = static_cast<double>(i) / kFrames;
      const double y = 1 - 2 * share, angle = 2.399963229728653 * static_cast<double>(i);
      const double r = std::sqrt(std::max(0.0, 1 - y * y));
      const Vec3 axis(r * std::cos(angle), y, r * std::sin(angle));
      all[i] = Eigen::AngleAxisd(1.5707963267948966 * share, axis.normalized()).toRotationMatrix();
    }
    return all;
  }();
  return kAll;
}

/// Some of the parts, and their boxes in all frames.
struct Cluster {
  std::vector<int32_t> parts;
  std::array<Box3, kFrames> boxes;
  double size = 0;  // m^3, of the smallest box

  void measure() {
    size = std::numeric_limits<double>::infinity();
    for (const Box3& box : boxes) size = std::min(size, box.size().prod());
  }
};

Cluster clusterOf(int32_t part, Span<const Vec3> corners) {
  Cluster cluster;
  cluster.parts = {part};
  for (size_t f = 0; f < kFrames; ++f)
    for (const Vec3& p : corners) cluster.boxes[f].add(frames()[f] * p);
  cluster.measure();
  return cluster;
}

/// m^3 that two clusters take more if they are one.
double gain(const Cluster& a, const Cluster& b) {
  double size = std::numeric_limits<double>::infinity();
  for (size_t f = 0; f < kFrames; ++f)
    size = std::min(
        size, (a.boxes[f].max.cwiseMax(b.boxes[f].max) - a.boxes[f].min.cwiseMin(b.boxes[f].min)).prod());
  return size - a.size - b.size;
}

/// Joins the two clusters that gain least, again and again, and tells when a power of two is left.
class Joining {
 public:
  explicit Joining(Span<const std::vector<Vec3>> corners) {
    for (size_t i = 0; i < corners.size(); ++i)
      mClusters.push_back(clusterOf(static_cast<int32_t>(i), corners[i]));
    mBest.resize(mClusters.size());
    for (size_t i = 0; i < mClusters.size(); ++i) findBest(i);
  }

  const std::vector<Cluster>& clusters() const { return mClusters; }

  void joinTo(size_t count) {
    while (mClusters.size() > count) joinOnce();
  }

 private:
  struct Best {
    size_t other = 0;
    double gain = std::numeric_limits<double>::infinity();
  };

  /// With whom, of those after it, a cluster gains least.
  void findBest(size_t i) {
    mBest[i] = {};
    for (size_t k = i + 1; k < mClusters.size(); ++k) {
      const double own = gain(mClusters[i], mClusters[k]);
      if (own < mBest[i].gain) mBest[i] = {k, own};
    }
  }

  void joinOnce() {
    size_t a = 0;
    for (size_t i = 1; i + 1 < mClusters.size(); ++i)
      if (mBest[i].gain < mBest[a].gain) a = i;
    const size_t b = mBest[a].gain < std::numeric_limits<double>::infinity() ? mBest[a].other : a + 1;
    Cluster& into = mClusters[a];
    into.parts.insert(into.parts.end(), mClusters[b].parts.begin(), mClusters[b].parts.end());
    for (size_t f = 0; f < kFrames; ++f) into.boxes[f].add(mClusters[b].boxes[f]);
    into.measure();
    mClusters.erase(mClusters.begin() + static_cast<std::ptrdiff_t>(b));
    mBest.erase(mBest.begin() + static_cast<std::ptrdiff_t>(b));
    for (size_t i = 0; i < mClusters.size(); ++i) {
      const bool changed = i == a || mBest[i].other == a || mBest[i].other == b;
      if (mBest[i].other > b) --mBest[i].other;
      if (changed) {
        findBest(i);
      } else if (i < a) {
        const double own = gain(mClusters[i], mClusters[a]);
        if (own < mBest[i].gain) mBest[i] = {a, own};
      }
    }
  }

  std::vector<Cluster> mClusters;
  std::vector<Best> mBest;
};

}  // namespace

ConvexParts joinedHulls(Span<const std::vector<Vec3>> corners, double volume,
                        const ConvexPartOptions& options) {
  ConvexParts best;
  const size_t most =
      std::max<size_t>(1, std::min<size_t>(corners.size(), static_cast<size_t>(options.maxParts)));
  Joining joining(corners);
  joining.joinTo(most);
  // From the most hulls to fewer, as clusters are joined, while that is still good enough.
  for (size_t count = joining.clusters().size(); count > 0;) {
    joining.joinTo(count);
    ConvexParts parts;
    double sum = 0;
    for (const Cluster& cluster : joining.clusters()) {
      std::vector<Vec3> points;
      for (const int32_t part : cluster.parts)
        points.insert(points.end(), corners[part].begin(), corners[part].end());
      ConvexHull hull = convexHull(farthestPoints(points, options.maxCorners));
      if (hull.empty()) continue;
      sum += hullVolume(hull);
      parts.hulls.push_back(std::move(hull));
    }
    parts.excess = sum / volume - 1;
    const bool goodEnough = parts.excess <= options.tolerance;
    if (best.hulls.empty() || goodEnough) best = std::move(parts);
    if (!goodEnough || count == 1) break;
    size_t next = 1;
    while (2 * next < count) next *= 2;
    count = next;
  }
  return best;
}

}  // namespace hackle
