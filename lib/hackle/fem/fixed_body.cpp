#include <hackle/fem/fixed_body.h>

#include <hackle/core/error.h>
#include <hackle/fem/rigid_motions.h>
#include <hackle/linalg/dense.h>

#include <fmt/format.h>

namespace hackle {

namespace {

/// Every rigid motion has to move a held unknown.
void checkHeld(const ElasticMesh& mesh, const std::vector<int32_t>& held, Context& context) {
  const RigidMotions rigid(mesh, massMatrix(mesh, MassKind::Lumped, context), context);
  const Eigen::MatrixXd rows = rigid.basis()(held, Eigen::all);
  const auto free = static_cast<int32_t>(rigid.count()) - rankColumns(rows, 1e-9).rank;
  if (free > 0)
    throw Error(ErrorCode::BadInput,
                fmt::format("the supports leave {} rigid motions of the body free", free),
                "hold more points, or let it fly free");
}

}  // namespace

FixedBody::FixedBody(ElasticMesh mesh, Span<const Support> supports, Context& context)
    : mMesh(std::move(mesh)) {
  checkElasticMesh(mMesh);
  const size_t size = 3 * mMesh.points.size();
  mPrescribed.setZero(static_cast<Eigen::Index>(size));
  std::vector<uint8_t> isHeld(size, 0);
  std::vector<int32_t> held;
  for (const Support& s : supports) {
    if (s.point < 0 || static_cast<size_t>(s.point) >= mMesh.points.size() || !s.displacement.allFinite())
      throw Error(ErrorCode::BadInput, fmt::format("a support holds point {}, which cannot be", s.point));
    for (int32_t k = 0; k < 3; ++k) {
      if (!s.held[k]) continue;
      const int32_t unknown = 3 * s.point + k;
      double& at = mPrescribed[unknown];
      uint8_t& known = isHeld[unknown];
      if (known && at != s.displacement[k])
        throw Error(ErrorCode::BadInput,
                    fmt::format("two supports hold point {} at different places", s.point));
      at = s.displacement[k];
      if (!known) held.push_back(unknown);
      known = 1;
    }
  }
  checkHeld(mMesh, held, context);
  const SparseMatrix stiffness = stiffnessMatrix(mMesh, context);
  mStiffness = SymmetricMatrix(stiffness);
  mPrescribedForce = mStiffness.times(mPrescribed, context);
  mInverse = std::make_unique<ReducedStiffness>(stiffness, held, context);
}

Eigen::MatrixXd FixedBody::solve(const Eigen::MatrixXd& loads, Context& context) const {
  HACKLE_ASSERT(loads.rows() == mStiffness.size());
  Eigen::MatrixXd u = loads.colwise() - mPrescribedForce;
  mInverse->solve(u, context);
  u.colwise() += mPrescribed;
  return u;
}

Eigen::MatrixXd FixedBody::reactions(const Eigen::MatrixXd& displacements, const Eigen::MatrixXd& loads,
                                     Context& context) const {
  return mStiffness.times(displacements, context) - loads;
}

}  // namespace hackle
