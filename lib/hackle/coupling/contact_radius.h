// How round bodies are where they touch, remembered: contacts of a pile come back to the same places.
#pragma once

#include <hackle/fracture/solid.h>

#include <array>
#include <map>
#include <optional>

namespace hackle {

class ContactRadii {
 public:
  /// m, of the surface around a place of the rest frame; not set where it is flat or hollow. The place is
  /// rounded to parts of triangles that are small against the reach of the fit, so that what was asked
  /// before does not change the answer. Always for the same solid.
  std::optional<double> at(const Solid& solid, const Vec3& place);

 private:
  std::map<std::array<int32_t, 3>, double> mCurvatures;  // 1/m, by triangle and part of it
};

}  // namespace hackle
