#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fem/fields.h>

namespace hackle {

namespace {
constexpr size_t kGrain = 4096;

TetShape shapeOf(const ElasticMesh& mesh, size_t t) {
  const auto at = [&](size_t k) -> const Vec3& { return mesh.points[mesh.tetrahedra[t][k]]; };
  return tetShape(at(0), at(1), at(2), at(3));
}
}  // namespace

std::vector<Mat3> displacementGradients(const ElasticMesh& mesh, const Eigen::VectorXd& displacements,
                                        Context& context) {
  HACKLE_ASSERT(displacements.size() == static_cast<Eigen::Index>(3 * mesh.points.size()));
  std::vector<Mat3> gradients(mesh.tetrahedra.size());
  parallelFor(context, gradients.size(), kGrain, [&](size_t t) {
    const TetShape shape = shapeOf(mesh, t);
    const Tetrahedron& tet = mesh.tetrahedra[t];
    // Relative to one corner: a large common displacement must not cost digits.
    const Vec3 base = displacements.segment<3>(3 * tet[0]);
    Mat3 gradient = Mat3::Zero();
    for (size_t k = 1; k < 4; ++k)
      gradient += (displacements.segment<3>(3 * tet[k]) - base) * shape.gradients[k].transpose();
    gradients[t] = gradient;
  });
  return gradients;
}

std::vector<Mat3> stresses(const ElasticMesh& mesh, const Eigen::VectorXd& displacements, Context& context) {
  std::vector<Mat3> result = displacementGradients(mesh, displacements, context);
  parallelFor(context, result.size(), kGrain,
              [&](size_t t) { result[t] = stressOf(mesh.materialOf(t), result[t]); });
  return result;
}

std::vector<Mat3> pointStresses(const ElasticMesh& mesh, Span<const Mat3> stresses, Context& context) {
  HACKLE_ASSERT(stresses.size() == mesh.tetrahedra.size());
  std::vector<Mat3> sums(mesh.points.size(), Mat3::Zero());
  std::vector<double> volumes(mesh.points.size(), 0.0);
  for (size_t t = 0; t < stresses.size(); ++t) {
    if (t % kGrain == 0) context.checkCancel();
    const double volume = shapeOf(mesh, t).volume;
    for (const int32_t p : mesh.tetrahedra[t]) {
      sums[p] += volume * stresses[t];
      volumes[p] += volume;
    }
  }
  for (size_t p = 0; p < sums.size(); ++p)
    if (volumes[p] > 0) sums[p] /= volumes[p];
  return sums;
}

std::vector<double> energyDensities(const ElasticMesh& mesh, const Eigen::VectorXd& displacements,
                                    Context& context) {
  const std::vector<Mat3> gradients = displacementGradients(mesh, displacements, context);
  std::vector<double> densities(gradients.size());
  parallelFor(context, densities.size(), kGrain, [&](size_t t) {
    const Mat3 strain = 0.5 * (gradients[t] + gradients[t].transpose());
    densities[t] = 0.5 * stressOf(mesh.materialOf(t), strain).cwiseProduct(strain).sum();
  });
  return densities;
}

double strainEnergy(const ElasticMesh& mesh, Span<const double> densities, Context& context) {
  HACKLE_ASSERT(densities.size() == mesh.tetrahedra.size());
  return parallelReduce(
      context, densities.size(), kGrain, 0.0,
      [&](size_t begin, size_t end) {
        double sum = 0;
        for (size_t t = begin; t < end; ++t) sum += densities[t] * shapeOf(mesh, t).volume;
        return sum;
      },
      [](double a, double b) { return a + b; });
}

}  // namespace hackle
