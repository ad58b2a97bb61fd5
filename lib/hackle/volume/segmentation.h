// The connected parts of a level set.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/volume_grid.h>

#include <vector>

namespace hackle {

struct SegmentOptions {
  /// Over-segmentation threshold s (m), 0 to one voxel: parts that are connected only by material thinner
  /// than about 2 s come apart, without loss of detail elsewhere [Hahn17] ch. 6.3.
  double threshold = 0.0;
  /// Whether constant tiles in the inside connect what they touch. Without them only the voxels of the band
  /// do, and cracks that lie deep inside count for nothing.
  bool tiles = true;
  /// Parts with fewer voxels inside are left out.
  size_t leastVoxels = 1;
};

struct Segments {
  /// Level sets `name0`, `name1`, ... in the order of their first voxels (x before y before z by tree node).
  std::vector<VolumePtr> grids;
  std::vector<uint64_t> voxels;  // inside each, tiles counted in full
  size_t leftOut = 0;            // parts that were too small
  uint64_t lostVoxels = 0;       // inside, but in no part: crumbs, and what the threshold took away
};

/// Parts of the inside of a level set that are connected by faces of voxels, which is how surfaces connect
/// them too; [Hahn17] listing 1 also goes along diagonals. Tiles are handled as wholes, whatever sizes meet.
///
/// With a threshold, voxels deeper than s seed the parts. Shallower ones go to the part that they touch
/// within 1 + s / voxel steps (the nearest, then the first), so that no voxel is in two parts; the listing
/// copies those between two parts to both. Values inside a part, and outside within as many steps of it, are
/// those of the input, so its surface is unchanged; beyond, all is outside.
///
/// Error(Usage) for a threshold outside of 0 to one voxel; Error(BadInput) for other grids than level sets.
Segments segmentLevelSet(const VolumeGrid& grid, const SegmentOptions& options, Context& context);

}  // namespace hackle
