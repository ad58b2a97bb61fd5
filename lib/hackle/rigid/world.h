// A world of rigid bodies that collide. Bullet does the work; nothing of it shows here.
#pragma once

#include <hackle/core/archive.h>
#include <hackle/mechanics/rigid_motion.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hackle {

/// What a body collides with. Exactly one of hulls, triangles and plane is used, in this order.
struct CollisionShape {
  /// Corners of convex parts, in the rest frame, `margin` inside of the surface that they stand for.
  std::vector<std::vector<Vec3>> hulls;
  /// A surface, for bodies that no force moves.
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  /// All below the plane normal . x = offset is solid; for bodies that never move.
  Vec3 planeNormal = Vec3::UnitY();
  double planeOffset = 0;  // m

  double margin = 0;  // m, that is added around hulls

  bool isPlane() const { return hulls.empty() && triangles.empty(); }
};
using CollisionShapePtr = std::shared_ptr<const CollisionShape>;

enum class BodyKind : uint8_t {
  Dynamic,   // moved by forces
  Static,    // never moves
  Animated,  // moved by `setMotion`, pushes others
};

struct BodySetup {
  int32_t id = 0;  // of no other body that is there
  std::string name;
  BodyKind kind = BodyKind::Dynamic;
  CollisionShapePtr shape;
  RigidMass mass;  // of dynamic bodies
  RigidMotion motion;
  double friction = 0.5;     // of a pair: the geometric mean of both
  double restitution = 0.1;  // the same
  /// Bodies of one family that overlap when they first meet are not pushed apart; -1: of no family.
  int32_t family = -1;
};

struct WorldOptions {
  Vec3 gravity{0, -9.81, 0};  // m/s^2
  double length = 1;          // m, about the size of the bodies; tolerances scale with it
  int iterations = 10;        // of the contact solver in one step
};

/// Two bodies that overlap by more than their margins.
struct BodyOverlap {
  int32_t a = -1, b = -1;
  double depth = 0;  // m
};

/// Equal calls give equal bits, in every process. Not for calls from several threads at once.
class RigidWorld {
 public:
  explicit RigidWorld(const WorldOptions& options);
  ~RigidWorld();
  RigidWorld(const RigidWorld&) = delete;
  RigidWorld& operator=(const RigidWorld&) = delete;

  /// Error(BadInput) for a dynamic body without mass, inertia or hulls, Error(Internal) for a used id.
  void add(const BodySetup& setup);
  /// Bodies that touch it wake up.
  void remove(int32_t id);

  /// Ids in ascending order.
  std::vector<int32_t> ids() const;
  RigidMotion motion(int32_t id) const;
  /// For animated bodies: where it is at the end of the next step. For dynamic ones: from now on.
  void setMotion(int32_t id, const RigidMotion& motion);
  bool awake(int32_t id) const;
  /// Force (N) and torque (N m) in the next step. Wakes the body if they are not zero.
  void push(int32_t id, const Vec3& force, const Vec3& torque);

  /// Bodies that a step takes out, and those that it puts in instead.
  struct Swap {
    std::vector<int32_t> removed;
    std::vector<BodySetup> added;
  };
  /// Asked once per step with the contacts that it would have; bodies still have the motion before them.
  using Decide = std::function<Swap(const std::vector<BodyContact>&)>;

  /// Moves on by `seconds`. If `decide` swaps bodies, the step is repeated with the new ones; it is not asked
  /// again. Error(Failed) names a body whose motion is no longer finite.
  void step(double seconds, const Decide& decide = {});
  /// Of the last step, as it was in the end: pairs with an awake body, in a fixed order.
  const std::vector<BodyContact>& contacts() const;

  /// Dynamic bodies that overlap now, deepest first.
  std::vector<BodyOverlap> overlaps();
  /// Overlaps of now do not push these pairs apart.
  void tolerate(const std::vector<BodyOverlap>& overlaps);

  /// Forgets all that the solver remembers of past steps. Two worlds with the same bodies, motions and
  /// activity go on bit by bit equal after it; so call it where states are saved, in every run.
  void restartCold();
  /// Motions and activity of all bodies as sections `prefix`...; call `restartCold` before.
  void save(ArchiveWriter& archive, const std::string& prefix) const;
  /// Into a world to which bodies of the same ids were added. Error(BadInput) if they do not fit.
  void restore(const ArchiveReader& archive, const std::string& prefix);

 private:
  struct Impl;
  std::unique_ptr<Impl> mImpl;
};

}  // namespace hackle
