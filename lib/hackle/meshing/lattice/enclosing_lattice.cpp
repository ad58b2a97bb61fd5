#include <hackle/meshing/lattice/enclosing_lattice.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_distance.h>
#include <hackle/geometry/winding_number.h>
#include <hackle/meshing/lattice/tet_locator.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

constexpr double kSureOffset = 1.4;       // cubes, see the header
constexpr double kWindingAccuracy = 1.2;  // only whether it is above 1/2 matters: an error of 0.1 is small

TriangleCorners cornersOf(Span<const Vec3> points, const Triangle& t) {
  return {points[t[0]], points[t[1]], points[t[2]]};
}

bool isFinite(const TriangleCorners& t) { return t[0].allFinite() && t[1].allFinite() && t[2].allFinite(); }

double leastOf(double a, double b) { return std::min(a, b); }

/// Smallest distance of the boundary from the triangles; 0 if they cross.
double boundaryDistance(const TetLattice& lattice, const TriangleMesh& soup, const TriangleBvh& tree,
                        Context& context) {
  constexpr size_t kGrain = 64;
  const double far = std::numeric_limits<double>::infinity();
  const auto distanceAt = [&](const Vec3& p) { return std::sqrt(tree.closestPoint(p).squaredDistance); };
  // No corner of the boundary is nearer than this; only triangles within it can be.
  const double bound = parallelReduce(
      context, lattice.points.size(), kGrain, far,
      [&](size_t begin, size_t end) {
        double least = far;
        for (size_t p = begin; p < end; ++p)
          if (lattice.onSurface[p]) least = std::min(least, distanceAt(lattice.points[p]));
        return least;
      },
      leastOf);
  return parallelReduce(
      context, lattice.boundary.size(), kGrain, bound,
      [&](size_t begin, size_t end) {
        double least = bound;
        for (size_t i = begin; i < end; ++i) {
          const TriangleCorners face = cornersOf(lattice.points, lattice.boundary[i]);
          const Vec3 centre = (face[0] + face[1] + face[2]) / 3.0;
          double radius = 0;
          Box3 box;
          for (const Vec3& p : face) {
            radius = std::max(radius, (p - centre).norm());
            box.add(p);
          }
          if (distanceAt(centre) > radius + least) continue;
          box.min -= Vec3::Constant(least);
          box.max += Vec3::Constant(least);
          for (const int32_t t : tree.trianglesNear(box)) {
            const TriangleCorners other = cornersOf(soup.points, soup.triangles[t]);
            if (planeSeparation(face, other) < least)
              least = std::min(least, std::sqrt(squaredTriangleDistance(face, other)));
          }
        }
        return least;
      },
      leastOf);
}

/// With the boundary away from all triangles, each lies inside if one of its points does.
bool cornersInside(const TetLattice& lattice, const TriangleMesh& soup, Context& context) {
  const TetLocator locator(lattice.points, lattice.tetrahedra, context);
  const size_t outside = parallelReduce(
      context, soup.triangles.size(), 1024, size_t{0},
      [&](size_t begin, size_t end) {
        size_t count = 0;
        for (size_t t = begin; t < end; ++t) {
          const TriangleCorners corners = cornersOf(soup.points, soup.triangles[t]);
          count += isFinite(corners) && !locator.find(corners[0]);
        }
        return count;
      },
      [](size_t x, size_t y) { return x + y; });
  return outside == 0;
}

std::optional<double> clearanceOf(const TetLattice& lattice, const TriangleMesh& soup,
                                  const TriangleBvh& tree, Context& context) {
  const double distance = boundaryDistance(lattice, soup, tree, context);
  if (!(distance > 1e-9 * tree.bounds().diagonal()) || !cornersInside(lattice, soup, context))
    return std::nullopt;
  return distance;
}

double chosenCellSize(const Box3& bounds, const EnclosingOptions& options) {
  if (options.cellSize) return *options.cellSize;
  if (!(options.cells > 0)) throw Error(ErrorCode::Usage, "cage: the number of cells is not positive");
  const double longest = bounds.size().maxCoeff();
  return longest > 0 ? longest / options.cells : 1.0;  // a point gets a cage of any size
}

}  // namespace

std::optional<double> enclosingClearance(const TetLattice& lattice, const TriangleMesh& soup,
                                         Context& context) {
  return clearanceOf(lattice, soup, TriangleBvh(soup, context), context);
}

EnclosingLattice enclosingLattice(const TriangleMesh& soup, const EnclosingOptions& options,
                                  Context& context) {
  const TriangleBvh tree(soup, context);
  if (tree.empty()) throw Error(ErrorCode::BadInput, "cage: there are no triangles to enclose");
  const WindingNumber winding(tree, context);
  EnclosingLattice result;
  result.cellSize = chosenCellSize(tree.bounds(), options);
  const double sure = kSureOffset * result.cellSize;
  result.offset = options.offset.value_or(0.25 * result.cellSize);
  if (!(result.offset > 0))
    throw Error(ErrorCode::Usage, fmt::format("cage: an offset of {} m is not positive", result.offset));

  LatticeOptions lattice;
  lattice.cellSize = result.cellSize;
  lattice.interiorSize = options.interiorSize;
  lattice.fillCavities = options.fillCavities;
  while (true) {
    ++result.rounds;
    SolidField solid;
    solid.bounds = tree.bounds();
    solid.bounds.min -= Vec3::Constant(result.offset);
    solid.bounds.max += Vec3::Constant(result.offset);
    // Beyond two cubes only the sign matters.
    const double far = result.offset + 2.0 * result.cellSize;
    solid.value = [&](const Vec3& p) {
      const ClosestPoint closest = tree.closestPoint(p, far);
      const double distance = closest.triangle < 0 ? far : std::sqrt(closest.squaredDistance);
      if (distance < result.offset) return distance - result.offset;
      return (std::abs(winding(p, kWindingAccuracy)) > 0.5 ? -distance : distance) - result.offset;
    };
    result.lattice = stuffLattice(solid, lattice, context);
    Context::Stage stage(context, "prove");
    if (const std::optional<double> clearance = clearanceOf(result.lattice, soup, tree, context)) {
      result.clearance = *clearance;
      return result;
    }
    // Beyond the sure offset only rounding, of an input far smaller than its distance from the origin, is
    // left.
    if (result.offset >= sure)
      throw Error(ErrorCode::Failed,
                  fmt::format("cage: no offset up to {:.4g} m encloses the input", result.offset),
                  "move the input to the origin, or use larger cells");
    result.offset = std::min(1.5 * result.offset, sure);
  }
}

EnclosingLattice enclosingLatticeOfSize(const TriangleMesh& soup, size_t tetrahedra, bool fillCavities,
                                        Context& context) {
  EnclosingOptions options;
  options.fillCavities = fillCavities;
  Box3 bounds;
  for (const Vec3& p : soup.points) bounds.add(p);
  const Vec3 size = bounds.size().cwiseMax(Vec3::Constant(1e-2 * bounds.diagonal()));
  const double wanted = static_cast<double>(tetrahedra);
  double cell =
      std::cbrt(12 * 0.4 * size.prod() / wanted);  // twelve tetrahedra a cube; 0.4 of the box is full
  double tooFine = 0, tooCoarse = std::numeric_limits<double>::infinity();
  EnclosingLattice best;
  double leastOff = std::numeric_limits<double>::infinity();
  for (int round = 0; round < 7 && leastOff > 0.12; ++round) {
    options.cellSize = cell;
    EnclosingLattice made = enclosingLattice(soup, options, context);
    const double ratio = static_cast<double>(made.lattice.tetrahedra.size()) / wanted;
    (ratio > 1 ? tooFine : tooCoarse) = cell;
    double next = cell * std::clamp(std::pow(ratio, 1.0 / 2.7), 0.5, 2.0);
    if (!(next > tooFine && next < tooCoarse)) next = std::sqrt(tooFine * tooCoarse);
    cell = next;
    if (std::abs(std::log(ratio)) >= leastOff) continue;
    leastOff = std::abs(std::log(ratio));
    best = std::move(made);
  }
  return best;
}

}  // namespace hackle
