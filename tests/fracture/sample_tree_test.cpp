// SampleTree against a look at every sample.
#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/fracture/crack/pieces/sample_tree.h>

#include <functional>
#include <limits>

namespace hackle {
namespace {

using Which = SampleTree::Which;

CrackSample sampleAt(const Vec3& place, bool divides, int32_t number) {
  return {place, Vec3::UnitZ(), divides ? 1 : 0, 0, 0, number, 1.0f};
}

/// The nearest of all, the lowest number of those that are equally near.
int32_t nearestByForce(const SampleTree& tree, const Vec3& place, Which which, double reach = 1e15) {
  int32_t best = -1;
  double least = reach * reach;
  for (size_t i = 0; i < tree.samples().size(); ++i) {
    if (which == Which::Dividing && !tree.samples()[i].divides()) continue;
    const double d = (tree.samples()[i].place - place).squaredNorm();
    if (d > least || (d == least && best >= 0)) continue;
    least = d;
    best = static_cast<int32_t>(i);
  }
  return best;
}

using Draw = std::function<Vec3(Random&)>;

/// A cloud, a grid full of ties, one line, one place, almost a grid far from the origin.
std::vector<Draw> clouds() {
  const auto unit = [](Random& r) {
    const double x = r.uniform(), y = r.uniform(), z = r.uniform();
    return Vec3(x, y, z);
  };
  return {[=](Random& r) { return Vec3(50 * unit(r)); },
          [](Random& r) {
            const double x = static_cast<double>(r.below(6)), y = static_cast<double>(r.below(6));
            return Vec3(x, y, static_cast<double>(r.below(6)));
          },
          [](Random& r) { return Vec3(100 * r.uniform() - 50, 0, 0); },
          [](Random&) { return Vec3(1.5, -2.5, 3.5); },
          [=](Random& r) {
            const double x = static_cast<double>(r.below(6)), y = static_cast<double>(r.below(6));
            return Vec3(Vec3(3000.3 + x, y - 2000.7, 12345.6) + 1e-3 * unit(r));
          }};
}

SampleTree treeOf(const Draw& draw, size_t count, double dividing, Random& random) {
  std::vector<CrackSample> samples;
  for (size_t i = 0; i < count; ++i) {
    const Vec3 place = draw(random);
    samples.push_back(sampleAt(place, random.uniform() < dividing, static_cast<int32_t>(i)));
  }
  return SampleTree(std::move(samples));
}

TEST(SampleTree, FindsTheNearestSample) {
  Random random(1);
  for (const Draw& draw : clouds())
    for (const size_t count : {1u, 2u, 7u, 8u, 9u, 16u, 17u, 100u, 1000u}) {
      const SampleTree tree = treeOf(draw, count, 0.3, random);
      for (int k = 0; k < 60; ++k) {
        const Vec3 place = k % 3 ? Vec3(draw(random) + Vec3(0.5, 0.5, 0.003)) : draw(random);
        for (const Which which : {Which::Any, Which::Dividing})
          EXPECT_EQ(tree.nearest(place, which), nearestByForce(tree, place, which)) << count;
      }
    }
}

TEST(SampleTree, NoGuessChangesTheAnswer) {
  Random random(2);
  for (const Draw& draw : clouds()) {
    const SampleTree tree = treeOf(draw, 200, 0.5, random);
    for (int k = 0; k < 40; ++k) {
      const Vec3 place = draw(random);
      for (const Which which : {Which::Any, Which::Dividing}) {
        const int32_t expected = nearestByForce(tree, place, which);
        for (int32_t guess = -1; guess < 200; guess += 13)
          EXPECT_EQ(tree.nearest(place, which, guess), expected);
      }
    }
  }
}

TEST(SampleTree, SeesAsFarAsItMay) {
  Random random(3);
  for (const Draw& draw : clouds()) {
    const SampleTree tree = treeOf(draw, 300, 0.4, random);
    for (int k = 0; k < 60; ++k) {
      const Vec3 place = draw(random) + Vec3(0.5, 0.3, 0.1);
      for (const double reach : {0.0, 0.3, 1.0, 5.0, 40.0})
        EXPECT_EQ(tree.nearest(place, Which::Any, -1, reach), nearestByForce(tree, place, Which::Any, reach));
    }
  }
  // A sample at the very end of the reach counts.
  const SampleTree one(std::vector<CrackSample>{sampleAt({1, 2, 3}, true, 0)});
  EXPECT_EQ(one.nearest({1, 5, 7}, Which::Any, -1, 5.0), 0);
  EXPECT_EQ(one.nearest({1, 5, 7}, Which::Any, -1, 4.999), -1);
  EXPECT_EQ(one.nearest({1, 2, 3}, Which::Any, -1, 0.0), 0);
}

TEST(SampleTree, KnowsWhetherAnySampleDivides) {
  Random random(4);
  EXPECT_FALSE(SampleTree().anyDivides());
  EXPECT_EQ(SampleTree().nearest({0, 0, 0}, Which::Any), -1);
  EXPECT_EQ(SampleTree(std::vector<CrackSample>()).nearest({0, 0, 0}, Which::Any), -1);
  const SampleTree none = treeOf(clouds()[0], 50, 0, random), all = treeOf(clouds()[0], 50, 1, random);
  EXPECT_FALSE(none.anyDivides());
  EXPECT_EQ(none.nearest({0, 0, 0}, Which::Dividing), -1);
  EXPECT_GE(none.nearest({0, 0, 0}, Which::Any), 0);
  EXPECT_TRUE(all.anyDivides());
}

TEST(SampleTree, KeepsSamplesAndTheOrderOfThoseInOneVoxel) {
  Random random(5);
  for (const Draw& draw : clouds()) {
    const SampleTree tree = treeOf(draw, 400, 0.5, random);
    std::vector<int> seen(400, 0);
    for (size_t i = 0; i < tree.samples().size(); ++i) {
      ++seen[tree.samples()[i].triangle];
      if (i == 0) continue;
      const CrackSample &a = tree.samples()[i - 1], &b = tree.samples()[i];
      if (a.place.array().floor().matrix() == b.place.array().floor().matrix()) {
        EXPECT_LT(a.triangle, b.triangle);
      }
    }
    EXPECT_EQ(seen, std::vector<int>(400, 1));
  }
}

}  // namespace
}  // namespace hackle
