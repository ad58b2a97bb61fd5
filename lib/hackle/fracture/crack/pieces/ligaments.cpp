#include <hackle/fracture/crack/pieces/ligaments.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

namespace hackle {

namespace {

constexpr int32_t kOutside = -1, kNearCrack = -2;  // cells that belong to no core
constexpr int16_t kWall = -3;                      // of voxels next to a smooth face
constexpr double kHalfWall = 0.9;  // voxels: a little more than half the diagonal, so that no face leaks
// Neighbours across the faces of a voxel.
constexpr std::array<std::array<int32_t, 3>, 6> kBeside{
    {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};

Voxel moved(const Voxel& v, const std::array<int32_t, 3>& by) {
  return {v[0] + by[0], v[1] + by[1], v[2] + by[2]};
}

class LigamentFinder {
 public:
  LigamentFinder(Fragments& fragments, const LigamentOptions& options, Context& context)
      : mFragments(fragments),
        mOptions(options),
        mContext(context),
        mShift(shiftOf(options.width)),
        mSize(1 << mShift) {
    size_t count = 1;
    for (size_t k = 0; k < 3; ++k) {
      mCells[k] = ((fragments.high()[k] - fragments.low()[k]) >> mShift) + 1;
      mStride[k] = count;
      count *= static_cast<size_t>(mCells[k]);
    }
    mPart.assign(count, kOutside);
    mVolume.assign(count, 0);
  }

  BrokenLigaments run(Span<const SheetBand* const> cracks) {
    fillCells();
    takeCracks(cracks);
    mContext.checkCancel();
    findCores();
    for (size_t part = 0, count = mFragments.count(); part < count; ++part)
      if (mCores[part].size() > 1) mResult.parts += divide(static_cast<int32_t>(part));
    return std::move(mResult);
  }

 private:
  size_t cellAt(const Voxel& v) const {
    size_t cell = 0;
    for (size_t k = 0; k < 3; ++k) cell += along(k, v[k]) * mStride[k];
    return cell;
  }
  size_t along(size_t axis, int32_t at) const {
    return static_cast<size_t>((at - mFragments.low()[axis]) >> mShift);
  }
  /// A power of two near a quarter of the width.
  static int32_t shiftOf(double width) {
    int32_t shift = 1;
    while (shift < 12 && 1.4 * (1 << shift) < width / 4) ++shift;
    return shift;
  }
  bool holds(const Voxel& v) const {
    for (size_t k = 0; k < 3; ++k)
      if (v[k] < mFragments.low()[k] || v[k] > mFragments.high()[k]) return false;
    return true;
  }
  /// Visits runs with the cells that they pass through: part, column's voxel, first and last along it, cell.
  template <class Visit>
  void forEachStretch(const Visit& visit) const {
    const size_t u = mFragments.axis(0), v = mFragments.axis(1), w = mFragments.axis(2);
    Voxel at;
    for (at[v] = mFragments.low()[v]; at[v] <= mFragments.high()[v]; ++at[v])
      for (at[u] = mFragments.low()[u]; at[u] <= mFragments.high()[u]; ++at[u])
        for (const Fragments::Run& run : mFragments.runs(at[u], at[v])) {
          const size_t column = along(u, at[u]) * mStride[u] + along(v, at[v]) * mStride[v];
          for (int32_t from = run.first; from <= run.last;) {
            const size_t cell = along(w, from);
            const int32_t end = mFragments.low()[w] + static_cast<int32_t>((cell + 1) << mShift);
            const int32_t to = std::min(run.last, end - 1);
            at[w] = from;
            visit(run.part, at, to - from + 1, column + cell * mStride[w]);
            from = to + 1;
          }
        }
  }

  void fillCells() {
    forEachStretch([&](int32_t part, const Voxel&, int32_t length, size_t cell) {
      mPart[cell] = mPart[cell] == kOutside || mPart[cell] == part ? part : kNearCrack;
      mVolume[cell] += static_cast<uint32_t>(length);
    });
  }

  void takeCracks(Span<const SheetBand* const> cracks) {
    std::vector<uint16_t> cracked(mPart.size(), 0);
    for (const SheetBand* crack : cracks)
      crack->forEach([&](const Voxel& voxel, const SheetBand::Entry& entry) {
        if (static_cast<double>(entry.distance) < mOptions.wall * crack->voxelSize() && holds(voxel))
          cracked[cellAt(voxel)] = 1;
      });
    forEachPair([&](size_t a, size_t b) {
      if (cracked[a]) mPart[b] = mPart[b] == kOutside ? kOutside : kNearCrack;
      if (cracked[b]) mPart[a] = mPart[a] == kOutside ? kOutside : kNearCrack;
    });
    for (size_t c = 0; c < cracked.size(); ++c)
      if (cracked[c] && mPart[c] != kOutside) mPart[c] = kNearCrack;
  }

  /// Visits pairs of cells that share a face.
  template <class Visit>
  void forEachPair(const Visit& visit) const {
    std::array<int32_t, 3> c;
    size_t cell = 0;
    for (c[2] = 0; c[2] < mCells[2]; ++c[2])
      for (c[1] = 0; c[1] < mCells[1]; ++c[1])
        for (c[0] = 0; c[0] < mCells[0]; ++c[0], ++cell)
          for (size_t k = 0; k < 3; ++k)
            if (c[k] + 1 < mCells[k]) visit(cell, cell + mStride[k]);
  }

  /// Connected cells away from cracks that are large enough, by part.
  void findCores() {
    // Cells of parts in order, a small share of the box: mCore has their places in the list at first.
    std::vector<size_t> cells;
    mCore.assign(mPart.size(), -1);
    for (size_t c = 0; c < mPart.size(); ++c) {
      if (mPart[c] < 0) continue;
      mCore[c] = static_cast<int32_t>(cells.size());
      cells.push_back(c);
    }
    UnionFind sets(cells.size());
    forEachPair([&](size_t a, size_t b) {
      if (mPart[a] >= 0 && mPart[a] == mPart[b]) sets.unite(mCore[a], mCore[b]);
    });
    std::vector<uint64_t> volume(cells.size(), 0);
    for (size_t i = 0; i < cells.size(); ++i) volume[sets.find(static_cast<int32_t>(i))] += mVolume[cells[i]];
    const double least = 8 * mOptions.width * mOptions.width * mOptions.width;
    mCores.resize(mFragments.count());
    for (size_t i = 0; i < cells.size(); ++i) {
      int32_t& core = mCore[cells[i]];
      const size_t root = static_cast<size_t>(sets.find(static_cast<int32_t>(i)));
      core = -1;
      if (static_cast<double>(volume[root]) < least) continue;
      std::vector<uint64_t>& cores = mCores[mPart[cells[i]]];
      if (root == i) cores.push_back(volume[root]);
      core = root == i ? static_cast<int32_t>(cores.size()) - 1 : mCore[cells[root]];
    }
  }

  // Growing the cores of a part --------------------------------------------------------------------------

  /// Voxels of the part that are in no core, in blocks of a cell each: -1 elsewhere, -2 not reached yet,
  /// kWall.
  struct Rest {
    std::vector<int32_t> block;  // by cell
    std::vector<int16_t> core;
  };
  size_t inBlock(const Voxel& v) const {
    size_t i = 0;
    for (size_t k = 3; k-- > 0;)
      i = (i << mShift) + static_cast<size_t>((v[k] - mFragments.low()[k]) & (mSize - 1));
    return i;
  }
  int16_t* restAt(Rest& rest, const Voxel& v) const {
    const int32_t block = rest.block[cellAt(v)];
    if (block < 0) return nullptr;
    const size_t side = static_cast<size_t>(mSize);
    return &rest.core[static_cast<size_t>(block) * side * side * side + inBlock(v)];
  }

  size_t divide(int32_t part) {
    Rest rest;
    rest.block.assign(mPart.size(), -1);
    const size_t w = mFragments.axis(2), side = static_cast<size_t>(mSize);
    int32_t blocks = 0;
    forEachStretch([&](int32_t of, const Voxel& at, int32_t length, size_t cell) {
      if (of != part || isCore(cell, part)) return;
      if (rest.block[cell] < 0) {
        rest.block[cell] = blocks++;
        rest.core.resize(static_cast<size_t>(blocks) * side * side * side, -1);
      }
      Voxel v = at;
      for (int32_t i = 0; i < length; ++i, ++v[w]) *restAt(rest, v) = -2;
    });
    grow(rest, part);
    smooth(rest, part);
    return mFragments.divide(part, [&](const Voxel& v, int32_t& length) {
      const size_t cell = cellAt(v);
      const int32_t ahead = mSize - ((v[w] - mFragments.low()[w]) & (mSize - 1));
      if (isCore(cell, part)) {
        length = ahead;
        return mCore[cell];
      }
      length = 1;
      const int16_t core = *restAt(rest, v);
      return core == kWall ? -1 : std::max<int32_t>(0, core);
    });
  }
  bool isCore(size_t cell, int32_t part) const { return mPart[cell] == part && mCore[cell] >= 0; }

  void grow(Rest& rest, int32_t part) const {
    std::vector<Voxel> front, next;
    // Voxels beside a core, in the order of blocks' cells.
    forEachStretch([&](int32_t of, const Voxel& at, int32_t length, size_t cell) {
      if (of != part || rest.block[cell] < 0) return;
      Voxel v = at;
      for (int32_t i = 0; i < length; ++i, ++v[mFragments.axis(2)])
        for (const auto& by : kBeside) {
          const Voxel other = moved(v, by);
          if (!holds(other)) continue;
          const size_t beside = cellAt(other);
          if (beside == cell || !isCore(beside, part) || mFragments.at(other) != part) continue;
          *restAt(rest, v) = static_cast<int16_t>(std::min(mCore[beside], 32767));
          front.push_back(v);
          break;
        }
    });
    while (!front.empty()) {
      mContext.checkCancel();
      next.clear();
      for (const Voxel& v : front) {
        const int16_t core = *restAt(rest, v);
        for (const auto& by : kBeside) {
          const Voxel other = moved(v, by);
          int16_t* there = holds(other) ? restAt(rest, other) : nullptr;
          if (!there || *there != -2) continue;
          *there = core;
          next.push_back(other);
        }
      }
      front.swap(next);
    }
  }

  // Smooth faces between the regions ---------------------------------------------------------------------

  /// The region of a voxel of the part; -1 elsewhere and in a wall.
  int32_t regionAt(Rest& rest, int32_t part, const Voxel& v) const {
    if (!holds(v) || mFragments.at(v) != part) return -1;
    const size_t cell = cellAt(v);
    if (isCore(cell, part)) return mCore[cell];
    const int16_t core = *restAt(rest, v);
    return core == kWall ? -1 : std::max<int32_t>(0, core);
  }

  /// Voxels near the face between two regions, with a value that is positive in the first one.
  struct Band {
    std::vector<Voxel> voxels;
    std::vector<std::array<int32_t, 6>> beside;  // places in the band, or kPlus, kMinus, kNone
    std::vector<float> value;
    float at(int32_t i, float otherwise) const {
      return i >= 0 ? value[i] : i == kPlus ? 1.0f : i == kMinus ? -1.0f : otherwise;
    }
    static constexpr int32_t kPlus = -1, kMinus = -2, kNone = -3;
  };

  void smooth(Rest& rest, int32_t part) {
    // Pairs of regions that meet, in order, with the voxels where they do.
    std::map<std::pair<int32_t, int32_t>, std::vector<Voxel>> meetings;
    forEachStretch([&](int32_t of, const Voxel& at, int32_t length, size_t cell) {
      if (of != part || rest.block[cell] < 0) return;
      Voxel v = at;
      for (int32_t i = 0; i < length; ++i, ++v[mFragments.axis(2)]) {
        const int32_t own = regionAt(rest, part, v);
        for (const auto& by : kBeside) {
          const int32_t other = regionAt(rest, part, moved(v, by));
          if (other >= 0 && other != own) meetings[std::minmax(own, other)].push_back(v);
        }
      }
    });
    for (const auto& [pair, voxels] : meetings) {
      mContext.checkCancel();
      Band band = bandAround(rest, part, pair, voxels);
      diffuse(band);
      addFace(rest, part, pair, band);
    }
  }

  Band bandAround(Rest& rest, int32_t part, const std::pair<int32_t, int32_t>& pair,
                  const std::vector<Voxel>& start) {
    const int32_t reach = 3 * mSize;
    Band band;
    std::unordered_map<uint64_t, int32_t> place;
    const auto keyOf = [&](const Voxel& v) {
      uint64_t key = 0;
      for (size_t k = 0; k < 3; ++k) key = key << 21 | static_cast<uint64_t>(v[k] - mFragments.low()[k]);
      return key;
    };
    const auto add = [&](const Voxel& v) {
      if (place.emplace(keyOf(v), static_cast<int32_t>(band.voxels.size())).second) band.voxels.push_back(v);
    };
    const auto inRest = [&](const Voxel& v) {
      const int32_t region = regionAt(rest, part, v);
      return (region == pair.first || region == pair.second) && rest.block[cellAt(v)] >= 0;
    };
    for (const Voxel& v : start)
      if (inRest(v)) add(v);
    for (size_t begin = 0, step = 0; step < static_cast<size_t>(reach); ++step) {
      const size_t end = band.voxels.size();
      for (; begin < end; ++begin)
        for (const auto& by : kBeside) {
          const Voxel other = moved(band.voxels[begin], by);
          if (inRest(other)) add(other);
        }
    }
    for (const Voxel& v : band.voxels) {
      band.value.push_back(regionAt(rest, part, v) == pair.first ? 1.0f : -1.0f);
      std::array<int32_t, 6>& beside = band.beside.emplace_back();
      for (size_t k = 0; k < 6; ++k) {
        const Voxel other = moved(v, kBeside[k]);
        const int32_t region = regionAt(rest, part, other);
        const auto found = place.find(keyOf(other));
        beside[k] = region == pair.first ? Band::kPlus : region == pair.second ? Band::kMinus : Band::kNone;
        if (region >= 0 && found != place.end()) beside[k] = found->second;
      }
    }
    return band;
  }

  void diffuse(Band& band) const {
    std::vector<float> next(band.value.size());
    for (int32_t step = 0; step < 6 * mSize * mSize; ++step) {
      mContext.checkCancel();
      for (size_t i = 0; i < next.size(); ++i) {
        const float own = band.value[i];
        float sum = 0;
        for (const int32_t n : band.beside[i]) sum += band.at(n, own);
        next[i] = 0.5f * own + sum / 12;
      }
      band.value.swap(next);
    }
  }

  static Vec3 gradient(const Band& band, size_t i) {
    const float own = band.value[i];
    Vec3 g;
    for (int k = 0; k < 3; ++k) {
      const int32_t up = band.beside[i][2 * static_cast<size_t>(k)],
                    down = band.beside[i][2 * static_cast<size_t>(k) + 1];
      const double span = (up != Band::kNone) + (down != Band::kNone);
      g[k] = span > 0 ? static_cast<double>(band.at(up, own) - band.at(down, own)) / span : 0.0;
    }
    return g;
  }

  /// Regions by the sign of the smooth value, a wall next to where it is 0, and samples there.
  void addFace(Rest& rest, int32_t part, const std::pair<int32_t, int32_t>& pair, const Band& band) {
    const auto nameOf = [&](int32_t region) {
      return region == 0 ? part : static_cast<int32_t>(mFragments.count()) + region - 1;
    };
    for (size_t i = 0; i < band.voxels.size(); ++i) {
      const double value = static_cast<double>(band.value[i]);
      const Vec3 slope = gradient(band, i);
      int16_t& region = *restAt(rest, band.voxels[i]);
      region = static_cast<int16_t>(value > 0 ? pair.first : pair.second);
      if (std::abs(value) < kHalfWall * slope.norm()) region = kWall;
      for (const size_t axis : {size_t{0}, size_t{1}, size_t{2}}) {
        const int32_t other = band.beside[i][2 * axis];
        if (other < 0) continue;
        const double there = static_cast<double>(band.value[other]);
        if ((value > 0) == (there > 0)) continue;
        const Vec3 mean = slope + gradient(band, static_cast<size_t>(other));
        Eigen::Index steepest = 0;
        mean.cwiseAbs().maxCoeff(&steepest);
        if (!(mean.norm() > 0) || static_cast<size_t>(steepest) != axis) continue;
        CrackSample sample{};
        sample.place = Vec3(band.voxels[i][0], band.voxels[i][1], band.voxels[i][2]) +
                       value / (value - there) * Vec3::Unit(steepest);
        sample.normal = mean.normalized();
        sample.front = nameOf(pair.first);
        sample.back = nameOf(pair.second);
        sample.area = static_cast<float>(1 / std::abs(sample.normal[steepest]));
        mResult.samples.push_back(sample);
      }
    }
  }

  Fragments& mFragments;
  LigamentOptions mOptions;
  Context& mContext;
  int32_t mShift, mSize;                      // of a cell: its binary logarithm, voxels
  std::array<size_t, 3> mStride{};            // between cells along each axis
  std::array<int32_t, 3> mCells{};            // along each axis
  std::vector<int32_t> mPart;                 // by cell
  std::vector<uint32_t> mVolume;              // by cell, voxels
  std::vector<int32_t> mCore;                 // by cell: number of the core in its part, or -1
  std::vector<std::vector<uint64_t>> mCores;  // volumes, by part
  BrokenLigaments mResult;
};

}  // namespace

BrokenLigaments breakLigaments(Fragments& fragments, Span<const SheetBand* const> cracks,
                               const LigamentOptions& options, Context& context) {
  return LigamentFinder(fragments, options, context).run(cracks);
}

}  // namespace hackle
