// The lattice of a body that vibrates: as fine as its walls need.
#pragma once

#include <hackle/fracture/solid.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>

namespace hackle {

/// m: a fifth of the surface belongs to walls that are thinner than this. Measured along inward normals.
double wallThickness(const Solid& solid);

/// Tetrahedra, about, of an enclosing lattice with cells of this size (m).
double latticeCount(const Solid& solid, double cellSize);

/// Tetrahedra that give a wall of this thickness (m) a cell, within what is computed in seconds: 10,000 to
/// 40,000.
size_t countForWalls(const Solid& solid, double thickness);

/// Warns, with figures, of walls (m) that are thinner than a cell: linear tetrahedra bend too stiffly there.
void warnOfThinWalls(const Solid& solid, double thickness, double cellSize, Context& context);

}  // namespace hackle
