#include <hackle/bem/triangle_rules.h>

#include <hackle/core/error.h>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/quadrature/gauss_kronrod.hpp>

#include <map>

namespace hackle {

namespace {

constexpr int kHighest = 28;

void addCentre(TriangleRule& rule, double weight) {
  rule.points.push_back({1.0 / 3, 1.0 / 3, 1.0 / 3});
  rule.weights.push_back(weight);
}

void addThree(TriangleRule& rule, double weight, double a) {
  const double b = 1 - 2 * a;
  rule.points.insert(rule.points.end(), {{b, a, a}, {a, b, a}, {a, a, b}});
  rule.weights.insert(rule.weights.end(), 3, weight);
}

void addSix(TriangleRule& rule, double weight, double a, double b) {
  const double c = 1 - a - b;
  rule.points.insert(rule.points.end(), {{a, b, c}, {b, c, a}, {c, a, b}, {a, c, b}, {c, b, a}, {b, a, c}});
  rule.weights.insert(rule.weights.end(), 6, weight);
}

// Printed values of the tables, polished by Newton's method on the moment equations in 40 digits.
TriangleRule symmetricRule(int degree) {
  TriangleRule rule;
  rule.degree = degree;
  switch (degree) {
    case 1:
      addCentre(rule, 1);
      break;
    case 2:
      addThree(rule, 1.0 / 3, 1.0 / 6);
      break;
    case 4:
      addThree(rule, 0.2233815896780114657, 0.44594849091596488632);
      addThree(rule, 0.10995174365532186764, 0.09157621350977074346);
      break;
    case 6:
      addThree(rule, 0.11678627572637936603, 0.24928674517091042129);
      addThree(rule, 0.050844906370206816921, 0.06308901449150222834);
      addSix(rule, 0.082851075618373575194, 0.053145049844816947353, 0.31035245103378440542);
      break;
    case 8:
      addCentre(rule, 0.14431560767778716825);
      addThree(rule, 0.095091634267284624794, 0.45929258829272315603);
      addThree(rule, 0.10321737053471825028, 0.17056930775176020662);
      addThree(rule, 0.032458497623198080311, 0.050547228317030975458);
      addSix(rule, 0.027230314174434994265, 0.0083947774099576053372, 0.26311282963463811342);
      break;
    default:
      HACKLE_ASSERT(!"no symmetric rule of this degree");
  }
  return rule;
}

/// Gauss-Legendre on [0, 1].
template <unsigned Points>
std::vector<std::array<double, 2>> gaussRule() {
  using Rule = boost::math::quadrature::gauss<double, Points>;
  std::vector<std::array<double, 2>> nodes;
  for (size_t i = 0; i < Rule::abscissa().size(); ++i) {
    const double x = Rule::abscissa()[i], w = 0.5 * Rule::weights()[i];
    nodes.push_back({0.5 + 0.5 * x, w});
    if (x != 0) nodes.push_back({0.5 - 0.5 * x, w});
  }
  return nodes;
}

std::vector<std::array<double, 2>> gaussRule(int points) {
  switch (points) {
    case 6:
      return gaussRule<6>();
    case 7:
      return gaussRule<7>();
    case 8:
      return gaussRule<8>();
    case 9:
      return gaussRule<9>();
    case 10:
      return gaussRule<10>();
    case 11:
      return gaussRule<11>();
    case 12:
      return gaussRule<12>();
    case 13:
      return gaussRule<13>();
    case 14:
      return gaussRule<14>();
    default:
      return gaussRule<15>();
  }
}

TriangleRule collapsedRule(int degree) {
  // The collapsed direction carries a weight t more: one degree is lost
  TriangleRule rule;
  const int points = degree / 2 + 1;
  rule.degree = degree;
  for (const auto& [t, wt] : gaussRule(points))
    for (const auto& [s, ws] : gaussRule(points)) {
      rule.points.push_back({1 - t, t * (1 - s), t * s});
      rule.weights.push_back(2 * t * wt * ws);
    }
  return rule;
}

std::array<TriangleRule, kHighest + 1> allRules() {
  std::array<TriangleRule, kHighest + 1> rules;
  for (int degree = kHighest; degree >= 1; --degree) {
    TriangleRule& rule = rules[degree];
    if (degree > 8)
      rule = degree % 2 == 0 ? collapsedRule(degree) : rules[degree + 1];
    else if (degree == 3 || degree == 5 || degree == 7)
      rule = symmetricRule(degree + 1);
    else
      rule = symmetricRule(degree);
  }
  rules[0] = rules[1];
  return rules;
}

}  // namespace

const TriangleRule& triangleRule(int degree) {
  static const std::array<TriangleRule, kHighest + 1> kRules = allRules();
  return kRules[std::clamp(degree, 0, kHighest)];
}

const KronrodRule& kronrodRule() {
  static const KronrodRule kRule = [] {
    using Kronrod = boost::math::quadrature::gauss_kronrod<double, 15>;
    using Gauss = boost::math::quadrature::gauss<double, 7>;
    KronrodRule rule{};
    size_t next = 0;
    for (size_t i = 0; i < 8; ++i)
      for (int side = i == 0 ? 1 : -1; side <= 1; side += 2) {
        rule.points[next] = 0.5 + 0.5 * side * Kronrod::abscissa()[i];
        rule.kronrod[next] = 0.5 * Kronrod::weights()[i];
        rule.gauss[next++] = i % 2 == 0 ? 0.5 * Gauss::weights()[i / 2] : 0.0;
      }
    return rule;
  }();
  return kRule;
}

}  // namespace hackle
