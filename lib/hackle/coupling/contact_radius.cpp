#include <hackle/coupling/contact_radius.h>

#include <hackle/mechanics/contact.h>

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

// Of the diagonal: the reach of the fit, as for impacts that people give.
constexpr double kReach = 0.05;
// Longest side of the parts of triangles, in reaches.
constexpr double kPart = 0.5;
// A curvature times the diagonal below which a surface is flat.
constexpr double kFlat = 1e-3;

/// Triangles are divided into n^2 parts; this is the one with a point: its corner (i, j), and 1 if it is
/// turned the other way.
struct Part {
  int32_t i = 0, j = 0, turned = 0;
};

Part partOf(const std::array<Vec3, 3>& c, const Vec3& point, int32_t n) {
  Eigen::Matrix<double, 3, 2> sides;
  sides.col(0) = c[1] - c[0];
  sides.col(1) = c[2] - c[0];
  const Eigen::Matrix2d gram = sides.transpose() * sides;
  if (n == 1 || !(gram.determinant() > 0)) return {};
  const Eigen::Vector2d at = static_cast<double>(n) * (gram.inverse() * (sides.transpose() * (point - c[0])));
  Part part;
  part.i = static_cast<int32_t>(std::clamp(std::floor(at[0]), 0.0, n - 1.0));
  part.j = static_cast<int32_t>(std::clamp(std::floor(at[1]), 0.0, n - 1.0 - part.i));
  const bool onBorder = part.i + part.j == n - 1;
  part.turned = !onBorder && at[0] - part.i + at[1] - part.j > 1 ? 1 : 0;
  return part;
}

}  // namespace

std::optional<double> ContactRadii::at(const Solid& solid, const Vec3& place) {
  const ClosestPoint closest = solid.bvh.closestPoint(place);
  if (closest.triangle < 0) return std::nullopt;
  const double diagonal = solid.bvh.bounds().diagonal(), reach = kReach * diagonal;
  const Triangle& t = solid.mesh.triangles[closest.triangle];
  const std::array<Vec3, 3> c{solid.mesh.points[t[0]], solid.mesh.points[t[1]], solid.mesh.points[t[2]]};
  const double length = std::max({(c[1] - c[0]).norm(), (c[2] - c[1]).norm(), (c[0] - c[2]).norm()});
  const auto n = static_cast<int32_t>(std::max(1.0, std::ceil(length / (kPart * reach))));
  const Part part = partOf(c, closest.point, n);
  const auto [entry, isNew] =
      mCurvatures.try_emplace({closest.triangle, part.i, 2 * part.j + part.turned}, 0);
  if (isNew) {
    const double inset = (part.turned ? 2 : 1) / 3.0;
    const Vec3 middle = c[0] + (part.i + inset) / n * (c[1] - c[0]) + (part.j + inset) / n * (c[2] - c[0]);
    entry->second = surfaceCurvature(solid.mesh, solid.bvh, middle, reach);
  }
  return entry->second * diagonal > kFlat ? std::optional<double>(1 / entry->second) : std::nullopt;
}

}  // namespace hackle
