#include <hackle/volume/solid_distance.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

bool before(const Vec3& a, const Vec3& b) {
  return a.x() != b.x() ? a.x() < b.x() : a.y() != b.y() ? a.y() < b.y() : a.z() < b.z();
}

/// A number for every point, equal for equal positions.
std::vector<int32_t> positionNumbers(Span<const Vec3> points, Context& context) {
  std::vector<int32_t> order(points.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
  const auto at = [&](int32_t i) -> const Vec3& { return points[i]; };
  parallelStableSort(context, order, [&](int32_t a, int32_t b) { return before(at(a), at(b)); });
  std::vector<int32_t> numbers(points.size());
  for (size_t i = 0; i < order.size(); ++i) {
    const bool equal = i > 0 && at(order[i]) == at(order[i - 1]);
    numbers[order[i]] = equal ? numbers[order[i - 1]] : order[i];
  }
  return numbers;
}

bool isBalanced(const TriangleMesh& mesh, Context& context) {
  for (const Vec3& p : mesh.points)
    if (!p.allFinite()) return false;
  const std::vector<int32_t> number = positionNumbers(mesh.points, context);
  // An edge and the direction in which it is passed.
  struct Passage {
    int32_t low, high, sign;
  };
  std::vector<Passage> passages;
  passages.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles)
    for (size_t i = 0; i < 3; ++i) {
      const int32_t a = number[t[i]], b = number[t[(i + 1) % 3]];
      if (a != b) passages.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  parallelStableSort(context, passages, [](const Passage& a, const Passage& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  int64_t sum = 0;
  for (size_t i = 0; i < passages.size(); ++i) {
    const Passage& p = passages[i];
    sum += p.sign;
    const bool last =
        i + 1 == passages.size() || passages[i + 1].low != p.low || passages[i + 1].high != p.high;
    if (last && sum != 0) return false;
  }
  return true;
}

}  // namespace

SolidDistance::SolidDistance(const TriangleMesh& mesh, Context& context)
    : mBvh(mesh, context),
      mWinding(mBvh, context),
      mBounds(mBvh.bounds()),
      mBalanced(isBalanced(mesh, context)) {}

double SolidDistance::distance(const Vec3& p, double limit) const {
  const ClosestPoint closest = mBvh.closestPoint(p, limit);
  return closest.triangle < 0 ? limit : std::sqrt(closest.squaredDistance);
}

double SolidDistance::winding(const Vec3& p) const {
  const double w = std::abs(mWinding(p));
  return mBalanced ? std::round(w) : w;
}

double SolidDistance::value(double distance, double winding) {
  return distance * (1.0 - 2.0 * std::min(winding, 1.0));
}

}  // namespace hackle
