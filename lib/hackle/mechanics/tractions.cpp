#include <hackle/core/error.h>
#include <hackle/mechanics/tractions.h>

#include <Eigen/Eigenvalues>

namespace hackle {

namespace {

struct Facet {
  double area = 0;
  Vec3 centroid = Vec3::Zero();
};

Facet facet(Span<const Vec3> points, const Triangle& t) {
  const Vec3 &a = points[t[0]], &b = points[t[1]], &c = points[t[2]];
  return {0.5 * (b - a).cross(c - a).norm(), (a + b + c) / 3};
}

}  // namespace

NetLoad netLoad(Span<const Vec3> points, Span<const Triangle> triangles, Span<const Vec3> tractions,
                const Vec3& centre) {
  HACKLE_ASSERT(triangles.size() == tractions.size());
  NetLoad net;
  for (size_t f = 0; f < triangles.size(); ++f) {
    const Facet facing = facet(points, triangles[f]);
    const Vec3 force = facing.area * tractions[f];
    net.force += force;
    net.torque += (facing.centroid - centre).cross(force);
  }
  return net;
}

BalancedTractions balancedTractions(Span<const Vec3> points, Span<const Triangle> triangles,
                                    Span<const Vec3> tractions) {
  HACKLE_ASSERT(triangles.size() == tractions.size());
  std::vector<Facet> facets(triangles.size());
  double area = 0;
  Vec3 centre = Vec3::Zero();
  for (size_t f = 0; f < triangles.size(); ++f) {
    facets[f] = facet(points, triangles[f]);
    area += facets[f].area;
    centre += facets[f].area * facets[f].centroid;
  }
  if (!(area > 0)) throw Error(ErrorCode::BadInput, "a surface without area cannot carry a load");
  centre /= area;

  // The torque of the field b x (x - c) is the area's tensor of inertia times b; lengths are measured in the
  // body's own size, so that the test for lines does not depend on units.
  Mat3 inertia = Mat3::Zero();
  double extent = 0;
  for (const Facet& facing : facets) {
    const Vec3 arm = facing.centroid - centre;
    inertia += facing.area * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
    extent += facing.area * arm.squaredNorm();
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> spectrum(inertia);
  if (!(spectrum.eigenvalues()[0] > 1e-12 * extent))
    throw Error(ErrorCode::BadInput,
                "the surface's triangles lie along one line, so a torque about it cannot be balanced",
                "give a surface that encloses a volume");

  BalancedTractions result;
  result.tractions.assign(tractions.begin(), tractions.end());
  // A second round takes out what rounding left of the first.
  for (int round = 0; round < 2; ++round) {
    const NetLoad net = netLoad(points, triangles, result.tractions, centre);
    const Vec3 push = net.force / area;
    const Vec3 turn =
        spectrum.eigenvectors() *
        (spectrum.eigenvectors().transpose() * net.torque).cwiseQuotient(spectrum.eigenvalues());
    for (size_t f = 0; f < facets.size(); ++f)
      if (facets[f].area > 0) result.tractions[f] -= push + turn.cross(facets[f].centroid - centre);
    result.removed.force += net.force;
    result.removed.torque += net.torque;
  }
  return result;
}

}  // namespace hackle
