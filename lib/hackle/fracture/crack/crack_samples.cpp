#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/crack_samples.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace hackle {

namespace {

constexpr double kLongest = 1.75;    // voxels: edges of triangles that one sample stands for
constexpr double kBorrow = 4.0;      // voxels from which sides are taken over
constexpr double kSameWay = 0.5;     // least cosine between normals then
constexpr double kFlatQuad = 0.999;  // cosine from which both triangles of a quad share a sample
constexpr int32_t kNowhere = -2;     // for sides of samples that are left out
constexpr size_t kChunk = 2048;      // triangles

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

/// Blocks of 8 voxels that hold places, and those around them.
class NearBlocks {
 public:
  void add(const Vec3& place) {
    const Voxel block = blockOf(place);
    if (mAny && block == mLast) return;
    mAny = true;
    mLast = block;
    if (!mOwn.insert(keyOf(block)).second) return;
    for (int32_t z = -1; z <= 1; ++z)
      for (int32_t y = -1; y <= 1; ++y)
        for (int32_t x = -1; x <= 1; ++x) mAround.insert(keyOf({block[0] + x, block[1] + y, block[2] + z}));
    mBox.add(kSide * Vec3(block[0] - 1, block[1] - 1, block[2] - 1));
    mBox.add(kSide * Vec3(block[0] + 2, block[1] + 2, block[2] + 2));
  }
  bool holds(const Vec3& place) {
    const Voxel block = blockOf(place);
    if (block != mAsked) {
      mAsked = block;
      mHeld = mAround.count(keyOf(block)) != 0;
    }
    return mHeld;
  }
  bool mayHold(const Box3& box) const {
    return mAny && !box.empty() && (box.min.array() <= mBox.max.array()).all() &&
           (box.max.array() >= mBox.min.array()).all();
  }

 private:
  static constexpr double kSide = 8.0;
  static Voxel blockOf(const Vec3& p) {
    return {static_cast<int32_t>(std::floor(p.x() / kSide)), static_cast<int32_t>(std::floor(p.y() / kSide)),
            static_cast<int32_t>(std::floor(p.z() / kSide))};
  }
  static uint64_t keyOf(const Voxel& block) {
    uint64_t key = 0;
    for (const int32_t i : block) key = key << 21 | (static_cast<uint64_t>(i) & 0x1fffff);
    return key;
  }

  bool mAny = false, mHeld = false;
  Voxel mLast{}, mAsked{INT32_MIN, 0, 0};
  Box3 mBox;
  std::unordered_set<uint64_t> mOwn, mAround;
};

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

}  // namespace

CrackSamples::CrackSamples(Span<const RecordedCrack> cracks, const Fragments& fragments, double voxel,
                           double wall, Context& context)
    : mCracks(cracks), mVoxel(voxel) {
  for (size_t c = 0; c < cracks.size(); ++c)
    for (size_t t = 0; t < cracks[c].band->triangleCount(); t += kChunk)
      mChunks.push_back(
          {static_cast<int32_t>(c), t, std::min(t + kChunk, cracks[c].band->triangleCount()), {}});
  parallelFor(context, mChunks.size(), 1, [&](size_t k) { findSides(mChunks[k], fragments, wall / voxel); });
  for (Chunk& chunk : mChunks) {
    mDividing.insert(mDividing.end(), chunk.dividing.begin(), chunk.dividing.end());
    std::vector<CrackSample>().swap(chunk.dividing);
  }
}

/// Calls visit(sample), sides not known yet.
template <class Visit>
void CrackSamples::forSamples(const Chunk& chunk, const Visit& visit) const {
  const SheetBand& band = *mCracks[static_cast<size_t>(chunk.crack)].band;
  const auto areaVector = [&](size_t t) {
    const auto& c = band.triangle(t);
    return Vec3((c[1] - c[0]).cross(c[2] - c[0]) / (mVoxel * mVoxel));
  };
  const auto edge = [&](const Vec3& a, const Vec3& b) { return (b - a).squaredNorm() / (mVoxel * mVoxel); };
  const auto longest = [&](size_t t) {
    const auto& c = band.triangle(t);
    return std::sqrt(std::max({edge(c[0], c[1]), edge(c[1], c[2]), edge(c[2], c[0])}));
  };
  for (size_t t = chunk.begin; t < chunk.end; ++t) {
    const auto& corners = band.triangle(t);
    const Vec3 vector = areaVector(t);
    double area = vector.norm();
    if (!(area > 1e-9)) continue;
    const Vec3 normal = vector / area;
    const int32_t triangle = static_cast<int32_t>(t);
    // The second half of a quad whose halves are in one plane has no sample of its own.
    if (t + 1 < chunk.end && corners[0] == band.triangle(t + 1)[0] && corners[2] == band.triangle(t + 1)[1] &&
        longest(t + 1) <= kLongest) {
      const Vec3 second = areaVector(t + 1);
      const double secondArea = second.norm();
      if (secondArea > 1e-9 && normal.dot(second) > kFlatQuad * secondArea) {
        area += secondArea;
        ++t;
      }
    }
    const Vec3 a = corners[0] / mVoxel, b = corners[1] / mVoxel, d = corners[2] / mVoxel;
    const int parts =
        std::max(1, static_cast<int>(std::ceil(longest(static_cast<size_t>(triangle)) / kLongest)));
    const float share = static_cast<float>(area / (parts * (parts + 1)));
    for (int i = 0; i < parts; ++i)
      for (int j = 0; j + i < parts; ++j) {
        const double u = (i + 1.0 / 3) / parts, v = (j + 1.0 / 3) / parts;
        visit(CrackSample{a + u * (b - a) + v * (d - a), normal, -1, -1, chunk.crack, triangle, share});
      }
  }
}

void CrackSamples::findSides(Chunk& chunk, const Fragments& fragments, double wall) const {
  forSamples(chunk, [&](CrackSample sample) {
    for (const double sign : {1.0, -1.0}) {
      int32_t& part = sign > 0 ? sample.front : sample.back;
      Voxel voxel{};
      for (const double extra : {0.75, 1.5}) {
        voxel = nearestVoxel(sample.place + sign * (wall + extra) * sample.normal);
        part = fragments.at(voxel);
        if (part >= 0) break;
      }
      // In the wall of another crack: what is around it says more.
      if (part < 0 && fragments.inBody(voxel)) {
        sample.front = sample.back = kNowhere;
        break;
      }
    }
    chunk.box.add(sample.place);
    chunk.sides.emplace_back(sample.front, sample.back);
    if (sample.front >= 0 && sample.back >= 0 && sample.divides()) chunk.dividing.push_back(sample);
  });
}

void CrackSamples::settle(Span<const int32_t> names, Context& context) {
  // Blocks around samples that still divide.
  NearBlocks near;
  for (const CrackSample& sample : mDividing)
    if (names[static_cast<size_t>(sample.front)] != names[static_cast<size_t>(sample.back)])
      near.add(sample.place);
  std::vector<CrackSample>().swap(mDividing);
  std::vector<CrackSample> open;
  mSamples.clear();
  for (const Chunk& chunk : mChunks) {
    context.checkCancel();
    if (!near.mayHold(chunk.box)) continue;
    size_t index = 0;
    forSamples(chunk, [&](CrackSample sample) {
      const auto [front, back] = chunk.sides[index++];
      if (front == kNowhere || !near.holds(sample.place)) return;
      sample.front = front < 0 ? -1 : names[static_cast<size_t>(front)];
      sample.back = back < 0 ? -1 : names[static_cast<size_t>(back)];
      (front >= 0 && back >= 0 ? mSamples : open).push_back(sample);
    });
  }
  std::vector<Chunk>().swap(mChunks);
  sortAlongCurve(mSamples);
  buildTree();
  completeSides(std::move(open), context);
}

void CrackSamples::completeSides(std::vector<CrackSample> open, const Context& context) {
  std::vector<CrackSample> found;
  int32_t guess = -1;
  for (CrackSample& sample : open) {
    if ((&sample - open.data()) % 256 == 0) context.checkCancel();
    guess = nearest(sample.place, Which::Any, guess, kBorrow);
    if (guess < 0) continue;
    const CrackSample& other = mSamples[static_cast<size_t>(guess)];
    const double cosine = sample.normal.dot(other.normal);
    if (std::abs(cosine) < kSameWay) continue;
    const int32_t front = cosine > 0 ? other.front : other.back, back = cosine > 0 ? other.back : other.front;
    if ((sample.front >= 0 && sample.front != front) || (sample.back >= 0 && sample.back != back)) continue;
    sample.front = front;
    sample.back = back;
    sample.area = 0;
    found.push_back(sample);
  }
  if (found.empty()) return;
  mSamples.insert(mSamples.end(), found.begin(), found.end());
  sortAlongCurve(mSamples);
  buildTree();
}

void CrackSamples::buildTree() {
  mAllDivide =
      std::all_of(mSamples.begin(), mSamples.end(), [](const CrackSample& s) { return s.divides(); });
  mLeaves = 1;
  while (mLeaves * kLeaf < mSamples.size()) mLeaves *= 2;
  mTree.assign(2 * mLeaves - 1, {{1e30f, 1e30f, 1e30f}, {-1e30f, -1e30f, -1e30f}, false});
  for (size_t i = 0; i < mSamples.size(); ++i) {
    Bounds& box = mTree[mLeaves - 1 + i / kLeaf];
    box.divides = box.divides || mSamples[i].divides();
    for (int k = 0; k < 3; ++k) {
      const float at = static_cast<float>(mSamples[i].place[k]);
      box.low[k] = std::min(box.low[k], at);
      box.high[k] = std::max(box.high[k], at);
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

int32_t CrackSamples::nearest(const Vec3& place, Which which, int32_t guess, double reach) const {
  int32_t best = -1;
  double least = reach * reach;
  if (guess >= 0 && fits(mSamples[static_cast<size_t>(guess)], which)) {
    const double d = (mSamples[static_cast<size_t>(guess)].place - place).squaredNorm();
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
  // Boxes are rounded: a little more than needed is looked at, and equal distances go to the lower number.
  struct Visit {
    size_t node;
    double square;
  };
  Visit stack[64];
  size_t depth = 0;
  if (!mTree.empty()) stack[depth++] = {0, squareTo(0)};
  while (depth > 0) {
    const Visit visit = stack[--depth];
    if (visit.square > least * 1.000001 + 1e-6) continue;
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
