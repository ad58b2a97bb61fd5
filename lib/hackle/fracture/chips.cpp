#include <hackle/core/random.h>
#include <hackle/fracture/chips.h>
#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

/// A part of a rim.
struct RimEdge {
  Vec3 from, to;
  Vec3 inward;    // unit, half way between the faces
  double weight;  // m, length times how easily it is chipped
};

struct Side {
  int32_t low, high, triangle;
};

std::vector<RimEdge> rimsOf(const Geometry& piece, const std::string& inside,
                            const std::function<double(const Vec3&)>& weight) {
  const TriangleMesh mesh = triangleMesh(piece);
  const Group* group = piece.findGroup(Owner::Primitive, inside);
  std::vector<Side> sides;
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(mesh.triangles[t][k], mesh.triangles[t][(k + 1) % 3]);
      sides.push_back({low, high, static_cast<int32_t>(t)});
    }
  std::stable_sort(sides.begin(), sides.end(), [](const Side& a, const Side& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  const auto normalOf = [&](int32_t t) {
    const Triangle& c = mesh.triangles[t];
    return Vec3(
        (mesh.points[c[1]] - mesh.points[c[0]]).cross(mesh.points[c[2]] - mesh.points[c[0]]).normalized());
  };
  const auto isInside = [&](int32_t t) { return group && group->bits[mesh.primitives[t]] != 0; };
  std::vector<RimEdge> rims;
  for (size_t s = 0; s + 1 < sides.size(); ++s) {
    const Side &a = sides[s], &b = sides[s + 1];
    if (a.low != b.low || a.high != b.high) continue;
    ++s;
    if (isInside(a.triangle) && isInside(b.triangle)) continue;
    const Vec3 na = normalOf(a.triangle), nb = normalOf(b.triangle);
    constexpr double kSharp = 0.766;  // cosine of 40 degrees
    const double flat = na.dot(nb);
    if (!(flat < kSharp)) continue;
    const Vec3 &from = mesh.points[a.low], &to = mesh.points[a.high];
    int32_t third = mesh.triangles[b.triangle][0];
    for (const int32_t p : mesh.triangles[b.triangle])
      if (p != a.low && p != a.high) third = p;
    if ((mesh.points[third] - from).dot(na) >= 0) continue;  // a groove
    const Vec3 outward = na + nb;
    if (!(outward.norm() > 1e-6)) continue;
    const double easily = (1 - flat) * (weight ? weight(0.5 * (from + to)) : 1.0);
    if (easily > 0) rims.push_back({from, to, -outward.normalized(), (to - from).norm() * easily});
  }
  return rims;
}

/// Directions all around: the faces and corners of a cube, turned at random.
std::array<Vec3, 14> directionsAround(Random& random) {
  Eigen::Quaterniond turn(random.normal(), random.normal(), random.normal(), random.normal());
  turn.normalize();
  std::array<Vec3, 14> directions;
  for (size_t k = 0; k < 6; ++k)
    directions[k] = turn * Vec3((k % 2 ? 1 : -1) * Vec3::Unit(static_cast<Eigen::Index>(k / 2)));
  for (size_t k = 0; k < 8; ++k)
    directions[6 + k] = turn * Vec3(Vec3(k & 1 ? 1 : -1, k & 2 ? 1 : -1, k & 4 ? 1 : -1).normalized());
  return directions;
}

}  // namespace

RoughVoronoi chipPartition(const Geometry& piece, const std::string& inside, double amount, double size,
                           const std::function<double(const Vec3&)>& weight, uint64_t seed) {
  RoughVoronoi partition;
  const std::vector<RimEdge> rims = rimsOf(piece, inside, weight);
  std::vector<double> summed;
  double length = 0, total = 0;
  for (const RimEdge& rim : rims) {
    length += (rim.to - rim.from).norm() * (weight ? weight(0.5 * (rim.from + rim.to)) : 1.0);
    summed.push_back(total += rim.weight);
  }
  Random random(seed, 5);
  // Of one and a half chips, one is there by chance.
  const auto count = static_cast<size_t>(amount * length / size + random.uniform());
  std::vector<Vec3> centres;
  for (size_t k = 0; k < count && total > 0; ++k) {
    const double at = random.uniform() * total;
    const RimEdge& rim =
        rims[static_cast<size_t>(std::lower_bound(summed.begin(), summed.end(), at) - summed.begin())];
    const double radius = 0.5 * size * random.uniform(0.5, 1.3);
    const Vec3 centre = rim.from + random.uniform() * (rim.to - rim.from) + 0.35 * radius * rim.inward;
    const bool crowded = std::any_of(centres.begin(), centres.end(),
                                     [&](const Vec3& other) { return (other - centre).norm() < 1.6 * size; });
    const std::array<Vec3, 14> around = directionsAround(random);
    if (crowded) continue;
    centres.push_back(centre);
    // A chip is what is nearer to its site than to those around it, which all belong to the rest.
    partition.sites.push_back(centre);
    partition.labels.push_back(static_cast<int32_t>(centres.size()));
    for (const Vec3& d : around) {
      partition.sites.push_back(centre + 2 * radius * random.uniform(0.75, 1.3) * d);
      partition.labels.push_back(0);
    }
  }
  return partition;
}

}  // namespace hackle
