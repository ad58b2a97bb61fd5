// Voronoi fracture as an engine: a solid is cut along the cells of a Euclidean Voronoi diagram.
#pragma once

#include <hackle/fracture/chips.h>
#include <hackle/fracture/cut_pieces.h>
#include <hackle/fracture/engine.h>
#include <hackle/fracture/voronoi/sites.h>
#include <hackle/volume/painted_field.h>

namespace hackle {

enum class SitePattern { Scattered, Radial };

/// Faces between pieces that are not flat, nor are their rims on the surface.
struct EdgeOptions {
  double amount = 0;       // of the displacement at most, share of the mean size of pieces; 0: flat
  double size = 0.5;       // of the largest bumps, share of the same
  double roughness = 0.5;  // strength of each octave relative to the one before
  bool ridges = false;     // sharp ridges instead of round bumps
  double depth = 0;        // m below the surface over which the displacement fades; 0: it does not
  double reach = 0;        // m from clusters and impacts over which it fades; 0: it does not
};

struct VoronoiOptions {
  size_t pieces = 20;  // sites to scatter
  SitePattern pattern = SitePattern::Scattered;
  std::vector<Vec3> sites;            // m; if there are any, they are used instead of scattering
  std::vector<SiteCluster> clusters;  // besides those that impacts make
  double clustered = 0.7;             // share of the sites that go to the clusters, if there are any
  Paint density;                      // sites per volume, up to a factor; evenly if nothing is painted
  int relaxation = 0;                 // Lloyd steps towards the centroids of the cells
  double reach = 0;             // m from clusters and impacts: what is farther stays one piece; 0: all breaks
  Vec3 stretch = Vec3::Ones();  // lengthens pieces along each axis
  Vec3 grain = Vec3::Zero();    // direction of splinters; zero: the longest side of the solid's box
  double splinter = 1;          // lengthens pieces along the grain
  int levels = 1;               // times that pieces are broken
  size_t levelPieces = 5;       // sites in each piece, from the second level on
  EdgeOptions edges;
  ChipOptions chips;
  CutPieceOptions cut;
};

/// The cluster of sites around an impact. Its radius is a tenth of the diagonal of the solid's box, or twice
/// the striker's radius where that is smaller, but no less than a hundredth of the diagonal; its weight is
/// the impulse, so a hard blow gets more of the sites than contacts that hardly touch.
SiteCluster impactCluster(const Impact& impact, const Box3& bounds);

/// Mean size of pieces (m) that lengths of edges refer to.
double meanPieceSize(double volume, size_t pieces);

/// Cells know neither strength nor energy: every load breaks the solid into the same number of pieces, and so
/// does none. Impacts say where sites crowd, the seed how they are scattered; forces, spin and accelerations
/// change nothing. There are at most `maxPieces` pieces, unless the solid has more parts than that: where
/// cells that meet the solid in several places give more, fewer sites are used.
class VoronoiEngine : public FractureEngine {
 public:
  explicit VoronoiEngine(VoronoiOptions options) : mOptions(std::move(options)) {}

  std::string id() const override { return "voronoi"; }
  EngineStatePtr prepare(const SolidPtr& solid, Context& context) const override;
  /// False only if a single piece is asked for.
  bool mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const override;
  FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                          Context& context) const override;
  std::string save(const EngineState& state) const override;
  EngineStatePtr load(const SolidPtr& solid, std::string_view bytes, Context& context) const override;

 private:
  VoronoiOptions mOptions;
};

}  // namespace hackle
