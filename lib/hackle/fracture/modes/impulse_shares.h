// How an impulse at a place of a body is shared out among its parts, computed beforehand.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// At each of some points of a lattice: the share of an impulse there that each part takes up at once. Linear
/// in between. Only the points around the faces of parts are kept: nothing is hit elsewhere.
struct ImpulseShares {
  std::vector<Vec3> points;
  std::vector<Tetrahedron> tetrahedra;
  std::vector<int32_t> starts{0};  // point p has the entries starts[p] to starts[p + 1]
  std::vector<int32_t> parts;
  std::vector<float> shares;  // above 0; those of a point add up to 1
};

enum class ImpulseFilter { Shock, Gaussian };

struct ImpulseOptions {
  /// Shock: one implicit step of a wave through the solid ([Sellan22] eq. 21 to 23, README eq. 6): parts that
  /// are near through the air only get nothing. Gaussian: by distance alone ([Sellan22] eq. 19).
  ImpulseFilter filter = ImpulseFilter::Shock;
  double length = 0.1;  // m, how far the impulse spreads
};

/// The parts of each piece of the lattice, with the share of the piece that each has.
struct PieceParts {
  std::vector<int32_t> starts{0};  // piece p has parts[starts[p]] to starts[p + 1]
  std::vector<int32_t> parts;
  std::vector<double> fractions;  // of a piece add up to 1, but for pieces without parts
};

/// `pieceOf` and `masses` (kg) are those of the lattice's elements; `wanted` marks the elements in which
/// something can be hit.
ImpulseShares impulseShares(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                            Span<const double> masses, Span<const int32_t> pieceOf, const PieceParts& parts,
                            Span<const uint8_t> wanted, const ImpulseOptions& options, Context& context);

}  // namespace hackle
