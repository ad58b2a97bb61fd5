#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/pieces/crack_samples.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace hackle {

namespace {

constexpr double kLongest = 1.75;    // voxels: edges of triangles that one sample stands for
constexpr double kBorrow = 4.0;      // voxels from which sides are taken over
constexpr double kSameWay = 0.5;     // least cosine between normals then
constexpr double kFlatQuad = 0.999;  // cosine from which both triangles of a quad share a sample
constexpr double kSideBySide = 0.8;  // cosine from which sheets run side by side
constexpr double kDoubled = 1.75;    // voxels between such sheets below which one stands for both
constexpr double kThrough = 5.0;     // voxels beyond its wall in which a sample looks through other sheets
constexpr int32_t kNowhere = -2;     // for sides of samples that are left out
constexpr size_t kChunk = 2048;      // triangles

bool holds(const Box3& box, const Vec3& p) {
  return (p.array() >= box.min.array()).all() && (p.array() <= box.max.array()).all();
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
  /// Places that are added by `spread` if they are in blocks around others, and again around these.
  void addCandidates(Span<const Vec3> places) {
    for (const Vec3& place : places) mCandidates.emplace(keyOf(blockOf(place)), place);
  }
  void spread() {
    std::vector<Vec3> reached;
    do {
      reached.clear();
      for (auto candidate = mCandidates.begin(); candidate != mCandidates.end();) {
        const bool near = mAround.count(candidate->first) != 0;
        if (near) reached.push_back(candidate->second);
        candidate = near ? mCandidates.erase(candidate) : std::next(candidate);
      }
      for (const Vec3& place : reached) add(place);
    } while (!reached.empty());
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
  static constexpr double kSide = 8.0;  // voxels along a block: what one look-up covers
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
  std::unordered_map<uint64_t, Vec3> mCandidates;  // by block
};

/// Gives a sample the sides of another one of its sheet that faces the same way, unless it is known to have
/// others.
bool takeSides(CrackSample& sample, const CrackSample& other) {
  if (sample.crack != other.crack) return false;
  const double cosine = sample.normal.dot(other.normal);
  if (std::abs(cosine) < kSameWay) return false;
  const int32_t front = cosine > 0 ? other.front : other.back, back = cosine > 0 ? other.back : other.front;
  if ((sample.front >= 0 && sample.front != front) || (sample.back >= 0 && sample.back != back)) return false;
  sample.front = front;
  sample.back = back;
  sample.area = 0;
  return true;
}

/// Those of `open` that get sides from a source; they are taken out of it.
std::vector<CrackSample> takeFrom(const SampleTree& source, std::vector<CrackSample>& open,
                                  const Context& context) {
  std::vector<CrackSample> found, left;
  if (open.empty()) return found;
  NearBlocks near;
  for (const CrackSample& sample : source.samples()) near.add(sample.place);
  int32_t guess = -1;
  for (CrackSample& sample : open) {
    if ((&sample - open.data()) % 256 == 0) context.checkCancel();
    guess =
        near.holds(sample.place) ? source.nearest(sample.place, SampleTree::Which::Any, guess, kBorrow) : -1;
    const bool taken = guess >= 0 && takeSides(sample, source.samples()[guess]);
    (taken ? found : left).push_back(sample);
  }
  open = std::move(left);
  return found;
}

}  // namespace

CrackSamples::CrackSamples(Span<const RecordedCrack> cracks, const Fragments& fragments, double voxel,
                           double wall, std::vector<CrackSample> ligaments, Context& context)
    : mCracks(cracks), mVoxel(voxel), mBoxes(cracks.size()), mLigaments(std::move(ligaments)) {
  for (size_t c = 0; c < cracks.size(); ++c) {
    for (size_t t = 0; t < cracks[c].band->triangleCount(); ++t)
      for (const Vec3& p : cracks[c].band->triangle(t)) mBoxes[c].add(p / voxel);
    mBoxes[c].min -= Vec3::Constant(kDoubled);
    mBoxes[c].max += Vec3::Constant(kDoubled);
  }
  for (size_t c = 0; c < cracks.size(); ++c)
    for (size_t t = 0; t < cracks[c].band->triangleCount(); t += kChunk)
      mChunks.push_back(
          {static_cast<int32_t>(c), t, std::min(t + kChunk, cracks[c].band->triangleCount()), {}});
  parallelFor(context, mChunks.size(), 1, [&](size_t k) { findSides(mChunks[k], fragments, wall / voxel); });
  for (Chunk& chunk : mChunks) {
    mDividing.insert(mDividing.end(), chunk.dividing.begin(), chunk.dividing.end());
    std::vector<CrackSample>().swap(chunk.dividing);
  }
  mDividing.insert(mDividing.end(), mLigaments.begin(), mLigaments.end());
}

/// Calls visit(sample), sides not known yet.
template <class Visit>
void CrackSamples::forSamples(const Chunk& chunk, const Visit& visit) const {
  const SheetBand& band = *mCracks[chunk.crack].band;
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

/// The triangle of a crack within reach (voxels) of a voxel that runs side by side with the sample; -1 if
/// there is none, kNowhere if it runs across.
int32_t CrackSamples::sheetBeside(const CrackSample& sample, size_t crack, const Voxel& voxel,
                                  double reach) const {
  const SheetBand& band = *mCracks[crack].band;
  const SheetBand::Entry entry = band.at(voxel);
  if (entry.triangle < 0 || static_cast<double>(entry.distance) >= reach * mVoxel) return -1;
  const auto& [p, q, r] = band.triangle(static_cast<size_t>(entry.triangle));
  const Vec3 normal = (q - p).cross(r - p).normalized();
  return std::abs(normal.dot(sample.normal)) < kSideBySide ? kNowhere : entry.triangle;
}

/// Of sheets that run side by side the first one counts; what is between them could be on either side of
/// both.
bool CrackSamples::isDoubled(const CrackSample& sample) const {
  const Voxel voxel = nearestVoxel(sample.place);
  for (size_t c = 0; c < static_cast<size_t>(sample.crack); ++c)
    if (holds(mBoxes[c], sample.place) && sheetBeside(sample, c, voxel, kDoubled) >= 0) return true;
  return false;
}

/// The same where the wall of another sheet is beside the sample.
bool CrackSamples::comesFirst(const CrackSample& sample, const Voxel& beside, double wall) const {
  for (size_t c = 0; c < mCracks.size(); ++c) {
    const int32_t triangle = sheetBeside(sample, c, beside, wall);
    if (triangle == kNowhere) return false;
    if (triangle >= 0 &&
        std::pair(static_cast<int32_t>(c), triangle) < std::pair(sample.crack, sample.triangle))
      return false;
  }
  return true;
}

/// The part beside a sample; -1 outside of the body, kNowhere where another sheet counts.
int32_t CrackSamples::partBeside(const CrackSample& sample, double sign, const Fragments& fragments,
                                 double wall) const {
  Voxel voxel{};
  const auto partAt = [&](double extra) {
    voxel = nearestVoxel(sample.place + sign * (wall + extra) * sample.normal);
    return fragments.at(voxel);
  };
  for (const double extra : {0.1, 0.75, 1.5}) {
    const int32_t part = partAt(extra);
    if (part >= 0) return part;
  }
  if (!fragments.inBody(voxel)) return -1;
  if (!comesFirst(sample, voxel, wall)) return kNowhere;
  for (double extra = 2.25; extra <= kThrough; extra += 0.75) {
    const int32_t part = partAt(extra);
    if (part >= 0 || !fragments.inBody(voxel)) return part;
  }
  return kNowhere;
}

void CrackSamples::findSides(Chunk& chunk, const Fragments& fragments, double wall) const {
  forSamples(chunk, [&](CrackSample sample) {
    sample.front = partBeside(sample, 1.0, fragments, wall);
    sample.back = partBeside(sample, -1.0, fragments, wall);
    if (sample.front == kNowhere || sample.back == kNowhere || isDoubled(sample))
      sample.front = sample.back = kNowhere;
    chunk.box.add(sample.place);
    chunk.sides.emplace_back(sample.front, sample.back);
    if (sample.front >= 0 && sample.back >= 0 && sample.divides()) chunk.dividing.push_back(sample);
    const bool isOpen = sample.front != kNowhere && (sample.front < 0 || sample.back < 0);
    if (isOpen &&
        (chunk.open.empty() || (chunk.open.back() - sample.place).squaredNorm() > kBorrow * kBorrow))
      chunk.open.push_back(sample.place);
  });
}

void CrackSamples::settle(Span<const int32_t> names, Context& context) {
  // Blocks around samples that still divide, and around those with a side outside that they lead to.
  NearBlocks near;
  for (const CrackSample& sample : mDividing)
    if (names[sample.front] != names[sample.back]) near.add(sample.place);
  std::vector<CrackSample>().swap(mDividing);
  for (const Chunk& chunk : mChunks) near.addCandidates(chunk.open);
  near.spread();
  std::vector<CrackSample> samples, open;
  for (const Chunk& chunk : mChunks) {
    context.checkCancel();
    if (!near.mayHold(chunk.box)) continue;
    size_t index = 0;
    forSamples(chunk, [&](CrackSample sample) {
      const auto [front, back] = chunk.sides[index++];
      if (front == kNowhere || !near.holds(sample.place)) return;
      sample.front = front < 0 ? -1 : names[front];
      sample.back = back < 0 ? -1 : names[back];
      (front >= 0 && back >= 0 ? samples : open).push_back(sample);
    });
  }
  std::vector<Chunk>().swap(mChunks);
  const SampleTree sheets = mLigaments.empty() ? SampleTree() : SampleTree(samples);
  for (CrackSample& sample : mLigaments) {
    sample.front = names[sample.front];
    sample.back = names[sample.back];
    if (!sample.divides()) continue;
    const int32_t nearest = sheets.nearest(sample.place, Which::Any);
    if (nearest < 0) continue;
    sample.crack = sheets.samples()[nearest].crack;
    sample.triangle = sheets.samples()[nearest].triangle;
    samples.push_back(sample);
  }
  std::vector<CrackSample>().swap(mLigaments);
  complete(std::move(samples), std::move(open), context);
}

void CrackSamples::complete(std::vector<CrackSample> samples, std::vector<CrackSample> open,
                            const Context& context) {
  const auto outside = std::stable_partition(open.begin(), open.end(), [](const CrackSample& sample) {
    return sample.front >= 0 || sample.back >= 0;
  });
  std::vector<CrackSample> beyond(outside, open.end());
  open.erase(outside, open.end());
  mTree = SampleTree(std::move(samples));
  const auto add = [&](const std::vector<CrackSample>& found) {
    if (found.empty()) return;
    std::vector<CrackSample> all = mTree.samples();
    all.insert(all.end(), found.begin(), found.end());
    mTree = SampleTree(std::move(all));
  };
  std::vector<CrackSample> all;
  for (std::vector<CrackSample> found = takeFrom(mTree, open, context); !found.empty();
       found = takeFrom(SampleTree(std::move(found)), open, context))
    all.insert(all.end(), found.begin(), found.end());
  add(all);
  add(takeFrom(mTree, beyond, context));
}

}  // namespace hackle
