#include <hackle/fracture/crack/growth/initiation.h>
#include <hackle/mechanics/stress.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

constexpr double kSeedClearance = 0.12;  // r_c between a new crack and the surface

/// Puts a crack with this normal below its triangle.
void place(CrackSeed& seed, const BemSurface& body, const TriangleBvh& tree, double coarse) {
  const size_t t = static_cast<size_t>(seed.triangle);
  const double across = seed.normal.dot(body.normal(t));
  const double rise = std::sqrt(std::max(0.0, 1 - across * across));  // of the rim above the centre, in radii
  const double wanted = (kSeedRadius * rise + kSeedClearance) * coarse;
  const double depth = std::min(wanted, 0.5 * wallThickness(body, tree, t));
  seed.radius = kSeedRadius * coarse * depth / wanted;
  seed.centre = body.centroid(t) - depth * body.normal(t);
}

}  // namespace

double wallThickness(const BemSurface& body, const TriangleBvh& tree, size_t triangle) {
  const Vec3 inwards = -body.normal(triangle);
  const double skin = 1e-6 * body.size(triangle);
  const auto behind = tree.firstHit({body.centroid(triangle) + skin * inwards, inwards});
  return behind ? behind->t + skin : std::numeric_limits<double>::infinity();
}

std::vector<CrackSeed> findCrackSeeds(const BemSurface& body, const TriangleBvh& tree,
                                      Span<const Mat3> stress, const ScalarField& strength,
                                      Span<const uint8_t> started, Span<const Vec3> fronts,
                                      const InitiationOptions& options) {
  std::vector<CrackSeed> candidates;
  for (size_t t = 0; t < stress.size(); ++t) {
    if (started[t]) continue;
    const PrincipalStress principal = principalStress(stress[t]);
    const double limit = strength.at(body.centroid(t));
    const double tension = principal.values[0] / limit;
    const double compression = -principal.values[2] / (options.compressionRatio * limit);
    const double excess = std::max(tension, compression);
    if (!(excess > 1)) continue;
    CrackSeed seed;
    seed.triangle = static_cast<int32_t>(t);
    seed.normal = principal.directions.col(tension >= compression ? 0 : 2);
    place(seed, body, tree, options.coarse);
    seed.excess = excess;
    candidates.push_back(seed);
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const CrackSeed& a, const CrackSeed& b) { return a.excess > b.excess; });
  std::vector<CrackSeed> seeds;
  const double squared = options.coarse * options.coarse;
  for (const CrackSeed& seed : candidates) {
    if (seeds.size() >= options.limit) break;
    const Vec3& at = body.centroid(static_cast<size_t>(seed.triangle));
    const bool nearFront = std::any_of(fronts.begin(), fronts.end(),
                                       [&](const Vec3& p) { return (p - at).squaredNorm() <= squared; });
    const bool nearSeed = std::any_of(seeds.begin(), seeds.end(), [&](const CrackSeed& s) {
      return (s.centre - at).squaredNorm() <= squared;
    });
    if (!nearFront && !nearSeed) seeds.push_back(seed);
  }
  return seeds;
}

}  // namespace hackle
