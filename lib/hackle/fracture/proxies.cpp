#include <hackle/fracture/proxies.h>

#include <hackle/core/parallel.h>
#include <hackle/meshing/surface/convex_hull.h>

#include <fmt/format.h>

#include <algorithm>

namespace hackle {

Geometry convexProxies(const FracturePieces& pieces, double shrink, Context& context) {
  // Points of a piece stand together, in the order of pieces.
  std::vector<std::vector<Vec3>> corners(pieces.names.size());
  std::vector<uint8_t> seen(pieces.geometry.pointCount(), 0);
  for (size_t f = 0; f < pieces.geometry.primitiveCount(); ++f)
    for (const int32_t p : pieces.geometry.corners(f)) {
      if (seen[p]++) continue;
      corners[pieces.primitivePiece[f]].push_back(pieces.geometry.position(static_cast<size_t>(p)));
    }
  std::vector<ConvexHull> hulls(corners.size());
  parallelFor(context, hulls.size(), 4,
              [&](size_t p) { hulls[p] = shrunkHull(convexHull(corners[p]), shrink); });

  std::vector<Vec3> points;
  std::vector<int32_t> triangles, owners;
  size_t flat = 0;
  for (size_t p = 0; p < hulls.size(); ++p) {
    flat += hulls[p].empty() ? 1 : 0;
    const int32_t first = static_cast<int32_t>(points.size());
    points.insert(points.end(), hulls[p].points.begin(), hulls[p].points.end());
    for (const Triangle& t : hulls[p].triangles) {
      for (const int32_t corner : t) triangles.push_back(first + corner);
      owners.push_back(static_cast<int32_t>(p));
    }
  }
  if (flat > 0) context.warn(fmt::format("{} pieces are too flat for a convex proxy", flat));
  Geometry proxies;
  proxies.addPoints(points.size());
  proxies.editPositions() = std::move(points);
  proxies.addPrimitives(PrimitiveType::Polygon, std::vector<int32_t>(owners.size(), 3), triangles);
  proxies.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1))
      .assignStrings({pieces.names, owners});
  return proxies;
}

}  // namespace hackle
