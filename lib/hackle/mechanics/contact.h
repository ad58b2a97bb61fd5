// How an impact acts on an elastic body: its duration, its force, and where the force goes.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/mechanics/elastic.h>
#include <hackle/mechanics/impact.h>
#include <hackle/mechanics/tractions.h>

#include <optional>
#include <vector>

namespace hackle {

struct ContactOptions {
  std::optional<double>
      reach;  // m, around the point in which curvature is seen; not set: 1/20 of the diagonal
  std::optional<double>
      maxRadius;              // m, of curvature, for flat on flat; not set: the diagonal of the body's box
  double minPatchRadius = 0;  // m; about a cell of the mesh that has to resolve the patch
};

/// One impact between two spheres of the local radii, after Hertz [Johnson85] 4.2 and 11.4.
struct Contact {
  Vec3 direction = Vec3::Zero();  // of unit length
  double duration = 0;            // s
  double meanForce = 0;           // N, impulse / duration
  double peakForce = 0;           // N, kHertzPeak times the mean
  double radius = 0;              // m, effective: 1/R = 1/R1 + 1/R2
  double patchRadius = 0;         // m, of the circle of contact at the peak
  double mass = 0;                // kg, effective
  double speed = 0;               // m/s
};

/// Peak over mean of the force in an elastic Hertz impact; pi / 2 for the half sine of [Glondu12].
constexpr double kHertzPeak = 1.839547;

/// s that two spheres touch: 2.8683 (m^2 / (E*^2 R v))^(1/5), all above 0. `mass` (kg), `modulus` E* (Pa) and
/// `radius` (m) are effective: 1/m = 1/m1 + 1/m2, 1/E* = (1 - nu1^2)/E1 + (1 - nu2^2)/E2, 1/R = 1/R1 + 1/R2.
double hertzDuration(double mass, double modulus, double radius, double speed);
/// Greatest force (N) of the same impact.
double hertzPeakForce(double mass, double modulus, double radius, double speed);
/// Radius (m) of the circle of contact under a force (N).
double hertzPatchRadius(double force, double modulus, double radius);

/// kg that a push on a free rigid body at a place meets: 1/m' = 1/m + (r x n) . I^-1 (r x n).
double effectiveMass(const MassProperties& body, double density, const Vec3& position, const Vec3& direction);

/// Mean curvature (1/m, positive where convex) of the surface around a place: that of the sphere that fits
/// the surface within `reach` (m) best, exact on spheres. Sharp edges and corners look as round as `reach`
/// makes them. 0 where there is nothing to fit.
double surfaceCurvature(const TriangleMesh& mesh, const TriangleBvh& bvh, const Vec3& position, double reach);

/// `mass` (kg) is the body's, whole or effective at the place. An impulse of 0 gives no force.
/// Error(BadInput) for a direction without length, a negative impulse or values that are not positive where
/// they must be.
Contact resolveContact(const Impact& impact, double mass, const ElasticMaterial& material,
                       const TriangleMesh& mesh, const TriangleBvh& bvh, const ContactOptions& options);

/// A force at a place of the surface.
struct PointForce {
  int32_t triangle = -1;
  Vec3 position = Vec3::Zero();  // m
  Vec3 force = Vec3::Zero();     // N
};

/// Hertz's pressure p0 sqrt(1 - r^2/a^2) along the direction of the contact, as forces at points of the
/// triangles within the patch that are connected to the hit one and face the push; they add up to
/// `force` (N). Never empty on a mesh with triangles: a patch smaller than rounding is one force.
std::vector<PointForce> contactForces(const Vec3& position, const Contact& contact, double force,
                                      const TriangleMesh& mesh, const TriangleBvh& bvh);

/// Tractions (Pa, one per triangle of the mesh) of forces at points: constant on every triangle.
std::vector<Vec3> tractionsOf(Span<const PointForce> forces, const TriangleMesh& mesh);

/// The forces of several impacts as one load without net force and torque, for solvers of a free body's
/// surface: `balancedTractions` of the sum of their tractions.
BalancedTractions balancedTractionsOf(Span<const PointForce> forces, const TriangleMesh& mesh);

}  // namespace hackle
