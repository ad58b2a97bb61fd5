// Small vectors. Eigen's fixed sizes, by their house names.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <array>
#include <cstdint>
#include <limits>

namespace hackle {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

using Edge = std::array<int32_t, 2>;
using Triangle = std::array<int32_t, 3>;
using Tetrahedron = std::array<int32_t, 4>;

/// Axis-aligned box; empty until something is added.
struct Box3 {
  Vec3 min = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 max = Vec3::Constant(-std::numeric_limits<double>::infinity());

  bool empty() const { return !(min.x() <= max.x()); }
  void add(const Vec3& p) {
    min = min.cwiseMin(p);
    max = max.cwiseMax(p);
  }
  void add(const Box3& b) {
    min = min.cwiseMin(b.min);
    max = max.cwiseMax(b.max);
  }
  Vec3 centre() const { return 0.5 * (min + max); }
  Vec3 size() const { return empty() ? Vec3(0, 0, 0) : Vec3(max - min); }
  double diagonal() const { return size().norm(); }
};

}  // namespace hackle
