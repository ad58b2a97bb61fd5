#include <hackle/geometry/place_check.h>

#include <hackle/core/error.h>

#include <fmt/format.h>

namespace hackle {

void checkPlace(const Box3& bounds) {
  // Neighbouring numbers are 2e-16 of their size apart: at this distance 1e-4 of the solid's.
  constexpr double kFarthest = 1e12;                 // sizes of the solid
  constexpr double kLargest = 1e50, kLeast = 1e-50;  // m; products of six lengths are finite and not zero
  if (bounds.empty() || !bounds.min.allFinite() || !bounds.max.allFinite()) return;
  const double size = bounds.size().stableNorm(), distance = bounds.centre().stableNorm();
  if (size > kLargest || (size > 0 && size < kLeast))
    throw Error(ErrorCode::BadInput, fmt::format("the solid is {:.3g} m large", size),
                "scale it to metres with the operator transform");
  if (size > 0 && distance > kFarthest * size)
    throw Error(ErrorCode::BadInput,
                fmt::format("the solid is {:.3g} m large and {:.3g} m from the origin: coordinates there are "
                            "too coarse for it",
                            size, distance),
                "move it to the origin in the program that made it");
}

}  // namespace hackle
