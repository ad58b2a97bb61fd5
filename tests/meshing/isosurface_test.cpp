#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/meshing/shapes/implicit.h>
#include <hackle/meshing/surface/cube_cases.h>
#include <hackle/meshing/surface/isosurface.h>
#include <meshing/surface_checks.h>

namespace hackle {
namespace {

constexpr double kPi = 3.141592653589793;

IsosurfaceOptions optionsFor(double halfSize, double spacing) {
  IsosurfaceOptions options;
  options.bounds.add(Vec3::Constant(-halfSize));
  options.bounds.add(Vec3::Constant(halfSize));
  options.spacing = spacing;
  return options;
}

ErrorCode codeOf(const ImplicitFunction& f, const IsosurfaceOptions& options) {
  Context context;
  try {
    isosurface(f, options, context);
  } catch (const Error& e) {
    return e.code();
  }
  ADD_FAILURE() << "no error";
  return ErrorCode::Internal;
}

double unitSphere(const Vec3& p) { return p.norm() - 1.0; }

/// A number in [-1, 1) that depends on the nearest grid node only.
double nodeNoise(const Vec3& p, double spacing, uint64_t seed) {
  const auto cell = [&](double x) {
    return static_cast<uint64_t>(std::llround(x / spacing * 2.0) + 1000000);
  };
  Random random(seed, cell(p.x()) | cell(p.y()) << 21 | cell(p.z()) << 42);
  return random.uniform(-1.0, 1.0);
}

TEST(CubeCases, SheetsHoldEveryCrossedEdgeOnce) {
  for (int c = 0; c < 256; ++c) {
    const detail::CubeCase& cubeCase = detail::cubeCases()[c];
    int seen = 0;
    for (int s = 0; s < cubeCase.sheets; ++s) {
      const int sheet = cubeCase.sheetEdges[s];
      EXPECT_EQ(seen & sheet, 0);
      EXPECT_GE(__builtin_popcount(static_cast<unsigned>(sheet)), 3);
      seen |= sheet;
    }
    int crossed = 0;
    for (int e = 0; e < 12; ++e) crossed |= ((c >> detail::edgeStart(e) ^ c >> detail::edgeEnd(e)) & 1) << e;
    EXPECT_EQ(seen, crossed) << c;
  }
}

TEST(CubeCases, PartnersAreMutual) {
  for (int c = 0; c < 256; ++c)
    for (int side = 0; side < 6; ++side)
      for (int e = 0; e < 12; ++e) {
        const bool crossed = (c >> detail::edgeStart(e) ^ c >> detail::edgeEnd(e)) & 1;
        if (!crossed || !(detail::sideEdges(side) >> e & 1)) continue;
        const int partner = detail::partnerEdge(c, side, e);
        ASSERT_NE(partner, e);
        EXPECT_EQ(detail::partnerEdge(c, side, partner), e);
      }
}

TEST(Isosurface, SphereConvergesWithSecondOrder) {
  double errors[2];
  for (int i = 0; i < 2; ++i) {
    Context context;
    const Geometry g = isosurface(unitSphere, optionsFor(1.3, i == 0 ? 0.1 : 0.05), context);
    const test::SurfaceFacts facts = test::surfaceFacts(g);
    EXPECT_TRUE(facts.closedManifold());
    EXPECT_EQ(facts.euler, 2);
    EXPECT_EQ(test::selfIntersections(g), 0u);
    for (const Vec3& p : g.positions()) EXPECT_NEAR(p.norm(), 1.0, 1e-7);
    errors[i] = 4.0 / 3.0 * kPi - facts.volume;
    EXPECT_GT(errors[i], 0);
  }
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.15);
}

TEST(Isosurface, FacesAreEvenlyShaped) {
  Context context;
  const ImplicitFunction f = [](const Vec3& p) {
    return blend(RoundCone({-0.5, 0, 0}, {0.5, 0.2, 0.1}, 0.3, 0.15).field(p),
                 sphereField(p, {0, 0.4, 0}, 0.2), 0.1);
  };
  const Geometry g = isosurface(f, optionsFor(1.1, 0.03), context);
  EXPECT_TRUE(test::surfaceFacts(g).closedManifold());
  for (const Vec3& p : g.positions()) EXPECT_LT(std::abs(f(p)), 1e-6 * 0.03);
  // Angles of corners, over all faces.
  double smallest = kPi;
  for (size_t i = 0; i < g.primitiveCount(); ++i) {
    const Span<const int32_t> c = g.corners(i);
    for (size_t k = 0; k < c.size(); ++k) {
      const Vec3 here = g.position(static_cast<size_t>(c[k]));
      const Vec3 a = g.position(static_cast<size_t>(c[(k + 1) % c.size()])) - here;
      const Vec3 b = g.position(static_cast<size_t>(c[(k + c.size() - 1) % c.size()])) - here;
      smallest = std::min(smallest, std::atan2(a.cross(b).norm(), a.dot(b)));
    }
  }
  EXPECT_GT(smallest * 180.0 / kPi, 30.0);
}

TEST(Isosurface, IsManifoldForAnySigns) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Context context;
    IsosurfaceOptions options = optionsFor(1.0, 0.1);
    const ImplicitFunction noise = [&](const Vec3& p) {
      return p.cwiseAbs().maxCoeff() > 0.85 ? 1.0 : nodeNoise(p, 0.1, seed) + (seed % 3 == 0 ? 0.3 : 0.0);
    };
    const test::SurfaceFacts facts = test::surfaceFacts(isosurface(noise, options, context));
    EXPECT_EQ(facts.badEdges, 0u) << seed;
    EXPECT_EQ(facts.badPoints, 0u) << seed;
    EXPECT_EQ(facts.repeatedFaces, 0u) << seed;
  }
}

TEST(Isosurface, ZerosCountAsOutside) {
  // A box whose sides lie in grid planes: many values are exactly 0.
  const ImplicitFunction box = [](const Vec3& p) { return p.cwiseAbs().maxCoeff() - 0.5; };
  Context context;
  IsosurfaceOptions options = optionsFor(1.0, 0.125);
  const test::SurfaceFacts facts = test::surfaceFacts(isosurface(box, options, context));
  EXPECT_TRUE(facts.closedManifold());
  EXPECT_EQ(facts.euler, 2);
  EXPECT_NEAR(facts.volume, 1.0, 0.12);
  // Nothing but zeros has no inside.
  EXPECT_TRUE(isosurface([](const Vec3&) { return 0.0; }, options, context).empty());
}

TEST(Isosurface, PartsCloserThanASpacingComeApart) {
  Context context;
  const ImplicitFunction pair = [](const Vec3& p) {
    return std::min(sphereField(p, {-0.5, 0, 0}, 0.5), sphereField(p, {0.5, 0, 0}, 0.5));
  };
  const test::SurfaceFacts facts = test::surfaceFacts(isosurface(pair, optionsFor(1.2, 0.08), context));
  EXPECT_EQ(facts.badEdges + facts.badPoints, 0u);
}

TEST(Isosurface, HolesAndShellsKeepTheirTopology) {
  Context context;
  const ImplicitFunction torus = [](const Vec3& p) {
    return std::hypot(std::hypot(p.x(), p.z()) - 0.7, p.y()) - 0.25;
  };
  EXPECT_EQ(test::surfaceFacts(isosurface(torus, optionsFor(1.1, 0.06), context)).euler, 0);
  const ImplicitFunction shell = [](const Vec3& p) { return std::abs(p.norm() - 0.7) - 0.12; };
  const test::SurfaceFacts facts = test::surfaceFacts(isosurface(shell, optionsFor(1.1, 0.06), context));
  EXPECT_TRUE(facts.closedManifold());
  EXPECT_EQ(facts.euler, 4);
  EXPECT_NEAR(facts.volume, 4.0 / 3.0 * kPi * (std::pow(0.82, 3) - std::pow(0.58, 3)), 0.03);
}

TEST(Isosurface, LipschitzBoundAndThreadsChangeNothing) {
  Context one, many;
  one.setThreads(1);
  many.setThreads(4);
  IsosurfaceOptions options = optionsFor(1.4, 0.031);
  const Geometry plain = isosurface(unitSphere, options, one);
  options.lipschitz = 1.0;
  const Geometry fast = isosurface(unitSphere, options, many);
  ASSERT_EQ(plain.pointCount(), fast.pointCount());
  EXPECT_TRUE(std::equal(plain.positions().begin(), plain.positions().end(), fast.positions().begin()));
  EXPECT_TRUE(std::equal(plain.vertexPoints().begin(), plain.vertexPoints().end(),
                         fast.vertexPoints().begin(), fast.vertexPoints().end()));
}

TEST(Isosurface, RefusesWhatItCannotMesh) {
  EXPECT_EQ(codeOf(unitSphere, optionsFor(0.9, 0.1)), ErrorCode::BadInput);  // cut by the bounds
  IsosurfaceOptions options = optionsFor(0.3, 0.01);
  options.lipschitz = 1.0;
  EXPECT_EQ(codeOf(unitSphere, options), ErrorCode::BadInput);  // inside everywhere
  EXPECT_EQ(codeOf([](const Vec3&) { return std::nan(""); }, optionsFor(1, 0.1)), ErrorCode::BadInput);
  EXPECT_EQ(codeOf(unitSphere, optionsFor(1.2, 0.0)), ErrorCode::Usage);
  EXPECT_EQ(codeOf(unitSphere, optionsFor(1.2, 1e-5)), ErrorCode::Usage);
  EXPECT_EQ(codeOf(unitSphere, IsosurfaceOptions()), ErrorCode::Usage);
  options = optionsFor(1.2, 0.02);
  options.lipschitz = 0.01;
  EXPECT_EQ(codeOf([](const Vec3& p) { return p.norm() - 0.97; }, options), ErrorCode::Failed);
}

TEST(Isosurface, CanBeCancelled) {
  Context context;
  std::atomic<int> calls{0};
  const ImplicitFunction f = [&](const Vec3& p) {
    if (++calls == 5000) context.cancel();
    return unitSphere(p);
  };
  EXPECT_THROW(isosurface(f, optionsFor(1.2, 0.005), context), Error);
  EXPECT_LT(calls, 100000);
}

TEST(Implicit, FieldsAreDistancesOrLess) {
  Random random(3);
  const RoundCone cone({0, 0, 0}, {1, 0.5, 0.2}, 0.4, 0.1);
  const auto point = [&] {
    return Vec3(random.uniform(-1, 2), random.uniform(-1, 2), random.uniform(-1, 2));
  };
  for (int i = 0; i < 5000; ++i) {
    const Vec3 p = point(), q = point();
    const double distance = (p - q).norm() * (1 + 1e-12);
    // The hull of two spheres, by brute force: the nearest of many spheres between them.
    double brute = 1e300;
    for (int k = 0; k <= 1000; ++k) {
      const double t = k / 1000.0;
      brute = std::min(brute, sphereField(p, t * Vec3(1, 0.5, 0.2), 0.4 - 0.3 * t));
    }
    EXPECT_NEAR(cone.field(p), brute, 1e-5);
    for (const auto& field :
         {ImplicitFunction([&](const Vec3& x) { return cone.field(x); }), ImplicitFunction([](const Vec3& x) {
            return ellipsoidField(x, {0, 0, 0}, {1, 2, 0.3});
          }),
          ImplicitFunction([](const Vec3& x) {
            return blend(sphereField(x, {0, 0, 0}, 0.5), roundedCylinderField(x, {0.5, 0, 0}, 0.4, 0.3, 0.1),
                         0.4);
          })})
      EXPECT_LE(std::abs(field(p) - field(q)), distance);
  }
}

}  // namespace
}  // namespace hackle
