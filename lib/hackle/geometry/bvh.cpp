#include <hackle/geometry/bvh.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh_build.h>
#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

constexpr size_t kGrain = 1 << 14;

float roundedDown(double v) { return std::nextafterf(static_cast<float>(v), -INFINITY); }
float roundedUp(double v) { return std::nextafterf(static_cast<float>(v), INFINITY); }

/// A point as single-precision bounds on its coordinates.
struct PointBounds {
  float low[3], high[3];

  explicit PointBounds(const Vec3& p) {
    for (int a = 0; a < 3; ++a) {
      low[a] = roundedDown(p[a]);
      high[a] = roundedUp(p[a]);
    }
  }
  /// Lower bounds on the squared distances to a node's four boxes.
  void squaredDistances(const BvhWideNode& node, float* distances) const {
    for (int i = 0; i < 4; ++i) distances[i] = 0.0f;
    for (int a = 0; a < 3; ++a)
      for (int i = 0; i < 4; ++i) {
        const float below = node.min[a][i] - high[a], above = low[a] - node.max[a][i];
        const float outside = std::max(std::max(below, above), 0.0f);
        distances[i] += outside * outside;
      }
    constexpr float kRounding = 1 - 0x1p-20f;
    for (int i = 0; i < 4; ++i)
      distances[i] = std::min(distances[i] * kRounding, std::numeric_limits<float>::max());
  }
};

/// Children that are still to be visited. The nearest comes out first.
template <class Key>
class Stack {
 public:
  struct Entry {
    Key key;
    int32_t first, count;
  };
  bool empty() const { return mSize == 0; }
  Entry pop() { return mEntries[--mSize]; }
  void push(const Entry& entry) { mEntries[mSize++] = entry; }
  /// Sorts the entries from `bottom` up, so that the smallest key is on top.
  void sortFrom(size_t bottom) {
    for (size_t i = bottom + 1; i < mSize; ++i)
      for (size_t j = i; j > bottom && mEntries[j - 1].key < mEntries[j].key; --j)
        std::swap(mEntries[j - 1], mEntries[j]);
  }
  size_t size() const { return mSize; }

 private:
  std::array<Entry, 4 * kMaxBvhDepth> mEntries;
  size_t mSize = 0;
};

/// Nearest point of a triangle as weights of its corners.
class NearestWeights {
 public:
  NearestWeights(const Vec3& query, const Vec3& a, const Vec3& b, const Vec3& c) : mQuery(query) {
    const Vec3 ab = b - a, ac = c - a, aq = query - a;
    const Vec3 normal = ab.cross(ac);
    const double area = normal.squaredNorm();
    const double ofB = aq.cross(ac).dot(normal), ofC = ab.cross(aq).dot(normal), ofA = area - ofB - ofC;
    // A triangle too thin for its plane to be known is all outline.
    const bool flat = !(area > 1e-16 * ab.squaredNorm() * ac.squaredNorm());
    if (!flat && ofA >= 0 && ofB >= 0 && ofC >= 0) {
      weights = Vec3(ofA, ofB, ofC) / area;
      return;
    }
    // The nearest point lies on an edge that the query is outside of.
    if (flat || ofC < 0) tryEdge(a, b, 0, 1);
    if (flat || ofA < 0) tryEdge(b, c, 1, 2);
    if (flat || ofB < 0) tryEdge(c, a, 2, 0);
  }
  Vec3 weights = Vec3::UnitX();

 private:
  void tryEdge(const Vec3& p, const Vec3& q, int ip, int iq) {
    const Vec3 d = q - p;
    const double length = d.squaredNorm();
    const double t = length > 0 ? std::clamp((mQuery - p).dot(d) / length, 0.0, 1.0) : 0.0;
    const double distance = (p + t * d - mQuery).squaredNorm();
    if (!(distance < mBest)) return;
    mBest = distance;
    weights = Vec3::Zero();
    weights[ip] = 1 - t;
    weights[iq] = t;
  }
  const Vec3& mQuery;
  double mBest = std::numeric_limits<double>::infinity();
};

/// A ray with what box and triangle tests want to have at hand: the axes permuted so that the direction is
/// mainly along the last, and the shear that makes it exactly so.
struct PreparedRay {
  Vec3 origin, inverse;
  int kx, ky, kz;
  double sx, sy, sz;
  double tMin, tMax;

  PreparedRay(const Ray& ray, const Vec3& shift)
      : origin(ray.origin - shift), tMin(ray.tMin), tMax(ray.tMax) {
    const Vec3& d = ray.direction;
    inverse = d.cwiseInverse();
    d.cwiseAbs().maxCoeff(&kz);
    kx = (kz + 1) % 3;
    ky = (kx + 1) % 3;
    if (d[kz] < 0) std::swap(kx, ky);
    sx = d[kx] / d[kz];
    sy = d[ky] / d[kz];
    sz = 1.0 / d[kz];
  }
  bool valid() const {
    return origin.allFinite() && std::isfinite(sz) && std::isfinite(sx) && std::isfinite(sy);
  }

  /// Entry into each of a node's boxes, or infinity where it is missed. NaN (0 times infinity) never decides.
  void entries(const BvhWideNode& node, double* entry) const {
    double enter[4], leave[4];
    for (int i = 0; i < 4; ++i) {
      enter[i] = tMin;
      leave[i] = tMax;
    }
    for (int a = 0; a < 3; ++a)
      for (int i = 0; i < 4; ++i) {
        const double t0 = (static_cast<double>(node.min[a][i]) - origin[a]) * inverse[a];
        const double t1 = (static_cast<double>(node.max[a][i]) - origin[a]) * inverse[a];
        const double low = t0 < t1 ? t0 : t1, high = t0 < t1 ? t1 : t0;
        enter[i] = low > enter[i] ? low : enter[i];
        leave[i] = high < leave[i] ? high : leave[i];
      }
    constexpr double kRounding = 1 + 1e-14;
    for (int i = 0; i < 4; ++i)
      entry[i] = enter[i] <= leave[i] * kRounding ? enter[i] : std::numeric_limits<double>::infinity();
  }

  /// [Woop13]: edge functions in the sheared frame have consistent signs on both sides
  /// of an edge.
  std::optional<RayHit> hit(const TriangleBvh::Corners& triangle) const {
    const Vec3 a = triangle.a - origin, b = triangle.b - origin, c = triangle.c - origin;
    const double ax = a[kx] - sx * a[kz], ay = a[ky] - sy * a[kz];
    const double bx = b[kx] - sx * b[kz], by = b[ky] - sy * b[kz];
    const double cx = c[kx] - sx * c[kz], cy = c[ky] - sy * c[kz];
    const double u = cx * by - cy * bx, v = ax * cy - ay * cx, w = bx * ay - by * ax;
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return std::nullopt;
    const double determinant = u + v + w;
    if (determinant == 0) return std::nullopt;
    const double t = sz * (u * a[kz] + v * b[kz] + w * c[kz]) / determinant;
    if (!(t >= tMin && t <= tMax)) return std::nullopt;
    return RayHit{-1, t, Vec3(u, v, w) / determinant, determinant > 0};
  }
};

}  // namespace

ClosestPoint closestPointOnTriangle(const Vec3& query, const Vec3& a, const Vec3& b, const Vec3& c) {
  ClosestPoint result;
  result.barycentric = NearestWeights(query, a, b, c).weights;
  // Relative to a corner, so that a triangle far from the origin loses nothing.
  result.point = a + result.barycentric[1] * (b - a) + result.barycentric[2] * (c - a);
  result.squaredDistance = (result.point - query).squaredNorm();
  return result;
}

TriangleBvh::TriangleBvh(const TriangleMesh& mesh, Context& context)
    : TriangleBvh(mesh.points, mesh.triangles, context) {}

TriangleBvh::TriangleBvh(Span<const Vec3> points, Span<const Triangle> triangles, Context& context) {
  const auto corner = [&](size_t t, size_t c) -> const Vec3& { return points[triangles[t][c]]; };
  std::vector<int32_t> finite;
  finite.reserve(triangles.size());
  Box3 box;
  for (size_t t = 0; t < triangles.size(); ++t) {
    if (!corner(t, 0).allFinite() || !corner(t, 1).allFinite() || !corner(t, 2).allFinite()) continue;
    finite.push_back(static_cast<int32_t>(t));
    for (size_t c = 0; c < 3; ++c) box.add(corner(t, c));
  }
  if (finite.empty()) return;
  mOrigin = 0.5 * box.min + 0.5 * box.max;

  std::vector<BvhItem> items(finite.size());
  parallelFor(context, finite.size(), kGrain, [&](size_t i) {
    const size_t t = static_cast<size_t>(finite[i]);
    Box3 own;
    for (size_t c = 0; c < 3; ++c) own.add(Vec3(corner(t, c) - mOrigin));
    for (int a = 0; a < 3; ++a) {
      items[i].min[a] = roundedDown(own.min[a]);
      items[i].max[a] = roundedUp(own.max[a]);
    }
    items[i].triangle = finite[i];
  });
  mNodes = buildBvhNodes(items, context);
  mWide = widenBvh(mNodes);

  mTriangles.resize(items.size());
  mCorners.resize(items.size());
  parallelFor(context, items.size(), kGrain, [&](size_t i) {
    mTriangles[i] = items[i].triangle;
    const size_t t = static_cast<size_t>(items[i].triangle);
    mCorners[i] = {corner(t, 0) - mOrigin, corner(t, 1) - mOrigin, corner(t, 2) - mOrigin};
  });
}

TriangleBvh::~TriangleBvh() = default;
TriangleBvh::TriangleBvh(TriangleBvh&&) noexcept = default;
TriangleBvh& TriangleBvh::operator=(TriangleBvh&&) noexcept = default;

Box3 TriangleBvh::bounds() const {
  Box3 box;
  for (const Corners& c : mCorners)
    for (const Vec3* p : {&c.a, &c.b, &c.c}) box.add(*p + mOrigin);
  return box;
}

ClosestPoint TriangleBvh::closestPoint(const Vec3& query, double maxDistance) const {
  ClosestPoint best;
  if (mNodes.empty() || !query.allFinite()) return best;
  best.squaredDistance = maxDistance * maxDistance;
  const Vec3 local = query - mOrigin;
  const PointBounds bounds(local);
  Stack<float> stack;
  stack.push({0.0f, 0, 0});
  while (!stack.empty()) {
    const auto entry = stack.pop();
    if (entry.key > best.squaredDistance) continue;
    for (int32_t i = entry.first; i < entry.first + entry.count; ++i) {
      const Corners& c = mCorners[i];
      const ClosestPoint candidate = closestPointOnTriangle(local, c.a, c.b, c.c);
      if (!(candidate.squaredDistance < best.squaredDistance)) continue;
      best = candidate;
      best.triangle = mTriangles[i];
    }
    if (entry.count > 0) continue;
    const BvhWideNode& node = mWide[entry.first];
    float distances[4];
    bounds.squaredDistances(node, distances);
    const size_t bottom = stack.size();
    for (int i = 0; i < 4; ++i)
      if (node.first[i] >= 0 && distances[i] <= best.squaredDistance)
        stack.push({distances[i], node.first[i], node.count[i]});
    stack.sortFrom(bottom);
  }
  if (best.triangle < 0) return ClosestPoint();
  best.point += mOrigin;
  return best;
}

/// Calls visit(ray, hit) for hits in order of boxes, nearest box first; visit may shorten ray.tMax, and
/// returns false to stop.
template <class Visit>
void TriangleBvh::visitRay(const Ray& given, const Visit& visit) const {
  PreparedRay ray(given, mOrigin);
  if (mNodes.empty() || !ray.valid()) return;
  Stack<double> stack;
  stack.push({ray.tMin, 0, 0});
  while (!stack.empty()) {
    const auto entry = stack.pop();
    if (entry.key > ray.tMax) continue;
    for (int32_t i = entry.first; i < entry.first + entry.count; ++i) {
      std::optional<RayHit> hit = ray.hit(mCorners[i]);
      if (!hit) continue;
      hit->triangle = mTriangles[i];
      if (!visit(ray.tMax, *hit)) return;
    }
    if (entry.count > 0) continue;
    const BvhWideNode& node = mWide[entry.first];
    double entries[4];
    ray.entries(node, entries);
    const size_t bottom = stack.size();
    for (int i = 0; i < 4; ++i)
      if (node.first[i] >= 0 && entries[i] < std::numeric_limits<double>::infinity() &&
          entries[i] <= ray.tMax)
        stack.push({entries[i], node.first[i], node.count[i]});
    stack.sortFrom(bottom);
  }
}

std::optional<RayHit> TriangleBvh::firstHit(const Ray& ray) const {
  std::optional<RayHit> first;
  visitRay(ray, [&](double& tMax, const RayHit& hit) {
    if (!first || hit.t < first->t || (hit.t == first->t && hit.triangle < first->triangle)) first = hit;
    tMax = first->t;
    return true;
  });
  return first;
}

std::vector<RayHit> TriangleBvh::allHits(const Ray& ray) const {
  std::vector<RayHit> hits;
  visitRay(ray, [&](double&, const RayHit& hit) {
    hits.push_back(hit);
    return true;
  });
  std::sort(hits.begin(), hits.end(), [](const RayHit& a, const RayHit& b) {
    return a.t != b.t ? a.t < b.t : a.triangle < b.triangle;
  });
  return hits;
}

bool TriangleBvh::anyHit(const Ray& ray) const {
  bool any = false;
  visitRay(ray, [&](double&, const RayHit&) {
    any = true;
    return false;
  });
  return any;
}

std::vector<int32_t> TriangleBvh::trianglesNear(const Box3& box) const {
  std::vector<int32_t> result;
  trianglesNear(box, result);
  return result;
}

void TriangleBvh::trianglesNear(const Box3& box, std::vector<int32_t>& result) const {
  result.clear();
  if (mNodes.empty() || box.empty()) return;
  const Vec3 low = box.min - mOrigin, high = box.max - mOrigin;
  std::array<int32_t, kMaxBvhDepth + 2> stack;  // one branch waits at each level
  size_t waiting = 0;
  stack[waiting++] = 0;
  while (waiting > 0) {
    const Node& node = mNodes[stack[--waiting]];
    bool meets = true;
    for (int a = 0; a < 3; ++a) meets = meets && node.min[a] <= high[a] && node.max[a] >= low[a];
    if (!meets) continue;
    if (node.count == 0) {
      stack[waiting++] = node.first;
      stack[waiting++] = node.first + 1;
    }
    for (int32_t i = node.first; i < node.first + node.count; ++i) {
      const Corners& c = mCorners[i];
      const Vec3 least = c.a.cwiseMin(c.b).cwiseMin(c.c), greatest = c.a.cwiseMax(c.b).cwiseMax(c.c);
      if ((least.array() <= high.array()).all() && (greatest.array() >= low.array()).all())
        result.push_back(mTriangles[i]);
    }
  }
  std::sort(result.begin(), result.end());
}

}  // namespace hackle
