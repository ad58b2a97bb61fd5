// Points of recorded cracks with what is on either side of them.
#pragma once

#include <hackle/fracture/crack/fragments.h>

#include <array>

namespace hackle {

/// A crack as it was recorded.
struct RecordedCrack {
  const SheetBand* band = nullptr;
  Span<const std::array<float, 3>> times;  // s, at the corners of the band's triangles
};

/// In voxels.
struct CrackSample {
  Vec3 place;
  Vec3 normal;          // unit
  int32_t front, back;  // parts of the body where the normal points, and on the other side
  int32_t crack, triangle;
  float area;  // voxels^2 of the sheet that it stands for; 0 if its sides are those of another one

  bool divides() const { return front != back; }
  double height(const Vec3& p) const { return normal.dot(p - place); }
  int32_t sideOf(const Vec3& p) const { return height(p) < 0 ? back : front; }
};

/// About one sample for every voxel of a sheet's area. Sides are found by stepping off the sheet, beyond its
/// wall. Samples with a side outside of the body take the sides of the nearest sample that has both and faces
/// the same way, if it is within four voxels. Else they are left out, as are those with a side in the wall of
/// another crack.
class CrackSamples {
 public:
  /// Finds sides; what is below has to be settled first. The fragments must outlive that.
  CrackSamples(Span<const RecordedCrack> cracks, const Fragments& fragments, double voxel, double wall,
               Context& context);
  /// Those that divide parts as the fragments have them: all before anything is settled.
  const std::vector<CrackSample>& dividing() const { return mDividing; }

  /// Parts get the numbers names[part]. Samples that are not near one that still divides are forgotten.
  void settle(Span<const int32_t> names, Context& context);

  size_t size() const { return mSamples.size(); }
  const CrackSample& operator[](size_t i) const { return mSamples[i]; }

  /// Whether all of them divide two parts.
  bool allDivide() const { return mAllDivide; }
  bool anyDivides() const { return !mTree.empty() && mTree[0].divides; }
  enum class Which { Any, Dividing };
  /// The nearest sample to a place within reach (voxels); -1 if there is none. `guess` is a sample that may
  /// be near, or -1.
  int32_t nearest(const Vec3& place, Which which, int32_t guess = -1, double reach = 1e15) const;

 private:
  struct Bounds {
    float low[3], high[3];
    bool divides;  // some sample does
  };
  /// Some triangles of a crack.
  struct Chunk {
    int32_t crack;
    size_t begin, end;
    Box3 box;                                          // of its samples, voxels
    std::vector<std::pair<int32_t, int32_t>> sides{};  // of its samples: in front, behind
    std::vector<CrackSample> dividing{};
  };
  static constexpr size_t kLeaf = 8;  // samples
  template <class Visit>
  void forSamples(const Chunk& chunk, const Visit& visit) const;
  void findSides(Chunk& chunk, const Fragments& fragments, double wall) const;
  void buildTree();
  void completeSides(std::vector<CrackSample> open, const Context& context);
  static bool fits(const CrackSample& sample, Which which) { return which == Which::Any || sample.divides(); }

  Span<const RecordedCrack> mCracks;
  double mVoxel;
  std::vector<Chunk> mChunks;
  std::vector<CrackSample> mDividing;
  std::vector<CrackSample> mSamples;  // along a curve that fills space
  std::vector<Bounds> mTree;          // a heap: node i has the children 2 i + 1 and 2 i + 2
  bool mAllDivide = true;
  size_t mLeaves = 0;  // a power of two
};

}  // namespace hackle
