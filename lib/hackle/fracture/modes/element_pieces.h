// The pieces that fracture modes cut a lattice into.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>
#include <hackle/meshing/cut/lattice_envelope.h>

#include <array>
#include <vector>

namespace hackle {

/// Elements whose modes agree, face by face.
struct ElementPieces {
  std::vector<int32_t> pieceOf;  // of each element; numbered by their first element
  std::vector<double> masses;    // kg, of each piece
  Eigen::MatrixXd values;        // #pieces x #modes: mass-weighted means
  size_t count() const { return masses.size(); }
};

/// Connected components of elements over the faces where no mode (column of `values`, #elements x #modes)
/// jumps by more than `sigma` times its own largest jump. Modes of the solver are exactly constant inside a
/// piece, so 0 finds all pieces; a larger sigma joins those that nothing much separates. (The paper's sigma,
/// 1e-3 of a mass-normalised mode, depends on the mass and misses real jumps.)
ElementPieces elementPieces(Span<const std::array<int32_t, 2>> faces, Span<const double> masses,
                            const Eigen::MatrixXd& values, double sigma, Context& context);

/// Membership of the lattice's points in pieces, smoothed over `length` (m), as scores for cutByLattice
/// ([Sellan22] section 3.6, README eq. 5). With length 0 memberships are means over the elements around a
/// point, and faults show the lattice.
LatticeScores pieceScores(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                          Span<const int32_t> pieceOf, size_t pieces, double length, Context& context);

}  // namespace hackle
