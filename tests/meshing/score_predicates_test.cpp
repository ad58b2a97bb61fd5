#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/meshing/cut/score_predicates.h>

#include <algorithm>

namespace hackle {
namespace {

/// Points and sites on a coarse integer grid: nearly every question is a tie that only the perturbation
/// decides.
struct Scene {
  std::vector<Vec3> points, sites;
  Box3 box;

  Scene(uint64_t seed, int grid, double scale) {
    Random random(seed);
    const auto coordinate = [&] {
      return scale * static_cast<double>(random.below(static_cast<uint64_t>(grid)));
    };
    for (int i = 0; i < 12; ++i) points.emplace_back(coordinate(), coordinate(), coordinate());
    while (sites.size() < 8) {
      const Vec3 p(coordinate(), coordinate(), coordinate());
      if (std::find(sites.begin(), sites.end(), p) == sites.end()) sites.push_back(p);
    }
    box.min = Vec3::Constant(-scale);
    box.max = Vec3::Constant(scale * grid);
  }
};

class PredicateTest : public testing::TestWithParam<int> {
 protected:
  PredicateTest()
      : mScene(static_cast<uint64_t>(GetParam()), GetParam() % 2 ? 3 : 1000003, GetParam() % 3 ? 1.0 : 1e-7) {
  }
  Scene mScene;
};

TEST_P(PredicateTest, PointComparisonIsAStrictOrder) {
  const ScorePredicates p(mScene.points, mScene.sites, mScene.box);
  const int32_t n = static_cast<int32_t>(mScene.sites.size());
  for (int32_t v = 0; v < 12; ++v) {
    std::vector<int32_t> order(static_cast<size_t>(n));
    for (int32_t i = 0; i < n; ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](int32_t i, int32_t j) { return i != j && p.atPoint(v, i, j) > 0; });
    for (size_t a = 0; a < order.size(); ++a)
      for (size_t b = a + 1; b < order.size(); ++b) {
        EXPECT_EQ(p.atPoint(v, order[a], order[b]), 1);
        EXPECT_EQ(p.atPoint(v, order[b], order[a]), -1);
        // Rounded distances agree with it.
        const double da = (mScene.points[v] - mScene.sites[order[a]]).norm();
        const double db = (mScene.points[v] - mScene.sites[order[b]]).norm();
        EXPECT_LE(da, db * (1 + 1e-12));
      }
  }
}

TEST_P(PredicateTest, WhereTwoScoresTieEitherMayBeAsked) {
  const ScorePredicates p(mScene.points, mScene.sites, mScene.box);
  int asked = 0;
  for (int32_t a = 0; a < 12; ++a)
    for (int32_t b = a + 1; b < 12; ++b)
      for (int32_t i = 0; i < 4; ++i)
        for (int32_t j = i + 1; j < 5; ++j) {
          if (p.atPoint(a, i, j) == p.atPoint(b, i, j)) continue;
          for (int32_t k = 0; k < 8; ++k) {
            if (k == i || k == j) continue;
            const int sign = p.atEdge(a, b, i, j, k);
            EXPECT_EQ(sign, p.atEdge(b, a, i, j, k));
            EXPECT_EQ(sign, p.atEdge(a, b, j, i, k));
            // The better of two wins against the third, whichever end is asked.
            if (p.atPoint(a, i, k) == p.atPoint(b, i, k) && p.atPoint(a, i, k) == p.atPoint(a, j, k) &&
                p.atPoint(a, i, k) == p.atPoint(b, j, k)) {
              EXPECT_EQ(sign, p.atPoint(a, i, k));
            }
            ++asked;
          }
        }
  EXPECT_GT(asked, 0);
}

/// True if the triangle crosses the line where i, j and k tie: the three bisectors split its corners so that
/// the cells of i, j and k all have a part near that point.
bool crossesLine(const ScorePredicates& p, const Triangle& t, int32_t i, int32_t j, int32_t k) {
  // Clip the triangle to i against j; the line crosses if the new edge has its ends on both sides of k.
  std::vector<int> ends;
  for (size_t e = 0; e < 3; ++e) {
    const int32_t a = t[e], b = t[(e + 1) % 3];
    if (p.atPoint(a, i, j) != p.atPoint(b, i, j)) ends.push_back(p.atEdge(a, b, i, j, k));
  }
  return ends.size() == 2 && ends[0] != ends[1];
}

TEST_P(PredicateTest, WhereThreeScoresTieAnyMayBeAsked) {
  const ScorePredicates p(mScene.points, mScene.sites, mScene.box);
  int asked = 0;
  for (int32_t v = 0; v + 2 < 12; ++v) {
    const Triangle t{v, v + 1, v + 2};
    for (int32_t i = 0; i < 8; ++i)
      for (int32_t j = i + 1; j < 8; ++j)
        for (int32_t k = j + 1; k < 8; ++k) {
          const bool crosses = crossesLine(p, t, i, j, k);
          EXPECT_EQ(crosses, crossesLine(p, t, j, k, i));
          EXPECT_EQ(crosses, crossesLine(p, t, k, i, j));
          EXPECT_EQ(crosses, crossesLine(p, t, i, k, j));
          if (!crosses) continue;
          for (int32_t l = 0; l < 8; ++l) {
            if (l == i || l == j || l == k) continue;
            const int sign = p.atTriangle(t, i, j, k, l);
            EXPECT_EQ(sign, p.atTriangle(t, i, k, j, l));
            EXPECT_EQ(sign, p.atTriangle(t, j, i, k, l));
            EXPECT_EQ(sign, p.atTriangle(t, k, j, i, l));
            EXPECT_EQ(sign, p.atTriangle({t[1], t[2], t[0]}, i, j, k, l));
            EXPECT_EQ(sign, p.atTriangle({t[1], t[0], t[2]}, i, j, k, l));
            ++asked;
          }
        }
  }
  EXPECT_GT(asked, 0);
}

TEST_P(PredicateTest, OrderAlongALineIsAntisymmetricAndTransitive) {
  const ScorePredicates p(mScene.points, mScene.sites, mScene.box);
  int asked = 0;
  for (int32_t i = 0; i < 8; ++i)
    for (int32_t j = i + 1; j < 8; ++j)
      for (int32_t k = j + 1; k < 8; ++k) {
        std::vector<Triangle> crossed;
        for (int32_t v = 0; v + 2 < 12; ++v)
          if (crossesLine(p, {v, v + 1, v + 2}, i, j, k)) crossed.push_back({v, v + 1, v + 2});
        for (const Triangle& s : crossed)
          for (const Triangle& t : crossed) {
            const int order = p.orderAlong(i, j, k, s, t);
            EXPECT_EQ(order, -p.orderAlong(i, j, k, t, s));
            EXPECT_EQ(order, -p.orderAlong(i, k, j, s, t));  // the line the other way round
            EXPECT_EQ(order, p.orderAlong(j, k, i, s, t));
            for (const Triangle& u : crossed)
              if (order < 0 && p.orderAlong(i, j, k, t, u) < 0) {
                EXPECT_LT(p.orderAlong(i, j, k, s, u), 0);
              }
            ++asked;
          }
      }
  EXPECT_GT(asked, 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PredicateTest, testing::Range(0, 24));

}  // namespace
}  // namespace hackle
