#include <hackle/meshing/surface/convex_hull.h>

#include <hackle/core/error.h>

#include <algorithm>
#include <cstdio>
#include <limits>

extern "C" {
#include <libqhull_r/qhull_ra.h>
}

namespace hackle {

namespace {

/// One run of Qhull and its memory.
class QhullRun {
 public:
  explicit QhullRun(Span<const Vec3> points) {
    for (const Vec3& p : points) mCoordinates.insert(mCoordinates.end(), {p.x(), p.y(), p.z()});
    qh_zero(&mQhull, nullptr);
    char command[] = "qhull Qt";  // facets that are not triangles are cut into some
    // Qhull writes its messages to a file; nobody reads them here.
    mMessages = std::fopen("/dev/null", "w");
    mFailed = qh_new_qhull(&mQhull, 3, static_cast<int>(points.size()), mCoordinates.data(), False, command,
                           nullptr, mMessages) != 0;
  }
  ~QhullRun() {
    qh_freeqhull(&mQhull, !qh_ALL);
    int left = 0, bytes = 0;
    qh_memfreeshort(&mQhull, &left, &bytes);
    if (mMessages) std::fclose(mMessages);
  }
  QhullRun(const QhullRun&) = delete;
  QhullRun& operator=(const QhullRun&) = delete;

  bool failed() const { return mFailed; }

  /// Corners of the hull's triangles, as numbers of the points, counter-clockwise seen from outside.
  std::vector<Triangle> triangles() {
    std::vector<Triangle> result;
    qhT* qh = &mQhull;  // the name that Qhull's macros expect
    for (facetT* facet = qh->facet_list; facet && facet->next; facet = facet->next) {
      Triangle t{-1, -1, -1};
      size_t k = 0;
      for (void** at = reinterpret_cast<void**>(&facet->vertices->e[0].p); *at && k < 3; ++at)
        t[k++] = static_cast<int32_t>(qh_pointid(qh, static_cast<vertexT*>(*at)->point));
      if (facet->toporient != (qh_ORIENTclock != 0)) std::swap(t[1], t[2]);
      result.push_back(t);
    }
    return result;
  }

 private:
  std::vector<coordT> mCoordinates;
  qhT mQhull;
  std::FILE* mMessages = nullptr;
  bool mFailed = false;
};

}  // namespace

ConvexHull convexHull(Span<const Vec3> points) {
  ConvexHull hull;
  if (points.size() < 4) return hull;
  QhullRun run(points);
  if (run.failed()) return hull;
  hull.triangles = run.triangles();
  // Qhull's numbering and order depend on nothing but the points; only the corners are kept.
  std::vector<int32_t> number(points.size(), -1);
  for (const Triangle& t : hull.triangles)
    for (const int32_t p : t) number[p] = 0;
  for (size_t p = 0; p < points.size(); ++p) {
    if (number[p] < 0) continue;
    number[p] = static_cast<int32_t>(hull.points.size());
    hull.points.push_back(points[p]);
  }
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : hull.points) middle += p / static_cast<double>(hull.points.size());
  double volume = 0;
  for (Triangle& t : hull.triangles) {
    for (int32_t& p : t) p = number[p];
    const auto at = [&](size_t k) -> Vec3 { return hull.points[t[k]] - middle; };
    volume += at(0).dot(at(1).cross(at(2)));
  }
  HACKLE_ASSERT(volume >= 0);
  std::sort(hull.triangles.begin(), hull.triangles.end());
  return hull;
}

std::vector<Vec3> shrunkCorners(const ConvexHull& hull, double distance) {
  if (hull.empty() || distance <= 0) return hull.points;
  Vec3 middle = Vec3::Zero();
  for (const Vec3& p : hull.points) middle += p / static_cast<double>(hull.points.size());
  // Planes n . (x - middle) <= h. Their duals n / h are the corners of another hull, whose faces in turn are
  // the duals of the corners sought.
  struct Plane {
    Vec3 normal;
    double height;
  };
  std::vector<Plane> planes;
  double nearest = std::numeric_limits<double>::infinity();
  for (const Triangle& t : hull.triangles) {
    const auto at = [&](size_t k) -> const Vec3& { return hull.points[t[k]]; };
    const Vec3 area = (at(1) - at(0)).cross(at(2) - at(0));
    if (area.norm() == 0) continue;
    planes.push_back({area.normalized(), area.normalized().dot(at(0) - middle)});
    nearest = std::min(nearest, planes.back().height);
  }
  const double step = std::min(distance, 0.5 * nearest);
  std::vector<Vec3> duals;
  for (const Plane& plane : planes) duals.push_back(plane.normal / (plane.height - step));
  const ConvexHull dual = convexHull(duals);
  // Corners where more than three faces meet come once for each triangle of their dual face.
  constexpr double kSame = 1e-4;  // of the distance
  std::vector<Vec3> corners;
  for (const Triangle& t : dual.triangles) {
    const auto at = [&](size_t k) -> const Vec3& { return dual.points[t[k]]; };
    const Vec3 area = (at(1) - at(0)).cross(at(2) - at(0));
    const double height = area.dot(at(0));
    if (!(height > 0)) continue;
    const Vec3 corner = middle + area / height;
    const auto isSame = [&](const Vec3& other) { return (other - corner).norm() <= kSame * distance; };
    if (std::none_of(corners.begin(), corners.end(), isSame)) corners.push_back(corner);
  }
  return corners.size() < 4 ? hull.points : corners;
}

ConvexHull shrunkHull(const ConvexHull& hull, double distance) {
  if (hull.empty() || distance <= 0) return hull;
  const ConvexHull shrunk = convexHull(shrunkCorners(hull, distance));
  return shrunk.empty() ? hull : shrunk;
}

}  // namespace hackle
