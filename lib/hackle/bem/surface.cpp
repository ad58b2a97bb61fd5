#include <hackle/bem/surface.h>

#include <hackle/core/error.h>

#include <cstring>

namespace hackle {

namespace {

constexpr const char* kRemedy = "repair the surface first (operator repair), or decimate it";

std::array<double, 3> key(const Vec3& p) {
  return {p.x() + 0.0, p.y() + 0.0, p.z() + 0.0};  // turns -0 into 0
}

}  // namespace

size_t BemSurface::PointHash::operator()(const std::array<double, 3>& p) const {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (double c : p) {
    uint64_t bits;
    std::memcpy(&bits, &c, sizeof bits);
    hash = (hash ^ bits) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return static_cast<size_t>(hash);
}

BemSurface::BemSurface(const TriangleMesh& mesh) {
  append({mesh.points.data(), mesh.points.size()}, {mesh.triangles.data(), mesh.triangles.size()});
}

BemSurface::Shape BemSurface::shapeOf(const Triangle& corners, size_t index, Span<const Vec3> more) const {
  // Fetch the corners
  const size_t old = mPoints.size();
  Vec3 p[3];
  for (size_t v = 0; v < 3; ++v) {
    const size_t node = static_cast<size_t>(corners[v]);
    if (corners[v] < 0 || node >= old + more.size())
      throw Error(ErrorCode::BadInput,
                  fmt::format("triangle {} uses point {}, which does not exist", index, corners[v]));
    p[v] = node < old ? mPoints[node] : more[node - old];
    if (!p[v].allFinite())
      throw Error(ErrorCode::BadInput, fmt::format("triangle {} has a corner that is not finite", index),
                  kRemedy);
  }

  // Measure; the shortest two edges give the area with the least cancellation
  Shape s;
  const Vec3 edges[3] = {p[2] - p[1], p[0] - p[2], p[1] - p[0]};
  size_t longest = 0;
  for (size_t v = 1; v < 3; ++v)
    if (edges[v].squaredNorm() > edges[longest].squaredNorm()) longest = v;
  const Vec3 twice = edges[(longest + 1) % 3].cross(edges[(longest + 2) % 3]);
  const double length = twice.norm();
  s.size = edges[longest].norm();
  if (!(length > 1e-12 * s.size * s.size) || !std::isnormal(length))
    throw Error(
        ErrorCode::BadInput,
        fmt::format("triangle {} has no area (points {}, {}, {})", index, corners[0], corners[1], corners[2]),
        kRemedy);
  s.normal = twice / length;
  s.area = 0.5 * length;
  s.centroid = p[0] + (edges[2] - edges[1]) / 3;
  s.radius = 0;
  for (size_t v = 0; v < 3; ++v) s.radius = std::max(s.radius, (p[v] - s.centroid).norm());

  // n × (n × e) / 2A = -e / 2A
  for (size_t v = 0; v < 3; ++v) s.curls[v] = -edges[v] / length;
  return s;
}

void BemSurface::append(Span<const Vec3> points, Span<const Triangle> triangles) {
  // Check everything before anything changes
  std::vector<Shape> shapes;
  shapes.reserve(triangles.size());
  for (size_t t = 0; t < triangles.size(); ++t)
    shapes.push_back(shapeOf(triangles[t], mTriangles.size() + t, points));

  for (const Vec3& p : points) {
    const int32_t node = static_cast<int32_t>(mPoints.size());
    mPoints.push_back(p);
    mSites.push_back(mSiteOf.emplace(key(p), node).first->second);
  }
  mTriangles.insert(mTriangles.end(), triangles.begin(), triangles.end());
  mShapes.insert(mShapes.end(), shapes.begin(), shapes.end());
  indexCorners();
}

void BemSurface::indexCorners() {
  mFirstCorner.assign(mPoints.size() + 1, 0);
  for (const Triangle& t : mTriangles)
    for (int32_t node : t) ++mFirstCorner[node + 1];
  for (size_t i = 0; i < mPoints.size(); ++i) mFirstCorner[i + 1] += mFirstCorner[i];
  mCorners.resize(3 * mTriangles.size());
  std::vector<size_t> next(mFirstCorner.begin(), mFirstCorner.end() - 1);
  for (size_t t = 0; t < mTriangles.size(); ++t)
    for (size_t v = 0; v < 3; ++v)
      mCorners[next[mTriangles[t][v]]++] = {static_cast<int32_t>(t), static_cast<int32_t>(v)};
}

std::array<Vec3, 3> BemSurface::gradients(size_t t) const {
  const Shape& s = mShapes[t];
  return {s.curls[0].cross(s.normal), s.curls[1].cross(s.normal), s.curls[2].cross(s.normal)};
}

SharedCorners sharedCorners(const BemSurface& surface, size_t f, size_t g) {
  SharedCorners shared;
  const Triangle& a = surface.triangle(f);
  const Triangle& b = surface.triangle(g);
  bool usedA[3] = {}, usedB[3] = {};
  for (size_t i = 0; i < 3; ++i)
    for (size_t j = 0; j < 3; ++j) {
      if (usedA[i] || usedB[j]) continue;
      if (surface.site(static_cast<size_t>(a[i])) != surface.site(static_cast<size_t>(b[j]))) continue;
      shared.first[shared.count] = static_cast<int>(i);
      shared.second[shared.count++] = static_cast<int>(j);
      usedA[i] = usedB[j] = true;
    }
  if (shared.count == 0) return shared;
  const auto fill = [&](std::array<int, 3>& order, const bool* used) {
    size_t next = static_cast<size_t>(shared.count);
    for (int step = 1; step < 3; ++step) {
      const int corner = (order[0] + step) % 3;
      if (!used[corner]) order[next++] = corner;
    }
  };
  fill(shared.first, usedA);
  fill(shared.second, usedB);
  return shared;
}

}  // namespace hackle
