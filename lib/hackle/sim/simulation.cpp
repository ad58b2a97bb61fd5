#include <hackle/sim/simulation.h>

#include <hackle/core/parallel.h>
#include <hackle/fracture/constraints.h>
#include <hackle/sim/body_shape.h>

#include <fmt/format.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace hackle {

namespace {

// Convex parts of a body that moves.
constexpr int kMostHulls = 16;

class Stopwatch {
 public:
  explicit Stopwatch(double& sum) : mSum(sum), mStart(std::chrono::steady_clock::now()) {}
  ~Stopwatch() { mSum += std::chrono::duration<double>(std::chrono::steady_clock::now() - mStart).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& mSum;
  std::chrono::steady_clock::time_point mStart;
};

/// A body's motion from the place of its rest frame.
RigidMotion motionAt(const Vec3& position, const Mat3& rotation, const Vec3& centre) {
  RigidMotion motion;
  motion.rotation = rotation;
  motion.position = position + rotation * centre;
  return motion;
}

/// Between keys: straight for places, the short way for rotations; still before the first and after the last.
RigidMotion animatedMotion(const std::vector<SceneKey>& keys, double time, const Vec3& centre) {
  if (time <= keys.front().time) return motionAt(keys.front().position, keys.front().rotation, centre);
  if (time >= keys.back().time) return motionAt(keys.back().position, keys.back().rotation, centre);
  size_t next = 1;
  while (keys[next].time < time) ++next;
  const SceneKey &a = keys[next - 1], &b = keys[next];
  const double share = (time - a.time) / (b.time - a.time);
  const Eigen::Quaterniond turned =
      Eigen::Quaterniond(a.rotation).slerp(share, Eigen::Quaterniond(b.rotation));
  return motionAt((1 - share) * a.position + share * b.position, turned.toRotationMatrix(), centre);
}

DecideOptions decideOptions(const Scene& scene) {
  DecideOptions options;
  options.seed = scene.seed;
  options.gravity = std::max(scene.gravity.norm(), 0.1);
  options.maxBodies = scene.maxBodies;
  return options;
}

CollisionShapePtr shapeOf(const SceneBody& body, Context& context) {
  const bool dynamic = body.kind == BodyKind::Dynamic;
  switch (body.shape) {
    case ShapeChoice::Hull:
      return hullShape(body.geometry, 1, context);
    case ShapeChoice::Hulls:
      return hullShape(body.geometry, kMostHulls, context);
    case ShapeChoice::Surface:
      if (dynamic)
        throw Error(ErrorCode::Usage, fmt::format("body {}: its surface cannot be its shape", body.name),
                    "bodies that forces move collide by hulls; leave its shape automatic");
      return surfaceShape(body.geometry, context);
    case ShapeChoice::Automatic:
      break;
  }
  return dynamic ? hullShape(body.geometry, kMostHulls, context) : surfaceShape(body.geometry, context);
}

}  // namespace

double typicalLength(const std::vector<SceneBody>& bodies) {
  std::vector<double> sizes;
  for (const SceneBody& body : bodies)
    if (body.kind == BodyKind::Dynamic) sizes.push_back(body.geometry.bounds().diagonal());
  if (sizes.empty()) return 1;
  std::sort(sizes.begin(), sizes.end());
  return std::max(1e-9, sizes[sizes.size() / 2]);
}

double stepSeconds(const Scene& scene) { return 1 / (scene.rate * scene.substeps); }

Simulation::Simulation(Scene scene, Context& context)
    : mScene(std::move(scene)), mDecider(decideOptions(mScene)) {
  WorldOptions options;
  options.gravity = mScene.gravity;
  options.length = typicalLength(mScene.bodies);
  options.iterations = mScene.iterations;
  mWorld = std::make_unique<RigidWorld>(options);
  if (mScene.ground) addGround();
  for (size_t i = 0; i < mScene.bodies.size(); ++i) addSceneBody(i, context);
  checkOverlaps(context);
  mWorld->restartCold();
  readMotions();
}

Simulation::~Simulation() = default;

double Simulation::time() const { return (mFrame - 1) / mScene.rate; }

bool Simulation::atRestart() const { return (mFrame - 1) % mScene.restart == 0; }

void Simulation::addGround() {
  SimBody body;
  body.coupling.id = mNextId++;
  body.coupling.name = "ground";
  body.coupling.dynamic = false;
  body.coupling.material = mScene.ground->material;
  body.coupling.restitution = mScene.ground->restitution;
  body.kind = BodyKind::Static;
  body.friction = mScene.ground->friction;
  body.shape = groundShape(mScene.ground->height);
  mWorld->add(setupOf(body));
  mBodies.emplace(body.coupling.id, std::move(body));
}

void Simulation::addSceneBody(size_t index, Context& context) {
  const SceneBody& given = mScene.bodies[index];
  SimBody body;
  CouplingBody& coupling = body.coupling;
  coupling.id = mNextId++;
  coupling.name = given.name;
  coupling.dynamic = given.kind == BodyKind::Dynamic;
  coupling.geometry = given.geometry;
  coupling.material = given.material;
  coupling.restitution = given.restitution;
  coupling.engine = coupling.dynamic ? given.engine : nullptr;
  coupling.limits = given.limits;
  coupling.born = -1e9;  // what the scene begins with may break at once
  body.kind = given.kind;
  body.friction = given.friction;
  body.sceneBody = static_cast<int>(index);
  body.start = given.start;
  body.held = coupling.dynamic && given.start > 0;
  if (coupling.dynamic) {
    coupling.solid = std::make_shared<const Solid>(given.geometry, context);
    coupling.geometry = coupling.solid->geometry;
    coupling.mass = rigidMass(coupling.solid->mass, given.material.density);
    coupling.originalVolume = coupling.solid->mass.volume;
  } else {
    coupling.mass.centre = given.geometry.bounds().centre();
  }
  {
    const Stopwatch watch(mTimes.shapes);
    body.shape = shapeOf(given, context);
  }
  coupling.motion = motionAt(given.position, given.rotation, coupling.mass.centre);
  if (!given.keys.empty()) coupling.motion = animatedMotion(given.keys, 0, coupling.mass.centre);
  if (!body.held) coupling.motion.velocity = given.velocity, coupling.motion.spin = given.spin;
  mWorld->add(setupOf(body));
  mBodies.emplace(coupling.id, std::move(body));
}

BodySetup Simulation::setupOf(const SimBody& body) const {
  BodySetup setup;
  setup.id = body.coupling.id;
  setup.name = body.coupling.name;
  setup.kind = body.held ? BodyKind::Static : body.kind;
  setup.shape = body.shape;
  setup.mass = body.coupling.mass;
  setup.motion = body.coupling.motion;
  setup.friction = body.friction;
  setup.restitution = body.coupling.restitution;
  setup.family = body.event > 0 ? body.event : -1;
  return setup;
}

void Simulation::checkOverlaps(Context& context) {
  const std::vector<BodyOverlap> overlaps = mWorld->overlaps();
  for (const BodyOverlap& overlap : overlaps)
    context.warn(fmt::format("{} and {} overlap by {:.3g} m at the start{}",
                             mBodies.at(overlap.a).coupling.name, mBodies.at(overlap.b).coupling.name,
                             overlap.depth, mScene.separate ? " and are pushed apart" : ""));
  if (!mScene.separate) mWorld->tolerate(overlaps);
}

void Simulation::advance(Context& context) {
  HACKLE_ASSERT(!done());
  mEvents.clear();
  if (atRestart()) mWorld->restartCold();
  for (int i = 0; i < mScene.substeps; ++i) {
    context.checkCancel();
    step(context);
  }
  ++mFrame;
  for (SimEvent& event : mEvents) event.frame = mFrame;
  readMotions();
}

void Simulation::step(Context& context) {
  const double dt = stepSeconds(mScene), time = static_cast<double>(mStep) * dt;
  startHeld(time);
  moveAnimated(time + dt);
  pushBodies(time);
  const double fracture = mTimes.fracture, shapes = mTimes.shapes;
  double all = 0;
  {
    const Stopwatch watch(all);
    mWorld->step(dt, [&](const std::vector<BodyContact>& contacts) { return onContacts(contacts, context); });
  }
  mTimes.rigid += all - (mTimes.fracture - fracture) - (mTimes.shapes - shapes);
  ++mTimes.steps;
  ++mStep;
}

void Simulation::startHeld(double time) {
  for (auto& [id, body] : mBodies) {
    if (!body.held || body.start > time) continue;
    const SceneBody& given = mScene.bodies[body.sceneBody];
    body.held = false;
    body.coupling.motion.velocity = given.velocity;
    body.coupling.motion.spin = given.spin;
    mWorld->remove(id);
    mWorld->add(setupOf(body));
  }
}

void Simulation::moveAnimated(double time) {
  for (auto& [id, body] : mBodies) {
    if (body.kind != BodyKind::Animated) continue;
    const std::vector<SceneKey>& keys = mScene.bodies[body.sceneBody].keys;
    if (!keys.empty()) mWorld->setMotion(id, animatedMotion(keys, time, body.coupling.mass.centre));
  }
}

void Simulation::pushBodies(double time) {
  if (mScene.fields.empty()) return;
  for (auto& [id, body] : mBodies) {
    if (body.kind != BodyKind::Dynamic || body.held) continue;
    const RigidMotion motion = mWorld->motion(id);
    Vec3 acceleration = Vec3::Zero();
    for (const SceneField& field : mScene.fields) {
      if (time < field.from || time >= field.until) continue;
      const Vec3 away = motion.position - field.centre;
      const double reach = std::max(0.0, 1 - away.norm() / field.radius);
      if (field.kind == SceneField::Kind::Uniform) acceleration += field.direction;
      if (field.kind == SceneField::Kind::Drag) acceleration -= field.strength * motion.velocity;
      if (field.kind == SceneField::Kind::Point && away.norm() > 0)
        acceleration += field.strength * reach * away.normalized();
    }
    mWorld->push(id, body.coupling.mass.mass * acceleration, Vec3::Zero());
  }
}

/// Called in the middle of a step: asks bodies that were hit, and swaps those that break.
RigidWorld::Swap Simulation::onContacts(const std::vector<BodyContact>& contacts, Context& context) {
  const double dt = stepSeconds(mScene), time = static_cast<double>(mStep) * dt;
  std::vector<uint8_t> touched(static_cast<size_t>(mNextId), 0);
  for (const BodyContact& contact : contacts) touched[contact.a] = touched[contact.b] = 1;
  std::vector<CouplingBody*> bodies;
  for (auto& [id, body] : mBodies) {
    // Bodies that nothing touches may break by their spin.
    const bool maySpin = body.coupling.engine && body.coupling.limits.resting && mWorld->awake(id);
    if (!touched[id] && !maySpin) continue;
    body.coupling.motion = mWorld->motion(id);
    bodies.push_back(&body.coupling);
  }
  RigidWorld::Swap swap;
  const Stopwatch watch(mTimes.fracture);
  const double shapes = mTimes.shapes;
  for (const FractureEvent& event : mDecider.decide(bodies, contacts, mBodies.size(), time, dt, context))
    breakBody(event, swap, context);
  mTimes.fracture -= mTimes.shapes - shapes;
  return swap;
}

void Simulation::breakBody(const FractureEvent& cause, RigidWorld::Swap& swap, Context& context) {
  SimBody& body = mBodies.at(cause.body);
  ++mTimes.asked;
  SimEvent event;
  event.time = static_cast<double>(mStep) * stepSeconds(mScene);
  event.body = body.coupling.name;
  event.engine = body.coupling.engine->id();
  event.cause = cause;
  FractureResult result;
  try {
    result = body.coupling.engine->fracture(*body.coupling.solid, *body.coupling.state, cause.load, context);
  } catch (const Error& e) {
    // One body that an engine cannot break does not end the run.
    if (e.code() != ErrorCode::BadInput && e.code() != ErrorCode::Failed) throw;
    context.warn(fmt::format("{} stays whole: {}", body.coupling.name, e.what()));
    body.coupling.engine = nullptr;
    event.heldBy = "failed";
    event.reason = e.what();
    mEvents.push_back(std::move(event));
    return;
  }
  event.area = result.area;
  event.energy = result.energy;
  if (result.held || result.pieces.names.size() < 2) {
    // Cracks that did not go through are in the state and go on the next time.
    if (result.states.size() == 1 && result.states[0])
      body.coupling.state = result.states[0], body.coupling.stateGrew = true;
    event.heldBy = heldByName(result.held ? result.held->by : HeldBy::Toughness);
    event.reason = result.held ? result.held->reason : "the cracks do not go through";
  } else {
    replaceBy(body, result, event, swap, context);
  }
  mEvents.push_back(std::move(event));
}

std::vector<CollisionShapePtr> Simulation::shapesOf(const std::vector<Fragment>& fragments,
                                                    const FractureResult& result, Context& context) {
  const Stopwatch watch(mTimes.shapes);
  std::vector<CollisionShapePtr> shapes(fragments.size());
  parallelFor(context, fragments.size(), 1, [&](size_t i) {
    Context own;  // stages belong to the thread that opens them
    own.setThreads(1);
    own.setCancelPoll([&] { return context.cancelled(); });
    const Fragment& f = fragments[i];
    if (result.hulls.empty())
      shapes[i] = hullShape(f.geometry, hullsOf(f.kind), own);
    else
      shapes[i] =
          joinedShape(f.geometry, result.hulls[f.piece], result.pieces.volume[f.piece], hullsOf(f.kind), own);
  });
  return shapes;
}

void Simulation::replaceBy(SimBody& parent, const FractureResult& result, SimEvent& event,
                           RigidWorld::Swap& swap, Context& context) {
  Replacement replacement = replaceBody(parent.coupling, result, context);
  event.number = mNextEvent++;
  event.before = replacement.before;
  event.after = replacement.after;
  event.massScale = replacement.massScale;
  FracturePieces named = result.pieces;
  std::vector<Geometry> geometries;
  const std::vector<CollisionShapePtr> shapes = shapesOf(replacement.fragments, result, context);
  for (size_t i = 0; i < replacement.fragments.size(); ++i) {
    Fragment& fragment = replacement.fragments[i];
    SimBody body;
    body.coupling = parent.coupling;
    body.coupling.id = mNextId++;
    body.coupling.name = fragment.name;
    body.coupling.geometry = fragment.geometry;
    body.coupling.solid = nullptr;
    body.coupling.state = fragment.state;
    body.coupling.stateGrew = fragment.state != nullptr;
    body.coupling.mass = fragment.mass;
    body.coupling.motion = fragment.motion;
    body.coupling.born = event.time;
    body.coupling.events = 0;
    if (body.coupling.pieceVolume == 0)
      body.coupling.pieceVolume =
          parent.coupling.originalVolume / static_cast<double>(replacement.fragments.size());
    if (!fragment.breakable) body.coupling.engine = nullptr, body.coupling.state = nullptr;
    body.fragment = fragment.kind;
    body.friction = parent.friction;
    body.event = event.number;
    body.piece = static_cast<int>(i);
    body.sceneBody = parent.sceneBody;
    ++event.classes[static_cast<size_t>(fragment.kind)];
    event.pieces.push_back(fragment.name);
    named.names[fragment.piece] = fragment.name;
    body.shape = shapes[i];
    geometries.push_back(fragment.geometry);
    swap.added.push_back(setupOf(body));
    mBodies.emplace(body.coupling.id, std::move(body));
  }
  event.geometry = merged(geometries);
  event.constraints = constraintNetwork(named, ConstraintOptions{});
  const int32_t gone = parent.coupling.id;
  swap.removed.push_back(gone);
  mDecider.forget(gone);
  mBodies.erase(gone);
}

void Simulation::readMotions() {
  for (auto& [id, body] : mBodies) {
    body.coupling.motion = mWorld->motion(id);
    body.awake = mWorld->awake(id);
  }
}

std::string SimEvent::toJson() const {
  const auto vector = [](const Vec3& v) { return Value(Value::List{v.x(), v.y(), v.z()}); };
  Value line;
  line.set("event", number);
  line.set("frame", frame);
  line.set("time", time);
  line.set("body", body);
  line.set("engine", engine);
  line.set("position", vector(cause.position));
  line.set("impulse", cause.impulse);
  line.set("force", cause.force);
  line.set("speed", cause.speed);
  line.set("impacts", cause.load.impacts.size());
  line.set("resting", cause.load.steady.size());
  line.set("impact_energy", cause.energy);
  if (pieces.empty()) {
    line.set("held", heldBy);
    line.set("reason", reason);
    return line.toJson(-1);
  }
  line.set("pieces", Value::listOf(pieces));
  Value kinds = Value::Map();
  for (size_t k = 0; k < classes.size(); ++k)
    kinds.set(fragmentClassName(static_cast<FragmentClass>(k)), classes[k]);
  line.set("classes", std::move(kinds));
  line.set("crack_area", area);
  if (energy) line.set("crack_energy", *energy);
  line.set("momentum_before", vector(before.linear));
  line.set("momentum_after", vector(after.linear));
  line.set("angular_momentum_before", vector(before.angular));
  line.set("angular_momentum_after", vector(after.angular));
  line.set("kinetic_energy_before", before.energy);
  line.set("kinetic_energy_after", after.energy);
  line.set("mass_scale", massScale);
  return line.toJson(-1);
}

}  // namespace hackle
