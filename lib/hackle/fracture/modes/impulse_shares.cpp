#include <hackle/fracture/modes/impulse_shares.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/modes/implicit_step.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

using PieceShares = std::vector<std::vector<std::pair<int32_t, double>>>;  // of each kept point, by piece

constexpr double kNothing = 1e-7;  // shares below are left out

PieceShares shockShares(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                        Span<const double> masses, Span<const int32_t> pieceOf, size_t pieces,
                        Span<const int32_t> kept, double length, Context& context) {
  // The step is symmetric: what piece P gets from a point is what the point gets from P, one solve a piece.
  const ImplicitStep step(points, tetrahedra, masses, length, context);
  PieceShares shares(kept.size());
  constexpr size_t kBlock = 32;
  for (size_t first = 0; first < pieces; first += kBlock) {
    const Eigen::MatrixXd fields = step.fields(pieceOf, first, std::min(kBlock, pieces - first), context);
    for (size_t k = 0; k < kept.size(); ++k)
      for (Eigen::Index j = 0; j < fields.cols(); ++j)
        if (fields(kept[k], j) > kNothing)
          shares[k].emplace_back(static_cast<int32_t>(first) + static_cast<int32_t>(j), fields(kept[k], j));
  }
  return shares;
}

PieceShares gaussianShares(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                           Span<const double> masses, Span<const int32_t> pieceOf, size_t pieces,
                           Span<const int32_t> kept, double length, Context& context) {
  std::vector<Vec3> centres;
  for (const Tetrahedron& t : tetrahedra) {
    Vec3 sum = Vec3::Zero();
    for (const int32_t p : t) sum += points[p];
    centres.push_back(sum / 4);
  }
  PieceShares shares(kept.size());
  const double scale = -0.5 / (length * length);
  parallelRanges(context, kept.size(), 16, [&](size_t begin, size_t end) {
    std::vector<double> sums(pieces), exponents(centres.size());
    for (size_t k = begin; k < end; ++k) {
      std::fill(sums.begin(), sums.end(), 0.0);
      double nearest = -std::numeric_limits<double>::infinity();
      for (size_t e = 0; e < centres.size(); ++e) {
        exponents[e] = scale * (centres[e] - points[kept[k]]).squaredNorm();
        nearest = std::max(nearest, exponents[e]);
      }
      double whole = 0;
      for (size_t e = 0; e < centres.size(); ++e) {
        if (exponents[e] < nearest - 20) continue;
        const double weight = masses[e] * std::exp(exponents[e] - nearest);
        sums[pieceOf[e]] += weight;
        whole += weight;
      }
      for (size_t p = 0; p < pieces; ++p)
        if (sums[p] > kNothing * whole) shares[k].emplace_back(static_cast<int32_t>(p), sums[p] / whole);
    }
  });
  return shares;
}

}  // namespace

ImpulseShares impulseShares(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                            Span<const double> masses, Span<const int32_t> pieceOf, const PieceParts& parts,
                            Span<const uint8_t> wanted, const ImpulseOptions& options, Context& context) {
  // Keep the elements that are wanted, and their points.
  ImpulseShares result;
  std::vector<int32_t> newPoint(points.size(), -1), kept;
  for (size_t e = 0; e < tetrahedra.size(); ++e) {
    if (!wanted[e]) continue;
    Tetrahedron t{};
    for (size_t c = 0; c < 4; ++c) {
      int32_t& p = newPoint[tetrahedra[e][c]];
      if (p < 0) {
        p = static_cast<int32_t>(kept.size());
        kept.push_back(tetrahedra[e][c]);
        result.points.push_back(points[tetrahedra[e][c]]);
      }
      t[c] = p;
    }
    result.tetrahedra.push_back(t);
  }

  const size_t pieces = parts.starts.size() - 1;
  const auto filter = options.filter == ImpulseFilter::Shock ? shockShares : gaussianShares;
  const PieceShares shares =
      filter(points, tetrahedra, masses, pieceOf, pieces, kept, options.length, context);
  for (const auto& list : shares) {
    double whole = 0;
    for (const auto& [piece, share] : list)
      if (parts.starts[piece] < parts.starts[piece + 1]) whole += share;
    for (const auto& [piece, share] : list)
      for (int32_t i = parts.starts[piece]; i < parts.starts[piece + 1]; ++i) {
        const float value = static_cast<float>(share / whole * parts.fractions[i]);
        if (!(value > 0)) continue;
        result.parts.push_back(parts.parts[i]);
        result.shares.push_back(value);
      }
    result.starts.push_back(static_cast<int32_t>(result.parts.size()));
  }
  return result;
}

}  // namespace hackle
