// The parts into which cracks divide a body, on the fine grid.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/volume/sheet_band.h>

#include <cmath>
#include <functional>
#include <vector>

namespace hackle {

/// The voxel whose centre is nearest to a place (voxels).
inline Voxel nearestVoxel(const Vec3& p) {
  return {static_cast<int32_t>(std::lround(p.x())), static_cast<int32_t>(std::lround(p.y())),
          static_cast<int32_t>(std::lround(p.z()))};
}

struct FragmentOptions {
  double voxelSize = 0.01;  // m, that of the bands
  /// m, voxels nearer than this to a crack belong to no part: at least sqrt(3)/2 voxels, so that nothing
  /// slips through a sheet. What is more than that closes gaps between sheets that should have met (the
  /// threshold s of [Hahn17] ch. 6.3).
  double wall = 0.02;
};

/// Voxels inside of a closed surface as runs along columns of the grid, in the direction in which the body is
/// longest. Runs end at walls around cracks and are joined where they touch those of the four columns around.
/// So all of the inside counts, as with the tiles of [Hahn17] ch. 6.3, at a cost that goes with the number of
/// columns and of the cracks' voxels only.
class Fragments {
 public:
  Fragments(const TriangleBvh& body, Span<const SheetBand* const> cracks, const FragmentOptions& options,
            Context& context);

  /// Parts are numbered by their first run; there is at least one unless no voxel is inside.
  size_t count() const { return mVoxels.size(); }
  /// Voxels in each.
  const std::vector<uint64_t>& voxels() const { return mVoxels; }
  /// The part of a voxel, or -1: outside or in a wall.
  int32_t at(const Voxel& voxel) const;
  /// Inside of the body, in a part or a wall.
  bool inBody(const Voxel& voxel) const;

  /// Gives every part the number names[part]; numbers are 0, 1, ...
  void rename(Span<const int32_t> names);
  /// Divides a part: `regionOf(voxel, length)` is the region (0, 1, ...) of a voxel and of the `length`
  /// voxels from it on along the column; -1 makes a wall of them. Region 0 keeps the part's number, the
  /// others get count(), count() + 1, ... Returns how many those are.
  using RegionOf = std::function<int32_t(const Voxel& voxel, int32_t& length)>;
  size_t divide(int32_t part, const RegionOf& regionOf);
  /// For parts with `wanted` set: the part nearest to any of its voxels, up to `reach` voxels along each
  /// axis; -1 for others and where there is none. Of large parts some thousand voxels are looked at; places
  /// around them are `stride` voxels apart.
  std::vector<int32_t> nearestOthers(Span<const uint8_t> wanted, int32_t reach, int32_t stride) const;

  struct Run {
    int32_t first, last;  // voxels along the column
    int32_t part;         // -1 in runs of the whole body
  };
  /// Axes across columns (0, 1) and along them (2).
  size_t axis(size_t k) const { return k == 0 ? mU : k == 1 ? mV : mW; }
  /// Voxels around the body's box.
  const Voxel& low() const { return mLow; }
  const Voxel& high() const { return mHigh; }
  /// Runs of the column at these coordinates across, ascending: those of parts, and those of the body with
  /// walls and all.
  Span<const Run> runs(int32_t u, int32_t v) const { return runsIn(mRuns, mFirstRun, u, v); }
  Span<const Run> bodyRuns(int32_t u, int32_t v) const { return runsIn(mBodyRuns, mFirstBodyRun, u, v); }

 private:
  Span<const Run> runsIn(const std::vector<Run>& runs, const std::vector<size_t>& first, int32_t u,
                         int32_t v) const;
  size_t columnOf(int32_t u, int32_t v) const;
  void findRuns(const TriangleBvh& body, Context& context);
  void takeWalls(Span<const SheetBand* const> cracks);
  void joinRuns(Context& context);
  Voxel voxelAt(size_t column, int32_t w) const;

  FragmentOptions mOptions;
  size_t mU = 0, mV = 1, mW = 2;  // axes: of the grid of columns, and along them
  Voxel mLow{}, mHigh{};          // of the body's box
  std::vector<Run> mRuns;
  std::vector<size_t> mFirstRun;  // by column
  std::vector<Run> mBodyRuns;     // before walls were taken out
  std::vector<size_t> mFirstBodyRun;
  std::vector<uint64_t> mVoxels;
};

}  // namespace hackle
