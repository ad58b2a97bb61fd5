// Chips: small pieces that come off the rims of larger ones.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/rough_voronoi.h>
#include <hackle/geometry/geometry.h>

#include <functional>
#include <string>

namespace hackle {

struct ChipOptions {
  double amount = 0;   // share of the length of rims that is chipped, about
  double size = 0.03;  // of chips, share of the diagonal of the solid's box
};

/// Where a piece can be chipped: convex edges of more than 40 degrees with at least one face that is not in
/// the group `inside`, sharper ones more often. The result is a partition of the piece: label 0 is what
/// stays, each higher one is a chip of about `size` (m) at a rim. Chips are as rough as `rough` says. Empty
/// sites if there are no rims, or no chip falls on them. `weight`, if given, says how likely a place is to be
/// chipped, 0 to 1.
RoughVoronoi chipPartition(const Geometry& piece, const std::string& inside, double amount, double size,
                           const std::function<double(const Vec3&)>& weight, uint64_t seed);

}  // namespace hackle
