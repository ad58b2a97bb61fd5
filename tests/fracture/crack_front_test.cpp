#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/fine_front.h>
#include <hackle/geometry/triangle_mesh.h>

#include <cmath>

namespace hackle {
namespace {

/// A round front in the plane z = 0 of a cube, under the same intensities everywhere.
struct Ring {
  static constexpr size_t kNodes = 12, kPerEdge = 20;
  Context context;
  TriangleBvh body;
  ScalarField toughness = ScalarField::constant(1.0);
  SheetBand own{0.01};
  std::vector<FrontTrace> traces;
  FrontWorld world;
  FineFront front;
  std::vector<Vec3> before;

  explicit Ring(double radius = 0.2)
      : body(triangleMesh(shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5))), context) {
    world.body = &body;
    world.toughness = &toughness;
    world.rayleighSpeed = 1000;
    world.poisson = 0.25;
    world.compressionRatio = 2;
    world.fine = 0.01;
    world.coarse = 0.2;
    world.own = &own;
    world.traces = &traces;
    std::vector<Vec3> nodes;
    for (size_t k = 0; k < kNodes; ++k) {
      const double a = angleOf(k);
      nodes.push_back(radius * Vec3(std::cos(a), std::sin(a), 0));
    }
    front = FineFront(nodes, std::vector<char>(nodes.size(), 0), kPerEdge, world);
  }
  static double angleOf(size_t k) { return 2 * shapes::kPi * static_cast<double>(k) / kNodes; }
  void load(const Vec3& k) {
    std::vector<FrontFrame> frames;
    for (size_t i = 0; i < kNodes; ++i)
      frames.push_back({Vec3::UnitZ(), Vec3(std::cos(angleOf(i)), std::sin(angleOf(i)), 0), k});
    front.setFrames(frames, world);
  }
  size_t subSteps(int count) {
    size_t moved = 0;
    for (int s = 0; s < count; ++s) {
      moved += front.subStep(s / (count - 1.0), world, before, context);
      for (size_t i = 0; i < before.size(); ++i) {
        const size_t j = (i + 1) % before.size();
        own.add(before[i], front.markers()[i].position, front.markers()[j].position);
        own.add(before[i], front.markers()[j].position, before[j]);
        traces.insert(traces.end(), 2, traceOf(front.markers()[i]));
      }
      front.spread();
    }
    return moved;
  }
};

TEST(CrackFront, OpeningMovesStraightOnAtTheSpeedOfTheLaw) {
  Ring ring;
  ring.load({2.0, 0, 0});
  ring.subSteps(10);
  // v = c_R (1 - 1/4), so each sub step goes 0.75 r_f.
  for (size_t k = 0; k < Ring::kNodes; ++k)
    EXPECT_NEAR(ring.front.nodeMarker(k).position.norm(), 0.2 + 10 * 0.75 * 0.01, 1e-12);
  for (const FrontMarker& m : ring.front.markers()) EXPECT_EQ(m.position.z(), 0);
}

TEST(CrackFront, NothingMovesBelowTheToughness) {
  Ring ring;
  ring.load({0.99, 0, 0});
  EXPECT_EQ(ring.subSteps(5), 0u);
  ring.load({-1.9, 0, 0});  // closed by less than f_c times the toughness
  EXPECT_EQ(ring.subSteps(5), 0u);
  ring.load({-2.5, 0, 0});
  EXPECT_GT(ring.subSteps(5), 0u);
}

TEST(CrackFront, StopsWhereToughnessRises) {
  Ring ring;
  ring.toughness = ScalarField::linear(0.0, Vec3(4.0, 0, 0)).clamped(1.0, {});
  for (int i = 0; i < 6; ++i) {
    ring.load({1.4, 0, 0});
    ring.subSteps(10);
  }
  double furthest = 0;
  for (const FrontMarker& m : ring.front.markers()) furthest = std::max(furthest, m.position.x());
  EXPECT_LT(furthest, 1.4 / 4.0 + 0.01);
  EXPECT_GT(ring.front.nodeMarker(Ring::kNodes / 2).inner.norm(), 0.45);
}

TEST(CrackFront, SlidingTurnsSmoothlyToTheKinkAngle) {
  Ring ring;
  ring.load({0, 5.0, 0});
  ring.subSteps(10);
  // The direction is blended from straight on to -70.5 degrees over the step.
  const Vec3 d = ring.front.nodeMarker(0).direction;
  EXPECT_NEAR(std::atan2(d.z(), d.x()) * 180 / shapes::kPi, -70.53, 0.01);
  ring.load({5.0, 0, 0});
  ring.front.subStep(0.0, ring.world, ring.before, ring.context);
  const Vec3 next = ring.front.nodeMarker(0).direction;
  EXPECT_NEAR(next.dot(d), 1, 1e-9) << "the first sub step goes on as before";
}

TEST(CrackFront, MarkersStayEquallySpaced) {
  Ring ring;
  ring.load({2.0, 0, 0});
  ring.subSteps(10);
  const auto& markers = ring.front.markers();
  for (size_t e = 0; e < Ring::kNodes; ++e) {
    double least = 1e9, most = 0;
    for (size_t k = 0; k < Ring::kPerEdge; ++k) {
      const size_t i = e * Ring::kPerEdge + k;
      const double d = (markers[(i + 1) % markers.size()].position - markers[i].position).norm();
      least = std::min(least, d);
      most = std::max(most, d);
    }
    EXPECT_LT(most / least, 1.01);
  }
}

TEST(CrackFront, NeverLeavesTheBody) {
  Ring ring;
  for (int step = 0; step < 12; ++step) {
    ring.load({3.0, 0.5, 0});
    ring.subSteps(20);
    for (const FrontMarker& m : ring.front.markers()) {
      EXPECT_LE(m.inner.cwiseAbs().maxCoeff(), 0.5 + 1e-9);
      if (m.state == MarkerState::Left) {
        EXPECT_LE(m.position.cwiseAbs().maxCoeff(), 0.5 + 0.021);
      }
    }
  }
  EXPECT_FALSE(ring.front.active());
}

TEST(CrackFront, StopsAtAnotherCrack) {
  Ring ring;
  SheetBand wall(0.01);
  wall.add({0.3, -1, -1}, {0.3, 1, -1}, {0.3, 1, 1});
  wall.add({0.3, -1, -1}, {0.3, 1, 1}, {0.3, -1, 1});
  ring.world.others.push_back(&wall);
  for (int step = 0; step < 4; ++step) {
    ring.load({3.0, 0, 0});
    ring.subSteps(20);
  }
  for (const FrontMarker& m : ring.front.markers()) {
    EXPECT_LE(m.position.x(), 0.3 + 1e-12);
    if (m.state == MarkerState::Blocked) {
      EXPECT_NEAR(m.position.x(), 0.3, 1e-12) << "cracks join without a gap";
    }
  }
  EXPECT_EQ(ring.front.nodeMarker(0).state, MarkerState::Blocked);
}

TEST(CrackFront, ResamplingKeepsTheLineAndTheStates) {
  Ring ring(0.45);
  ring.load({3.0, 0, 0});
  ring.subSteps(8);
  std::vector<size_t> nodes;
  for (size_t e = 0; e < Ring::kNodes; ++e) {
    nodes.push_back(e * Ring::kPerEdge);
    if (e == 3) nodes.push_back(e * Ring::kPerEdge + Ring::kPerEdge / 2);
  }
  const std::vector<FrontMarker> old = ring.front.markers();
  ring.front.resample(nodes);
  EXPECT_EQ(ring.front.edgeCount(), Ring::kNodes + 1);
  EXPECT_EQ(ring.front.nodeMarker(4).position, old[3 * Ring::kPerEdge + Ring::kPerEdge / 2].position);
  EXPECT_EQ(ring.front.nodeMarker(0).position, old[0].position);
  EXPECT_EQ(ring.front.nodeMarker(0).state, old[0].state);
}

TEST(CrackFront, TheSameOnAnyNumberOfThreads) {
  const auto run = [](int threads) {
    Ring ring;
    ring.context.setThreads(threads);
    ring.toughness = ScalarField::noise(1.2, 0.5, 0.1, 7, 3);
    for (int step = 0; step < 5; ++step) {
      ring.load({2.0, 0.2, 0.3});
      ring.subSteps(20);
    }
    return ring.front.markers();
  };
  const auto one = run(1), four = run(4);
  ASSERT_EQ(one.size(), four.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i].position, four[i].position);
}

}  // namespace
}  // namespace hackle
