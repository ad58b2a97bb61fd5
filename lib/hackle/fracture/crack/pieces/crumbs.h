// Parts that are too small to be pieces of their own.
#pragma once

#include <hackle/fracture/crack/pieces/crack_samples.h>

#include <limits>

namespace hackle {

struct CrumbOptions {
  double smallest = 64.0;                            // voxels: parts of less volume join a neighbour
  double wall = 1.4;                                 // voxels between a sheet and the parts beside it
  size_t most = std::numeric_limits<size_t>::max();  // parts that stay: beyond that the smallest join others
};

/// A new number for each part, 0, 1, ... in the order of the old ones: crumbs, smallest first, join the
/// neighbour with which they share most of their border. So do parts between sheets that leave less than a
/// voxel between their walls, and parts that no sheet divides from the one next to them (necks of the body
/// that are thinner than a voxel). What
/// is more than `most` parts then joins others in the same way.
/// The samples are not settled yet.
std::vector<int32_t> joinCrumbs(const Fragments& fragments, const CrackSamples& samples,
                                const CrumbOptions& options);

}  // namespace hackle
