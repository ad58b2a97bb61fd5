#include <hackle/fracture/crack/growth/split_surface.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace hackle {

namespace {

constexpr double kNear = 0.25;       // of an edge's length: its node moves onto the plane
constexpr double kCrease = 0.866;    // cosine between triangles beside an edge that is part of the shape
constexpr double kStraight = -0.99;  // cosine between the two parts of a crease along which nodes may move
constexpr double kLeastArea = 0.2;   // of a triangle's, after a node moved

double clampedHeight(double height, double scale) { return std::abs(height) <= 1e-9 * scale ? 0.0 : height; }

}  // namespace

SplitSurface::SplitSurface(const BemSurface& body, const BoundaryData& data) : mData(data) {
  for (size_t n = 0; n < body.nodeCount(); ++n) mPoints.push_back(body.point(n));
  for (size_t t = 0; t < body.triangleCount(); ++t) {
    mTriangles.push_back(body.triangle(t));
    mSource.push_back(static_cast<int32_t>(t));
    for (size_t k = 0; k < 3; ++k)
      mTriangleOf[{body.triangle(t)[k], body.triangle(t)[(k + 1) % 3]}] = static_cast<int32_t>(t);
  }
}

Vec3 SplitSurface::normal(size_t triangle) const {
  const Triangle& t = mTriangles[triangle];
  const Vec3& a = mPoints[t[0]];
  return (mPoints[t[1]] - a).cross(mPoints[t[2]] - a);
}

bool SplitSurface::crease(int32_t a, int32_t b) const {
  const auto one = mTriangleOf.find({a, b}), other = mTriangleOf.find({b, a});
  if (one == mTriangleOf.end() || other == mTriangleOf.end()) return true;
  const Vec3 m = normal(static_cast<size_t>(one->second)), n = normal(static_cast<size_t>(other->second));
  return m.dot(n) < kCrease * m.norm() * n.norm();
}

std::vector<int32_t> SplitSurface::around(int32_t node) const {
  std::vector<int32_t> others;
  for (auto it = mTriangleOf.lower_bound({node, 0}); it != mTriangleOf.end() && it->first[0] == node; ++it)
    others.push_back(it->first[1]);
  return others;
}

/// Whether the body keeps its shape, and triangles theirs, if a node moves along an edge.
bool SplitSurface::movable(int32_t node, int32_t towards, double t) const {
  const auto place = [&](int32_t n) { return mPoints[n]; };
  std::vector<int32_t> creases;
  for (const int32_t other : around(node))
    if (crease(node, other)) creases.push_back(other);
  if (!creases.empty()) {
    if (creases.size() != 2 || (creases[0] != towards && creases[1] != towards)) return false;
    const Vec3 a = (place(creases[0]) - place(node)).normalized(),
               b = (place(creases[1]) - place(node)).normalized();
    if (a.dot(b) > kStraight) return false;
  }
  const Vec3 to = (1 - t) * place(node) + t * place(towards);
  for (const int32_t other : around(node)) {
    const Triangle& triangle = mTriangles[mTriangleOf.at({node, other})];
    std::array<Vec3, 3> corners;
    for (size_t k = 0; k < 3; ++k) corners[k] = triangle[k] == node ? to : place(triangle[k]);
    const Vec3 before = normal(static_cast<size_t>(mTriangleOf.at({node, other})));
    const Vec3 after = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    if (after.dot(before) < kLeastArea * before.squaredNorm()) return false;
  }
  return true;
}

/// The node towards which a node is moved onto the shape, if it is close to it.
std::optional<int32_t> SplitSurface::wayOnto(const CutShape& shape, int32_t node,
                                             const std::vector<double>& heights) const {
  const double own = heights[node];
  std::optional<int32_t> best;
  double least = kNear;
  for (const int32_t other : around(node)) {
    if (own * heights[other] >= 0) continue;
    const double t = shape.crossing(mPoints[node], mPoints[other]);
    if (t >= least || !movable(node, other, t)) continue;
    least = t;
    best = other;
  }
  return best;
}

std::vector<std::array<int32_t, 2>> SplitSurface::cut(const CutShape& shape,
                                                      const std::vector<char>& touched) {
  std::vector<double> heights;
  double scale = 0;
  for (const Vec3& p : mPoints) scale = std::max(scale, (p - mPoints[0]).norm());
  for (const Vec3& p : mPoints) heights.push_back(clampedHeight(shape.height(p), scale));
  std::set<int32_t> nodes;
  for (size_t t = 0; t < touched.size(); ++t)
    if (touched[t]) nodes.insert(mTriangles[t].begin(), mTriangles[t].end());
  for (const int32_t node : nodes) {
    if (heights[node] == 0) continue;
    const std::optional<int32_t> way = wayOnto(shape, node, heights);
    if (!way) continue;
    const size_t a = static_cast<size_t>(node), b = static_cast<size_t>(*way);
    const double t = shape.crossing(mPoints[a], mPoints[b]);
    mPoints[a] += t * (mPoints[b] - mPoints[a]);
    mData.displacement[a] += t * (mData.displacement[b] - mData.displacement[a]);
    heights[a] = 0;
  }
  std::set<std::array<int32_t, 2>> across;
  for (size_t t = 0; t < touched.size(); ++t)
    for (size_t k = 0; k < 3 && touched[t]; ++k) {
      const int32_t a = mTriangles[t][k], b = mTriangles[t][(k + 1) % 3];
      if (heights[a] * heights[b] < 0) across.insert({std::min(a, b), std::max(a, b)});
    }
  for (const auto& [a, b] : across) {
    splitEdge(a, b, shape.crossing(mPoints[a], mPoints[b]));
    heights.push_back(0.0);
  }
  std::vector<std::array<int32_t, 2>> edges;
  for (const auto& [edge, triangle] : mTriangleOf) {
    const auto [a, b] = edge;
    if (a > b || heights[a] != 0 || heights[b] != 0) continue;
    const auto other = mTriangleOf.find({b, a});
    if (other == mTriangleOf.end()) continue;
    // Triangles within the shape count as above it.
    double sides[2] = {0, 0};
    for (const int32_t n : mTriangles[triangle]) sides[0] += heights[n];
    for (const int32_t n : mTriangles[other->second]) sides[1] += heights[n];
    if ((sides[0] >= 0) == (sides[1] >= 0)) continue;
    // Seen from outside, what is above an edge is to its left, and the body behind it.
    if (sides[0] >= 0) {
      edges.push_back({a, b});
    } else {
      edges.push_back({b, a});
    }
  }
  return edges;
}

int32_t SplitSurface::splitEdge(int32_t a, int32_t b, double t) {
  const int32_t node = static_cast<int32_t>(mPoints.size());
  const size_t i = static_cast<size_t>(a), j = static_cast<size_t>(b);
  mPoints.push_back((1 - t) * mPoints[i] + t * mPoints[j]);
  mData.displacement.push_back((1 - t) * mData.displacement[i] + t * mData.displacement[j]);
  const auto one = mTriangleOf.find({a, b}), other = mTriangleOf.find({b, a});
  const int32_t first = one != mTriangleOf.end() ? one->second : -1;
  const int32_t second = other != mTriangleOf.end() ? other->second : -1;
  if (first >= 0) splitTriangle(first, a, b, node);
  if (second >= 0) splitTriangle(second, b, a, node);
  return node;
}

void SplitSurface::splitTriangle(int32_t triangle, int32_t a, int32_t b, int32_t node) {
  Triangle& corners = mTriangles[triangle];
  int32_t c = -1;
  for (const int32_t n : corners)
    if (n != a && n != b) c = n;
  const int32_t added = static_cast<int32_t>(mTriangles.size());
  corners = {a, node, c};
  mTriangleOf.erase({a, b});
  mTriangleOf[{a, node}] = triangle;
  mTriangleOf[{node, c}] = triangle;
  mTriangleOf[{node, b}] = mTriangleOf[{b, c}] = mTriangleOf[{c, node}] = added;
  mTriangles.push_back({node, b, c});
  mSource.push_back(mSource[triangle]);
  mData.fixed.push_back(mData.fixed[triangle]);
  mData.traction.push_back(mData.traction[triangle]);
}

}  // namespace hackle
