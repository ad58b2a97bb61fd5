#include <hackle/coupling/decide.h>

#include <hackle/core/random.h>
#include <hackle/coupling/contact_patch.h>
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

/// The place of a body among bodies by id; their number if there is none.
size_t placeOf(Span<CouplingBody* const> bodies, int32_t id) {
  const auto found =
      std::lower_bound(bodies.begin(), bodies.end(), id,
                       [](const CouplingBody* body, int32_t wanted) { return body->id < wanted; });
  return static_cast<size_t>((found != bodies.end() && (*found)->id == id ? found : bodies.end()) -
                             bodies.begin());
}

/// Whether thresholds keep a body from being asked as long as no contact acts on it.
bool needsContact(const FractureLimits& limits) {
  if (!limits.impulse && !limits.force) return limits.strength.value_or(0) > 0;
  return limits.impulse.value_or(1) > 0 && limits.force.value_or(1) > 0;
}

uint64_t streamOf(uint64_t seed, const std::string& name, int event) {
  return mixBits(checksum64(name, seed) + static_cast<uint64_t>(event) * 0x9e3779b97f4a7c15ULL) >> 1;
}

}  // namespace

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
                                                                   Span<CouplingBody* const> bodies) const {
  const auto canBreak = [&](int32_t id) {
    const size_t place = placeOf(bodies, id);
    return place < bodies.size() && bodies[place]->engine && bodies[place]->dynamic;
  };
  std::vector<std::pair<Pair, const BodyContact*>> sorted;
  sorted.reserve(contacts.size());
  // Contacts of a pair mostly come one after another: look it up once.
  Pair last{-1, -1};
  bool counts = false;
  for (const BodyContact& c : contacts) {
    const Pair pair{std::min(c.a, c.b), std::max(c.a, c.b)};
    if (pair != last) last = pair, counts = canBreak(c.a) || canBreak(c.b);
    if (counts) sorted.emplace_back(pair, &c);
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
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
                                                                  Span<CouplingBody* const> bodies,
                                                                  double dt) {
  std::vector<PairContact> pairs = pairsOf(contacts, bodies);
  std::vector<std::pair<Pair, PairHistory>> histories;
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
  mPairs = std::move(histories);
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

/// N, at least what `addForces` gives: contacts of flat surfaces are the shortest.
double FractureDecider::greatestForce(const BodyLoad& load, const CouplingBody& body) const {
  double force = load.force;
  const double flat = body.geometry.bounds().diagonal();
  for (const Draft& draft : load.drafts)
    force = std::max(force, draft.impulse / hertzDuration(draft.effective, pairModulus(body, *draft.other),
                                                          flat, draft.contact.speed));
  return force;
}

/// Duration and force after Hertz, from the local shape of both bodies.
void FractureDecider::addForces(BodyLoad& load, CouplingBody& body, Context& context) {
  const double flat = body.geometry.bounds().diagonal();
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
    const double own = body.geometry.bounds().diagonal();
    const double size = std::min(own, other.geometry.empty() ? own : other.geometry.bounds().diagonal());
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

/// False for loads that are not greater than one that the body held.
bool FractureDecider::worthAsking(const CouplingBody& body, const BodyLoad& load, double time) const {
  const FractureLimits& limits = body.limits;
  if (limits.impulse || limits.force) {
    const bool reached =
        (limits.impulse && load.impulse >= *limits.impulse) || (limits.force && load.force >= *limits.force);
    if (!reached) return false;
  } else if (limits.strength && nominalStress(body, load.force) < *limits.strength) {
    return false;
  }
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
  if (byStress && nominalStress(body, greatestForce(load, body)) < *body.limits.strength) return std::nullopt;
  const bool forcesFirst = byStress || body.limits.force;
  if (forcesFirst) addForces(load, body, context);
  if (!worthAsking(body, load, time)) return std::nullopt;
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
  for (const PairContact& contact : gather(contacts, bodies, dt)) {
    const size_t ends[2] = {placeOf(bodies, contact.bodies[0]), placeOf(bodies, contact.bodies[1])};
    HACKLE_ASSERT(ends[0] < bodies.size() && ends[1] < bodies.size());
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
    if (!loads[place] && ready(body) && body.limits.resting && !needsContact(body.limits) &&
        isFasterThanAsked(body))
      loadOn(place);
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
