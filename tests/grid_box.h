// The surface of a box as boundary elements like it: a regular grid on every side.
#pragma once

#include <hackle/geometry/triangle_mesh.h>

#include <array>
#include <map>
#include <utility>

namespace hackle {

/// A box around the origin whose sides are n by n rectangles, in two triangles each.
inline TriangleMesh gridBox(const Vec3& size, int n) {
  TriangleMesh mesh;
  std::map<std::array<int, 3>, int32_t> known;
  const auto node = [&](const std::array<int, 3>& v) {
    const auto [found, isNew] = known.emplace(v, static_cast<int32_t>(mesh.points.size()));
    if (isNew)
      mesh.points.edit().push_back(size.cwiseProduct(Vec3(v[0], v[1], v[2]) / n - Vec3::Constant(0.5)));
    return found->second;
  };
  for (size_t axis = 0; axis < 3; ++axis)
    for (const int at : {0, n})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto corner = [&](int a, int b) {
            std::array<int, 3> v{};
            v[axis] = at;
            v[(axis + 1) % 3] = i + a;
            v[(axis + 2) % 3] = j + b;
            return node(v);
          };
          int32_t c[4] = {corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)};
          if (at == 0) std::swap(c[1], c[3]);
          mesh.triangles.edit().push_back({c[0], c[1], c[2]});
          mesh.triangles.edit().push_back({c[0], c[2], c[3]});
        }
  return mesh;
}

}  // namespace hackle
