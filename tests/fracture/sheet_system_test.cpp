// Exact solutions of beams and plates, and conservation in time.
#include "sheet_meshes.h"

#include <hackle/fracture/sheet/shell_system.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;

/// A strip along x, clamped at x = 0, that carries `load` (N, along z) at its free end, or `weight` (N)
/// spread over it.
struct Cantilever {
  double length = 1.0, width = 0.2, thickness = 0.02;
  ShellMaterial material{12e9, 0.0, 1.0, 0.0, 0.0};
  SheetMesh mesh;
  ShellLoads loads;

  Cantilever(int n, double jitter) {
    mesh = sheets::rectangleSheet(length, width, n, std::max(2, n / 5), thickness, jitter);
    loads.held.assign(mesh.vertexCount(), 0);
    loads.clamped.assign(mesh.edgeCount(), 0);
    loads.force.assign(mesh.vertexCount(), Vec3::Zero());
    for (size_t p = 0; p < mesh.vertexCount(); ++p) loads.held[p] = mesh.rest[p].x() < 1e-9;
    for (size_t f = 0; f < mesh.faceCount(); ++f)
      for (int k = 0; k < 3; ++k)
        loads.clamped[mesh.edges[f][k]] =
            loads.held[mesh.faces[f][(k + 1) % 3]] && loads.held[mesh.faces[f][(k + 2) % 3]];
  }
  double stiffness() const { return material.young * std::pow(thickness, 3) / 12 * width; }  // D b

  double solveTip(double load, double weight, int steps, Context& context) {
    ShellSystem system(material);
    double total = 0;
    const std::vector<double> mass = mesh.masses(1.0);
    for (const double m : mass) total += m;
    for (int s = 1; s <= steps; ++s) {
      for (size_t p = 0; p < mesh.vertexCount(); ++p)
        loads.force[p] = Vec3(0, 0, weight * s / steps * mass[p] / total);
      endLoad(load * s / steps);
      ShellSolveOptions options;
      options.tolerance = 1e-9;
      options.iterations = 200;
      const ShellSolveResult r = system.solve(mesh, loads, 0.0, INFINITY, options, context);
      EXPECT_TRUE(r.converged) << "step " << s << " moved by " << r.lastMove;
    }
    double tip = 0, weights = 0;
    for (size_t p = 0; p < mesh.vertexCount(); ++p)
      if (mesh.rest[p].x() > length - 1e-9) {
        const double w = mesh.rest[p].y() < 1e-9 || mesh.rest[p].y() > width - 1e-9 ? 0.5 : 1;
        tip += w * mesh.x[p].z();
        weights += w;
      }
    return tip / weights;
  }

 private:
  void endLoad(double load) {
    std::vector<size_t> end;
    for (size_t p = 0; p < mesh.vertexCount(); ++p)
      if (mesh.rest[p].x() > length - 1e-9) end.push_back(p);
    const double share = load / static_cast<double>(end.size() - 1);
    for (const size_t p : end) {
      const bool corner = mesh.rest[p].y() < 1e-9 || mesh.rest[p].y() > width - 1e-9;
      loads.force[p] += Vec3(0, 0, share * (corner ? 0.5 : 1.0));
    }
  }
};

TEST(SheetSystem, CantileverBendsByPL3Over3D) {
  Context context;
  Cantilever beam(20, 0.25);
  const double load = 1e-4 * beam.stiffness();
  EXPECT_NEAR(beam.solveTip(load, 0, 1, context), load / (3 * beam.stiffness()),
              0.01 * load / (3 * beam.stiffness()));
}

TEST(SheetSystem, ElasticaUnderAnEndLoad) {
  Context context;
  for (const auto& [alpha, exact] : {std::pair{1.0, .30172}, {2.0, .49346}, {5.0, .71379}, {10.0, .81061}}) {
    Cantilever beam(20, 0.2);
    EXPECT_NEAR(beam.solveTip(alpha * beam.stiffness(), 0, 4, context), exact, 0.02 * exact) << alpha;
  }
}

TEST(SheetSystem, ElasticaUnderItsOwnWeight) {
  Context context;
  for (const auto& [alpha, exact] : {std::pair{1.0, .12347}, {5.0, .49591}, {10.0, .70020}}) {
    Cantilever beam(20, 0.2);
    EXPECT_NEAR(beam.solveTip(0, alpha * beam.stiffness(), 4, context), exact, 0.02 * exact) << alpha;
  }
}

/// A strip that rests as a quarter of a circle carries no stress; clamped at one end and pushed along the
/// radius at the other it gives way by pi P R^3 / (4 D b).
TEST(SheetSystem, CurvedRestShapesAreFreeOfStressAndBendAsCurvedBeams) {
  Context context;
  const double R = 1, width = 0.2, h = 0.02, load = 1e-3;
  sheets::Grid grid = sheets::rectangle(0.5 * kPi * R, width, 24, 4);
  for (Vec3& p : grid.points) p = Vec3(R * std::cos(p.x() / R), p.y(), R * std::sin(p.x() / R));
  SheetMesh mesh = SheetMesh::make(grid.points, grid.triangles, h);
  const ShellMaterial material{12e9, 0.0, 1.0, 0.0, 0.0};
  ShellSystem system(material);
  ShellLoads loads;
  loads.held.assign(mesh.vertexCount(), 0);
  loads.clamped.assign(mesh.edgeCount(), 0);
  loads.force.assign(mesh.vertexCount(), Vec3::Zero());
  const double D = material.young * h * h * h / 12, P = load * D * width;
  for (size_t p = 0; p < mesh.vertexCount(); ++p) {
    loads.held[p] = mesh.rest[p].x() < 1e-9;
    const bool corner = mesh.rest[p].y() < 1e-9 || mesh.rest[p].y() > width - 1e-9;
    if (mesh.rest[p].z() < 1e-9) loads.force[p] = Vec3(P / 4 * (corner ? 0.5 : 1.0), 0, 0);
  }
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (int k = 0; k < 3; ++k)
      loads.clamped[mesh.edges[f][k]] =
          loads.held[mesh.faces[f][(k + 1) % 3]] && loads.held[mesh.faces[f][(k + 2) % 3]];
  EXPECT_LT(system.energy(mesh, context), 1e-12 * D);
  ShellSolveOptions options;
  options.tolerance = 1e-12;
  EXPECT_TRUE(system.solve(mesh, loads, 0.0, INFINITY, options, context).converged);
  double tip = 0, count = 0;
  for (size_t p = 0; p < mesh.vertexCount(); ++p)
    if (mesh.rest[p].z() < 1e-9) {
      tip += mesh.x[p].x() - mesh.rest[p].x();
      count += 1;
    }
  EXPECT_NEAR(tip / count, kPi / 4 * load, 0.02 * kPi / 4 * load);
}

/// Twice the resolution, a quarter of the error.
TEST(SheetSystem, BendingConverges) {
  Context context;
  double error[2];
  for (int i = 0; i < 2; ++i) {
    Cantilever beam(10 << i, 0.0);
    const double load = 1e-4 * beam.stiffness(), exact = load / (3 * beam.stiffness());
    error[i] = std::abs(beam.solveTip(load, 0, 1, context) / exact - 1);
  }
  EXPECT_LT(error[1], 0.45 * error[0]);
}

}  // namespace
}  // namespace hackle
