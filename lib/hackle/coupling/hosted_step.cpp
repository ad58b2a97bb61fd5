#include <hackle/coupling/hosted_step.h>

#include <hackle/core/error.h>

#include <Eigen/Geometry>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace hackle {

namespace {

const char* const kKind = "hosted";
constexpr uint32_t kVersion = 3;

/// Numbers of a memory in the archive.
constexpr size_t kNumbers = 21;

/// Ids of things that are no bodies of ours count down from here.
constexpr int32_t kObjects = -2;

int32_t objectId(int32_t object) { return kObjects - std::max(0, object + 1); }

/// A body that nothing is known of but that it is there.
CouplingBody unknownBody(int32_t id, const ElasticMaterial& material) {
  CouplingBody body;
  body.id = id;
  body.name = "object";
  body.dynamic = false;
  body.material = material;
  return body;
}

}  // namespace

std::vector<BodyContact> bodyContacts(Span<const HostedContact> contacts,
                                      const std::function<int32_t(size_t)>& bodyOf,
                                      const std::function<const RigidMotion&(int32_t)>& motionOf) {
  std::vector<BodyContact> made;
  std::vector<const HostedContact*> friction;
  for (const HostedContact& c : contacts) {
    if (!(c.impulse > 0) || !(c.normal.norm() > 0)) continue;
    if (c.friction) {
      friction.push_back(&c);
      continue;
    }
    const int32_t a = bodyOf(c.body), b = c.other ? bodyOf(*c.other) : objectId(c.otherObject);
    // Both bodies have a record of the same contact: that of the first counts.
    if (c.other && *c.other < c.body) continue;
    if (a == b) continue;
    BodyContact contact;
    contact.a = a;
    contact.b = b;
    contact.position = c.position;
    contact.normal = c.normal.normalized();
    contact.impulse = c.impulse * contact.normal;
    const Vec3 approach = motionOf(a).velocityAt(c.position) - motionOf(b).velocityAt(c.position);
    contact.speed = std::max(0.0, -approach.dot(contact.normal));
    made.push_back(contact);
  }
  for (const HostedContact* c : friction) {
    const int32_t a = bodyOf(c->body), b = c->other ? bodyOf(*c->other) : objectId(c->otherObject);
    if (c->other && *c->other < c->body) continue;
    BodyContact* nearest = nullptr;
    double gap = std::numeric_limits<double>::infinity();
    for (BodyContact& contact : made) {
      const double distance = (contact.position - c->position).norm();
      if (contact.a == a && contact.b == b && distance < gap) nearest = &contact, gap = distance;
    }
    if (nearest) nearest->impulse += c->impulse * c->normal.normalized();
  }
  return made;
}

const Fragment& nearestFragment(const Replacement& pieces, const Vec3& place) {
  const Fragment* best = nullptr;
  double gap = std::numeric_limits<double>::infinity();
  for (const Fragment& fragment : pieces.fragments) {
    const Vec3 rest = toRest(fragment.motion, fragment.mass.centre, place);
    double distance = std::numeric_limits<double>::infinity();
    for (const Vec3& p : fragment.geometry.positions()) distance = std::min(distance, (p - rest).norm());
    if (distance < gap) best = &fragment, gap = distance;
  }
  HACKLE_ASSERT(best);
  return *best;
}

/// New bodies get ids in the order of their names; those that are gone are forgotten.
void HostedStep::meet(Span<const HostedBody> bodies) {
  std::set<std::string> names;
  for (const HostedBody& body : bodies)
    if (!names.insert(body.name).second)
      throw Error(ErrorCode::BadInput, fmt::format("two bodies have the name \"{}\"", body.name),
                  "give every piece a name of its own (the Assemble node does)");
  for (auto it = mMemories.begin(); it != mMemories.end();) {
    if (names.count(it->first) != 0) {
      ++it;
      continue;
    }
    mDecider.forget(it->second.id);
    it = mMemories.erase(it);
  }
  for (const std::string& name : names) {
    Memory& memory = mMemories[name];
    if (memory.id < 0) memory.id = mNextId++;
  }
}

CouplingBody HostedStep::coupled(const HostedBody& host, Context& context) const {
  const Memory& memory = mMemories.at(host.name);
  CouplingBody body;
  body.id = memory.id;
  body.name = host.name;
  body.dynamic = host.dynamic;
  body.geometry = host.shape(context);
  body.material = host.material;
  body.restitution = host.restitution;
  body.solid = hackle::solidOf(body.geometry, context);
  const double volume = body.solid->mass.volume;
  if (host.mass) body.material.density = *host.mass / volume;
  body.mass = rigidMass(body.solid->mass, body.material.density);
  body.motion.rotation = host.rotation;
  body.motion.position = host.rotation * body.mass.centre + host.offset;
  // The motion before the contacts of this step, where the last one told it.
  body.motion.spin = memory.moved ? memory.spin : host.spin;
  body.motion.velocity = (memory.moved ? memory.velocity : host.velocity) +
                         body.motion.spin.cross(Vec3(body.motion.position - host.at));
  body.originalVolume = memory.originalVolume > 0 ? memory.originalVolume : volume;
  body.pieceVolume = memory.pieceVolume;
  body.born = memory.born;
  body.events = memory.events;
  body.limits = host.limits;
  if (host.dynamic && memory.breakable && volume >= host.limits.minVolume) body.engine = host.engine;
  if (body.engine && !memory.state.empty()) try {
      body.state = body.engine->load(body.solid, memory.state, context);
      body.stateGrew = true;
    } catch (const Error& e) {
      // The host changed the shape: it breaks as a new body would.
      if (e.code() != ErrorCode::BadInput) throw;
      context.warn(fmt::format("the cracks in {} are forgotten: {}", host.name, e.what()));
    }
  return body;
}

/// A host's step may be many of its solver's: records are of any moment in it, while poses are those of its
/// end. The body goes back to the moment at which its surface passes through the contacts.
void HostedStep::placeAtContacts(CouplingBody& body, const HostedBody& host,
                                 const std::vector<Vec3>& contacts) const {
  const Memory& memory = mMemories.at(host.name);
  if (!memory.moved || contacts.empty()) return;
  const Eigen::Quaterniond before(memory.rotation), after(host.rotation);
  double least = std::numeric_limits<double>::infinity();
  RigidMotion best = body.motion;
  for (int quarter = 0; quarter <= 4; ++quarter) {
    const double share = 0.25 * quarter;
    RigidMotion motion = body.motion;
    // The ends as they are, without rounding.
    motion.rotation = quarter == 0   ? memory.rotation
                      : quarter == 4 ? host.rotation
                                     : before.slerp(share, after).toRotationMatrix();
    motion.position = motion.rotation * body.mass.centre + (1 - share) * memory.offset + share * host.offset;
    double gap = 0;
    for (const Vec3& contact : contacts) {
      const Vec3 rest = toRest(motion, body.mass.centre, contact);
      gap = std::max(gap, std::sqrt(body.solid->bvh.closestPoint(rest).squaredDistance));
    }
    if (gap < least) least = gap, best = motion;
  }
  body.motion = best;
}

void HostedStep::breakBody(const HostedBody& host, size_t number, CouplingBody& body,
                           const FractureEvent& event, double time, HostedResult& result, Context& context) {
  ++result.asked;
  Memory& memory = mMemories.at(host.name);
  memory.events = body.events;
  FractureResult broken;
  try {
    broken = body.engine->fracture(*body.solid, *body.state, event.load, context);
  } catch (const Error& e) {
    // One body that an engine cannot break does not end the simulation.
    if (e.code() != ErrorCode::BadInput && e.code() != ErrorCode::Failed) throw;
    context.warn(fmt::format("{} stays whole: {}", host.name, e.what()));
    memory.breakable = false;
    return;
  }
  if (broken.held || broken.pieces.names.size() < 2) {
    // Cracks that did not go through stay for the next blow.
    if (broken.states.size() == 1 && broken.states[0]) memory.state = body.engine->save(*broken.states[0]);
    result.held.push_back(fmt::format("{} held: {}", host.name,
                                      broken.held ? broken.held->reason : "the cracks do not go through"));
    return;
  }
  // The pieces are where the host has the body now.
  body.motion.rotation = host.rotation;
  body.motion.position = host.rotation * body.mass.centre + host.offset;
  HostedBreak made;
  made.body = number;
  made.cause = event;
  made.pieces = replaceBody(body, broken, context);
  made.contacts = broken.pieces.contacts;
  made.originalVolume = body.originalVolume;
  for (const Fragment& fragment : made.pieces.fragments) {
    Memory piece;
    piece.id = mNextId++;
    piece.born = time;
    piece.originalVolume = body.originalVolume;
    piece.pieceVolume = body.pieceVolume > 0
                            ? body.pieceVolume
                            : body.originalVolume / static_cast<double>(made.pieces.fragments.size());
    piece.breakable = fragment.breakable;
    piece.moved = true;
    piece.velocity = fragment.motion.velocity;
    piece.spin = fragment.motion.spin;
    piece.rotation = host.rotation;
    piece.offset = host.offset;
    if (fragment.state) piece.state = body.engine->save(*fragment.state);
    mMemories[fragment.name] = std::move(piece);
  }
  mDecider.forget(memory.id);
  mMemories.erase(host.name);
  result.breaks.push_back(std::move(made));
}

/// What the next step takes for the motion before its contacts.
void HostedStep::remember(Span<const HostedBody> bodies) {
  for (const HostedBody& body : bodies) {
    const auto known = mMemories.find(body.name);
    if (known == mMemories.end()) continue;  // broken
    Memory& memory = known->second;
    memory.moved = true;
    memory.velocity = body.velocity;
    memory.spin = body.spin;
    memory.rotation = body.rotation;
    memory.offset = body.offset;
  }
}

HostedResult HostedStep::step(Span<const HostedBody> bodies, Span<const HostedContact> contacts, double time,
                              double dt, Context& context) {
  meet(bodies);
  // Bodies that something touches, and what they touch.
  std::set<size_t> touched;
  std::set<int32_t> objects;
  std::map<size_t, std::vector<Vec3>> places;  // of contacts, by body
  for (const HostedContact& c : contacts) {
    HACKLE_ASSERT(c.body < bodies.size() && (!c.other || *c.other < bodies.size()));
    touched.insert(c.body);
    places[c.body].push_back(c.position);
    if (c.other)
      touched.insert(*c.other), places[*c.other].push_back(c.position);
    else
      objects.insert(c.otherObject);
  }
  std::vector<CouplingBody> made;
  made.reserve(touched.size() + objects.size());
  std::map<int32_t, size_t> numbers;  // of bodies, by id
  for (const size_t number : touched) {
    context.checkCancel();
    made.push_back(coupled(bodies[number], context));
    placeAtContacts(made.back(), bodies[number], places[number]);
    numbers[made.back().id] = number;
  }
  const ElasticMaterial material = touched.empty() ? ElasticMaterial() : bodies[*touched.begin()].material;
  for (const int32_t object : objects) made.push_back(unknownBody(objectId(object), material));

  std::map<int32_t, CouplingBody*> byId;
  for (CouplingBody& body : made) byId[body.id] = &body;
  std::vector<CouplingBody*> sorted;
  for (const auto& [id, body] : byId) sorted.push_back(body);
  const std::vector<BodyContact> acting = bodyContacts(
      contacts, [&](size_t number) { return mMemories.at(bodies[number].name).id; },
      [&](int32_t id) -> const RigidMotion& { return byId.at(id)->motion; });

  HostedResult result;
  for (const FractureEvent& event : mDecider.decide(sorted, acting, bodies.size(), time, dt, context)) {
    const size_t number = numbers.at(event.body);
    breakBody(bodies[number], number, *byId.at(event.body), event, time, result, context);
  }
  remember(bodies);
  return result;
}

std::string HostedStep::save() const {
  ArchiveWriter archive(kKind, kVersion);
  std::vector<std::string> names, states;
  std::vector<int32_t> whole{mNextId};
  std::vector<double> numbers;
  for (const auto& [name, m] : mMemories) {
    names.push_back(name);
    states.push_back(m.state);
    whole.insert(whole.end(), {m.id, m.events, m.breakable ? 1 : 0, m.moved ? 1 : 0});
    numbers.insert(numbers.end(), {m.born, m.originalVolume, m.pieceVolume});
    for (const Vec3& v : {m.velocity, m.spin, m.offset, Vec3(m.rotation.col(0)), Vec3(m.rotation.col(1)),
                          Vec3(m.rotation.col(2))})
      numbers.insert(numbers.end(), {v.x(), v.y(), v.z()});
  }
  archive.addTexts("names", names);
  archive.addTexts("states", states);
  archive.add("whole", Span<const int32_t>(whole));
  archive.add("numbers", Span<const double>(numbers));
  mDecider.save(archive, "decider.");
  return archive.finish();
}

void HostedStep::restore(std::string_view bytes) {
  if (bytes.empty()) return;
  const ArchiveReader archive(bytes, kKind, kVersion);
  const std::vector<std::string> names = archive.texts("names"), states = archive.texts("states");
  const std::vector<int32_t> whole = archive.int32s("whole");
  const std::vector<double> numbers = archive.float64s("numbers");
  if (whole.size() != 1 + 4 * names.size() || numbers.size() != kNumbers * names.size() ||
      states.size() != names.size())
    throw Error(ErrorCode::BadInput, "the saved state of the fracture does not fit together",
                "start the simulation again from its first frame");
  mNextId = whole[0];
  for (size_t i = 0; i < names.size(); ++i) {
    Memory m;
    const int32_t* w = &whole[1 + 4 * i];
    const double* n = &numbers[kNumbers * i];
    m.id = w[0], m.events = w[1], m.breakable = w[2] != 0, m.moved = w[3] != 0;
    m.born = n[0], m.originalVolume = n[1], m.pieceVolume = n[2];
    const auto vector = [&](int first) { return Vec3(n[first], n[first + 1], n[first + 2]); };
    m.velocity = vector(3), m.spin = vector(6), m.offset = vector(9);
    for (int c = 0; c < 3; ++c) m.rotation.col(c) = vector(12 + 3 * c);
    m.state = states[i];
    mMemories[names[i]] = std::move(m);
  }
  mDecider.restore(archive, "decider.");
}

}  // namespace hackle
