#include <hackle/core/parallel.h>
#include <hackle/fracture/load_transfer.h>
#include <hackle/geometry/bvh.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

constexpr double kSpacing = 0.25;   // coarse edges between samples
constexpr int kMostParts = 64;      // along an edge of a fine triangle
constexpr double kHeldShare = 0.5;  // of a coarse triangle that is covered if it is held
constexpr double kBeside = 0.1;     // of a coarse edge: places this near to the region are in it

/// Points in the middle of equal parts of the fine triangles.
void addSamples(CarriedRegion& region, const TriangleMesh& fine, Span<const int32_t> triangles,
                double spacing) {
  for (const int32_t t : triangles) {
    const Triangle& corners = fine.triangles[t];
    const Vec3& a = fine.points[corners[0]];
    const Vec3 u = fine.points[corners[1]] - a, v = fine.points[corners[2]] - a, n = u.cross(v);
    const double area = 0.5 * n.norm();
    if (!(area > 0)) continue;
    const double longest = std::max({u.norm(), v.norm(), (u - v).norm()});
    const int k = std::clamp(static_cast<int>(std::ceil(longest / spacing)), 1, kMostParts);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < 2 * (k - i) - 1; ++j) {
        const double third = j % 2 ? 2.0 / 3 : 1.0 / 3;
        const Vec3 place = a + (i + third) / k * u + (j / 2 + third) / k * v;
        region.samples.push_back({place, n / (2 * area), area / (k * k), -1});
      }
  }
}

/// The nearest triangle that faces alike and is allowed; any allowed one if none does.
int32_t targetOf(const Vec3& place, const Vec3& normal, const BemSurface& coarse, const TriangleBvh& tree,
                 double edge, const std::function<bool(size_t)>& allowed) {
  const auto fits = [&](int32_t t, bool alike) {
    const size_t i = static_cast<size_t>(t);
    return allowed(i) && (!alike || coarse.normal(i).dot(normal) > 0);
  };
  const int32_t nearest = tree.closestPoint(place).triangle;
  if (nearest >= 0 && fits(nearest, true)) return nearest;
  std::vector<int32_t> list;
  for (const bool alike : {true, false})
    for (double reach = edge; reach < 1e3 * edge; reach *= 3) {
      Box3 box;
      box.add(place - Vec3::Constant(reach));
      box.add(place + Vec3::Constant(reach));
      tree.trianglesNear(box, list);
      int32_t best = -1;
      double least = std::numeric_limits<double>::infinity();
      for (const int32_t t : list) {
        if (!fits(t, alike)) continue;
        const size_t i = static_cast<size_t>(t);
        const double squared =
            closestPointOnTriangle(place, coarse.corner(i, 0), coarse.corner(i, 1), coarse.corner(i, 2))
                .squaredDistance;
        if (squared >= least) continue;
        least = squared;
        best = t;
      }
      if (best >= 0 && least <= reach * reach) return best;
      if (list.size() == coarse.triangleCount()) break;
    }
  return -1;
}

/// Whether the region covers all of a coarse triangle: places all over it are next to the region.
bool isWhole(const BemSurface& coarse, size_t t, const TriangleBvh& region, double within) {
  const Vec3 &a = coarse.corner(t, 0), &b = coarse.corner(t, 1), &c = coarse.corner(t, 2);
  constexpr double kNear = 1.0 / 9, kFar = 1 - 2 * kNear, kHalf = (1 - kNear) / 2;
  for (const Vec3& w : {Vec3(kFar, kNear, kNear), Vec3(kNear, kFar, kNear), Vec3(kNear, kNear, kFar),
                        Vec3(kNear, kHalf, kHalf), Vec3(kHalf, kNear, kHalf), Vec3(kHalf, kHalf, kNear)}) {
    const Vec3 place = w.x() * a + w.y() * b + w.z() * c;
    if (region.closestPoint(place).squaredDistance > within * within) return false;
  }
  return true;
}

/// Samples count what is covered to about a tenth; where a triangle is covered as a whole it is known better.
void completeTriangles(CarriedRegion& region, const TriangleMesh& fine, Span<const int32_t> triangles,
                       const BemSurface& coarse, double edge, Context& context) {
  std::vector<Triangle> list;
  for (const int32_t t : triangles) list.push_back(fine.triangles[t]);
  const TriangleBvh tree(fine.points, list, context);
  parallelFor(context, coarse.triangleCount(), 16, [&](size_t t) {
    const double area = coarse.area(t);
    if (region.covered[t] > kHeldShare * area && isWhole(coarse, t, tree, kBeside * edge))
      region.covered[t] = area;
  });
}

/// Force, and moment about the region's centre, of tractions.
Eigen::Matrix<double, 6, 1> wrench(const CarriedRegion& region, const BemSurface& coarse,
                                   const std::vector<Vec3>& tractions) {
  Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
  for (size_t t = 0; t < tractions.size(); ++t) {
    if (tractions[t].isZero(0)) continue;
    const Vec3 force = coarse.area(t) * tractions[t];
    sum.head<3>() += force;
    sum.tail<3>() += (coarse.centroid(t) - region.centre).cross(force);
  }
  return sum;
}

}  // namespace

CarriedRegion carriedRegion(const TriangleMesh& fine, Span<const int32_t> triangles, const BemSurface& coarse,
                            const TriangleBvh& coarseTree, const std::function<bool(size_t)>& allowed,
                            Context& context) {
  double total = 0;
  for (size_t t = 0; t < coarse.triangleCount(); ++t) total += coarse.area(t);
  const double edge = std::sqrt(4 / std::sqrt(3.0) * total / static_cast<double>(coarse.triangleCount()));
  CarriedRegion region;
  addSamples(region, fine, triangles, kSpacing * edge);
  parallelFor(context, region.samples.size(), 256, [&](size_t i) {
    CarriedRegion::Sample& s = region.samples[i];
    s.target = targetOf(s.place, s.normal, coarse, coarseTree, edge, allowed);
  });
  region.covered.assign(coarse.triangleCount(), 0.0);
  for (const CarriedRegion::Sample& s : region.samples) {
    region.area += s.area;
    region.centre += s.area * s.place;
    if (s.target >= 0) region.covered[s.target] += s.area;
  }
  if (region.area > 0) region.centre /= region.area;
  completeTriangles(region, fine, triangles, coarse, edge, context);
  return region;
}

std::vector<Vec3> carriedTractions(const CarriedRegion& region, const BemSurface& coarse,
                                   const std::function<Vec3(const Vec3& normal)>& traction) {
  std::vector<Vec3> tractions(coarse.triangleCount(), Vec3::Zero());
  std::vector<double> sampled(coarse.triangleCount(), 0.0);  // m^2
  Eigen::Matrix<double, 6, 1> wanted = Eigen::Matrix<double, 6, 1>::Zero();
  for (const CarriedRegion::Sample& s : region.samples) {
    const Vec3 force = s.area * traction(s.normal);
    wanted.head<3>() += force;
    wanted.tail<3>() += (s.place - region.centre).cross(force);
    if (s.target < 0) continue;
    tractions[s.target] += force;
    sampled[s.target] += s.area;
  }
  for (size_t t = 0; t < tractions.size(); ++t)
    if (sampled[t] > 0) tractions[t] *= region.covered[t] / (sampled[t] * coarse.area(t));
  // Fields of rigid motions, weighted by how much of a triangle is covered.
  std::vector<double> weight(coarse.triangleCount(), 0.0);
  double extent = 0;
  for (size_t t = 0; t < weight.size(); ++t) {
    weight[t] = std::min(region.covered[t] / coarse.area(t), 1.0);
    if (weight[t] > 0) extent = std::max(extent, (coarse.centroid(t) - region.centre).norm());
  }
  if (!(extent > 0)) extent = std::sqrt(std::max(region.area, 1e-300));
  const auto field = [&](const Eigen::Matrix<double, 6, 1>& x, size_t t) -> Vec3 {
    const Vec3 arm = (coarse.centroid(t) - region.centre) / extent;
    return weight[t] * (x.head<3>() + x.tail<3>().cross(arm));
  };
  Eigen::Matrix<double, 6, 6> matrix;
  for (Eigen::Index k = 0; k < 6; ++k) {
    std::vector<Vec3> one(weight.size(), Vec3::Zero());
    for (size_t t = 0; t < one.size(); ++t)
      if (weight[t] > 0) one[t] = field(Eigen::Matrix<double, 6, 1>::Unit(k), t);
    matrix.col(k) = wrench(region, coarse, one);
    matrix.col(k).tail<3>() /= extent;
  }
  const Eigen::CompleteOrthogonalDecomposition<Eigen::Matrix<double, 6, 6>> solver(matrix);
  // A second round takes out what rounding left of the first.
  for (int round = 0; round < 2; ++round) {
    Eigen::Matrix<double, 6, 1> missing = wanted - wrench(region, coarse, tractions);
    missing.tail<3>() /= extent;
    const Eigen::Matrix<double, 6, 1> x = solver.solve(missing);
    for (size_t t = 0; t < tractions.size(); ++t)
      if (weight[t] > 0) tractions[t] += field(x, t);
  }
  return tractions;
}

std::vector<int32_t> carriedSupport(const CarriedRegion& region, const BemSurface& coarse) {
  const auto share = [&](int32_t t) { return region.covered[t] / coarse.area(static_cast<size_t>(t)); };
  std::vector<int32_t> list;
  for (int32_t t = 0; t < static_cast<int32_t>(region.covered.size()); ++t)
    if (region.covered[t] > 0) list.push_back(t);
  std::stable_sort(list.begin(), list.end(), [&](int32_t a, int32_t b) { return share(a) > share(b); });
  std::vector<int32_t> held;
  double area = 0;
  for (const int32_t t : list) {
    if (share(t) < kHeldShare && area >= region.area) break;
    if (share(t) < kHeldShare && !held.empty() && share(held.back()) >= kHeldShare) break;
    held.push_back(t);
    area += coarse.area(static_cast<size_t>(t));
  }
  std::sort(held.begin(), held.end());
  return held;
}

}  // namespace hackle
