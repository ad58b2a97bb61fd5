#include "bem_checks.h"

#include <hackle/core/error.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/meshing/surface/decimate.h>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

namespace hackle {
namespace {

const ElasticMaterial kMaterial{2.5, 0.3, 1.0};

TEST(BemOperators, LinearDisplacementsSolveBothEquations) {
  Context context;
  for (const BemSurface& surface : {icosphere(1), BemSurface(triangleMesh(shapes::box())),
                                    BemSurface(triangleMesh(shapes::torus(12, 6)))}) {
    const PatchResiduals usual = patchTest(surface, kMaterial, {}, context);
    EXPECT_LT(usual.displacement, 1e-6);
    EXPECT_LT(usual.traction, 1e-6);
    const PatchResiduals high = patchTest(surface, kMaterial, QuadratureOptions::high(), context);
    EXPECT_LT(high.displacement, 1e-10);
    EXPECT_LT(high.traction, 1e-10);
  }
}

TEST(BemOperators, WallsMayBeThinnerThanTheirElements) {
  Context context;
  for (double thickness : {0.1, 0.01}) {
    const BemSurface surface(triangleMesh(shapes::box({0, 0, 0}, {1, 1, thickness})));
    const PatchResiduals usual = patchTest(surface, kMaterial, {}, context);
    EXPECT_LT(usual.displacement, 1e-4);
    EXPECT_LT(usual.traction, 1e-4);
  }
}

TEST(BemOperators, DecimatedFiguresKeepTheLaws) {
  Context context;
  ShapeOptions shape;
  shape.shape = ShapeKind::Figure;
  shape.resolution = 30;
  DecimateOptions fewer;
  fewer.triangles = 600;
  const BemSurface surface(
      triangleMesh(decimate(triangleMesh(makeShape(shape, context)), fewer, context).surface));
  const PatchResiduals usual = patchTest(surface, kMaterial, {}, context);
  EXPECT_LT(usual.displacement, 1e-5);
  EXPECT_LT(usual.traction, 1e-5);
}

/// R (x) + shift, times a scale.
BemSurface moved(const BemSurface& surface, const Mat3& rotation, const Vec3& shift, double scale) {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (size_t i = 0; i < surface.nodeCount(); ++i)
    points.push_back(scale * (rotation * surface.point(i) + shift));
  for (size_t t = 0; t < surface.triangleCount(); ++t) triangles.push_back(surface.triangle(t));
  return {points, triangles};
}

TEST(BemOperators, AreTheSameInEveryFrameAndUnit) {
  Context context;
  const BemSurface surface = icosphere(1);
  const Mat3 rotation = shapes::randomRotation(4);
  const BemSurface other = moved(surface, rotation, {3, -2, 5}, 1000);
  const ElasticMaterial soft{2.5e6, 0.3, 1.0};
  // V scales with length cubed over stress, K with length squared, D with length times stress
  const double scales[3] = {1e9 / 1e6, 1e6, 1e3 * 1e6};
  for (BemOperator kind : {BemOperator::V, BemOperator::K, BemOperator::D}) {
    const Eigen::MatrixXd here = assembleOperator(kind, surface, kMaterial, {}, context);
    Eigen::MatrixXd there = assembleOperator(kind, other, soft, {}, context) / scales[static_cast<int>(kind)];
    for (Eigen::Index i = 0; i < there.rows(); i += 3)
      for (Eigen::Index j = 0; j < there.cols(); j += 3)
        there.block<3, 3>(i, j) = rotation.transpose() * there.block<3, 3>(i, j).eval() * rotation;
    EXPECT_LT((here - there).cwiseAbs().maxCoeff(), 1e-7 * here.cwiseAbs().maxCoeff());
  }
}

TEST(BemOperators, HypersingularIsSymmetricAndKnowsRigidMotions) {
  Context context;
  const BemSurface surface = icosphere(1);
  const Eigen::MatrixXd d = assembleOperator(BemOperator::D, surface, kMaterial, {}, context);
  EXPECT_EQ((d - d.transpose()).cwiseAbs().maxCoeff(), 0);
  const double norm = d.norm();
  for (int k = 0; k < 3; ++k) {
    Eigen::VectorXd shift(d.rows()), turn(d.rows());
    for (size_t i = 0; i < surface.nodeCount(); ++i) {
      shift.segment<3>(static_cast<Eigen::Index>(3 * i)) = Vec3::Unit(k);
      turn.segment<3>(static_cast<Eigen::Index>(3 * i)) = Vec3::Unit(k).cross(surface.point(i));
    }
    EXPECT_LT((d * shift).norm() / shift.norm(), 1e-12 * norm);
    EXPECT_LT((d * turn).norm() / turn.norm(), 1e-6 * norm);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(d);
  EXPECT_GT(solver.eigenvalues()[0], -1e-7 * solver.eigenvalues().tail(1)[0]);
  EXPECT_GT(solver.eigenvalues()[6], 1e-3 * solver.eigenvalues().tail(1)[0]);
}

TEST(BemOperators, ProductsAreThoseOfTheMatrices) {
  Context context;
  const BemSurface surface = icosphere(1);
  OperatorProducts p;
  p.q = Eigen::MatrixXd::Random(static_cast<Eigen::Index>(3 * surface.triangleCount()), 2);
  p.u = Eigen::MatrixXd::Random(static_cast<Eigen::Index>(3 * surface.nodeCount()), 1);
  assemble(surface, kMaterial, {}, {}, {&p, 1}, context);
  const Eigen::MatrixXd v = assembleOperator(BemOperator::V, surface, kMaterial, {}, context);
  const Eigen::MatrixXd k = assembleOperator(BemOperator::K, surface, kMaterial, {}, context);
  const Eigen::MatrixXd d = assembleOperator(BemOperator::D, surface, kMaterial, {}, context);
  EXPECT_LT((p.Vq - v * p.q).norm(), 1e-13 * p.Vq.norm());
  EXPECT_LT((p.Ku - k * p.u).norm(), 1e-13 * p.Ku.norm());
  EXPECT_LT((p.KTq - k.transpose() * p.q).norm(), 1e-13 * p.KTq.norm());
  EXPECT_LT((p.Du - d * p.u).norm(), 1e-13 * p.Du.norm());
}

TEST(BemOperators, BlocksArePartsOfTheWhole) {
  Context context;
  const BemSurface surface = icosphere(1);
  const std::vector<int32_t> rows = {5, 3, 40, 17, 79}, columns = {2, 60, 5, 33}, nodes = {7, 1, 30},
                             others = {1, 20, 9, 8};
  const HatSpace first = nodeSpace(surface, nodes), second = nodeSpace(surface, others);
  Eigen::MatrixXd v(15, 12), k(15, 12), d(9, 12);
  OperatorBlock blocks[3];
  blocks[0] = {BemOperator::V, rows, columns, nullptr, nullptr, v.data(), v.rows()};
  blocks[1] = {BemOperator::K, rows, {}, nullptr, &second, k.data(), k.rows()};
  blocks[2] = {BemOperator::D, {}, {}, &first, &second, d.data(), d.rows()};
  assemble(surface, kMaterial, {}, {blocks, 3}, {}, context);
  const Eigen::MatrixXd wholeV = assembleOperator(BemOperator::V, surface, kMaterial, {}, context);
  const Eigen::MatrixXd wholeK = assembleOperator(BemOperator::K, surface, kMaterial, {}, context);
  const Eigen::MatrixXd wholeD = assembleOperator(BemOperator::D, surface, kMaterial, {}, context);
  const auto difference = [](const Eigen::MatrixXd& part, const Eigen::MatrixXd& whole,
                             const std::vector<int32_t>& r, const std::vector<int32_t>& c) {
    double most = 0;
    for (Eigen::Index i = 0; i < part.rows(); ++i)
      for (Eigen::Index j = 0; j < part.cols(); ++j)
        most = std::max(most, std::abs(part(i, j) - whole(3 * r[i / 3] + i % 3, 3 * c[j / 3] + j % 3)));
    return most / whole.cwiseAbs().maxCoeff();
  };
  EXPECT_EQ(difference(v, wholeV, rows, columns), 0);
  EXPECT_LT(difference(k, wholeK, rows, others), 1e-15);
  EXPECT_LT(difference(d, wholeD, nodes, others), 1e-15);
}

TEST(BemOperators, SameBytesOnAnyThreads) {
  const BemSurface surface = icosphere(2);
  Context one, many;
  one.setThreads(1);
  many.setThreads(4);
  for (BemOperator kind : {BemOperator::V, BemOperator::K, BemOperator::D})
    EXPECT_EQ(assembleOperator(kind, surface, kMaterial, {}, one),
              assembleOperator(kind, surface, kMaterial, {}, many));
}

TEST(BemOperators, StopsWhenAsked) {
  Context context;
  context.cancel();
  EXPECT_THROW(assembleOperator(BemOperator::D, icosphere(2), kMaterial, {}, context), Error);
}

TEST(BemSurface, RefusesTrianglesWithoutArea) {
  const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {2, 0, 0}};
  const std::vector<Triangle> triangles = {{0, 1, 2}, {0, 1, 3}};
  try {
    const BemSurface surface(points, triangles);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_NE(std::string(e.what()).find("triangle 1 "), std::string::npos);
    EXPECT_FALSE(e.remedy().empty());
  }
}

}  // namespace
}  // namespace hackle
