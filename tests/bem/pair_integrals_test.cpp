#include "bem_checks.h"

#include <hackle/bem/pair_integrals.h>
#include <hackle/core/random.h>

#include <gtest/gtest.h>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/multiprecision/cpp_bin_float.hpp>

namespace hackle {
namespace {

using Number =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<50>, boost::multiprecision::et_off>;
using Point = std::array<Number, 3>;
using Numbers = std::array<double, kPairNumbers>;

Numbers numbersOf(const PairIntegrals& p) {
  return {p.L,      p.R[0],   p.R[1],   p.R[2],   p.R[3],   p.R[4],  p.R[5],
          p.Kfg[0], p.Kfg[1], p.Kfg[2], p.Kgf[0], p.Kgf[1], p.Kgf[2]};
}

/// Largest difference, relative to L; double layers times a length.
double difference(const Numbers& a, const Numbers& b, double length) {
  double most = 0;
  for (size_t k = 0; k < kPairNumbers; ++k)
    most = std::max(most, std::abs(a[k] - b[k]) * (k == 0  ? 4 * shapes::kPi
                                                   : k < 7 ? 1
                                                           : 4 * shapes::kPi * length));
  return most / (4 * shapes::kPi * a[0]);
}

/// [SauterSchwab11] in fifty digits with ten points a direction; corners in the order that `shared` gives.
/// The maps take (0,0), (1,0), (1,1) to the corners.
class Reference {
 public:
  Reference(const BemSurface& surface, size_t f, size_t g)
      : mSurface(surface), mF(f), mG(g), mShared(sharedCorners(surface, f, g)) {}

  Numbers integrate() {
    switch (mShared.count) {
      case 3:
        identical();
        break;
      case 2:
        edge();
        break;
      case 1:
        vertex();
        break;
      default:
        separate();
    }
    Numbers result;
    const Number scale = 4 * Number(mSurface.area(mF)) * Number(mSurface.area(mG));
    for (size_t k = 0; k < kPairNumbers; ++k)
      result[k] = static_cast<double>(
          mSum[k] * scale / ((k == 0 || k > 6) ? 4 * boost::math::constants::pi<Number>() : Number(1)));
    return result;
  }

 private:
  template <class Body>
  void cube(const Body& body) {
    using Rule = boost::math::quadrature::gauss<Number, 10>;
    std::vector<std::array<Number, 2>> rule;
    for (size_t i = 0; i < Rule::abscissa().size(); ++i)
      for (int side : {-1, 1}) rule.push_back({(1 + side * Rule::abscissa()[i]) / 2, Rule::weights()[i] / 2});
    for (const auto& [a, wa] : rule)
      for (const auto& [b, wb] : rule)
        for (const auto& [c, wc] : rule)
          for (const auto& [d, wd] : rule) body(a, b, c, d, wa * wb * wc * wd);
  }

  void identical() {
    cube([&](Number s, Number a, Number b, Number c, Number w) {
      w *= s * s * s * a * a * b;
      const Number points[3][4] = {{s, s * (1 - a + a * b), s * (1 - a * b * c), s * (1 - a)},
                                   {s, s * a * (1 - b + b * c), s * (1 - a * b), s * a * (1 - b)},
                                   {s * (1 - a * b * c), s * a * (1 - b * c), s, s * a * (1 - b)}};
      for (const auto& p : points) {
        add(p[0], p[1], p[2], p[3], w);
        add(p[2], p[3], p[0], p[1], w);
      }
    });
  }
  void edge() {
    cube([&](Number s, Number a, Number b, Number c, Number w) {
      w *= s * s * s * a * a;
      add(s, s * a * c, s * (1 - a * b), s * a * (1 - b), w);
      w *= b;
      add(s, s * a, s * (1 - a * b * c), s * a * b * (1 - c), w);
      add(s * (1 - a * b), s * a * (1 - b), s, s * a * b * c, w);
      add(s * (1 - a * b * c), s * a * b * (1 - c), s, s * a, w);
      add(s * (1 - a * b * c), s * a * (1 - b * c), s, s * a * b, w);
    });
  }
  void vertex() {
    cube([&](Number s, Number a, Number b, Number c, Number w) {
      w *= s * s * s * b;
      add(s, s * a, s * b, s * b * c, w);
      add(s * b, s * b * c, s, s * a, w);
    });
  }
  void separate() {
    cube([&](Number s, Number a, Number b, Number c, Number w) { add(s, s * a, b, b * c, w * s * b); });
  }

  void add(const Number& f1, const Number& f2, const Number& g1, const Number& g2, const Number& weight) {
    const std::array<Number, 3> onF = {1 - f1, f1 - f2, f2}, onG = {1 - g1, g1 - g2, g2};
    std::array<Number, 3> d{};
    Number square = 0;
    for (Eigen::Index k = 0; k < 3; ++k) {
      for (size_t v = 0; v < 3; ++v)
        d[k] += onF[v] * Number(mSurface.corner(mF, static_cast<size_t>(mShared.first[v]))[k]) -
                onG[v] * Number(mSurface.corner(mG, static_cast<size_t>(mShared.second[v]))[k]);
      square += d[k] * d[k];
    }
    const Number inverse = weight / sqrt(square), cubed = inverse / square;
    mSum[0] += inverse;
    for (size_t k = 0; k < 3; ++k) {
      mSum[1 + k] += d[k] * d[k] * cubed;
      mSum[4 + k] += d[k] * d[(k + 1) % 3] * cubed;
    }
    Number alongG = 0, alongF = 0;
    for (size_t k = 0; k < 3 && mShared.count < 3; ++k) {
      alongG += d[k] * Number(mSurface.normal(mG)[k]) * cubed;
      alongF -= d[k] * Number(mSurface.normal(mF)[k]) * cubed;
    }
    for (size_t v = 0; v < 3; ++v) {
      mSum[7 + static_cast<size_t>(mShared.second[v])] += alongG * onG[v];
      mSum[10 + static_cast<size_t>(mShared.first[v])] += alongF * onF[v];
    }
  }

  const BemSurface& mSurface;
  size_t mF, mG;
  SharedCorners mShared;
  std::array<Number, kPairNumbers> mSum{};
};

TEST(PairIntegrals, AgreeWithFiftyDigits) {
  // Equal, common edge flat and folded, common corner, apart
  const std::vector<Vec3> points = {{0, 0, 0},       {1, 0.1, 0},      {0.3, 0.9, 0.1},
                                    {0.9, 1.1, 0.6}, {-0.7, 0.6, 0.2}, {-0.6, -0.8, 0.4},
                                    {2.5, 2.6, 1},   {3.4, 2.2, 1.3},  {2.8, 3.3, 0.4}};
  const std::vector<Triangle> triangles = {{0, 1, 2}, {2, 1, 3}, {4, 0, 2}, {4, 5, 0}, {6, 7, 8}};
  const BemSurface surface(points, triangles);
  const PairIntegrator usual(surface, {}), high(surface, QuadratureOptions::high());
  for (size_t f = 0; f < triangles.size(); ++f) {
    const Numbers exact = Reference(surface, f, 0).integrate();
    EXPECT_LT(difference(exact, numbersOf(usual.pair(f, 0)), 1), 1e-5) << f;
    EXPECT_LT(difference(exact, numbersOf(high.pair(f, 0)), 1), 2e-8) << f;  // the reference's own accuracy
  }
}

/// The four children of a triangle, and what its hats are on their corners.
struct Children {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  std::vector<Mat3> hats;  // row: child's corner, column: parent's hat
  explicit Children(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Mat3 one = Mat3::Identity();
    const std::array<Vec3, 6> bary = {one.col(0),
                                      one.col(1),
                                      one.col(2),
                                      0.5 * (one.col(0) + one.col(1)),
                                      0.5 * (one.col(1) + one.col(2)),
                                      0.5 * (one.col(2) + one.col(0))};
    for (const Vec3& w : bary) points.push_back(w[0] * a + w[1] * b + w[2] * c);
    triangles = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}, {3, 4, 5}};
    for (const Triangle& t : triangles) {
      Mat3 h;
      for (Eigen::Index v = 0; v < 3; ++v) h.row(v) = bary[t[v]].transpose();
      hats.push_back(h);
    }
  }
};

/// A pair is the sum of its sixteen pairs of children, which touch in other ways.
double additivityError(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b,
                       const QuadratureOptions& options) {
  const std::vector<Vec3> corners = {a[0], a[1], a[2], b[0], b[1], b[2]};
  const std::vector<Triangle> two = {{0, 1, 2}, {3, 4, 5}};
  const BemSurface parents(corners, two);
  const Numbers whole = numbersOf(PairIntegrator(parents, options).pair(0, 1));
  const Children first(a[0], a[1], a[2]), second(b[0], b[1], b[2]);
  BemSurface parts(first.points, first.triangles);
  std::vector<Triangle> moved = second.triangles;
  for (Triangle& t : moved)
    for (int32_t& node : t) node += 6;
  parts.append(second.points, moved);
  const PairIntegrator integrator(parts, options);
  Numbers sum{};
  for (size_t f = 0; f < 4; ++f)
    for (size_t g = 0; g < 4; ++g) {
      const Numbers n = numbersOf(integrator.pair(f, 4 + g));
      for (size_t k = 0; k < 7; ++k) sum[k] += n[k];
      for (Eigen::Index v = 0; v < 3; ++v)
        for (Eigen::Index c = 0; c < 3; ++c) {
          sum[7 + v] += n[7 + c] * second.hats[g](c, v);
          sum[10 + v] += n[10 + c] * first.hats[f](c, v);
        }
    }
  return difference(whole, sum, std::max(parents.size(0), parents.size(1)));
}

TEST(PairIntegrals, AddUpOverPartsOfAnyShape) {
  Random random(7);
  const auto vec = [&] { return Vec3(random.normal(), random.normal(), random.normal()); };
  double usual = 0, high = 0;
  for (int i = 0; i < 60; ++i) {
    // Slivers up to 1 : 1000 of three kinds (needle, cap, as drawn), touching in 0 to 3 corners or almost
    std::array<Vec3, 3> a = {vec(), vec(), vec()}, b = {vec(), vec(), vec()};
    const double thin = i % 4 == 0 ? 1 : std::pow(10, -random.uniform() * 3);
    if (i % 4 == 1) a[2] = a[0] + thin * vec();
    if (i % 4 == 2) a[2] = a[0] + random.uniform() * (a[1] - a[0]) + thin * vec();
    if (i % 4 == 3) b[2] = 0.5 * (b[0] + b[1]) + thin * vec();
    const int shared = i % 5;
    for (int v = 0; v < shared && v < 3; ++v) b[v] = a[(v + i) % 3];
    if (shared == 4) b[0] += 0.01 * vec();
    if (shared == 0) b[0].z() += 4, b[1].z() += 4, b[2].z() += 4;  // crossing triangles are less exact
    usual = std::max(usual, additivityError(a, b, {}));
    if (i % 3 == 0) high = std::max(high, additivityError(a, b, QuadratureOptions::high()));
  }
  EXPECT_LT(usual, 1e-4);
  EXPECT_LT(high, 1e-8);
}

TEST(PairIntegrals, AreTheSameTheOtherWayRound) {
  Random random(3);
  std::vector<Vec3> points;
  for (int i = 0; i < 12; ++i) points.push_back(Vec3(random.normal(), random.normal(), random.normal()));
  const std::vector<Triangle> triangles = {{0, 1, 2}, {1, 0, 3}, {0, 4, 5}, {6, 7, 8}, {9, 10, 11}};
  const BemSurface surface(points, triangles);
  const PairIntegrator integrator(surface, QuadratureOptions::high());
  for (size_t f = 0; f < 5; ++f)
    for (size_t g = 0; g < f; ++g) {
      Numbers there = numbersOf(integrator.pair(f, g));
      const Numbers back = numbersOf(integrator.pair(g, f));
      for (size_t v = 0; v < 3; ++v) std::swap(there[7 + v], there[10 + v]);
      EXPECT_LT(difference(there, back, 1), 1e-10);
    }
}

TEST(PairIntegrals, OfTrianglesThatAlmostCoincideAreBoundedAndCanBeCancelled) {
  std::vector<Vec3> points = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  for (int i = 0; i < 3; ++i) points.push_back(points[i] + Vec3(0.1, 0.2, 1e-9));
  const std::vector<Triangle> triangles = {{0, 1, 2}, {3, 5, 4}};
  const BemSurface surface(points, triangles);
  EXPECT_TRUE(std::isfinite(PairIntegrator(surface, {}).pair(0, 1).L));
  Context context;
  context.cancel();
  EXPECT_THROW(PairIntegrator(surface, {}, &context).pair(0, 1), Error);
}

TEST(TriangleRules, IntegratePolynomialsOfTheirDegree) {
  const auto factorial = [](int n) { return std::tgamma(n + 1.0); };
  for (int degree = 1; degree <= 28; ++degree) {
    const TriangleRule& rule = triangleRule(degree);
    ASSERT_GE(rule.degree, degree);
    for (int i = 0; i <= rule.degree; ++i)
      for (int j = 0; i + j <= rule.degree; ++j) {
        double sum = 0;
        for (size_t p = 0; p < rule.size(); ++p)
          sum += rule.weights[p] * std::pow(rule.points[p][0], i) * std::pow(rule.points[p][1], j);
        EXPECT_NEAR(sum, 2 * factorial(i) * factorial(j) / factorial(i + j + 2), 3e-15);
      }
  }
}

TEST(TrianglePotential, AnglesAreThoseOfTheLibrary) {
  Random random(5);
  for (int i = 0; i < 2000; ++i) {
    const double x = random.normal() * std::pow(10, random.uniform() * 8 - 4), y = random.normal();
    const double angle = angleOf(Lanes4::Constant(y), Lanes4::Constant(x))[0];
    EXPECT_NEAR(angle, std::atan2(y, x), 1e-15 * std::abs(angle) + 1e-300);
  }
  EXPECT_EQ(angleOf(Lanes4::Zero(), Lanes4::Zero())[0], 0);
}

}  // namespace
}  // namespace hackle
