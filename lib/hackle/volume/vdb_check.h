// A look through an OpenVDB file before OpenVDB reads it. Internal to volume/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

struct CheckedVdb {
  /// What OpenVDB may read: the file without the grids that we leave out and without the hints for delayed
  /// loading.
  std::string bytes;
  std::vector<std::string> skipped;  // names of grids of points
};

/// OpenVDB believes every length that it finds: it allocates what a damaged file asks for and writes past
/// the end of its buffers. So all lengths, counts, masks and coordinates are checked here first. Knows format
/// versions 222 (OpenVDB 2, 2013) and later, and grids of numbers, vectors, booleans and masks in the usual
/// 5-4-3 tree. Throws Error(BadInput) with the byte.
CheckedVdb checkVdb(std::string_view bytes);

}  // namespace hackle
