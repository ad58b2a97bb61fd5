#include <hackle/bem/evaluation.h>
#include <hackle/bem/mouth.h>
#include <hackle/core/archive.h>
#include <hackle/core/parallel.h>
#include <hackle/core/pi.h>
#include <hackle/fracture/crack/growth/start_sites.h>
#include <hackle/mechanics/stress.h>
#include <hackle/meshing/surface/thickness.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace hackle {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// Averaging radius: of the thickness at most, and of the body's diagonal unless the material's own length,
// 2 (K_c / strength)^2 / pi, is larger.
constexpr double kOfThickness = 0.4, kOfDiagonal = 0.04;
constexpr double kSiteSpacing = 0.3;   // averaging radii between sites
constexpr double kClearOf = 1.5;       // averaging radii between sites and conditions
constexpr size_t kMostSites = 20000;   // more than that are thinned out
constexpr double kNotchSpacing = 1.0;  // averaging radii between sites of one notch
// Edges over averaging radii up to which the stress ahead of a notch is looked at: nearer to longer ones it
// is that of the mesh.
constexpr double kResolved = 0.6;
constexpr double kProfileDepth = 0.3;  // of the thickness: where the stress below a site is looked at
// Candidates whose profile is looked at together.
constexpr size_t kCandidates = 16;
// Places that start alike, at most.
constexpr size_t kMostAlike = 200;
// A crack across this much of the bent half of a section is no half penny any more.
constexpr double kDeepest = 0.75;

/// Uniform in (0, 1) from a cell and the seed.
double hashed(const std::array<int64_t, 3>& cell, uint64_t seed) {
  const uint64_t bits =
      checksum64({reinterpret_cast<const char*>(cell.data()), sizeof(int64_t) * cell.size()}, seed);
  return (static_cast<double>(bits >> 11) + 0.5) / 9007199254740992.0;
}

/// m, of the material.
double ownLength(double toughness, double strength) { return 2 / kPi * std::pow(toughness / strength, 2); }

/// Cells begin a bit before the origin, so that faces of boxes and their middles are no borders of cells:
/// which side such a place is on would depend on rounding, and so on the size of the solid.
std::array<int64_t, 3> cellOf(const Vec3& place, const Vec3& origin, double size) {
  constexpr double kBefore = 0.31830988618379067;  // of a cell
  std::array<int64_t, 3> cell;
  for (size_t k = 0; k < 3; ++k)
    cell[k] = static_cast<int64_t>(std::floor(
        (place[static_cast<Eigen::Index>(k)] - origin[static_cast<Eigen::Index>(k)]) / size + kBefore));
  return cell;
}

/// The power of two of the whole that is next below a length: one of the same share in solids of any size.
double powerOfTwoBelow(double length, double whole) {
  return whole * std::exp2(std::floor(std::log2(length / whole) + 1e-9));
}

}  // namespace

CoupledStart coupledStart(double stress, double depth, double strength, double toughness) {
  // K^2 of a half penny in s (1 - z/c), averaged over its growth from 0 to a: 1.35 s^2 a (2/3 - 0.67 x +
  // 0.18 x^2), x = a / c.
  constexpr double kHalfPenny = 1.35;
  const double own = toughness / strength * (toughness / strength);
  CoupledStart best{kInfinite, 0};
  for (int i = 1; i <= 200; ++i) {
    // From a hundredth to a hundred times the material's own length.
    const double a = own * std::pow(10.0, -2.0 + 4.0 * i / 200.0), x = a / depth;
    if (x > kDeepest) break;
    const double byStrength = strength / (stress * (1 - x));
    const double byEnergy =
        toughness / (stress * std::sqrt(kHalfPenny * a * (2.0 / 3 - 0.67 * x + 0.18 * x * x)));
    const double factor = std::max(byStrength, byEnergy);
    if (factor < best.factor) best = {factor, a};
  }
  if (best.factor == kInfinite) {
    // Even the smallest crack would go through what is bent: it has to open the whole depth.
    const double a = kDeepest * depth, x = kDeepest;
    best = {std::max(strength / (stress * (1 - x)),
                     toughness / (stress * std::sqrt(kHalfPenny * a * (2.0 / 3 - 0.67 * x + 0.18 * x * x)))),
            a};
  }
  return best;
}

/// The stress of a load at all sites, and the field inside of the body. The solution may be older than the
/// last growth of cracks.
class StartSites::Loaded {
 public:
  Loaded(const StartSites& sites, const BemSystem& system, const BemSolution& solution)
      : stress(sites.stresses(bodyStresses(system, solution))),
        mSolution(solution),
        mU(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * system.surface().nodeCount()))),
        mQ(Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * system.surface().triangleCount()))) {
    mU.head(solution.u.size()) = solution.u;
    mQ.head(solution.q.size()) = solution.q;
    mField.emplace(system.surface(), system.material(), nodeSpace(system.surface()), mU, mQ);
  }
  /// Pa, at places inside of the body.
  std::vector<Mat3> inside(Span<const Vec3> places, Context& context) const {
    std::vector<Mat3> stresses = mField->stresses(places, context);
    for (size_t i = 0; i < stresses.size(); ++i) stresses[i] += mSolution.carriedStress(places[i]);
    return stresses;
  }
  const std::vector<Mat3> stress;  // Pa, per site

 private:
  const BemSolution& mSolution;
  Eigen::VectorXd mU, mQ;
  std::optional<BoundaryField> mField;
};

/// A place of the surface.
struct StartSites::Place {
  Vec3 place, normal;
  double thickness = 0;
};

/// Makes sites of places; one per cell.
class StartSites::SiteMaker {
 public:
  SiteMaker(const TriangleBvh& tree, const ScalarField& strength, const ScalarField& toughness,
            const StartOptions& options)
      : mBounds(tree.bounds()), mTree(tree), mStrength(strength), mToughness(toughness), mOptions(options) {}

  void setThicknesses(std::vector<Place>& places, Context& context) const {
    const double diagonal = mBounds.diagonal();
    parallelFor(context, places.size(), 64, [&](size_t i) {
      Place& p = places[i];
      p.thickness = std::min(solidThickness(mTree, diagonal, p.place, p.normal), diagonal);
    });
  }
  /// m, over which stress is averaged there.
  double radiusAt(const Place& at) const {
    const double own = ownLength(mToughness.at(at.place), mStrength.at(at.place));
    return std::min(kOfThickness * at.thickness, std::max(own, kOfDiagonal * mBounds.diagonal()));
  }
  /// A site for a place, sites being this many averaging radii apart; nothing if its cell has one.
  std::optional<StartSite> make(const Place& at, double spacing) {
    const Vec3& place = at.place;
    const double diagonal = mBounds.diagonal();
    StartSite site;
    site.place = place;
    site.normal = at.normal;
    site.thickness = at.thickness;
    site.toughness = mToughness.at(place);
    site.strength = mStrength.at(place);
    site.radius = radiusAt(at);
    site.length = std::min(ownLength(site.toughness, site.strength), site.radius);
    // One site per cell of the size of its own spacing, to the power of two below.
    const double size = powerOfTwoBelow(spacing * site.radius, diagonal);
    const std::array<int64_t, 3> cell = cellOf(place, mBounds.min, size);
    const std::array<int64_t, 4> key{cell[0], cell[1], cell[2], std::lround(std::log2(diagonal / size))};
    if (!mTaken.insert(key).second) return {};
    if (mOptions.modulus) {
      const double width = powerOfTwoBelow(site.radius, diagonal);
      const double u = hashed(cellOf(place, mBounds.min, width), mOptions.seed);
      site.strength *= std::pow(-std::log1p(-u), 1 / *mOptions.modulus);
    }
    return site;
  }

 private:
  Box3 mBounds;
  const TriangleBvh& mTree;
  const ScalarField &mStrength, &mToughness;
  const StartOptions& mOptions;
  std::set<std::array<int64_t, 4>> mTaken;
};

StartSites::StartSites(const TriangleMesh& solid, const TriangleBvh& solidTree, const BemSurface& body,
                       const BoundaryData& data, const ScalarField& strength, const ScalarField& toughness,
                       const StartOptions& options, Context& context)
    : mOptions(options) {
  SiteMaker faces(solidTree, strength, toughness, options), edges(solidTree, strength, toughness, options);
  std::vector<Place> places = placesOf(solid, solidTree.bounds(), context);
  faces.setThicknesses(places, context);
  for (const Place& place : places)
    if (const std::optional<StartSite> site = faces.make(place, kSiteSpacing)) mSites.push_back(*site);
  addNotches(solid, solidTree, edges, context);
  addRoundNotches(solid, solidTree, places, edges, context);
  keepApartFrom(body, data, context);
  addWeights(body, context);
}

std::vector<StartSites::Place> StartSites::placesOf(const TriangleMesh& solid, const Box3& bounds,
                                                    Context& context) {
  const double diagonal = bounds.diagonal();
  // Candidates: centroids of parts of triangles that are no longer than the closest sites are apart.
  double area = 0;
  for (const Triangle& t : solid.triangles) {
    const Vec3& a = solid.points[t[0]];
    area += 0.5 * (solid.points[t[1]] - a).cross(solid.points[t[2]] - a).norm();
  }
  const double finest = std::max(0.01 * diagonal, std::sqrt(area / static_cast<double>(4 * kMostSites)));
  std::set<std::array<int64_t, 3>> seen;  // cells of candidates at the finest spacing
  std::vector<Place> places;
  for (const Triangle& t : solid.triangles) {
    if ((&t - solid.triangles.data()) % 1024 == 0) context.checkCancel();
    const Vec3& a = solid.points[t[0]];
    const Vec3 u = solid.points[t[1]] - a, v = solid.points[t[2]] - a, n = u.cross(v);
    if (!(n.norm() > 0)) continue;
    const double longest = std::max({u.norm(), v.norm(), (u - v).norm()});
    const int k = std::clamp(static_cast<int>(std::ceil(longest / (kSiteSpacing * finest))), 1, 200);
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < 2 * (k - i) - 1; ++j) {
        const double third = j % 2 ? 2.0 / 3 : 1.0 / 3;
        const Vec3 place = a + (i + third) / k * u + (j / 2 + third) / k * v;
        if (!seen.insert(cellOf(place, bounds.min, 0.5 * finest)).second) continue;
        places.push_back({place, n.normalized()});
      }
  }
  return places;
}

void StartSites::addNotches(const TriangleMesh& solid, const TriangleBvh& tree, SiteMaker& maker,
                            Context& context) {
  const double step = 0.01 * tree.bounds().diagonal();
  std::vector<Place> places;
  std::vector<const Notch*> notches;
  const std::vector<NotchEdge> edges = notchEdges(solid, context);
  for (const NotchEdge& edge : edges) {
    const double length = (edge.to - edge.from).norm();
    const int count = std::clamp(static_cast<int>(std::ceil(length / step)), 1, 200);
    for (int i = 0; i < count; ++i) {
      places.push_back({edge.from + (i + 0.5) / count * (edge.to - edge.from), -edge.notch.inwards});
      notches.push_back(&edge.notch);
    }
  }
  maker.setThicknesses(places, context);
  for (size_t i = 0; i < places.size(); ++i) {
    if (i % 64 == 0) context.checkCancel();
    std::optional<StartSite> site = maker.make(places[i], kNotchSpacing);
    if (!site || !isNotch(tree, places[i].place, *notches[i], site->radius)) continue;
    site->notch = *notches[i];
    mSites.push_back(*site);
  }
}

void StartSites::addRoundNotches(const TriangleMesh& solid, const TriangleBvh& tree,
                                 const std::vector<Place>& places, SiteMaker& maker, Context& context) {
  std::vector<std::optional<NotchPlace>> found(places.size());
  parallelFor(context, places.size(), 64, [&](size_t i) {
    const Place& p = places[i];
    found[i] = roundNotch(solid, tree, p.place, p.normal, maker.radiusAt(p));
  });
  std::vector<Place> roots;
  std::vector<Notch> notches;
  for (const std::optional<NotchPlace>& one : found)
    if (one) {
      roots.push_back({one->place, -one->notch.inwards});
      notches.push_back(one->notch);
    }
  maker.setThicknesses(roots, context);
  for (size_t i = 0; i < roots.size(); ++i)
    if (std::optional<StartSite> site = maker.make(roots[i], kNotchSpacing)) {
      site->notch = notches[i];
      mSites.push_back(*site);
    }
}

void StartSites::keepApartFrom(const BemSurface& body, const BoundaryData& data, Context& context) {
  std::vector<Vec3> conditioned;
  for (size_t t = 0; t < body.triangleCount(); ++t)
    if (data.fixed[t] != std::array<uint8_t, 3>{0, 0, 0} || !data.traction[t].isZero(0)) {
      conditioned.push_back(body.centroid(t));
      for (size_t k = 0; k < 3; ++k) conditioned.push_back(body.corner(t, k));
    }
  std::vector<uint8_t> near(mSites.size(), 0);
  parallelFor(context, mSites.size(), 64, [&](size_t i) {
    const double squared = std::pow(kClearOf * mSites[i].radius, 2);
    for (const Vec3& p : conditioned)
      if ((p - mSites[i].place).squaredNorm() < squared) {
        near[i] = 1;
        return;
      }
  });
  std::vector<StartSite> kept;
  for (size_t i = 0; i < mSites.size(); ++i)
    if (!near[i]) kept.push_back(mSites[i]);
  mSites = std::move(kept);
}

void StartSites::addWeights(const BemSurface& body, Context& context) {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (size_t n = 0; n < body.nodeCount(); ++n) points.push_back(body.point(n));
  for (size_t t = 0; t < body.triangleCount(); ++t) triangles.push_back(body.triangle(t));
  const TriangleBvh tree(points, triangles, context);
  std::vector<std::vector<Weight>> lists(mSites.size());
  mNotched.assign(mSites.size(), 0);
  parallelFor(context, mSites.size(), 16, [&](size_t i) {
    const StartSite& site = mSites[i];
    if (site.notch) {
      const auto nearest = static_cast<size_t>(tree.closestPoint(site.place).triangle);
      const double edge = std::sqrt(4 / std::sqrt(3.0) * body.area(nearest));
      mNotched[i] = mOptions.onAnyMesh || edge < kResolved * site.radius;
    }
    Box3 box;
    box.add(site.place - Vec3::Constant(site.radius));
    box.add(site.place + Vec3::Constant(site.radius));
    double sum = 0;
    for (const int32_t triangle : tree.trianglesNear(box)) {
      const size_t t = static_cast<size_t>(triangle);
      if (body.normal(t).dot(site.normal) <= 0) continue;
      // Sixteen parts: triangles may be as large as the radius.
      double weight = 0;
      constexpr int k = 4;
      for (int a = 0; a < k; ++a)
        for (int b = 0; b < 2 * (k - a) - 1; ++b) {
          const double third = b % 2 ? 2.0 / 3 : 1.0 / 3;
          const Vec3 p = body.corner(t, 0) + (a + third) / k * (body.corner(t, 1) - body.corner(t, 0)) +
                         (b / 2 + third) / k * (body.corner(t, 2) - body.corner(t, 0));
          weight += std::max(0.0, 1 - (p - site.place).squaredNorm() / (site.radius * site.radius));
        }
      weight *= body.area(t) / (k * k);
      if (weight > 0) lists[i].push_back({triangle, weight});
      sum += weight;
    }
    if (lists[i].empty()) {
      lists[i].push_back({tree.closestPoint(site.place).triangle, 1});
      sum = 1;
    }
    for (Weight& w : lists[i]) w.weight /= sum;
  });
  mFirst = {0};
  for (const std::vector<Weight>& list : lists) {
    mWeights.insert(mWeights.end(), list.begin(), list.end());
    mFirst.push_back(mWeights.size());
  }
}

std::vector<Mat3> StartSites::stresses(Span<const Mat3> ofTriangles) const {
  std::vector<Mat3> result(mSites.size(), Mat3::Zero());
  for (size_t i = 0; i < mSites.size(); ++i)
    for (size_t w = mFirst[i]; w < mFirst[i + 1]; ++w)
      result[i] += mWeights[w].weight * ofTriangles[mWeights[w].triangle];
  return result;
}

void StartSites::addSurfaces(const Loaded& loaded, Span<const uint8_t> closed,
                             std::vector<Candidate>& list) const {
  for (size_t i = 0; i < mSites.size(); ++i) {
    if (mNotched[i] || (!closed.empty() && closed[i])) continue;
    const PrincipalStress principal = principalStress(loaded.stress[i]);
    const double tension = principal.values[0] / mSites[i].strength;
    const double compression = -principal.values[2] / (mOptions.compressionRatio * mSites[i].strength);
    const double most = std::max(tension, compression);
    if (most > 0)
      list.push_back(
          {1 / most, i, principal.directions.col(tension >= compression ? 0 : 2), tension >= compression});
  }
}

void StartSites::addNotched(const Loaded& loaded, Span<const uint8_t> closed, std::vector<Candidate>& list,
                            Context& context) const {
  std::vector<size_t> notches;
  std::vector<Vec3> places;
  for (size_t i = 0; i < mSites.size(); ++i) {
    const StartSite& site = mSites[i];
    if (!mNotched[i] || (!closed.empty() && closed[i])) continue;
    notches.push_back(i);
    for (const double part : {0.5, 1.0})
      places.push_back(site.place + part * site.radius * site.notch->inwards);
  }
  const std::vector<Mat3> ahead = loaded.inside(places, context);
  for (size_t i = 0; i < notches.size(); ++i) {
    const StartSite& site = mSites[notches[i]];
    const Vec3 into = site.notch->inwards, across = site.notch->along.cross(into);
    const auto opening = [&](size_t k) { return across.dot(ahead[2 * i + k] * across); };
    const NotchPlane plane = notchPlane(*site.notch, opening(1), into.dot(ahead[2 * i + 1] * across));
    const NotchStress profile(*site.notch, site.radius, opening(0), opening(1));
    const double mean = plane.stress * profile.mean(site.length);
    if (mean > 0) list.push_back({site.strength / mean, notches[i], plane.normal, true});
  }
}

std::vector<StartSites::Candidate> StartSites::candidates(const Loaded& loaded, Span<const uint8_t> closed,
                                                          Context& context) const {
  std::vector<Candidate> list;
  addSurfaces(loaded, closed, list);
  addNotched(loaded, closed, list, context);
  std::sort(list.begin(), list.end(), Candidate::isBefore);
  return list;
}

std::vector<double> StartSites::strengthFactors(const BemSystem& system, const BemSolution& solution,
                                                Context& context) const {
  std::vector<double> factors(mSites.size(), kInfinite);
  for (const Candidate& candidate : candidates(Loaded(*this, system, solution), {}, context))
    factors[candidate.site] = candidate.factor;
  return factors;
}

std::vector<size_t> unshieldedStarts(Span<const RisingPlace> places, double reach) {
  std::vector<size_t> starts;
  for (size_t i = 0; i < places.size(); ++i) {
    const RisingPlace& p = places[i];
    const bool shielded = std::any_of(starts.begin(), starts.end(), [&](size_t other) {
      const double apart = (places[other].place - p.place).norm();
      return apart < std::max(p.radius, (p.factor - places[other].factor) * reach);
    });
    if (!shielded) starts.push_back(i);
  }
  return starts;
}

std::vector<CrackStart> StartSites::startsAtRate(const BemSystem& system, const BemSolution& solution,
                                                 double most, double seconds, double waveSpeed,
                                                 Context& context) const {
  std::vector<Candidate> list = candidates(Loaded(*this, system, solution), {}, context);
  while (!list.empty() && list.back().factor > most) list.pop_back();
  std::vector<RisingPlace> places;
  for (const Candidate& c : list) places.push_back({mSites[c.site].place, c.factor, mSites[c.site].radius});
  std::vector<CrackStart> starts;
  for (const size_t i : unshieldedStarts(places, seconds * waveSpeed))
    starts.push_back(
        {list[i].site, list[i].factor, list[i].factor, 0.0, list[i].direction, mNotched[list[i].site] != 0});
  return starts;
}

std::vector<CrackStart> StartSites::coupledStarts(Span<const Candidate> list, const Loaded& loaded,
                                                  Context& context) const {
  std::vector<Vec3> below;
  for (const Candidate& candidate : list) {
    const StartSite& site = mSites[candidate.site];
    below.push_back(site.place - kProfileDepth * site.thickness * site.normal);
  }
  const std::vector<Mat3> inside = loaded.inside(below, context);
  std::vector<CrackStart> starts;
  for (size_t i = 0; i < list.size(); ++i) {
    const StartSite& site = mSites[list[i].site];
    const double sign = list[i].tension ? 1 : -1 / mOptions.compressionRatio;
    const Vec3& d = list[i].direction;
    const double surface = sign * d.dot(loaded.stress[list[i].site] * d), deep = sign * d.dot(inside[i] * d);
    const double z = kProfileDepth * site.thickness;
    const double depth = deep < surface ? z / (1 - deep / surface) : kInfinite;
    // At a notch the mean over the length has both strength and energy in it.
    const bool notched = mNotched[list[i].site] != 0;
    const CoupledStart start = notched ? CoupledStart{list[i].factor, site.length}
                                       : coupledStart(surface, depth, site.strength, site.toughness);
    starts.push_back({list[i].site, start.factor, list[i].factor, start.radius, d, notched});
  }
  return starts;
}

std::optional<CrackStart> StartSites::firstOf(const std::vector<Candidate>& list, const Loaded& loaded,
                                              Context& context) const {
  std::optional<CrackStart> best;
  for (size_t begin = 0; begin < list.size(); begin += kCandidates) {
    if (best && list[begin].factor >= best->factor) break;
    const Span<const Candidate> some(list.data() + begin, std::min(kCandidates, list.size() - begin));
    for (const CrackStart& start : coupledStarts(some, loaded, context))
      if (!best || start.factor < best->factor) best = start;
  }
  return best;
}

std::optional<CrackStart> StartSites::firstStart(const BemSystem& system, const BemSolution& solution,
                                                 Span<const uint8_t> closed, Context& context) const {
  const Loaded loaded(*this, system, solution);
  return firstOf(candidates(loaded, closed, context), loaded, context);
}

StartSites::FirstStarts StartSites::firstStarts(const BemSystem& system, const BemSolution& solution,
                                                double more, Context& context) const {
  const Loaded loaded(*this, system, solution);
  const std::vector<Candidate> list = candidates(loaded, {}, context);
  FirstStarts starts{firstOf(list, loaded, context), {}};
  if (!starts.first) return starts;
  const double most = (1 + more) * starts.first->factor;
  std::vector<Candidate> apart;
  for (const Candidate& c : list) {
    if (c.factor > most || apart.size() == kMostAlike) break;
    const StartSite& site = mSites[c.site];
    const auto isNear = [&](const Candidate& other) {
      return (mSites[other.site].place - site.place).norm() < site.radius;
    };
    if (std::none_of(apart.begin(), apart.end(), isNear)) apart.push_back(c);
  }
  for (const CrackStart& start : coupledStarts(apart, loaded, context))
    if (start.factor <= most) starts.alike.push_back(start);
  return starts;
}

}  // namespace hackle
