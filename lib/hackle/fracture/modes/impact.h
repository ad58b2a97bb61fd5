// Which parts of a solid come apart under an impact: projection on fracture modes, and gluing.
#pragma once

#include <hackle/fracture/gluing.h>
#include <hackle/fracture/modes/modes_cache.h>
#include <hackle/meshing/lattice/tet_locator.h>

#include <optional>

namespace hackle {

struct Blow {
  Vec3 at = Vec3::Zero();       // m; the nearest place of the solid is hit
  Vec3 impulse = Vec3::Zero();  // N s
  int32_t piece = 0;            // of an earlier gluing, if there is one
};

/// What a contact between two parts withstands; README eq. 9. It breaks when both are exceeded.
struct BreakLimits {
  double speed = 0.0;   // m/s, jump of velocity at which the tensile strength is reached
  double energy = 0.0;  // J/m^2, that a new surface takes
};
/// Speed 2 s / sqrt(E rho) of strength s (Pa): a jump of velocity v across a plane loads it with
/// rho c v / 2. Energy K^2 (1 - nu^2) / E of toughness K (Pa m^1/2).
BreakLimits breakLimits(double young, double poisson, double density, double strength, double toughness);

enum class Projection {
  Modes,  // on the modes ([Sellan22] eq. 20): parts move as the modes allow, far ones together with near ones
  Parts,  // the mean over each part ([Sellan22] fig. 21): no far part moves because a near one does
};

struct ImpactOptions {
  Projection projection = Projection::Modes;
  std::optional<size_t> modes;  // use the first so many of each axis; not set: all
  double sigma = 1.0;           // multiplies the limits; raising it never adds pieces
  BreakLimits limits;
};

struct ImpactResult {
  std::vector<uint8_t> glued;  // of each contact of the cache's parts
  std::vector<Vec3> velocity;  // m/s, of each part: what its share of the impulses gives its mass
  double largestLoad = 0.0;    // largest jump over its contact's limit; above sigma something breaks
};

/// Keeps what does not depend on the impact. The cache must outlive it. Calls may come from many threads.
class ImpactProjector {
 public:
  ImpactProjector(const ModesCache& cache, Context& context);

  /// Impacts act at once and add up. `earlier`, if given, are pieces that the solid is in already: an impact
  /// acts on its `piece` alone (modes restricted to it), other pieces stay, and what is apart stays apart.
  /// Multiplying all impulses by a number below 1 never adds pieces. Error(Usage) if more modes are asked for
  /// than there are.
  ImpactResult project(Span<const Blow> impacts, const ImpactOptions& options,
                       const Gluing* earlier = nullptr) const;

  /// Contacts that none of the first modes of each axis opens by more than `sigma` of its own largest jump
  /// are glued. Error(Usage) as above.
  std::vector<uint8_t> gluedByModes(std::optional<size_t> modes, double sigma) const;

 private:
  std::vector<double> sharesAt(const Vec3& position) const;
  void addResponse(const Blow& impact, const Vec3& direction, size_t modes, Projection projection,
                   const Gluing* earlier, std::vector<Vec3>& moved, std::vector<Vec3>& velocity) const;
  size_t checkedModes(std::optional<size_t> modes) const;

  const ModesCache& mCache;
  TetLocator mLocator;
  size_t mRanks = 0;                 // modes of an axis
  std::vector<double> mEnergySpeed;  // of each contact: sqrt(2 area / reduced mass)
};

/// Names of pieces after an impact on earlier ones: a piece that stays whole keeps its name, piece3 becomes
/// piece3-0, piece3-1, ...
Gluing glueWithin(const FracturePieces& parts, Span<const uint8_t> glued, const Gluing& earlier);

}  // namespace hackle
