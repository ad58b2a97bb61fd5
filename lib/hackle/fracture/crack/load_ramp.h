// A load that rises from zero: cracks start and run one after the other, each at the smallest load that lets
// it.
#pragma once

#include <hackle/fracture/crack/growth/crack_solver.h>
#include <hackle/fracture/crack/growth/start_sites.h>

#include <functional>
#include <optional>

namespace hackle {

struct RampOptions {
  double most = 1.0;         // factor of the given load up to which it rises
  bool firstBreak = false;   // stop when the first part comes off
  size_t cracks = 10;        // at most this many start by themselves
  double leastPart = 0.005;  // of the volume: smaller parts that come off are chips
  double ligament = 0.5;     // coarse resolutions, as CrackPieceOptions
};

/// How a run ended, in factors of the given load; what came before is in CrackSolver::ramp().
struct RampEnd {
  double reached = 0;          // the load at the end
  std::optional<double> next;  // at which something would happen next, where the load does not go
  bool released = false;       // all that was loaded has come off, or a part under a
                               // body force has
};

/// Puts the seed of a crack below its site, driven for the next `popIn` steps; false if there is no room.
bool startCrackAt(CrackSolver& solver, const StartSite& site, const CrackStart& start, int popIn,
                  Context& context);

/// Stress and intensities are linear in the load: the factor of the next event needs no search. The load is
/// raised to it, held while anything moves, and raised on. A part that comes off and that nothing holds is
/// unloaded. `solver` was made with the given load (`given`, factor 1) and CrackOptions::quasiStatic; it may
/// have initial cracks, or be one that was resumed. `sites` are of its body, `first` the start at factor 1
/// without cracks if it is known already, `volume` (m^3) the solid's. `afterStep` sees each step.
RampEnd raiseLoad(CrackSolver& solver, const BoundaryData& given, const StartSites& sites,
                  std::optional<CrackStart> first, double volume, const RampOptions& options,
                  const std::function<void(const CrackSolver&)>& afterStep, Context& context);

}  // namespace hackle
