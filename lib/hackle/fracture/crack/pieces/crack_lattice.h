// The lattice on which the parts between cracks are told apart: coarse along flat cracks, fine where it must
// be.
#pragma once

#include <hackle/fracture/crack/pieces/crack_samples.h>
#include <hackle/meshing/cut/lattice_envelope.h>
#include <hackle/meshing/lattice/bisection_lattice.h>

namespace hackle {

struct CrackLatticeOptions {
  double voxelSize = 0.01;  // m
  double tolerance = 0.15;  // voxels that the faces between parts may be off the sheets
  double lag = 2.0;         // voxels that a front may be off where times are interpolated
};

/// Starts from cubes of 32 voxels that hold the whole body: what divides its parts can nowhere leave the
/// lattice inside of the body or at its surface. A tetrahedron is bisected, down to edges of two voxels, if
/// - a sample of a sheet in it is more than the tolerance off the face between its two parts,
/// - times of samples in it differ from a linear function by more than the front needs for `lag`,
/// - a voxel of the body in it, or next to one, would be on the wrong side,
/// - it touches the body and has more than two parts at its corners.
/// Points of the lattice are voxels. Those in no part belong to the side of the nearest sample if it is near,
/// else to the part next to the nearest place of the surface: far from a rough sheet its planes say nothing.
/// A point's part scores its distance d from the plane of the nearest sample that divides parts, all others
/// nothing: parts of a tetrahedron are those of its corners, and no scores tie all along a face.
class CrackLattice {
 public:
  CrackLattice(const TriangleBvh& body, const Fragments& fragments, const CrackSamples& samples,
               Span<const RecordedCrack> cracks, const CrackLatticeOptions& options, Context& context);

  /// Tetrahedra with several parts.
  std::vector<Vec3> points;  // m
  std::vector<Tetrahedron> tetrahedra;
  LatticeScores scores;

  /// The part that a place (m) of the body or its surface belongs to, to about a voxel.
  int32_t partAt(const Vec3& place) const;
  /// Tetrahedra of the whole lattice, and its memory.
  size_t cells() const { return mLattice.cells().size(); }

 private:
  struct Point {
    int32_t part = -1;    // not known yet
    int32_t sample = -1;  // the nearest that divides, if it was asked for
    double distance = 0;  // voxels
  };
  struct Shape;
  void addRoots();
  void assignSamples();
  void refine(Context& context);
  int32_t partOf(int32_t point);
  int32_t findPart(const Voxel& voxel) const;
  int32_t partAtSurface(const Vec3& place) const;
  /// The nearest voxel that is in a part, within reach along each axis.
  std::optional<Voxel> nearestOfPart(const Vec3& place, int32_t reach) const;
  const Point& measured(int32_t point, int32_t guess);
  bool tooCoarse(int32_t cell);
  bool samplesOff(const Shape& shape, int32_t cell) const;
  bool timesOff(int32_t cell) const;
  void divideSamples(int32_t parent);
  void emit(Context& context);

  const TriangleBvh& mBody;
  const Fragments& mFragments;
  const CrackSamples& mSamples;
  CrackLatticeOptions mOptions;
  std::vector<float> mTimes;  // of samples, s
  double mLag = 0.0;          // s that times may be off
  BisectionLattice mLattice;
  std::vector<Point> mPoints;
  std::vector<uint32_t> mOrder;                        // dividing samples, those of a cell side by side
  std::vector<std::pair<uint32_t, uint32_t>> mInCell;  // ranges of it
};

}  // namespace hackle
