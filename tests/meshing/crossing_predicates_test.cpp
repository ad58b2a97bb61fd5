// CrossingPredicates against brute force: the moved configuration itself, in polynomials of the move.
#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/meshing/cut/crossing_predicates.h>

#include <boost/multiprecision/cpp_int.hpp>

#include <functional>
#include <vector>

namespace hackle {
namespace {

using Integer = boost::multiprecision::cpp_int;

/// A polynomial in the infinitesimal e, lowest degree first.
class Polynomial {
 public:
  Polynomial() = default;
  Polynomial(Integer constant) : mTerms{std::move(constant)} {}
  static Polynomial monomial(const Integer& factor, size_t degree) {
    Polynomial p;
    p.mTerms.assign(degree + 1, 0);
    p.mTerms[degree] = factor;
    return p;
  }
  /// Of its value for e above 0 and smaller than anything: that of its lowest term.
  int sign() const {
    for (const Integer& term : mTerms)
      if (term != 0) return term.sign();
    return 0;
  }
  Polynomial operator+(const Polynomial& other) const { return sum(other, 1); }
  Polynomial operator-(const Polynomial& other) const { return sum(other, -1); }
  Polynomial operator*(const Polynomial& other) const {
    Polynomial product;
    if (mTerms.empty() || other.mTerms.empty()) return product;
    product.mTerms.resize(mTerms.size() + other.mTerms.size() - 1);
    for (size_t i = 0; i < mTerms.size(); ++i)
      for (size_t j = 0; j < other.mTerms.size(); ++j) product.mTerms[i + j] += mTerms[i] * other.mTerms[j];
    return product;
  }
  double atZero() const { return mTerms.empty() ? 0.0 : mTerms[0].convert_to<double>(); }

 private:
  Polynomial sum(const Polynomial& other, int factor) const {
    Polynomial result = *this;
    result.mTerms.resize(std::max(mTerms.size(), other.mTerms.size()));
    for (size_t i = 0; i < other.mTerms.size(); ++i) result.mTerms[i] += factor * other.mTerms[i];
    return result;
  }
  std::vector<Integer> mTerms;
};

using Place = std::array<Polynomial, 3>;

/// All coordinates and the move times 2^shift, which are whole numbers.
Place placeOf(const Vec3& p, bool moved, int shift) {
  Place place;
  for (size_t c = 0; c < 3; ++c) {
    const double scaled = std::ldexp(p[static_cast<int>(c)], shift);
    EXPECT_EQ(scaled, std::floor(scaled));
    place[c] = Integer(scaled);
    if (moved) place[c] = place[c] + Polynomial::monomial(Integer(1) << shift, c + 1);
  }
  return place;
}

/// Six times the volume of a tetrahedron.
Polynomial volume(const Place& a, const Place& b, const Place& c, const Place& d) {
  Polynomial m[3][3];
  for (size_t k = 0; k < 3; ++k) {
    m[0][k] = b[k] - a[k];
    m[1][k] = c[k] - a[k];
    m[2][k] = d[k] - a[k];
  }
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/// Points of both sets, the partition's moved.
struct Configuration {
  std::vector<Vec3> surface, partition;
  std::vector<Place> fixed, moved, still;  // `still`: the surface, moved like the partition

  std::array<Place, 3> fixedTriangle(const Triangle& t) const {
    return {fixed[t[0]], fixed[t[1]], fixed[t[2]]};
  }
  std::array<Place, 3> movedTriangle(const Triangle& t) const {
    return {moved[t[0]], moved[t[1]], moved[t[2]]};
  }
};

/// Whether the open segment crosses the open triangle.
bool crosses(const Place& p, const Place& q, const std::array<Place, 3>& t) {
  const int sp = volume(t[0], t[1], t[2], p).sign(), sq = volume(t[0], t[1], t[2], q).sign();
  if (sp * sq >= 0) return false;
  int turns = 0;
  for (size_t k = 0; k < 3; ++k) turns += volume(p, q, t[k], t[(k + 1) % 3]).sign();
  return std::abs(turns) == 3;
}

/// -1 if the line from p to q meets the plane of s before that of t.
int orderOf(const Place& p, const Place& q, const std::array<Place, 3>& s, const std::array<Place, 3>& t) {
  const Polynomial sp = volume(s[0], s[1], s[2], p), tp = volume(t[0], t[1], t[2], p);
  const Polynomial ds = sp - volume(s[0], s[1], s[2], q), dt = tp - volume(t[0], t[1], t[2], q);
  return (sp * dt - tp * ds).sign() * ds.sign() * dt.sign();
}

struct Draw {
  std::function<double(Random&)> coordinate;
  int shift;  // coordinates times 2^shift are whole numbers
};

/// From "every point is on many planes" to "almost on one": whole numbers, the same beside a hair, far away,
/// tiny, of mixed sizes, any.
std::vector<Draw> draws() {
  const auto whole = [](Random& r) { return static_cast<double>(r.below(3)); };
  return {{whole, 0},
          {[=](Random& r) { return whole(r) + (r.below(2) ? 0x1p-50 : 0.0); }, 50},
          {[=](Random& r) { return 1e6 + whole(r) * 0x1p-30; }, 30},
          {[=](Random& r) { return whole(r) * 1e-150; }, 560},
          {[=](Random& r) { return whole(r) * std::ldexp(1.0, static_cast<int>(r.below(60)) - 30); }, 30},
          {[](Random& r) { return r.uniform() - 0.5; }, 60}};
}

Configuration drawn(const Draw& draw, Random& random) {
  Configuration c;
  for (std::vector<Vec3>* points : {&c.surface, &c.partition})
    for (int i = 0; i < 6; ++i) {
      const double x = draw.coordinate(random), y = draw.coordinate(random), z = draw.coordinate(random);
      points->emplace_back(x, y, z);
    }
  for (const Vec3& p : c.surface) {
    c.fixed.push_back(placeOf(p, false, draw.shift));
    c.still.push_back(placeOf(p, true, draw.shift));
  }
  for (const Vec3& p : c.partition) c.moved.push_back(placeOf(p, true, draw.shift));
  return c;
}

const std::vector<Triangle> kTriangles{{0, 1, 2}, {1, 2, 3}, {2, 4, 5}, {3, 0, 5}, {2, 0, 1}, {1, 0, 2}};

template <class Check>
void forConfigurations(int rounds, const Check& check) {
  Random random(11);
  for (const Draw& draw : draws())
    for (int round = 0; round < rounds; ++round) {
      const Configuration c = drawn(draw, random);
      check(c, CrossingPredicates(c.surface, c.partition));
    }
}

TEST(CrossingPredicates, SidesAreThoseOfTheMovedPoints) {
  size_t degenerate = 0;
  forConfigurations(20, [&](const Configuration& c, const CrossingPredicates& predicates) {
    for (const Triangle& t : kTriangles)
      for (int32_t p = 0; p < 6; ++p) {
        const std::array<Place, 3> moved = c.movedTriangle(t), fixed = c.fixedTriangle(t);
        const int front = volume(moved[0], moved[1], moved[2], c.fixed[p]).sign();
        const int other = volume(fixed[0], fixed[1], fixed[2], c.moved[p]).sign();
        EXPECT_EQ(predicates.surfacePointSide(p, t), front ? front : 1);
        EXPECT_EQ(predicates.partitionPointSide(p, t), other ? other : 1);
        // Only a triangle without area leaves a moved point in its plane.
        EXPECT_EQ(predicates.partitionHasArea(t), front != 0);
        EXPECT_EQ(predicates.surfaceHasArea(t), other != 0);
        degenerate += volume(moved[0], moved[1], moved[2], c.still[p]).sign() == 0;
      }
  });
  EXPECT_GT(degenerate, 500u);
}

TEST(CrossingPredicates, EdgesPassEachOtherAsTheMovedOnesDo) {
  size_t parallel = 0;
  forConfigurations(20, [&](const Configuration& c, const CrossingPredicates& predicates) {
    for (int32_t p = 0; p < 6; ++p)
      for (int32_t d = 0; d < 6; ++d) {
        const int32_t q = (p + 1) % 6, e = (d + 2) % 6;
        const int sign = volume(c.fixed[p], c.fixed[q], c.moved[d], c.moved[e]).sign();
        EXPECT_EQ(predicates.edges(p, q, d, e), sign);
        EXPECT_EQ(predicates.edges(q, p, d, e), -sign);
        EXPECT_EQ(predicates.edges(p, q, e, d), -sign);
        parallel += sign == 0;
      }
  });
  EXPECT_GT(parallel, 0u);
}

TEST(CrossingPredicates, OrderAlongEdgesIsThatOfTheMovedCrossings) {
  size_t compared = 0, equal = 0;
  forConfigurations(12, [&](const Configuration& c, const CrossingPredicates& predicates) {
    for (const Triangle& s : kTriangles)
      for (const Triangle& t : kTriangles)
        for (int32_t p = 0; p < 6; ++p) {
          const int32_t q = (p + 2) % 6;
          if (crosses(c.fixed[p], c.fixed[q], c.movedTriangle(s)) &&
              crosses(c.fixed[p], c.fixed[q], c.movedTriangle(t))) {
            const int order = orderOf(c.fixed[p], c.fixed[q], c.movedTriangle(s), c.movedTriangle(t));
            EXPECT_EQ(predicates.orderAlongSurfaceEdge(p, q, s, t), order);
            EXPECT_EQ(predicates.orderAlongSurfaceEdge(p, q, t, s), -order);
            EXPECT_EQ(predicates.orderAlongSurfaceEdge(q, p, s, t), -order);
            ++compared, equal += order == 0;
          }
          if (crosses(c.moved[p], c.moved[q], c.fixedTriangle(s)) &&
              crosses(c.moved[p], c.moved[q], c.fixedTriangle(t))) {
            EXPECT_EQ(predicates.orderAlongPartitionEdge(p, q, s, t),
                      orderOf(c.moved[p], c.moved[q], c.fixedTriangle(s), c.fixedTriangle(t)));
            ++compared;
          }
        }
  });
  EXPECT_GT(compared, 1000u);
  EXPECT_GT(equal, 100u);
}

TEST(CrossingPredicates, AClosedSurfaceIsEnteredAsOftenAsItIsLeft) {
  // A tetrahedron of the partition, and edges of the surface that end at its corners, on its edges, in its
  // faces: crossings found by signs alone add up to the sides of the ends.
  const std::vector<Vec3> corners{{0, 0, 0}, {4, 0, 0}, {0, 4, 0}, {0, 0, 4}};
  const std::vector<Triangle> faces{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  std::vector<Vec3> grid;
  for (int i = 0; i < 125; ++i) grid.emplace_back(i % 5, i / 5 % 5, i / 25);
  const CrossingPredicates predicates(grid, corners);
  const auto inside = [&](int32_t p) {
    for (const Triangle& t : faces)
      if (predicates.surfacePointSide(p, t) > 0) return 0;
    return 1;
  };
  int within = 0;
  for (int32_t p = 0; p < 125; ++p) {
    within += inside(p);
    for (int32_t q = 0; q < 125; ++q) {
      int entered = 0;
      for (const Triangle& t : faces) {
        const int a = predicates.surfacePointSide(p, t), b = predicates.surfacePointSide(q, t);
        if (a == b) continue;
        int turns = 0;
        for (size_t k = 0; k < 3; ++k) turns += predicates.edges(p, q, t[k], t[(k + 1) % 3]);
        if (std::abs(turns) == 3) entered += a;
      }
      EXPECT_EQ(entered, inside(q) - inside(p));
    }
  }
  EXPECT_GT(within, 0);
}

TEST(CrossingPredicates, PlacesOfCrossingsAreRoundedOnce) {
  Random random(3);
  size_t checked = 0;
  for (int round = 0; round < 400; ++round) {
    const Configuration c = drawn(draws().back(), random);
    const CrossingPredicates predicates(c.surface, c.partition);
    const Triangle t{0, 1, 2};
    if (crosses(c.fixed[3], c.fixed[4], c.movedTriangle(t))) {
      const std::array<Place, 3> m = c.movedTriangle(t);
      const double hp = std::ldexp(volume(m[0], m[1], m[2], c.fixed[3]).atZero(), -3 * draws().back().shift);
      const double hq = std::ldexp(volume(m[0], m[1], m[2], c.fixed[4]).atZero(), -3 * draws().back().shift);
      EXPECT_NEAR(predicates.surfaceEdgeParameter(3, 4, t), hp / (hp - hq), 1e-12 / std::abs(hp - hq));
      // Both triangles of an edge find the same bits.
      EXPECT_EQ(predicates.surfaceEdgeParameter(4, 3, t), 1.0 - predicates.surfaceEdgeParameter(3, 4, t));
      ++checked;
    }
    if (crosses(c.moved[3], c.moved[4], c.fixedTriangle(t))) {
      const Vec3 weights = predicates.surfaceTriangleParameter(t, 3, 4);
      EXPECT_EQ(weights, predicates.surfaceTriangleParameter(t, 4, 3));
      EXPECT_NEAR(weights.sum(), 1, 1e-15);
      EXPECT_GE(weights.minCoeff(), 0);
      Vec3 at = Vec3::Zero();
      for (int k = 0; k < 3; ++k) at += weights[k] * c.surface[t[static_cast<size_t>(k)]];
      const Vec3 along = c.partition[4] - c.partition[3];
      const double cross = (at - c.partition[3]).cross(along).norm();
      EXPECT_LT(cross, 1e-11 * along.norm());
      ++checked;
    }
  }
  EXPECT_GT(checked, 30u);
}

}  // namespace
}  // namespace hackle
