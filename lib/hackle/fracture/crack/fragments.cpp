#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/fragments.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace hackle {

namespace {

/// Where a ray is inside of a closed surface, as parts of its length; false if its crossings do not match.
bool insideRanges(const TriangleBvh& body, const Ray& ray, double tolerance,
                  std::vector<std::pair<double, double>>& ranges) {
  ranges.clear();
  int winding = 0;
  double lastT = -1, start = 0;
  bool lastFront = false;
  for (const RayHit& hit : body.allHits(ray)) {
    if (hit.front == lastFront && hit.t - lastT <= tolerance) continue;  // a shared edge
    lastT = hit.t;
    lastFront = hit.front;
    const int before = winding;
    winding += hit.front ? 1 : -1;
    if (before == 0 && winding == 1) start = hit.t;
    if (before == 1 && winding == 0) ranges.emplace_back(start, hit.t);
    if (winding < 0) return false;
  }
  return winding == 0;
}

}  // namespace

Fragments::Fragments(const TriangleBvh& body, Span<const SheetBand* const> cracks,
                     const FragmentOptions& options, Context& context)
    : mOptions(options) {
  const Box3 box = body.bounds();
  if (box.empty()) throw Error(ErrorCode::BadInput, "there is no surface to find fragments in");
  Eigen::Index longest;
  box.size().maxCoeff(&longest);
  mW = static_cast<size_t>(longest);
  mU = (mW + 1) % 3;
  mV = (mW + 2) % 3;
  for (size_t k = 0; k < 3; ++k) {
    const Eigen::Index i = static_cast<Eigen::Index>(k);
    mLow[k] = static_cast<int32_t>(std::floor(box.min[i] / options.voxelSize)) - 1;
    mHigh[k] = static_cast<int32_t>(std::ceil(box.max[i] / options.voxelSize)) + 1;
  }
  findRuns(body, context);
  takeWalls(cracks);
  joinRuns(context);
}

size_t Fragments::columnOf(int32_t u, int32_t v) const {
  return static_cast<size_t>(v - mLow[mV]) * static_cast<size_t>(mHigh[mU] - mLow[mU] + 1) +
         static_cast<size_t>(u - mLow[mU]);
}

void Fragments::findRuns(const TriangleBvh& body, Context& context) {
  const size_t width = static_cast<size_t>(mHigh[mU] - mLow[mU] + 1);
  const size_t columns = width * static_cast<size_t>(mHigh[mV] - mLow[mV] + 1);
  const double voxel = mOptions.voxelSize;
  constexpr size_t kGrain = 256;
  std::vector<std::vector<std::pair<size_t, Run>>> found((columns + kGrain - 1) / kGrain);
  parallelRanges(context, columns, kGrain, [&](size_t begin, size_t end) {
    std::vector<std::pair<double, double>> ranges;
    for (size_t c = begin; c < end; ++c) {
      // Slightly off the voxels' centres: models like to have their edges at round coordinates.
      for (int attempt = 1; attempt <= 4; ++attempt) {
        Ray ray;
        ray.origin[static_cast<Eigen::Index>(mU)] =
            (mLow[mU] + static_cast<double>(c % width) + 0.0037 * attempt) * voxel;
        ray.origin[static_cast<Eigen::Index>(mV)] =
            (mLow[mV] + static_cast<double>(c / width) + 0.0061 * attempt) * voxel;
        ray.origin[static_cast<Eigen::Index>(mW)] = mLow[mW] * voxel;
        ray.direction = voxel * Vec3::Unit(static_cast<Eigen::Index>(mW));
        if (insideRanges(body, ray, 1e-7, ranges)) break;
      }
      for (const auto& [from, to] : ranges) {
        const int32_t first = mLow[mW] + static_cast<int32_t>(std::ceil(from));
        const int32_t last = mLow[mW] + static_cast<int32_t>(std::floor(to));
        if (first <= last) found[begin / kGrain].push_back({c, {first, last, -1}});
      }
    }
  });
  mFirstRun.assign(columns + 1, 0);
  for (const auto& group : found)
    for (const auto& [column, run] : group) {
      ++mFirstRun[column + 1];
      mRuns.push_back(run);
    }
  for (size_t c = 0; c < columns; ++c) mFirstRun[c + 1] += mFirstRun[c];
}

void Fragments::takeWalls(Span<const SheetBand* const> cracks) {
  // Wall voxels by column and height, without repeats.
  std::vector<std::pair<size_t, int32_t>> walls;
  for (const SheetBand* crack : cracks)
    crack->forEach([&](const Voxel& voxel, const SheetBand::Entry& entry) {
      if (static_cast<double>(entry.distance) >= mOptions.wall) return;
      if (voxel[mU] < mLow[mU] || voxel[mU] > mHigh[mU] || voxel[mV] < mLow[mV] || voxel[mV] > mHigh[mV])
        return;
      walls.emplace_back(columnOf(voxel[mU], voxel[mV]), voxel[mW]);
    });
  std::sort(walls.begin(), walls.end());
  std::vector<Run> runs;
  std::vector<size_t> firstRun{0};
  size_t wall = 0;
  for (size_t c = 0; c + 1 < mFirstRun.size(); ++c) {
    const size_t begin = wall;
    while (wall < walls.size() && walls[wall].first == c) ++wall;
    for (size_t r = mFirstRun[c]; r < mFirstRun[c + 1]; ++r) {
      int32_t from = mRuns[r].first;
      for (size_t i = begin; i < wall; ++i) {
        const int32_t at = walls[i].second;
        if (at < from || at > mRuns[r].last) continue;
        if (from < at) runs.push_back({from, at - 1, -1});
        from = at + 1;
      }
      if (from <= mRuns[r].last) runs.push_back({from, mRuns[r].last, -1});
    }
    firstRun.push_back(runs.size());
  }
  mBodyRuns = std::exchange(mRuns, std::move(runs));
  mFirstBodyRun = std::exchange(mFirstRun, std::move(firstRun));
}

void Fragments::joinRuns(Context& context) {
  UnionFind parts(mRuns.size());
  const size_t width = static_cast<size_t>(mHigh[mU] - mLow[mU] + 1);
  const size_t columns = mFirstRun.size() - 1;
  const auto join = [&](size_t a, size_t b) {
    size_t i = mFirstRun[a], j = mFirstRun[b];
    while (i < mFirstRun[a + 1] && j < mFirstRun[b + 1]) {
      if (mRuns[i].first <= mRuns[j].last && mRuns[j].first <= mRuns[i].last)
        parts.unite(static_cast<int32_t>(i), static_cast<int32_t>(j));
      (mRuns[i].last < mRuns[j].last ? i : j) += 1;
    }
  };
  for (size_t c = 0; c < columns; ++c) {
    if (c % 65536 == 0) context.checkCancel();
    if ((c + 1) % width != 0) join(c, c + 1);
    if (c + width < columns) join(c, c + width);
  }
  std::vector<int32_t> name(mRuns.size(), -1);
  for (size_t r = 0; r < mRuns.size(); ++r) {
    int32_t& part = name[static_cast<size_t>(parts.find(static_cast<int32_t>(r)))];
    if (part < 0) {
      part = static_cast<int32_t>(mVoxels.size());
      mVoxels.push_back(0);
    }
    mRuns[r].part = part;
    mVoxels[static_cast<size_t>(part)] += static_cast<uint64_t>(mRuns[r].last - mRuns[r].first + 1);
  }
}

int32_t Fragments::at(const Voxel& voxel) const {
  if (voxel[mU] < mLow[mU] || voxel[mU] > mHigh[mU] || voxel[mV] < mLow[mV] || voxel[mV] > mHigh[mV])
    return -1;
  const size_t c = columnOf(voxel[mU], voxel[mV]);
  for (size_t r = mFirstRun[c]; r < mFirstRun[c + 1]; ++r)
    if (mRuns[r].first <= voxel[mW] && voxel[mW] <= mRuns[r].last) return mRuns[r].part;
  return -1;
}

bool Fragments::inside(const Voxel& voxel) const {
  if (voxel[mU] < mLow[mU] || voxel[mU] > mHigh[mU] || voxel[mV] < mLow[mV] || voxel[mV] > mHigh[mV])
    return false;
  const size_t c = columnOf(voxel[mU], voxel[mV]);
  for (size_t r = mFirstBodyRun[c]; r < mFirstBodyRun[c + 1]; ++r)
    if (mBodyRuns[r].first <= voxel[mW] && voxel[mW] <= mBodyRuns[r].last) return true;
  return false;
}

}  // namespace hackle
