#include <hackle/fem/free_body.h>

#include <hackle/core/error.h>

#include <fmt/format.h>

namespace hackle {

namespace {
constexpr double kGoodResidual = 1e-10;  // of the load; above it the solution is refined once
constexpr double kBadResidual = 1e-6;
}  // namespace

Eigen::VectorXd solveFreeBody(const ElasticMesh& mesh, const Eigen::VectorXd& loads, Context& context) {
  return FreeBody(mesh, context).solve(loads, context);
}

FreeBody::FreeBody(ElasticMesh mesh, Context& context) : mMesh(std::move(mesh)) {
  checkElasticMesh(mMesh);
  const SparseMatrix stiffness = stiffnessMatrix(mMesh, context);
  mStiffness = SymmetricMatrix(stiffness);
  mRigid = std::make_unique<RigidMotions>(mMesh, massMatrix(mMesh, MassKind::Consistent, context), context);
  mInverse = std::make_unique<ReducedStiffness>(stiffness, mRigid->determinateUnknowns(), context);
}

FreeBody::FreeBody(ElasticMesh mesh, const SparseMatrix& stiffness, const SparseMatrix& mass,
                   Context& context)
    : mMesh(std::move(mesh)), mStiffness(stiffness) {
  checkElasticMesh(mMesh);
  mRigid = std::make_unique<RigidMotions>(mMesh, mass, context);
  mInverse = std::make_unique<ReducedStiffness>(stiffness, mRigid->determinateUnknowns(), context);
}

Eigen::MatrixXd FreeBody::solve(const Eigen::MatrixXd& loads, Context& context) const {
  HACKLE_ASSERT(loads.rows() == mStiffness.size());
  // Let the forces of inertia balance the loads.
  Eigen::MatrixXd balanced = loads;
  mRigid->relieve(balanced);
  Eigen::MatrixXd u = balanced;
  mInverse->solve(u, context);
  mRigid->removeFromDisplacements(u);

  // The fixed unknowns must not have carried any load.
  const double scale = loads.norm();
  for (int round = 0; scale > 0; ++round) {
    Eigen::MatrixXd residual = balanced - mStiffness.times(u, context);
    const double size = residual.norm() / scale;
    if (size <= kGoodResidual || (round == 1 && size <= kBadResidual)) break;
    if (round == 1)
      throw Error(ErrorCode::Failed, fmt::format("a free body's equilibrium was missed by {:.1e}", size),
                  "parts may be connected by an edge or a point only, or materials differ too much");
    mRigid->relieve(residual);
    mInverse->solve(residual, context);
    u += residual;
    mRigid->removeFromDisplacements(u);
  }
  return u;
}

size_t FreeBody::bytes() const {
  // A row of the stiffness matrix has about 45 numbers with their places.
  return mMesh.points.size() * sizeof(Vec3) + mMesh.tetrahedra.size() * sizeof(Tetrahedron) +
         static_cast<size_t>(mStiffness.size()) * 45 * 12 + mInverse->bytes();
}

double FreeBody::effectiveMass(const Eigen::VectorXd& load) const {
  Vec3 force = Vec3::Zero();
  for (Eigen::Index i = 0; i < load.size(); i += 3) force += load.segment<3>(i);
  return force.squaredNorm() / mRigid->accelerations(load).squaredNorm();
}

}  // namespace hackle
