#include <hackle/fem/reduced_stiffness.h>

#include <hackle/core/error.h>

namespace hackle {

ReducedStiffness::ReducedStiffness(const SparseMatrix& stiffness, std::vector<int32_t> fixed,
                                   Context& context)
    : mFixed(std::move(fixed)) {
  std::vector<uint8_t> isFixed(static_cast<size_t>(stiffness.rows()), 0);
  for (const int32_t i : mFixed) isFixed[i] = 1;
  SparseMatrix reduced = stiffness;
  // A fixed unknown keeps its place on the diagonal alone.
  reduced.prune([&](Eigen::Index row, Eigen::Index column, double) {
    return row == column || (!isFixed[row] && !isFixed[column]);
  });
  try {
    mFactor.analyse(reduced, context);
    mFactor.factorise(reduced, context);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::Failed) throw;
    throw Error(ErrorCode::BadInput, "the body has a joint: parts of it can move without any force",
                "parts that are connected by a point or an edge only need to be joined by faces");
  }
}

void ReducedStiffness::solve(Eigen::Ref<Eigen::MatrixXd> loads, Context& context) const {
  for (const int32_t i : mFixed) loads.row(i).setZero();
  mFactor.solve(loads, context);
}

}  // namespace hackle
