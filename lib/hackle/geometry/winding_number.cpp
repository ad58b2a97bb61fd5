#include <hackle/geometry/winding_number.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/bvh_build.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

constexpr double kInverse4Pi = 0.07957747154594767;

/// Solid angle of a triangle seen from the origin [vanOosterom83]; positive if its back
/// (clockwise side) is seen. 0 from a point in its plane.
double solidAngle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double numerator = a.dot(b.cross(c));
  if (numerator == 0) return 0.0;
  const double denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  return 2.0 * std::atan2(numerator, denominator);
}

/// Components of symmetric tensors, in the order in which expansions keep them, and how often each occurs.
constexpr int kPairs[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
constexpr int kTriples[10][3] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 1, 1}, {0, 1, 2},
                                 {0, 2, 2}, {1, 1, 1}, {1, 1, 2}, {1, 2, 2}, {2, 2, 2}};
constexpr double kTripleCount[10] = {1, 3, 3, 3, 6, 3, 1, 3, 3, 1};

}  // namespace

double windingNumberExact(Span<const Vec3> points, Span<const Triangle> triangles, const Vec3& query) {
  double sum = 0.0;
  for (const Triangle& t : triangles)
    sum += solidAngle(points[t[0]] - query, points[t[1]] - query, points[t[2]] - query);
  return sum * kInverse4Pi;
}

WindingNumber::WindingNumber(const TriangleBvh& bvh, Context& context)
    : mBvh(bvh), mExpansions(bvh.nodes().size()) {
  // Expand the nodes level by level, the deepest first. Children come after their parents.
  const auto& nodes = bvh.nodes();
  std::vector<std::vector<int32_t>> levels(nodes.empty() ? 0 : 1);
  std::vector<int32_t> depth(nodes.size(), 0);
  for (size_t n = 0; n < nodes.size(); ++n) {
    if (static_cast<size_t>(depth[n]) == levels.size()) levels.emplace_back();
    levels[depth[n]].push_back(static_cast<int32_t>(n));
    if (nodes[n].count == 0) depth[nodes[n].first] = depth[nodes[n].first + 1] = depth[n] + 1;
  }
  for (size_t l = levels.size(); l-- > 0;)
    parallelFor(context, levels[l].size(), 256, [&](size_t k) {
      const auto n = static_cast<size_t>(levels[l][k]);
      if (nodes[n].count > 0)
        expandLeaf(n);
      else
        expandInner(n);
    });
}

/// The sums of an expansion in double precision, about a fixed centre.
struct WindingNumber::Sums {
  Vec3 area = Vec3::Zero();
  Mat3 second = Mat3::Zero();  // symmetric
  double third[10] = {};

  void addSecond(const Vec3& a, const Vec3& d) { second += 0.5 * (a * d.transpose() + d * a.transpose()); }
  /// a_i m_jk made symmetric, for symmetric m.
  void addThird(const Vec3& a, const Mat3& m) {
    for (int t = 0; t < 10; ++t) {
      const int i = kTriples[t][0], j = kTriples[t][1], k = kTriples[t][2];
      third[t] += (a[i] * m(j, k) + a[j] * m(i, k) + a[k] * m(i, j)) / 3.0;
    }
  }
  void addTriangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 vector = 0.5 * (b - a).cross(c - a), sum = a + b + c;
    area += vector;
    addSecond(vector, sum / 3.0);
    // The mean of d d^T over a triangle.
    const Mat3 mean =
        (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose()) / 12.0;
    addThird(vector, mean);
  }
  /// Another part's sums, about a centre that lies at `shift` from this one's.
  void addShifted(const Expansion& part, const Vec3& shift) {
    const Vec3 a(part.area[0], part.area[1], part.area[2]);
    Mat3 m;
    for (int p = 0; p < 6; ++p)
      m(kPairs[p][0], kPairs[p][1]) = m(kPairs[p][1], kPairs[p][0]) = part.second[p];
    area += a;
    second += m;
    addSecond(a, shift);
    for (int t = 0; t < 10; ++t) third[t] += part.third[t];
    addThird(2.0 * shift, m);
    addThird(a, shift * shift.transpose());
  }
  void storeIn(Expansion& e) const {
    for (int i = 0; i < 3; ++i) e.area[i] = static_cast<float>(area[i]);
    for (int p = 0; p < 6; ++p) e.second[p] = static_cast<float>(second(kPairs[p][0], kPairs[p][1]));
    for (int t = 0; t < 10; ++t) e.third[t] = static_cast<float>(third[t]);
  }
};

void WindingNumber::expandLeaf(size_t n) {
  const TriangleBvh::Node& node = mBvh.nodes()[n];
  const TriangleBvh::Corners* first = mBvh.leafTriangles().data() + node.first;
  const TriangleBvh::Corners* end = first + node.count;
  Expansion& e = mExpansions[n];
  double weight = 0.0;
  Vec3 weighted = Vec3::Zero(), plain = Vec3::Zero();
  for (const TriangleBvh::Corners* t = first; t < end; ++t) {
    const double area = 0.5 * (t->b - t->a).cross(t->c - t->a).norm();
    const Vec3 centroid = (t->a + t->b + t->c) / 3.0;
    weight += area;
    weighted += area * centroid;
    plain += centroid;
  }
  e.weight = static_cast<float>(weight);
  const Vec3 centre = weight > 0 ? Vec3(weighted / weight) : Vec3(plain / node.count);
  for (int i = 0; i < 3; ++i) e.centre[i] = static_cast<float>(centre[i]);

  // About the centre as it is stored.
  const Vec3 stored(e.centre[0], e.centre[1], e.centre[2]);
  Sums sums;
  double squared = 0.0;
  for (const TriangleBvh::Corners* t = first; t < end; ++t) {
    const Vec3 a = t->a - stored, b = t->b - stored, c = t->c - stored;
    sums.addTriangle(a, b, c);
    squared = std::max({squared, a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
  }
  sums.storeIn(e);
  e.radius = static_cast<float>(std::sqrt(squared));
}

void WindingNumber::expandInner(size_t n) {
  const size_t child = static_cast<size_t>(mBvh.nodes()[n].first);
  Expansion& e = mExpansions[n];
  const auto centreOf = [](const Expansion& x) { return Vec3(x.centre[0], x.centre[1], x.centre[2]); };
  const Expansion* parts[] = {&mExpansions[child], &mExpansions[child + 1]};
  Vec3 weighted = Vec3::Zero();
  for (const Expansion* part : parts) {
    e.weight += part->weight;
    weighted += part->weight * centreOf(*part);
  }
  const Vec3 centre =
      e.weight > 0 ? Vec3(weighted / e.weight) : Vec3(0.5 * (centreOf(*parts[0]) + centreOf(*parts[1])));
  for (int i = 0; i < 3; ++i) e.centre[i] = static_cast<float>(centre[i]);

  const Vec3 stored = centreOf(e);
  Sums sums;
  double balls = 0.0;
  for (const Expansion* part : parts) {
    const Vec3 shift = centreOf(*part) - stored;
    sums.addShifted(*part, shift);
    balls = std::max(balls, shift.norm() + part->radius);
  }
  sums.storeIn(e);
  // Both the children's balls and the node's own box hold the part; take the smaller.
  const TriangleBvh::Node& node = mBvh.nodes()[n];
  Vec3 corner;
  for (int i = 0; i < 3; ++i)
    corner[i] =
        std::max(static_cast<double>(node.max[i]) - stored[i], stored[i] - static_cast<double>(node.min[i]));
  e.radius = static_cast<float>(std::min(balls, corner.norm()));
}

double WindingNumber::evaluate(const Expansion& e, const Vec3& r) {
  const float *a = e.area, *m = e.second, *s = e.third;
  const double x = r.x(), y = r.y(), z = r.z();
  const double inverseSquared = 1.0 / r.squaredNorm();
  const double inverseCubed = inverseSquared * std::sqrt(inverseSquared);

  // dG_i/dx_j = delta_ij / r^3 - 3 r_i r_j / r^5
  const double first = a[0] * x + a[1] * y + a[2] * z;
  const double trace = m[0] + m[3] + m[5];
  const double mrr =
      m[0] * x * x + m[3] * y * y + m[5] * z * z + 2.0 * (m[1] * x * y + m[2] * x * z + m[4] * y * z);
  // d2G_i/dx_j dx_k = -3 (delta_ij r_k + delta_ik r_j + delta_jk r_i) / r^5 + 15 r_i r_j r_k / r^7
  const double tr = (s[0] + s[3] + s[5]) * x + (s[1] + s[6] + s[8]) * y + (s[2] + s[7] + s[9]) * z;
  double srrr = 0.0;
  for (int t = 0; t < 10; ++t)
    srrr += kTripleCount[t] * s[t] * r[kTriples[t][0]] * r[kTriples[t][1]] * r[kTriples[t][2]];
  const double second = trace - 3.0 * mrr * inverseSquared;
  const double third = inverseSquared * (-4.5 * tr + 7.5 * srrr * inverseSquared);
  return inverseCubed * (first + second + third);
}

double WindingNumber::operator()(const Vec3& query, double accuracy) const {
  if (mExpansions.empty()) return 0.0;
  const Vec3 local = query - mBvh.origin();
  double sum = 0.0;
  std::array<int32_t, kMaxBvhDepth> stack;
  size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const size_t n = static_cast<size_t>(stack[--size]);
    const Expansion& e = mExpansions[n];
    const double reach = accuracy * e.radius;
    const Vec3 r(e.centre[0] - local.x(), e.centre[1] - local.y(), e.centre[2] - local.z());
    if (r.squaredNorm() > reach * reach) {
      sum += evaluate(e, r);
      continue;
    }
    const TriangleBvh::Node& node = mBvh.nodes()[n];
    for (int32_t i = node.first; i < node.first + node.count; ++i) {
      const TriangleBvh::Corners& t = mBvh.leafTriangles()[i];
      sum += solidAngle(t.a - local, t.b - local, t.c - local);
    }
    if (node.count > 0) continue;
    stack[size++] = node.first + 1;
    stack[size++] = node.first;
  }
  return sum * kInverse4Pi;
}

}  // namespace hackle
