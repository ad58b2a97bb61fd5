// A strip of triangles against all others that need them: the unit of work of dense assembly.
#pragma once

#include <hackle/bem/pair_integrals.h>
#include <hackle/bem/surface.h>
#include <hackle/core/context.h>

#include <vector>

namespace hackle {

/// Which pairs are wanted: f as a row and g as a column of the same task, or the other way round. One bit a
/// task.
struct PairWants {
  std::vector<uint32_t> rows, columns;  // by triangle
  bool wants(size_t f, size_t g) const { return ((rows[f] & columns[g]) | (rows[g] & columns[f])) != 0; }
};

/// The integrals of up to kWidth triangles f (lanes) against a list of others g. Each unordered pair appears
/// in one strip and one lane; absent pairs hold zeros. Laid out lane by lane, so that sums over them
/// vectorise.
class PairStrip {
 public:
  static constexpr size_t kWidth = 32;
  using Lanes = Eigen::Array<double, kWidth, 1>;

  PairStrip(const BemSurface& surface, const PairIntegrator& integrator, const PairWants& wants);

  /// Number of strips that cover all wanted pairs.
  size_t count() const { return (mActive.size() + kWidth - 1) / kWidth; }
  void compute(size_t strip, Context& context);

  size_t size() const { return mSize; }
  const int32_t* triangles() const { return mTriangles; }
  const std::vector<int32_t>& others() const { return mOthers; }
  /// Place of g among the others, or -1.
  int32_t placeOf(size_t g) const { return mPlaceOf[g]; }
  /// Lane of triangle g if it is in the strip itself, or -1.
  int32_t laneOf(size_t g) const { return mLaneOf[g]; }
  /// Number k of the pair in `lane` is numbers(place)[k * kWidth + lane].
  const double* numbers(size_t place) const { return mNumbers.data() + place * kPairNumbers * kWidth; }
  bool present(size_t place, size_t lane) const { return (mPresent[place] >> lane & 1u) != 0; }
  /// x, y, z of the curls of corner v.
  const Lanes* curls(size_t v) const { return mCurls[v]; }

 private:
  void chooseOthers(size_t begin);
  void computePlace(size_t place);

  const BemSurface& mSurface;
  const PairIntegrator& mIntegrator;
  const PairWants& mWants;
  std::vector<int32_t> mActive;  // triangles that any task uses
  size_t mSize = 0;
  int32_t mTriangles[kWidth];
  std::vector<int32_t> mOthers, mPlaceOf, mLaneOf;
  std::vector<uint32_t> mPresent;
  std::vector<double, Eigen::aligned_allocator<double>> mNumbers;
  Lanes mCurls[3][3];
};

}  // namespace hackle
