#include <hackle/fracture/impact/flaw_scan.h>

#include <hackle/mechanics/stress.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

using Eigen::Index;
using Packet = Eigen::internal::packet_traits<float>::type;

constexpr Index kPacket = Eigen::internal::packet_traits<float>::size;
constexpr Index kPackets = FlawScan::kLanes / kPacket;
constexpr Index kChunk = 16;           // modes after which the bound is asked again
constexpr float kRounding = 1.00001f;  // of sums in single precision
static_assert(kPackets * kPacket == FlawScan::kLanes);

using Lanes = Eigen::Array<float, FlawScan::kLanes, 1>;
template <int Components>
using Stresses = Eigen::Array<float, FlawScan::kLanes, Components>;

/// sums += row of each column times its amplitudes. `order` picks rows; without it they follow each other.
template <int Components>
void accumulate(const float* rows, const int32_t* order, const float* amplitudes, Index count,
                Stresses<Components>& sums) {
  using namespace Eigen::internal;
  Packet sum[Components][kPackets];
  for (Index c = 0; c < Components; ++c)
    for (Index p = 0; p < kPackets; ++p)
      sum[c][p] = ploadu<Packet>(sums.data() + c * FlawScan::kLanes + p * kPacket);
  for (Index k = 0; k < count; ++k, amplitudes += FlawScan::kLanes) {
    const float* row = rows + Components * (order ? static_cast<Index>(order[k]) : k);
    Packet amplitude[kPackets];
    for (Index p = 0; p < kPackets; ++p) amplitude[p] = ploadu<Packet>(amplitudes + p * kPacket);
    for (Index c = 0; c < Components; ++c) {
      const Packet factor = pset1<Packet>(row[c]);
      for (Index p = 0; p < kPackets; ++p) sum[c][p] = pmadd(factor, amplitude[p], sum[c][p]);
    }
  }
  for (Index c = 0; c < Components; ++c)
    for (Index p = 0; p < kPackets; ++p) pstoreu(sums.data() + c * FlawScan::kLanes + p * kPacket, sum[c][p]);
}

/// Largest principal stress within a surface.
Lanes largestTension(const Stresses<3>& s) {
  const Lanes middle = 0.5f * (s.col(0) + s.col(1)), half = 0.5f * (s.col(0) - s.col(1));
  return middle + (half.square() + s.col(2).square()).sqrt();
}

/// No less than the largest principal stress, and equal where one direction is pulled alone.
Lanes largestTension(const Stresses<6>& s) {
  const Lanes middle = (s.col(0) + s.col(1) + s.col(2)) / 3.0f;
  const Lanes x = s.col(0) - middle, y = s.col(1) - middle, z = s.col(2) - middle;
  const Lanes shear = s.col(3).square() + s.col(4).square() + s.col(5).square();
  return middle + (2.0f / 3.0f * (x.square() + y.square() + z.square() + 2.0f * shear)).sqrt();
}

}  // namespace

FlawScan::FlawScan(const FlawRows& flaws, const Motion& motion, const Grain& grain)
    : mFlaws(flaws),
      mMotion(motion),
      mGrain(grain),
      mModes(static_cast<Index>(motion.modes())),
      mColumns(static_cast<Index>(motion.columns())),
      mExtra(mColumns - mModes),
      mChunks((mModes + kChunk - 1) / kChunk) {
  mSamples = std::min(motion.samples(), static_cast<size_t>(std::ceil(motion.window() / motion.step())) + 1);
  const auto count = static_cast<Index>(mSamples), blocks = (count + kOwn - 1) / kOwn;
  const auto amplitudes = motion.amplitudes().leftCols(count);
  const Eigen::VectorXf frequencies = motion.frequencies().cast<float>();
  const Eigen::VectorXf largest =
      frequencies.cwiseProduct(amplitudes.topRows(mModes).cwiseAbs().rowwise().maxCoeff());
  mOrder.resize(static_cast<size_t>(mModes));
  std::iota(mOrder.begin(), mOrder.end(), 0);
  std::stable_sort(mOrder.begin(), mOrder.end(),
                   [&](int32_t a, int32_t b) { return largest[a] > largest[b]; });

  mAmplitudes.resize(kLanes * mColumns * blocks);
  mRoots.setZero(mChunks + 1, blocks);
  mLargestExtras.setZero(mExtra, blocks);
  for (Index b = 0; b < blocks; ++b) {
    Lanes sum = Lanes::Zero();  // of (omega q)^2, from the last mode on
    for (Index c = mColumns - 1; c >= 0; --c) {
      const bool isMode = c >= mExtra;
      const Index mode = isMode ? mOrder[static_cast<size_t>(c - mExtra)] : 0,
                  row = isMode ? mode : mModes + c;
      Eigen::Map<Lanes> lanes(mAmplitudes.data() + kLanes * (b * mColumns + c));
      for (Index l = 0; l < kLanes; ++l)
        lanes[l] = amplitudes(row, std::clamp<Index>(kOwn * b - 1 + l, 0, count - 1));
      if (!isMode) {
        mLargestExtras(c, b) = lanes.abs().maxCoeff();
        continue;
      }
      sum += (frequencies[mode] * lanes).square();
      if ((c - mExtra) % kChunk == 0)
        mRoots((c - mExtra) / kChunk, b) = std::sqrt(sum.maxCoeff()) * kRounding;
    }
  }
}

Index FlawScan::ownOf(size_t block) const {
  return std::min<Index>(kOwn, static_cast<Index>(mSamples) - kOwn * static_cast<Index>(block));
}

double FlawScan::timeOf(size_t block, double sample) const {
  return mMotion.step() * std::max(0.0, static_cast<double>(kOwn * static_cast<Index>(block)) + sample);
}

// One flaw
// ----------------------------------------------------------------------------------------------------

FlawScan::Place::Place(const FlawScan& scan, size_t flaw) : mScan(scan), mFlaw(flaw) {
  const FlawRows& flaws = scan.mFlaws;
  const LatticePlace& place = flaws.places[flaw];
  for (Index c = 0; c < scan.mExtra; ++c) {
    const StressComponents components =
        flaws.componentsOf(flaw, atPlace(scan.mMotion.correctionRows(), place, c));
    mCorrections.insert(mCorrections.end(), components.values.begin(),
                        components.values.begin() + components.count);
    mCorrectionNorms.push_back(static_cast<float>(std::sqrt(components.squaredNorm())));
  }
  mRest.assign(static_cast<size_t>(scan.mChunks) + 1, 0);
  float sum = 0;
  for (Index m = scan.mModes - 1; m >= 0; --m) {
    sum += flaws.norms(scan.mOrder[static_cast<size_t>(m)], static_cast<Index>(flaw));
    if (m % kChunk == 0) mRest[static_cast<size_t>(m / kChunk)] = std::sqrt(sum) * kRounding;
  }
}

double FlawScan::Place::bound(size_t block) const {
  const auto b = static_cast<Index>(block);
  float sum = mRest[0] * mScan.mRoots(0, b);
  for (Index c = 0; c < mScan.mExtra; ++c)
    sum += mCorrectionNorms[static_cast<size_t>(c)] * mScan.mLargestExtras(c, b);
  return kBetweenSamples * static_cast<double>(sum);
}

bool FlawScan::Place::evaluate(size_t block, double strength, Row& row) const {
  return mScan.mFlaws.componentCount(mFlaw) == 3 ? evaluateAs<3>(block, strength, row)
                                                 : evaluateAs<6>(block, strength, row);
}

template <int Components>
bool FlawScan::Place::evaluateAs(size_t block, double strength, Row& row) const {
  const float needed = static_cast<float>(strength / kBetweenSamples);
  const float* rows = mScan.mFlaws.rows.data() + mScan.mFlaws.starts[mFlaw];
  Stresses<Components> sums = Stresses<Components>::Zero();
  accumulate<Components>(mCorrections.data(), nullptr, mScan.amplitudesOf(block, 0), mScan.mExtra, sums);
  Lanes tensions = largestTension(sums);
  // What the modes that are still missing could add at most. A grain never adds to tension.
  for (Index chunk = 0; chunk < mScan.mChunks; ++chunk) {
    const Index first = kChunk * chunk, count = std::min(kChunk, mScan.mModes - first);
    accumulate<Components>(rows, mScan.mOrder.data() + first, mScan.amplitudesOf(block, mScan.mExtra + first),
                           count, sums);
    tensions = largestTension(sums);
    const float missing =
        mRest[static_cast<size_t>(chunk) + 1] * mScan.mRoots(chunk + 1, static_cast<Index>(block));
    if (kRounding * (tensions.maxCoeff() + missing) < needed) return false;
  }
  if (Components == 3 && mScan.mGrain.bias == 0) {
    for (Index l = 0; l < kLanes; ++l) row[static_cast<size_t>(l)] = static_cast<double>(tensions[l]);
    return tensions.maxCoeff() >= needed;
  }
  // Exact where it matters: what can reach the strength, and what is beside it.
  row.fill(0);
  bool any = false;
  for (Index l = 0; l < kLanes; ++l) {
    const float beside =
        std::max(tensions[std::max<Index>(l - 1, 0)], tensions[std::min<Index>(l + 1, kLanes - 1)]);
    if (!(std::max(tensions[l], beside) >= needed)) continue;
    std::array<float, Components> components;
    for (int c = 0; c < Components; ++c) components[static_cast<size_t>(c)] = sums(l, c);
    const Mat3 tensor = mScan.mFlaws.tensorOf(mFlaw, components.data());
    row[static_cast<size_t>(l)] = principalValues(mScan.mGrain.apply(tensor))[0];
    any = true;
  }
  return any;
}

}  // namespace hackle
