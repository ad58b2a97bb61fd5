// Laws of elastic bodies that a solution has to keep, whatever the mesh.
#include "elastic_bodies.h"

#include <hackle/bem/system.h>
#include <hackle/core/error.h>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

namespace hackle {
namespace {

using namespace bodies;
using Fixed = std::array<uint8_t, 3>;

ElasticMaterial glass() { return {70e9, 0.22, 2500}; }

/// A bar along y that stands on a fixed face, with loads given by place and normal.
struct Bar {
  explicit Bar(const Mat3& frame = Mat3::Identity(), const Vec3& shift = Vec3::Zero(), double scale = 1) {
    Mesh mesh = box({0, 0, 0}, {1, 2, 1}, {3, 6, 3});
    for (Vec3& p : mesh.points) p = scale * (frame * p + shift);
    surface = surfaceOf(mesh);
    up = frame.col(1);
  }
  BemSurface surface;
  Vec3 up;

  BoundaryData held(const Vec3& onTop, const Vec3& onSides) const {
    BoundaryData data(surface.nodeCount(), surface.triangleCount());
    for (size_t t = 0; t < surface.triangleCount(); ++t) {
      const double side = surface.normal(t).dot(up);
      if (side < -0.9) data.fixed[t] = Fixed{1, 1, 1};
      data.traction[t] = side > 0.9 ? onTop : side > -0.9 ? onSides : Vec3(0, 0, 0);
    }
    return data;
  }
};

BemSolution solved(const BemSurface& surface, const ElasticMaterial& material, const BoundaryData& data,
                   int threads = 0) {
  Context context;
  context.setThreads(threads);
  return BemSystem(surface, material, data, {}, context).solve(context);
}

/// Work of the tractions of one solution on the displacements of another.
double work(const BemSurface& surface, const BemSolution& loads, const BemSolution& moves) {
  double sum = 0;
  for (size_t t = 0; t < surface.triangleCount(); ++t) {
    Vec3 mean = Vec3::Zero();
    for (const int32_t n : surface.triangle(t)) mean += moves.displacement(static_cast<size_t>(n)) / 3;
    sum += surface.area(t) * loads.traction(t).dot(mean);
  }
  return sum;
}

TEST(BemLaws, Reciprocity) {
  const Bar bar;
  const BemSolution a = solved(bar.surface, glass(), bar.held({0, 1e6, 2e6}, {0, 0, 0}));
  const BemSolution b = solved(bar.surface, glass(), bar.held({1e6, 0, 3e5}, {2e5, -1e5, 1e5}));
  const double ab = work(bar.surface, a, b), ba = work(bar.surface, b, a);
  EXPECT_NEAR(ab, ba, 0.01 * std::abs(ab));
}

TEST(BemLaws, ReactionsBalanceLoads) {
  const Bar bar;
  const BemSolution s = solved(bar.surface, glass(), bar.held({3e5, 1e6, 0}, {0, 0, 0}));
  Vec3 sum = Vec3::Zero();
  for (size_t t = 0; t < bar.surface.triangleCount(); ++t) sum += bar.surface.area(t) * s.traction(t);
  EXPECT_LT(sum.norm(), 0.05 * 1e6);  // tractions are singular along the edges of the fixed face
}

TEST(BemLaws, RotationTranslationAndUnits) {
  const Mat3 frame =
      (Eigen::AngleAxisd(0.7, Vec3::UnitX()) * Eigen::AngleAxisd(-1.1, Vec3::UnitZ())).toRotationMatrix();
  const Bar straight, turned(frame, {3, -2, 5}, 1000);  // millimetres
  const Vec3 top(2e5, 1e6, -3e5), side(1e5, 0, 5e4);
  ElasticMaterial kilo = glass();
  kilo.young *= 1e-6;  // N/mm²
  const BemSolution a = solved(straight.surface, glass(), straight.held(top, side));
  const BemSolution b =
      solved(turned.surface, kilo, turned.held(1e-6 * (frame * top), 1e-6 * (frame * side)));
  double difference = 0, size = 0;
  for (size_t n = 0; n < straight.surface.nodeCount(); ++n) {
    difference = std::max(difference, (frame * a.displacement(n) - 1e-3 * b.displacement(n)).norm());
    size = std::max(size, a.displacement(n).norm());
  }
  EXPECT_LT(difference, 1e-5 * size);
}

TEST(BemLaws, AFreeBodyDoesNotDependOnItsFrame) {
  const Mat3 frame = Eigen::AngleAxisd(0.9, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const Bar straight, turned(frame, {100, 0, -40});
  const auto load = [](const Bar& bar, const Mat3& to) {
    BoundaryData data(bar.surface.nodeCount(), bar.surface.triangleCount());
    data.traction[7] = to * Vec3(1e6, 2e6, -1e6);  // not balanced
    return data;
  };
  const BemSolution a = solved(straight.surface, glass(), load(straight, Mat3::Identity()));
  const BemSolution b = solved(turned.surface, glass(), load(turned, frame));
  double difference = 0, size = 0;
  for (size_t n = 0; n < straight.surface.nodeCount(); ++n) {
    difference = std::max(difference, (frame * a.displacement(n) - b.displacement(n)).norm());
    size = std::max(size, a.displacement(n).norm());
  }
  EXPECT_LT(difference, 1e-5 * size);
  const double area = straight.surface.area(7);
  EXPECT_LT((a.removed.force - area * Vec3(1e6, 2e6, -1e6)).norm(), 1e-6 * area * 1e6);
}

TEST(BemLaws, SameBytesOnAnyThreads) {
  const Bar bar;
  const BoundaryData data = bar.held({3e5, 1e6, 0}, {1e5, 0, 0});
  const BemSolution one = solved(bar.surface, glass(), data, 1), four = solved(bar.surface, glass(), data, 4);
  EXPECT_TRUE((one.u.array() == four.u.array()).all());
  EXPECT_TRUE((one.q.array() == four.q.array()).all());
}

TEST(BemLaws, NewLoadsOnTheSameFactor) {
  Context context;
  const Bar bar;
  const BoundaryData first = bar.held({3e5, 1e6, 0}, {1e5, 0, 0}),
                     second = bar.held({0, 2e6, 1e5}, {0, 0, 1e5});
  BemSystem system(bar.surface, glass(), first, {}, context);
  system.setValues(second, context);
  const BemSolution a = system.solve(context), b = solved(bar.surface, glass(), second);
  EXPECT_TRUE((a.u.array() == b.u.array()).all());
  EXPECT_TRUE((a.q.array() == b.q.array()).all());
}

TEST(BemLaws, GrownCracksEqualThoseAddedAtOnce) {
  Context context;
  for (const bool held : {true, false}) {
    const Bar bar;
    BoundaryData data = bar.held({0, 1e6, 0}, {0, 0, 0});
    if (held) {
      for (Vec3& u : data.displacement) u = Vec3(1e-6, 2e-6, 0);
    } else {
      data = BoundaryData(bar.surface.nodeCount(), bar.surface.triangleCount());
      for (size_t t = 0; t < bar.surface.triangleCount(); ++t)
        data.traction[t] = Vec3(0, 1e6 * bar.surface.normal(t).y(), 0);
    }
    const Mat3 frame = Eigen::AngleAxisd(-kPi / 2 + 0.1, Vec3::UnitX()).toRotationMatrix();
    const CrackGrowth whole = crackOf(disk(4, 0.3, frame, {0.5, 1, 0.5}), bar.surface.nodeCount());
    BemSystem once(bar.surface, glass(), data, {}, context);
    once.growCracks(whole, context);

    // The inner rings first: the sheet is there, its outer nodes are opened later.
    BemSystem grown(bar.surface, glass(), data, {}, context);
    CrackGrowth part = whole;
    part.opened.resize(7);
    grown.growCracks(part, context);
    CrackGrowth more;
    more.opened.assign(whole.opened.begin() + 7, whole.opened.end());
    grown.growCracks(more, context);
    const BemSolution a = once.solve(context), b = grown.solve(context);
    EXPECT_LT((a.u - b.u).norm(), 1e-10 * a.u.norm());
    EXPECT_LT((a.q - b.q).norm(), 1e-10 * a.q.norm());

    // New values reach cracks as well.
    grown.setValues(data, context);
    EXPECT_LT((a.u - grown.solve(context).u).norm(), 1e-10 * a.u.norm());
  }
}

TEST(BemLaws, CrackAloneEqualsADenseSolve) {
  Context context;
  BemSystemOptions options;
  options.crackStress = Vec3(1e5, 2e5, 1e6).asDiagonal();
  const Mesh sheet = disk(3, 0.5);
  const CrackGrowth crack = crackOf(sheet, 0);
  BemSystem system({}, glass(), {}, options, context);
  system.growCracks(crack, context);
  const BemSolution solution = system.solve(context);

  const Eigen::MatrixXd d = assembleOperator(BemOperator::D, system.surface(), glass(), {}, context);
  std::vector<Eigen::Index> rows;
  for (const int32_t n : crack.opened)
    for (Eigen::Index c = 0; c < 3; ++c) rows.push_back(3 * n + c);
  Eigen::VectorXd load = Eigen::VectorXd::Zero(d.rows());
  for (size_t t = 0; t < sheet.triangles.size(); ++t)
    for (const int32_t n : sheet.triangles[t])
      load.segment<3>(3 * n) -=
          system.surface().area(t) / 3 * (options.crackStress * system.surface().normal(t));
  const Eigen::VectorXd expected = Eigen::MatrixXd(d(rows, rows)).ldlt().solve(Eigen::VectorXd(load(rows)));
  EXPECT_LT((Eigen::VectorXd(solution.u(rows)) - expected).norm(), 1e-10 * expected.norm());
}

TEST(BemLaws, RefusesWhatIsHeldPartly) {
  Context context;
  const Bar bar;
  for (const Fixed fixed : {Fixed{0, 1, 0}, Fixed{1, 0, 1}}) {
    BoundaryData data = bar.held({0, 1e6, 0}, {0, 0, 0});
    for (Fixed& f : data.fixed)
      if (f[0]) f = fixed;
    try {
      BemSystem(bar.surface, glass(), data, {}, context);
      FAIL();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      EXPECT_NE(std::string(e.what()).find("only partly"), std::string::npos) << e.what();
    }
  }
}

TEST(BemLaws, RefusesImpossibleBodies) {
  Context context;
  const Bar bar;
  const BoundaryData data = bar.held({0, 1e6, 0}, {0, 0, 0});
  EXPECT_THROW(BemSystem(bar.surface, {70e9, 0.5, 2500}, data, {}, context), Error);
  Mesh twins = box({0, 0, 0}, {1, 1, 1}, {1, 1, 1});
  append(twins, box({3, 0, 0}, {4, 1, 1}, {1, 1, 1}), false);
  const BemSurface two = surfaceOf(twins);
  EXPECT_THROW(BemSystem(two, glass(), BoundaryData(two.nodeCount(), two.triangleCount()), {}, context),
               Error);
}

}  // namespace
}  // namespace hackle
