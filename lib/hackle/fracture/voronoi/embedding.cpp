#include <hackle/fracture/voronoi/embedding.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/voronoi/geodesics.h>
#include <hackle/linalg/dense.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

double squaredDistance(const double* a, const double* b, size_t dimensions) {
  // Four sums, so that the compiler can use whole registers.
  double sum[4] = {0, 0, 0, 0};
  size_t k = 0;
  for (; k + 4 <= dimensions; k += 4)
    for (size_t lane = 0; lane < 4; ++lane) {
      const double d = a[k + lane] - b[k + lane];
      sum[lane] += d * d;
    }
  for (size_t lane = 0; k < dimensions; ++k, ++lane) {
    const double d = a[k] - b[k];
    sum[lane] += d * d;
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double Embedding::squaredDistance(size_t a, size_t b) const {
  return hackle::squaredDistance(of(a), of(b), dimensions);
}

Embedding euclideanEmbedding(Span<const Vec3> positions) {
  Embedding result;
  result.dimensions = 3;
  result.coordinates.reserve(3 * positions.size());
  for (const Vec3& p : positions) result.coordinates.insert(result.coordinates.end(), p.data(), p.data() + 3);
  return result;
}

namespace {

/// Nodes of tetrahedra, each as far as possible from those before, by straight lines.
std::vector<size_t> spreadLandmarks(Span<const Vec3> positions, const NodeGraph& graph, size_t count) {
  std::vector<size_t> nodes;
  Vec3 middle = Vec3::Zero();
  for (size_t n = 0; n < positions.size(); ++n)
    if (graph.neighbours(n).size() > 0) {
      nodes.push_back(n);
      middle += positions[n];
    }
  if (nodes.empty()) throw Error(ErrorCode::BadInput, "the lattice has no tetrahedra");
  middle /= static_cast<double>(nodes.size());
  std::vector<double> nearest(nodes.size());
  for (size_t k = 0; k < nodes.size(); ++k) nearest[k] = (positions[nodes[k]] - middle).squaredNorm();
  std::vector<size_t> landmarks;
  while (landmarks.size() < std::min(count, nodes.size())) {
    const auto farthest = std::max_element(nearest.begin(), nearest.end());
    if (!(*farthest > 0)) break;
    const size_t chosen = nodes[farthest - nearest.begin()];
    landmarks.push_back(chosen);
    for (size_t k = 0; k < nodes.size(); ++k)
      nearest[k] = std::min(nearest[k], (positions[nodes[k]] - positions[chosen]).squaredNorm());
  }
  return landmarks;
}

/// Lengths from landmarks (rows) to all nodes; between parts that are not connected, the straight line and
/// more than both.
Eigen::MatrixXd lengthsFrom(const std::vector<size_t>& landmarks, Span<const Vec3> positions,
                            Span<const Tetrahedron> tetrahedra, const NodeGraph& graph, Context& context) {
  const LatticeGeodesics geodesics(positions, tetrahedra, graph);
  Eigen::MatrixXd lengths(static_cast<Eigen::Index>(landmarks.size()),
                          static_cast<Eigen::Index>(positions.size()));
  parallelFor(context, landmarks.size(), 1, [&](size_t l) {
    const std::vector<double> row = geodesics.from(landmarks[l], context);
    for (size_t n = 0; n < row.size(); ++n)
      lengths(static_cast<Eigen::Index>(l), static_cast<Eigen::Index>(n)) = row[n];
  });
  double longest = 0;
  for (const double length : lengths.reshaped())
    if (std::isfinite(length)) longest = std::max(longest, length);
  for (Eigen::Index n = 0; n < lengths.cols(); ++n)
    for (Eigen::Index l = 0; l < lengths.rows(); ++l)
      if (!std::isfinite(lengths(l, n)))
        lengths(l, n) = 2 * longest + (positions[n] - positions[landmarks[l]]).norm();
  return lengths;
}

/// The map from squared lengths to coordinates: one row a dimension.
struct Scaling {
  Eigen::MatrixXd map;   // dimensions x landmarks
  Eigen::VectorXd mean;  // of squared lengths
};

Scaling classicalScaling(const Eigen::MatrixXd& squared, const InteriorOptions& options) {
  const Eigen::VectorXd mean = squared.colwise().mean();
  Eigen::MatrixXd inner = squared;
  inner.colwise() -= mean;
  inner.rowwise() -= mean.transpose();
  inner.array() += mean.mean();
  inner *= -0.5;
  const SymmetricEigen eigen = symmetricEigen(inner);
  const Eigen::VectorXd& values = eigen.values;
  const double largest = values[values.size() - 1];
  Eigen::Index count = 0;
  while (count < values.size() && count < static_cast<Eigen::Index>(options.dimensions) &&
         values[values.size() - 1 - count] > options.kept * largest)
    ++count;
  Scaling scaling{Eigen::MatrixXd(count, squared.cols()), mean};
  for (Eigen::Index k = 0; k < count; ++k) {
    const Eigen::Index from = values.size() - 1 - k;
    Eigen::VectorXd vector = eigen.vectors.col(from);
    Eigen::Index greatest = 0;
    vector.cwiseAbs().maxCoeff(&greatest);
    if (vector[greatest] < 0) vector = -vector;
    scaling.map.row(k) = -0.5 / std::sqrt(values[from]) * vector.transpose();
  }
  return scaling;
}

}  // namespace

Embedding interiorEmbedding(Span<const Vec3> positions, Span<const Tetrahedron> tetrahedra,
                            const NodeGraph& graph, const InteriorOptions& options, Context& context) {
  const std::vector<size_t> landmarks =
      spreadLandmarks(positions, graph, std::max<size_t>(options.landmarks, 4));
  const Eigen::MatrixXd lengths = lengthsFrom(landmarks, positions, tetrahedra, graph, context);

  // March both ways between two landmarks and take the mean: it is not symmetric by itself.
  const auto count = static_cast<Eigen::Index>(landmarks.size());
  Eigen::MatrixXd between(count, count);
  for (Eigen::Index k = 0; k < count; ++k)
    between.col(k) = lengths.col(static_cast<Eigen::Index>(landmarks[k]));
  between = (0.5 * (between + between.transpose())).eval();
  const Scaling scaling = classicalScaling(between.array().square().matrix(), options);

  Embedding result;
  result.dimensions = static_cast<size_t>(scaling.map.rows());
  result.coordinates.resize(positions.size() * result.dimensions);
  parallelFor(context, positions.size(), 1024, [&](size_t n) {
    const Eigen::VectorXd offset =
        lengths.col(static_cast<Eigen::Index>(n)).array().square().matrix() - scaling.mean;
    double* row = result.coordinates.data() + n * result.dimensions;
    for (Eigen::Index k = 0; k < scaling.map.rows(); ++k) {
      double sum = 0;
      for (Eigen::Index l = 0; l < count; ++l) sum += scaling.map(k, l) * offset[l];
      row[k] = sum;
    }
  });
  return result;
}

}  // namespace hackle
