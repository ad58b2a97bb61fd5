#include "bem_checks.h"

#include <hackle/bem/evaluation.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

const ElasticMaterial kMaterial{2.5, 0.3, 1.0};

/// Points inside, down to `nearest` of an element off the middle, an edge and a corner of a triangle.
std::vector<Vec3> pointsInside(const BemSurface& surface, double nearest) {
  std::vector<Vec3> points = {{0.1, 0.2, -0.3}, {0.5, 0.1, 0.2}};
  for (size_t t : {size_t{0}, size_t{7}, size_t{33}})
    for (const Vec3& b : {Vec3(1.0 / 3, 1.0 / 3, 1.0 / 3), Vec3(0.5, 0.5, 0), Vec3(0.999, 0.0005, 0.0005),
                          Vec3(0.2, 0.7999, 0.0001)}) {
      const Vec3 at = b[0] * surface.corner(t, 0) + b[1] * surface.corner(t, 1) + b[2] * surface.corner(t, 2);
      for (double off : {0.3, 1e-2, nearest})
        points.push_back(at - off * surface.size(t) * surface.normal(t));
    }
  return points;
}

TEST(BemEvaluation, LinearFieldIsExactUpToTheSurface) {
  Context context;
  const BemSurface surface = icosphere(1);
  const HatSpace hats = nodeSpace(surface);
  const PatchField patch(surface, kMaterial, someGradient());
  const BoundaryField field(surface, kMaterial, hats, patch.u, patch.q);
  // Rounding grows as a point comes near to an edge, in the derivatives first
  for (const auto& [nearest, close] : {std::pair(1e-3, 1e-9), std::pair(1e-6, 1e-4)}) {
    const std::vector<Vec3> points = pointsInside(surface, nearest);
    const std::vector<Vec3> u = field.displacements(points, context);
    const std::vector<Mat3> gradients = field.gradients(points, context);
    const std::vector<Mat3> stresses = field.stresses(points, context);
    for (size_t i = 0; i < points.size(); ++i) {
      EXPECT_LT((u[i] - someGradient() * points[i]).norm(), 1e-5 * close + 1e-12) << i;
      EXPECT_LT((gradients[i] - someGradient()).norm(), close) << i;
      EXPECT_LT((stresses[i] - stressOf(kMaterial, someGradient())).norm(), close) << i;
    }
  }
  const std::vector<Vec3> outside = {{2, 0, 0}, {0, 1.01, 0}};
  for (const Vec3& far : field.displacements(outside, context)) EXPECT_LT(far.norm(), 1e-12);
}

TEST(BemEvaluation, GradientIsThatOfTheDisplacement) {
  // Any data, whether it belongs together or not
  Context context;
  const BemSurface surface = icosphere(1);
  const Eigen::VectorXd u = Eigen::VectorXd::Random(static_cast<Eigen::Index>(3 * surface.nodeCount()));
  const Eigen::VectorXd q = Eigen::VectorXd::Random(static_cast<Eigen::Index>(3 * surface.triangleCount()));
  const HatSpace hats = nodeSpace(surface);
  const BoundaryField field(surface, kMaterial, hats, u, q);
  const Vec3 x(0.3, -0.4, 0.5);
  const Mat3 gradient = field.gradients({&x, 1}, context)[0];
  const double step = 1e-5;
  for (int k = 0; k < 3; ++k) {
    const std::vector<Vec3> around = {x + step * Vec3::Unit(k), x - step * Vec3::Unit(k)};
    const std::vector<Vec3> moved = field.displacements(around, context);
    EXPECT_LT(((moved[0] - moved[1]) / (2 * step) - gradient.col(k)).norm(), 1e-8);
  }
}

TEST(BemEvaluation, SurfaceStressIsExactForUniformStress) {
  const BemSurface surface(triangleMesh(shapes::torus(9, 5)));
  const PatchField patch(surface, kMaterial, someGradient());
  for (const Mat3& stress : surfaceStresses(surface, kMaterial, patch.u, patch.q))
    EXPECT_LT((stress - stressOf(kMaterial, someGradient())).norm(), 1e-12);
}

TEST(BemEvaluation, SheetsOpenByTheirJump) {
  // A square sheet with one free node: the mean on both sides, and the jump between them
  Context context;
  const std::vector<Vec3> points = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}, {0, 0, 0}};
  const std::vector<Triangle> triangles = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}};
  const BemSurface surface(points, triangles);
  const int32_t node = 4;
  const HatSpace hats = nodeSpace(surface, {&node, 1});
  const Vec3 jump(0.2, -0.1, 0.5);
  const BoundaryField field(surface, kMaterial, hats, jump, Eigen::VectorXd::Zero(12));
  const std::vector<Vec3> sides = {{0, 0, 1e-7}, {0, 0, -1e-7}};
  const std::vector<Vec3> u = field.displacements(sides, context);
  EXPECT_LT((u[1] - u[0] - jump).norm(), 1e-5);
  EXPECT_LT((field.sheetDisplacements({&node, 1}, context)[0] - 0.5 * (u[0] + u[1])).norm(), 1e-3);
}

}  // namespace
}  // namespace hackle
