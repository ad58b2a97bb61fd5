#include <hackle/volume/segmentation.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/geometry/union_find.h>
#include <hackle/volume/level_set_grid.h>

#include <fmt/format.h>
#include <openvdb/tools/Morphology.h>
#include <openvdb/tools/Prune.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <cmath>
#include <map>

namespace hackle {

namespace {

using openvdb::Coord;
using Tree = openvdb::FloatTree;
using Leaf = Tree::LeafNodeType;
using Labels = std::array<int32_t, Leaf::SIZE>;  // of the voxels of a leaf; -1 for none

constexpr int kLeaf = static_cast<int>(Leaf::DIM);
constexpr int32_t kNone = -1;

class Segmentation {
 public:
  Segmentation(const openvdb::FloatGrid& grid, const SegmentOptions& options, Context& context)
      : mGrid(grid), mTree(grid.tree()), mOptions(options), mContext(context) {
    mTree.getNodes(mLeaves);
    for (size_t i = 0; i < mLeaves.size(); ++i) {
      pollAt(i);
      mLeafAt[mLeaves[i]->origin()] = i;
    }
  }

  Segments run(const std::string& name) {
    labelLeaves();
    if (mOptions.tiles) findTiles();
    connect();
    numberParts();
    spreadToShallow();
    Segments result;
    choose(result);
    {
      Context::Stage stage(mContext, "copy", 0.7);
      for (size_t k = 0; k < mChosen.size(); ++k) {
        result.grids.push_back(wrappedLevelSet(partGrid(k), fmt::format("{}{}", name, k)));
        mContext.advance(static_cast<double>(k + 1) / static_cast<double>(mChosen.size()));
      }
    }
    return result;
  }

 private:
  void pollAt(size_t leaf) const {
    if (leaf % 256 == 0) mContext.checkCancel();
  }
  bool seeds(float value) const { return value < 0 && value + mOptions.threshold <= 0; }

  // Step 1: parts of each leaf, and tiles ------------------------------------------------------------------

  /// Numbers the connected voxels of every leaf; numbers run on from leaf to leaf.
  void labelLeaves() {
    mLabels.resize(mLeaves.size());
    std::vector<int32_t> counts(mLeaves.size() + 1, 0);
    parallelFor(mContext, mLeaves.size(), 64,
                [&](size_t i) { counts[i + 1] = labelLeaf(*mLeaves[i], mLabels[i]); });
    for (size_t i = 0; i < mLeaves.size(); ++i) counts[i + 1] += counts[i];
    parallelFor(mContext, mLeaves.size(), 256, [&](size_t i) {
      for (int32_t& label : mLabels[i])
        if (label != kNone) label += counts[i];
    });
    mElements = counts.back();
  }

  int32_t labelLeaf(const Leaf& leaf, Labels& labels) const {
    labels.fill(kNone);
    int32_t count = 0;
    std::vector<int> stack;
    for (int i = 0; i < static_cast<int>(Leaf::SIZE); ++i) {
      if (labels[i] != kNone || !seedsAt(leaf, i)) continue;
      stack.assign(1, i);
      labels[i] = count;
      while (!stack.empty()) {
        const int at = stack.back();
        stack.pop_back();
        for (int axis = 0; axis < 3; ++axis) {
          const int step = axis == 0 ? kLeaf * kLeaf : axis == 1 ? kLeaf : 1;
          const int place = at / step % kLeaf;
          for (const int sign : {-1, 1}) {
            if (place + sign < 0 || place + sign >= kLeaf) continue;
            const int next = at + sign * step;
            if (labels[next] != kNone || !seedsAt(leaf, next)) continue;
            labels[next] = count;
            stack.push_back(next);
          }
        }
      }
      ++count;
    }
    return count;
  }

  bool seedsAt(const Leaf& leaf, int i) const {
    const openvdb::Index index = static_cast<openvdb::Index>(i);
    if (!mOptions.tiles && !leaf.isValueOn(index)) return false;
    return seeds(leaf.getValue(index));
  }

  void findTiles() {
    auto tile = mGrid.cbeginValueAll();
    tile.setMaxDepth(Tree::ValueAllCIter::LEAF_DEPTH - 1);
    for (; tile; ++tile) {
      if (!seeds(*tile)) continue;
      const openvdb::CoordBBox box = tile.getBoundingBox();
      mTileAt[box.min()] = {mElements++, box.dim().x()};
    }
  }

  struct Tile {
    int32_t element = kNone;
    int size = 0;  // voxels along an edge
  };

  // Step 2: what touches
  // -------------------------------------------------------------------------------------

  /// The part of a leaf, or the tile, that a voxel is in.
  int32_t elementAt(const Coord& at) const {
    const Coord origin(at.x() & ~(kLeaf - 1), at.y() & ~(kLeaf - 1), at.z() & ~(kLeaf - 1));
    const auto leaf = mLeafAt.find(origin);
    if (leaf != mLeafAt.end()) return mLabels[leaf->second][Leaf::coordToOffset(at)];
    for (const int size : {8, 128, 4096}) {
      const auto tile = mTileAt.find(Coord(at.x() & ~(size - 1), at.y() & ~(size - 1), at.z() & ~(size - 1)));
      if (tile != mTileAt.end() && tile->second.size >= size) return tile->second.element;
    }
    return kNone;
  }

  void connect() {
    mParts = std::make_unique<UnionFind>(static_cast<size_t>(mElements));
    for (size_t i = 0; i < mLeaves.size(); ++i) {
      pollAt(i);
      connectLeaf(i);
    }
    // What touches a tile is a leaf, which has seen it, or a tile. Of two tiles the smaller one (or either)
    // has the other as the one neighbour of its corner across that face.
    for (const auto& [origin, tile] : mTileAt)
      for (int axis = 0; axis < 3; ++axis)
        for (const int step : {-1, tile.size}) {
          Coord beside = origin;
          beside[axis] += step;
          if (mLeafAt.count(
                  Coord(beside.x() & ~(kLeaf - 1), beside.y() & ~(kLeaf - 1), beside.z() & ~(kLeaf - 1))))
            continue;
          const int32_t other = elementAt(beside);
          if (other != kNone) mParts->unite(tile.element, other);
        }
  }

  /// The six sides of a leaf.
  void connectLeaf(size_t i) {
    const Coord origin = mLeaves[i]->origin();
    for (int axis = 0; axis < 3; ++axis)
      for (const bool up : {false, true})
        for (int u = 0; u < kLeaf; ++u)
          for (int v = 0; v < kLeaf; ++v) {
            Coord at = origin;
            at[axis] += up ? kLeaf - 1 : 0;
            at[(axis + 1) % 3] += u;
            at[(axis + 2) % 3] += v;
            const int32_t own = mLabels[i][Leaf::coordToOffset(at)];
            if (own == kNone) continue;
            at[axis] += up ? 1 : -1;
            const int32_t other = elementAt(at);
            if (other != kNone) mParts->unite(own, other);
          }
  }

  /// Elements to parts, numbered in the order of their first voxels.
  void numberParts() {
    std::vector<int32_t> number(static_cast<size_t>(mElements), kNone);
    const auto partOf = [&](int32_t element) {
      int32_t& n = number[mParts->find(element)];
      if (n == kNone) n = mPartCount++;
      return n;
    };
    for (size_t i = 0; i < mLabels.size(); ++i) {
      pollAt(i);
      for (int32_t& label : mLabels[i])
        if (label != kNone) label = partOf(label);
    }
    mTileVoxels.assign(static_cast<size_t>(mElements), 0);
    for (const auto& [origin, tile] : mTileAt) {
      const uint64_t size = static_cast<uint64_t>(tile.size);
      mTileVoxels[partOf(tile.element)] += size * size * size;
    }
  }

  // Step 3: the shallow layer ------------------------------------------------------------------------------

  /// Voxels inside that did not seed join a part that they touch, diagonals included, one step at a time.
  void spreadToShallow() {
    if (mOptions.threshold <= 0) return;
    std::vector<Labels> next(mLabels.size());
    for (int step = 0; step < steps(); ++step) {
      parallelFor(mContext, mLeaves.size(), 16, [&](size_t i) {
        next[i] = mLabels[i];
        for (openvdb::Index v = 0; v < Leaf::SIZE; ++v)
          if (mLabels[i][v] == kNone && mLeaves[i]->getValue(v) < 0)
            next[i][v] = leastLabelAround(mLeaves[i]->offsetToGlobalCoord(v));
      });
      mLabels.swap(next);
    }
  }

  int32_t leastLabelAround(const Coord& at) const {
    int32_t least = kNone;
    for (int x = -1; x <= 1; ++x)
      for (int y = -1; y <= 1; ++y)
        for (int z = -1; z <= 1; ++z) {
          const Coord beside = at.offsetBy(x, y, z);
          const auto leaf = mLeafAt.find(
              Coord(beside.x() & ~(kLeaf - 1), beside.y() & ~(kLeaf - 1), beside.z() & ~(kLeaf - 1)));
          if (leaf == mLeafAt.end()) continue;
          const int32_t label = mLabels[leaf->second][Leaf::coordToOffset(beside)];
          if (label != kNone && (least == kNone || label < least)) least = label;
        }
    return least;
  }

  // Step 4: a grid for each part
  // -----------------------------------------------------------------------------

  void choose(Segments& result) {
    std::vector<uint64_t> voxels(static_cast<size_t>(mPartCount), 0);
    for (size_t k = 0; k < voxels.size(); ++k) voxels[k] = mTileVoxels[k];
    mLeavesOf.resize(voxels.size());
    for (size_t i = 0; i < mLeaves.size(); ++i) {
      pollAt(i);
      for (openvdb::Index v = 0; v < Leaf::SIZE; ++v) {
        const int32_t label = mLabels[i][v];
        if (label == kNone) {
          result.lostVoxels += mLeaves[i]->getValue(v) < 0;
          continue;
        }
        ++voxels[label];
        std::vector<size_t>& leaves = mLeavesOf[label];
        if (leaves.empty() || leaves.back() != i) leaves.push_back(i);
      }
    }
    for (size_t k = 0; k < voxels.size(); ++k) {
      if (voxels[k] < mOptions.leastVoxels || mLeavesOf[k].empty()) {
        ++result.leftOut;
        result.lostVoxels += voxels[k];
        continue;
      }
      mChosen.push_back(static_cast<int32_t>(k));
      result.voxels.push_back(voxels[k]);
    }
  }

  openvdb::FloatGrid::Ptr partGrid(size_t chosen) const {
    const int32_t part = mChosen[chosen];
    const float background = mGrid.background();
    openvdb::FloatGrid::Ptr grid = openvdb::FloatGrid::create(background);
    grid->setTransform(mGrid.transform().copy());
    // The leaves with voxels of the part, and those around them, where its outside is.
    std::map<Coord, size_t> wanted;
    for (const size_t i : mLeavesOf[part]) {
      pollAt(i);
      for (int n = 0; n < 27; ++n) {
        const Coord beside =
            mLeaves[i]->origin().offsetBy(kLeaf * (n / 9 - 1), kLeaf * (n / 3 % 3 - 1), kLeaf * (n % 3 - 1));
        const auto leaf = mLeafAt.find(beside);
        if (leaf != mLeafAt.end()) wanted.emplace(beside, leaf->second);
      }
    }
    openvdb::MaskTree near = nearPart(part);
    openvdb::tree::ValueAccessor<const openvdb::MaskTree> isNear(near);
    for (const auto& [origin, i] : wanted) {
      pollAt(i);
      auto leaf = std::make_unique<Leaf>(*mLeaves[i]);
      for (openvdb::Index v = 0; v < Leaf::SIZE; ++v) {
        if (mLabels[i][v] == part) continue;
        if (!(leaf->getValue(v) < 0) && isNear.isValueOn(leaf->offsetToGlobalCoord(v))) continue;
        leaf->setValueOff(v, background);
      }
      grid->tree().addLeaf(leaf.release());
    }
    mContext.checkCancel();
    // Leaves have the signs of all their voxels; tiles take theirs from them.
    openvdb::tools::signedFloodFillWithValues(grid->tree(), background, -background, true, 1, 1);
    openvdb::tools::pruneLevelSet(grid->tree(), background, -background);
    return grid;
  }

  /// The voxels of a part in leaves, and those within a few steps of them.
  openvdb::MaskTree nearPart(int32_t part) const {
    openvdb::MaskTree near;
    for (const size_t i : mLeavesOf[part]) {
      pollAt(i);
      openvdb::MaskTree::LeafNodeType* leaf = near.touchLeaf(mLeaves[i]->origin());
      for (openvdb::Index v = 0; v < Leaf::SIZE; ++v)
        if (mLabels[i][v] == part) leaf->setValueOn(v);
    }
    mContext.checkCancel();
    openvdb::tools::dilateActiveValues(near, steps(), openvdb::tools::NN_FACE_EDGE_VERTEX);
    return near;
  }

  /// How far the threshold reaches, in voxels.
  int steps() const { return 1 + static_cast<int>(std::lround(mOptions.threshold / mGrid.voxelSize().x())); }

  const openvdb::FloatGrid& mGrid;
  const Tree& mTree;
  const SegmentOptions& mOptions;
  Context& mContext;
  std::vector<const Leaf*> mLeaves;
  std::map<Coord, size_t> mLeafAt;  // by origin
  std::map<Coord, Tile> mTileAt;    // inside tiles by origin
  std::vector<Labels> mLabels;      // elements, then parts
  int32_t mElements = 0, mPartCount = 0;
  std::unique_ptr<UnionFind> mParts;
  std::vector<uint64_t> mTileVoxels;  // of each part
  std::vector<std::vector<size_t>> mLeavesOf;
  std::vector<int32_t> mChosen;
};

}  // namespace

Segments segmentLevelSet(const VolumeGrid& grid, const SegmentOptions& options, Context& context) {
  const openvdb::FloatGrid& levelSet = levelSetGrid(grid);
  const double voxel = levelSet.voxelSize().x();
  if (!(options.threshold >= 0 && options.threshold <= 1.0001 * voxel))
    throw Error(ErrorCode::Usage,
                fmt::format("segmentation: the threshold {} m is not between 0 and one voxel ({} m)",
                            options.threshold, voxel));
  return Segmentation(levelSet, options, context).run(grid.name());
}

}  // namespace hackle
