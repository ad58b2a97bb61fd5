#include <hackle/core/error.h>
#include <hackle/fracture/crack/crack_load.h>
#include <hackle/geometry/mass_properties.h>

#include <fmt/format.h>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

size_t nearestBody(const std::vector<CrackBody>& bodies, const Vec3& place) {
  size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (size_t b = 0; b < bodies.size(); ++b) {
    const double squared = bodies[b].mesh.solid->bvh.closestPoint(place).squaredDistance;
    if (squared >= least) continue;
    least = squared;
    best = b;
  }
  return best;
}

bool isHeld(const BoundaryData& data) {
  const std::array<uint8_t, 3> free{0, 0, 0};
  return std::any_of(data.fixed.begin(), data.fixed.end(), [&](const auto& fixed) { return fixed != free; });
}

/// How tractions accelerate a body that nothing holds; not at all if they balance each other.
RigidAcceleration accelerationOf(const TriangleMesh& mesh, Span<const Vec3> tractions, double density,
                                 const Vec3& spin, Context& context) {
  constexpr double kBalanced = 1e-9;  // of the sum of all forces
  const MassProperties mass = massProperties(mesh, context);
  const Mat3 inertia = density * mass.inertia;
  const NetLoad net = netLoad(mesh.points, mesh.triangles, tractions, mass.centre);
  double all = 0;
  for (size_t t = 0; t < tractions.size(); ++t) {
    const Triangle& c = mesh.triangles[t];
    const Vec3& a = mesh.points[c[0]];
    all += 0.5 * (mesh.points[c[1]] - a).cross(mesh.points[c[2]] - a).norm() * tractions[t].norm();
  }
  RigidAcceleration motion;
  motion.centre = mass.centre;
  motion.spin = spin;
  if (net.force.norm() > kBalanced * all) motion.linear = net.force / (density * mass.volume);
  const double size = std::cbrt(mass.volume);
  Vec3 torque = net.torque.norm() > kBalanced * all * size ? net.torque : Vec3(Vec3::Zero());
  torque -= spin.cross(inertia * spin);
  motion.angular = inertia.inverse() * torque;
  return motion;
}

TriangleMesh meshOf(const BemSurface& surface) {
  TriangleMesh mesh;
  for (size_t n = 0; n < surface.nodeCount(); ++n) mesh.points.edit().push_back(surface.point(n));
  for (size_t t = 0; t < surface.triangleCount(); ++t) mesh.triangles.edit().push_back(surface.triangle(t));
  return mesh;
}

}  // namespace

std::vector<BodyLoad> loadsByBody(const Solid& solid, const std::vector<CrackBody>& bodies,
                                  const LoadCase& load) {
  std::vector<BodyLoad> loads(bodies.size());
  for (size_t b = 0; b < loads.size(); ++b) {
    loads[b].motion.spin = load.spin;
    if (!isHeld(bodies[b].data)) continue;
    loads[b].motion = {solid.mass.centre, load.acceleration, load.angularAcceleration, load.spin};
  }
  for (const Impact& impact : impactsOnSurface(load.impacts, solid.bvh))
    if (impact.impulse > 0) loads[nearestBody(bodies, impact.position)].impacts.push_back(impact);
  for (const SteadyForce& force : load.steady) {
    if (force.force.isZero(0)) continue;
    // The same rule for places as impacts have.
    Impact place;
    place.position = force.position;
    const Vec3 at = impactsOnSurface({&place, 1}, solid.bvh)[0].position;
    loads[nearestBody(bodies, at)].steady.push_back({at, force.force});
  }
  return loads;
}

LoadedBody loadedBody(const CrackBody& body, const BodyLoad& load, Context& context) {
  LoadedBody result;
  result.data = body.data;
  const bool held = isHeld(body.data);
  if (load.empty() && (held || !carriesLoad(body.data))) return result;
  const Solid& solid = *body.mesh.solid;
  const ElasticMaterial& material = body.material.elastic;
  const TriangleMesh mesh = meshOf(body.surface);
  const TriangleBvh bvh(mesh, context);
  ContactOptions options;
  options.minPatchRadius = body.options.coarse;
  std::vector<PointForce> forces;
  const auto spread = [&](const Vec3& place, const Contact& contact, double force) {
    for (const PointForce& f : contactForces(place, contact, force, mesh, bvh)) forces.push_back(f);
  };
  for (const Impact& impact : load.impacts) {
    const double mass = effectiveMass(solid.mass, material.density, impact.position, impact.direction);
    result.contacts.push_back(resolveContact(impact, mass, material, solid.mesh, solid.bvh, options));
    spread(impact.position, result.contacts.back(), result.contacts.back().peakForce);
  }
  for (const SteadyForce& steady : load.steady) {
    Contact contact;
    contact.direction = steady.force.normalized();
    contact.patchRadius = options.minPatchRadius;
    spread(steady.position, contact, steady.force.norm());
  }
  const std::vector<Vec3> tractions = tractionsOf(forces, mesh);
  for (size_t t = 0; t < tractions.size(); ++t) result.data.traction[t] += tractions[t];
  const RigidAcceleration motion =
      held ? load.motion
           : accelerationOf(mesh, result.data.traction, material.density, load.motion.spin, context);
  result.data.force = inertiaForce(material.density, motion);
  return result;
}

}  // namespace hackle
