#include <hackle/core/error.h>
#include <hackle/fracture/crack/pieces/fragments.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace hackle {

namespace {

/// Where columns of a grid cross a triangle. Coordinates across the columns are rounded to a fixed point, and
/// a column on an edge belongs to one of the triangles there: every column crosses a closed surface as often
/// inwards as outwards.
class ColumnCrossings {
 public:
  struct Crossing {
    uint32_t column;
    bool enters;  // the body, along the column
    double at;    // along the column, voxels
  };
  /// Columns are at whole coordinates u in [0, width), v in [0, height).
  ColumnCrossings(int64_t width, int64_t height) : mWidth(width), mHeight(height) {
    while (std::max(width, height) >> (30 - mBits) != 0 && mBits > 2) --mBits;
  }

  /// Corners are (u, v, w) in voxels, counter-clockwise seen from outside.
  void add(const std::array<Vec3, 3>& t, std::vector<Crossing>& crossings) const {
    std::array<int64_t, 3> u, v;
    for (size_t k = 0; k < 3; ++k) {
      u[k] = fixed(t[k][0]);
      v[k] = fixed(t[k][1]);
    }
    const int64_t area = (u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]);
    if (area == 0) return;
    const bool enters = area < 0;  // the outside looks down the column
    std::array<size_t, 3> k{0, 1, 2};
    if (enters) std::swap(k[1], k[2]);
    const auto [lowU, highU] = std::minmax({u[0], u[1], u[2]});
    const auto [lowV, highV] = std::minmax({v[0], v[1], v[2]});
    const int64_t one = int64_t{1} << mBits;
    const int64_t firstU = std::max<int64_t>(0, (lowU + one - 1) >> mBits),
                  lastU = std::min(mWidth - 1, highU >> mBits);
    const int64_t firstV = std::max<int64_t>(0, (lowV + one - 1) >> mBits),
                  lastV = std::min(mHeight - 1, highV >> mBits);
    const double scale = 1.0 / static_cast<double>(std::abs(area));
    std::array<int64_t, 3> du, dv, bias;
    for (size_t e = 0; e < 3; ++e) {
      du[e] = u[k[(e + 1) % 3]] - u[k[e]];
      dv[e] = v[k[(e + 1) % 3]] - v[k[e]];
      bias[e] = dv[e] > 0 || (dv[e] == 0 && du[e] < 0) ? 0 : 1;
    }
    for (int64_t row = firstV; row <= lastV; ++row)
      for (int64_t column = firstU; column <= lastU; ++column) {
        std::array<int64_t, 3> side;
        bool inside = true;
        for (size_t e = 0; e < 3; ++e) {
          side[e] = du[e] * ((row << mBits) - v[k[e]]) - dv[e] * ((column << mBits) - u[k[e]]);
          inside &= side[e] >= bias[e];
        }
        if (!inside) continue;
        // Each edge's side is the weight of the corner across.
        double w = 0;
        for (size_t e = 0; e < 3; ++e) w += static_cast<double>(side[e]) * t[k[(e + 2) % 3]][2];
        crossings.push_back({static_cast<uint32_t>(row * mWidth + column), enters, w * scale});
      }
  }

 private:
  int64_t fixed(double x) const { return std::llround(std::ldexp(x, mBits)); }
  int64_t mWidth, mHeight;
  int mBits = 16;
};

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
  context.checkCancel();
  takeWalls(cracks);
  joinRuns(context);
}

size_t Fragments::columnOf(int32_t u, int32_t v) const {
  return static_cast<size_t>(v - mLow[mV]) * static_cast<size_t>(mHigh[mU] - mLow[mU] + 1) +
         static_cast<size_t>(u - mLow[mU]);
}

void Fragments::findRuns(const TriangleBvh& body, Context& context) {
  const size_t width = static_cast<size_t>(mHigh[mU] - mLow[mU] + 1);
  const size_t height = static_cast<size_t>(mHigh[mV] - mLow[mV] + 1);
  const size_t columns = width * height;
  const double voxel = mOptions.voxelSize;
  const auto axis = [](size_t k) { return static_cast<Eigen::Index>(k); };
  // Columns are slightly off the voxels' centres: models like to have their edges at round coordinates.
  const auto placed = [&](const Vec3& relative) {
    const Vec3 p = (relative + body.origin()) / voxel;
    return Vec3(p[axis(mU)] - mLow[mU] - 0.0037, p[axis(mV)] - mLow[mV] - 0.0061, p[axis(mW)]);
  };
  const ColumnCrossings columnCrossings(static_cast<int64_t>(width), static_cast<int64_t>(height));
  std::vector<ColumnCrossings::Crossing> crossings;
  const auto& triangles = body.leafTriangles();
  for (size_t t = 0; t < triangles.size(); ++t) {
    if (t % 1024 == 0) context.checkCancel();
    columnCrossings.add({placed(triangles[t].a), placed(triangles[t].b), placed(triangles[t].c)}, crossings);
  }
  // By column, then along it.
  std::vector<uint32_t> starts(columns + 1, 0);
  for (const auto& crossing : crossings) ++starts[crossing.column + 1];
  for (size_t c = 0; c < columns; ++c) starts[c + 1] += starts[c];
  std::vector<std::pair<double, bool>> sorted(crossings.size());
  std::vector<uint32_t> filled(starts.begin(), starts.end() - 1);
  for (const auto& crossing : crossings) sorted[filled[crossing.column]++] = {crossing.at, crossing.enters};
  mFirstRun.assign(columns + 1, 0);
  for (size_t c = 0; c < columns; ++c) {
    std::sort(sorted.begin() + starts[c], sorted.begin() + starts[c + 1], [](const auto& a, const auto& b) {
      return a.first < b.first || (a.first == b.first && a.second && !b.second);
    });
    int depth = 0;
    for (size_t i = starts[c]; i < starts[c + 1]; ++i) {
      depth += sorted[i].second ? 1 : -1;
      if (depth <= 0 || i + 1 == starts[c + 1]) continue;
      const int32_t first = static_cast<int32_t>(std::ceil(sorted[i].first));
      const int32_t last = static_cast<int32_t>(std::floor(sorted[i + 1].first));
      if (first > last) continue;
      if (mRuns.size() > mFirstRun[c] && mRuns.back().last + 1 >= first)
        mRuns.back().last = last;  // nested shells
      else
        mRuns.push_back({first, last, -1});
    }
    mFirstRun[c + 1] = mRuns.size();
  }
}

void Fragments::takeWalls(Span<const SheetBand* const> cracks) {
  // Wall voxels by column, then height.
  std::vector<std::pair<uint32_t, int32_t>> walls;
  for (const SheetBand* crack : cracks)
    crack->forEach([&](const Voxel& voxel, const SheetBand::Entry& entry) {
      if (static_cast<double>(entry.distance) >= mOptions.wall) return;
      if (voxel[mU] < mLow[mU] || voxel[mU] > mHigh[mU] || voxel[mV] < mLow[mV] || voxel[mV] > mHigh[mV])
        return;
      walls.emplace_back(static_cast<uint32_t>(columnOf(voxel[mU], voxel[mV])), voxel[mW]);
    });
  std::vector<uint32_t> starts(mFirstRun.size(), 0);
  for (const auto& [column, at] : walls) ++starts[column + 1];
  for (size_t c = 0; c + 1 < starts.size(); ++c) starts[c + 1] += starts[c];
  std::vector<int32_t> heights(walls.size());
  std::vector<uint32_t> filled(starts.begin(), starts.end() - 1);
  for (const auto& [column, at] : walls) heights[filled[column]++] = at;
  std::vector<Run> runs;
  std::vector<size_t> firstRun{0};
  firstRun.reserve(mFirstRun.size());
  for (size_t c = 0; c + 1 < mFirstRun.size(); ++c) {
    std::sort(heights.begin() + starts[c], heights.begin() + starts[c + 1]);
    for (size_t r = mFirstRun[c]; r < mFirstRun[c + 1]; ++r) {
      int32_t from = mRuns[r].first;
      for (size_t i = starts[c]; i < starts[c + 1]; ++i) {
        if (heights[i] < from || heights[i] > mRuns[r].last) continue;
        if (from < heights[i]) runs.push_back({from, heights[i] - 1, -1});
        from = heights[i] + 1;
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
    int32_t& part = name[parts.find(static_cast<int32_t>(r))];
    if (part < 0) {
      part = static_cast<int32_t>(mVoxels.size());
      mVoxels.push_back(0);
    }
    mRuns[r].part = part;
    mVoxels[part] += static_cast<uint64_t>(mRuns[r].last - mRuns[r].first + 1);
  }
}

void Fragments::rename(Span<const int32_t> names) {
  std::vector<uint64_t> voxels;
  for (size_t p = 0; p < mVoxels.size(); ++p) {
    const size_t name = static_cast<size_t>(names[p]);
    if (name >= voxels.size()) voxels.resize(name + 1, 0);
    voxels[name] += mVoxels[p];
  }
  mVoxels = std::move(voxels);
  for (Run& run : mRuns) run.part = names[run.part];
}

size_t Fragments::divide(int32_t part, const RegionOf& regionOf) {
  const size_t before = mVoxels.size();
  std::vector<Run> runs;
  std::vector<size_t> firstRun{0};
  firstRun.reserve(mFirstRun.size());
  for (size_t c = 0; c + 1 < mFirstRun.size(); ++c) {
    for (size_t r = mFirstRun[c]; r < mFirstRun[c + 1]; ++r) {
      const Run& run = mRuns[r];
      if (run.part != part) {
        runs.push_back(run);
        continue;
      }
      for (int32_t from = run.first; from <= run.last;) {
        int32_t length = 1;
        const int32_t region = regionOf(voxelAt(c, from), length);
        const int32_t to = std::min(run.last, from + length - 1);
        if (region < 0) {
          mVoxels[part] -= static_cast<uint64_t>(to - from + 1);
          from = to + 1;
          continue;
        }
        const int32_t name = region == 0 ? part : static_cast<int32_t>(before) + region - 1;
        if (static_cast<size_t>(name) >= mVoxels.size()) mVoxels.resize(static_cast<size_t>(name) + 1, 0);
        if (name != part) {
          mVoxels[part] -= static_cast<uint64_t>(to - from + 1);
          mVoxels[name] += static_cast<uint64_t>(to - from + 1);
        }
        if (from > run.first && runs.size() > firstRun.back() && runs.back().part == name &&
            runs.back().last == from - 1)
          runs.back().last = to;
        else
          runs.push_back({from, to, name});
        from = to + 1;
      }
    }
    firstRun.push_back(runs.size());
  }
  mRuns = std::move(runs);
  mFirstRun = std::move(firstRun);
  return mVoxels.size() - before;
}

std::vector<int32_t> Fragments::nearestOthers(Span<const uint8_t> wanted, int32_t reach,
                                              int32_t stride) const {
  constexpr uint64_t kLooks = 4096;  // voxels of a part that look around: enough to find its neighbours
  std::vector<int32_t> best(mVoxels.size(), -1), least(mVoxels.size(), INT32_MAX);
  std::vector<uint64_t> seen(mVoxels.size(), 0);
  const auto look = [&](size_t part, const Voxel& from) {
    if (seen[part]++ % (mVoxels[part] / kLooks + 1) != 0) return;
    for (int32_t z = -reach; z <= reach; z += stride)
      for (int32_t y = -reach; y <= reach; y += stride)
        for (int32_t x = -reach; x <= reach; x += stride) {
          const int32_t square = x * x + y * y + z * z;
          if (square >= least[part]) continue;
          const int32_t other = at({from[0] + x, from[1] + y, from[2] + z});
          if (other < 0 || static_cast<size_t>(other) == part) continue;
          best[part] = other;
          least[part] = square;
        }
  };
  for (size_t c = 0; c + 1 < mFirstRun.size(); ++c)
    for (size_t r = mFirstRun[c]; r < mFirstRun[c + 1]; ++r) {
      const size_t part = static_cast<size_t>(mRuns[r].part);
      for (int32_t w = mRuns[r].first; w <= mRuns[r].last && wanted[part]; ++w) look(part, voxelAt(c, w));
    }
  return best;
}

Voxel Fragments::voxelAt(size_t column, int32_t w) const {
  const size_t width = static_cast<size_t>(mHigh[mU] - mLow[mU] + 1);
  Voxel voxel;
  voxel[mU] = mLow[mU] + static_cast<int32_t>(column % width);
  voxel[mV] = mLow[mV] + static_cast<int32_t>(column / width);
  voxel[mW] = w;
  return voxel;
}

Span<const Fragments::Run> Fragments::runsIn(const std::vector<Run>& runs, const std::vector<size_t>& first,
                                             int32_t u, int32_t v) const {
  if (u < mLow[mU] || u > mHigh[mU] || v < mLow[mV] || v > mHigh[mV]) return {};
  const size_t c = columnOf(u, v);
  return {runs.data() + first[c], first[c + 1] - first[c]};
}

int32_t Fragments::at(const Voxel& voxel) const {
  for (const Run& run : runs(voxel[mU], voxel[mV]))
    if (run.first <= voxel[mW] && voxel[mW] <= run.last) return run.part;
  return -1;
}

bool Fragments::inBody(const Voxel& voxel) const {
  for (const Run& run : bodyRuns(voxel[mU], voxel[mV]))
    if (run.first <= voxel[mW] && voxel[mW] <= run.last) return true;
  return false;
}

}  // namespace hackle
