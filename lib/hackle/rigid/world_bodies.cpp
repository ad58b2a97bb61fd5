// Bodies as Bullet has them: shapes, mass, places.
#include <hackle/rigid/world_impl.h>

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include <cmath>

namespace hackle {

namespace {

// Speeds below which bodies of 1 m fall asleep (m/s and rad/s). Bullet's own 0.8 and 1 stop pieces that still
// roll visibly. They scale as free fall does, with sqrt(size).
constexpr double kSleepSpeed = 0.15, kSleepSpin = 0.3;

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

}  // namespace

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
  const Moving moving = asking && body.moves() ? body.before : movingOf(*body.rigid);
  RigidMotion motion;
  motion.rotation = eigen(moving.place.getBasis()) * body.axes.transpose();
  motion.position = eigen(moving.place.getOrigin()) / scale;
  motion.velocity = eigen(moving.velocity) / scale;
  motion.spin = eigen(moving.spin);
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

}  // namespace hackle
