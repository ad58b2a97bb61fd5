// Crack propagation by boundary elements as a fracture engine (README.md).
#pragma once

#include <hackle/fracture/crack/crack_run.h>
#include <hackle/fracture/engine.h>

namespace hackle {

/// What `CrackEngine::prepare` makes: meshes to solve on, resolutions, and factorised systems, which serve
/// all loads. What `fracture` leaves has cracks of earlier loads in addition.
struct CrackEngineState : EngineState {
  std::vector<CrackBody> bodies;          // none if there are `leftovers`
  std::vector<AppliedCondition> applied;  // per condition of the options
  SolidPtr solid;                         // in the frame that the bodies are in ...
  Vec3 origin = Vec3::Zero();             // ... and its origin in the world, m (crack_place.h)
  /// Cracks in the only body, as `saveCrackState` has them; empty if there are none.
  std::string grown;
  /// Cracks that ended in a piece, in the world: initial ones of a system that is assembled when something
  /// acts on it.
  Geometry leftovers;
  double volume = 0.0;  // m^3, of the piece with `leftovers`

  size_t bytes() const override;
};

/// Stress by boundary elements, cracks that start where it exceeds the strength and run where its intensity
/// exceeds the toughness. The conditions in the options always act; a load case adds to them. Cracks that did
/// not go through go on under the next load: in a solid that held with mesh, system and fronts, in pieces as
/// initial cracks.
class CrackEngine : public FractureEngine {
 public:
  explicit CrackEngine(CrackEngineOptions options) : mOptions(std::move(options)) {}

  std::string id() const override { return "crack"; }
  EngineStatePtr prepare(const SolidPtr& solid, Context& context) const override;
  /// False if nothing acts on the solid, if no crack is in it and none may start, or if all that acts is a
  /// spin that is far too slow.
  bool mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const override;
  FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                          Context& context) const override;
  /// Keeps the meshes to solve on; systems are assembled again by `load`.
  std::string save(const EngineState& state) const override;
  EngineStatePtr load(const SolidPtr& solid, std::string_view bytes, Context& context) const override;

  const CrackEngineOptions& options() const { return mOptions; }

 private:
  FractureResult fractureBodies(const CrackEngineState& state, const LoadCase& load, Context& context) const;
  CrackEngineOptions mOptions;
};

/// The result of bodies whose cracks have grown: what `CrackEngine::fracture` gives back. A solid of which
/// one body breaks does not count as held; `held` gets the reasons body by body if it is not null.
FractureResult crackResult(const Solid& solid, const std::vector<GrownBody>& bodies,
                           const CrackPieceOptions& options, std::vector<std::optional<Held>>* held,
                           Context& context);

}  // namespace hackle
