// A run of crack growth as bytes: kept after a step, it goes on from there.
#pragma once

#include <hackle/fracture/crack/growth/crack_solver.h>

#include <string>
#include <string_view>

namespace hackle {

/// All that has happened: sheets, fronts, records, openings, where cracks have started, time, log, solution.
/// An archive of the kind "cracks" (core/archive.h). Write it under a temporary name and rename it
/// (io/file.h): a killed run then always leaves a whole file. Equal states give equal bytes but for the
/// seconds in the log.
std::string saveCrackState(const CrackSolver& solver);

/// Brings a solver without cracks to a saved state. It has to be made of the same surface, boundary element
/// mesh, places with given displacements, elastic material and resolutions; Error(BadInput) names what
/// differs, or what is wrong with the bytes, and leaves the solver as it was. With the same boundary values
/// the run goes on to the same bytes as if it had not been interrupted, and `steps` counts from its
/// beginning. With others it is a later load: fronts that were still inside go on, and `steps` counts anew.
/// Strength and toughness are taken as the solver has them. Costs the assembly of all cracks again, but no
/// solve and no motion.
void resumeCracks(CrackSolver& solver, std::string_view state, Context& context);

/// True if the bytes begin as a saved state does, damaged or not.
bool isCrackState(std::string_view bytes);

}  // namespace hackle
