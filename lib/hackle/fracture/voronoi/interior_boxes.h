// Boxes that cover a solid, so that points inside it are found where it fills little of its bounding box.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/random.h>
#include <hackle/geometry/winding_number.h>

#include <vector>

namespace hackle {

/// Disjoint boxes without gaps around the inside of a closed surface. A uniform point of them that is inside
/// the surface is uniform in the solid.
class InteriorBoxes {
 public:
  /// The bounding box alone where the solid fills a hundredth of it; `volume` is the solid's.
  InteriorBoxes(const TriangleBvh& bvh, const WindingNumber& inside, double volume, Context& context);

  Vec3 point(Random& random) const;
  size_t count() const { return mBoxes.size(); }
  /// Of all boxes.
  double volume() const { return mSums.back(); }

 private:
  std::vector<Box3> mBoxes;
  std::vector<double> mSums;  // volumes, each with those before
};

}  // namespace hackle
