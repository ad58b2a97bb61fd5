// Points of recorded cracks with what is on either side of them.
#pragma once

#include <hackle/fracture/crack/growth/recorded_crack.h>
#include <hackle/fracture/crack/pieces/fragments.h>
#include <hackle/fracture/crack/pieces/sample_tree.h>

#include <array>

namespace hackle {

/// About one sample for every voxel of a sheet's area. Sides are found by stepping off the sheet, beyond its
/// wall. Of sheets that run side by side only the first one has samples there, with what is beyond the
/// others. Samples with a side outside of the body take the sides of the nearest sample that has both, if it
/// is of the same sheet, within four voxels and faces the same way, and pass them on: a sheet may run on for
/// long just below the surface. Else they are left out, as are those with a side in the wall of a sheet that
/// crosses.
class CrackSamples {
 public:
  /// Finds sides; what is below has to be settled first. The fragments must outlive that. `ligaments` are
  /// samples of faces without a sheet (ligaments.h): the crack next to them stands in.
  CrackSamples(Span<const RecordedCrack> cracks, const Fragments& fragments, double voxel, double wall,
               std::vector<CrackSample> ligaments, Context& context);
  /// Those that divide parts as the fragments have them: all before anything is settled.
  const std::vector<CrackSample>& dividing() const { return mDividing; }

  /// Parts get the numbers names[part]. Samples that are not near one that still divides are forgotten.
  void settle(Span<const int32_t> names, Context& context);

  size_t size() const { return mTree.samples().size(); }
  const CrackSample& operator[](size_t i) const { return mTree.samples()[i]; }
  bool anyDivides() const { return mTree.anyDivides(); }
  using Which = SampleTree::Which;
  /// As of SampleTree.
  int32_t nearest(const Vec3& place, Which which, int32_t guess = -1, double reach = 1e15) const {
    return mTree.nearest(place, which, guess, reach);
  }

 private:
  /// Some triangles of a crack.
  struct Chunk {
    int32_t crack;
    size_t begin, end;
    Box3 box;                                          // of its samples, voxels
    std::vector<std::pair<int32_t, int32_t>> sides{};  // of its samples: in front, behind
    std::vector<CrackSample> dividing{};
    std::vector<Vec3>
        open{};  // places of samples with a side outside, one of those that follow each other nearby
  };
  template <class Visit>
  void forSamples(const Chunk& chunk, const Visit& visit) const;
  int32_t sheetBeside(const CrackSample& sample, size_t crack, const Voxel& voxel, double reach) const;
  bool isDoubled(const CrackSample& sample) const;
  bool comesFirst(const CrackSample& sample, const Voxel& beside, double wall) const;
  int32_t partBeside(const CrackSample& sample, double sign, const Fragments& fragments, double wall) const;
  void findSides(Chunk& chunk, const Fragments& fragments, double wall) const;
  void complete(std::vector<CrackSample> samples, std::vector<CrackSample> open, const Context& context);

  Span<const RecordedCrack> mCracks;
  double mVoxel;
  std::vector<Box3> mBoxes;  // voxels, around each crack
  std::vector<Chunk> mChunks;
  std::vector<CrackSample> mDividing, mLigaments;
  SampleTree mTree;
};

}  // namespace hackle
