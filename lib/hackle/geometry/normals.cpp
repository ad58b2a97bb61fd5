#include <hackle/geometry/normals.h>

#include <hackle/core/parallel.h>
#include <hackle/core/pi.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/union_find.h>

#include <cmath>

namespace hackle {

namespace {

constexpr size_t kGrain = 1 << 13;

/// Scaled first, so that tiny faces do not underflow. (Eigen's stableNorm depends on how memory is aligned.)
Vec3 unitOrZero(const Vec3& v) {
  const double largest = v.cwiseAbs().maxCoeff();
  return largest > 0 && std::isfinite(largest) ? Vec3(v / largest).normalized() : Vec3(0, 0, 0);
}

/// Angle of the polygon at a corner, 0 to 2 pi: more than pi where it is concave.
double cornerAngle(const Vec3& before, const Vec3& at, const Vec3& after, const Vec3& normal) {
  const Vec3 in = before - at, out = after - at;
  const double sine = out.cross(in).dot(normal), cosine = out.dot(in);
  if (sine == 0.0 && cosine == 0.0) return 0.0;
  const double angle = std::atan2(sine, cosine);
  return angle < 0 ? angle + 2 * kPi : angle;
}

/// Each face's normal at each of its vertices, as long as the face's angle there.
std::vector<Vec3> weightedCorners(const Geometry& geometry, const std::vector<Vec3>& normals,
                                  Context& context) {
  std::vector<Vec3> weighted(geometry.vertexCount(), Vec3::Zero());
  parallelFor(context, geometry.primitiveCount(), kGrain, [&](size_t p) {
    if (normals[p].isZero(0)) return;
    const Span<const int32_t> corners = geometry.corners(p);
    const auto position = [&](size_t c) { return geometry.position(static_cast<size_t>(corners[c])); };
    for (size_t c = 0; c < corners.size(); ++c) {
      const size_t before = c == 0 ? corners.size() - 1 : c - 1, after = c + 1 == corners.size() ? 0 : c + 1;
      weighted[geometry.firstVertex(p) + c] =
          normals[p] * cornerAngle(position(before), position(c), position(after), normals[p]);
    }
  });
  return weighted;
}

/// Vertices that share a normal: at one point, joined across edges that are not sharp.
UnionFind uniteSmooth(const Geometry& geometry, const std::vector<Vec3>& normals, double cuspAngle,
                      Context& context) {
  const EdgeTable table = findEdges(geometry, context);
  std::vector<int32_t> primitiveOf(geometry.vertexCount());
  parallelFor(context, geometry.primitiveCount(), kGrain, [&](size_t p) {
    for (size_t v = geometry.firstVertex(p); v < geometry.firstVertex(p + 1); ++v)
      primitiveOf[v] = static_cast<int32_t>(p);
  });
  const double minCosine = cuspAngle >= 180 ? -2.0 : std::cos(cuspAngle * kPi / 180) - 1e-12;
  std::vector<uint8_t> isSmooth(table.edges.size());
  const auto normalAt = [&](int32_t vertex) -> const Vec3& { return normals[primitiveOf[vertex]]; };
  parallelFor(context, table.edges.size(), kGrain, [&](size_t e) {
    const Span<const int32_t> around = table.halfEdgesOf(e);
    if (around.size() != 2) return;
    const bool opposite = geometry.vertexPoint(static_cast<size_t>(around[0])) !=
                          geometry.vertexPoint(static_cast<size_t>(around[1]));
    const Vec3 &a = normalAt(around[0]), &b = normalAt(around[1]);
    // A face without area has no say.
    isSmooth[e] = opposite && (a.isZero(0) || b.isZero(0) || a.dot(b) >= minCosine);
  });
  UnionFind sets(geometry.vertexCount());
  for (size_t e = 0; e < table.edges.size(); ++e) {
    if (!isSmooth[e]) continue;
    const Span<const int32_t> around = table.halfEdgesOf(e);
    sets.unite(around[0], table.next[around[1]]);
    sets.unite(around[1], table.next[around[0]]);
  }
  return sets;
}

}  // namespace

std::vector<Vec3> faceNormals(const Geometry& geometry, Context& context) {
  std::vector<Vec3> normals(geometry.primitiveCount(), Vec3::Zero());
  parallelFor(context, geometry.primitiveCount(), kGrain, [&](size_t p) {
    if (geometry.primitiveType(p) != PrimitiveType::Polygon) return;
    const Span<const int32_t> corners = geometry.corners(p);
    if (corners.size() < 3) return;
    const auto position = [&](size_t c) { return geometry.position(static_cast<size_t>(corners[c])); };
    const Vec3 origin = position(0);
    Vec3 sum = Vec3::Zero();
    for (size_t c = 1; c + 1 < corners.size(); ++c)
      sum += (position(c) - origin).cross(position(c + 1) - origin);
    normals[p] = unitOrZero(sum);
  });
  return normals;
}

std::vector<Vec3> pointNormals(const Geometry& geometry, Context& context) {
  const std::vector<Vec3> weighted = weightedCorners(geometry, faceNormals(geometry, context), context);
  std::vector<Vec3> sums(geometry.pointCount(), Vec3::Zero());
  for (size_t v = 0; v < weighted.size(); ++v) sums[geometry.vertexPoint(v)] += weighted[v];
  parallelFor(context, sums.size(), kGrain, [&](size_t p) { sums[p] = unitOrZero(sums[p]); });
  return sums;
}

std::vector<Vec3> vertexNormals(const Geometry& geometry, double cuspAngle, Context& context) {
  const std::vector<Vec3> normals = faceNormals(geometry, context);
  UnionFind sets = uniteSmooth(geometry, normals, cuspAngle, context);
  std::vector<Vec3> sums(geometry.vertexCount(), Vec3::Zero());
  std::vector<int32_t> setOf(geometry.vertexCount());
  {
    const std::vector<Vec3> weighted = weightedCorners(geometry, normals, context);
    for (size_t v = 0; v < weighted.size(); ++v) {
      setOf[v] = sets.find(static_cast<int32_t>(v));
      sums[setOf[v]] += weighted[v];
    }
  }

  std::vector<Vec3> result(geometry.vertexCount(), Vec3::Zero());
  parallelFor(context, geometry.primitiveCount(), kGrain, [&](size_t p) {
    if (geometry.primitiveType(p) != PrimitiveType::Polygon) return;
    for (size_t v = geometry.firstVertex(p); v < geometry.firstVertex(p + 1); ++v) {
      const Vec3 smooth = unitOrZero(sums[setOf[v]]);
      result[v] = smooth.isZero(0) ? normals[p] : smooth;
    }
  });
  return result;
}

}  // namespace hackle
