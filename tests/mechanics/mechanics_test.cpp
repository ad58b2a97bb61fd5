#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/mechanics/elastic.h>
#include <hackle/mechanics/stress.h>
#include <hackle/mechanics/tractions.h>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>
#include <limits>

namespace hackle {
namespace {

TEST(ElasticMaterial, ModuliSatisfyTextbookRelations) {
  const ElasticMaterial m{3e9, 0.37, 1190};
  const double lambda = lameParameter(m), mu = shearModulus(m);
  EXPECT_NEAR(mu * (3 * lambda + 2 * mu) / (lambda + mu), m.young, 1e-6 * m.young);
  EXPECT_NEAR(lambda / (2 * (lambda + mu)), m.poisson, 1e-12);
  EXPECT_NEAR(pressureWaveSpeed(m), std::sqrt((lambda + 2 * mu) / 1190), 1e-9);
}

TEST(ElasticMaterial, RayleighWavesSolveTheirEquation) {
  for (const double poisson : {-0.3, 0.0, 0.22, 0.25, 0.45, 0.4999}) {
    const ElasticMaterial m{70e9, poisson, 2500};
    const double c = rayleighWaveSpeed(m), s = shearWaveSpeed(m), p = pressureWaveSpeed(m);
    const double left = std::pow(2 - c * c / (s * s), 2);
    const double right = 4 * std::sqrt(1 - c * c / (p * p)) * std::sqrt(1 - c * c / (s * s));
    EXPECT_NEAR(left, right, 1e-9) << poisson;
    EXPECT_GT(c, 0.5 * s);
  }
  // Known for nu = 1/4: sqrt(2 - 2 / sqrt(3)).
  const ElasticMaterial quarter{1, 0.25, 1};
  EXPECT_NEAR(rayleighWaveSpeed(quarter) / shearWaveSpeed(quarter), std::sqrt(2 - 2 / std::sqrt(3.0)), 1e-12);
}

TEST(ElasticMaterial, UniaxialStrainsGiveUniaxialStress) {
  const ElasticMaterial m{210e9, 0.3, 7800};
  Mat3 gradient = Vec3(-0.3e-3, 1e-3, -0.3e-3).asDiagonal();
  gradient(0, 1) = 5e-3, gradient(1, 0) = -5e-3;  // a rotation
  const Mat3 stress = stressOf(m, gradient);
  EXPECT_NEAR(stress(1, 1), 210e6, 1);
  EXPECT_NEAR((stress - 210e6 * Vec3::UnitY() * Vec3::UnitY().transpose()).norm(), 0, 1);
  EXPECT_NEAR(vonMises(stress), 210e6, 1);
}

TEST(ElasticMaterial, RefusesWhatNoSolidHas) {
  EXPECT_NO_THROW(checkMaterial({}));
  for (const ElasticMaterial& m :
       {ElasticMaterial{0, 0.2, 1}, ElasticMaterial{1, 0.5, 1}, ElasticMaterial{1, -1, 1},
        ElasticMaterial{1, 0.2, 0}, ElasticMaterial{std::numeric_limits<double>::quiet_NaN(), 0.2, 1},
        ElasticMaterial{1, std::numeric_limits<double>::quiet_NaN(), 1}})
    EXPECT_THROW(checkMaterial(m), Error);
}

TEST(Stress, PrincipalValuesAreThoseOfTheDecomposition) {
  Random random(4, 1);
  for (int k = 0; k < 200; ++k) {
    Mat3 s;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j <= i; ++j) s(i, j) = s(j, i) = 1e6 * random.normal();
    if (k % 4 == 1) s = Mat3(1e6 * Vec3(2, 2, -1).asDiagonal());
    if (k % 4 == 2) s *= 1e-12;
    EXPECT_LT((principalValues(s) - principalStress(s).values).norm(), 1e-7 * s.norm() + 1e-300);
  }
  EXPECT_EQ(principalValues(Mat3::Zero()), Vec3(Vec3::Zero()));
}

TEST(Stress, PrincipalValuesRebuildTheTensor) {
  Random random(7, 0);
  for (int i = 0; i < 200; ++i) {
    Mat3 a;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) a(r, c) = random.uniform() - 0.5;
    const Mat3 stress = a + a.transpose();
    const PrincipalStress p = principalStress(stress);
    EXPECT_GE(p.values[0], p.values[1]);
    EXPECT_GE(p.values[1], p.values[2]);
    EXPECT_NEAR((p.directions * p.values.asDiagonal() * p.directions.transpose() - stress).norm(), 0, 1e-13);
    EXPECT_NEAR(p.directions.determinant(), 1, 1e-13);
    const Vec3& v = p.values;
    const double squares = std::pow(v[0] - v[1], 2) + std::pow(v[1] - v[2], 2) + std::pow(v[2] - v[0], 2);
    EXPECT_NEAR(vonMises(stress), std::sqrt(squares / 2), 1e-13);
  }
}

/// Points and triangles of a box of the given sides, moved and turned.
struct Box {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                     {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  explicit Box(const Vec3& sides, const Mat3& turn = Mat3::Identity(), const Vec3& move = Vec3::Zero()) {
    for (int i = 0; i < 8; ++i)
      points.push_back(turn * Vec3(sides.x() * (i & 1), sides.y() * (i >> 1 & 1), sides.z() * (i >> 2)) +
                       move);
  }
};

std::vector<Vec3> randomTractions(size_t count) {
  Random random(11, 3);
  std::vector<Vec3> q(count);
  for (Vec3& t : q) t = Vec3(random.uniform(), random.uniform(), random.uniform()) * 1e6;
  return q;
}

TEST(Tractions, AreBalancedAboutAnyPoint) {
  const Box box(Vec3(1, 2, 0.3));
  const std::vector<Vec3> q = randomTractions(box.triangles.size());
  const BalancedTractions balanced = balancedTractions(box.points, box.triangles, q);
  for (const Vec3& about : {Vec3(0, 0, 0), Vec3(10, -5, 3)}) {
    const NetLoad before = netLoad(box.points, box.triangles, q, about);
    const NetLoad after = netLoad(box.points, box.triangles, balanced.tractions, about);
    EXPECT_LT(after.force.norm(), 1e-12 * before.force.norm());
    EXPECT_LT(after.torque.norm(), 1e-12 * before.torque.norm());
  }
}

TEST(Tractions, BalancedOnesStayAndTheChangeIsSmallest) {
  const Box box(Vec3(1, 2, 0.3));
  const BalancedTractions once = balancedTractions(box.points, box.triangles, randomTractions(12));
  const BalancedTractions twice = balancedTractions(box.points, box.triangles, once.tractions);
  for (size_t f = 0; f < 12; ++f) EXPECT_NEAR((twice.tractions[f] - once.tractions[f]).norm(), 0, 1e-6);
  // The change is orthogonal, weighted by area, to every balanced field.
  const std::vector<Vec3> q = randomTractions(12);
  double product = 0, size = 0;
  for (size_t f = 0; f < 12; ++f) {
    const Triangle& t = box.triangles[f];
    const auto at = [&](size_t k) { return box.points[t[k]]; };
    const double area = 0.5 * (at(1) - at(0)).cross(at(2) - at(0)).norm();
    product += area * (q[f] - once.tractions[f]).dot(once.tractions[f]);
    size += area * once.tractions[f].squaredNorm();
  }
  EXPECT_LT(std::abs(product), 1e-12 * size);
}

TEST(Tractions, TurnAndMoveWithTheBody) {
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized()).toRotationMatrix();
  const Box here(Vec3(1, 2, 0.3)), there(Vec3(1, 2, 0.3), turn, Vec3(50, -20, 7));
  const std::vector<Vec3> q = randomTractions(12);
  std::vector<Vec3> turned(q);
  for (Vec3& t : turned) t = turn * t;
  const auto a = balancedTractions(here.points, here.triangles, q);
  const auto b = balancedTractions(there.points, there.triangles, turned);
  for (size_t f = 0; f < 12; ++f) EXPECT_NEAR((turn * a.tractions[f] - b.tractions[f]).norm(), 0, 1e-5);
}

TEST(Tractions, RefusesSurfacesThatCannotCarryThem) {
  const std::vector<Vec3> points = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  const std::vector<Triangle> triangles = {{0, 1, 2}};
  const std::vector<Vec3> q = {{1, 0, 0}};
  EXPECT_THROW(balancedTractions(points, triangles, q), Error);
}

}  // namespace
}  // namespace hackle
