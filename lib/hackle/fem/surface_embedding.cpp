#include <hackle/fem/surface_embedding.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/meshing/lattice/lattice.h>

namespace hackle {

SurfaceEmbedding::SurfaceEmbedding(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                   Context& context)
    : mPoints(points),
      mTetrahedra(tetrahedra),
      mLocator(points, tetrahedra, context),
      mBoundary(boundaryFaces(tetrahedra, {}, context)),
      mBoundaryBvh(points, mBoundary, context) {
  if (mBoundary.empty())
    throw Error(ErrorCode::BadInput, "there are no tetrahedra that could hold a surface");
}

LatticePlace SurfaceEmbedding::place(const Vec3& position) const {
  LatticePlace result;
  if (const auto inside = mLocator.find(position)) {
    result.points = mTetrahedra[inside->tetrahedron];
    result.weights = inside->weights;
    return result;
  }
  const ClosestPoint at = mBoundaryBvh.closestPoint(position);
  HACKLE_ASSERT(at.triangle >= 0);
  const Triangle& t = mBoundary[at.triangle];
  result.points = {t[0], t[1], t[2], t[0]};
  result.weights = {at.barycentric[0], at.barycentric[1], at.barycentric[2], 0};
  return result;
}

std::vector<LatticePlace> SurfaceEmbedding::places(Span<const Vec3> positions, Context& context) const {
  std::vector<LatticePlace> result(positions.size());
  parallelFor(context, positions.size(), 256, [&](size_t i) { result[i] = place(positions[i]); });
  return result;
}

Eigen::VectorXd SurfaceEmbedding::nodalForces(Span<const PointForce> forces) const {
  Eigen::VectorXd nodal = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * mPoints.size()));
  for (const PointForce& f : forces) {
    const LatticePlace at = place(f.position);
    for (size_t k = 0; k < 4; ++k) nodal.segment<3>(3 * at.points[k]) += at.weights[k] * f.force;
  }
  return nodal;
}

std::vector<Vec3> displacementsAt(Span<const LatticePlace> places, const Eigen::VectorXd& displacements) {
  std::vector<Vec3> result(places.size(), Vec3::Zero());
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t k = 0; k < 4; ++k)
      result[i] += places[i].weights[k] * displacements.segment<3>(3 * places[i].points[k]);
  return result;
}

std::vector<double> valuesAt(Span<const LatticePlace> places, Span<const double> values) {
  std::vector<double> result(places.size(), 0.0);
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t k = 0; k < 4; ++k) result[i] += places[i].weights[k] * values[places[i].points[k]];
  return result;
}

}  // namespace hackle
