#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/cut_shape.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kFlat = 1e-3;        // of a sheet's size, how far planar ones may be off
constexpr double kFacing = 0.2;       // least cosine between the normal of a part and the mean one
constexpr double kCorner = 0.8;       // cosine of the turn of a rim at a corner
constexpr int kMostRefinements = 60;  // of a crossing

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

/// Whether the segments pq and ab have a point in common that is inside of both.
bool segmentsCross(const Vec2& p, const Vec2& q, const Vec2& a, const Vec2& b) {
  return cross(q - p, a - p) * cross(q - p, b - p) < 0 && cross(b - a, p - a) * cross(b - a, q - a) < 0;
}

bool simple(const std::vector<Vec2>& outline) {
  const size_t count = outline.size();
  for (size_t i = 0; i < count; ++i)
    for (size_t j = i + 2; j < count; ++j)
      if (segmentsCross(outline[i], outline[i + 1], outline[j], outline[(j + 1) % count])) return false;
  return true;
}

}  // namespace

CutShape::CutShape(const InitialSheet& sheet, const std::vector<Vec3>& rim, const std::string& name,
                   Context& context) {
  Vec3 normal = Vec3::Zero();
  for (size_t i = 0; i < rim.size(); ++i) {
    normal += (rim[i] - rim[0]).cross(rim[(i + 1) % rim.size()] - rim[0]);
    mOrigin += rim[i] / static_cast<double>(rim.size());
  }
  if (!(normal.norm() > 0))
    throw Error(ErrorCode::BadInput, name + " reaches out of the solid and its rim encloses no area",
                "give an open sheet");
  mNormal = normal.normalized();
  const Vec3 first = rim[0] - mOrigin;
  mU = (first - first.dot(mNormal) * mNormal).normalized();
  mV = mNormal.cross(mU);
  double size = 0, off = 0;
  for (const Vec3& p : rim) size = std::max(size, (p - mOrigin).norm());
  for (const Vec3& p : sheet.points) off = std::max(off, std::abs((p - mOrigin).dot(mNormal)));
  if (off <= kFlat * size) return;
  checkVisible(sheet, rim, name);
  mTriangles = sheet.triangles;
  std::vector<Vec3> flattened;
  for (const Vec3& p : sheet.points) {
    const Vec2 q = project(p);
    mHeights.push_back((p - mOrigin).dot(mNormal));
    flattened.emplace_back(q.x(), q.y(), 0.0);
  }
  mTree.emplace(flattened, mTriangles, context);
}

void CutShape::checkVisible(const InitialSheet& sheet, const std::vector<Vec3>& rim,
                            const std::string& name) const {
  const std::string remedy = "give one that is bent less, or divide it into several";
  for (const Triangle& t : sheet.triangles) {
    const Vec3& a = sheet.points[t[0]];
    const Vec3 n = (sheet.points[t[1]] - a).cross(sheet.points[t[2]] - a);
    if (n.dot(mNormal) < kFacing * n.norm())
      throw Error(ErrorCode::BadInput,
                  name + " reaches out of the solid and is bent by more than 78 degrees from its mean plane",
                  remedy);
  }
  std::vector<Vec2> outline;
  for (const Vec3& p : rim) outline.push_back(project(p));
  if (!simple(outline))
    throw Error(ErrorCode::BadInput, name + " reaches out of the solid and is wound over itself", remedy);
}

Vec3 CutShape::lift(const Vec2& p) const {
  Vec3 q = mOrigin + p.x() * mU + p.y() * mV;
  if (mTree) q -= height(q) * mNormal;
  return q;
}

double CutShape::height(const Vec3& p) const {
  double h = (p - mOrigin).dot(mNormal);
  if (!mTree) return h;
  const Vec2 q = project(p);
  const ClosestPoint at = mTree->closestPoint(Vec3(q.x(), q.y(), 0));
  for (size_t k = 0; k < 3; ++k) h -= at.barycentric[k] * mHeights[mTriangles[at.triangle][k]];
  return h;
}

double CutShape::crossing(const Vec3& a, const Vec3& b) const {
  double low = 0, high = 1, below = height(a), above = height(b);
  double t = below / (below - above);
  if (!mTree) return t;
  // False position; an end that stays twice gets half its weight (the Illinois rule).
  int stays = 0;
  for (int i = 0; i < kMostRefinements; ++i) {
    const double h = height(a + t * (b - a));
    if (h == 0 || high - low < 1e-14) break;
    if ((h < 0) == (below < 0)) {
      low = t;
      below = h;
      if (stays == 1) above /= 2;
      stays = 1;
    } else {
      high = t;
      above = h;
      if (stays == -1) below /= 2;
      stays = -1;
    }
    const double next = (low * above - high * below) / (above - below);
    if (next == t) break;
    t = next;
  }
  return t;
}

std::vector<Vec3> evenRim(const std::vector<Vec3>& rim, double edge) {
  const size_t count = rim.size();
  std::vector<size_t> corners;
  for (size_t i = 0; i < count; ++i) {
    const Vec3 in = (rim[i] - rim[(i + count - 1) % count]).normalized(),
               out = (rim[(i + 1) % count] - rim[i]).normalized();
    if (in.dot(out) < kCorner) corners.push_back(i);
  }
  if (corners.empty()) corners.push_back(0);
  std::vector<Vec3> result;
  for (size_t c = 0; c < corners.size(); ++c) {
    const size_t begin = corners[c], end = corners[(c + 1) % corners.size()];
    std::vector<Vec3> way{rim[begin]};
    std::vector<double> length{0.0};
    for (size_t i = (begin + 1) % count;; i = (i + 1) % count) {
      length.push_back(length.back() + (rim[i] - way.back()).norm());
      way.push_back(rim[i]);
      if (i == end) break;
    }
    const size_t least = corners.size() == 1 ? 6 : 1;
    const size_t parts =
        std::max(least, static_cast<size_t>(std::min(2000.0, std::round(length.back() / edge))));
    size_t at = 0;
    for (size_t k = 0; k < parts; ++k) {
      const double s = length.back() * static_cast<double>(k) / static_cast<double>(parts);
      while (at + 2 < way.size() && length[at + 1] <= s) ++at;
      const double span = length[at + 1] - length[at], t = span > 0 ? (s - length[at]) / span : 0.0;
      result.push_back((1 - t) * way[at] + t * way[at + 1]);
    }
  }
  return result;
}

}  // namespace hackle
