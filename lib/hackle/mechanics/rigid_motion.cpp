#include <hackle/mechanics/rigid_motion.h>

namespace hackle {

RigidMass rigidMass(const MassProperties& solid, double density) {
  return {density * solid.volume, solid.centre, density * solid.inertia};
}

Vec3 toWorld(const RigidMotion& motion, const Vec3& centre, const Vec3& place) {
  return motion.rotation * (place - centre) + motion.position;
}

Vec3 toRest(const RigidMotion& motion, const Vec3& centre, const Vec3& place) {
  return motion.rotation.transpose() * (place - motion.position) + centre;
}

Momentum& Momentum::operator+=(const Momentum& other) {
  linear += other.linear;
  angular += other.angular;
  energy += other.energy;
  return *this;
}

Momentum momentumOf(const RigidMass& mass, const RigidMotion& motion) {
  const Vec3 own = motion.rotation * (mass.inertia * (motion.rotation.transpose() * motion.spin));
  Momentum result;
  result.linear = mass.mass * motion.velocity;
  result.angular = motion.position.cross(result.linear) + own;
  result.energy = 0.5 * (result.linear.dot(motion.velocity) + own.dot(motion.spin));
  return result;
}

}  // namespace hackle
