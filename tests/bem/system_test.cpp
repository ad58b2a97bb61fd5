#include "elastic_bodies.h"

#include <hackle/bem/system.h>
#include <hackle/core/error.h>

#include <gtest/gtest.h>

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
    for (size_t c = 0; c < 3; ++c) f[c] = body.normal(t)[static_cast<Eigen::Index>(c)] < -0.9;
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

}  // namespace
}  // namespace hackle
