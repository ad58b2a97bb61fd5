#include <hackle/fracture/modes/impact_projection.h>

#include <hackle/core/error.h>
#include <hackle/geometry/union_find.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

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
                "ask for fewer, or find more modes first");
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

/// What impacts do to each part, per N s of all impacts together.
struct ImpactProjector::Movement {
  double impulse = 0;          // N s, sum over the impacts
  std::vector<Vec3> moved;     // m/s per N s, projected, without that of the whole
  std::vector<Vec3> velocity;  // m/s per N s, by the part's own share
  std::vector<uint8_t> isHit;  // of each earlier piece; of the whole if there are none
};

/// Adds the movement that an impact gives to the parts, those of one earlier piece if there are any.
void ImpactProjector::addResponse(const Impact& impact, size_t modes, Projection projection,
                                  const Gluing* earlier, int32_t piece, Movement& movement) const {
  const size_t parts = mCache.masses.size();
  const Vec3 direction = impact.impulse * impact.direction / movement.impulse;
  std::vector<double> shares = sharesAt(impact.position);
  const auto hit = [&](size_t p) { return !earlier || earlier->groupOf[p] == piece; };
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
    movement.velocity[p] += shares[p] / mCache.masses[p] * direction;
    if (projection == Projection::Parts) movement.moved[p] += shares[p] / mCache.masses[p] * direction;
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
      if (hit(p)) movement.moved[p] += values[p] * along;
  }
}

namespace {

/// How hard a contact is loaded.
struct ContactLoad {
  size_t contact = 0;
  double jump = 0;   // m/s
  double limit = 0;  // m/s
  double load = 0;   // jump over limit

  bool operator<(const ContactLoad& other) const {
    return std::tie(load, jump, contact) < std::tie(other.load, other.jump, other.contact);
  }
};

ContactLoad contactLoad(size_t contact, double jump, double limit) {
  if (limit > 0) return {contact, jump, limit, jump / limit};
  return {contact, jump, limit, jump > 0 ? std::numeric_limits<double>::infinity() : 0.0};
}

size_t pieceCount(const FracturePieces& parts, Span<const uint8_t> glued) {
  UnionFind groups(parts.names.size());
  size_t count = parts.names.size();
  for (size_t c = 0; c < parts.contacts.size(); ++c)
    if (glued[c] && groups.find(parts.contacts[c].a) != groups.find(parts.contacts[c].b)) {
      groups.unite(parts.contacts[c].a, parts.contacts[c].b);
      --count;
    }
  return count;
}

/// The contacts that hold pieces together, most loaded first: a spanning forest of least load. Opening all
/// contacts above a load gives one more piece for each contact of the forest above it.
std::vector<ContactLoad> holdingContacts(const FracturePieces& parts, std::vector<ContactLoad> loads) {
  std::sort(loads.begin(), loads.end());
  UnionFind groups(parts.names.size());
  std::vector<ContactLoad> forest;
  for (const ContactLoad& load : loads) {
    const PieceContact& contact = parts.contacts[load.contact];
    if (groups.find(contact.a) == groups.find(contact.b)) continue;
    groups.unite(contact.a, contact.b);
    forest.push_back(load);
  }
  std::reverse(forest.begin(), forest.end());
  return forest;
}

}  // namespace

ImpactProjector::Movement ImpactProjector::movementBy(Span<const Impact> impacts,
                                                      const ProjectionOptions& options,
                                                      const EarlierPieces* earlier) const {
  const size_t modes = checkedModes(options.modes);
  Movement movement;
  movement.moved.assign(mCache.masses.size(), Vec3::Zero());
  movement.velocity.assign(mCache.masses.size(), Vec3::Zero());
  movement.isHit.assign(earlier ? earlier->gluing.names.size() : 1, earlier ? 0 : 1);
  for (const Impact& impact : impacts) movement.impulse += impact.impulse;
  if (!(movement.impulse > 0)) return movement;
  for (size_t i = 0; i < impacts.size(); ++i) {
    const int32_t piece = earlier ? earlier->hit[i] : 0;
    addResponse(impacts[i], modes, options.projection, earlier ? &earlier->gluing : nullptr, piece, movement);
    movement.isHit[piece] = 1;
  }
  return movement;
}

ProjectionResult ImpactProjector::project(Span<const Impact> impacts, const ProjectionOptions& options,
                                          const EarlierPieces* earlier) const {
  const Movement movement = movementBy(impacts, options, earlier);
  ProjectionResult result;
  for (const Vec3& v : movement.velocity) result.velocity.push_back(movement.impulse * v);

  // Load every contact inside of a piece that is hit.
  const std::vector<PieceContact>& contacts = mCache.parts.contacts;
  std::vector<ContactLoad> loads;
  std::vector<uint8_t> before(contacts.size(), 1);
  for (size_t c = 0; c < contacts.size(); ++c) {
    const int32_t a = contacts[c].a, b = contacts[c].b;
    const int32_t group = earlier ? earlier->gluing.groupOf[a] : 0;
    if (earlier && earlier->gluing.groupOf[b] != group) before[c] = 0;
    if (!before[c] || !movement.isHit[group]) continue;
    // Rounding must not make more of less: the impulse and sigma come in by one monotone product each.
    const double jump = movement.impulse * (movement.moved[a] - movement.moved[b]).norm();
    const double limit = std::max(options.limits.speed, std::sqrt(options.limits.energy) * mEnergySpeed[c]);
    loads.push_back(contactLoad(c, jump, limit));
    if (limit > 0) result.largestLoad = std::max(result.largestLoad, loads.back().load);
  }

  // Open those that are loaded too much; if that makes too many pieces, the most loaded of them.
  result.before = pieceCount(mCache.parts, before);
  const std::vector<ContactLoad> holding = holdingContacts(mCache.parts, loads);
  if (!holding.empty()) result.breakingLoad = holding.front().load;
  const auto open = [&](const ContactLoad* above) {
    result.glued = before;
    result.opened = 0;
    for (const ContactLoad& load : loads) {
      if (!(load.jump > options.sigma * load.limit) || (above && !(*above < load))) continue;
      result.glued[load.contact] = 0;
      ++result.opened;
    }
    result.pieces = pieceCount(mCache.parts, result.glued);
  };
  open(nullptr);
  const size_t most = std::max(result.before, options.maxPieces.value_or(result.pieces));
  result.limited = result.pieces > most;
  if (result.limited) open(&holding[most - result.before]);
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
