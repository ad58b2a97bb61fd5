#include <gtest/gtest.h>
#include <hackle/core/random.h>

#include <set>
#include <vector>

namespace hackle {
namespace {

TEST(Random, DependsOnSeedAndIdAlone) {
  for (const uint64_t id : {0ULL, 1ULL, 77ULL}) {
    Random a(5, id), b(5, id), c(6, id), d(5, id + 1);
    const uint64_t first = a.next();
    EXPECT_EQ(first, b.next());
    EXPECT_NE(first, c.next());
    EXPECT_NE(first, d.next());
  }
}

TEST(Random, NeighbouringStreamsAreUncorrelated) {
  // Means over many streams' first numbers: uniform gives 1/2 +- 4 sigma, and products of neighbours 1/4.
  const int n = 100000;
  double sum = 0, product = 0, previous = Random(9, 0).uniform();
  for (int id = 1; id <= n; ++id) {
    const double u = Random(9, static_cast<uint64_t>(id)).uniform();
    sum += u;
    product += u * previous;
    previous = u;
  }
  EXPECT_NEAR(sum / n, 0.5, 4 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(product / n, 0.25, 4 * std::sqrt(7.0 / 144 / n));
}

TEST(Random, MomentsOfUniformAndNormal) {
  Random random(1, 2);
  const int n = 200000;
  double mean = 0, square = 0, fourth = 0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    mean += x / n;
    square += x * x / n;
    fourth += x * x * x * x / n;
    const double u = random.uniform(-3, 5);
    ASSERT_GE(u, -3);
    ASSERT_LT(u, 5);
  }
  EXPECT_NEAR(mean, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(square, 1, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth, 3, 4 * std::sqrt(96.0 / n));
}

TEST(Random, BelowCoversItsRangeEvenly) {
  Random random(3, 4);
  std::vector<int> counts(7, 0);
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
}

}  // namespace
}  // namespace hackle
