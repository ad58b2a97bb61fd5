// Which parts of a solid come apart under impacts: projection on fracture modes, and gluing.
#pragma once

#include <hackle/fracture/gluing.h>
#include <hackle/fracture/modes/modes_cache.h>
#include <hackle/mechanics/impact.h>
#include <hackle/meshing/lattice/tet_locator.h>

#include <optional>

namespace hackle {

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

struct ProjectionOptions {
  Projection projection = Projection::Modes;
  std::optional<size_t> modes;  // use the first modes of each axis, this many; not set: all
  double sigma = 1.0;           // multiplies the limits; raising it never adds pieces
  BreakLimits limits;
  /// At most this many pieces: contacts under less load, compared to their limits, stay. Not set: no limit.
  std::optional<size_t> maxPieces;
};

/// Pieces that the solid is in already. An impact acts on the piece that it hits alone (modes restricted to
/// it), other pieces stay, and what is apart stays apart.
struct EarlierPieces {
  Gluing gluing;
  std::vector<int32_t> hit;  // the piece that each impact hits
};

struct ProjectionResult {
  std::vector<uint8_t> glued;  // of each contact of the cache's parts
  std::vector<Vec3> velocity;  // m/s, of each part: what its share of the impulses gives its mass
  double largestLoad = 0.0;    // largest jump over its contact's limit; above sigma a contact opens
  /// The load of the contact whose opening makes the first piece come off; above sigma one does. Impulses
  /// sigma over this times as large break the solid. Not set: it has nothing that could come off.
  std::optional<double> breakingLoad;
  size_t opened = 0;     // contacts that broke now
  size_t pieces = 0;     // groups of parts that are still connected, earlier ones counted
  size_t before = 0;     // the same before the impacts
  bool limited = false;  // there would be more without `maxPieces`
};

/// Keeps what does not depend on the impacts. The cache must outlive it. Calls may come from many threads.
class ImpactProjector {
 public:
  ImpactProjector(const ModesCache& cache, Context& context);

  /// Impacts act at once and add up; their directions have unit length. Multiplying all impulses by a number
  /// below 1 never adds pieces. Error(Usage) if more modes are asked for than there are.
  ProjectionResult project(Span<const Impact> impacts, const ProjectionOptions& options,
                           const EarlierPieces* earlier = nullptr) const;

  /// Contacts that none of the first modes of each axis opens by more than `sigma` of its own largest jump
  /// are glued. Error(Usage) as above.
  std::vector<uint8_t> gluedByModes(std::optional<size_t> modes, double sigma) const;

  /// Memory that it takes.
  size_t bytes() const { return mLocator.bytes() + mEnergySpeed.capacity() * sizeof(double); }

 private:
  struct Movement;
  std::vector<double> sharesAt(const Vec3& position) const;
  void addResponse(const Impact& impact, size_t modes, Projection projection, const Gluing* earlier,
                   int32_t piece, Movement& movement) const;
  Movement movementBy(Span<const Impact> impacts, const ProjectionOptions& options,
                      const EarlierPieces* earlier) const;
  size_t checkedModes(std::optional<size_t> modes) const;

  const ModesCache& mCache;
  TetLocator mLocator;
  size_t mRanks = 0;                 // modes of an axis
  std::vector<double> mEnergySpeed;  // of each contact: sqrt(2 area / reduced mass)
};

/// Names of pieces after impacts on earlier ones: a piece that stays whole keeps its name, piece3 becomes
/// piece3-0, piece3-1, ...
Gluing glueWithin(const FracturePieces& parts, Span<const uint8_t> glued, const Gluing& earlier);

}  // namespace hackle
