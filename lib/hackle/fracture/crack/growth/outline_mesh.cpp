#include <hackle/fracture/crack/growth/outline_mesh.h>
#include <hackle/geometry/segment.h>
#include <hackle/meshing/surface/polygon_refinement.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

constexpr double kRow = 0.8;           // in edges, from the outline to the first row of points
constexpr double kApart = 0.6;         // at least between points
constexpr double kFromRow = 1.3;       // at least from the outline to the lattice
constexpr size_t kMostPoints = 20000;  // of the lattice

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

double distanceToOutline(const std::vector<Vec2>& outline, const Vec2& p) {
  double least = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < outline.size(); ++i)
    least = std::min(least, distanceToSegment(p, outline[i], outline[(i + 1) % outline.size()]));
  return least;
}

bool apart(const std::vector<Vec2>& points, const Vec2& p, double distance) {
  return std::all_of(points.begin(), points.end(), [&](const Vec2& q) { return (p - q).norm() >= distance; });
}

Vec2 middleOf(const std::vector<Vec2>& outline) {
  Vec2 sum = Vec2::Zero();
  for (size_t i = 0; i < outline.size(); ++i) {
    const Vec2 a = outline[i] - outline[0], b = outline[(i + 1) % outline.size()] - outline[0];
    sum += cross(a, b) * (a + b) / 3;
  }
  return outline[0] + sum / twiceArea(outline);
}

}  // namespace

double twiceArea(const std::vector<Vec2>& outline) {
  double sum = 0;
  for (size_t i = 0; i < outline.size(); ++i)
    sum += cross(outline[i] - outline[0], outline[(i + 1) % outline.size()] - outline[0]);
  return sum;
}

bool insideOutline(const std::vector<Vec2>& outline, const Vec2& p) {
  bool inside = false;
  for (size_t i = 0; i < outline.size(); ++i) {
    const Vec2 &a = outline[i], &b = outline[(i + 1) % outline.size()];
    if ((a.y() > p.y()) != (b.y() > p.y()) &&
        p.x() < a.x() + (p.y() - a.y()) / (b.y() - a.y()) * (b.x() - a.x()))
      inside = !inside;
  }
  return inside;
}

std::vector<Vec2> dividedOutline(const std::vector<Vec2>& outline, double edge) {
  std::vector<Vec2> result;
  for (size_t i = 0; i < outline.size(); ++i) {
    const Vec2 &a = outline[i], &b = outline[(i + 1) % outline.size()];
    const double length = (b - a).norm();
    const int parts = length > 1.4 * edge ? static_cast<int>(std::min(2000.0, std::round(length / edge))) : 1;
    for (int k = 0; k < parts; ++k) result.push_back(a + (b - a) * k / parts);
  }
  return result;
}

OutlineMesh meshOutline(const std::vector<Vec2>& outline, double edge) {
  std::vector<Vec2> inner;
  const size_t count = outline.size();
  for (size_t i = 0; i < count; ++i) {
    const Vec2 &a = outline[i], &b = outline[(i + 1) % count];
    const Vec2 along = (b - a).normalized();
    const Vec2 p = 0.5 * (a + b) + kRow * edge * Vec2(-along.y(), along.x());
    if (insideOutline(outline, p) && distanceToOutline(outline, p) > kApart * edge &&
        apart(inner, p, kApart * edge))
      inner.push_back(p);
  }
  const Vec2 middle = middleOf(outline);
  Vec2 low = outline[0], high = outline[0];
  for (const Vec2& p : outline) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const double height = edge * std::sqrt(0.75);
  const int rows = static_cast<int>((high - low).norm() / height) + 1;
  for (int j = -rows; j <= rows && inner.size() < kMostPoints; ++j)
    for (int i = -rows; i <= rows; ++i) {
      const Vec2 p = middle + Vec2((i + 0.5 * (j & 1)) * edge, j * height);
      if ((p.array() > low.array()).all() && (p.array() < high.array()).all() && insideOutline(outline, p) &&
          distanceToOutline(outline, p) > kFromRow * edge && apart(inner, p, kApart * edge))
        inner.push_back(p);
    }
  if (inner.empty() && insideOutline(outline, middle)) inner.push_back(middle);
  OutlineMesh mesh;
  mesh.triangles = triangulateWithPoints(outline, inner);
  mesh.points = outline;
  mesh.points.insert(mesh.points.end(), inner.begin(), inner.end());
  return mesh;
}

}  // namespace hackle
