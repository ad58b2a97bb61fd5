#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fem/assembly.h>
#include <hackle/fem/block_matrix.h>

#include <algorithm>

namespace hackle {

SparseMatrix stiffnessMatrix(const ElasticMesh& mesh, Context& context) {
  const std::vector<TetShape> shapes = tetShapes(mesh, context);
  BlockMatrix<false, Tetrahedron> matrix(mesh.points.size(), mesh.tetrahedra, context);
  return matrix.fill(
      [&](size_t t, size_t a, size_t b) -> Mat3 {
        const TetShape& s = shapes[t];
        const ElasticMaterial& m = mesh.materialOf(t);
        const double lambda = s.volume * lameParameter(m), mu = s.volume * shearModulus(m);
        const Vec3 &ga = s.gradients[a], &gb = s.gradients[b];
        return lambda * ga * gb.transpose() + mu * gb * ga.transpose() + mu * ga.dot(gb) * Mat3::Identity();
      },
      context);
}

SparseMatrix massMatrix(const ElasticMesh& mesh, MassKind kind, Context& context) {
  const std::vector<TetShape> shapes = tetShapes(mesh, context);
  if (kind == MassKind::Consistent) {
    BlockMatrix<true, Tetrahedron> matrix(mesh.points.size(), mesh.tetrahedra, context);
    return matrix.fill(
        [&](size_t t, size_t a, size_t b) -> Mat3 {
          return mesh.materialOf(t).density * shapes[t].volume / 20 * (a == b ? 2 : 1) * Mat3::Identity();
        },
        context);
  }
  Eigen::VectorXd masses = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * mesh.points.size()));
  for (size_t t = 0; t < shapes.size(); ++t)
    for (const int32_t p : mesh.tetrahedra[t])
      masses.segment<3>(3 * p).array() += mesh.materialOf(t).density * shapes[t].volume / 4;
  SparseMatrix matrix(masses.size(), masses.size());
  matrix.reserve(Eigen::VectorXi::Ones(masses.size()));
  for (Eigen::Index i = 0; i < masses.size(); ++i) matrix.insert(i, i) = masses[i];
  matrix.makeCompressed();
  return matrix;
}

Eigen::VectorXd tractionForces(Span<const Vec3> points, Span<const Triangle> triangles,
                               Span<const Vec3> tractions) {
  HACKLE_ASSERT(triangles.size() == tractions.size());
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * points.size()));
  for (size_t f = 0; f < triangles.size(); ++f) {
    const auto at = [&](size_t k) -> const Vec3& { return points[triangles[f][k]]; };
    const double area = 0.5 * (at(1) - at(0)).cross(at(2) - at(0)).norm();
    for (const int32_t p : triangles[f]) forces.segment<3>(3 * p) += area / 3 * tractions[f];
  }
  return forces;
}

Eigen::VectorXd bodyForces(const ElasticMesh& mesh, const Vec3& acceleration) {
  Eigen::VectorXd forces = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(3 * mesh.points.size()));
  for (size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    const Tetrahedron& tet = mesh.tetrahedra[t];
    const auto at = [&](size_t k) -> const Vec3& { return mesh.points[tet[k]]; };
    const double mass = mesh.materialOf(t).density * tetShape(at(0), at(1), at(2), at(3)).volume;
    for (const int32_t p : tet) forces.segment<3>(3 * p) += mass / 4 * acceleration;
  }
  return forces;
}

}  // namespace hackle
