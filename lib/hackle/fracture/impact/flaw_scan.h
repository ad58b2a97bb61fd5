// Stress of flaws over time, many samples at once. Bounds leave out what cannot fail before it is computed to
// its end.
#pragma once

#include <hackle/fracture/impact/flaw_initiation.h>

#include <array>
#include <vector>

namespace hackle {

/// At most of a peak between samples over those beside it: 12 samples per period.
constexpr double kBetweenSamples = 1.045;

/// What all flaws share: amplitudes in blocks of samples, the modes of most energy first.
class FlawScan {
 public:
  static constexpr Eigen::Index kLanes = 16;        // samples of a block
  static constexpr Eigen::Index kOwn = kLanes - 2;  // without one on either side, for peaks between samples

  FlawScan(const FlawRows& flaws, const Motion& motion, const Grain& grain);

  size_t blocks() const { return static_cast<size_t>(mRoots.cols()); }
  /// Samples that a block has besides those on either side.
  Eigen::Index ownOf(size_t block) const;
  /// s, of a sample of a block, counted from its first own one; parts of steps are welcome.
  double timeOf(size_t block, double sample) const;

  /// Largest principal stresses (Pa) of a block: values[1] is its first own sample. Those before the first
  /// and after the last sample of all repeat these. Only what can reach the strength asked for is exact.
  using Row = std::array<double, kLanes>;

  /// One flaw.
  class Place {
   public:
    Place(const FlawScan& scan, size_t flaw);
    /// Pa that no stress within a block exceeds, at samples and between them.
    double bound(size_t block) const;
    /// False if no stress within the block, at samples and between them, reaches `strength` (Pa).
    bool evaluate(size_t block, double strength, Row& row) const;

   private:
    template <int Components>
    bool evaluateAs(size_t block, double strength, Row& row) const;
    Mat3 tensorOf(const float* components) const;

    const FlawScan& mScan;
    const size_t mFlaw;
    std::vector<float> mCorrections;      // Pa, of the columns that are no modes, one after another
    std::vector<float> mCorrectionNorms;  // Pa, as tensors
    std::vector<float> mRest;             // Pa / J^1/2: of the modes from each chunk on
  };

 private:
  const float* amplitudesOf(size_t block, Eigen::Index column) const {
    return mAmplitudes.data() + kLanes * (static_cast<Eigen::Index>(block) * mColumns + column);
  }

  const FlawRows& mFlaws;
  const Motion& mMotion;
  const Grain& mGrain;
  Eigen::Index mModes, mColumns, mExtra, mChunks;
  size_t mSamples;
  std::vector<int32_t> mOrder;  // modes, that with the most energy first
  Eigen::VectorXf mAmplitudes;  // kLanes per column, the extra ones first, then modes in this order
  Eigen::MatrixXf mRoots;       // J^1/2, chunk x block: root of sum of (omega q)^2 of the modes from there on
  Eigen::MatrixXf mLargestExtras;  // largest amplitude of an extra column within a block
};

}  // namespace hackle
