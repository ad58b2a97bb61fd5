// Points of cracks, found by place.
#pragma once

#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

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

/// Samples along a curve that fills space, with boxes around them.
class SampleTree {
 public:
  SampleTree() = default;
  explicit SampleTree(std::vector<CrackSample> samples);

  const std::vector<CrackSample>& samples() const { return mSamples; }
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
  static constexpr size_t kLeaf = 8;  // samples
  static bool fits(const CrackSample& sample, Which which) { return which == Which::Any || sample.divides(); }

  std::vector<CrackSample> mSamples;
  std::vector<Bounds> mTree;  // a heap: node i has the children 2 i + 1 and 2 i + 2
  size_t mLeaves = 0;         // a power of two
};

}  // namespace hackle
