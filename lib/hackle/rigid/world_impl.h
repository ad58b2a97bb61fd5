// The insides of a world, for the sources that talk to Bullet; not installed.
#pragma once

#include <hackle/rigid/world.h>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include <BulletCollision/CollisionDispatch/btSimulationIslandManager.h>
#include <btBulletDynamicsCommon.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

namespace hackle {

namespace bullet {

inline btVector3 bt(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
inline Vec3 eigen(const btVector3& v) { return {v.x(), v.y(), v.z()}; }
inline btMatrix3x3 btMatrix(const Mat3& m) {
  return {m(0, 0), m(0, 1), m(0, 2), m(1, 0), m(1, 1), m(1, 2), m(2, 0), m(2, 1), m(2, 2)};
}
inline Mat3 eigen(const btMatrix3x3& m) {
  Mat3 result;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) result(r, c) = m[r][c];
  return result;
}

using Pair = std::pair<int32_t, int32_t>;
inline Pair pairOf(int32_t a, int32_t b) { return {std::min(a, b), std::max(a, b)}; }

/// What a solve changes of a body.
struct Moving {
  btTransform place;
  btVector3 velocity, spin;
};
inline Moving movingOf(const btRigidBody& body) {
  return {body.getWorldTransform(), body.getLinearVelocity(), body.getAngularVelocity()};
}
inline void setMoving(btRigidBody& body, const Moving& moving) {
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
  Moving before;         // the contacts of this step act

  bool moves() const { return rigid->isActive() && !rigid->isStaticOrKinematicObject(); }
};

}  // namespace bullet

using namespace bullet;

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
  std::map<Pair, double> pairDepths();
  void relaxOverlaps();
  void liftFromPlanes();
  void tolerateFamilies(const Swap& swap);
  void checkFinite();

  WorldOptions options;
  double scale = 1;    // Bullet's units per metre, a power of two so that nothing is rounded
  double seconds = 0;  // of the current step
  const Decide* decide = nullptr;
  bool asking = false;  // `decide` runs: motions are those before the contacts act
  std::vector<BodyContact> contacts;
  std::map<Pair, double> tolerated;  // depths (Bullet's units) that do not push

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  std::unique_ptr<World> world;
  std::map<int32_t, std::unique_ptr<Body>> bodies;
};

}  // namespace hackle
