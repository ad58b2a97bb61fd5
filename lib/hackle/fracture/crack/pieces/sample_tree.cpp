#include <hackle/fracture/crack/pieces/sample_tree.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

namespace {

/// Bits of a coordinate, two apart.
uint64_t spread(uint64_t x) {
  x &= 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffffULL;
  x = (x | x << 16) & 0x1f0000ff0000ffULL;
  x = (x | x << 8) & 0x100f00f00f00f00fULL;
  x = (x | x << 4) & 0x10c30c30c30c30c3ULL;
  return (x | x << 2) & 0x1249249249249249ULL;
}

uint64_t curveOf(const Vec3& p) {
  uint64_t key = 0;
  for (int k = 0; k < 3; ++k)
    key |= spread(static_cast<uint64_t>(static_cast<int64_t>(std::floor(p[k])) + (1 << 20))) << k;
  return key;
}

/// Samples sorted along the curve; equal places stay in order.
void sortAlongCurve(std::vector<CrackSample>& samples) {
  std::vector<std::pair<uint64_t, uint32_t>> keys(samples.size()), other(samples.size());
  for (size_t i = 0; i < samples.size(); ++i) keys[i] = {curveOf(samples[i].place), static_cast<uint32_t>(i)};
  uint64_t differ = 0;
  for (const auto& key : keys) differ |= key.first ^ keys[0].first;
  for (int shift = 0; shift < 64; shift += 11) {
    if ((differ >> shift & 2047) == 0) continue;
    std::array<uint32_t, 2049> starts{};
    for (const auto& key : keys) ++starts[(key.first >> shift & 2047) + 1];
    for (size_t b = 0; b < 2048; ++b) starts[b + 1] += starts[b];
    for (const auto& key : keys) other[starts[key.first >> shift & 2047]++] = key;
    keys.swap(other);
  }
  std::vector<CrackSample> sorted;
  sorted.reserve(samples.size());
  for (const auto& key : keys) sorted.push_back(samples[key.second]);
  samples = std::move(sorted);
}

/// The nearest single-precision numbers that are not above, and not below.
float floatBelow(double x) {
  const float at = static_cast<float>(x);
  return static_cast<double>(at) > x ? std::nextafter(at, -1e38f) : at;
}
float floatAbove(double x) { return -floatBelow(-x); }

}  // namespace

SampleTree::SampleTree(std::vector<CrackSample> samples) : mSamples(std::move(samples)) {
  sortAlongCurve(mSamples);
  mLeaves = 1;
  while (mLeaves * kLeaf < mSamples.size()) mLeaves *= 2;
  mTree.assign(2 * mLeaves - 1, {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}, false});
  for (size_t i = 0; i < mSamples.size(); ++i) {
    Bounds& box = mTree[mLeaves - 1 + i / kLeaf];
    box.divides = box.divides || mSamples[i].divides();
    for (int k = 0; k < 3; ++k) {
      box.low[k] = std::min(box.low[k], floatBelow(mSamples[i].place[k]));
      box.high[k] = std::max(box.high[k], floatAbove(mSamples[i].place[k]));
    }
  }
  for (size_t n = mLeaves - 1; n-- > 0;) {
    mTree[n].divides = mTree[2 * n + 1].divides || mTree[2 * n + 2].divides;
    for (int k = 0; k < 3; ++k) {
      mTree[n].low[k] = std::min(mTree[2 * n + 1].low[k], mTree[2 * n + 2].low[k]);
      mTree[n].high[k] = std::max(mTree[2 * n + 1].high[k], mTree[2 * n + 2].high[k]);
    }
  }
}

int32_t SampleTree::nearest(const Vec3& place, Which which, int32_t guess, double reach) const {
  int32_t best = -1;
  double least = reach * reach;
  if (guess >= 0 && fits(mSamples[guess], which)) {
    const double d = (mSamples[guess].place - place).squaredNorm();
    if (d <= least) {
      best = guess;
      least = d;
    }
  }
  const auto squareTo = [&](size_t node) {
    const Bounds& box = mTree[node];
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const double d = std::max(
          {static_cast<double>(box.low[k]) - place[k], place[k] - static_cast<double>(box.high[k]), 0.0});
      sum += d * d;
    }
    return sum;
  };
  // Of equal distances the lower number counts, so boxes that are just as far are looked at, too.
  constexpr double kRounding = 1 + 1e-12;  // of squares
  struct Visit {
    size_t node;
    double square;
  };
  Visit stack[64];
  size_t depth = 0;
  if (!mTree.empty()) stack[depth++] = {0, squareTo(0)};
  while (depth > 0) {
    const Visit visit = stack[--depth];
    if (visit.square > least * kRounding) continue;
    if (which == Which::Dividing && !mTree[visit.node].divides) continue;
    if (visit.node >= mLeaves - 1) {
      const size_t begin = (visit.node - (mLeaves - 1)) * kLeaf;
      for (size_t i = begin; i < std::min(begin + kLeaf, mSamples.size()); ++i) {
        const double d = (mSamples[i].place - place).squaredNorm();
        if (d > least || !fits(mSamples[i], which)) continue;
        if (d == least && best >= 0 && static_cast<int32_t>(i) >= best) continue;
        least = d;
        best = static_cast<int32_t>(i);
      }
      continue;
    }
    const Visit first{2 * visit.node + 1, squareTo(2 * visit.node + 1)};
    const Visit second{2 * visit.node + 2, squareTo(2 * visit.node + 2)};
    const bool order = first.square <= second.square;
    stack[depth++] = order ? second : first;
    stack[depth++] = order ? first : second;
  }
  return best;
}

}  // namespace hackle
