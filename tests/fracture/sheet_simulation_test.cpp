// Sheets in time: order, conservation, plates, plasticity, resuming.
#include "sheet_meshes.h"

#include <hackle/fracture/sheet/plasticity.h>
#include <hackle/fracture/sheet/sheet_remesh.h>
#include <hackle/fracture/sheet/sheet_simulation.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;

SheetSimulation simulationOf(const SheetOptions& options, Context& context, int n = 8) {
  const sheets::Grid grid = sheets::rectangle(1, 1, n, n);
  return SheetSimulation(SheetMesh::make(grid.points, grid.triangles, options.thickness), options, context);
}

TEST(SheetSimulation, FallsByHalfGTSquared) {
  Context context;
  SheetOptions options = sheets::softSheet();
  options.gravity = Vec3(0, 0, -10);
  options.step = 0.01;
  SheetSimulation simulation = simulationOf(options, context);
  simulation.advance(0.5, context);
  for (const Vec3& v : simulation.mesh().v) EXPECT_NEAR(v.z(), -5, 1e-6);
  double z = 0;
  for (const Vec3& x : simulation.mesh().x) z += x.z() / static_cast<double>(simulation.mesh().vertexCount());
  EXPECT_NEAR(z, -1.25, 0.03);  // the first step is of first order
}

/// Half a period of a cantilever of length 1 that starts with the velocity of its first mode: when its
/// projection on the mode, to which no other mode contributes, is back at zero.
double halfPeriod(double step, Context& context) {
  SheetOptions options = sheets::softSheet();
  options.fine = options.coarse = 0.12;
  options.step = step;
  SheetPin pin;
  pin.centre = Vec3(0, 0.1, 0);
  pin.half = Vec3(1e-6, 0.6, 0.1);
  options.pins = {pin};
  const auto mode = [](const Vec3& p) {
    const double s = 1.8751041 * p.x();
    return std::cosh(s) - std::cos(s) - 0.7340955 * (std::sinh(s) - std::sin(s));
  };
  const sheets::Grid grid = sheets::rectangle(1, 0.2, 10, 2);
  SheetMesh mesh = SheetMesh::make(grid.points, grid.triangles, options.thickness);
  for (size_t p = 0; p < mesh.vertexCount(); ++p)
    mesh.v[p] = mesh.vBefore[p] = Vec3(0, 0, 1e-3 * mode(mesh.rest[p]));
  SheetSimulation simulation(mesh, options, context);
  double before = 0;
  for (int i = 0; i < 1000; ++i) {
    simulation.step(1000 * step, context);
    const std::vector<double> mass = simulation.mesh().masses(1.0);
    double now = 0;
    for (size_t p = 0; p < mass.size(); ++p)
      now += mass[p] * mode(simulation.mesh().rest[p]) * simulation.mesh().x[p].z();
    if (now <= 0) return simulation.time() - step * now / (now - before);
    before = now;
  }
  return INFINITY;
}

/// The first frequency of a cantilever is 0.5596 sqrt(D / (rho h)) / L^2; half the step makes a quarter of
/// the difference.
TEST(SheetSimulation, CantileverSwingsInItsPeriod) {
  Context context;
  const double D = 1e6 * 1e-6 / 12, exact = 1 / (0.5596 * std::sqrt(D / (100 * 0.01)));
  const double coarse = halfPeriod(exact / 40, context), middle = halfPeriod(exact / 80, context),
               fine = halfPeriod(exact / 160, context);
  EXPECT_NEAR(2 * fine / exact, 1, 0.03);
  EXPECT_NEAR((coarse - middle) / (middle - fine), 4, 1) << coarse << " " << middle << " " << fine;
}

TEST(SheetSimulation, FreeMotionKeepsMomentumAndLosesNoEnergyToSpeakOf) {
  Context context;
  SheetOptions options = sheets::softSheet();
  options.step = 2e-4;
  const sheets::Grid grid = sheets::rectangle(1, 1, 8, 8);
  SheetMesh mesh = SheetMesh::make(grid.points, grid.triangles, options.thickness);
  for (size_t p = 0; p < mesh.vertexCount(); ++p)
    mesh.v[p] = Vec3(0.3, 0.1 * mesh.rest[p].x(), 0.2 * std::sin(kPi * mesh.rest[p].x()));
  mesh.vBefore = mesh.v;
  SheetSimulation simulation(mesh, options, context);
  const auto momentum = [&] {
    Vec3 p = Vec3::Zero();
    const std::vector<double> mass = simulation.mesh().masses(options.material.density);
    for (size_t i = 0; i < mass.size(); ++i) p += mass[i] * simulation.mesh().v[i];
    return p;
  };
  const Vec3 before = momentum();
  const double energy = simulation.energy().kinetic;
  simulation.advance(0.02, context);
  EXPECT_LT((momentum() - before).norm(), 1e-8 * before.norm());
  const double after = simulation.energy().kinetic + simulation.energy().elastic;
  EXPECT_LT(after, energy * (1 + 1e-6));
  EXPECT_GT(after, energy * 0.97);
}

TEST(SheetSimulation, RemeshingKeepsMassMomentumAndArea) {
  SheetMesh mesh = sheets::rectangleSheet(1, 1, 10, 10, 0.01, 0.3);
  for (size_t p = 0; p < mesh.vertexCount(); ++p)
    mesh.v[p] = Vec3(std::sin(7.0 * mesh.rest[p].x()), mesh.rest[p].y(), std::cos(3.0 * mesh.rest[p].x()));
  const auto totals = [&] {
    Eigen::Matrix<double, 5, 1> sum = Eigen::Matrix<double, 5, 1>::Zero();
    const std::vector<double> mass = mesh.masses(1000);
    for (size_t p = 0; p < mass.size(); ++p) {
      sum[3] += mass[p];
      sum.head<3>() += mass[p] * mesh.v[p];
    }
    for (int32_t f = 0; f < static_cast<int32_t>(mesh.faceCount()); ++f) sum[4] += mesh.restArea(f);
    return sum;
  };
  const auto before = totals();
  std::vector<double> sizes;
  for (const Vec3& p : mesh.rest) sizes.push_back(0.02 + 0.3 * (p - Vec3(0.3, 0.3, 0)).norm());
  const SheetRemeshResult result = remesh(mesh, sizes, std::vector<uint8_t>(mesh.vertexCount(), 0), {});
  EXPECT_GT(result.splits, 20u);
  EXPECT_GT(result.collapses, 5u);
  EXPECT_GT(result.flips, 5u);
  mesh.checkInvariants();
  EXPECT_LT((totals() - before).norm(), 1e-12 * before.norm());
}

TEST(SheetPlasticity, YieldsOnTheSurfaceOfMises) {
  const double Y = 70e9, yield = 100e6;
  for (const double nu : {0.0, 0.3}) {
    // Held sideways: 2 / sqrt(3); free: 1, in steps up to 2 % strain.
    Vec2 plastic = Vec2::Zero(), stress = Vec2::Zero();
    double work = 0;
    for (int i = 1; i <= 200; ++i) {
      const PlasticReturn r = returnToYield(Vec2(std::log(1 + 1e-4 * i), 0) - plastic, Y, nu, yield);
      plastic += r.plastic;
      stress = r.stress;
      EXPECT_GE(r.stress.dot(r.plastic), 0);
      work += r.stress.dot(r.plastic);
    }
    EXPECT_NEAR(stress[0] / yield, 2 / std::sqrt(3.0), 1e-4) << nu;
    EXPECT_GT(work, 0);
    const PlasticReturn free = returnToYield(Vec2(0.01, -0.005), Y, nu, yield);
    EXPECT_NEAR(std::sqrt(free.stress[0] * free.stress[0] - free.stress[0] * free.stress[1] +
                          free.stress[1] * free.stress[1]) /
                    yield,
                1, 1e-6);
  }
}

/// A strip that is held on a cylinder keeps the curvature beyond that at which its surface yields; volume
/// stays. It cannot curve sideways, so it yields at 2 / sqrt(3) of the yield stress. Its ends carry no moment
/// and are left out.
TEST(SheetPlasticity, SpringsBackByTheYieldCurvature) {
  Context context;
  const double h = 0.01;
  const ShellMaterial material{1e9, 0.0, 1000, 0, 2e6};
  SheetMesh mesh = sheets::rectangleSheet(1, 0.2, 20, 4, h, 0.2);
  const double R = 0.5, kappa = 1 / R, yieldCurvature = 2 * material.yield / (material.young * h);
  ASSERT_GT(kappa, 2 * yieldCurvature);
  sheets::deform(mesh, [&](const Vec3& p) {
    return Vec3(R * std::sin(p.x() / R), p.y(), R * (1 - std::cos(p.x() / R)));
  });
  ShellSystem system(material);
  ShellLoads loads;
  loads.held.assign(mesh.vertexCount(), 1);  // directors find their place, vertices stay
  ShellSolveOptions options;
  system.solve(mesh, loads, 1.0, 1.0, options, context);
  const double work =
      flowPlastically(mesh, system.elements(mesh, context), system.strains(mesh, context), material);
  EXPECT_GT(work, 0);
  double sum = 0, area = 0;
  for (int32_t f = 0; f < static_cast<int32_t>(mesh.faceCount()); ++f) {
    EXPECT_NEAR(mesh.history[f].thickness * mesh.history[f].stretch.determinant(), h, 1e-12);
    double x = 0;
    for (const int32_t p : mesh.faces[f]) x += mesh.rest[p].x() / 3;
    if (x < 0.15 || x > 0.85) continue;
    sum += mesh.restArea(f) * std::abs(mesh.history[f].curvature(0, 0));
    area += mesh.restArea(f);
  }
  EXPECT_NEAR(sum / area, kappa - 2 / std::sqrt(3.0) * yieldCurvature, 0.01 * kappa);
}

/// A run that was saved and loaded goes on as if nothing had happened, on any number of threads.
TEST(SheetSimulation, ResumesToEqualBytes) {
  const auto make = [](Context& context) {
    SheetOptions options = sheets::softSheet();
    options.gravity = Vec3(0, 0, -9.81);
    options.fine = 0.05;
    options.toughness = 100;
    SheetPin a, b;
    a.centre = Vec3(0, 1, 0);
    b.centre = Vec3(1, 1, 0);
    a.half = b.half = Vec3::Constant(0.1);
    b.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1, Vec3(0.5, 0, 0), Vec3(0, 0, 0.3)}};
    options.pins = {a, b};
    SheetSimulation simulation = simulationOf(options, context, 4);
    simulation.addCrack({0.5, 1, 0}, {0.5, 0.8, 0}, context);
    return simulation;
  };
  Context one, many;
  one.setThreads(1);
  SheetSimulation whole = make(one), first = make(many), second = make(many);
  for (int i = 0; i < 3; ++i) whole.step(1, one);
  whole.save();
  for (int i = 0; i < 3; ++i) whole.step(1, one);
  for (int i = 0; i < 3; ++i) first.step(1, many);
  second.load(first.save(), many);
  for (int i = 0; i < 3; ++i) second.step(1, many);
  EXPECT_EQ(whole.save(), second.save());
}

}  // namespace
}  // namespace hackle
