// From a surface to its fracture modes: cage, paint, modes, and the parts that all modes together cut it
// into.
#pragma once

#include <hackle/fracture/modes/mode_solver.h>
#include <hackle/fracture/modes/modes_state.h>
#include <hackle/fracture/modes/prefracture.h>
#include <hackle/volume/painted_field.h>

#include <optional>

namespace hackle {

struct ModesOptions {
  size_t modes = 10;
  size_t starts = 6;               // initial guesses tried for each mode
  size_t elements = 6000;          // about, of the cage; not used if there is a cell size
  std::optional<double> cellSize;  // m
  Vec3 weight = Vec3::Ones();      // how hard parts are to separate along x, y and z
  Paint weights;                   // above 0; numbers, or vectors (per axis)
  Paint densities;                 // kg/m^3
  double density = 2500;           // kg/m^3, where none is painted
  double minJump = 0.0;            // share of a mode's largest jump below which it does not cut
  double smoothing = 1.0;          // cells
  ImpulseFilter filter = ImpulseFilter::Shock;
  std::optional<double> spread;  // m; not set: a tenth of the diagonal of the bounding box
  bool resurface = true;         // break a closed copy of a surface that crosses itself, with a warning
  CutPieceOptions cut;           // how faces look
};

/// Modes of a solid, and what they were found on.
struct ModesOfSolid {
  ModesStatePtr state;
  SolidPtr solid;  // what was cut
  TetLattice lattice;
  FractureModes modes;
  ElementPieces pieces;  // of the lattice

  size_t bytes() const;
};
using ModesOfSolidPtr = std::shared_ptr<const ModesOfSolid>;

/// The modes of a solid, kept in the run's memo. Error(BadInput) for a solid in several parts, paint that is
/// not above 0, and a surface that crosses itself unless `resurface` is set.
ModesOfSolidPtr modesOfSolid(const SolidPtr& solid, const ModesOptions& options, Context& context);

/// The same of any surface; with `resurface` also of one that is open. The fingerprint is that of the surface
/// if a copy is broken.
ModesOfSolidPtr modesOfSurface(const Geometry& surface, const ModesOptions& options, Context& context);

}  // namespace hackle
