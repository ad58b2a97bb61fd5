#include <hackle/fracture/modes/impact.h>

#include <hackle/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

BreakLimits breakLimits(double young, double poisson, double density, double strength, double toughness) {
  BreakLimits limits;
  limits.speed = 2 * strength / std::sqrt(young * density);
  limits.energy = toughness * toughness * (1 - poisson * poisson) / young;
  return limits;
}

ImpactProjector::ImpactProjector(const ModesCache& cache, Context& context)
    : mCache(cache), mLocator(cache.shares.points, cache.shares.tetrahedra, context) {
  for (const CachedMode& mode : cache.modes) mRanks = std::max(mRanks, static_cast<size_t>(mode.rank) + 1);
  for (const PieceContact& c : cache.parts.contacts) {
    const double a = cache.masses[c.a], b = cache.masses[c.b];
    mEnergySpeed.push_back(std::sqrt(2 * c.area * (1 / a + 1 / b)));
  }
}

size_t ImpactProjector::checkedModes(std::optional<size_t> modes) const {
  if (!modes) return mRanks;
  if (*modes > mRanks)
    throw Error(ErrorCode::Usage, fmt::format("{} modes are asked for, the file has {}", *modes, mRanks),
                "ask for fewer, or precompute more");
  return *modes;
}

/// Shares of the parts in an impulse at a place; outside of the lattice, at its nearest point.
std::vector<double> ImpactProjector::sharesAt(const Vec3& position) const {
  const ImpulseShares& s = mCache.shares;
  std::vector<double> shares(mCache.masses.size(), 0.0);
  const auto add = [&](size_t point, double weight) {
    for (int32_t i = s.starts[point]; i < s.starts[point + 1]; ++i)
      shares[s.parts[i]] += weight * static_cast<double>(s.shares[i]);
  };
  if (const auto place = mLocator.find(position)) {
    const Tetrahedron& t = s.tetrahedra[place->tetrahedron];
    for (size_t c = 0; c < 4; ++c) add(static_cast<size_t>(t[c]), place->weights[c]);
    return shares;
  }
  size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t p = 0; p < s.points.size(); ++p) {
    const double distance = (s.points[p] - position).squaredNorm();
    if (distance < least) least = distance, nearest = p;
  }
  add(nearest, 1.0);
  return shares;
}

/// Adds the movement that an impact gives to the parts, for an impulse of 1 N s in all impacts together.
void ImpactProjector::addResponse(const Blow& impact, const Vec3& direction, size_t modes,
                                  Projection projection, const Gluing* earlier, std::vector<Vec3>& moved,
                                  std::vector<Vec3>& velocity) const {
  const size_t parts = mCache.masses.size();
  std::vector<double> shares = sharesAt(impact.at);
  const auto hit = [&](size_t p) { return !earlier || earlier->groupOf[p] == impact.piece; };
  double share = 0, mass = 0;
  for (size_t p = 0; p < parts; ++p) {
    if (!hit(p)) shares[p] = 0;
    share += shares[p];
    if (hit(p)) mass += mCache.masses[p];
  }
  if (!(mass > 0)) return;
  // All of the impulse stays in what is hit. If none reaches it, it moves as a whole.
  for (size_t p = 0; p < parts; ++p) {
    if (!hit(p)) continue;
    shares[p] = share > 0 ? shares[p] / share : mCache.masses[p] / mass;
    velocity[p] += shares[p] / mCache.masses[p] * direction;
    if (projection == Projection::Parts) moved[p] += shares[p] / mCache.masses[p] * direction;
    shares[p] -= mCache.masses[p] / mass;  // moving as a whole breaks nothing
  }
  if (projection == Projection::Parts) return;
  for (size_t m = 0; m < mCache.modes.size(); ++m) {
    if (static_cast<size_t>(mCache.modes[m].rank) >= modes) continue;
    const double* values = mCache.values.col(static_cast<Eigen::Index>(m)).data();
    double amplitude = 0;
    for (size_t p = 0; p < parts; ++p) amplitude += values[p] * (hit(p) ? shares[p] : 0.0);
    Vec3 along = amplitude * direction;
    for (int a = 0; a < 3; ++a)
      if (!(mCache.modes[m].axes >> a & 1)) along[a] = 0;
    for (size_t p = 0; p < parts; ++p)
      if (hit(p)) moved[p] += values[p] * along;
  }
}

ImpactResult ImpactProjector::project(Span<const Blow> impacts, const ImpactOptions& options,
                                      const Gluing* earlier) const {
  const size_t modes = checkedModes(options.modes);
  double whole = 0;
  for (const Blow& impact : impacts) whole += impact.impulse.norm();
  std::vector<Vec3> moved(mCache.masses.size(), Vec3::Zero());
  ImpactResult result;
  result.velocity.assign(mCache.masses.size(), Vec3::Zero());
  std::vector<uint8_t> isHit(earlier ? earlier->names.size() : 1, earlier ? 0 : 1);
  if (whole > 0)
    for (const Blow& impact : impacts) {
      addResponse(impact, impact.impulse / whole, modes, options.projection, earlier, moved, result.velocity);
      if (earlier) isHit[impact.piece] = 1;
    }
  for (Vec3& v : result.velocity) v *= whole;

  const std::vector<PieceContact>& contacts = mCache.parts.contacts;
  for (size_t c = 0; c < contacts.size(); ++c) {
    const size_t a = static_cast<size_t>(contacts[c].a), b = static_cast<size_t>(contacts[c].b);
    const size_t group = earlier ? static_cast<size_t>(earlier->groupOf[a]) : 0;
    const bool apart = earlier && earlier->groupOf[a] != earlier->groupOf[b];
    // Rounding must not make more of less: the impulse and sigma come in by one monotone product each.
    const double jump = whole * (moved[a] - moved[b]).norm();
    const double limit = std::max(options.limits.speed, std::sqrt(options.limits.energy) * mEnergySpeed[c]);
    const bool breaks = !apart && isHit[group] && jump > options.sigma * limit;
    if (!apart && isHit[group] && limit > 0) result.largestLoad = std::max(result.largestLoad, jump / limit);
    result.glued.push_back(apart || breaks ? 0 : 1);
  }
  return result;
}

std::vector<uint8_t> ImpactProjector::gluedByModes(std::optional<size_t> modes, double sigma) const {
  const size_t used = checkedModes(modes);
  const std::vector<PieceContact>& contacts = mCache.parts.contacts;
  std::vector<uint8_t> glued(contacts.size(), 1);
  for (size_t m = 0; m < mCache.modes.size(); ++m) {
    if (static_cast<size_t>(mCache.modes[m].rank) >= used) continue;
    const auto values = mCache.values.col(static_cast<Eigen::Index>(m));
    // Rounding of the means is no jump.
    const double rounding = 1e-12 * values.cwiseAbs().maxCoeff();
    double largest = 0;
    for (const PieceContact& c : contacts) largest = std::max(largest, std::abs(values[c.a] - values[c.b]));
    for (size_t c = 0; c < contacts.size(); ++c)
      if (std::abs(values[contacts[c].a] - values[contacts[c].b]) > std::max(sigma * largest, rounding))
        glued[c] = 0;
  }
  return glued;
}

Gluing glueWithin(const FracturePieces& parts, Span<const uint8_t> glued, const Gluing& earlier) {
  Gluing gluing = glueContacts(parts, glued, "");
  const size_t count = gluing.names.size();
  std::vector<int32_t> parentOf(count, -1), children(earlier.names.size(), 0), number(count, 0);
  for (size_t p = 0; p < gluing.groupOf.size(); ++p) {
    int32_t& parent = parentOf[gluing.groupOf[p]];
    if (parent >= 0) continue;
    parent = earlier.groupOf[p];
    number[gluing.groupOf[p]] = children[parent]++;
  }
  for (size_t g = 0; g < count; ++g) {
    const size_t parent = static_cast<size_t>(parentOf[g]);
    gluing.names[g] = earlier.names[parent];
    if (children[parent] > 1) gluing.names[g] += fmt::format("-{}", number[g]);
  }
  return gluing;
}

}  // namespace hackle
