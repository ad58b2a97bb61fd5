// The shape along which a body is cut by an initial crack: a plane, or heights over one.
#pragma once

#include <hackle/fracture/crack/growth/initial_crack.h>
#include <hackle/geometry/bvh.h>

#include <optional>
#include <string>

namespace hackle {

/// Seen along its mean normal a sheet is a region of the plane; its heights go on beyond its rim as they are
/// there. Sheets that are off a plane by less than 1e-3 of their size are planes.
class CutShape {
 public:
  /// `rim` is the sheet's, in order; `name` is for errors. Error(BadInput) for a sheet that cannot be seen
  /// whole along its mean normal: parts that are turned away from it by more than 78 degrees, or that cover
  /// others.
  CutShape(const InitialSheet& sheet, const std::vector<Vec3>& rim, const std::string& name,
           Context& context);

  bool planar() const { return !mTree; }
  Vec2 project(const Vec3& p) const { return {(p - mOrigin).dot(mU), (p - mOrigin).dot(mV)}; }
  Vec3 lift(const Vec2& p) const;
  /// Above the sheet, m, along its mean normal.
  double height(const Vec3& p) const;
  /// Where the segment from a to b meets the sheet, 0 to 1. Heights of both have opposite signs.
  double crossing(const Vec3& a, const Vec3& b) const;

 private:
  void checkVisible(const InitialSheet& sheet, const std::vector<Vec3>& rim, const std::string& name) const;

  Vec3 mOrigin = Vec3::Zero();
  Vec3 mU = Vec3::UnitX(), mV = Vec3::UnitY(), mNormal = Vec3::UnitZ();  // right-handed
  std::vector<Triangle> mTriangles;
  std::vector<double> mHeights;      // m, of the sheet's points
  std::optional<TriangleBvh> mTree;  // of the sheet in the plane
};

/// The rim of a curved sheet with edges of about `edge`: corners stay, what is between them is divided
/// evenly.
std::vector<Vec3> evenRim(const std::vector<Vec3>& rim, double edge);

}  // namespace hackle
