#include "bem_checks.h"

#include <hackle/bem/compressed_solver.h>
#include <hackle/core/error.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

const ElasticMaterial kMaterial{2.5, 0.3, 1.0};

/// A box of n × n × n × 12 triangles: flat faces make blocks with rows of zeros.
BemSurface gridBox(int n) {
  Geometry g;
  std::map<std::array<int, 3>, int32_t> index;
  const auto point = [&](std::array<int, 3> at) {
    const auto [found, isNew] = index.try_emplace(at, static_cast<int32_t>(index.size()));
    if (isNew) g.addPoint(Vec3(at[0], at[1], at[2]) / n);
    return found->second;
  };
  for (size_t axis = 0; axis < 3; ++axis)
    for (int side : {0, n})
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const auto at = [&](int a, int b) {
            std::array<int, 3> p{};
            p[axis] = side;
            p[(axis + 1) % 3] = a;
            p[(axis + 2) % 3] = b;
            return point(p);
          };
          const int32_t a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
          side == 0 ? g.addPolygon({a, d, c, b}) : g.addPolygon({a, b, c, d});
        }
  return BemSurface(triangleMesh(g));
}

TEST(CompressedOperators, AgreeWithTheDenseOnes) {
  Context context;
  for (const BemSurface& surface : {icosphere(3), gridBox(10)}) {
    const CompressedOperators compressed(surface, {}, context);
    EXPECT_GT(compressed.meanRank(), 2);
    const PatchField field(surface, kMaterial, someGradient());
    OperatorProducts dense, fast;
    dense.q = fast.q = field.q;
    dense.u = fast.u = field.u;
    assemble(surface, kMaterial, {}, {}, {&dense, 1}, context);
    compressed.multiply(kMaterial, fast, context);
    EXPECT_LT((dense.Vq - fast.Vq).norm(), 2e-5 * dense.Vq.norm());
    EXPECT_LT((dense.Ku - fast.Ku).norm(), 2e-5 * dense.Vq.norm());
    EXPECT_LT((dense.Du - fast.Du).norm(), 5e-5 * dense.Du.norm());
    EXPECT_LT((dense.KTq - fast.KTq).norm(), 5e-5 * dense.Du.norm());
  }
}

TEST(CompressedOperators, SameBytesOnAnyThreads) {
  const BemSurface surface = icosphere(2);
  Context one, many;
  one.setThreads(1);
  many.setThreads(4);
  OperatorProducts products[2];
  for (size_t i = 0; i < 2; ++i) {
    Context& context = i == 0 ? one : many;
    const PatchField field(surface, kMaterial, someGradient());
    products[i].q = field.q;
    products[i].u = field.u;
    CompressedOperators(surface, {}, context).multiply(kMaterial, products[i], context);
  }
  EXPECT_EQ(products[0].Du, products[1].Du);
  EXPECT_EQ(products[0].Vq, products[1].Vq);
  EXPECT_EQ(products[0].Ku, products[1].Ku);
  EXPECT_EQ(products[0].KTq, products[1].KTq);
}

/// Residual of a field against the nearest rigid motion, relative.
double withoutRigid(const BemSurface& surface, const Eigen::VectorXd& difference) {
  Eigen::MatrixXd modes(difference.size(), 6);
  for (size_t i = 0; i < surface.nodeCount(); ++i)
    for (Eigen::Index k = 0; k < 3; ++k) {
      modes.col(k).segment<3>(static_cast<Eigen::Index>(3 * i)) = Vec3::Unit(k);
      modes.col(3 + k).segment<3>(static_cast<Eigen::Index>(3 * i)) = Vec3::Unit(k).cross(surface.point(i));
    }
  const Eigen::VectorXd part = modes.householderQr().solve(difference);
  return (difference - modes * part).norm();
}

TEST(CompressedSolver, FreeBodyUnderTractions) {
  Context context;
  const BemSurface surface = icosphere(3);
  const HatSpace hats = nodeSpace(surface);
  const CompressedOperators operators(surface, {}, context);
  const PatchField field(surface, kMaterial, someGradient());
  OperatorProducts known;
  known.q = field.q;
  operators.multiply(kMaterial, known, context);
  const Eigen::VectorXd side = 0.5 * massTimesTriangles(surface, hats, field.q) - known.KTq;
  const CompressedSolution solution =
      solveCompressed(operators, kMaterial, {}, hats, Eigen::VectorXd(), side, {}, context);
  EXPECT_LT(withoutRigid(surface, solution.u - field.u), 1e-4 * field.u.norm());
  EXPECT_LT(solution.iterations, 60u);
}

TEST(CompressedSolver, BodyHeldOnOneSide) {
  Context context;
  const BemSurface surface = gridBox(8);
  std::vector<int32_t> held, free;
  std::vector<bool> isHeld(surface.nodeCount(), false);
  for (size_t t = 0; t < surface.triangleCount(); ++t)
    if (surface.centroid(t).x() < 1e-9) {
      held.push_back(static_cast<int32_t>(t));
      for (int32_t node : surface.triangle(t)) isHeld[node] = true;
    }
  for (size_t i = 0; i < surface.nodeCount(); ++i)
    if (!isHeld[i]) free.push_back(static_cast<int32_t>(i));
  const HatSpace all = nodeSpace(surface), hats = nodeSpace(surface, free);

  // Known: u on held nodes, q on free triangles
  const CompressedOperators operators(surface, {}, context);
  const PatchField field(surface, kMaterial, someGradient());
  OperatorProducts known;
  known.q = field.q;
  known.u = field.u;
  for (int32_t t : held) known.q.middleRows<3>(3 * t).setZero();
  for (int32_t i : free) known.u.middleRows<3>(3 * i).setZero();
  operators.multiply(kMaterial, known, context);
  const Eigen::MatrixXd first = 0.5 * massTimesHats(surface, all, known.u) + known.Ku - known.Vq;
  const Eigen::MatrixXd second = 0.5 * massTimesTriangles(surface, all, known.q) - known.KTq - known.Du;
  Eigen::VectorXd heldSide(static_cast<Eigen::Index>(3 * held.size())),
      freeSide(static_cast<Eigen::Index>(3 * free.size()));
  for (size_t i = 0; i < held.size(); ++i)
    heldSide.segment<3>(static_cast<Eigen::Index>(3 * i)) = first.middleRows<3>(3 * held[i]);
  for (size_t i = 0; i < free.size(); ++i)
    freeSide.segment<3>(static_cast<Eigen::Index>(3 * i)) = second.middleRows<3>(3 * free[i]);

  const CompressedSolution solution =
      solveCompressed(operators, kMaterial, held, hats, heldSide, freeSide, {}, context);
  for (size_t i = 0; i < free.size(); ++i)
    EXPECT_LT(
        (solution.u.segment<3>(static_cast<Eigen::Index>(3 * i)) - field.u.middleRows<3>(3 * free[i])).norm(),
        2e-4);
  for (size_t i = 0; i < held.size(); ++i)
    EXPECT_LT(
        (solution.q.segment<3>(static_cast<Eigen::Index>(3 * i)) - field.q.middleRows<3>(3 * held[i])).norm(),
        5e-3);
}

}  // namespace
}  // namespace hackle
