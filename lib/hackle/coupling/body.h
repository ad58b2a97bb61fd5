// A body of a simulation as the coupling sees it: what it is made of, how it moves, how it may break.
#pragma once

#include <hackle/fracture/engine.h>
#include <hackle/mechanics/rigid_motion.h>

#include <memory>
#include <optional>
#include <string>

namespace hackle {

/// When a body is asked to break at all. The engine has the last word.
struct FractureLimits {
  std::optional<double> impulse;  // N s; not set: any
  std::optional<double> force;    // N, of an impact or of a resting load; one of both has to be reached
  /// Pa, for engines that break a body at any load: `nominalStress` has to reach it where neither of the
  /// above is set, and pieces of pieces are on average no smaller than those of the first fracture.
  std::optional<double> strength;
  double delay = 0.02;      // s that a new piece stays whole
  double minVolume = 0;     // m^3; smaller bodies stay whole
  bool contactTime = true;  // cracks run at most while the contact lasts, and at most one step
  bool resting = true;      // resting loads, the body's own weight and its spin count, too
};

/// By volume, as [Hahn17] 7.3 sorts fragments.
enum class FragmentClass : uint8_t {
  VerySmall,  // at most 0.5 % of the first body: one hull, never breaks
  Small,      // at most 2 %: never breaks
  Large,      // may break
  VeryLarge,  // more than 95 % of the body that broke: goes on with the engine's state
};
FragmentClass fragmentClass(double volume, double parentVolume, double originalVolume);
/// "very_small", ...
const char* fragmentClassName(FragmentClass kind);

struct CouplingBody {
  int32_t id = -1;
  std::string name;
  bool dynamic = true;  // false: nothing moves it, such as the ground
  Geometry geometry;    // closed polygons in the rest frame; may be empty for bodies that never break
  SolidPtr solid;       // of `geometry`; null until somebody asks
  ElasticMaterial material;
  double restitution = 0.1;
  RigidMass mass;
  RigidMotion motion;  // before the contacts of this step

  std::shared_ptr<const FractureEngine> engine;  // null: it never breaks
  EngineStatePtr state;                          // null until somebody asks
  bool stateGrew = false;  // a fracture left cracks in the state: it is more than `prepare` gives
  FractureLimits limits;
  double originalVolume = 0;  // m^3, of the first body that this one came from
  double pieceVolume = 0;     // m^3, mean of the pieces of that body's first fracture; 0: it is that body
  double born = 0;            // s, when it came to be
  int events = 0;             // how often it was asked to break; numbers random streams
};

/// Pa: the stress of a beam as long and wide as the body's box, and as thick as its volume makes it, that a
/// force (N) bends in its middle while it flies: 3/4 F c / (b a^2). Thin walls count through the volume.
double nominalStress(const CouplingBody& body, double force);
/// Pa: about the greatest stress of a free body that spins, density x (radius of gyration x spin)^2: a disc
/// has 0.8 times that, a rod 1.5.
double spinStress(const CouplingBody& body);

/// The body's solid, made when it is first asked for.
const SolidPtr& solidOf(CouplingBody& body, Context& context);
/// The engine's state for the body, made when it is first asked for. The body must have an engine.
const EngineStatePtr& stateOf(CouplingBody& body, Context& context);

}  // namespace hackle
