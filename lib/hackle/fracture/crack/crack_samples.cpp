#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/crack_samples.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kLongest = 1.75;    // voxels: edges of triangles that one sample stands for
constexpr double kBorrow = 4.0;      // voxels from which sides are taken over
constexpr double kSameWay = 0.5;     // least cosine between normals then
constexpr double kFlatQuad = 0.999;  // cosine from which both triangles of a quad share a sample

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

}  // namespace

CrackSamples::CrackSamples(Span<const RecordedCrack> cracks, const Fragments& fragments, double voxel,
                           double wall, Context& context) {
  collect(cracks, voxel);
  context.checkCancel();
  findSides(fragments, wall / voxel, context);
}

void CrackSamples::collect(Span<const RecordedCrack> cracks, double voxel) {
  for (size_t c = 0; c < cracks.size(); ++c) {
    const SheetBand& band = *cracks[c].band;
    Vec3 before = Vec3::Zero();
    for (size_t t = 0; t < band.triangleCount(); ++t) {
      const auto& corners = band.triangle(t);
      const Vec3 a = corners[0] / voxel, b = corners[1] / voxel, d = corners[2] / voxel;
      Vec3 normal = (b - a).cross(d - a);
      const double area = normal.norm();
      if (!(area > 1e-9)) {
        before.setZero();
        continue;
      }
      normal /= area;
      const double longest =
          std::sqrt(std::max({(b - a).squaredNorm(), (d - b).squaredNorm(), (a - d).squaredNorm()}));
      const int parts = std::max(1, static_cast<int>(std::ceil(longest / kLongest)));
      // The second half of a quad whose halves are in one plane.
      const bool second = t > 0 && parts == 1 && corners[0] == band.triangle(t - 1)[0] &&
                          corners[1] == band.triangle(t - 1)[2] && normal.dot(before) > kFlatQuad;
      before = second ? Vec3(Vec3::Zero()) : normal;
      if (second) {
        mSamples.back().area += static_cast<float>(area / 2);
        continue;
      }
      for (int i = 0; i < parts; ++i)
        for (int j = 0; j + i < parts; ++j) {
          const double u = (i + 1.0 / 3) / parts, v = (j + 1.0 / 3) / parts;
          mSamples.push_back({a + u * (b - a) + v * (d - a), normal, -1, -1, static_cast<int32_t>(c),
                              static_cast<int32_t>(t), static_cast<float>(area / (parts * (parts + 1)))});
        }
    }
  }
}

void CrackSamples::findSides(const Fragments& fragments, double wall, Context& context) {
  parallelFor(context, mSamples.size(), 2048, [&](size_t i) {
    CrackSample& sample = mSamples[i];
    for (const double sign : {1.0, -1.0}) {
      int32_t& part = sign > 0 ? sample.front : sample.back;
      for (const double extra : {0.75, 1.5}) {
        part = fragments.at(nearestVoxel(sample.place + sign * (wall + extra) * sample.normal));
        if (part >= 0) break;
      }
    }
  });
  std::vector<CrackSample> known, open;
  for (const CrackSample& sample : mSamples)
    (sample.front >= 0 && sample.back >= 0 ? known : open).push_back(sample);
  mSamples = std::move(known);
  context.checkCancel();
  sortAlongCurve(mSamples);
  buildTree();
  completeSides(std::move(open), context);
}

void CrackSamples::completeSides(std::vector<CrackSample> open, const Context& context) {
  std::vector<CrackSample> found;
  int32_t guess = -1;
  for (CrackSample& sample : open) {
    if ((&sample - open.data()) % 256 == 0) context.checkCancel();
    guess = nearest(sample.place, Which::Dividing, guess);
    if (guess < 0) continue;
    const CrackSample& other = mSamples[static_cast<size_t>(guess)];
    const double cosine = sample.normal.dot(other.normal);
    if ((sample.place - other.place).squaredNorm() > kBorrow * kBorrow || std::abs(cosine) < kSameWay)
      continue;
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

void CrackSamples::rename(Span<const int32_t> names) {
  for (CrackSample& sample : mSamples) {
    sample.front = names[static_cast<size_t>(sample.front)];
    sample.back = names[static_cast<size_t>(sample.back)];
  }
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
