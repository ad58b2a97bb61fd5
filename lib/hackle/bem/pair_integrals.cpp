#include <hackle/bem/pair_integrals.h>

#include <hackle/core/pi.h>
#include <hackle/geometry/triangle_distance.h>

#include <Eigen/Core>

#include <cmath>

namespace hackle {

namespace {

constexpr int kNear = -1;
constexpr double kNearApex = 0.25;   // of an edge's length
constexpr double kNearSafety = 0.1;  // estimates of adaptive quadrature are trusted this far
constexpr int kHighestFar = 14;      // degree
constexpr size_t kMaxFarPoints = 64;

/// Reach at which a product rule of even degree errs by no more than the tolerance: the error is
/// kFarErrors[degree / 2 - 1] * reach^-(degree + 1), measured over random pairs of all shapes.
constexpr double kFarErrors[] = {2.8e-2, 9.5e-3, 3.5e-4, 4e-4, 2e-5, 1.5e-6, 3e-7};

double reachOf(int degree, double tolerance) {
  return std::max(1.1, std::pow(kFarErrors[degree / 2 - 1] / tolerance, 1.0 / (degree + 1)));
}

/// Raw integrals, without 1 / 4π, as one array: single, tensor, Kfg, Kgf.
using Numbers = Eigen::Array<double, kPairNumbers, 1>;

PairIntegrals finish(const Numbers& n) {
  const double s = 1 / (4 * kPi);
  PairIntegrals p;
  p.L = s * n[0];
  for (Eigen::Index k = 0; k < 6; ++k) p.R[k] = n[1 + k];
  for (Eigen::Index k = 0; k < 3; ++k) {
    p.Kfg[k] = s * n[7 + k];
    p.Kgf[k] = s * n[10 + k];
  }
  return p;
}

PairIntegrals swapped(PairIntegrals p) {
  std::swap(p.Kfg, p.Kgf);
  return p;
}

/// Largest entry, the double layers weighed by a length to have the unit of the others.
double magnitude(const Numbers& n, double length) {
  return std::max(n.head<7>().abs().maxCoeff(), length * n.tail<6>().abs().maxCoeff());
}

/// Estimated error of the better of two rules from their difference: the rules gain half as many digits
/// again.
double errorOf(double difference, double scale) {
  return difference * std::min(1.0, std::sqrt(200 * difference / scale));
}

/// How often the parts of one pair may be halved. Pairs of sound triangles need 25 along an edge and 8,500 of
/// an area at most (tests, the finest tolerance); of triangles that almost coincide or are far too narrow the
/// integral is what was reached by then.
constexpr int kMostLineParts = 512, kMostAreaParts = 1 << 14;
/// Distance over size below which two triangles almost coincide; no matrix of such walls is definite.
constexpr double kCoinciding = 1e-6;

class Effort {
 public:
  Effort(int halvings, const Context* context) : mLeft(halvings), mContext(context) {}
  /// False when nothing more may be halved. Throws Error(Cancelled).
  bool halve() {
    if (mLeft == 0) return false;
    if (--mLeft % 64 == 0 && mContext) mContext->checkCancel();
    return true;
  }

 private:
  int mLeft;
  const Context* mContext;
};

/// Sums of thirteen numbers over points, four at a time.
struct LaneSums {
  Lanes4 sums[kPairNumbers];
  LaneSums() {
    for (Lanes4& s : sums) s.setZero();
  }
  void add(const Lanes4& weight, const Lanes4 (&values)[kPairNumbers]) {
    for (size_t k = 0; k < kPairNumbers; ++k) sums[k] += weight * values[k];
  }
  Numbers total() const {
    Numbers n;
    for (size_t k = 0; k < kPairNumbers; ++k) n[k] = sums[k].sum();
    return n;
  }
};

/// The Kronrod rule in groups of four points, the last one padded by weights of zero.
struct KronrodLanes {
  Lanes4 points[4], kronrod[4], difference[4];
  KronrodLanes() {
    const KronrodRule& rule = kronrodRule();
    for (size_t i = 0; i < 16; ++i) {
      const size_t from = std::min<size_t>(i, 14);
      const Eigen::Index lane = static_cast<Eigen::Index>(i % 4);
      points[i / 4][lane] = rule.points[from];
      kronrod[i / 4][lane] = i < 15 ? rule.kronrod[from] : 0;
      difference[i / 4][lane] = i < 15 ? rule.kronrod[from] - rule.gauss[from] : 0;
    }
  }
};

/// Adaptive Gauss-Kronrod of `function(points, values)` on [a, b].
template <class Function>
Numbers adaptiveLine(const Function& function, double a, double b, double length, double tolerance,
                     double& scale, Effort& effort, int depth) {
  static const KronrodLanes kRule;
  LaneSums sums, differences;
  for (size_t i = 0; i < 4; ++i) {
    Lanes4 values[kPairNumbers];
    function(a + (b - a) * kRule.points[i], values);
    sums.add(kRule.kronrod[i], values);
    differences.add(kRule.difference[i], values);
  }
  const Numbers sum = (b - a) * sums.total(), difference = (b - a) * differences.total();
  scale = std::max(scale, std::abs(sum[0]));
  if (depth == 0 || errorOf(magnitude(difference, length), scale) <= tolerance * scale || !effort.halve())
    return sum;
  const double middle = 0.5 * (a + b);
  const Numbers left = adaptiveLine(function, a, middle, length, tolerance, scale, effort, depth - 1);
  return left + adaptiveLine(function, middle, b, length, tolerance, scale, effort, depth - 1);
}

/// One face of the cone over a common corner: x on the edge of f opposite to it, y all over g. README eq. 6.
struct ConeFace {
  Vec3 from, along;      // the edge
  Vec3 normal;           // of f
  double height;         // of f over the edge, times the edge's length
  size_t first, second;  // corners of f at the ends of the edge
  size_t apexF, apexG;   // the common corner in f and in g
  bool gradedStart, gradedEnd, flat;
  const TrianglePotential* g;

  void at(const Lanes4& t, const Lanes4& jacobian, Lanes4 (&n)[kPairNumbers]) const {
    const Lanes4 x[3] = {from[0] + t * along[0], from[1] + t * along[1], from[2] + t * along[2]};
    const PotentialLanes p = g->at(x);
    const Lanes4 third = (height / 3) * jacobian, half = (height / 2) * jacobian;
    n[0] = third * p.single;
    for (size_t k = 0; k < 6; ++k) n[1 + k] = third * p.tensor[k];
    if (flat) {  // a triangle with itself has no double layer
      for (size_t k = 7; k < kPairNumbers; ++k) n[k].setZero();
      return;
    }
    // The hat of the common corner is one minus the others, which are homogeneous of degree one
    Lanes4 others = Lanes4::Zero();
    for (size_t v = 0; v < 3; ++v) {
      n[7 + v] = third * p.layer[v];
      if (v != apexG) others += n[7 + v];
    }
    n[7 + apexG] = half * (p.layer[0] + p.layer[1] + p.layer[2]) - others;
    const Lanes4 back = -(normal[0] * p.field[0] + normal[1] * p.field[1] + normal[2] * p.field[2]);
    n[10 + first] = third * back * (1 - t);
    n[10 + second] = third * back * t;
    n[10 + apexF] = (half - third) * back;
  }

  Numbers integrate(double length, double tolerance, double& scale, Effort effort) const {
    // Cubic grading takes logarithms off the ends
    constexpr int kDepth = 30;
    const auto graded = [&](double origin, double span) {
      return adaptiveLine(
          [&](const Lanes4& s, Lanes4(&n)[kPairNumbers]) {
            at(origin + span * s * s * s, (3 * std::abs(span)) * s * s, n);
          },
          0, 1, length, tolerance, scale, effort, kDepth);
    };
    if (gradedStart && gradedEnd) {
      const Numbers start = graded(0, 0.5);
      return start + graded(1, -0.5);
    }
    if (gradedStart) return graded(0, 1);
    if (gradedEnd) return graded(1, -1);
    return adaptiveLine([&](const Lanes4& t, Lanes4(&n)[kPairNumbers]) { at(t, Lanes4::Ones(), n); }, 0, 1,
                        length, tolerance, scale, effort, kDepth);
  }
};

/// Outer quadrature over parts of the smaller triangle f against the exact potential of g.
struct NearPair {
  explicit NearPair(const Effort& bound) : effort(bound) {}
  Effort effort;
  const TrianglePotential* g;
  Vec3 corners[3];
  Vec3 normal;
  const TriangleRule *coarse, *fine;
  double length, tolerance, wholeArea;
  double scale = 0;

  Numbers sum(const TriangleRule& rule, const std::array<Vec3, 3>& part, double area) const {
    // `part` holds barycentric coordinates
    LaneSums sums;
    for (size_t i = 0; i < rule.size(); i += 4) {
      Lanes4 b[3], x[3], weight;
      for (size_t lane = 0; lane < 4; ++lane) {
        const size_t at = std::min(i + lane, rule.size() - 1);
        const Eigen::Index l = static_cast<Eigen::Index>(lane);
        for (Eigen::Index k = 0; k < 3; ++k)
          b[k][l] = rule.points[at][0] * part[0][k] + rule.points[at][1] * part[1][k] +
                    rule.points[at][2] * part[2][k];
        weight[l] = i + lane < rule.size() ? area * rule.weights[at] : 0.0;
      }
      for (Eigen::Index k = 0; k < 3; ++k)
        x[k] = b[0] * corners[0][k] + b[1] * corners[1][k] + b[2] * corners[2][k];
      const PotentialLanes p = g->at(x);
      const Lanes4 back = -(normal[0] * p.field[0] + normal[1] * p.field[1] + normal[2] * p.field[2]);
      const Lanes4 values[kPairNumbers] = {p.single,    p.tensor[0], p.tensor[1], p.tensor[2], p.tensor[3],
                                           p.tensor[4], p.tensor[5], p.layer[0],  p.layer[1],  p.layer[2],
                                           back * b[0], back * b[1], back * b[2]};
      sums.add(weight, values);
    }
    return sums.total();
  }

  Numbers integrate(const std::array<Vec3, 3>& part, double area, int depth) {
    const Numbers better = sum(*fine, part, area);
    const double difference = magnitude(better - sum(*coarse, part, area), length);
    scale = std::max(scale, std::abs(better[0]));
    const double share = std::sqrt(area / wholeArea);  // errors of many parts add up
    if (depth == 0 || errorOf(difference, scale) <= tolerance * share * scale || !effort.halve())
      return better;
    // Halve the longest edge
    const auto at = [&](const Vec3& b) {
      return Vec3(b[0] * corners[0] + b[1] * corners[1] + b[2] * corners[2]);
    };
    size_t longest = 0;
    double best = -1;
    for (size_t v = 0; v < 3; ++v) {
      const double edge = (at(part[(v + 2) % 3]) - at(part[(v + 1) % 3])).squaredNorm();
      if (edge > best) best = edge, longest = v;
    }
    const Vec3 a = part[longest], b = part[(longest + 1) % 3], c = part[(longest + 2) % 3];
    const Vec3 middle = 0.5 * (b + c);
    const Numbers left = integrate({a, b, middle}, 0.5 * area, depth - 1);
    return left + integrate({a, middle, c}, 0.5 * area, depth - 1);
  }
};

}  // namespace

PairIntegrator::PairIntegrator(const BemSurface& surface, const QuadratureOptions& options,
                               const Context* context)
    : mSurface(surface), mTolerance(options.tolerance), mContext(context) {
  // Rules from the finest down; each is used from its reach up to that of the next
  for (int degree = kHighestFar; degree >= 2; degree -= 2) {
    const double reach = reachOf(degree, mTolerance);
    if (mTolerance > 1e-8 && degree > 8) continue;
    mFar.push_back({&triangleRule(degree), reach, {}});
  }
  const size_t n = surface.triangleCount();
  for (FarRule& far : mFar) {
    far.points.resize(3 * far.rule->size() * n);
    double* out = far.points.data();
    for (size_t t = 0; t < n; ++t)
      for (const std::array<double, 3>& b : far.rule->points) {
        const Vec3 x =
            b[0] * surface.corner(t, 0) + b[1] * surface.corner(t, 1) + b[2] * surface.corner(t, 2);
        for (Eigen::Index k = 0; k < 3; ++k) *out++ = x[k];
      }
  }
}

size_t PairIntegrator::memoryBytes() const {
  size_t bytes = 0;
  for (const FarRule& far : mFar) bytes += far.points.size() * sizeof(double);
  return bytes;
}

TrianglePotential PairIntegrator::potential(size_t t) const {
  return {mSurface.corner(t, 0), mSurface.corner(t, 1), mSurface.corner(t, 2), mSurface.normal(t),
          mSurface.area(t)};
}

int PairIntegrator::method(size_t f, size_t g) const {
  const double distance = (mSurface.centroid(f) - mSurface.centroid(g)).norm();
  const double radiusF = mSurface.radius(f), radiusG = mSurface.radius(g);
  const double reachF = (distance - radiusG) / radiusF, reachG = (distance - radiusF) / radiusG;
  if (!(std::min(reachF, reachG) >= mFar.front().reach)) return kNear;
  size_t ruleF = 0, ruleG = 0;
  while (ruleF + 1 < mFar.size() && reachF >= mFar[ruleF + 1].reach) ++ruleF;
  while (ruleG + 1 < mFar.size() && reachG >= mFar[ruleG + 1].reach) ++ruleG;
  return static_cast<int>(16 * ruleF + ruleG);
}

PairIntegrals PairIntegrator::pair(size_t f, size_t g) const {
  const int32_t fs[1] = {static_cast<int32_t>(f)};
  double out[kPairNumbers];
  column({fs, 1}, g, out, 1);
  PairIntegrals p;
  p.L = out[0];
  for (size_t k = 0; k < 6; ++k) p.R[k] = out[1 + k];
  for (size_t k = 0; k < 3; ++k) {
    p.Kfg[k] = out[7 + k];
    p.Kgf[k] = out[10 + k];
  }
  return p;
}

PairIntegrals PairIntegrator::touching(size_t f, size_t g, const SharedCorners& shared) const {
  const TrianglePotential potentials[2] = {potential(f), potential(g)};
  const size_t triangles[2] = {f, g};
  const std::array<int, 3>* orders[2] = {&shared.first, &shared.second};
  const double length = std::max(mSurface.size(f), mSurface.size(g));
  Numbers total = Numbers::Zero();
  double scale = 0;
  for (size_t side = 0; side < 2; ++side) {
    // The cone's face over the edge opposite to the common corner
    const std::array<int, 3>& order = *orders[side];
    const size_t t = triangles[side];
    ConeFace face;
    face.apexF = static_cast<size_t>(order[0]);
    face.apexG = static_cast<size_t>((*orders[1 - side])[0]);
    face.first = static_cast<size_t>(order[1]);
    face.second = static_cast<size_t>(order[2]);
    face.from = mSurface.corner(t, face.first);
    face.along = mSurface.corner(t, face.second) - face.from;
    face.normal = mSurface.normal(t);
    face.height = 2 * mSurface.area(t);
    face.flat = shared.count == 3;
    // The ends are singular where they are common corners too, and nearly so if the edge comes back to the
    // apex
    const Vec3& apex = mSurface.corner(t, face.apexF);
    const double close = kNearApex * face.along.norm();
    face.gradedStart = shared.count >= 2 || (face.from - apex).norm() < close;
    face.gradedEnd = face.flat || (face.from + face.along - apex).norm() < close;
    face.g = &potentials[1 - side];
    Numbers n = face.integrate(length, kNearSafety * mTolerance, scale, {kMostLineParts, mContext});
    if (side == 1) {
      const Eigen::Array3d swap = n.segment<3>(7);
      n.segment<3>(7) = n.segment<3>(10);
      n.segment<3>(10) = swap;
    }
    total += n;
    if (shared.count == 3) {
      total += n;
      break;
    }
  }
  return finish(total);
}

PairIntegrals PairIntegrator::near(size_t f, size_t g) const {
  if (mSurface.radius(f) > mSurface.radius(g)) return swapped(near(g, f));
  const TrianglePotential exact = potential(g);
  const TriangleCorners a = {mSurface.corner(f, 0), mSurface.corner(f, 1), mSurface.corner(f, 2)};
  const TriangleCorners b = {mSurface.corner(g, 0), mSurface.corner(g, 1), mSurface.corner(g, 2)};
  const double gap = std::sqrt(squaredTriangleDistance(a, b)) / mSurface.size(f);
  const bool coincide = gap > 0 && gap < kCoinciding;
  NearPair pair(Effort(coincide ? kMostLineParts : kMostAreaParts, mContext));
  pair.g = &exact;
  for (size_t v = 0; v < 3; ++v) pair.corners[v] = mSurface.corner(f, v);
  pair.normal = mSurface.normal(f);
  const bool fine = mTolerance < 1e-8;
  pair.coarse = &triangleRule(fine ? 10 : 4);
  pair.fine = &triangleRule(fine ? 16 : 8);
  pair.length = mSurface.size(g);
  pair.wholeArea = mSurface.area(f);
  // Walls thinner than their elements carry loads that almost cancel: the nearer, the more exact
  const double care = gap > 0 ? std::clamp(3 * gap, 0.02, 1.0) : 1.0;
  pair.tolerance = std::max(1e-12, kNearSafety * mTolerance * care);
  return finish(pair.integrate({Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()}, mSurface.area(f), 24));
}

void PairIntegrator::far(const int32_t* fs, size_t count, size_t g, size_t ruleF, size_t ruleG,
                         const size_t* places, double* out, size_t stride) const {
  const FarRule& farF = mFar[ruleF];
  const FarRule& farG = mFar[ruleG];
  const size_t pointsF = farF.rule->size(), pointsG = farG.rule->size();
  const double* y = farG.points.data() + 3 * pointsG * g;
  const Vec3& normalG = mSurface.normal(g);

  // Points of up to four triangles side by side; absent ones repeat the last
  Lanes4 x[kMaxFarPoints][3], fieldF[kMaxFarPoints][3], normalF[3], areas;
  for (size_t lane = 0; lane < 4; ++lane) {
    const size_t f = static_cast<size_t>(fs[std::min(lane, count - 1)]);
    const Eigen::Index l = static_cast<Eigen::Index>(lane);
    const double* p = farF.points.data() + 3 * pointsF * f;
    for (size_t i = 0; i < pointsF; ++i)
      for (size_t k = 0; k < 3; ++k) x[i][k][l] = p[3 * i + k];
    for (size_t k = 0; k < 3; ++k) normalF[k][l] = mSurface.normal(f)[k];
    areas[l] = mSurface.area(f) * mSurface.area(g);
  }
  for (size_t i = 0; i < pointsF; ++i)
    for (size_t k = 0; k < 3; ++k) fieldF[i][k].setZero();

  Lanes4 single = Lanes4::Zero(), xx = single, yy = single, zz = single, xy = single, yz = single,
         zx = single;
  Lanes4 layerG[3] = {single, single, single}, layerF[3] = {single, single, single};
  for (size_t j = 0; j < pointsG; ++j) {
    const double y0 = y[3 * j], y1 = y[3 * j + 1], y2 = y[3 * j + 2], weight = farG.rule->weights[j];
    Lanes4 field0 = Lanes4::Zero(), field1 = field0, field2 = field0;
    for (size_t i = 0; i < pointsF; ++i) {
      const Lanes4 d0 = x[i][0] - y0, d1 = x[i][1] - y1, d2 = x[i][2] - y2;
      const Lanes4 inverse = 1.0 / (d0 * d0 + d1 * d1 + d2 * d2).sqrt();
      const Lanes4 weighted = inverse * (weight * farF.rule->weights[i]);
      const Lanes4 cubed = weighted * (inverse * inverse);
      const Lanes4 c0 = d0 * cubed, c1 = d1 * cubed, c2 = d2 * cubed;
      single += weighted;
      xx += d0 * c0;
      yy += d1 * c1;
      zz += d2 * c2;
      xy += d0 * c1;
      yz += d1 * c2;
      zx += d2 * c0;
      field0 += c0;
      field1 += c1;
      field2 += c2;
      fieldF[i][0] += c0;
      fieldF[i][1] += c1;
      fieldF[i][2] += c2;
    }
    const Lanes4 along = field0 * normalG[0] + field1 * normalG[1] + field2 * normalG[2];
    for (size_t v = 0; v < 3; ++v) layerG[v] += along * farG.rule->points[j][v];
  }
  for (size_t i = 0; i < pointsF; ++i) {
    const Lanes4 along = fieldF[i][0] * normalF[0] + fieldF[i][1] * normalF[1] + fieldF[i][2] * normalF[2];
    for (size_t v = 0; v < 3; ++v) layerF[v] -= along * farF.rule->points[i][v];
  }

  const Lanes4 scaled = areas * (1 / (4 * kPi));
  const Lanes4 numbers[kPairNumbers] = {
      single * scaled,    xx * areas,         yy * areas,         zz * areas,         xy * areas,
      yz * areas,         zx * areas,         layerG[0] * scaled, layerG[1] * scaled, layerG[2] * scaled,
      layerF[0] * scaled, layerF[1] * scaled, layerF[2] * scaled};
  for (size_t k = 0; k < kPairNumbers; ++k)
    for (size_t lane = 0; lane < count; ++lane) out[k * stride + places[lane]] = numbers[k][lane];
}

void PairIntegrator::column(Span<const int32_t> fs, size_t g, double* out, size_t stride) const {
  constexpr size_t kCodes = 256;
  // Collect four of a kind, integrate, repeat
  struct Group {
    size_t count = 0;
    int32_t fs[4];
    size_t places[4];
  };
  std::array<Group, kCodes> groups;
  for (size_t i = 0; i < fs.size(); ++i) {
    const size_t f = static_cast<size_t>(fs[i]);
    const int code = method(f, g);
    if (code != kNear) {
      Group& group = groups[code];
      group.fs[group.count] = fs[i];
      group.places[group.count++] = i;
      if (group.count == 4) {
        far(group.fs, 4, g, static_cast<size_t>(code) / 16, static_cast<size_t>(code) % 16, group.places, out,
            stride);
        group.count = 0;
      }
      continue;
    }
    const SharedCorners shared = sharedCorners(mSurface, f, g);
    const PairIntegrals p = shared.count > 0 ? touching(f, g, shared) : near(f, g);
    const double numbers[kPairNumbers] = {p.L,      p.R[0],   p.R[1],   p.R[2],   p.R[3],   p.R[4],  p.R[5],
                                          p.Kfg[0], p.Kfg[1], p.Kfg[2], p.Kgf[0], p.Kgf[1], p.Kgf[2]};
    for (size_t k = 0; k < kPairNumbers; ++k) out[k * stride + i] = numbers[k];
  }
  for (size_t code = 0; code < kCodes; ++code)
    if (groups[code].count > 0)
      far(groups[code].fs, groups[code].count, g, code / 16, code % 16, groups[code].places, out, stride);
}

}  // namespace hackle
