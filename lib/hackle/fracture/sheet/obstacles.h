// What a sheet can run into: planes, balls with or without a mass of their own, and meshes.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/vec.h>

#include <memory>
#include <string>
#include <vector>

namespace hackle {

struct SheetObstacle {
  enum class Shape { Plane, Ball, Mesh };
  Shape shape = Shape::Plane;
  Vec3 position = Vec3::Zero();  // m: a point of the plane, the middle of the ball, the offset of the mesh
  Vec3 normal{0, 1, 0};          // of a plane, unit
  double radius = 0.1;           // m, of a ball
  Vec3 velocity = Vec3::Zero();  // m/s
  double mass = 0.0;             // kg; 0: moves as it is told, whatever it hits
  // Of a mesh: closed, outside counter-clockwise, about `position`; its distance at the start.
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  std::shared_ptr<const TriangleBvh> surface;
};

/// A barrier [Li20] that acts on vertices nearer than `reach` to an obstacle and grows without bound at
/// contact, with lagged Coulomb friction.
struct ContactModel {
  double reach = 1e-3;     // m, beyond half the thickness
  double stiffness = 1e5;  // N/m, scale of the barrier
  double friction = 0.3;   // none
  double slip = 1e-3;      // m/s below which friction sticks
};

struct ContactResponse {
  double energy = 0;
  Vec3 gradient = Vec3::Zero();
  Mat3 hessian = Mat3::Zero();
};

/// Planes and balls act on vertices by the functions below; meshes meet faces and edges, see SheetContact.

/// Signed distance of a point to an obstacle at rest where it is now, and the direction away from it.
double obstacleDistance(const SheetObstacle& obstacle, const Vec3& point, double maxDistance, Vec3& away);

/// Adds what one obstacle does to a vertex at `x` that was at `before` when the step of length dt began;
/// `lagged` is the normal force of the last iteration, for friction.
void addContact(const SheetObstacle& obstacle, const ContactModel& model, double halfThickness, const Vec3& x,
                const Vec3& before, double dt, double lagged, ContactResponse& response);

/// Energy (J), normal force (N) and stiffness (N/m) of the barrier at a distance.
double barrierEnergy(const ContactModel& model, double distance);
double barrierForce(const ContactModel& model, double distance);
double barrierStiffness(const ContactModel& model, double distance);

/// Friction under a normal force against a move in a step of length dt: smooth below `slip` so that Newton's
/// method converges [Li20]. Gives the energy, the gradient and, if asked for, the second derivative by the
/// move.
double frictionEnergy(const ContactModel& model, double force, const Vec3& normal, const Vec3& move,
                      double dt, Vec3& gradient, Mat3* hessian);

/// Largest part of the move, at most 1, after which the vertex is still outside.
double freeMove(const SheetObstacle& obstacle, double halfThickness, const Vec3& x, const Vec3& move);

}  // namespace hackle
