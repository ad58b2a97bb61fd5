// Forces on every part of a body: weight, inertia of its motion, and an elastic
// field that carries them.
#pragma once

#include <hackle/mechanics/elastic.h>

namespace hackle {

/// A force per volume that is linear in space: b(x) = density + gradient (x -
/// centre).
struct BodyForce {
  Vec3 centre = Vec3::Zero();    // m
  Vec3 density = Vec3::Zero();   // N/m^3, at the centre
  Mat3 gradient = Mat3::Zero();  // N/m^4

  bool isZero() const { return density.isZero(0) && gradient.isZero(0); }
  Vec3 at(const Vec3& x) const { return density + gradient * (x - centre); }
  BodyForce times(double factor) const { return {centre, factor * density, factor * gradient}; }
};
bool operator==(const BodyForce& a, const BodyForce& b);
inline bool operator!=(const BodyForce& a, const BodyForce& b) { return !(a == b); }

/// How a rigid body accelerates.
struct RigidAcceleration {
  Vec3 centre = Vec3::Zero();   // m, of mass
  Vec3 linear = Vec3::Zero();   // m/s^2, of the centre
  Vec3 angular = Vec3::Zero();  // rad/s^2
  Vec3 spin = Vec3::Zero();     // rad/s
};

/// What its parts feel: -density (a + α × r + ω × (ω × r)), r from the centre.
/// Weight is the acceleration g upwards of a body that rests.
BodyForce inertiaForce(double density, const RigidAcceleration& motion);

/// An elastic field with div σ + b = 0: a polynomial of third degree at most.
/// Added to a field without body force that meets what is left at the boundary
/// it solves the problem. It turns with the force, and is exact by itself for a
/// prism that hangs along the force.
class BodyForceField {
 public:
  BodyForceField(const BodyForce& force, const ElasticMaterial& material);

  const BodyForce& force() const { return mForce; }
  Vec3 displacement(const Vec3& x) const;  // m
  Mat3 stress(const Vec3& x) const;        // Pa
  /// Mean traction (Pa) on a triangle with this unit normal.
  Vec3 traction(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& normal) const;

 private:
  BodyForce mForce;
  ElasticMaterial mMaterial;
  Mat3 mPull;  // symmetric part of the gradient
  Vec3 mTurn;  // of the other part: turn × r
};

}  // namespace hackle
