// Surfaces and laws for tests of the boundary operators.
#pragma once

#include "shapes.h"

#include <hackle/bem/operators.h>

#include <map>

namespace hackle {

/// A sphere of 20 * 4^levels triangles.
inline BemSurface icosphere(int levels, double radius = 1) {
  const double t = 0.5 * (1 + std::sqrt(5.0));
  std::vector<Vec3> points = {{-1, t, 0},  {1, t, 0},  {-1, -t, 0}, {1, -t, 0}, {0, -1, t},  {0, 1, t},
                              {0, -1, -t}, {0, 1, -t}, {t, 0, -1},  {t, 0, 1},  {-t, 0, -1}, {-t, 0, 1}};
  std::vector<Triangle> triangles = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                     {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                     {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                     {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  for (int level = 0; level < levels; ++level) {
    std::map<Edge, int32_t> middles;
    const auto middle = [&](int32_t a, int32_t b) {
      const auto [at, isNew] =
          middles.try_emplace({std::min(a, b), std::max(a, b)}, static_cast<int32_t>(points.size()));
      if (isNew) points.push_back(points[a] + points[b]);
      return at->second;
    };
    std::vector<Triangle> finer;
    for (const Triangle& old : triangles) {
      const int32_t a = middle(old[0], old[1]), b = middle(old[1], old[2]), c = middle(old[2], old[0]);
      finer.insert(finer.end(), {{old[0], a, c}, {old[1], b, a}, {old[2], c, b}, {a, b, c}});
    }
    triangles = finer;
    for (Vec3& p : points) p.normalize();
  }
  for (Vec3& p : points) p = radius * p.normalized();
  return {points, triangles};
}

/// Field u = G x and its tractions.
struct PatchField {
  Eigen::MatrixXd u, q;
  PatchField(const BemSurface& surface, const ElasticMaterial& material, const Mat3& gradient) {
    u.resize(static_cast<Eigen::Index>(3 * surface.nodeCount()), 1);
    q.resize(static_cast<Eigen::Index>(3 * surface.triangleCount()), 1);
    for (size_t i = 0; i < surface.nodeCount(); ++i)
      u.middleRows<3>(static_cast<Eigen::Index>(3 * i)) = gradient * surface.point(i);
    for (size_t t = 0; t < surface.triangleCount(); ++t)
      q.middleRows<3>(static_cast<Eigen::Index>(3 * t)) = stressOf(material, gradient) * surface.normal(t);
  }
};

inline Mat3 someGradient() {
  Mat3 g;
  g << 0.3, -0.2, 0.5, 0.1, 0.7, -0.4, 0.25, 0.6, -0.9;
  return g;
}

/// Relative residuals of V q = (½ M + K) u and D u = (½ Mᵀ − Kᵀ) q.
struct PatchResiduals {
  double displacement, traction;
};
inline PatchResiduals patchTest(const BemSurface& surface, const ElasticMaterial& material,
                                const QuadratureOptions& options, Context& context) {
  const HatSpace hats = nodeSpace(surface);
  const PatchField field(surface, material, someGradient());
  OperatorProducts p;
  p.q = field.q;
  p.u = field.u;
  assemble(surface, material, options, {}, {&p, 1}, context);
  const Eigen::MatrixXd first = 0.5 * massTimesHats(surface, hats, field.u) + p.Ku - p.Vq;
  const Eigen::MatrixXd second = 0.5 * massTimesTriangles(surface, hats, field.q) - p.KTq - p.Du;
  return {first.norm() / p.Vq.norm(), second.norm() / p.Du.norm()};
}

}  // namespace hackle
