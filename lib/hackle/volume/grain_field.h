// Materials made of grains: a periodic tile of Voronoi or power cells, and fields on it.
#pragma once

#include <hackle/core/context.h>
#include <hackle/volume/scalar_field.h>

#include <array>
#include <memory>
#include <vector>

namespace hackle {

struct GrainOptions {
  double size = 0.05;    // m, cube root of a grain's mean volume before it is stretched
  int perEdge = 10;      // grains along an edge of the tile, 2 to 40: the pattern repeats after this many
  double variety = 0.0;  // 0: Voronoi cells; up to 1: cells of a power diagram, large ones and small ones
  Vec3 stretch = Vec3::Ones();    // lengthens grains along the axes of `frame`, as rolling does
  Mat3 frame = Mat3::Identity();  // its columns: orthonormal axes
  uint64_t seed = 0;
};

/// One random site s with a weight w in each cube of a lattice, repeated in space. A grain is where
/// |y - s|^2 - w is least, y a place in units of a grain ([Aurenhammer87]); all sites within reach are
/// considered, so grains and distances are exact. Equal weights give Voronoi cells. A grain whose neighbours
/// are much heavier may be empty.
class GrainTile {
 public:
  /// Error(Usage) for sizes and stretches that are not positive, or a number or variety out of range.
  /// `context` is asked now and then whether to stop: 1000 grains take a tenth of a second.
  explicit GrainTile(const GrainOptions& options, const Context* context = nullptr);

  /// The plane between a grain and a neighbour.
  struct Wall {
    Vec3 normal;    // unit, outwards
    double offset;  // m, from the grain's site
    double slope;   // 1/m, by which the neighbour's lead in |y - s|^2 - w falls along the normal
    int32_t other;  // the grain beyond
  };
  struct Place {
    int32_t grain;
    Vec3 fromSite;     // m
    double boundary;   // m, distance to the nearest wall
    const Wall* wall;  // that wall; null in a grain that is too small to have any
  };
  /// Where a place (m) is.
  Place at(const Vec3& p) const;

  size_t grainCount() const { return mSites.size(); }
  /// Walls of a grain; none if it is empty.
  Span<const Wall> walls(int32_t grain) const;
  /// The same, then those of grains near by that do not touch it.
  Span<const Wall> wallsAround(int32_t grain) const;
  /// The three edges of the tile (m) as columns.
  Mat3 period() const { return mPerEdge * mToWorld; }
  /// Site (m, in the first tile) and weight (in squared units of a grain).
  Vec3 site(int32_t grain) const { return mToWorld * mSites[grain]; }
  double weight(int32_t grain) const { return mWeights[grain]; }
  double size() const { return mSize; }
  double narrowest() const { return mNarrowest; }  // m, mean width of a grain where it is thinnest

 private:
  struct Candidate {
    Vec3 site;
    double weight;
    int32_t grain;
  };
  using Cube = std::array<int, 3>;
  size_t wrapped(const Cube& cube) const;
  Candidate candidate(const Cube& cube) const;
  void findWalls(const Cube& cube);
  void findCandidates(const Cube& cell);

  int mPerEdge;
  double mSize, mNarrowest;
  Mat3 mToWorld, mToTile;
  std::vector<Vec3> mSites;  // in units of a grain
  std::vector<double> mWeights;
  std::vector<Wall> mWalls;
  std::vector<size_t> mFirstWall, mFirstNear;
  std::vector<Candidate> mCandidates;  // that may own a place, by cell of a finer lattice
  std::vector<size_t> mFirstCandidate;
};

/// From `atBoundary` where grains meet, with the distance, to `inside` at `width` (m) from there on; with a
/// width of 0 half a grain where it is thinnest. The gradient is that of central differences.
ScalarField grainInsides(std::shared_ptr<const GrainTile> tile, double atBoundary, double inside,
                         double width = 0.0);
/// Uniform random values between `low` and `high`, one for each grain; they fade into each other within about
/// `width` (m, at most a quarter of a grain) of where grains meet: continuous, the mean of both at a wall.
ScalarField grainValues(std::shared_ptr<const GrainTile> tile, double low, double high, double width,
                        uint64_t seed);

}  // namespace hackle
