#include "bem/elastic_bodies.h"
#include "fracture/penny_cube.h"

#include <hackle/bem/evaluation.h>
#include <hackle/bem/mouth.h>
#include <hackle/core/context.h>
#include <hackle/fracture/crack/growth/branching.h>
#include <hackle/fracture/crack/growth/crack_state.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace hackle {
namespace {

/// Brown and Srawley's strip under tension with an edge crack: K_I over s sqrt(pi a).
double stripFactor(double ratio) {
  return 1.12 - 0.231 * ratio + 10.55 * ratio * ratio - 21.72 * std::pow(ratio, 3) +
         30.39 * std::pow(ratio, 4);
}

constexpr double kWidth = 3;

/// A block under tension along y.
std::unique_ptr<CrackSolver> pulledBlock(Context& context, CrackMethod method = CrackMethod::Full) {
  const auto box = bodies::box({0, -3, 0}, {kWidth, 3, 3}, {6, 12, 6});
  TriangleMesh mesh;
  mesh.points = box.points;
  mesh.triangles = box.triangles;
  const BemSurface body(mesh);
  BoundaryData data(body.nodeCount(), body.triangleCount());
  for (size_t t = 0; t < body.triangleCount(); ++t)
    if (std::abs(body.normal(t).y()) > 0.5) data.traction[t] = Vec3(0, body.normal(t).y(), 0);
  CrackMaterial material;
  material.elastic = {1, 0, 1};
  material.strength = ScalarField::constant(1e9);
  material.toughness = ScalarField::constant(0.5);
  CrackOptions options;
  options.coarse = 0.5;
  options.fine = 0.05;
  options.cracks = 0;
  options.method = method;
  return std::make_unique<CrackSolver>(mesh, body, data, material, options, context);
}

/// The same with a crack over a third of its width.
std::unique_ptr<CrackSolver> edgeCrackedBlock(Context& context, CrackMethod method = CrackMethod::Full) {
  auto solver = pulledBlock(context, method);
  bodies::Mesh sheet;
  bodies::addGrid(sheet, 6, 2, [](double u, double v) { return Vec3(v, 0, 3 * u); });
  solver->addCrack(sheet.points, sheet.triangles, context);
  return solver;
}

/// Mean depth of the middle of a straight front, and K_I there over the exact one.
std::pair<double, double> depthAndIntensity(const CrackSolver& solver) {
  double k = 0, depth = 0;
  int count = 0;
  for (const FrontNode& f : solver.intensities()) {
    const Vec3& p = solver.system().surface().point(static_cast<size_t>(f.node));
    if (p.z() < 0.9 || p.z() > 2.1 || f.outward.x() < 0.7) continue;
    k += f.k[0];
    depth += p.x();
    ++count;
  }
  EXPECT_GT(count, 0);
  depth /= count;
  return {depth, k / count / (stripFactor(depth / kWidth) * std::sqrt(bodies::kPi * depth))};
}

TEST(CrackMouth, AnEdgeCrackThatGrowsHasTheIntensityOfAStrip) {
  Context context;
  const auto solver = edgeCrackedBlock(context);
  for (int i = 0; i < 4; ++i) {
    solver->step(context);
    const auto [depth, k] = depthAndIntensity(*solver);
    // Where the mouth is yet to follow the front, less: held shut at the surface it would be 7.9 in the end.
    EXPECT_GT(k, 0.6) << "depth " << depth;
    EXPECT_LT(k, 1.1) << "depth " << depth;
  }
}

TEST(CrackMouth, EstimatedMouthsRaiseTheIntensityOfWhatIsLeft) {
  Context context;
  const auto solver = edgeCrackedBlock(context, CrackMethod::Fast);
  const size_t unknowns = solver->system().unknowns();
  for (int i = 0; i < 3; ++i) {
    solver->step(context);
    const auto [depth, k] = depthAndIntensity(*solver);
    EXPECT_GT(k, 0.5) << "depth " << depth;
    EXPECT_LT(k, 1.1) << "depth " << depth;
  }
  EXPECT_EQ(solver->system().unknowns(), unknowns);
  EXPECT_FALSE(solver->cracks()[0]->lips().empty());
}

TEST(CrackMouth, KnownJumpsOfAMouthActAsSolvedOnesDo) {
  Context context;
  const auto block = pulledBlock(context);
  bodies::Mesh sheet;
  bodies::addGrid(sheet, 6, 2, [](double u, double v) { return Vec3(v, 0, 3 * u); });
  const CrackGrowth growth = crackWithMouth(block->system().surface(), block->system().body().triangleCount(),
                                            sheet.points, sheet.triangles);
  BemSystem solved = block->system(), known = block->system();
  solved.growCracks(growth, context);
  const BemSolution exact = solved.solve(context);
  Eigen::VectorXd jumps(3 * static_cast<Eigen::Index>(growth.opened.size()));
  for (size_t i = 0; i < growth.opened.size(); ++i)
    jumps.segment<3>(3 * static_cast<Eigen::Index>(i)) =
        exact.displacement(static_cast<size_t>(growth.opened[i]));
  known.addSheets(growth);
  known.setKnownJumps(growth.opened, jumps,
                      known.jumpLoads(growth.opened, jumps, CrackOptions().quadrature, context).col(0));
  const BemSolution same = known.solve(context);
  ASSERT_EQ(same.u.size(), exact.u.size());
  EXPECT_LT((same.u - exact.u).norm(), 1e-6 * exact.u.norm());
}

TEST(CrackMouth, AResumedRunGoesOnWithItsMouths) {
  for (const CrackMethod method : {CrackMethod::Full, CrackMethod::Fast}) {
    Context context;
    const auto whole = edgeCrackedBlock(context, method), killed = edgeCrackedBlock(context, method);
    for (int i = 0; i < 3; ++i) killed->step(context);
    ASSERT_FALSE(killed->cracks()[0]->lips().empty());
    const auto resumed = pulledBlock(context, method);
    resumeCracks(*resumed, saveCrackState(*killed), context);
    for (int i = 0; i < 5; ++i) whole->step(context);
    for (int i = 0; i < 2; ++i) resumed->step(context);
    EXPECT_EQ(resumed->cracks()[0]->lips(), whole->cracks()[0]->lips());
    EXPECT_EQ(resumed->log().back().intensity, whole->log().back().intensity);
    EXPECT_EQ(resumed->solution().u, whole->solution().u);
  }
}

/// With another crack in its way, along the tension.
std::unique_ptr<CrackSolver> blockWithACrackAhead(Context& context) {
  auto solver = edgeCrackedBlock(context);
  bodies::Mesh sheet;
  bodies::addGrid(sheet, 5, 6, [](double u, double v) { return Vec3(1.9, 2.6 * v - 1.3, 0.5 + 2 * u); });
  solver->addCrack(sheet.points, sheet.triangles, context);
  return solver;
}

/// Triangles of a crack's strips that double those of another crack.
size_t stripsOntoCracks(const CrackSolver& solver, size_t crack) {
  const auto& lips = solver.cracks()[crack]->lips();
  return static_cast<size_t>(std::count_if(lips.begin(), lips.end(), [&](const std::array<int32_t, 4>& lip) {
    return static_cast<size_t>(lip[3]) >= solver.system().body().triangleCount();
  }));
}

TEST(CrackMouth, ACrackThatMeetsAnotherOpensThere) {
  Context context;
  const auto solver = blockWithACrackAhead(context);
  for (int i = 0; i < 5; ++i) solver->step(context);
  EXPECT_GT(stripsOntoCracks(*solver, 0), 0u);
  EXPECT_EQ(stripsOntoCracks(*solver, 1), 0u);
  const BemSurface& surface = solver->system().surface();
  double atMouth = 0, atJunction = 0;
  for (const int32_t n : solver->system().openedNodes()) {
    const size_t node = static_cast<size_t>(n), site = static_cast<size_t>(surface.site(node));
    if (site == node) continue;
    double& most = site < solver->system().body().nodeCount() ? atMouth : atJunction;
    most = std::max(most, std::abs(solver->solution().opening(node).y()));
  }
  // Held shut it would be nothing; the faces still part as a hinge at the front beyond lets them.
  EXPECT_GT(atJunction, 0.1 * atMouth);
  EXPECT_LT(atJunction, atMouth);
}

TEST(CrackMouth, AResumedRunGoesOnWhereCracksMeet) {
  Context context;
  const auto whole = blockWithACrackAhead(context), killed = blockWithACrackAhead(context);
  for (int i = 0; i < 4; ++i) killed->step(context);
  ASSERT_GT(stripsOntoCracks(*killed, 0), 0u);
  const auto resumed = pulledBlock(context);
  resumeCracks(*resumed, saveCrackState(*killed), context);
  for (int i = 0; i < 6; ++i) whole->step(context);
  for (int i = 0; i < 2; ++i) resumed->step(context);
  EXPECT_EQ(resumed->cracks()[0]->lips(), whole->cracks()[0]->lips());
  EXPECT_EQ(resumed->solution().u, whole->solution().u);
}

TEST(CrackMouth, SurfaceStressBesideAMouthIsThatOfTheOpenBody) {
  // Beside the mouth of a crack across the tension the surface is free of it, on both sides alike.
  Context context;
  const auto solver = edgeCrackedBlock(context);
  solver->step(context);
  const BemSystem& system = solver->system();
  const std::vector<Mat3> stress = bodyStresses(system, solver->solution());
  int compared = 0;
  for (const auto& [triangle, jump] : mouthJumps(system, solver->solution())) {
    const size_t t = static_cast<size_t>(triangle);
    const Vec3 mirrored = Vec3(1, -1, 1).cwiseProduct(system.body().centroid(t));
    for (size_t other = 0; other < system.body().triangleCount(); ++other) {
      if ((system.body().centroid(other) - mirrored).norm() > 0.2) continue;
      if ((system.body().centroid(other) - system.body().centroid(t)).norm() < 0.1) continue;
      if (std::abs(mirrored.x()) > 0.01 || mirrored.z() < 0.6 || mirrored.z() > 2.4) continue;
      EXPECT_NEAR(stress[t](1, 1), stress[other](1, 1), 0.25) << "at " << mirrored.transpose();
      EXPECT_LT(std::abs(stress[t](1, 1)), 0.6);  // of the tension 1
      ++compared;
    }
  }
  EXPECT_GT(compared, 2);
}

TEST(CrackMouth, WhatHasGrownSinceTheSolutionIsShut) {
  Context context;
  const auto solver = edgeCrackedBlock(context);
  for (int i = 0; i < 3; ++i) solver->step(context);
  const BemSystem& system = solver->system();
  const BemSolution& solution = solver->solution();
  const size_t solved = static_cast<size_t>(solution.u.size() / 3), first = system.body().triangleCount();
  ASSERT_GT(system.surface().nodeCount(), solved);
  std::vector<std::array<bool, 3>> isSolved;
  for (size_t i = 0; i < system.crackOnto().size(); ++i) {
    const int32_t on = system.crackOnto()[i];
    if (on < 0 || static_cast<size_t>(on) >= first) continue;
    const Triangle& corners = system.surface().triangle(first + i);
    auto& known = isSolved.emplace_back();
    for (size_t c = 0; c < 3; ++c) known[c] = static_cast<size_t>(corners[c]) < solved;
  }
  const auto jumps = mouthJumps(system, solution);
  ASSERT_EQ(jumps.size(), isSolved.size());
  size_t shut = 0;
  for (size_t i = 0; i < jumps.size(); ++i)
    for (size_t c = 0; c < 3; ++c) {
      if (isSolved[i][c]) continue;
      EXPECT_TRUE(jumps[i].second[c].isZero(0));
      ++shut;
    }
  EXPECT_GT(shut, 0u);
}

TEST(CrackMouth, APennyStaysPlanarWhereNoEdgesLieInItsPlane) {
  Context context;
  PennyCube cube;
  cube.cells = 7;
  const auto solver = cube.solver(context);
  solver->run(context);
  EXPECT_LT(farthestFromPlane(solver->cracks()[0]->band()), 0.5 * cube.options.fine);
}

TEST(CrackBranching, BothFacesOfACrackAlongTheTensionCarryIt) {
  // Tension in the plane of a crack does not open it: its faces have the stress of the whole body.
  Context context;
  PennyCube cube;
  cube.radius = 0.3;
  cube.stress = Vec3(2e6, 0, 0).asDiagonal();
  const auto solver = cube.solver(context);
  solver->step(context);
  const auto faces = crackFaces(solver->system(), solver->solution(), context);
  for (const CrackFaces& face : faces) {
    ASSERT_FALSE(face.stress.empty());
    for (size_t t = 0; t < face.stress.size(); ++t) {
      EXPECT_NEAR(face.stress[t](0, 0), 2e6, 4e4) << t;
      EXPECT_NEAR(face.stress[t](1, 1), 0, 4e4) << t;
    }
  }
  EXPECT_LT(faces[0].surface.normal(0).dot(faces[1].surface.normal(0)), -0.999);
}

TEST(CrackBranching, FacesOfAShearedCrackHaveTheStressOfTheMaterialBesideThem) {
  // Sliding stretches one face where it shortens the other: a matter of sides and signs.
  Context context;
  PennyCube cube;
  cube.radius = 0.3;
  cube.material.toughness = ScalarField::constant(1e12);
  cube.stress(0, 2) = cube.stress(2, 0) = 2e6;
  const auto solver = cube.solver(context);
  solver->step(context);
  const BemSystem& system = solver->system();
  const BemSolution& solution = solver->solution();
  const BoundaryField field(system.surface(), system.material(), nodeSpace(system.surface()), solution.u,
                            solution.q);
  for (const CrackFaces& face : crackFaces(system, solution, context)) {
    std::vector<Vec3> below;
    for (size_t t = 0; t < face.stress.size(); ++t)
      below.push_back(face.surface.centroid(t) - 1e-4 * face.surface.normal(t));
    const std::vector<Mat3> inside = field.stresses(below, context);
    // Triangle by triangle a sheet of two rings is too coarse; over all of it they are the same field.
    double both = 0, square = 0;
    for (size_t t = 0; t < inside.size(); ++t) {
      both += face.stress[t](0, 0) * inside[t](0, 0);
      square += inside[t](0, 0) * inside[t](0, 0);
    }
    EXPECT_GT(square, static_cast<double>(inside.size()) * 1e12);
    EXPECT_NEAR(both / square, 1, 0.25);
  }
}

TEST(CrackBranching, StartsOnFacesOnlyWhenAsked) {
  Context context;
  PennyCube cube;
  cube.radius = 0.3;
  cube.stress = Vec3(2e6, 0, 0).asDiagonal();
  cube.options.cracks = 100;
  // Weak in the middle of the cube only.
  cube.material.strength = ScalarField::waves(1e6, 9e6, 0.9, Vec3(0, 1, 0));
  for (const bool branching : {false, true}) {
    cube.options.branching = branching;
    const auto solver = cube.solver(context);
    solver->step(context);
    size_t above = 0, below = 0;
    for (size_t c = 1; c < solver->cracks().size(); ++c) {
      const Vec3& centre = solver->cracks()[c]->band().triangle(0)[0];
      if (centre.norm() < 0.25) ++(centre.z() > 0 ? above : below);
    }
    EXPECT_EQ(above, below);
    EXPECT_EQ(above > 0, branching);
  }
}

}  // namespace
}  // namespace hackle
