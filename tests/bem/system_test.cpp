#include "elastic_bodies.h"

#include <hackle/bem/system.h>
#include <hackle/core/error.h>

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace hackle {
namespace {

using namespace bodies;

ElasticMaterial soft() {
  ElasticMaterial m;
  m.young = 3;
  m.poisson = 0.3;
  return m;
}

LinearField stretch(const ElasticMaterial& material) {
  Mat3 g;
  g << 0.3, 0.1, -0.2, 0.4, -0.5, 0.2, 0.1, 0.6, 0.7;
  return {1e-3 * g, material};
}

/// Values of a linear field where `fixed` says that displacements are given.
BoundaryData dataOf(const BemSurface& body, const LinearField& field,
                    const std::function<std::array<uint8_t, 3>(size_t)>& fixed) {
  BoundaryData data(body.nodeCount(), body.triangleCount());
  for (size_t n = 0; n < body.nodeCount(); ++n) data.displacement[n] = field.u(body.point(n));
  for (size_t t = 0; t < body.triangleCount(); ++t) {
    data.fixed[t] = fixed(t);
    data.traction[t] = field.q(body.normal(t));
  }
  return data;
}

struct PatchError {
  double u = 0, q = 0;
};

/// Relative to the largest value; a free body up to the mean motion.
PatchError patchError(const BemSystem& system, const LinearField& field, bool freeBody) {
  Context context;
  const BemSolution solution = system.solve(context);
  const BemSurface& body = system.body();
  Eigen::VectorXd expected(3 * static_cast<Eigen::Index>(body.nodeCount()));
  for (size_t n = 0; n < body.nodeCount(); ++n)
    expected.segment<3>(3 * static_cast<Eigen::Index>(n)) = field.u(body.point(n));
  if (freeBody) removeMeanMotion(body, expected);
  PatchError error;
  error.u =
      (solution.u.head(expected.size()) - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
  double largest = 0;
  for (size_t t = 0; t < body.triangleCount(); ++t) {
    const Vec3 q = field.q(body.normal(t));
    error.q = std::max(error.q, (solution.traction(t) - q).norm());
    largest = std::max(largest, q.norm());
  }
  error.q /= largest;
  return error;
}

using Fixed = std::array<uint8_t, 3>;

TEST(BemSystem, PatchTestDirichlet) {
  Context context;
  const BemSurface body = surfaceOf(box({0, 0, 0}, {1, 2, 1}, {3, 5, 3}));
  const LinearField field = stretch(soft());
  const auto fixed = [](size_t) { return Fixed{1, 1, 1}; };
  const BemSystem system(body, soft(), dataOf(body, field, fixed), {}, context);
  EXPECT_LT(patchError(system, field, false).q, 1e-3);
}

TEST(BemSystem, PatchTestNeumann) {
  Context context;
  const BemSurface body = surfaceOf(box({5, 0, 0}, {6, 2, 1}, {3, 5, 3}));
  const LinearField field = stretch(soft());
  const auto fixed = [](size_t) { return Fixed{0, 0, 0}; };
  const BemSystem system(body, soft(), dataOf(body, field, fixed), {}, context);
  EXPECT_LT(patchError(system, field, true).u, 1e-4);
}

TEST(BemSystem, PatchTestMixed) {
  Context context;
  const BemSurface body = surfaceOf(box({0, 0, 0}, {1, 2, 1}, {3, 5, 3}));
  const LinearField field = stretch(soft());
  const auto fixed = [&](size_t t) { return body.normal(t).y() < -0.9 ? Fixed{1, 1, 1} : Fixed{0, 0, 0}; };
  const BemSystem system(body, soft(), dataOf(body, field, fixed), {}, context);
  EXPECT_LT(patchError(system, field, false).u, 1e-4);
  EXPECT_LT(patchError(system, field, false).q, 1e-3);
}

TEST(BemSystem, PatchTestSliding) {
  Context context;
  const BemSurface body = surfaceOf(box({0, 0, 0}, {1, 2, 1}, {3, 5, 3}));
  const LinearField field = stretch(soft());
  const auto fixed = [&](size_t t) {
    Fixed f{0, 0, 0};
    for (size_t c = 0; c < 3; ++c) f[c] = body.normal(t)[c] < -0.9;
    return f;
  };
  const BemSystem system(body, soft(), dataOf(body, field, fixed), {}, context);
  EXPECT_LT(patchError(system, field, false).u, 1e-4);
  EXPECT_LT(patchError(system, field, false).q, 1e-3);
}

TEST(BemSystem, PatchTestWithACavity) {
  Context context;
  Mesh hollow = box({0, 0, 0}, {1, 1, 1}, {4, 4, 4});
  append(hollow, box({0.3, 0.3, 0.3}, {0.6, 0.7, 0.7}, {2, 2, 2}), true);
  const BemSurface body = surfaceOf(hollow);
  const LinearField field = stretch(soft());
  const auto none = [](size_t) { return Fixed{0, 0, 0}; };
  const BemSystem neumann(body, soft(), dataOf(body, field, none), {}, context);
  EXPECT_LT(patchError(neumann, field, true).u, 1e-4);
  const auto bottom = [&](size_t t) { return body.centroid(t).y() < 1e-9 ? Fixed{1, 1, 1} : Fixed{0, 0, 0}; };
  const BemSystem mixed(body, soft(), dataOf(body, field, bottom), {}, context);
  EXPECT_LT(patchError(mixed, field, false).u, 1e-4);
  EXPECT_LT(patchError(mixed, field, false).q, 1e-3);
}

/// A flat hexagon of three rings of nodes around a centre.
CrackGrowth sheetAt(const Vec3& centre, double size, int32_t first) {
  CrackGrowth growth;
  growth.points.push_back(centre);
  for (const double r : {0.5, 1.0})
    for (int k = 0; k < 6; ++k)
      growth.points.push_back(centre +
                              r * size * Vec3(std::cos(k * 1.047197551), 0, std::sin(k * 1.047197551)));
  for (int32_t k = 0; k < 6; ++k) {
    const int32_t a = first + 1 + k, b = first + 1 + (k + 1) % 6;
    growth.triangles.insert(growth.triangles.end(), {{first, a, b}, {a, a + 6, b + 6}, {a, b + 6, b}});
  }
  for (int32_t n = 0; n < 7; ++n) growth.opened.push_back(first + n);
  return growth;
}

TEST(BemSystem, KnownJumpsActLikeSolvedOnes) {
  // Two cracks in a body with a cavity, free or held: with the second one's jumps given as they were solved,
  // everything else comes out as it was.
  Context context;
  Mesh hollow = box({0, 0, 0}, {1, 2, 1}, {2, 4, 2});
  append(hollow, box({0.3, 1.5, 0.3}, {0.6, 1.8, 0.7}, {1, 1, 1}), true);
  const BemSurface body = surfaceOf(hollow);
  const LinearField field = stretch(soft());
  const int32_t first = static_cast<int32_t>(body.nodeCount());
  for (const bool held : {false, true}) {
    const auto fixed = [&](size_t t) {
      return held && body.centroid(t).y() < 1e-9 ? Fixed{1, 1, 1} : Fixed{0, 0, 0};
    };
    BemSystem solved(body, soft(), dataOf(body, field, fixed), {}, context), known = solved;
    const CrackGrowth one = sheetAt({0.5, 0.5, 0.5}, 0.3, first);
    CrackGrowth two = sheetAt({0.5, 1.1, 0.5}, 0.3, first + 13);
    for (BemSystem* system : {&solved, &known}) system->growCracks(one, context);
    solved.growCracks(two, context);
    const BemSolution exact = solved.solve(context);

    const std::vector<int32_t> nodes = std::exchange(two.opened, {});
    known.addSheets(two);
    Eigen::MatrixXd jumps = Eigen::MatrixXd::Zero(21, 2);
    for (Eigen::Index i = 0; i < 7; ++i)
      jumps.col(i < 3).segment<3>(3 * i) = exact.displacement(static_cast<size_t>(nodes[i]));
    const Eigen::MatrixXd loads = known.jumpLoads(nodes, jumps, {}, context);
    known.setKnownJumps(nodes, jumps.rowwise().sum(), loads.rowwise().sum());
    const BemSolution given = known.solve(context);
    EXPECT_LT((given.u - exact.u).norm() / exact.u.norm(), 1e-10) << held;
    EXPECT_LT((given.q - exact.q).norm() / exact.q.norm(), 1e-10) << held;
    // It matters: without them the body is stiffer.
    known.setKnownJumps({}, Eigen::VectorXd(), Eigen::VectorXd::Zero(loads.rows()));
    EXPECT_GT((known.solve(context).u - exact.u).norm() / exact.u.norm(), 1e-3);
  }
}

TEST(BemSystem, ScaledValuesAreNewValues) {
  // Of a held and of a free body with a crack, which releases a stress that is not scaled.
  Context context;
  const BemSurface body = surfaceOf(box({0, 0, 0}, {1, 2, 1}, {2, 4, 2}));
  const LinearField field = stretch(soft());
  BemSystemOptions options;
  options.crackStress = Vec3(1e-3, 2e-3, 3e-3).asDiagonal();
  for (const bool held : {false, true}) {
    BoundaryData data = dataOf(body, field, [&](size_t t) {
      return held && body.centroid(t).y() < 1e-9 ? Fixed{1, 1, 1} : Fixed{0, 0, 0};
    });
    BemSystem scaled(body, soft(), data, options, context);
    scaled.growCracks(sheetAt({0.5, 0.5, 0.5}, 0.3, static_cast<int32_t>(body.nodeCount())), context);
    BemSystem fresh = scaled;
    const BemSolution before = scaled.solve(context);
    for (Vec3& q : data.traction) q *= 3;
    for (Vec3& u : data.displacement) u *= 3;
    scaled.scaleValues(data, 3);
    fresh.setValues(data, context);
    const BemSolution one = scaled.solve(context), other = fresh.solve(context);
    EXPECT_LT((one.u - other.u).norm() / other.u.norm(), 1e-12) << held;
    EXPECT_LT((one.q - other.q).norm() / other.q.norm(), 1e-12) << held;
    EXPECT_GT((one.u - 3 * before.u).norm() / one.u.norm(), 1e-3) << held;  // the stress matters
  }
}

}  // namespace
}  // namespace hackle
