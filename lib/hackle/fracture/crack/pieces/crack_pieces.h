// From the record of cracks to pieces: which part of the body a place belongs to, and the cut between parts.
#pragma once

#include <hackle/fracture/crack/pieces/crack_lattice.h>
#include <hackle/fracture/pieces.h>
#include <hackle/meshing/cut/cut.h>

#include <limits>
#include <memory>

namespace hackle {

struct CrackCutOptions {
  /// Threshold s of [Hahn17] ch. 6.3 in voxels, 0 to 1: gaps between sheets up to about twice as wide count
  /// as cracked.
  double threshold = 0.5;
  double tolerance = 0.15;  // voxels that faces may be off the sheets: flat parts get fewer of them
  /// m^3: smaller parts join a neighbour before anything is cut (crumbs.h); at least crumbVolume().
  double minVolume = 0.0;
  /// m: what cracks leave between each other breaks if it is narrower than about this (ligaments.h). Nothing
  /// does below 4 voxels.
  double ligament = 0.0;
  size_t most = std::numeric_limits<size_t>::max();  // parts: beyond that the smallest join others
};

/// Parts of a body between cracks, as scores on a lattice of tetrahedra around the cracks that go through
/// (crack_lattice.h). Where no crack ends nothing is cut.
class CrackPartition {
 public:
  /// All cracks have bands of one voxel size. `body` must outlive this, as must the bands.
  CrackPartition(const TriangleBvh& body, Span<const RecordedCrack> cracks, const CrackCutOptions& options,
                 Context& context);

  size_t partCount() const { return mFragments->count(); }
  const Fragments& fragments() const { return *mFragments; }
  /// True if no crack goes through: there is nothing to cut.
  bool whole() const { return !mLattice || mLattice->tetrahedra.empty(); }
  /// How many parts there are more since ligaments broke.
  size_t ligaments() const { return mLigaments; }
  /// How many parts were too small and joined others.
  size_t crumbs() const { return mCrumbs; }

  /// The solid along the sheets. `mesh` is that of the body.
  Cut cut(const Geometry& solid, const TriangleMesh& mesh, Context& context) const;
  /// The part that a place belongs to.
  int32_t partAt(const Vec3& p) const;
  /// m^3: 4 voxels cubed. Smaller parts have no shape to speak of, and join a neighbour. What the cut leaves
  /// of pieces below this is for PieceOptions::minVolume.
  double crumbVolume() const { return 64 * mVoxel * mVoxel * mVoxel; }

  /// The nearest place of a crack: its number and when the front passed (s); -1 away from cracks.
  struct Passage {
    int32_t crack = -1;
    float time = 0.0f;
  };
  Passage passageAt(const Vec3& p) const;

 private:
  void findParts(const TriangleBvh& body, const CrackCutOptions& options, Context& context);

  std::vector<RecordedCrack> mCracks;
  std::vector<Box3> mBoxes;  // m, around the band of each
  double mVoxel;
  size_t mLigaments = 0, mCrumbs = 0;
  std::unique_ptr<Fragments> mFragments;
  std::unique_ptr<CrackSamples> mSamples;
  std::unique_ptr<CrackLattice> mLattice;
};

/// Point float `crack_time` (s, when the front passed; outside faces too, at their nearest crack, else 0) and
/// primitive int `crack` on inside faces (-1 on the others).
void addCrackAttributes(FracturePieces& pieces, const CrackPartition& partition, const std::string& inside,
                        Context& context);

}  // namespace hackle
