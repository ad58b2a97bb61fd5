#include <hackle/fracture/voronoi/diffusion.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/voronoi/mean_value.h>
#include <hackle/linalg/eigenpairs.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

/// Stiffness and lumped mass of linear elements; lower triangles.
class Laplacian {
 public:
  explicit Laplacian(size_t points) : mMass(points, 0.0) {}

  /// One element with gradients of its corners' hat functions, and its size (m^2 or m^3).
  template <size_t Corners>
  void add(const std::array<int32_t, Corners>& corners, const std::array<Vec3, Corners>& gradients,
           double size) {
    for (size_t i = 0; i < Corners; ++i) {
      mMass[corners[i]] += size / static_cast<double>(Corners);
      for (size_t j = 0; j < Corners; ++j)
        if (corners[i] >= corners[j])
          mEntries.emplace_back(corners[i], corners[j], size * gradients[i].dot(gradients[j]));
    }
  }

  Eigenpairs pairs(size_t count, Context& context) const {
    const auto n = static_cast<Eigen::Index>(mMass.size());
    double total = 0;
    for (const double m : mMass) total += m;
    std::vector<Eigen::Triplet<double, int32_t>> diagonal, entries = mEntries;
    for (int32_t p = 0; p < static_cast<int32_t>(mMass.size()); ++p) {
      // A point of nothing gets a hair of mass, so that M has an inverse.
      const double mass = std::max(mMass[p], 1e-9 * total / static_cast<double>(n));
      diagonal.emplace_back(p, p, mass);
      entries.emplace_back(p, p, 0.0);
    }
    SparseMatrix stiffness(n, n), mass(n, n);
    stiffness.setFromTriplets(entries.begin(), entries.end());
    mass.setFromTriplets(diagonal.begin(), diagonal.end());
    return smallestEigenpairs(stiffness, mass, count, EigenOptions(), context);
  }

 private:
  std::vector<double> mMass;
  std::vector<Eigen::Triplet<double, int32_t>> mEntries;
};

/// Weighted eigenfunctions, one column a coordinate.
Eigen::MatrixXd diffusionMap(const Eigenpairs& pairs, const DiffusionOptions& options) {
  const Eigen::VectorXd& values = pairs.values;
  const double zero = 1e-7 * values[values.size() - 1];
  Eigen::Index first = 0;
  while (first < values.size() && values[first] <= zero) ++first;
  if (first == values.size()) throw Error(ErrorCode::Failed, "the Laplacian has no eigenvalues above 0");
  const double time = options.time / values[first];
  // Without the constant; other functions of eigenvalue 0 keep loose parts apart.
  Eigen::Index end = 1;
  const auto weight = [&](Eigen::Index k) { return std::exp(-std::max(values[k], 0.0) * time); };
  while (end < values.size() && weight(end) > options.kept * weight(first)) ++end;
  Eigen::MatrixXd map(pairs.vectors.rows(), end - 1);
  for (Eigen::Index k = 1; k < end; ++k) map.col(k - 1) = weight(k) * pairs.vectors.col(k);
  return map;
}

/// Rows as an embedding, scaled so that edges keep their length on average.
Embedding scaled(const Eigen::MatrixXd& rows, Span<const Vec3> positions, const NodeGraph& graph) {
  Embedding result;
  result.dimensions = static_cast<size_t>(rows.cols());
  result.coordinates.reserve(static_cast<size_t>(rows.size()));
  for (Eigen::Index n = 0; n < rows.rows(); ++n)
    for (Eigen::Index k = 0; k < rows.cols(); ++k) result.coordinates.push_back(rows(n, k));
  double straight = 0, embedded = 0;
  for (size_t n = 0; n < positions.size(); ++n)
    for (const int32_t o : graph.neighbours(n)) {
      straight += (positions[n] - positions[o]).norm();
      embedded += std::sqrt(result.squaredDistance(n, static_cast<size_t>(o)));
    }
  if (!(embedded > 0)) throw Error(ErrorCode::Failed, "the diffusion map puts all nodes in one place");
  for (double& c : result.coordinates) c *= straight / embedded;
  return result;
}

}  // namespace

Embedding latticeDiffusion(Span<const Vec3> positions, Span<const Tetrahedron> tetrahedra,
                           const NodeGraph& graph, const DiffusionOptions& options, Context& context) {
  Laplacian laplacian(positions.size());
  for (const Tetrahedron& t : tetrahedra) {
    Mat3 edges;
    for (int k = 0; k < 3; ++k) edges.col(k) = positions[t[k + 1]] - positions[t[0]];
    const double six = edges.determinant();
    if (!(std::abs(six) > 1e-12 * edges.colwise().norm().prod())) continue;
    const Mat3 inverse = edges.inverse();
    std::array<Vec3, 4> gradients;
    for (int k = 0; k < 3; ++k) gradients[k + 1] = inverse.row(k).transpose();
    gradients[0] = -(gradients[1] + gradients[2] + gradients[3]);
    laplacian.add(t, gradients, std::abs(six) / 6.0);
  }
  const Eigen::MatrixXd map = diffusionMap(laplacian.pairs(options.eigenfunctions + 1, context), options);
  return scaled(map, positions, graph);
}

Embedding surfaceDiffusion(Span<const Vec3> surface, Span<const Triangle> triangles,
                           Span<const Vec3> positions, const NodeGraph& graph,
                           const DiffusionOptions& options, Context& context) {
  Laplacian laplacian(surface.size());
  for (const Triangle& t : triangles) {
    const auto at = [&](size_t k) -> const Vec3& { return surface[t[k % 3]]; };
    const Vec3 normal = (at(1) - at(0)).cross(at(2) - at(0));
    const double twice = normal.norm();
    if (!(twice > 1e-12 * (at(1) - at(0)).norm() * (at(2) - at(0)).norm())) continue;
    std::array<Vec3, 3> gradients;
    for (size_t k = 0; k < 3; ++k) gradients[k] = normal.cross(at(k + 2) - at(k + 1)) / (twice * twice);
    laplacian.add(t, gradients, 0.5 * twice);
  }
  const Eigen::MatrixXd map = diffusionMap(laplacian.pairs(options.eigenfunctions + 1, context), options);
  return scaled(meanValueInterpolation(surface, triangles, map, positions, context), positions, graph);
}

}  // namespace hackle
