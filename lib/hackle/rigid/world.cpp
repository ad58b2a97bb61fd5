#include <hackle/rigid/world.h>

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <BulletCollision/CollisionDispatch/btSimulationIslandManager.h>
#include <btBulletDynamicsCommon.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cmath>
#include <map>

namespace hackle {

namespace {

// Speeds below which bodies of 1 m fall asleep (m/s and rad/s), and below which impacts do not bounce (m/s).
// Bullet's own 0.8 and 1 stop pieces that still roll visibly. They scale as free fall does, with sqrt(size).
constexpr double kSleepSpeed = 0.15, kSleepSpin = 0.3, kBounceSpeed = 0.2;
// How far boxes of the broad phase reach beyond bodies, in lengths; Bullet's 0.05 doubles the pairs in piles.
constexpr double kBoxPad = 0.02;
// How deep a body may stay below a plane, of its thinnest side.
constexpr double kPlaneSlop = 0.01;

btVector3 bt(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Vec3 eigen(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
btMatrix3x3 btMatrix(const Mat3& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
}
Mat3 eigen(const btMatrix3x3& m) {
  Mat3 result;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) result(r, c) = m[r][c];
  return result;
}

/// A hull whose box is that of its corners; Bullet's is that of a turned box, up to twice as large.
class TightHull final : public btConvexHullShape {
 public:
  void getAabb(const btTransform& place, btVector3& low, btVector3& high) const override {
    low.setValue(BT_LARGE_FLOAT, BT_LARGE_FLOAT, BT_LARGE_FLOAT);
    high = -low;
    for (int i = 0; i < getNumPoints(); ++i) {
      const btVector3 p = place * getUnscaledPoints()[i];
      low.setMin(p);
      high.setMax(p);
    }
    const btVector3 pad(getMargin(), getMargin(), getMargin());
    low -= pad;
    high += pad;
  }
};

/// Hulls whose box is that of all their corners.
class TightCompound final : public btCompoundShape {
 public:
  void getAabb(const btTransform& place, btVector3& low, btVector3& high) const override {
    low.setValue(BT_LARGE_FLOAT, BT_LARGE_FLOAT, BT_LARGE_FLOAT);
    high = -low;
    for (int i = 0; i < getNumChildShapes(); ++i) {
      btVector3 a, b;
      getChildShape(i)->getAabb(place * getChildTransform(i), a, b);
      low.setMin(a);
      high.setMax(b);
    }
  }
};

/// Axes in which the inertia is diagonal, as columns; right-handed.
struct PrincipalAxes {
  Mat3 axes = Mat3::Identity();
  Vec3 moments = Vec3::Zero();
};
PrincipalAxes principalAxes(const Mat3& inertia) {
  const Mat3 symmetric = 0.5 * (inertia + inertia.transpose());
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(symmetric);
  PrincipalAxes result{solver.eigenvectors(), solver.eigenvalues()};
  if (result.axes.determinant() < 0) result.axes.col(2) *= -1;
  return result;
}

using Pair = std::pair<int32_t, int32_t>;
Pair pairOf(int32_t a, int32_t b) { return {std::min(a, b), std::max(a, b)}; }

/// What a solve changes of a body.
struct Moving {
  btTransform place;
  btVector3 velocity, spin;
};
Moving movingOf(const btRigidBody& body) {
  return {body.getWorldTransform(), body.getLinearVelocity(), body.getAngularVelocity()};
}
void setMoving(btRigidBody& body, const Moving& moving) {
  body.setWorldTransform(moving.place);
  body.setLinearVelocity(moving.velocity);
  body.setAngularVelocity(moving.spin);
  body.updateInertiaTensor();
}

struct Body {
  BodySetup setup;
  Mat3 axes = Mat3::Identity();  // of Bullet's frame in the rest frame
  std::vector<std::unique_ptr<btCollisionShape>> parts;
  std::unique_ptr<btTriangleMesh> mesh;
  std::unique_ptr<btCollisionShape> shape;
  std::unique_ptr<btRigidBody> rigid;
  double thickness = 0;  // of dynamic bodies: the thinnest side of the box (Bullet's units)
  Moving before, after;  // the contacts of this step act

  bool moves() const { return rigid->isActive() && !rigid->isStaticOrKinematicObject(); }
};

}  // namespace

struct RigidWorld::Impl {
  /// Bullet's world with a hand on the moment between finding contacts and moving bodies.
  class World final : public btDiscreteDynamicsWorld {
   public:
    World(Impl& owner, btDispatcher* dispatcher, btBroadphaseInterface* broadphase,
          btConstraintSolver* solver, btCollisionConfiguration* configuration)
        : btDiscreteDynamicsWorld(dispatcher, broadphase, solver, configuration), mOwner(owner) {}
    void solveConstraints(btContactSolverInfo& info) override { mOwner.solve(info); }
    void solve(btContactSolverInfo& info) { btDiscreteDynamicsWorld::solveConstraints(info); }
    /// They are of one step and would outlive the bodies that they name.
    void forgetPredictions() { releasePredictiveContacts(); }
    void findContacts(btScalar seconds) {
      createPredictiveContacts(seconds);
      performDiscreteCollisionDetection();
      calculateSimulationIslands();
    }

   private:
    Impl& mOwner;
  };

  explicit Impl(const WorldOptions& given);
  ~Impl();

  Body& body(int32_t id) {
    const auto found = bodies.find(id);
    HACKLE_ASSERT(found != bodies.end());
    return *found->second;
  }
  Body& bodyOf(const btCollisionObject* object) { return *static_cast<Body*>(object->getUserPointer()); }

  void makeShape(Body& body);
  void makeHulls(Body& body);
  void add(const BodySetup& setup);
  void remove(int32_t id);
  btTransform placeOf(const Body& body, const RigidMotion& motion) const;
  RigidMotion motionOf(const Body& body) const;
  void solve(btContactSolverInfo& info);
  void swapBodies(const Swap& swap);
  void solveOnce(btContactSolverInfo& info);
  void gatherContacts();
  std::map<Pair, double> pairDepths(bool awakeOnly);
  void relaxOverlaps();
  void liftFromPlanes();
  void tolerateFamilies(const Swap& swap);
  void checkFinite();

  WorldOptions options;
  double scale = 1;    // Bullet's units per metre, a power of two so that nothing is rounded
  double seconds = 0;  // of the current step
  const Decide* decide = nullptr;
  std::vector<BodyContact> contacts;
  std::map<Pair, double> tolerated;  // depths (Bullet's units) that do not push

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  std::unique_ptr<World> world;
  std::map<int32_t, std::unique_ptr<Body>> bodies;
};

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

void RigidWorld::Impl::makeHulls(Body& body) {
  const BodySetup& setup = body.setup;
  for (const std::vector<Vec3>& corners : setup.shape->hulls) {
    auto hull = std::make_unique<TightHull>();
    for (const Vec3& p : corners)
      hull->addPoint(bt(scale * (body.axes.transpose() * (p - setup.mass.centre))), false);
    hull->recalcLocalAabb();
    hull->setMargin(scale * setup.shape->margin);
    body.parts.push_back(std::move(hull));
  }
  if (body.parts.size() == 1) {
    body.shape = std::move(body.parts[0]);
    body.parts.clear();
    return;
  }
  auto compound = std::make_unique<TightCompound>();
  for (const auto& part : body.parts) compound->addChildShape(btTransform::getIdentity(), part.get());
  compound->setMargin(scale * setup.shape->margin);
  body.shape = std::move(compound);
}

void RigidWorld::Impl::makeShape(Body& body) {
  const CollisionShape& shape = *body.setup.shape;
  if (!shape.hulls.empty()) return makeHulls(body);
  if (shape.isPlane()) {
    body.shape =
        std::make_unique<btStaticPlaneShape>(bt(shape.planeNormal.normalized()), scale * shape.planeOffset);
    body.shape->setMargin(0);
    return;
  }
  body.mesh = std::make_unique<btTriangleMesh>(true, false);
  for (const Triangle& t : shape.triangles) {
    btVector3 corners[3];
    for (size_t k = 0; k < 3; ++k)
      corners[k] = bt(scale * (body.axes.transpose() * (shape.points[t[k]] - body.setup.mass.centre)));
    body.mesh->addTriangle(corners[0], corners[1], corners[2]);
  }
  body.shape = std::make_unique<btBvhTriangleMeshShape>(body.mesh.get(), true);
  body.shape->setMargin(scale * shape.margin);
}

btTransform RigidWorld::Impl::placeOf(const Body& body, const RigidMotion& motion) const {
  return btTransform(btMatrix(motion.rotation * body.axes), bt(scale * motion.position));
}

RigidMotion RigidWorld::Impl::motionOf(const Body& body) const {
  const btTransform& place = body.rigid->getWorldTransform();
  RigidMotion motion;
  motion.rotation = eigen(place.getBasis()) * body.axes.transpose();
  motion.position = eigen(place.getOrigin()) / scale;
  motion.velocity = eigen(body.rigid->getLinearVelocity()) / scale;
  motion.spin = eigen(body.rigid->getAngularVelocity());
  return motion;
}

void RigidWorld::Impl::add(const BodySetup& setup) {
  HACKLE_ASSERT(setup.shape && !bodies.count(setup.id));
  auto body = std::make_unique<Body>();
  body->setup = setup;
  const bool dynamic = setup.kind == BodyKind::Dynamic;
  const auto refuse = [&](const char* what, const char* remedy) {
    throw Error(ErrorCode::BadInput, fmt::format("body {}: {}", setup.name, what), remedy);
  };
  if (!setup.motion.allFinite()) refuse("its motion is not finite", "check its place, velocity and spin");
  if (dynamic && setup.shape->hulls.empty())
    refuse("it has no convex parts to collide with", "make it static or animated");

  // Bullet wants the centre of mass as origin and the principal axes of inertia as axes.
  btVector3 moments(0, 0, 0);
  if (dynamic) {
    const PrincipalAxes principal = principalAxes(setup.mass.inertia);
    if (!(setup.mass.mass > 0) || !(principal.moments.minCoeff() > 0) || !principal.moments.allFinite())
      refuse("it has no mass", "give it a closed surface and a density above 0");
    body->axes = principal.axes;
    moments = bt(scale * scale * principal.moments);
  }
  makeShape(*body);
  btRigidBody::btRigidBodyConstructionInfo info(dynamic ? setup.mass.mass : 0, nullptr, body->shape.get(),
                                                moments);
  info.m_startWorldTransform = placeOf(*body, setup.motion);
  // Bullet multiplies both bodies' values.
  info.m_friction = std::sqrt(setup.friction);
  info.m_restitution = std::sqrt(setup.restitution);
  info.m_linearSleepingThreshold = kSleepSpeed * std::sqrt(scale);
  info.m_angularSleepingThreshold = kSleepSpin * std::sqrt(scale);
  body->rigid = std::make_unique<btRigidBody>(info);
  btRigidBody& rigid = *body->rigid;
  rigid.setUserPointer(body.get());
  rigid.setUserIndex(setup.id);
  if (setup.kind == BodyKind::Animated) {
    rigid.setCollisionFlags(rigid.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
    rigid.setActivationState(DISABLE_DEACTIVATION);
  }
  if (dynamic) {
    rigid.setLinearVelocity(bt(scale * setup.motion.velocity));
    rigid.setAngularVelocity(bt(setup.motion.spin));
    rigid.setInterpolationLinearVelocity(rigid.getLinearVelocity());
    rigid.setInterpolationAngularVelocity(rigid.getAngularVelocity());
    // The largest ball around the centre that is not longer than the thinnest side of the box.
    btVector3 low, high;
    body->shape->getAabb(btTransform::getIdentity(), low, high);
    body->thickness = (high - low)[(high - low).minAxis()];
    const btScalar radius = 0.5 * body->thickness;
    rigid.setCcdMotionThreshold(0.5 * radius);
    rigid.setCcdSweptSphereRadius(0.9 * radius);
  }
  world->addRigidBody(&rigid);
  bodies.emplace(setup.id, std::move(body));
}

void RigidWorld::Impl::remove(int32_t id) {
  Body& gone = body(id);
  world->forgetPredictions();
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    if (manifold.getBody0() == gone.rigid.get()) bodyOf(manifold.getBody1()).rigid->activate();
    if (manifold.getBody1() == gone.rigid.get()) bodyOf(manifold.getBody0()).rigid->activate();
  }
  world->removeRigidBody(gone.rigid.get());
  const auto names = [&](const auto& entry) { return entry.first.first == id || entry.first.second == id; };
  for (auto it = tolerated.begin(); it != tolerated.end();) it = names(*it) ? tolerated.erase(it) : ++it;
  bodies.erase(id);
}

/// The solver's part of a step: solve, ask, and solve again with other bodies if that is the answer.
void RigidWorld::Impl::solve(btContactSolverInfo& info) {
  liftFromPlanes();
  relaxOverlaps();
  solveOnce(info);
  if (!decide || !*decide || contacts.empty()) return;

  // Show the motion before the collision to whoever decides.
  for (const auto& [id, body] : bodies) {
    if (!body->moves()) continue;
    body->after = movingOf(*body->rigid);
    setMoving(*body->rigid, body->before);
  }
  const Swap swap = (*decide)(contacts);
  if (swap.removed.empty() && swap.added.empty()) {
    for (const auto& [id, body] : bodies)
      if (body->moves()) setMoving(*body->rigid, body->after);
    return;
  }
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
    return std::tie(x.a, x.b) < std::tie(y.a, y.b);
  });
}

/// Greatest depth of each pair of dynamic bodies that has contacts.
std::map<Pair, double> RigidWorld::Impl::pairDepths(bool awakeOnly) {
  std::map<Pair, double> depths;
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    const Body& a = bodyOf(manifold.getBody0());
    const Body& b = bodyOf(manifold.getBody1());
    if (awakeOnly && !a.rigid->isActive() && !b.rigid->isActive()) continue;
    if (manifold.getNumContacts() == 0) continue;
    double& depth = depths[pairOf(a.setup.id, b.setup.id)];
    for (int k = 0; k < manifold.getNumContacts(); ++k)
      depth = std::max(depth, -manifold.getContactPoint(k).getDistance());
  }
  return depths;
}

/// Lets contacts of tolerated pairs look as if they just touched; what a pair has come apart stays so.
void RigidWorld::Impl::relaxOverlaps() {
  if (tolerated.empty()) return;
  const std::map<Pair, double> depths = pairDepths(true);
  for (auto it = tolerated.begin(); it != tolerated.end();) {
    const bool asleep = !body(it->first.first).rigid->isActive() && !body(it->first.second).rigid->isActive();
    const auto found = depths.find(it->first);
    const double depth = found == depths.end() ? 0 : found->second;
    if (!asleep) it->second = std::min(it->second, depth);
    it = it->second > 0 ? std::next(it) : tolerated.erase(it);
  }
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    const Body& a = bodyOf(manifold.getBody0());
    const Body& b = bodyOf(manifold.getBody1());
    if (!a.rigid->isActive() && !b.rigid->isActive()) continue;
    const auto found = tolerated.find(pairOf(a.setup.id, b.setup.id));
    if (found == tolerated.end()) continue;
    for (int k = 0; k < manifold.getNumContacts(); ++k)
      manifold.getContactPoint(k).m_distance1 += found->second;
  }
}

/// Puts bodies that have come below a plane back onto it. Bullet's own correction acts at the one or two
/// corners that it finds: it turns crumbs that are deeper than they are thick instead of lifting them, for
/// ever, and takes ten steps where a fast body came in by as much as it moves in a step.
void RigidWorld::Impl::liftFromPlanes() {
  std::map<int32_t, btVector3> lifts;
  const auto onPlane = [&](const btPersistentManifold& manifold) -> std::pair<Body*, btScalar> {
    Body &a = bodyOf(manifold.getBody0()), &b = bodyOf(manifold.getBody1());
    const bool first = b.setup.shape->isPlane(), second = a.setup.shape->isPlane();
    Body& body = first ? a : b;
    if (first == second || !body.moves() || body.setup.kind != BodyKind::Dynamic) return {nullptr, 0};
    return {&body, first ? 1 : -1};
  };
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    const btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    const auto [body, sign] = onPlane(manifold);
    if (!body) continue;
    for (int k = 0; k < manifold.getNumContacts(); ++k) {
      const btManifoldPoint& p = manifold.getContactPoint(k);
      const btScalar lift = -p.getDistance() - kPlaneSlop * body->thickness;
      if (!(lift > 0)) continue;
      const btVector3 by = sign * lift * p.m_normalWorldOnB;
      btVector3& most = lifts.emplace(body->setup.id, btVector3(0, 0, 0)).first->second;
      if (by.length2() > most.length2()) most = by;
    }
  }
  if (lifts.empty()) return;
  for (const auto& [id, by] : lifts) {
    btTransform& place = body(id).rigid->getWorldTransform();
    place.setOrigin(place.getOrigin() + by);
  }
  for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
    btPersistentManifold& manifold = *dispatcher.getManifoldByIndexInternal(i);
    const auto [body, sign] = onPlane(manifold);
    const auto found = body ? lifts.find(body->setup.id) : lifts.end();
    if (found == lifts.end()) continue;
    for (int k = 0; k < manifold.getNumContacts(); ++k) {
      btManifoldPoint& p = manifold.getContactPoint(k);
      p.m_distance1 += sign * found->second.dot(p.m_normalWorldOnB);
    }
  }
}

/// New bodies of one family that overlap now may do so.
void RigidWorld::Impl::tolerateFamilies(const Swap& swap) {
  std::map<int32_t, int32_t> families;
  for (const BodySetup& setup : swap.added)
    if (setup.family >= 0) families.emplace(setup.id, setup.family);
  for (const auto& [pair, depth] : pairDepths(false)) {
    const auto a = families.find(pair.first), b = families.find(pair.second);
    if (depth > 0 && a != families.end() && b != families.end() && a->second == b->second)
      tolerated[pair] = depth;
  }
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
  mImpl->world->stepSimulation(seconds, 0);
  mImpl->decide = nullptr;
  mImpl->checkFinite();
}

const std::vector<BodyContact>& RigidWorld::contacts() const { return mImpl->contacts; }

std::vector<BodyOverlap> RigidWorld::overlaps() {
  mImpl->world->performDiscreteCollisionDetection();
  std::vector<BodyOverlap> result;
  for (const auto& [pair, depth] : mImpl->pairDepths(false)) {
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
