#include <hackle/core/error.h>
#include <hackle/mechanics/stress.h>

#include <hackle/fracture/impact/flaw_initiation.h>

#include "impact_body.h"

#include <gtest/gtest.h>

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;
using namespace vibrating;

/// Slowest frequency (rad/s) of a free beam of square section with shear and rotary inertia (Timoshenko),
/// without lateral contraction: bisection of the determinant of its ends, symmetric shapes.
double timoshenkoFrequency(double L, double h, double young, double density) {
  const double shear = 5.0 / 6 * young / 2, I = h * h / 12;  // per area
  const auto determinant = [&](double omega) {
    // w = cosh(a x) and cos(b x): roots of s^4 + s^2 w^2 rho (1/E + 1/kG) - w^2 rho (1/(E I) - w^2 rho/(E
    // kG)) = 0.
    const double p = omega * omega * density * (1 / young + 1 / shear);
    const double q = omega * omega * density / young * (1 / I - omega * omega * density / shear);
    const double root = std::sqrt(p * p / 4 + q);
    const double a = std::sqrt(root - p / 2), b = std::sqrt(root + p / 2);
    const double ra = a + omega * omega * density / shear / a, rb = b - omega * omega * density / shear / b;
    // Turning ra sinh, -rb sin; no moment and no shear at L / 2.
    const double m1 = ra * a * std::cosh(a * L / 2), m2 = -rb * b * std::cos(b * L / 2);
    const double v1 = (a - ra) * std::sinh(a * L / 2), v2 = (-b + rb) * std::sin(b * L / 2);
    return m1 * v2 - m2 * v1;
  };
  const double euler = std::pow(4.7300407 / L, 2) * std::sqrt(young * I / density);
  double low = 0.7 * euler, high = 1.05 * euler;
  const bool sign = determinant(low) > 0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    ((determinant(middle) > 0) == sign ? low : high) = middle;
  }
  return low;
}

// MODAL.md section 8: free-free beam, four cells across, 3 % (0.5 % is reached). The beam does not fit the
// lattice.
TEST(ImpactMotion, BeamFrequencies) {
  Context context;
  const double L = 1, h = 0.1;
  const Solid solid(shapes::box({0.0013, 0.0021, 0.0017}, {L + 0.0013, h + 0.0021, h + 0.0017}), context);
  const ModalBody body(solid, options(0.025, 4, 0.0), context);
  const double bending = timoshenkoFrequency(L, h, 70e9, 2500);
  EXPECT_NEAR(body.frequencies()[0] / bending, 1, 0.005);
  EXPECT_NEAR(body.frequencies()[1] / bending, 1, 0.005);
  double volume = 0;
  for (size_t t = 0; t < body.tetrahedra().size(); ++t)
    volume += body.parts()[t].share * body.tetShape(t).volume;
  EXPECT_NEAR(volume / solid.mass.volume, 1, 0.01);
}

// Walls of a fraction of a cell bend as plates: the slowest vibration of a free square plate,
// Kirchhoff's 14.10 at a Poisson ratio of 0.225 [Leissa69], cells of 1.5 to 6 thicknesses. Linear tetrahedra
// are off by several times.
TEST(ImpactMotion, ThinPlatesBend) {
  Context context;
  const double a = 0.3, young = 70e9, poisson = 0.225, density = 2500;
  for (const double h : {0.01, 0.0035}) {
    const double D = young * h * h * h / 12 / (1 - poisson * poisson);
    const double exact = 14.10 / (a * a) * std::sqrt(D / (density * h));
    for (const double cell : {0.02}) {
      const Solid solid(shapes::box({0.003, 0.0007, 0.002}, {a + 0.003, h + 0.0007, a + 0.002}), context);
      ModalBodyOptions o = options(cell, 3, poisson);
      const ModalBody body(solid, o, context);
      EXPECT_NEAR(body.frequencies()[0] / exact, 1, 0.05) << h << " " << cell;
    }
  }
}

// MODAL.md section 8: spall of a bar that is hit at its end, to 2 % of the time and 4 % of the length.
TEST(ImpactMotion, SpallOfABar) {
  Context context;
  const double L = 1, h = 0.1, c = std::sqrt(70e9 / 2500), td = 0.8 * L / c;
  const Solid solid(shapes::box({0, 0, 0}, {L, h, h}), context);
  const ModalBody body(solid, options(0.05, 110, 0.0), context);
  const Strike hit = strike(body, endPressure(h, h, 8), Pulse::halfSine(td), 1, context);
  MotionOptions motionOptions;
  motionOptions.fastest = 1e9;
  const Motion motion(body, Span<const Strike>(&hit, 1), motionOptions, context);
  const double peak = hit.pulse.peak() / (h * h);  // Pa
  for (const double r : {0.6, 0.9}) {
    const double time = L / c + td / 2 + td * std::asin(r) / (2 * kPi);
    const double place = L - c * td * (0.5 - std::asin(r) / (2 * kPi));
    double foundTime = -1, foundPlace = -1;
    for (double t = 0.9 * L / c; t < 1.9 * L / c && foundTime < 0; t += 0.002 * L / c)
      for (int i = 50; i <= 98; ++i) {
        const double x = L * i / 100;
        double mean = 0;
        for (const double y : {0.2, 0.5, 0.8})
          for (const double z : {0.2, 0.5, 0.8})
            mean += stressAt(body, motion, {x, y * h, z * h}, t)(0, 0) / 9;
        if (mean >= r * peak && foundTime < 0) {
          foundTime = t;
          foundPlace = x;
        }
      }
    EXPECT_NEAR(foundTime / time, 1, 0.02) << r;
    EXPECT_NEAR(foundPlace, place, 0.04 * L) << r;
  }
}

/// The largest principal stress near the hit over the contact and some time after it.
double largestStress(const ModalBody& body, const Motion& motion, double end) {
  double largest = 0;
  for (double t = 0; t < end; t += end / 60)
    for (const double y : {0.2, 0.35, 0.5, 0.65, 0.8})
      largest = std::max(largest, principalStress(stressAt(body, motion, {0.25, y, 0.5}, t)).values[0]);
  return largest;
}

// MODAL.md section 8: few modes and the static correction against the whole finite-element model, 3 %.
TEST(ImpactMotion, StaticCorrectionStandsForTheOtherModes) {
  Context context;
  const Solid solid(shapes::box({0, 0, 0}, {0.3, 1, 1}), context);
  const ModalBody all(solid, options(0.17, 100000), context), few(solid, options(0.17, 60), context);
  ASSERT_GT(all.modes(), 10 * few.modes());
  const std::vector<PointForce> forces{{-1, {0, 0.5, 0.5}, {1, 0, 0}}};
  // The last of the few modes has three half periods in the contact.
  const double td = 3.2 * kPi / few.frequencies()[few.frequencies().size() - 1];
  const Strike hitAll = strike(all, forces, Pulse::hertz(td), 1, context);
  const Strike hitFew = strike(few, forces, Pulse::hertz(td), 1, context);
  MotionOptions motionOptions;
  motionOptions.fastest = 1e9;
  motionOptions.samplesPerPeriod = 20;
  const Motion exact(all, Span<const Strike>(&hitAll, 1), motionOptions, context);
  const Motion motion(few, Span<const Strike>(&hitFew, 1), motionOptions, context);
  const double reference = largestStress(all, exact, 2 * td);
  EXPECT_NEAR(largestStress(few, motion, 2 * td) / reference, 1, 0.03);
  // The ledger leaves out what modes that answer statically have of motion: never more than there is.
  const double ledger = motion.energyAt(0.5 * td) / exact.energyAt(0.5 * td);
  EXPECT_LT(ledger, 1.01);
  EXPECT_GT(ledger, 0.85);
}

// MODAL.md section 8: what comes late is smaller the more damping there is.
TEST(ImpactMotion, LateStressFallsWithDamping) {
  Context context;
  const Solid solid(shapes::box({0, 0, 0}, {0.3, 1, 1}), context);
  const ModalBody body(solid, options(0.17, 40), context);
  const double td = 2e-4;
  const Strike hit = strike(body, {{-1, {0, 0.5, 0.5}, {1, 0, 0}}}, Pulse::hertz(td), 1, context);
  double before = std::numeric_limits<double>::infinity(), energyBefore = before;
  for (const double alpha : {0.0, 1e-7, 1e-6, 1e-5, 1e-4}) {
    MotionOptions motionOptions;
    motionOptions.damping = {alpha, 0};
    const Motion motion(body, Span<const Strike>(&hit, 1), motionOptions, context);
    double late = 0;
    for (double t = td + 0.3 * (motion.window() - td); t < motion.window(); t += 0.002 * motion.window())
      late = std::max(late, principalStress(stressAt(body, motion, {0.3, 0.5, 0.5}, t)).values[0]);
    EXPECT_LT(late, before * (1 + 1e-6));
    EXPECT_LT(motion.energyAt(motion.window()), energyBefore * (1 + 1e-6));
    before = late;
    energyBefore = motion.energyAt(motion.window());
  }
}

// The energy that vibration keeps is the sum over modes of (p J spectrum)^2 / 2.
TEST(ImpactMotion, EnergyAfterTheContact) {
  Context context;
  const Solid solid(shapes::box({0, 0, 0}, {0.3, 1, 1}), context);
  const ModalBody body(solid, options(0.25, 30), context);
  const Strike hit = strike(body, {{-1, {0, 0.3, 0.4}, {1, 0, 0}}}, Pulse::hertz(3e-4), 2.5, context);
  MotionOptions motionOptions;
  motionOptions.fastest = 1e9;
  const Motion motion(body, Span<const Strike>(&hit, 1), motionOptions, context);
  double energy = 0;
  for (Eigen::Index i = 0; i < hit.shares.size(); ++i)
    energy += 0.5 * std::pow(2.5 * hit.shares[i] * hit.pulse.spectrum(body.frequencies()[i]), 2);
  EXPECT_NEAR(motion.energyAt(motion.window()) / energy, 1, 1e-4);
}

/// Largest error, over the largest stress, of recovered stress in pure bending of a plate of thickness h:
/// u_x = -k x y', u_y = k x^2 / 2, so that the stress is -E k y' along x.
double bendingError(double h, double cell, Context& context) {
  const Solid solid(shapes::box({0, 0, 0}, {0.4, h, 0.1}), context);
  const ModalBody body(solid, options(cell, 1, 0.0), context);
  Eigen::VectorXd u(static_cast<Eigen::Index>(3 * body.points().size()));
  const double k = 1e-3;
  for (size_t p = 0; p < body.points().size(); ++p) {
    const Vec3& x = body.points()[p];
    u.segment<3>(static_cast<Eigen::Index>(3 * p)) =
        Vec3(-k * x.x() * (x.y() - h / 2), k * x.x() * x.x() / 2, 0);
  }
  const Eigen::VectorXf stresses = body.pointStresses(u, context);
  double worst = 0;
  for (const double y : {0.0, 0.25, 1.0})
    for (const double x : {0.1, 0.2, 0.3}) {
      const LatticePlace place = body.embedding().place({x, y * h, 0.05});
      double found = 0;
      for (size_t c = 0; c < 4; ++c)
        found +=
            place.weights[c] * static_cast<double>(stresses[6 * static_cast<Eigen::Index>(place.points[c])]);
      worst = std::max(worst, std::abs(found / (70e9 * k * h / 2) - (1 - 2 * y)));
    }
  return worst;
}

// README eq. 2: quadratic displacements are recovered up to the surface, also where a wall is thinner than a
// cell.
TEST(ImpactMotion, StressOfBendingIsExact) {
  Context context;
  EXPECT_LT(bendingError(0.1, 0.025, context), 1e-3);
  EXPECT_LT(bendingError(0.02, 0.03, context), 1e-2);
}

// Stress at a flaw is that of its place in the lattice; at the surface what acts within it.
TEST(ImpactMotion, StressAtFlaws) {
  Context context;
  const Solid solid(shapes::box({0, 0, 0}, {0.3, 1, 1}), context);
  const ModalBody body(solid, options(0.2, 30), context);
  const Strike hit = strike(body, {{-1, {0, 0.3, 0.4}, {1, 0, 0}}}, Pulse::hertz(3e-4), 1, context);
  const Motion motion(body, Span<const Strike>(&hit, 1), {}, context);
  const Vec3 normal = Vec3(0.3, -0.4, 0.5).normalized();
  const FlawRows rows =
      flawRows(body, {{{0.1, 0.4, 0.6}, 1e6, Vec3::Zero()}, {{0.2, 0.7, 0.3}, 1e6, normal}}, context);
  for (const double t : {1e-5, 7e-5, 3.3e-4, 1e-3}) {
    for (size_t i = 0; i < 2; ++i) {
      const Mat3 whole = motion.stressAt(rows.places[i], t), found = motion.stressAtFlaw(rows, i, t);
      EXPECT_LT((found - stressWithin(whole, rows.flaws[i].normal)).norm(), 1e-5 * whole.norm());
    }
    EXPECT_LT((motion.stressAtFlaw(rows, 1, t) * normal).norm(),
              1e-5 * motion.stressAtFlaw(rows, 1, t).norm());
  }
}

// What is found with 12 samples per period of the fastest mode is what many samples find.
TEST(ImpactMotion, FailureIsFoundBetweenSamples) {
  Context context;
  const Solid solid(shapes::box({0, 0, 0}, {0.3, 1, 1}), context);
  const ModalBody body(solid, options(0.2, 30), context);
  const Strike hit = strike(body, {{-1, {0, 0.3, 0.4}, {1, 0, 0}}}, Pulse::hertz(3e-4), 1, context);
  std::vector<Flaw> flaws;
  for (int i = 0; i < 40; ++i)
    flaws.push_back(
        {{0.3, 0.1 + 0.02 * i, 0.9 - 0.02 * i}, 1e12, i % 2 ? Vec3::UnitX() : Vec3(Vec3::Zero())});
  for (const Flaw& flaw : flaws) {
    const FlawRows rows = flawRows(body, {flaw}, context);
    const auto found = [&](double samples, double factor) {
      MotionOptions motionOptions;
      motionOptions.fastest = 1e9;
      motionOptions.samplesPerPeriod = samples;
      const Motion motion(body, Span<const Strike>(&hit, 1), motionOptions, context);
      return findFailures(rows, motion, Grain(), factor, context);
    };
    const double exact = found(200, 1).largestLoad;
    EXPECT_NEAR(found(12, 1).largestLoad / exact, 1, 0.005);
    EXPECT_EQ(found(12, 0.99 / exact).first.size(), 0u);
    EXPECT_EQ(found(12, 1.01 / exact).first.size(), 1u);
  }
}

}  // namespace
}  // namespace hackle
