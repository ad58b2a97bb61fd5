// Where two bodies touch: not the few points of a rigid-body engine, but the area that both share.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <functional>
#include <vector>

namespace hackle {

/// A convex polygon in the plane of a contact.
struct ContactPatch {
  std::vector<Vec3> corners;   // m, in the world, counter-clockwise about the normal; two of a line
  double area = 0;             // m^2
  Vec3 centre = Vec3::Zero();  // of the area
};

/// One of the two bodies: points of its surface in the world. Without points it goes on for ever.
using SurfacePoints = std::vector<Vec3>;

/// The hull of what both bodies have within `reach` (m) of the plane through `position`, clipped against each
/// other. Where they share no area, the patch has none: it is a line, as of an edge on a face or of two feet,
/// or the place `position`.
ContactPatch contactPatch(const SurfacePoints& a, const SurfacePoints& b, const Vec3& position,
                          const Vec3& normal, double reach);

/// A place of the patch and its share of the load.
struct PatchSample {
  Vec3 position = Vec3::Zero();
  double share = 1;
};

/// Places over the patch whose shares add up to 1, with the load's centre at `centre` (m) as far as a
/// pressure that is linear over the patch and nowhere negative can have it. Places where the hull of the
/// patch does not touch the body, as between feet, are moved to its corners if `touches` says so. One place
/// for a patch without corners.
std::vector<PatchSample> patchSamples(const ContactPatch& patch, const Vec3& centre, const Vec3& normal,
                                      const std::function<bool(const Vec3&)>& touches = {});

}  // namespace hackle
