// A cube with a penny-shaped crack in its middle: what tests of crack growth start from.
#pragma once

#include "../grid_box.h"
#include "../shapes.h"

#include <hackle/fracture/crack/growth/crack_solver.h>

#include <cmath>

namespace hackle {
namespace {

/// How far a recorded crack is from the plane z = 0, m.
inline double farthestFromPlane(const SheetBand& band) {
  double farthest = 0;
  for (size_t t = 0; t < band.triangleCount(); ++t)
    for (const Vec3& p : band.triangle(t)) farthest = std::max(farthest, std::abs(p.z()));
  return farthest;
}

/// A cube with a penny-shaped crack in its middle, under uniform stress from its faces.
struct PennyCube {
  double side = 1.0;
  double radius = 0.18;  // of the side; 0: no crack
  double tilt = 0.0;     // of the crack's normal from z towards x
  Mat3 stress = Mat3::Zero();
  CrackMaterial material;
  CrackOptions options;
  int threads = 0;
  int cells = 3;  // of the cube's mesh along an edge

  PennyCube() {
    material.elastic = {3.1e9, 0.327, 1200};
    material.toughness = ScalarField::constant(1e6);
    material.strength = ScalarField::constant(1e9);
    options.coarse = 0.14;
    options.fine = 0.01;
    options.cracks = 0;
    options.steps = 12;
    stress(2, 2) = 3e6;
  }
  std::unique_ptr<CrackSolver> solver(Context& context) const {
    context.setThreads(threads);
    const TriangleMesh mesh = gridBox(Vec3::Constant(side), cells);
    const BemSurface body(mesh);
    BoundaryData data(body.nodeCount(), body.triangleCount());
    for (size_t t = 0; t < body.triangleCount(); ++t) data.traction[t] = stress * body.normal(t);
    auto result = std::make_unique<CrackSolver>(mesh, body, data, material, options, context);
    if (radius <= 0) return result;
    const Vec3 u(std::cos(tilt), 0, -std::sin(tilt)), v(0, 1, 0);
    constexpr int kAround = 12;
    std::vector<Vec3> points{Vec3::Zero()};
    std::vector<Triangle> triangles;
    for (const double r : {0.5, 1.0})
      for (int k = 0; k < kAround; ++k) {
        const double a = 2 * shapes::kPi * k / kAround;
        points.push_back(r * radius * side * (std::cos(a) * u + std::sin(a) * v));
      }
    for (int k = 0; k < kAround; ++k) {
      const int a = 1 + k, b = 1 + (k + 1) % kAround;
      triangles.insert(triangles.end(), {{0, a, b}, {a, a + kAround, b + kAround}, {a, b + kAround, b}});
    }
    result->addCrack(points, triangles, context);
    return result;
  }
};

}  // namespace
}  // namespace hackle
