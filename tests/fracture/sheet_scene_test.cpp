// Laws of what acts on sheets: strikers, springs, interlayers, guides, grain.
#include "sheet_meshes.h"

#include <hackle/fracture/sheet/sheet_simulation.h>

#include <gtest/gtest.h>

#include <algorithm>

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;

SheetMesh square(double thickness, const Vec3& corner = Vec3::Zero()) {
  sheets::Grid grid = sheets::rectangle(1, 1, 8, 8);
  for (Vec3& p : grid.points) p += corner;
  return SheetMesh::make(grid.points, grid.triangles, thickness);
}

Vec3 momentum(const SheetSimulation& simulation) {
  Vec3 sum = Vec3::Zero();
  const std::vector<double> mass = simulation.mesh().masses(simulation.options().material.density);
  for (size_t p = 0; p < mass.size(); ++p) sum += mass[p] * simulation.mesh().v[p];
  for (const SheetObstacle& o : simulation.obstacles()) sum += o.mass * o.velocity;
  return sum;
}

/// A ball bounces off a free sheet: momentum stays, energy does not grow, and no vertex gets into the ball.
TEST(SheetScene, StrikersExchangeMomentumAndStayOutside) {
  Context context;
  SheetOptions options = sheets::softSheet();
  options.material.young = 1e8;
  options.step = 2e-4;
  options.contact.reach = 5e-3;
  options.contact.stiffness = 1e4;
  SheetObstacle ball;
  ball.shape = SheetObstacle::Shape::Ball;
  ball.radius = 0.1;
  ball.position = Vec3(0.52, 0.47, 0.112);
  ball.velocity = Vec3(0, 0, -2);
  ball.mass = 0.2;
  options.obstacles = {ball};
  SheetSimulation simulation(square(options.thickness), options, context);
  const Vec3 before = momentum(simulation);
  const double energy = 0.5 * ball.mass * ball.velocity.squaredNorm();
  double nearest = INFINITY;
  while (simulation.time() < 0.05) {
    simulation.step(0.05, context);
    for (const Vec3& x : simulation.mesh().x)
      nearest = std::min(nearest, (x - simulation.obstacles()[0].position).norm() - ball.radius);
    const SheetEnergy& e = simulation.energy();
    ASSERT_LT(e.kinetic + e.elastic + e.strikers, 1.02 * energy) << simulation.time();
  }
  EXPECT_GT(nearest, 0.5 * options.thickness);
  EXPECT_LT(nearest, 0.5 * options.thickness + options.contact.reach);
  EXPECT_GT(simulation.obstacles()[0].velocity.z(), -1.5);
  // Steps of changing length do not add up exactly; 0.3 % are measured.
  EXPECT_LT((momentum(simulation) - before).norm(), 5e-3 * before.norm());
}

/// A sheet that springs of stiffness k hold sinks by m g / k.
TEST(SheetScene, SoftPinsGiveWayByForceOverStiffness) {
  Context context;
  SheetOptions options = sheets::softSheet();
  options.gravity = Vec3(0, 0, -10);
  options.quasistatic = true;
  options.step = 1;
  SheetPin pin;
  pin.half = Vec3::Constant(2);
  pin.stiffness = 200;
  pin.keys = {{0, Vec3(0.1, 0, 0), Vec3::Zero()}};
  options.pins = {pin};
  SheetSimulation simulation(square(options.thickness), options, context);
  simulation.advance(8, context);
  Vec3 moved = Vec3::Zero();
  const SheetMesh& mesh = simulation.mesh();
  for (size_t p = 0; p < mesh.vertexCount(); ++p)
    moved += (mesh.x[p] - mesh.rest[p]) / static_cast<double>(mesh.vertexCount());
  EXPECT_NEAR(moved.z(), -10.0 / pin.stiffness, 1e-6);
  EXPECT_NEAR(moved.x(), 0.1, 1e-6);
}

/// One half of a cut sheet hangs on the other by the interlayer: the cut opens by weight over stiffness, and
/// beyond its tear the layer is gone.
TEST(SheetScene, InterlayerOpensByForceOverStiffnessAndTears) {
  for (const bool tears : {false, true}) {
    Context context;
    SheetOptions options = sheets::softSheet();
    options.gravity = Vec3(10, 0, 0);
    options.quasistatic = true;
    options.step = 1;
    options.interlayer = 100;
    options.interlayerTear = tears ? 0.03 : 1.0;
    SheetPin pin;
    pin.centre = Vec3(0, 0.5, 0);
    pin.half = Vec3(1e-6, 1, 1);
    options.pins = {pin};
    SheetSimulation simulation(square(options.thickness), options, context);
    simulation.addCrack({0.5, 0, 0}, {0.5, 1, 0}, context);
    ASSERT_EQ(simulation.pieces(), 2u);
    const SheetMesh& mesh = simulation.mesh();
    ASSERT_GT(mesh.twins.size(), 4u);
    for (int i = 0; i < 6; ++i) simulation.step(100, context);
    if (tears) {
      EXPECT_TRUE(mesh.twins.empty());
      continue;
    }
    double open = 0;
    for (const Edge& pair : mesh.twins)
      open += (mesh.x[pair[0]] - mesh.x[pair[1]]).norm() / static_cast<double>(mesh.twins.size());
    EXPECT_NEAR(open, 0.5 * 1.0 * 10 / options.interlayer, 0.001);  // half of 1 kg on 1 m of crack
  }
}

/// Middles of the edges of an edge crack beyond x = -0.3 in a square panel about the origin that is pulled
/// along y.
std::vector<Vec3> grownPath(SheetOptions options, Context& context) {
  options.material = {1e9, 0.3, 1000, 0, 0};
  options.thickness = 1e-2;
  options.fine = 0.025;
  options.coarse = 0.1;
  options.births = false;
  options.gravity.setZero();
  options.quasistatic = true;
  options.step = 1;
  options.toughness = 1e5;
  for (const double y : {-0.5, 0.5}) {
    SheetPin pin;
    pin.centre = Vec3(0, y, 0);
    pin.half = Vec3(1, 1e-6, 1);
    if (y > 0) pin.keys = {{0, Vec3::Zero(), Vec3::Zero()}, {20, Vec3(0, 1e-3, 0), Vec3::Zero()}};
    options.pins.push_back(pin);
  }
  SheetSimulation sheet(square(options.thickness, {-0.5, -0.5, 0}), options, context);
  sheet.addCrack({-0.5, 0, 0}, {-0.3, 0, 0}, context);
  while (sheet.time() < 20 && sheet.tips()[0].active && sheet.crackLength() < 0.35) sheet.step(20, context);
  EXPECT_GT(sheet.crackLength(), 0.3);
  std::vector<Vec3> path;
  const SheetMesh& mesh = sheet.mesh();
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (int k = 0; k < 3; ++k) {
      if (mesh.kind[mesh.edges[f][k]] != SheetEdgeKind::Crack) continue;
      const Vec3 middle =
          0.5 * (mesh.rest[mesh.faces[f][(k + 1) % 3]] + mesh.rest[mesh.faces[f][(k + 2) % 3]]);
      if (middle.x() > -0.3) path.push_back(middle);
    }
  return path;
}

/// A weak line that leaves the straight path by 15 degrees takes the crack along.
TEST(SheetScene, CracksFollowGuides) {
  Context context;
  SheetOptions options;
  const Vec3 start(-0.3, 0, 0), along(std::cos(kPi / 12), std::sin(kPi / 12), 0);
  options.guides = {{start, start + along, 0.2}};
  for (const Vec3& p : grownPath(options, context)) {
    const Vec3 off = p - start;
    EXPECT_LT((off - off.dot(along) * along).norm(), 0.025) << p.transpose();
  }
}

/// A crack turns towards the grain, to the side to which the grain points, and by no more than its angle.
TEST(SheetScene, CracksTurnTowardsTheGrain) {
  Context context;
  for (const double side : {1.0, -1.0}) {
    SheetOptions options;
    options.grain = Vec3(std::cos(kPi / 6), side * std::sin(kPi / 6), 0);
    options.grainRatio = 4;
    double rise = 0, run = 0;
    for (const Vec3& p : grownPath(options, context))
      if (p.x() < 0) {
        rise = std::max(rise, side * p.y());
        run = std::max(run, p.x() + 0.3);
      }
    EXPECT_GT(rise, 0.2 * run) << side;
    EXPECT_LT(rise, std::tan(kPi / 6) * run + 0.025) << side;
  }
}

/// A square of glass, 0.1 m wide, without any load but the stress stored in it (a part of the one that just
/// drives a crack, README eq. 15), with an edge crack.
SheetSimulation temperedSquare(double part, double branching, Context& context) {
  SheetOptions options;
  options.material = {70e9, 0.22, 2500, 1e-7, 0};
  options.thickness = 4e-3;
  options.fine = 6e-3;
  options.coarse = 2e-2;
  options.births = false;
  options.gravity.setZero();
  options.step = 5e-6;
  options.toughness = 0.75e6;
  options.branching = branching;
  options.stored = part * options.toughness / std::sqrt(0.28 * options.thickness);
  sheets::Grid grid = sheets::rectangle(0.1, 0.1, 8, 8);
  SheetSimulation sheet(SheetMesh::make(grid.points, grid.triangles, options.thickness), options, context);
  sheet.addCrack({0.05, 0, 0}, {0.05, 0.012, 0}, context);
  sheet.advance(1.5e-4, context);
  sheet.mesh().checkInvariants();
  return sheet;
}

TEST(SheetScene, StoredStressDrivesCracksBeyondAThreshold) {
  Context context;
  EXPECT_EQ(temperedSquare(0.97, 0, context).crackLength(), 0);
  const SheetSimulation driven = temperedSquare(1.5, 0, context);
  EXPECT_EQ(driven.pieces(), 2u);
  // Straight on: nothing turns it.
  EXPECT_NEAR(driven.crackLength(), 0.088, 0.008);
}

/// Twice the threshold is four times the energy: cracks divide until they meet others.
TEST(SheetScene, StoredStressBreaksGlassIntoDice) {
  Context context;
  const SheetSimulation sheet = temperedSquare(2, 3, context);
  const size_t pieces = sheet.pieces();
  EXPECT_GT(pieces, 12u);
  EXPECT_LT(pieces, 60u);
  // No piece is left that is much larger than the others: dice everywhere.
  std::vector<double> areas = sheet.pieceAreas();
  std::sort(areas.begin(), areas.end());
  EXPECT_LT(areas.back(), 0.25 * 0.01);
  double total = 0;
  for (const double a : areas) total += a;
  EXPECT_NEAR(total, 0.01, 1e-12);
}

}  // namespace
}  // namespace hackle
