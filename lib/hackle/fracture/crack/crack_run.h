// Cracks that grow in the bodies of a solid under one load, step by step, and what comes of it.
#pragma once

#include <hackle/fracture/crack/crack_load.h>
#include <hackle/fracture/crack/load_ramp.h>
#include <hackle/fracture/crack/pieces/crack_outputs.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace hackle {

/// What a caller does while cracks grow. All may be empty.
struct CrackRunHooks {
  /// Brings the solver of a body, which has no cracks yet, to a saved state (growth/crack_state.h). False:
  /// there is none, and the body's initial cracks are added.
  std::function<bool(size_t body, CrackSolver& solver)> resume;
  /// After each step of a body.
  std::function<void(size_t body, const CrackSolver& solver)> afterStep;
};

/// A body after its cracks have grown.
struct GrownBody {
  const CrackBody* body = nullptr;             // as it was prepared
  std::unique_ptr<CrackSolver> solver;         // none if nothing acts on the body and no crack is in it
  std::vector<Contact> contacts;               // of the impacts on it
  size_t elementsBefore = 0, stepsBefore = 0;  // at the beginning of this run
  CrackOptions options;                        // of the run: resolutions may be finer than prepared
  std::optional<RampEnd> ramp;                 // of a rising load
  std::vector<Vec3> alike;                     // m, where the first crack might have started as well
};

/// Grows cracks in all bodies, which must outlive the result. Errors name the body or the initial crack.
std::vector<GrownBody> growCracks(const Solid& solid, const std::vector<CrackBody>& bodies,
                                  const CrackEngineOptions& options, const LoadCase& load,
                                  const CrackRunHooks& hooks, Context& context);

/// Pieces of all bodies, finished.
struct CrackedSolid {
  FracturePieces pieces;
  std::vector<std::optional<Held>> held;  // per body: why it stays whole though something acts on it
};
/// Cuts along the cracks that go through; cracks are numbered on from body to body. Error(Failed) if a cut
/// fails.
CrackedSolid crackedSolid(const Solid& solid, const std::vector<GrownBody>& bodies,
                          const CrackPieceOptions& options, Context& context);

/// m^2 of all cracks, through or not, and J that they took: G_c = K_c^2 (1 - nu^2) / E per area. `ofThisRun`:
/// without cracks that were there when the run began.
struct CrackCost {
  double area = 0.0;
  double energy = 0.0;
};
CrackCost crackCost(const std::vector<GrownBody>& bodies, bool ofThisRun = false);

/// The engine's own figures: bodies, resolutions, cracks, elements, contacts, steps.
Value crackReport(const std::vector<GrownBody>& bodies);
/// Adds to each step of that report how long it took on the clock.
void addStepSeconds(Value& report, const std::vector<GrownBody>& bodies);

// Further outputs, of all bodies; cracks are numbered on from body to body.

/// All cracks, through or not, as open sheets.
Geometry crackSheets(const std::vector<GrownBody>& bodies, Context& context);
/// Boundary elements of the last solutions.
Geometry crackElementsOf(const std::vector<GrownBody>& bodies, Context& context);
/// Level sets of the solid and of each crack.
Geometry crackVolumesOf(const Solid& solid, const std::vector<GrownBody>& bodies, Context& context);
/// Fragments as surfaces of level sets; empty if there are no cracks.
Geometry crackSurfacesOf(const std::vector<GrownBody>& bodies, LevelSetSurfaceOptions options,
                         Context& context);

}  // namespace hackle
