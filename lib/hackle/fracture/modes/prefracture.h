// From modes on a lattice to the parts of a solid and what an impact needs of them.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/cut_pieces.h>
#include <hackle/fracture/modes/element_pieces.h>
#include <hackle/fracture/modes/modes_cache.h>
#include <hackle/meshing/lattice/lattice.h>

namespace hackle {

/// Modes on the elements of a lattice that encloses a solid.
struct LatticeModes {
  std::vector<std::array<int32_t, 2>> faces;  // the two elements of each inner face
  std::vector<double> masses;                 // kg, of the elements
  Eigen::MatrixXd values;                     // #elements x #modes, orthonormal by mass
  std::vector<CachedMode> modes;
};

struct PrefractureOptions {
  double sigma = 0.0;      // share of a mode's largest jump below which it does not cut
  double smoothing = 0.0;  // m, how far faults are smoothed
  ImpulseOptions impulse;
  CutPieceOptions cut;
};

struct Prefracture {
  ModesCache cache;      // fingerprint and cellSize are left to the caller
  ElementPieces pieces;  // of the lattice
};

/// Cuts the solid, which lies inside the lattice, along all pieces of all modes, and prepares impacts. Masses
/// are scaled so that the whole has the mean density of the lattice times the solid's own volume. Errors are
/// those of cutByLattice.
Prefracture prefracture(const Solid& solid, const TetLattice& lattice, const LatticeModes& modes,
                        const PrefractureOptions& options, Context& context);

}  // namespace hackle
