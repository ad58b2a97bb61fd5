#include <hackle/fracture/proxies.h>

#include <hackle/core/parallel.h>
#include <hackle/meshing/surface/convex_hull.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

namespace {

/// Primitives by piece, ascending in each.
struct PrimitivesByPiece {
  std::vector<int32_t> starts, primitives;

  explicit PrimitivesByPiece(const FracturePieces& pieces)
      : starts(pieces.names.size() + 1, 0), primitives(pieces.primitivePiece.size()) {
    for (const int32_t piece : pieces.primitivePiece) ++starts[piece + 1];
    for (size_t p = 1; p < starts.size(); ++p) starts[p] += starts[p - 1];
    std::vector<int32_t> next(starts.begin(), starts.end() - 1);
    for (size_t f = 0; f < primitives.size(); ++f)
      primitives[next[pieces.primitivePiece[f]]++] = static_cast<int32_t>(f);
  }
};

std::vector<ConvexHull> hullsOf(const FracturePieces& pieces, double shrink, Context& context) {
  const PrimitivesByPiece byPiece(pieces);
  // Pieces share no points: each thread marks those of its own.
  std::vector<uint8_t> seen(pieces.geometry.pointCount(), 0);
  std::vector<ConvexHull> hulls(pieces.names.size());
  parallelFor(context, hulls.size(), 4, [&](size_t p) {
    std::vector<Vec3> corners;
    for (int32_t k = byPiece.starts[p]; k < byPiece.starts[p + 1]; ++k)
      for (const int32_t point : pieces.geometry.corners(static_cast<size_t>(byPiece.primitives[k]))) {
        if (seen[point]) continue;
        seen[point] = 1;
        corners.push_back(pieces.geometry.position(static_cast<size_t>(point)));
      }
    hulls[p] = shrunkHull(convexHull(corners), shrink);
  });
  return hulls;
}

}  // namespace

Geometry convexProxies(const FracturePieces& pieces, double shrink, Context& context) {
  const std::vector<ConvexHull> hulls = hullsOf(pieces, shrink, context);
  size_t flat = 0;
  std::vector<size_t> firstPoint{0}, firstTriangle{0};
  for (const ConvexHull& hull : hulls) {
    flat += hull.empty() ? 1 : 0;
    firstPoint.push_back(firstPoint.back() + hull.points.size());
    firstTriangle.push_back(firstTriangle.back() + hull.triangles.size());
  }
  if (flat > 0) context.warn(fmt::format("{} pieces are too flat for a convex proxy", flat));
  std::vector<Vec3> points(firstPoint.back());
  std::vector<int32_t> corners(3 * firstTriangle.back()), owners(firstTriangle.back());
  parallelFor(context, hulls.size(), 64, [&](size_t p) {
    std::copy(hulls[p].points.begin(), hulls[p].points.end(),
              points.begin() + static_cast<std::ptrdiff_t>(firstPoint[p]));
    for (size_t t = 0; t < hulls[p].triangles.size(); ++t) {
      for (size_t k = 0; k < 3; ++k)
        corners[3 * (firstTriangle[p] + t) + k] =
            static_cast<int32_t>(firstPoint[p]) + hulls[p].triangles[t][k];
      owners[firstTriangle[p] + t] = static_cast<int32_t>(p);
    }
  });
  Geometry proxies;
  proxies.addPoints(points.size());
  proxies.editPositions() = std::move(points);
  proxies.addPrimitives(PrimitiveType::Polygon, std::vector<int32_t>(owners.size(), 3), corners);
  proxies.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1))
      .assignStrings({pieces.names, owners});
  return proxies;
}

}  // namespace hackle
