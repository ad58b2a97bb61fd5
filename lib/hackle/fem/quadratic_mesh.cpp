#include <hackle/fem/quadratic_mesh.h>

#include <hackle/core/parallel.h>
#include <hackle/fem/block_matrix.h>
#include <hackle/fem/elastic_mesh.h>

#include <algorithm>

namespace hackle {

namespace {

constexpr std::array<std::array<int, 2>, 6> kEdges{{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};

/// Children by points of the quadratic tetrahedron: four corners, then the octahedron along one of the
/// diagonals 4-9 (01 to 23), 5-8 (02 to 13), 6-7 (03 to 12). All have positive volume if the tetrahedron has.
constexpr std::array<std::array<int, 4>, 4> kCornerChildren{
    {{0, 4, 5, 6}, {4, 1, 7, 8}, {5, 7, 2, 9}, {6, 8, 9, 3}}};
constexpr std::array<std::array<int, 2>, 3> kDiagonals{{{4, 9}, {5, 8}, {6, 7}}};
/// The other four points in a ring around each diagonal.
constexpr std::array<std::array<int, 4>, 3> kRings{{{5, 6, 8, 7}, {4, 7, 9, 6}, {4, 5, 9, 8}}};

int shortestDiagonal(const std::vector<Vec3>& points, const QuadraticTet& q) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int d = 0; d < 3; ++d) {
    const double length = (points[q[kDiagonals[d][0]]] - points[q[kDiagonals[d][1]]]).squaredNorm();
    // Rounding does not decide between equals.
    if (length < least * (1 - 1e-9)) {
      least = length;
      best = d;
    }
  }
  return best;
}

double volumeOf(const std::vector<Vec3>& points, const Tetrahedron& t) {
  return (points[t[1]] - points[t[0]]).dot((points[t[2]] - points[t[0]]).cross(points[t[3]] - points[t[0]])) /
         6;
}

}  // namespace

DividedLattice divideLattice(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context) {
  DividedLattice result;
  result.points.assign(points.begin(), points.end());
  // The middle of every edge, once, in the order of edges.
  std::vector<Edge> edges;
  edges.reserve(6 * tetrahedra.size());
  const auto edgeOf = [&](const Tetrahedron& t, size_t e) -> Edge {
    const int32_t a = t[kEdges[e][0]], b = t[kEdges[e][1]];
    return {std::min(a, b), std::max(a, b)};
  };
  for (const Tetrahedron& t : tetrahedra)
    for (size_t e = 0; e < 6; ++e) edges.push_back(edgeOf(t, e));
  parallelStableSort(context, edges, [](const Edge& a, const Edge& b) { return a < b; });
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (const Edge& e : edges) result.points.push_back(0.5 * (points[e[0]] + points[e[1]]));

  result.quadratic.resize(tetrahedra.size());
  result.tetrahedra.resize(8 * tetrahedra.size());
  parallelFor(context, tetrahedra.size(), 256, [&](size_t t) {
    QuadraticTet& q = result.quadratic[t];
    std::copy(tetrahedra[t].begin(), tetrahedra[t].end(), q.begin());
    for (size_t e = 0; e < 6; ++e) {
      const auto at = std::lower_bound(edges.begin(), edges.end(), edgeOf(tetrahedra[t], e));
      q[4 + e] = static_cast<int32_t>(points.size() + static_cast<size_t>(at - edges.begin()));
    }
    const auto child = [&](const std::array<int, 4>& c) -> Tetrahedron {
      Tetrahedron one{q[c[0]], q[c[1]], q[c[2]], q[c[3]]};
      if (volumeOf(result.points, one) < 0) std::swap(one[2], one[3]);
      return one;
    };
    for (size_t k = 0; k < 4; ++k) result.tetrahedra[8 * t + k] = child(kCornerChildren[k]);
    const int d = shortestDiagonal(result.points, q);
    for (size_t k = 0; k < 4; ++k)
      result.tetrahedra[8 * t + 4 + k] =
          child({kDiagonals[d][0], kDiagonals[d][1], kRings[d][k], kRings[d][(k + 1) % 4]});
  });
  return result;
}

PartMoments wholeMoments() { return (PartMoments::Ones() + PartMoments::Identity()) / 20; }

std::vector<PartMoments> joinMoments(const DividedLattice& lattice, Span<const PartMoments> children,
                                     Context& context) {
  std::vector<PartMoments> result(lattice.quadratic.size());
  parallelFor(context, result.size(), 256, [&](size_t t) {
    const QuadraticTet& q = lattice.quadratic[t];
    result[t].setZero();
    for (size_t k = 8 * t; k < 8 * t + 8; ++k) {
      // Coordinates of the child's corners in the tetrahedron.
      PartMoments places = PartMoments::Zero();
      for (int c = 0; c < 4; ++c) {
        const auto at = std::find(q.begin(), q.end(), lattice.tetrahedra[k][c]) - q.begin();
        if (at < 4)
          places(c, at) = 1;
        else
          places(c, kEdges[at - 4][0]) = places(c, kEdges[at - 4][1]) = 0.5;
      }
      result[t] += places.transpose() * children[k] * places / 8;
    }
  });
  return result;
}

SparseMatrix quadraticStiffness(Span<const Vec3> points, Span<const QuadraticTet> elements,
                                Span<const PartMoments> moments, const ElasticMaterial& material,
                                Context& context) {
  // The gradient of each shape function is linear: sum over c of coordinate c times a vector.
  struct Gradients {
    std::array<Eigen::Matrix<double, 3, 4>, 10> of;
    std::array<Eigen::Matrix<double, 3, 4>, 10> weighted;  // times volume and moments
  };
  std::vector<Gradients> all(elements.size());
  parallelFor(context, elements.size(), 128, [&](size_t t) {
    const QuadraticTet& q = elements[t];
    const TetShape shape = tetShape(points[q[0]], points[q[1]], points[q[2]], points[q[3]]);
    for (int a = 0; a < 4; ++a) {
      all[t].of[a].colwise() = -shape.gradients[a];
      all[t].of[a].col(a) = 3 * shape.gradients[a];
    }
    for (int e = 0; e < 6; ++e) {
      all[t].of[4 + e].setZero();
      all[t].of[4 + e].col(kEdges[e][0]) = 4 * shape.gradients[kEdges[e][1]];
      all[t].of[4 + e].col(kEdges[e][1]) = 4 * shape.gradients[kEdges[e][0]];
    }
    for (int i = 0; i < 10; ++i) all[t].weighted[i] = shape.volume * all[t].of[i] * moments[t];
  });
  const double lambda = lameParameter(material), mu = shearModulus(material);
  BlockMatrix<false, QuadraticTet> matrix(points.size(), elements, context);
  return matrix.fill(
      [&](size_t t, size_t a, size_t b) -> Mat3 {
        const Mat3 product = all[t].weighted[a] * all[t].of[b].transpose();
        return lambda * product + mu * product.transpose() + mu * product.trace() * Mat3::Identity();
      },
      context);
}

SparseMatrix partMass(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                      Span<const PartMoments> moments, double density, Context& context) {
  BlockMatrix<true, Tetrahedron> matrix(points.size(), tetrahedra, context);
  return matrix.fill(
      [&](size_t t, size_t a, size_t b) -> Mat3 {
        const Tetrahedron& c = tetrahedra[t];
        const double volume = tetShape(points[c[0]], points[c[1]], points[c[2]], points[c[3]]).volume;
        return density * volume * moments[t](static_cast<int>(a), static_cast<int>(b)) * Mat3::Identity();
      },
      context);
}

}  // namespace hackle
