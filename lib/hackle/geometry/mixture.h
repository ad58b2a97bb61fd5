// Attributes of new elements, mixed from those of old ones.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <array>
#include <vector>

namespace hackle {

/// An element of the result as a mixture of up to three elements of the source; none gives default values.
struct Mixture {
  std::array<int32_t, 3> sources{-1, -1, -1};
  std::array<double, 3> weights{0, 0, 0};

  static Mixture copyOf(int32_t source) { return {{source, -1, -1}, {1, 0, 0}}; }
  /// (1 - t) a + t b. Of more than three sources the heaviest three stay.
  static Mixture between(const Mixture& a, const Mixture& b, double t);

  bool isCopy() const { return sources[0] >= 0 && sources[1] < 0; }
  /// The source of the largest weight: integers and text are not mixed.
  int32_t main() const {
    size_t best = 0;
    for (size_t k = 1; k < 3; ++k)
      if (sources[k] >= 0 && weights[k] > weights[best]) best = k;
    return sources[best];
  }
};

/// The attribute with mixtures.size() elements. Copies are exact; normals keep unit length.
Attribute mixed(const Attribute& source, const std::vector<Mixture>& mixtures);
Attribute mixed(const Attribute& source, const std::vector<Mixture>& mixtures, Context& context);

/// Adds all attributes and groups of one owner to `result`, which has mixtures.size() elements of it. A
/// mixture is in a group if all that it is mixed from are; ordered groups keep the order of their members.
void carryAttributes(const Geometry& source, Owner owner, const std::vector<Mixture>& mixtures,
                     Geometry& result);
void carryAttributes(const Geometry& source, Owner owner, const std::vector<Mixture>& mixtures,
                     Geometry& result, Context& context);

}  // namespace hackle
