#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/volume/level_set.h>
#include <hackle/volume/level_set_grid.h>

#include <openvdb/tools/Composite.h>
#include <openvdb/tools/FastSweeping.h>
#include <openvdb/tools/Prune.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <tbb/parallel_for.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace hackle {

using openvdb::FloatGrid;

const FloatGrid& levelSetGrid(const VolumeGrid& grid) {
  const openvdb::GridBase& base = vdbGrid(grid).grid();
  const FloatGrid* levelSet = dynamic_cast<const FloatGrid*>(&base);
  if (!levelSet || base.getGridClass() != openvdb::GRID_LEVEL_SET)
    throw Error(ErrorCode::BadInput,
                "the grid \"" + grid.name() + "\" is not a level set of floats but a " + grid.gridClass() +
                    " of " + grid.valueType(),
                "make a level set of a closed surface with sdf");
  if (!(levelSet->background() > 0))
    throw Error(ErrorCode::BadInput, "the level set \"" + grid.name() + "\" is inside where it has no voxels",
                "its background value must be positive");
  return *levelSet;
}

VolumePtr wrappedLevelSet(FloatGrid::Ptr grid, const std::string& name) {
  grid->setGridClass(openvdb::GRID_LEVEL_SET);
  grid->setName(name);
  return std::make_shared<VdbGrid>(grid);
}

namespace {

/// Asks whether a run is cancelled while OpenVDB works, which does not ask, and then stops its loops.
class CancelWatch {
 public:
  CancelWatch(const Context& context, tbb::task_group_context& loops)
      : mThread([this, &context, &loops] {
          std::unique_lock<std::mutex> lock(mMutex);
          while (!mEnd.wait_for(lock, kInterval, [this] { return mDone; }))
            if (context.cancelled()) loops.cancel_group_execution();
        }) {}
  ~CancelWatch() {
    {
      const std::lock_guard<std::mutex> lock(mMutex);
      mDone = true;
    }
    mEnd.notify_all();
    mThread.join();
  }

 private:
  static constexpr std::chrono::milliseconds kInterval{20};
  std::mutex mMutex;
  std::condition_variable mEnd;
  bool mDone = false;
  std::thread mThread;
};

}  // namespace

void runVdb(Context& context, const std::function<void()>& work) {
  context.checkCancel();
  try {
    // Two ranges, so that the loop enters the arena of the context's threads.
    parallelRanges(context, 2, 1, [&](size_t begin, size_t) {
      if (begin != 0) return;
      tbb::task_group_context loops;
      const CancelWatch watch(context, loops);
      tbb::parallel_for(
          0, 1, [&](int) { work(); }, loops);
    });
  } catch (const openvdb::Exception& e) {
    throw Error(ErrorCode::Failed, std::string("OpenVDB: ") + e.what());
  }
  context.checkCancel();
}

namespace {

/// Signs spread over tiles only: leaves have those of all their voxels.
constexpr openvdb::Index kAboveLeaves = 1;

}  // namespace

bool anyInside(const FloatGrid& grid) {
  for (auto voxel = grid.cbeginValueAll(); voxel; ++voxel)
    if (*voxel < 0) return true;
  return false;
}

FloatGrid::Ptr renormalised(const FloatGrid& grid, ExactSide exact, Context& context) {
  Context::Stage stage(context, "renormalise");
  const float background = grid.background();
  FloatGrid::Ptr solved = FloatGrid::create(background);
  if (anyInside(grid)) {
    runVdb(context, [&] { solved = openvdb::tools::sdfToSdf(grid); });
    HACKLE_ASSERT(solved != nullptr);
  }
  solved->setTransform(grid.transform().copy());
  std::vector<openvdb::FloatTree::LeafNodeType*> leaves;
  solved->tree().getNodes(leaves);
  parallelFor(context, leaves.size(), 64, [&](size_t i) {
    const auto* given = grid.tree().probeConstLeaf(leaves[i]->origin());
    for (auto voxel = leaves[i]->beginValueAll(); voxel; ++voxel) {
      const bool keep = exact == ExactSide::Outside  ? *voxel > 0
                        : exact == ExactSide::Inside ? *voxel < 0
                                                     : false;
      if (keep && given && given->isValueOn(voxel.pos())) voxel.setValue(given->getValue(voxel.pos()));
      if (voxel.isValueOn() && std::abs(*voxel) < background) continue;
      voxel.setValue(*voxel < 0 ? -background : background);
      voxel.setValueOff();
    }
  });
  context.checkCancel();
  openvdb::tools::signedFloodFillWithValues(solved->tree(), background, -background, true, 1, kAboveLeaves);
  context.checkCancel();
  openvdb::tools::pruneLevelSet(solved->tree(), background, -background);
  return solved;
}

VolumePtr renormalisedLevelSet(const VolumeGrid& grid, Context& context) {
  return wrappedLevelSet(renormalised(levelSetGrid(grid), ExactSide::None, context), grid.name());
}

bool sameVoxels(const VolumeGrid& a, const VolumeGrid& b) {
  return vdbGrid(a).grid().transform() == vdbGrid(b).grid().transform();
}

VolumePtr combinedLevelSets(const VolumeGrid& a, const VolumeGrid& b, SolidBoolean operation,
                            Context& context) {
  const FloatGrid &first = levelSetGrid(a), &second = levelSetGrid(b);
  if (!sameVoxels(a, b) || first.background() != second.background())
    throw Error(ErrorCode::BadInput,
                "the level sets \"" + a.name() + "\" and \"" + b.name() + "\" have different voxels",
                "make both with the same voxel size and band");
  FloatGrid::Ptr result;
  runVdb(context, [&] {
    switch (operation) {
      case SolidBoolean::Union:
        result = openvdb::tools::csgUnionCopy(first, second);
        break;
      case SolidBoolean::Intersection:
        result = openvdb::tools::csgIntersectionCopy(first, second);
        break;
      case SolidBoolean::Difference:
        result = openvdb::tools::csgDifferenceCopy(first, second);
        break;
    }
  });
  // The smaller of two distances is the distance from both solids together, outside; the larger one that from
  // their common boundary, inside.
  const ExactSide exact = operation == SolidBoolean::Union ? ExactSide::Outside : ExactSide::Inside;
  return wrappedLevelSet(renormalised(*result, exact, context), a.name());
}

double levelSetVolume(const VolumeGrid& grid, Context& context) {
  const FloatGrid& levelSet = levelSetGrid(grid);
  const double size = levelSet.voxelSize().x();
  const auto share = [&](double value) { return std::min(1.0, std::max(0.0, 0.5 - value / size)); };
  std::vector<const openvdb::FloatTree::LeafNodeType*> leaves;
  levelSet.tree().getNodes(leaves);
  double voxels = parallelReduce(
      context, leaves.size(), 64, 0.0,
      [&](size_t begin, size_t end) {
        double sum = 0;
        for (size_t i = begin; i < end; ++i)
          for (auto voxel = leaves[i]->cbeginValueAll(); voxel; ++voxel) sum += share(*voxel);
        return sum;
      },
      std::plus<double>());
  auto tile = levelSet.cbeginValueAll();
  tile.setMaxDepth(openvdb::FloatTree::ValueAllCIter::LEAF_DEPTH - 1);
  for (; tile; ++tile)
    if (*tile < 0) voxels += static_cast<double>(tile.getVoxelCount());
  return voxels * std::abs(levelSet.transform().voxelVolume());
}

}  // namespace hackle
