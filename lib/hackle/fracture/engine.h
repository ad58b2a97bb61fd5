// The contract between the fracture engines and whoever breaks bodies with them: operators, the rigid-body
// coupling, the Houdini nodes, C++ programs.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/value.h>
#include <hackle/fracture/pieces.h>
#include <hackle/fracture/solid.h>
#include <hackle/mechanics/impact.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

/// A force that lasts, such as that of a resting contact.
struct SteadyForce {
  Vec3 position = Vec3::Zero();  // m, on or near the surface
  Vec3 force = Vec3::Zero();     // N
};

/// What acts on a body at one moment, in the frame of its rest shape. All of it acts at once.
struct LoadCase {
  std::vector<Impact> impacts;
  std::vector<SteadyForce> steady;
  Vec3 spin = Vec3::Zero();                 // rad/s, about the centre of mass
  Vec3 acceleration = Vec3::Zero();         // m/s^2, of the centre of mass
  Vec3 angularAcceleration = Vec3::Zero();  // rad/s^2
  std::optional<double> duration;           // s that cracks may run; not set: as long as they do
  uint64_t seed = 0;
  std::optional<size_t> maxPieces;  // not set: as many as the engine gives
};

/// What an engine prepared for one solid. Never changes, so bodies and threads may share it.
class EngineState {
 public:
  virtual ~EngineState() = default;
  /// Memory that it takes, about.
  virtual size_t bytes() const = 0;
};
using EngineStatePtr = std::shared_ptr<const EngineState>;

/// What kept a body whole.
enum class HeldBy {
  NoLoad,      // nothing acts on it
  Strength,    // the load is too small to start a crack
  Toughness,   // cracks are there but do not go through
  Resolution,  // what would come off is smaller than the engine resolves
  Limit,       // a limit on steps, cracks or pieces
};
/// "no_load", "strength", ...: as reports have it.
const char* heldByName(HeldBy by);

struct Held {
  HeldBy by = HeldBy::NoLoad;
  std::optional<double> factor;  // loads this many times as large would break the body, where that is known
  std::string reason;            // one sentence for a person: what is too small and what to do
};

struct FractureResult {
  FracturePieces pieces;               // with `depth`; the whole body as one piece if it held
  std::vector<EngineStatePtr> states;  // of the pieces, to break them again; null: prepare anew
  /// Corners of small convex parts of each piece, for collisions, where the engine knows them beforehand.
  std::vector<std::vector<std::vector<Vec3>>> hulls;
  double area = 0;               // m^2 of cracks that were opened, each counted once
  std::optional<double> energy;  // J that they took, where the engine knows the toughness
  std::optional<Held> held;      // set if the body stays whole
  Value report = Value::Map();   // the engine's own figures, as operators report them
};

/// An engine with its options. Calls may come from several threads. Adding one touches no other engine and
/// no caller.
class FractureEngine {
 public:
  virtual ~FractureEngine() = default;

  /// As operators and scenes name it: "cvd".
  virtual std::string id() const = 0;

  /// All work that does not depend on a load. Error(BadInput) for a solid that this engine cannot break,
  /// Error(Usage) for options that contradict each other. What is worth it is kept in the run's memo.
  virtual EngineStatePtr prepare(const SolidPtr& solid, Context& context) const = 0;

  /// False only if `fracture` would surely leave the body whole. Cheap: no solve, no cut.
  virtual bool mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const = 0;

  /// A pure function: equal arguments give equal bytes on any number of threads. A body that holds is no
  /// error: `held` says why. Error(BadInput) names an impact that is off the surface.
  virtual FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                                  Context& context) const = 0;

  /// A state as bytes, and back for the same solid. Error(BadInput) for bytes that are damaged, of another
  /// engine or of another solid.
  virtual std::string save(const EngineState& state) const = 0;
  virtual EngineStatePtr load(const SolidPtr& solid, std::string_view bytes, Context& context) const = 0;
};

/// The state of an engine as its own type; Error(Internal) for that of another engine.
template <class State>
const State& stateAs(const EngineState& state) {
  const State* own = dynamic_cast<const State*>(&state);
  HACKLE_ASSERT(own && "the state is of another engine");
  return *own;
}

/// m^2 of all faces between pieces, each counted once: what FractureResult::area is for most engines.
double crackArea(const FracturePieces& pieces);

}  // namespace hackle
