// Cracks in sheets: intensities against closed forms, paths that do not depend on the mesh, conservation when
// cut.
#include "sheet_meshes.h"

#include <hackle/fracture/sheet/crack_tip.h>
#include <hackle/fracture/sheet/sheet_cut.h>
#include <hackle/fracture/sheet/sheet_simulation.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A panel 1 m wide and 2 m high about the origin, with a crack from (-a, 0) to (a, 0), pulled at its top.
struct Panel {
  double a = 0.1;
  SheetOptions options;
  std::unique_ptr<SheetSimulation> simulation;

  Panel(double fine, double poisson, Context& context) {
    options.material = {1e9, poisson, 1000, 0, 0};
    options.thickness = 1e-2;
    options.fine = fine;
    options.coarse = 0.08;
    options.births = false;
    options.gravity.setZero();
    sheets::Grid grid = sheets::rectangle(1, 2, 4, 8);
    for (Vec3& p : grid.points) p -= Vec3(0.5, 1, 0);
    simulation = std::make_unique<SheetSimulation>(
        SheetMesh::make(grid.points, grid.triangles, options.thickness), options, context);
    simulation->addCrack({-a, 0, 0}, {a, 0, 0}, context);
  }

  /// Intensities at both tips under a stress (Pa) at the top, or a bending stress there.
  std::vector<TipIntensity> intensities(double stress, Context& context) const {
    SheetMesh mesh = simulation->mesh();
    ShellSystem system(options.material);
    ShellLoads loads;
    loads.held.assign(mesh.vertexCount(), 0);
    loads.force.assign(mesh.vertexCount(), Vec3::Zero());
    for (size_t p = 0; p < mesh.vertexCount(); ++p) loads.held[p] = mesh.rest[p].y() < -1 + 1e-9;
    for (size_t f = 0; f < mesh.faceCount(); ++f)
      for (int k = 0; k < 3; ++k) {
        const int32_t p = mesh.faces[f][(k + 1) % 3], q = mesh.faces[f][(k + 2) % 3];
        if (mesh.across[f][k] >= 0 || mesh.rest[p].y() < 1 - 1e-9 || mesh.rest[q].y() < 1 - 1e-9) continue;
        const double force = stress * options.thickness * (mesh.rest[p] - mesh.rest[q]).norm();
        loads.force[p] += Vec3(0, force / 2, 0);
        loads.force[q] += Vec3(0, force / 2, 0);
      }
    ShellSolveOptions solve;
    solve.tolerance = 1e-12;
    EXPECT_TRUE(system.solve(mesh, loads, 0, INFINITY, solve, context).converged);
    const std::vector<ShellStrain> strains = system.strains(mesh, context);
    std::vector<TipIntensity> result;
    for (const SheetTip& tip : simulation->tips())
      result.push_back(fitTip(mesh, system.elements(mesh, context), strains, options.material,
                              {cornerAt(mesh, tip.vertex), tip.direction}, 1.2 * options.fine,
                              4 * options.fine));
    return result;
  }
  double crackHalf() const {
    const SheetMesh& mesh = simulation->mesh();
    return 0.5 * (mesh.rest[simulation->tips()[0].vertex] - mesh.rest[simulation->tips()[1].vertex]).norm();
  }
};

TEST(SheetCrack, IntensityOfAPanelWithACentreCrack) {
  for (const double nu : {0.0, 0.3})
    for (const double fine : {0.02, 0.01}) {
      Context context;
      const Panel panel(fine, nu, context);
      ASSERT_EQ(panel.simulation->tips().size(), 2u);
      const double a = panel.crackHalf(), stress = 1e4;
      EXPECT_NEAR(a, 0.1, fine);
      const double exact = stress * std::sqrt(kPi * a / std::cos(kPi * a));
      for (const TipIntensity& k : panel.intensities(stress, context)) {
        EXPECT_TRUE(k.valid);
        EXPECT_NEAR(k.K1, exact, (fine > 0.015 ? 0.06 : 0.05) * exact)
            << fine << " " << nu << " faces " << k.faces;
        EXPECT_NEAR(k.K2, 0, 0.03 * exact);
      }
    }
}

TEST(SheetCrack, KinkOfPureShearIsSeventyDegrees) {
  TipIntensity k;
  k.K2 = 1;
  const Kink kink = chooseKink(k, ShellMaterial{}, [](double) { return 1.0; });
  EXPECT_NEAR(kink.angle * 180 / kPi, -70.5, 1.0);
  k = {};
  k.K1 = 1;
  EXPECT_NEAR(chooseKink(k, ShellMaterial{}, [](double) { return 1.0; }).angle, 0, 1e-3);
}

/// Under pure opening the kink maximises cos^6(angle/2) over the toughness, here that of a grain at 40
/// degrees.
TEST(SheetCrack, KinkIntoTheGrainMaximisesReleaseOverToughness) {
  TipIntensity k;
  k.K1 = 1;
  const auto toughness = [](double angle) { return 1 + 3 * std::pow(std::sin(angle - 40 * kPi / 180), 2); };
  double best = 0, largest = 0;
  for (double angle = -1.2; angle < 1.2; angle += 1e-4)
    if (const double ratio = std::pow(std::cos(0.5 * angle), 6) / toughness(angle); ratio > largest) {
      largest = ratio;
      best = angle;
    }
  EXPECT_NEAR(chooseKink(k, ShellMaterial{}, toughness).angle, best, 1e-3);
}

TEST(SheetCrack, CutsKeepMassAndMomentum) {
  SheetMesh mesh = sheets::rectangleSheet(1, 1, 8, 8, 0.01, 0.2);
  for (size_t p = 0; p < mesh.vertexCount(); ++p)
    mesh.v[p] = Vec3(std::sin(7.0 * mesh.rest[p].x()), mesh.rest[p].y(), std::cos(3.0 * mesh.rest[p].x()));
  const auto totals = [&] {
    const std::vector<double> mass = mesh.masses(1000);
    Eigen::Vector4d sum = Eigen::Vector4d::Zero();
    for (size_t p = 0; p < mass.size(); ++p) {
      sum[3] += mass[p];
      sum.head<3>() += mass[p] * mesh.v[p];
    }
    return sum;
  };
  const Eigen::Vector4d before = totals();
  const std::vector<uint8_t> fixed(mesh.vertexCount(), 0);
  const std::vector<int32_t> tips = cutLine(mesh, {0.3, 0.31, 0}, {0.7, 0.66, 0}, fixed, 0.5);
  mesh.compact();
  mesh.checkInvariants();
  EXPECT_EQ(tips.size(), 2u);
  EXPECT_LT((totals() - before).norm(), 1e-12 * before.norm());
}

/// A crack across the whole sheet makes two pieces.
TEST(SheetCrack, ACutFromBorderToBorderSeparates) {
  SheetMesh mesh = sheets::rectangleSheet(1, 1, 8, 8, 0.01, 0.2);
  const size_t vertices = mesh.vertexCount();
  const std::vector<uint8_t> movable(vertices, 1);
  EXPECT_TRUE(cutLine(mesh, {0, 0.4, 0}, {1.2, 0.62, 0}, movable, 0).empty());
  mesh.compact();
  mesh.checkInvariants();
  std::vector<int32_t> stack{0};
  std::vector<uint8_t> seen(mesh.faceCount(), 0);
  seen[0] = 1;
  size_t reached = 0;
  while (!stack.empty()) {
    const int32_t f = stack.back();
    stack.pop_back();
    ++reached;
    for (const int32_t c : mesh.across[f])
      if (c >= 0 && !seen[c / 3]) {
        seen[c / 3] = 1;
        stack.push_back(c / 3);
      }
  }
  EXPECT_GT(reached, mesh.faceCount() / 5);
  EXPECT_LT(reached, mesh.faceCount() * 4 / 5);
}

}  // namespace
}  // namespace hackle
