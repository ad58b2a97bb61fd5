#include <hackle/coupling/decide.h>

#include <hackle/core/random.h>
#include <hackle/coupling/contact_patch.h>
#include <hackle/fracture/harmless_force.h>
#include <hackle/mechanics/contact.h>

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

// A load has to be this much greater than the one that a body held, or it is not asked again.
constexpr double kAskAgain = 1.1;
// s after which an impact counts by itself again, however small.
constexpr double kEpisode = 0.1;
// Contacts slower than this many steps of free fall rest.
constexpr double kRestSteps = 2;
// Pieces of the first fracture's size that a body has to have to break again, where its engine asks for none.
constexpr double kLeastPieces = 1.5;
// Depth (of the size) within which points of a surface belong to a flat contact.
constexpr double kPatchReach = 2e-3;

/// 1/kg: what an impulse along a direction at a place moves; 0 for bodies that nothing moves.
double mobility(const CouplingBody& body, const Vec3& place, const Vec3& direction) {
  if (!body.dynamic) return 0;
  const Vec3 arm = body.motion.rotation.transpose() * (place - body.motion.position);
  const Vec3 axis = arm.cross(Vec3(body.motion.rotation.transpose() * direction));
  return 1 / body.mass.mass + axis.dot(body.mass.inertia.inverse() * axis);
}

/// Points of the body's surface in the world; none for bodies without one.
SurfacePoints surfacePoints(CouplingBody& body, Context& context) {
  SurfacePoints points;
  if (body.geometry.primitiveCount() == 0) return points;
  const SolidPtr& solid = solidOf(body, context);
  for (const Vec3& p : solid->mesh.points) points.push_back(toWorld(body.motion, body.mass.centre, p));
  return points;
}

/// The place of the body's rest surface nearest to a place in the world: hulls of concave bodies touch others
/// where their surface does not.
Vec3 surfacePlace(CouplingBody& body, const Vec3& place, Context& context) {
  const Vec3 rest = toRest(body.motion, body.mass.centre, place);
  const ClosestPoint at = solidOf(body, context)->bvh.closestPoint(rest);
  return at.triangle >= 0 ? at.point : rest;
}

/// Pa, E* of Hertz.
double pairModulus(const CouplingBody& a, const CouplingBody& b) {
  const auto inverse = [](const ElasticMaterial& m) { return (1 - m.poisson * m.poisson) / m.young; };
  return 1 / (inverse(a.material) + inverse(b.material));
}

/// How many pieces as large as those of the first fracture the body has.
double piecesIn(const CouplingBody& body) {
  return body.pieceVolume > 0 ? body.mass.mass / body.material.density / body.pieceVolume
                              : std::numeric_limits<double>::infinity();
}

/// m, of the body's box.
double diagonalOf(const CouplingBody& body) {
  return (body.solid ? body.solid->bvh.bounds() : body.geometry.bounds()).diagonal();
}

/// Pa, nominal, of a contact's force (N), or of its spin where that counts.
double stressOf(const CouplingBody& body, double force) {
  return std::max(nominalStress(body, force), body.limits.resting ? spinStress(body) : 0.0);
}

/// Whether a body may break by its spin alone.
bool maySpinApart(const CouplingBody& body) {
  const FractureLimits& limits = body.limits;
  if (!limits.resting) return false;
  if (limits.impulse || limits.force)
    return !(limits.impulse.value_or(1) > 0 && limits.force.value_or(1) > 0);
  return !limits.strength || spinStress(body) >= *limits.strength;
}

uint64_t streamOf(uint64_t seed, const std::string& name, int event) {
  return mixBits(checksum64(name, seed) + static_cast<uint64_t>(event) * 0x9e3779b97f4a7c15ULL) >> 1;
}

}  // namespace

/// Bodies of a step by id: a pile looks them up for every contact.
class FractureDecider::Places {
 public:
  explicit Places(Span<CouplingBody* const> bodies) : mBodies(bodies) {
    const int32_t last = bodies.empty() ? -1 : bodies[bodies.size() - 1]->id;
    mPlace.assign(static_cast<size_t>(std::max(last, -1) + 1), -1);
    for (size_t i = 0; i < bodies.size(); ++i)
      if (bodies[i]->id >= 0) mPlace[bodies[i]->id] = static_cast<int32_t>(i);
  }
  size_t of(int32_t id) const {
    if (id < 0) return search(id);  // what a host does not number
    const bool known = static_cast<size_t>(id) < mPlace.size() && mPlace[id] >= 0;
    HACKLE_ASSERT(known);
    return static_cast<size_t>(mPlace[id]);
  }
  bool canBreak(int32_t id) const {
    const CouplingBody& body = *mBodies[of(id)];
    return body.engine && body.dynamic;
  }

 private:
  size_t search(int32_t id) const {
    const auto found =
        std::lower_bound(mBodies.begin(), mBodies.end(), id,
                         [](const CouplingBody* body, int32_t wanted) { return body->id < wanted; });
    HACKLE_ASSERT(found != mBodies.end() && (*found)->id == id);
    return static_cast<size_t>(found - mBodies.begin());
  }

  Span<CouplingBody* const> mBodies;
  std::vector<int32_t> mPlace;
};

/// All points of two bodies in this step, as one.
struct FractureDecider::PairContact {
  Pair bodies{};
  Vec3 position = Vec3::Zero();  // mean, weighted by impulse
  Vec3 normal = Vec3::Zero();    // from the second body to the first
  Vec3 impulse = Vec3::Zero();   // N s on the first body, over three steps
  Vec3 recent = Vec3::Zero();    // the same in this step
  double speed = 0;              // m/s
  double depth = 0;              // m
  bool rests = false;
};

/// An impact on a body, before the shapes of both are looked at.
struct FractureDecider::Draft {
  CouplingBody* other = nullptr;
  PairContact contact;
  double sign = 1;  // 1 for the first body of the pair, -1 for the second
  double impulse = 0, effective = 0, restitution = 0;
  std::optional<double> radius;  // of the other body
  double duration = 0;
};

struct FractureDecider::BodyLoad {
  std::vector<Draft> drafts;
  LoadCase load;
  double impulse = 0, force = 0, speed = 0, energy = 0, duration = 0, strongest = 0;
  Vec3 position = Vec3::Zero();
  Vec3 restForce = Vec3::Zero(), restTorque = Vec3::Zero();  // in the world
};

void FractureDecider::PairHistory::push(const Vec3& latest) {
  std::rotate(impulse.rbegin(), impulse.rbegin() + 1, impulse.rend());
  impulse[0] = latest;
}

/// The contacts of each pair with a body that can break as one, by pair.
std::vector<FractureDecider::PairContact> FractureDecider::pairsOf(Span<const BodyContact> contacts,
                                                                   const Places& places) const {
  std::vector<std::pair<Pair, const BodyContact*>> sorted;
  sorted.reserve(contacts.size());
  // Contacts of a pair mostly come one after another: look it up once.
  Pair last{-1, -1};
  bool counts = false;
  for (const BodyContact& c : contacts) {
    const Pair pair{std::min(c.a, c.b), std::max(c.a, c.b)};
    if (pair != last) last = pair, counts = places.canBreak(c.a) || places.canBreak(c.b);
    if (counts) sorted.emplace_back(pair, &c);
  }
  const auto before = [](const auto& x, const auto& y) { return x.first < y.first; };
  if (!std::is_sorted(sorted.begin(), sorted.end(), before))
    std::stable_sort(sorted.begin(), sorted.end(), before);
  std::vector<PairContact> pairs;
  for (size_t first = 0, end = 0; first < sorted.size(); first = end) {
    PairContact pair;
    double sum = 0;
    pair.bodies = sorted[first].first;
    for (; end < sorted.size() && sorted[end].first == pair.bodies; ++end) {
      const BodyContact& c = *sorted[end].second;
      const double sign = c.a == pair.bodies[0] ? 1 : -1, weight = c.impulse.norm();
      pair.position += weight * c.position;
      pair.normal += weight * sign * c.normal;
      pair.recent += sign * c.impulse;
      pair.speed = std::max(pair.speed, c.speed);
      pair.depth = std::max(pair.depth, c.depth);
      sum += weight;
    }
    if (!(sum > 0) || !(pair.normal.norm() > 0)) continue;
    pair.position /= sum;
    pair.normal.normalize();
    pairs.push_back(pair);
  }
  return pairs;
}

/// The same, with what happened in the last three steps, which move on by one.
std::vector<FractureDecider::PairContact> FractureDecider::gather(Span<const BodyContact> contacts,
                                                                  const Places& places, double dt) {
  std::vector<PairContact> pairs = pairsOf(contacts, places);
  std::vector<std::pair<Pair, PairHistory>>& histories = mNextPairs;
  histories.clear();
  histories.reserve(mPairs.size() + pairs.size());
  const auto keepWithoutContact = [&](std::pair<Pair, PairHistory> entry) {
    if (++entry.second.idle >= static_cast<int>(kSteps)) return;
    entry.second.push(Vec3::Zero());
    histories.push_back(entry);
  };
  auto past = mPairs.cbegin();
  for (PairContact& pair : pairs) {
    for (; past != mPairs.cend() && past->first < pair.bodies; ++past) keepWithoutContact(*past);
    PairHistory history;
    if (past != mPairs.cend() && past->first == pair.bodies) history = (past++)->second;
    history.push(pair.recent);
    history.idle = 0;
    history.slow = pair.speed <= kRestSteps * mOptions.gravity * dt ? history.slow + 1 : 0;
    for (const Vec3& impulse : history.impulse) pair.impulse += impulse;
    pair.rests = history.slow >= static_cast<int>(kSteps);
    histories.emplace_back(pair.bodies, history);
  }
  for (; past != mPairs.cend(); ++past) keepWithoutContact(*past);
  std::swap(mPairs, histories);
  return pairs;
}

std::optional<double> FractureDecider::radiusAt(CouplingBody& body, const Vec3& place, Context& context) {
  if (body.geometry.primitiveCount() == 0) return std::nullopt;
  return mRadii[body.id].at(*solidOf(body, context), toRest(body.motion, body.mass.centre, place));
}

/// What an impact gives, without a look at shapes.
void FractureDecider::addImpact(BodyLoad& load, const CouplingBody& body, CouplingBody& other,
                                const PairContact& contact, double sign) const {
  Draft draft;
  draft.other = &other;
  draft.contact = contact;
  draft.sign = sign;
  // The greater of what acted so far and of what an impact of this speed gives.
  draft.effective = 1 / (mobility(body, contact.position, contact.normal) +
                         mobility(other, contact.position, contact.normal));
  draft.restitution = std::sqrt(body.restitution * other.restitution);
  draft.impulse = std::max(contact.impulse.norm(), (1 + draft.restitution) * draft.effective * contact.speed);
  load.impulse += draft.impulse;
  load.speed = std::max(load.speed, contact.speed);
  load.energy +=
      0.5 * draft.effective * contact.speed * contact.speed * (1 - draft.restitution * draft.restitution);
  if (draft.impulse > load.strongest) load.strongest = draft.impulse, load.position = contact.position;
  load.drafts.push_back(draft);
}

/// N, at least what `addForces` gives for a contact: those of flat surfaces are the shortest.
double FractureDecider::shortestForce(const Draft& draft, const CouplingBody& body) const {
  const double flat = diagonalOf(body);
  return draft.impulse /
         hertzDuration(draft.effective, pairModulus(body, *draft.other), flat, draft.contact.speed);
}

double FractureDecider::greatestForce(const BodyLoad& load, const CouplingBody& body) const {
  double force = load.force;
  for (const Draft& draft : load.drafts) force = std::max(force, shortestForce(draft, body));
  return force;
}

/// Whether the engine knows, before it prepares anything, that the body holds: all contacts at their peaks,
/// resting ones (N), and what its spin pulls.
bool FractureDecider::isHarmless(const BodyLoad& load, CouplingBody& body, double resting, Context& context) {
  const Solid& solid = *solidOf(body, context);
  const auto* engine = dynamic_cast<const KnowsHarmlessForce*>(body.engine.get());
  const double any = std::numeric_limits<double>::infinity();
  if (!engine || !(engine->harmlessForce(solid, body.state.get(), any, load.load) > 0)) return false;
  const auto [thickness, isNew] = mThickness.try_emplace(body.id, 0.0);
  if (isNew) thickness->second = thinnestPart(solid, context);
  double force = resting;
  for (const Draft& draft : load.drafts) force += kHertzPeak * shortestForce(draft, body);
  force += body.mass.mass * load.load.spin.squaredNorm() * diagonalOf(body);
  return force < engine->harmlessForce(solid, body.state.get(), thickness->second, load.load);
}

/// Duration and force after Hertz, from the local shape of both bodies.
void FractureDecider::addForces(BodyLoad& load, CouplingBody& body, Context& context) {
  const double flat = diagonalOf(body);
  for (Draft& draft : load.drafts) {
    const double modulus = pairModulus(body, *draft.other);
    const std::optional<double> own = radiusAt(body, draft.contact.position, context);
    draft.radius = radiusAt(*draft.other, draft.contact.position, context);
    const double curvature = (own ? 1 / *own : 0) + (draft.radius ? 1 / *draft.radius : 0);
    const double radius = std::min(flat, curvature > 0 ? 1 / curvature : flat);
    draft.duration = hertzDuration(draft.effective, modulus, radius, draft.contact.speed);
    load.force = std::max(load.force, draft.impulse / draft.duration);
    load.duration = std::max(load.duration, draft.duration);
  }
}

/// Impacts over the areas that the body shares with others.
void FractureDecider::spreadImpacts(BodyLoad& load, CouplingBody& body, Context& context) const {
  for (SteadyForce& steady : load.load.steady)
    steady.position = surfacePlace(body, toWorld(body.motion, body.mass.centre, steady.position), context);
  for (const Draft& draft : load.drafts) {
    CouplingBody& other = *draft.other;
    const PairContact& contact = draft.contact;
    const Vec3 push =
        draft.sign * (contact.impulse.norm() > 0 ? contact.impulse.normalized() : contact.normal);
    const double own = diagonalOf(body);
    const double size = std::min(own, other.geometry.empty() ? own : diagonalOf(other));
    const double reach = kPatchReach * size + std::max(0.0, contact.depth);
    const ContactPatch patch = contactPatch(surfacePoints(body, context), surfacePoints(other, context),
                                            contact.position, contact.normal, reach);
    const auto touches = [&](const Vec3& place) {
      const Vec3 on = surfacePlace(body, place, context);
      return (on - toRest(body.motion, body.mass.centre, place)).norm() <= 2 * reach;
    };
    for (const PatchSample& sample : patchSamples(patch, contact.position, contact.normal, touches)) {
      Impact impact;
      impact.position = surfacePlace(body, sample.position, context);
      impact.direction = body.motion.rotation.transpose() * push;
      impact.impulse = sample.share * draft.impulse;
      impact.speed = contact.speed;
      if (other.dynamic) impact.striker.mass = other.mass.mass;
      impact.striker.material = other.material;
      impact.striker.radius = draft.radius;
      load.load.impacts.push_back(impact);
    }
  }
}

void FractureDecider::addRest(BodyLoad& load, const CouplingBody& body, const PairContact& contact,
                              double sign, double dt) const {
  const Vec3 force = sign * contact.impulse / (kSteps * dt);
  SteadyForce steady;
  steady.position = toRest(body.motion, body.mass.centre, contact.position);
  steady.force = body.motion.rotation.transpose() * force;
  load.load.steady.push_back(steady);
  load.restForce += force;
  load.restTorque += (contact.position - body.motion.position).cross(force);
  if (load.impulse == 0) load.position = contact.position;
}

/// Whether a load is as great as the thresholds, or the strength, ask for.
bool FractureDecider::reachesLimits(const CouplingBody& body, const BodyLoad& load) {
  const FractureLimits& limits = body.limits;
  if (!limits.impulse && !limits.force) return !limits.strength || reachesStrength(body, load.force);
  if (limits.impulse && load.impulse >= *limits.impulse) return true;
  if (limits.force && load.force >= *limits.force) return true;
  missed(body, std::max(limits.impulse ? load.impulse / *limits.impulse : 0.0,
                        limits.force ? load.force / *limits.force : 0.0));
  return false;
}

bool FractureDecider::reachesStrength(const CouplingBody& body, double force) {
  const double stress = stressOf(body, force);
  if (stress >= *body.limits.strength) return true;
  missed(body, stress / *body.limits.strength);
  return false;
}

void FractureDecider::missed(const CouplingBody& body, double share) {
  if (!mNearest || share > mNearest->share) mNearest = NearMiss{body.name, share};
}

/// False for loads that are not greater than one that the body held.
bool FractureDecider::worthAsking(const CouplingBody& body, const BodyLoad& load, double time) const {
  const auto found = mAsked.find(body.id);
  if (found == mAsked.end()) return true;
  const Asked& asked = found->second;
  const bool sameEpisode = time - asked.time < kEpisode;
  if (load.impulse > 0 && (!sameEpisode || load.impulse > kAskAgain * asked.impulse)) return true;
  return load.impulse == 0 &&
         (load.force > kAskAgain * asked.force || load.load.spin.norm() > kAskAgain * asked.spin);
}

/// Whether the body spins faster than when it was asked last.
bool FractureDecider::isFasterThanAsked(const CouplingBody& body) const {
  const auto found = mAsked.find(body.id);
  const double asked = found == mAsked.end() ? 0 : found->second.spin;
  return body.motion.spin.norm() > kAskAgain * asked;
}

std::optional<FractureEvent> FractureDecider::ask(CouplingBody& body, BodyLoad& load, size_t total,
                                                  double time, double dt, Context& context) {
  // Resting loads act with the body's own weight: felt acceleration is what contacts give.
  LoadCase& given = load.load;
  const Mat3 back = body.motion.rotation.transpose();
  given.spin = back * body.motion.spin;
  double resting = 0;
  for (const SteadyForce& steady : given.steady) resting += steady.force.norm();
  load.force = std::max(load.force, resting);
  const bool byStress = body.limits.strength && !body.limits.force && !body.limits.impulse;
  // Curvature at contacts is not looked at where even the shortest ones would not be enough.
  if (byStress && !reachesStrength(body, greatestForce(load, body))) return std::nullopt;
  const bool forcesFirst = byStress || body.limits.force;
  if (forcesFirst) addForces(load, body, context);
  if (!reachesLimits(body, load) || !worthAsking(body, load, time)) return std::nullopt;
  if (body.limits.contactTime) given.duration = dt;
  if (isHarmless(load, body, resting, context)) return std::nullopt;
  if (!forcesFirst) addForces(load, body, context);
  given.acceleration = back * load.restForce / body.mass.mass;
  given.angularAcceleration = body.mass.inertia.inverse() * (back * load.restTorque);
  spreadImpacts(load, body, context);
  Asked& asked = mAsked[body.id];
  if (load.impulse > 0)
    asked.impulse = load.impulse, asked.time = time;
  else
    asked.force = load.force, asked.spin = given.spin.norm();

  if (body.limits.contactTime) given.duration = load.impulse > 0 ? std::min(dt, load.duration) : dt;
  if (body.limits.strength && body.pieceVolume > 0)
    given.maxPieces = static_cast<size_t>(std::round(piecesIn(body)));
  if (mOptions.maxBodies) {
    if (total + 1 >= *mOptions.maxBodies) return std::nullopt;
    const size_t left = *mOptions.maxBodies - total + 1;
    given.maxPieces = std::min(left, given.maxPieces.value_or(left));
  }
  given.seed = streamOf(mOptions.seed, body.name, body.events);
  try {
    const EngineStatePtr& state = stateOf(body, context);
    if (!body.engine->mayBreak(*solidOf(body, context), *state, given)) return std::nullopt;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::BadInput) throw;
    context.warn(fmt::format("{} stays whole: {}", body.name, e.what()));
    body.engine = nullptr;
    return std::nullopt;
  }
  ++body.events;
  FractureEvent event;
  event.body = body.id;
  event.load = std::move(given);
  event.impulse = load.impulse;
  event.force = load.force;
  event.speed = load.speed;
  event.energy = load.energy;
  event.position = load.position;
  return event;
}

std::vector<FractureEvent> FractureDecider::decide(Span<CouplingBody* const> bodies,
                                                   Span<const BodyContact> contacts, size_t total,
                                                   double time, double dt, Context& context) {
  const auto ready = [&](const CouplingBody& body) {
    return body.engine && body.dynamic && time - body.born >= body.limits.delay &&
           (!body.limits.strength || piecesIn(body) >= kLeastPieces);
  };

  // Loads of each body that can break, from all of its contacts at once.
  std::vector<std::unique_ptr<BodyLoad>> loads(bodies.size());
  const auto loadOn = [&](size_t place) -> BodyLoad& {
    if (!loads[place]) loads[place] = std::make_unique<BodyLoad>();
    return *loads[place];
  };
  const Places places(bodies);
  for (const PairContact& contact : gather(contacts, places, dt)) {
    const size_t ends[2] = {places.of(contact.bodies[0]), places.of(contact.bodies[1])};
    for (size_t i = 0; i < 2; ++i) {
      CouplingBody& body = *bodies[ends[i]];
      if (!ready(body)) continue;
      const double sign = i == 0 ? 1 : -1;
      if (contact.rests) {
        if (body.limits.resting) addRest(loadOn(ends[i]), body, contact, sign, dt);
      } else if (contact.speed > kRestSteps * mOptions.gravity * dt) {
        addImpact(loadOn(ends[i]), body, *bodies[ends[1 - i]], contact, sign);
      }
    }
  }

  std::vector<FractureEvent> events;
  for (size_t place = 0; place < bodies.size(); ++place) {
    CouplingBody& body = *bodies[place];
    // Spin alone is a load, too.
    if (!loads[place] && ready(body) && maySpinApart(body) && isFasterThanAsked(body)) loadOn(place);
    if (!loads[place]) continue;
    if (std::optional<FractureEvent> event = ask(body, *loads[place], total, time, dt, context)) {
      if (event->load.maxPieces) total += *event->load.maxPieces - 1;
      events.push_back(std::move(*event));
    }
  }
  return events;
}

void FractureDecider::forget(int32_t body) {
  mAsked.erase(body);
  mRadii.erase(body);
  mThickness.erase(body);
  const auto names = [&](const auto& entry) { return entry.first[0] == body || entry.first[1] == body; };
  mPairs.erase(std::remove_if(mPairs.begin(), mPairs.end(), names), mPairs.end());
}

void FractureDecider::save(ArchiveWriter& archive, const std::string& prefix) const {
  std::vector<int32_t> pairs, bodies;
  std::vector<double> impulses, asked;
  for (const auto& [key, history] : mPairs) {
    pairs.insert(pairs.end(), {key[0], key[1], history.slow, history.idle});
    for (const Vec3& impulse : history.impulse)
      impulses.insert(impulses.end(), {impulse.x(), impulse.y(), impulse.z()});
  }
  for (const auto& [id, last] : mAsked) {
    bodies.push_back(id);
    asked.insert(asked.end(), {last.impulse, last.force, last.spin, last.time});
  }
  archive.add(prefix + "pairs", Span<const int32_t>(pairs));
  archive.add(prefix + "impulses", Span<const double>(impulses));
  archive.add(prefix + "bodies", Span<const int32_t>(bodies));
  archive.add(prefix + "asked", Span<const double>(asked));
}

void FractureDecider::restore(const ArchiveReader& archive, const std::string& prefix) {
  const std::vector<int32_t> pairs = archive.int32s(prefix + "pairs");
  const std::vector<double> impulses = archive.float64s(prefix + "impulses");
  const std::vector<int32_t> bodies = archive.int32s(prefix + "bodies");
  const std::vector<double> asked = archive.float64s(prefix + "asked");
  const size_t count = pairs.size() / 4;
  if (pairs.size() != 4 * count || impulses.size() != 3 * kSteps * count || asked.size() != 4 * bodies.size())
    throw Error(ErrorCode::BadInput, "the saved histories of contacts do not fit together");
  mPairs.clear();
  mAsked.clear();
  mRadii.clear();
  mThickness.clear();
  for (size_t i = 0; i < count; ++i) {
    PairHistory history;
    history.slow = pairs[4 * i + 2];
    history.idle = pairs[4 * i + 3];
    for (size_t k = 0; k < kSteps; ++k) history.impulse[k] = Vec3(&impulses[3 * (kSteps * i + k)]);
    mPairs.emplace_back(Pair{pairs[4 * i], pairs[4 * i + 1]}, history);
  }
  for (size_t i = 0; i < bodies.size(); ++i)
    mAsked[bodies[i]] = {asked[4 * i], asked[4 * i + 1], asked[4 * i + 2], asked[4 * i + 3]};
}

}  // namespace hackle
