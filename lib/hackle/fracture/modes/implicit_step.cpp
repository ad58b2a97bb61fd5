#include <hackle/fracture/modes/implicit_step.h>

#include <hackle/core/error.h>

namespace hackle {

namespace {

/// Gradients of the four hat functions, and the volume.
std::pair<Eigen::Matrix<double, 3, 4>, double> gradients(Span<const Vec3> points, const Tetrahedron& t) {
  Mat3 edges;
  for (int c = 0; c < 3; ++c) edges.col(c) = points[t[c + 1]] - points[t[0]];
  Eigen::Matrix<double, 3, 4> g;
  g.rightCols<3>() = edges.inverse().transpose();
  g.col(0) = -g.rightCols<3>().rowwise().sum();
  return {g, edges.determinant() / 6};
}

}  // namespace

ImplicitStep::ImplicitStep(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                           Span<const double> masses, double length, Context& context)
    : mTetrahedra(tetrahedra), mElementMass(masses.begin(), masses.end()), mPointMass(points.size(), 0.0) {
  using Entry = Eigen::Triplet<double, int32_t>;
  std::vector<Entry> entries;
  double mass = 0, volume = 0;
  for (size_t e = 0; e < tetrahedra.size(); ++e) {
    mass += masses[e];
    volume += gradients(points, tetrahedra[e]).second;
    for (const int32_t p : tetrahedra[e]) mPointMass[p] += masses[e] / 4;
  }
  if (!(length > 0)) return;
  const double factor = mass / volume * length * length;
  for (size_t p = 0; p < points.size(); ++p)
    entries.emplace_back(static_cast<int>(p), static_cast<int>(p), mPointMass[p]);
  for (const Tetrahedron& t : tetrahedra) {
    const auto [g, v] = gradients(points, t);
    for (size_t i = 0; i < 4; ++i)
      for (size_t j = 0; j < 4; ++j)
        if (t[i] >= t[j])
          entries.emplace_back(
              t[i], t[j],
              factor * v * g.col(static_cast<Eigen::Index>(i)).dot(g.col(static_cast<Eigen::Index>(j))));
  }
  context.checkCancel();
  const auto size = static_cast<Eigen::Index>(points.size());
  SparseMatrix matrix(size, size);
  matrix.setFromTriplets(entries.begin(), entries.end());
  mFactor.emplace();
  mFactor->analyse(matrix, context);
  mFactor->factorise(matrix, context);
}

Eigen::MatrixXd ImplicitStep::fields(Span<const int32_t> pieceOf, size_t first, size_t count,
                                     Context& context) const {
  Eigen::MatrixXd loads =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(mPointMass.size()), static_cast<Eigen::Index>(count));
  for (size_t e = 0; e < mTetrahedra.size(); ++e) {
    const size_t piece = static_cast<size_t>(pieceOf[e]);
    if (piece < first || piece >= first + count) continue;
    for (const int32_t p : mTetrahedra[e])
      loads(p, static_cast<Eigen::Index>(piece - first)) += mElementMass[e] / 4;
  }
  if (!mFactor) {
    for (Eigen::Index p = 0; p < loads.rows(); ++p) loads.row(p) /= mPointMass[p];
    return loads;
  }
  mFactor->solve(loads, context);
  return loads;
}

}  // namespace hackle
