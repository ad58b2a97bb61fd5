// An order of elimination for the matrix of a surface, from the places of its unknowns.
#pragma once

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <vector>

namespace hackle {

/// Unknowns that are coupled to each other, such as those of a face; unused places are -1.
using CoupledUnknowns = std::array<int32_t, 6>;

/// Nested dissection [George73] by place: halves are cut at the median along their longest axis. On surfaces,
/// whose matrices are often factorised only once, this takes a small part of the time of dissection by graph.
std::vector<int32_t> eliminationOrder(const std::vector<Eigen::Vector3d>& places,
                                      const std::vector<CoupledUnknowns>& coupled);

}  // namespace hackle
