#include <hackle/fracture/modes/element_pieces.h>

#include <hackle/core/error.h>
#include <hackle/fracture/modes/implicit_step.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>

namespace hackle {

ElementPieces elementPieces(Span<const std::array<int32_t, 2>> faces, Span<const double> masses,
                            const Eigen::MatrixXd& values, double sigma, Context& context) {
  UnionFind groups(masses.size());
  Eigen::RowVectorXd largest = Eigen::RowVectorXd::Zero(values.cols());
  if (sigma > 0)
    for (const auto& [a, b] : faces) largest = largest.cwiseMax((values.row(a) - values.row(b)).cwiseAbs());
  largest *= sigma;
  context.checkCancel();
  for (const auto& [a, b] : faces) {
    bool agree = true;
    for (Eigen::Index m = 0; m < values.cols() && agree; ++m)
      agree = std::abs(values(a, m) - values(b, m)) <= largest[m];
    if (agree) groups.unite(a, b);
  }

  ElementPieces pieces;
  pieces.pieceOf.resize(masses.size());
  for (size_t e = 0; e < masses.size(); ++e) {
    const size_t first = static_cast<size_t>(groups.find(static_cast<int32_t>(e)));
    if (first == e) {
      pieces.pieceOf[e] = static_cast<int32_t>(pieces.masses.size());
      pieces.masses.push_back(0.0);
    } else {
      pieces.pieceOf[e] = pieces.pieceOf[first];
    }
    pieces.masses[pieces.pieceOf[e]] += masses[e];
  }
  pieces.values = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(pieces.count()), values.cols());
  for (size_t e = 0; e < masses.size(); ++e)
    pieces.values.row(pieces.pieceOf[e]) += masses[e] * values.row(static_cast<Eigen::Index>(e));
  for (size_t p = 0; p < pieces.count(); ++p)
    pieces.values.row(static_cast<Eigen::Index>(p)) /= pieces.masses[p];
  return pieces;
}

LatticeScores pieceScores(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                          Span<const int32_t> pieceOf, size_t pieces, double length, Context& context) {
  // Faults are where they are whatever the density: all elements weigh their volume.
  std::vector<double> volumes;
  for (const Tetrahedron& t : tetrahedra) {
    const auto at = [&](size_t i) -> const Vec3& { return points[t[i]]; };
    volumes.push_back((at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0))) / 6);
  }
  const ImplicitStep step(points, tetrahedra, volumes, length, context);

  // What is next to nothing at a point cannot win around it and is left out.
  constexpr double kNothing = 1e-5;
  constexpr size_t kBlock = 32;
  std::vector<std::vector<std::pair<int32_t, double>>> lists(points.size());
  for (size_t first = 0; first < pieces; first += kBlock) {
    const Eigen::MatrixXd fields = step.fields(pieceOf, first, std::min(kBlock, pieces - first), context);
    for (size_t p = 0; p < points.size(); ++p)
      for (Eigen::Index j = 0; j < fields.cols(); ++j)
        if (fields(static_cast<Eigen::Index>(p), j) > kNothing)
          lists[p].emplace_back(static_cast<int32_t>(first) + static_cast<int32_t>(j),
                                fields(static_cast<Eigen::Index>(p), j));
  }
  LatticeScores scores;
  for (const auto& list : lists) {
    for (const auto& [piece, value] : list) scores.add(piece, value);
    scores.finishPoint();
  }
  return scores;
}

}  // namespace hackle
