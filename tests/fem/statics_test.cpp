#include <hackle/core/error.h>
#include <hackle/fem/fields.h>
#include <hackle/fem/fixed_body.h>
#include <hackle/fem/free_body.h>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "fem/tet_meshes.h"

namespace hackle {
namespace {

const ElasticMaterial kGlass{70e9, 0.22, 2500};

TEST(FixedBody, PassesThePatchTest) {
  // Linear displacements on the boundary make them linear inside, on any mesh.
  Context context;
  const Vec3 size(1, 0.8, 0.6);
  ElasticMesh mesh = bodies::box(4, 4, 4, size, kGlass);
  bodies::jitter(mesh, size, 0.04);
  Mat3 gradient;
  gradient << 1, 2, -1, 0.5, -2, 3, 1, 0.3, 0.7;
  gradient *= 1e-4;
  const Eigen::VectorXd exact = bodies::field(mesh, gradient, {1e-3, 0, -2e-3});
  std::vector<Support> supports;
  for (const Triangle& t : boundaryFaces(mesh.tetrahedra, {}, context))
    for (const int32_t p : t) supports.push_back({p, {true, true, true}, exact.segment<3>(3 * p)});
  const FixedBody body(mesh, supports, context);
  const Eigen::VectorXd u = body.solve(Eigen::VectorXd::Zero(exact.size()), context);
  EXPECT_LT((u - exact).norm(), 1e-12 * exact.norm());
  for (const Mat3& s : stresses(mesh, u, context))
    EXPECT_LT((s - stressOf(kGlass, gradient)).norm(), 1e-8 * s.norm());
  EXPECT_LT((pointStresses(mesh, stresses(mesh, u, context), context)[7] - stressOf(kGlass, gradient)).norm(),
            1);
}

TEST(FixedBody, BarInTensionIsExact) {
  Context context;
  const ElasticMesh mesh = bodies::box(8, 2, 2, {2, 0.5, 0.5}, kGlass);
  std::vector<Support> supports;
  for (size_t p = 0; p < mesh.points.size(); ++p)
    if (mesh.points[p].x() == 0)
      supports.push_back({static_cast<int32_t>(p), {true, false, false}, Vec3::Zero()});
  supports.push_back({0, {false, true, true}, Vec3::Zero()});
  supports.push_back({2, {false, true, false}, Vec3::Zero()});
  const auto faces = bodies::facesAt(mesh, 2, context);
  const Eigen::VectorXd f =
      tractionForces(mesh.points, faces, std::vector<Vec3>(faces.size(), Vec3(7e6, 0, 0)));
  const FixedBody body(mesh, supports, context);
  const Eigen::VectorXd u = body.solve(f, context);
  const Mat3 gradient = Vec3(1e-4, -0.22e-4, -0.22e-4).asDiagonal();
  EXPECT_LT((u - bodies::field(mesh, gradient, Vec3::Zero())).norm(), 1e-9 * u.norm());
  const Eigen::VectorXd reactions = body.reactions(u, f, context);
  EXPECT_NEAR(reactions.sum(), -7e6 * 0.25, 1e-4);
  EXPECT_NEAR(0.5 * f.dot(u), strainEnergy(mesh, energyDensities(mesh, u, context), context), 1e-9);
}

TEST(FixedBody, TwoMaterialsInARowAddTheirStretch) {
  Context context;
  ElasticMesh mesh = bodies::box(6, 2, 2, {3, 1, 1}, {1, 0, 1});
  mesh.materials.clear();
  for (const Tetrahedron& t : mesh.tetrahedra) {
    double x = 0;
    for (const int32_t p : t) x += mesh.points[p].x() / 4;
    mesh.materials.push_back({x < 1.5 ? 1e9 : 4e9, 0, 1000});
  }
  std::vector<Support> supports;
  for (size_t p = 0; p < mesh.points.size(); ++p)
    if (mesh.points[p].x() == 0)
      supports.push_back({static_cast<int32_t>(p), {true, true, true}, Vec3::Zero()});
  const auto faces = bodies::facesAt(mesh, 3, context);
  const Eigen::VectorXd f =
      tractionForces(mesh.points, faces, std::vector<Vec3>(faces.size(), Vec3(1e6, 0, 0)));
  const Eigen::VectorXd u = FixedBody(mesh, supports, context).solve(f, context);
  EXPECT_NEAR(u[u.size() - 3], 1.5 * 1e6 * (1 / 1e9 + 1 / 4e9), 1e-12);
}

TEST(FixedBody, CantileverConvergesToTimoshenko) {
  Context context;
  const double length = 1, height = 0.2, width = 0.1, force = 1000;
  const double inertia = width * height * height * height / 12;
  const double shear = shearModulus(kGlass) * width * height * 5 / 6;
  const double exact =
      force * length * length * length / (3 * kGlass.young * inertia) + force * length / shear;
  double previous = 0;
  for (const int n : {2, 4, 8}) {
    const ElasticMesh mesh = bodies::box(5 * n, n, n / 2, {length, height, width}, kGlass);
    std::vector<Support> supports;
    for (size_t p = 0; p < mesh.points.size(); ++p)
      if (mesh.points[p].x() == 0)
        supports.push_back({static_cast<int32_t>(p), {true, true, true}, Vec3::Zero()});
    const auto faces = bodies::facesAt(mesh, length, context);
    const Vec3 traction(0, -force / (width * height), 0);
    const Eigen::VectorXd f = tractionForces(mesh.points, faces, std::vector<Vec3>(faces.size(), traction));
    const Eigen::VectorXd u = FixedBody(mesh, supports, context).solve(f, context);
    const double tip = -f.dot(u) / force / (f.sum() / force);
    const double error = 1 - std::abs(tip) / exact;
    if (n > 2) {
      EXPECT_LT(error, 0.45 * previous);  // about a quarter: second order
    }
    EXPECT_GT(error, 0);  // too stiff, never too soft
    previous = error;
  }
  EXPECT_LT(previous, 0.06);
}

TEST(FixedBody, NamesSupportsThatDoNotHold) {
  Context context;
  const ElasticMesh mesh = bodies::box(1, 1, 1, {1, 1, 1}, kGlass);
  const std::vector<Support> hinge{{0, {true, true, true}, Vec3::Zero()},
                                   {1, {true, true, true}, Vec3::Zero()}};
  EXPECT_THROW(FixedBody(mesh, hinge, context), Error);
  EXPECT_THROW(FixedBody(mesh, {}, context), Error);
  const std::vector<Support> nowhere{{99, {true, true, true}, Vec3::Zero()}};
  EXPECT_THROW(FixedBody(mesh, nowhere, context), Error);
  const std::vector<Support> quarrel{{0, {true, true, true}, Vec3::Zero()},
                                     {0, {true, true, true}, Vec3::Ones()}};
  EXPECT_THROW(FixedBody(mesh, quarrel, context), Error);
}

TEST(FreeBody, DoesNotDependOnWhatOneWouldPin) {
  Context context;
  const ElasticMesh mesh = bodies::box(6, 4, 3, {0.3, 0.2, 0.1}, kGlass);
  const FreeBody body(mesh, context);
  const Eigen::MatrixXd load = bodies::someLoad(mesh, 4);
  const Eigen::MatrixXd u = body.solve(load, context);
  Eigen::MatrixXd balanced = load;
  body.rigidMotions().relieve(balanced);
  const auto last = static_cast<int32_t>(mesh.points.size() - 1);
  // Three points on no line, held by three, two and one component.
  for (const std::array<int32_t, 3>& pins :
       {std::array<int32_t, 3>{0, 100, 50}, {last, 3, 60}, {70, 10, last - 1}}) {
    const Vec3 a = mesh.points[pins[0]];
    const Vec3 b = mesh.points[pins[1]] - a, c = mesh.points[pins[2]] - a;
    ASSERT_GT(b.cross(c).norm(), 1e-3);
    Eigen::Index along = 0, across = 0;
    b.cwiseAbs().maxCoeff(&along);
    b.cross(c).cwiseAbs().maxCoeff(&across);
    std::array<bool, 3> second{true, true, true}, third{false, false, false};
    second[along] = false;
    third[across] = true;
    const std::vector<Support> supports{{pins[0], {true, true, true}, Vec3::Zero()},
                                        {pins[1], second, Vec3::Zero()},
                                        {pins[2], third, Vec3::Zero()}};
    Eigen::MatrixXd pinned = FixedBody(mesh, supports, context).solve(balanced, context);
    body.rigidMotions().removeFromDisplacements(pinned);
    EXPECT_LT((pinned - u).norm(), 1e-9 * u.norm());
  }
}

TEST(FreeBody, TurnsAndMovesWithTheFrame) {
  Context context;
  ElasticMesh mesh = bodies::box(5, 4, 3, {0.3, 0.2, 0.1}, kGlass);
  const Eigen::VectorXd load = bodies::someLoad(mesh, 9);
  const Eigen::VectorXd u = FreeBody(mesh, context).solve(load, context);
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, -2, 3).normalized()).toRotationMatrix();
  Eigen::VectorXd turnedLoad = load;
  for (size_t p = 0; p < mesh.points.size(); ++p) {
    const auto i = static_cast<Eigen::Index>(3 * p);
    mesh.points[p] = turn * mesh.points[p] + Vec3(3, -2, 5);
    turnedLoad.segment<3>(i) = turn * load.segment<3>(i);
  }
  const Eigen::VectorXd turned = FreeBody(mesh, context).solve(turnedLoad, context);
  double difference = 0;
  for (Eigen::Index i = 0; i < u.size(); i += 3)
    difference += (turned.segment<3>(i) - turn * u.segment<3>(i)).squaredNorm();
  EXPECT_LT(std::sqrt(difference), 1e-8 * u.norm());
}

TEST(FreeBody, ObeysSuperpositionEnergyAndUnits) {
  Context context;
  ElasticMesh mesh = bodies::box(5, 4, 3, {0.3, 0.2, 0.1}, kGlass);
  const FreeBody body(mesh, context);
  Eigen::MatrixXd loads(3 * mesh.points.size(), 3);
  loads.col(0) = bodies::someLoad(mesh, 1);
  loads.col(1) = bodies::someLoad(mesh, 2);
  loads.col(2) = 2 * loads.col(0) - 3 * loads.col(1);
  const Eigen::MatrixXd u = body.solve(loads, context);
  EXPECT_LT((u.col(2) - 2 * u.col(0) + 3 * u.col(1)).norm(), 1e-9 * u.norm());
  // The rigid part of the load does no work on u, so half of f . u is the energy.
  EXPECT_NEAR(0.5 * loads.col(0).dot(u.col(0)) /
                  strainEnergy(mesh, energyDensities(mesh, u.col(0), context), context),
              1, 1e-9);
  // All lengths in millimetres, stresses in MPa, forces in N: displacements in millimetres.
  ElasticMesh small = mesh;
  for (Vec3& p : small.points) p *= 1000;
  small.materials[0].young *= 1e-6;
  const Eigen::VectorXd millimetres = FreeBody(small, context).solve(loads.col(0), context);
  EXPECT_LT((millimetres - 1000 * u.col(0)).norm(), 1e-8 * millimetres.norm());
}

TEST(FreeBody, APushedBarIsLoadedByItsInertia) {
  // Pushed at one end with force F, a bar carries F (1 - x/L) at x.
  Context context;
  ElasticMesh mesh = bodies::box(20, 2, 2, {2, 0.2, 0.2}, {70e9, 0, 2500});
  const auto faces = bodies::facesAt(mesh, 0, context);
  const Eigen::VectorXd f =
      tractionForces(mesh.points, faces, std::vector<Vec3>(faces.size(), Vec3(1e6, 0, 0)));
  const FreeBody body(mesh, context);
  const std::vector<Mat3> s = stresses(mesh, Eigen::VectorXd(body.solve(f, context)), context);
  for (size_t t = 0; t < s.size(); ++t) {
    double x = 0;
    for (const int32_t p : mesh.tetrahedra[t]) x += mesh.points[p].x() / 4;
    EXPECT_NEAR(s[t](0, 0), -1e6 * (1 - x / 2), 0.06e6);
  }
  EXPECT_NEAR(body.effectiveMass(f), 2500 * 2 * 0.04, 1e-6);
}

TEST(FreeBody, PartsThatDoNotHangTogetherFlyByThemselves) {
  Context context;
  const ElasticMesh one = bodies::box(2, 2, 2, {0.1, 0.1, 0.1}, kGlass);
  ElasticMesh two = one;
  const auto n = static_cast<int32_t>(one.points.size());
  for (const Vec3& p : one.points) two.points.push_back(p + Vec3(1, 0, 0));
  for (Tetrahedron t : one.tetrahedra) {
    for (int32_t& p : t) p += n;
    two.tetrahedra.push_back(t);
  }
  const FreeBody body(two, context);
  EXPECT_EQ(body.rigidMotions().parts(), 2u);
  Eigen::VectorXd load = Eigen::VectorXd::Zero(6 * n);
  load.head(3 * n) = bodies::someLoad(one, 3);
  const Eigen::VectorXd u = body.solve(load, context);
  EXPECT_EQ(u.tail(3 * n).norm(), 0);
  const Eigen::VectorXd alone = FreeBody(one, context).solve(load.head(3 * n), context);
  EXPECT_LT((u.head(3 * n) - alone).norm(), 1e-9 * alone.norm());
}

TEST(FreeBody, RefusesJoints) {
  // Two boxes that share one edge turn about it.
  Context context;
  ElasticMesh mesh = bodies::box(2, 2, 1, {2, 2, 1}, kGlass);
  std::vector<Tetrahedron> kept;
  for (const Tetrahedron& t : mesh.tetrahedra) {
    Vec3 middle = Vec3::Zero();
    for (const int32_t p : t) middle += mesh.points[p] / 4;
    if ((middle.x() < 1) == (middle.y() < 1)) kept.push_back(t);
  }
  ElasticMesh hinged{{}, kept, mesh.materials};
  std::vector<int32_t> number(mesh.points.size(), -1);
  for (Tetrahedron& t : hinged.tetrahedra)
    for (int32_t& p : t) {
      int32_t& n = number[p];
      if (n < 0) {
        n = static_cast<int32_t>(hinged.points.size());
        hinged.points.push_back(mesh.points[p]);
      }
      p = n;
    }
  EXPECT_THROW(FreeBody(hinged, context).solve(bodies::someLoad(hinged, 1), context), Error);
}

TEST(FreeBody, IsTheSameBytesOnAnyNumberOfThreadsAndStops) {
  const ElasticMesh mesh = bodies::box(12, 10, 8, {0.3, 0.2, 0.1}, kGlass);
  const Eigen::VectorXd load = bodies::someLoad(mesh, 9);
  Context one, four;
  one.setThreads(1);
  four.setThreads(4);
  const Eigen::VectorXd a = FreeBody(mesh, one).solve(load, one), b = FreeBody(mesh, four).solve(load, four);
  EXPECT_TRUE((a.array() == b.array()).all());

  const ElasticMesh large = bodies::box(40, 20, 20, {0.3, 0.2, 0.1}, kGlass);
  Context context;
  std::chrono::steady_clock::time_point asked;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    asked = std::chrono::steady_clock::now();
    context.cancel();
  });
  try {
    FreeBody(large, context).solve(bodies::someLoad(large, 1), context);
    ADD_FAILURE() << "was not cancelled";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Cancelled);
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - asked).count();
  other.join();
  EXPECT_LT(seconds, 1.0);
}

}  // namespace
}  // namespace hackle
