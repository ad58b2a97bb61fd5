// The engine of fracture modes: finds modes once, then breaks bodies along them where impacts strike.
#pragma once

#include <hackle/fracture/engine.h>
#include <hackle/fracture/modes/modes_of_solid.h>

#include <optional>

namespace hackle {

/// What of a body comes apart under impacts.
struct ModesBreaking {
  Projection projection = Projection::Modes;
  std::optional<size_t> modes;  // use the first modes of each axis, this many; not set: all
  double sigma = 1.0;           // multiplies what the material withstands
  std::optional<double>
      threshold;              // m/s, jump of velocity at which parts separate, instead of the material's
  double young = 70e9;        // Pa
  double poisson = 0.22;      // none
  double strength = 45e6;     // Pa, tensile
  double toughness = 0.75e6;  // Pa m^(1/2), mode I
};

/// The limits and the rest for one cache, whose mean density counts.
ProjectionOptions projectionOptions(const ModesBreaking& breaking, const ModesCache& cache);

/// Why impacts left everything in the pieces it was in; not set if something broke.
std::optional<Held> heldByModes(const ProjectionResult& result, size_t impacts, double sigma);

/// What reports say of a projection: largest_load, limit_speed, limit_energy, opened contacts, parts.
void addProjectionFigures(Value& report, const ProjectionResult& result, const ProjectionOptions& options);

struct ModesEngineOptions {
  ModesOptions modes;
  ModesBreaking breaking;
  /// Modes that were found before, for `prepare` to take instead of finding them. Other solids than theirs
  /// are refused.
  ModesStatePtr found;
};

/// Impacts alone break a body: modes know no stress, so steady forces, spin and accelerations do nothing, and
/// neither do seed and duration. A piece's state is the body's modes restricted to it (README, "Second
/// impacts"); a piece that is a single part holds from then on (HeldBy::Resolution). Pieces stay where they
/// were: their rest shape is in the frame of the body that they broke from. `maxPieces` opens the most loaded
/// faults only.
class ModesEngine : public FractureEngine {
 public:
  explicit ModesEngine(ModesEngineOptions options) : mOptions(std::move(options)) {}

  std::string id() const override { return "modes"; }
  EngineStatePtr prepare(const SolidPtr& solid, Context& context) const override;
  /// Exact: true if and only if `fracture` gives pieces. Errors are those of `fracture`.
  bool mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const override;
  FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                          Context& context) const override;
  /// The bytes of a modes file.
  std::string save(const EngineState& state) const override;
  EngineStatePtr load(const SolidPtr& solid, std::string_view bytes, Context& context) const override;

 private:
  ProjectionOptions optionsFor(const ModesState& state, const LoadCase& load) const;

  ModesEngineOptions mOptions;
};

}  // namespace hackle
