// Crack propagation by boundary elements as a fracture engine (README.md).
#pragma once

#include <hackle/fracture/crack/crack_run.h>
#include <hackle/fracture/engine.h>
#include <hackle/fracture/harmless_force.h>

namespace hackle {

/// Mesh to solve on and system of a solid, for the piece that is nearly all of it ([Hahn17] 7.3).
struct KeptMesh {
  TriangleMesh solved;
  bool coarse = false;                        // as SolveMesh has it
  Vec3 origin = Vec3::Zero();                 // m, of the frame that it is in (crack_place.h)
  std::shared_ptr<const FirstSystem> system;  // null after `CrackEngine::load`: assembled when needed
};

/// What `CrackEngine::prepare` makes: meshes to solve on, resolutions, and factorised systems, which serve
/// all loads. What `fracture` leaves has cracks of earlier loads in addition.
struct CrackEngineState : EngineState {
  std::vector<CrackBody> bodies;          // none of a piece that nothing has acted on
  std::vector<AppliedCondition> applied;  // per condition of the options
  SolidPtr solid;                         // in the frame that the bodies are in ...
  Vec3 origin = Vec3::Zero();             // ... and its origin in the world, m (crack_place.h)
  /// Cracks in the only body, as `saveCrackState` has them; empty if there are none.
  std::string grown;
  // Of a piece:
  double volume = 0.0;  // m^3; 0: it is none
  /// Cracks that ended in it, in the world: initial ones of a system that is assembled when something acts.
  Geometry leftovers;
  std::shared_ptr<const KeptMesh> kept;  // of the solid that it broke from; null: it gets a mesh of its own

  size_t bytes() const override;
};

/// Stress by boundary elements, cracks that start where it exceeds the strength and run where its intensity
/// exceeds the toughness. The conditions in the options always act; a load case adds to them. Cracks that did
/// not go through go on under the next load: in a solid that held with mesh, system and fronts, in pieces as
/// initial cracks. A piece of more than 95 % of the solid keeps the solid's mesh and system. Surfaces of
/// pieces may cross themselves: they are solved on the surface of a level set.
class CrackEngine : public FractureEngine, public KnowsHarmlessForce {
 public:
  explicit CrackEngine(CrackEngineOptions options) : mOptions(std::move(options)) {}

  std::string id() const override { return "crack"; }
  EngineStatePtr prepare(const SolidPtr& solid, Context& context) const override;
  /// Of loads that act at once on a solid without conditions and initial cracks (README, "Harmless loads").
  double harmlessForce(const Solid& solid, const EngineState* state, double thickness,
                       const LoadCase& load) const override;
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
  std::shared_ptr<CrackEngineState> preparePiece(const Solid& piece, const CrackEngineState& state,
                                                 const Geometry& leftovers, Context& context) const;
  CrackEngineOptions mOptions;
};

/// The result of bodies whose cracks have grown: what `CrackEngine::fracture` gives back. A solid of which
/// one body breaks does not count as held; `held` gets the reasons body by body if it is not null.
FractureResult crackResult(const Solid& solid, const std::vector<GrownBody>& bodies,
                           const CrackPieceOptions& options, std::vector<std::optional<Held>>* held,
                           Context& context);

}  // namespace hackle
