// Rigid bodies as every part of a simulation sees them: mass, place, motion, contacts.
#pragma once

#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/vec.h>

#include <cstdint>

namespace hackle {

/// What a rigid body weighs, in the frame of its rest shape.
struct RigidMass {
  double mass = 0;              // kg
  Vec3 centre = Vec3::Zero();   // m
  Mat3 inertia = Mat3::Zero();  // kg m^2, about the centre
};

/// Of a solid of one density (kg/m^3).
RigidMass rigidMass(const MassProperties& solid, double density);

/// Where a body is and how it moves. The place x of its rest shape is at rotation * (x - centre) + position.
struct RigidMotion {
  Mat3 rotation = Mat3::Identity();
  Vec3 position = Vec3::Zero();  // m, of the centre of mass
  Vec3 velocity = Vec3::Zero();  // m/s, of the centre of mass
  Vec3 spin = Vec3::Zero();      // rad/s

  /// m/s, of the material at a place of the world.
  Vec3 velocityAt(const Vec3& place) const { return velocity + spin.cross(place - position); }
  bool allFinite() const {
    return rotation.allFinite() && position.allFinite() && velocity.allFinite() && spin.allFinite();
  }
};

/// From the rest shape of a body to the world and back.
Vec3 toWorld(const RigidMotion& motion, const Vec3& centre, const Vec3& place);
Vec3 toRest(const RigidMotion& motion, const Vec3& centre, const Vec3& place);

/// Momentum and kinetic energy, angular momentum about the world's origin.
struct Momentum {
  Vec3 linear = Vec3::Zero();   // kg m/s
  Vec3 angular = Vec3::Zero();  // kg m^2/s
  double energy = 0;            // J
  Momentum& operator+=(const Momentum& other);
};
Momentum momentumOf(const RigidMass& mass, const RigidMotion& motion);

/// One point where two bodies touch, in one step.
struct BodyContact {
  int32_t a = -1, b = -1;        // ids of the bodies
  Vec3 position = Vec3::Zero();  // m, in the world
  Vec3 normal = Vec3::Zero();    // from b to a, unit length
  Vec3 impulse = Vec3::Zero();   // N s, on a, with friction; b gets the opposite
  double speed = 0;              // m/s of approach along the normal before the contact acted
  double depth = 0;              // m that the shapes overlap; negative: the gap
};

}  // namespace hackle
