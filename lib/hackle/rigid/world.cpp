#include <hackle/rigid/world_impl.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

// m/s for bodies of 1 m, below which impacts do not bounce. Scales as free fall does, with sqrt(size).
constexpr double kBounceSpeed = 0.2;
// How far boxes of the broad phase reach beyond bodies, in lengths; Bullet's 0.05 doubles the pairs in piles.
constexpr double kBoxPad = 0.02;

}  // namespace

RigidWorld::Impl::Impl(const WorldOptions& given) : options(given) {
  HACKLE_ASSERT(options.length > 0 && std::isfinite(options.length));
  scale = std::exp2(-std::round(std::log2(options.length)));
  gDbvtMargin = kBoxPad;
  world = std::make_unique<World>(*this, &dispatcher, &broadphase, &solver, &configuration);
  world->setGravity(bt(options.gravity * scale));
  world->setForceUpdateAllAabbs(false);
  world->getDispatchInfo().m_deterministicOverlappingPairs = true;
  btContactSolverInfo& info = world->getSolverInfo();
  // Corrections of overlaps never enter velocities or the impulses that we read.
  info.m_splitImpulse = 1;
  info.m_splitImpulsePenetrationThreshold = 0;
  info.m_numIterations = options.iterations;
  info.m_restitutionVelocityThreshold = kBounceSpeed * std::sqrt(scale);
}

RigidWorld::Impl::~Impl() {
  for (auto& [id, body] : bodies) world->removeRigidBody(body->rigid.get());
}

/// The solver's part of a step: solve, ask, and solve again with other bodies if that is the answer.
void RigidWorld::Impl::solve(btContactSolverInfo& info) {
  liftFromPlanes();
  relaxOverlaps();
  solveOnce(info);
  if (!decide || !*decide) return;

  // Whoever decides sees the motion before the collision.
  asking = true;
  const Swap swap = (*decide)(contacts);
  asking = false;
  if (swap.removed.empty() && swap.added.empty()) return;
  for (const auto& [id, body] : bodies)
    if (body->moves()) setMoving(*body->rigid, body->before);
  swapBodies(swap);
  world->findContacts(seconds);
  tolerateFamilies(swap);
  relaxOverlaps();
  solveOnce(info);
}

void RigidWorld::Impl::solveOnce(btContactSolverInfo& info) {
  for (const auto& [id, body] : bodies) body->before = movingOf(*body->rigid);
  world->solve(info);
  gatherContacts();
}

void RigidWorld::Impl::swapBodies(const Swap& swap) {
  for (const int32_t id : swap.removed) remove(id);
  for (const BodySetup& setup : swap.added) {
    add(setup);
    btRigidBody& rigid = *body(setup.id).rigid;
    rigid.applyGravity();
    rigid.predictIntegratedTransform(seconds, rigid.getInterpolationWorldTransform());
  }
}

void RigidWorld::Impl::gatherContacts() {
  contacts.clear();
  const auto velocityAt = [&](const Moving& m, const btVector3& place) -> Vec3 {
    return eigen(m.velocity + m.spin.cross(place - m.place.getOrigin())) / scale;
  };
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    const Body& a = bodyOf(manifold.getBody0());
    const Body& b = bodyOf(manifold.getBody1());
    // Impulses of sleeping pairs are left over from when they were awake.
    if (!a.moves() && !b.moves()) continue;
    for (int k = 0; k < manifold.getNumContacts(); ++k) {
      const btManifoldPoint& p = manifold.getContactPoint(k);
      // Friction may be left where later iterations took the pressure away.
      if (p.getAppliedImpulse() == 0 && p.m_appliedImpulseLateral1 == 0) continue;
      BodyContact contact;
      contact.a = a.setup.id;
      contact.b = b.setup.id;
      const btVector3 place = 0.5 * (p.getPositionWorldOnA() + p.getPositionWorldOnB());
      contact.position = eigen(place) / scale;
      contact.normal = eigen(p.m_normalWorldOnB);
      contact.impulse = eigen(p.getAppliedImpulse() * p.m_normalWorldOnB +
                              p.m_appliedImpulseLateral1 * p.m_lateralFrictionDir1 +
                              p.m_appliedImpulseLateral2 * p.m_lateralFrictionDir2) /
                        scale;
      contact.speed = -(velocityAt(a.before, place) - velocityAt(b.before, place)).dot(contact.normal);
      contact.depth = -p.getDistance() / scale;
      contacts.push_back(contact);
    }
  }
  std::stable_sort(contacts.begin(), contacts.end(), [](const BodyContact& x, const BodyContact& y) {
    return pairOf(x.a, x.b) < pairOf(y.a, y.b);
  });
}

void RigidWorld::Impl::checkFinite() {
  for (const auto& [id, body] : bodies) {
    if (!body->moves()) continue;
    const btTransform& place = body->rigid->getWorldTransform();
    const btVector3 sum =
        place.getOrigin() + body->rigid->getLinearVelocity() + body->rigid->getAngularVelocity();
    if (!std::isfinite(sum.x() + sum.y() + sum.z()))
      throw Error(ErrorCode::Failed, fmt::format("body {}: its motion is no longer finite", body->setup.name),
                  "use more substeps, or look for bodies that start inside each other");
  }
}

RigidWorld::RigidWorld(const WorldOptions& options) : mImpl(std::make_unique<Impl>(options)) {}
RigidWorld::~RigidWorld() = default;

void RigidWorld::add(const BodySetup& setup) { mImpl->add(setup); }
void RigidWorld::remove(int32_t id) { mImpl->remove(id); }

std::vector<int32_t> RigidWorld::ids() const {
  std::vector<int32_t> ids;
  for (const auto& [id, body] : mImpl->bodies) ids.push_back(id);
  return ids;
}

RigidMotion RigidWorld::motion(int32_t id) const { return mImpl->motionOf(mImpl->body(id)); }

void RigidWorld::setMotion(int32_t id, const RigidMotion& motion) {
  Body& body = mImpl->body(id);
  const btTransform place = mImpl->placeOf(body, motion);
  // Bullet finds the velocity of an animated body from where it was before.
  body.rigid->setWorldTransform(place);
  if (body.setup.kind == BodyKind::Animated) return;
  body.rigid->setInterpolationWorldTransform(place);
  body.rigid->setLinearVelocity(bt(mImpl->scale * motion.velocity));
  body.rigid->setAngularVelocity(bt(motion.spin));
  body.rigid->updateInertiaTensor();
  body.rigid->activate();
}

bool RigidWorld::awake(int32_t id) const {
  const btRigidBody& rigid = *mImpl->body(id).rigid;
  return rigid.isActive() && !rigid.isStaticObject();
}

void RigidWorld::push(int32_t id, const Vec3& force, const Vec3& torque) {
  if (force.isZero(0) && torque.isZero(0)) return;
  btRigidBody& rigid = *mImpl->body(id).rigid;
  rigid.activate();
  rigid.applyCentralForce(bt(mImpl->scale * force));
  rigid.applyTorque(bt(mImpl->scale * mImpl->scale * torque));
}

void RigidWorld::step(double seconds, const Decide& decide) {
  mImpl->seconds = seconds;
  mImpl->decide = &decide;
  mImpl->asking = false;  // the last step may have been cancelled
  mImpl->world->stepSimulation(seconds, 0);
  mImpl->decide = nullptr;
  mImpl->checkFinite();
}

const std::vector<BodyContact>& RigidWorld::contacts() const { return mImpl->contacts; }

std::vector<BodyOverlap> RigidWorld::overlaps() {
  mImpl->world->performDiscreteCollisionDetection();
  std::vector<BodyOverlap> result;
  for (const auto& [pair, depth] : mImpl->pairDepths()) {
    const Body& a = mImpl->body(pair.first);
    const Body& b = mImpl->body(pair.second);
    const double slack = mImpl->scale * (a.setup.shape->margin + b.setup.shape->margin);
    if (depth > slack) result.push_back({pair.first, pair.second, depth / mImpl->scale});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const BodyOverlap& x, const BodyOverlap& y) { return x.depth > y.depth; });
  return result;
}

void RigidWorld::tolerate(const std::vector<BodyOverlap>& overlaps) {
  for (const BodyOverlap& overlap : overlaps)
    mImpl->tolerated[pairOf(overlap.a, overlap.b)] = overlap.depth * mImpl->scale;
}

void RigidWorld::restartCold() {
  struct Activity {
    int state;
    btScalar idle;
  };
  std::map<int32_t, Activity> activities;
  mImpl->world->forgetPredictions();
  for (const auto& [id, body] : mImpl->bodies) {
    activities[id] = {body->rigid->getActivationState(), body->rigid->getDeactivationTime()};
    mImpl->world->removeRigidBody(body->rigid.get());
  }
  mImpl->broadphase.resetPool(&mImpl->dispatcher);
  mImpl->solver.reset();
  for (const auto& [id, body] : mImpl->bodies) {
    mImpl->world->addRigidBody(body->rigid.get());
    body->rigid->forceActivationState(activities[id].state);
    body->rigid->setDeactivationTime(activities[id].idle);
  }
  mImpl->contacts.clear();
}

namespace {

void append(std::vector<double>& numbers, const btVector3& v) {
  for (int c = 0; c < 3; ++c) numbers.push_back(v[c]);
}
void append(std::vector<double>& numbers, const btTransform& t) {
  for (int r = 0; r < 3; ++r) append(numbers, t.getBasis()[r]);
  append(numbers, t.getOrigin());
}
btVector3 takeVector(const double*& next) {
  const btVector3 v(next[0], next[1], next[2]);
  next += 3;
  return v;
}
btTransform takeTransform(const double*& next) {
  btMatrix3x3 basis;
  for (int r = 0; r < 3; ++r) basis[r] = takeVector(next);
  const btVector3 origin = takeVector(next);
  return btTransform(basis, origin);
}

// Two transforms, four vectors, the time that the body was idle.
constexpr size_t kNumbersPerBody = 2 * 12 + 4 * 3 + 1;

}  // namespace

void RigidWorld::save(ArchiveWriter& archive, const std::string& prefix) const {
  std::vector<int32_t> ids, activity, pairs;
  std::vector<double> numbers, depths;
  for (const auto& [id, body] : mImpl->bodies) {
    const btRigidBody& rigid = *body->rigid;
    ids.push_back(id);
    activity.push_back(rigid.getActivationState());
    append(numbers, rigid.getWorldTransform());
    append(numbers, rigid.getInterpolationWorldTransform());
    for (const btVector3& v :
         {rigid.getLinearVelocity(), rigid.getAngularVelocity(), rigid.getInterpolationLinearVelocity(),
          rigid.getInterpolationAngularVelocity()})
      append(numbers, v);
    numbers.push_back(rigid.getDeactivationTime());
  }
  for (const auto& [pair, depth] : mImpl->tolerated) {
    pairs.insert(pairs.end(), {pair.first, pair.second});
    depths.push_back(depth);
  }
  archive.add(prefix + "ids", Span<const int32_t>(ids));
  archive.add(prefix + "activity", Span<const int32_t>(activity));
  archive.add(prefix + "numbers", Span<const double>(numbers));
  archive.add(prefix + "pairs", Span<const int32_t>(pairs));
  archive.add(prefix + "depths", Span<const double>(depths));
}

void RigidWorld::restore(const ArchiveReader& archive, const std::string& prefix) {
  const std::vector<int32_t> saved = archive.int32s(prefix + "ids");
  const std::vector<int32_t> activity = archive.int32s(prefix + "activity");
  const std::vector<double> numbers = archive.float64s(prefix + "numbers");
  const std::vector<int32_t> pairs = archive.int32s(prefix + "pairs");
  const std::vector<double> depths = archive.float64s(prefix + "depths");
  if (saved != ids() || activity.size() != saved.size() || numbers.size() != kNumbersPerBody * saved.size() ||
      pairs.size() != 2 * depths.size())
    throw Error(ErrorCode::BadInput, "the saved world has other bodies than this one");
  const double* next = numbers.data();
  size_t index = 0;
  for (const auto& [id, body] : mImpl->bodies) {
    btRigidBody& rigid = *body->rigid;
    const btTransform place = takeTransform(next);
    rigid.setCenterOfMassTransform(place);
    rigid.setInterpolationWorldTransform(takeTransform(next));
    rigid.setLinearVelocity(takeVector(next));
    rigid.setAngularVelocity(takeVector(next));
    rigid.setInterpolationLinearVelocity(takeVector(next));
    rigid.setInterpolationAngularVelocity(takeVector(next));
    rigid.forceActivationState(activity[index++]);
    rigid.setDeactivationTime(*next++);
  }
  mImpl->tolerated.clear();
  for (size_t i = 0; i < depths.size(); ++i) mImpl->tolerated[{pairs[2 * i], pairs[2 * i + 1]}] = depths[i];
  restartCold();
}

}  // namespace hackle
