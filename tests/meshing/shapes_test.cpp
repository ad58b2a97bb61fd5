#include <gtest/gtest.h>
#include <hackle/meshing/shapes/shapes.h>
#include <meshing/surface_checks.h>

namespace hackle {
namespace {

constexpr double kPi = 3.141592653589793;

struct Kind {
  const char* name;
  ShapeKind kind;
  long euler;
  double naturalSize;
  std::vector<std::string> parts;    // cover everything, without overlap
  std::vector<std::string> further;  // other groups
};

const std::vector<Kind>& kinds() {
  static const std::vector<std::string> kBox{"left", "right", "bottom", "top", "back", "front"};
  static const std::vector<Kind> kKinds{
      {"box", ShapeKind::Box, 2, 1.0, kBox, {}},
      {"sphere", ShapeKind::Sphere, 2, 0.2, kBox, {}},
      {"torus", ShapeKind::Torus, 0, 0.3, {"outer", "inner"}, {}},
      {"bowl", ShapeKind::Bowl, 2, 0.16, {"foot", "bowl", "rim", "interior"}, {}},
      {"goblet", ShapeKind::Goblet, 2, 0.2, {"foot", "stem", "bowl", "rim", "interior"}, {}},
      {"column", ShapeKind::Column, 2, 3.0, {"base", "shaft", "capital"}, {}},
      {"link", ShapeKind::Link, 0, 0.1, {"left", "right", "top", "bottom"}, {}},
      {"notched_bar",
       ShapeKind::NotchedBar,
       2,
       0.5,
       {"left", "right", "bottom", "top", "back", "front", "notch"},
       {"load", "support_left", "support_right", "ends"}},
      {"pane", ShapeKind::Pane, 2, 1.2, kBox, {"edges"}},
      {"plate", ShapeKind::Plate, 2, 0.27, {"bottom", "rim", "top"}, {}},
      {"gear", ShapeKind::Gear, 0, 0.2, {"teeth", "root", "bore", "top", "bottom"}, {}},
      {"stairs", ShapeKind::Stairs, 2, 1.68, {"treads", "risers", "left", "right", "bottom", "back"}, {}},
      {"knot", ShapeKind::Knot, 0, 0.29, {"strand0", "strand1"}, {}},
      {"figure",
       ShapeKind::Figure,
       0,
       0.3,
       {"torso", "head", "arm_right", "orb", "arm_left", "leg_right", "leg_left", "base"},
       {}},
      {"bunny",
       ShapeKind::Bunny,
       2,
       0.145,
       {"body", "head", "ear_left", "ear_right", "paw_left", "paw_right", "foot_left", "foot_right", "tail"},
       {}},
      {"vase", ShapeKind::Vase, 2, 0.3, {"base", "body", "neck", "rim", "interior"}, {}},
      {"bottle", ShapeKind::Bottle, 2, 0.3, {"bottom", "body", "shoulder", "neck", "rim", "interior"}, {}},
      {"dumbbell", ShapeKind::Dumbbell, 2, 0.3, {"left", "bar", "right"}, {}},
      {"bone", ShapeKind::Bone, 2, 0.46, {"shaft", "condyles", "head", "trochanter"}, {}},
      {"brick",
       ShapeKind::Brick,
       -4,
       0.215,
       {"left", "right", "bottom", "top", "back", "front", "cores"},
       {}}};
  return kKinds;
}

Geometry make(ShapeOptions options, int threads = 0) {
  Context context;
  context.setThreads(threads);
  return makeShape(options, context);
}

Geometry make(ShapeKind kind, double resolution) {
  ShapeOptions options;
  options.shape = kind;
  options.resolution = resolution;
  return make(options);
}

void expectGood(const Geometry& g, long euler, const std::string& what) {
  SCOPED_TRACE(what);
  g.checkInvariants();
  const test::SurfaceFacts facts = test::surfaceFacts(g);
  EXPECT_EQ(facts.badEdges, 0u);
  EXPECT_EQ(facts.badPoints, 0u);
  EXPECT_EQ(facts.repeatedFaces, 0u);
  EXPECT_EQ(facts.degenerateFaces, 0u);
  EXPECT_EQ(facts.euler, euler);
  EXPECT_GT(facts.volume, 0.0);
  EXPECT_EQ(test::selfIntersections(g), 0u);
}

class Shapes : public testing::TestWithParam<size_t> {
 protected:
  const Kind& kind() const { return kinds()[GetParam()]; }
};

TEST_P(Shapes, AreClosedManifoldsAtAnyResolution) {
  for (const double resolution : {10.0, 23.0, 50.0}) {
    const Geometry g = make(kind().kind, resolution);
    expectGood(g, kind().euler, std::string(kind().name) + " at " + std::to_string(resolution));
  }
}

TEST_P(Shapes, HaveAsManyFacesAsAsked) {
  const auto faces = [&](double r) { return static_cast<double>(make(kind().kind, r).primitiveCount()); };
  const double coarse = faces(30), fine = faces(60), finest = faces(75);
  EXPECT_GT(fine, 0.7 * 6 * 60 * 60);
  EXPECT_LT(fine, 2.5 * 6 * 60 * 60);
  EXPECT_LT(coarse, fine);
  EXPECT_LT(fine, finest);
}

TEST_P(Shapes, VolumeConverges) {
  double volume[3];
  for (int i = 0; i < 3; ++i) volume[i] = test::surfaceFacts(make(kind().kind, 20 << i)).volume;
  const double last = std::abs(volume[2] - volume[1]), before = std::abs(volume[1] - volume[0]);
  // Thin walls and flutes are kept even when coarse, so that little is left to converge.
  EXPECT_LE(last, std::max(0.5 * before, 6e-3 * volume[2]));
  EXPECT_LE(last, 0.01 * volume[2]);
}

TEST_P(Shapes, PartsCoverTheSurfaceOnce) {
  const Geometry g = make(kind().kind, 20);
  EXPECT_EQ(g.groups(Owner::Primitive).size(), kind().parts.size() + kind().further.size());
  std::vector<int> covered(g.primitiveCount(), 0);
  for (const std::string& name : kind().parts) {
    const Group* group = g.findGroup(Owner::Primitive, name);
    ASSERT_TRUE(group) << name;
    EXPECT_GT(group->count(), 0u) << name;
    for (size_t f = 0; f < covered.size(); ++f) covered[f] += group->bits[f];
  }
  for (const int c : covered) ASSERT_EQ(c, 1);
  for (const std::string& name : kind().further) {
    ASSERT_TRUE(g.findGroup(Owner::Primitive, name)) << name;
    EXPECT_GT(g.findGroup(Owner::Primitive, name)->count(), 0u) << name;
  }
}

TEST_P(Shapes, TextureMapsStretchLittle) {
  const Geometry g = make(kind().kind, 50);
  const Attribute* uv = g.findAttribute(Owner::Vertex, "uv");
  ASSERT_TRUE(uv);
  EXPECT_EQ(uv->storage(), Storage::Float32);
  EXPECT_EQ(uv->tupleSize(), 3);
  for (const float v : uv->values<float>()) ASSERT_TRUE(v >= 0.0f && v <= 1.0f);
  const test::Stretch stretch = test::textureStretch(g);
  EXPECT_EQ(stretch.mirrored, 0u);
  EXPECT_GT(stretch.low, 0.2);
  EXPECT_LT(stretch.high, 2.0);
}

TEST_P(Shapes, StandOnTheGroundAtTheirSize) {
  ShapeOptions options;
  options.shape = kind().kind;
  options.resolution = 40;
  const Box3 natural = make(options).bounds();
  EXPECT_NEAR(natural.size().maxCoeff(), kind().naturalSize, 0.02 * kind().naturalSize);
  EXPECT_EQ(natural.min.y(), 0.0);
  options.size = 7.0;
  const Geometry large = make(options);
  EXPECT_NEAR(large.bounds().size().maxCoeff(), 7.0, 1e-12);
  EXPECT_EQ(large.bounds().min.y(), 0.0);
  options.centre = true;
  EXPECT_NEAR(make(options).bounds().centre().norm(), 0.0, 1e-12);
}

TEST_P(Shapes, AreEqualOnAnyNumberOfThreads) {
  ShapeOptions options;
  options.shape = kind().kind;
  options.resolution = 30;
  const Geometry one = make(options, 1), many = make(options, 5);
  EXPECT_TRUE(std::equal(one.positions().begin(), one.positions().end(), many.positions().begin(),
                         many.positions().end()));
  EXPECT_TRUE(std::equal(one.vertexPoints().begin(), one.vertexPoints().end(), many.vertexPoints().begin(),
                         many.vertexPoints().end()));
  EXPECT_TRUE(*one.findAttribute(Owner::Vertex, "uv") == *many.findAttribute(Owner::Vertex, "uv"));
}

INSTANTIATE_TEST_SUITE_P(All, Shapes, testing::Range<size_t>(0, kinds().size()),
                         [](const auto& info) { return kinds()[info.param].name; });

TEST(ShapeVolumes, AreThoseOfTheirFormulas) {
  const auto volume = [](const ShapeOptions& o) { return test::surfaceFacts(make(o)).volume; };
  ShapeOptions o;
  o.resolution = 60;
  o.proportions = {1, 2, 4};
  EXPECT_NEAR(volume(o), 0.25 * 0.5, 1e-12);
  o.shape = ShapeKind::Sphere;
  EXPECT_NEAR(volume(o), 4.0 / 3.0 * kPi * 1e-3, 2e-6);
  o.shape = ShapeKind::Torus;
  const double ring = 0.15 / 1.4, tube = 0.15 - ring;
  EXPECT_NEAR(volume(o), 2 * kPi * kPi * ring * tube * tube, 2e-5);
  o.shape = ShapeKind::Pane;
  EXPECT_NEAR(volume(o), 1.2 * 0.9 * 0.006, 1e-12);
  o.shape = ShapeKind::Stairs;
  EXPECT_NEAR(volume(o), 0.17 * 0.28 * 21, 1e-12);
  o.shape = ShapeKind::Brick;
  EXPECT_NEAR(volume(o), 0.215 * 0.065 * 0.1025 - 0.55 * 0.215 * 0.44 * 0.1025 * 0.065, 1e-12);
  o.shape = ShapeKind::NotchedBar;
  EXPECT_NEAR(volume(o), 0.1 * (0.5 * 0.1 - 0.5 * 0.035 * 0.015), 1e-12);
  o.notch = NotchKind::U;
  const double round = 0.5 * kPi * 0.0075 * 0.0075 + 0.015 * (0.035 - 0.0075);
  EXPECT_NEAR(volume(o), 0.1 * (0.05 - round), 5e-7);
  // Pappus: section times length of the centre line.
  o.shape = ShapeKind::Link;
  const double wire = 0.0085, bend = 0.0325 - wire, straight = 0.035;
  EXPECT_NEAR(volume(o), kPi * wire * wire * (2 * straight + 2 * kPi * bend), 2e-7);
}

TEST(ShapeVolumes, ConvergeWithSecondOrder) {
  // Counts that the resolution hits exactly: patches of a sphere with 8 and 16 quads along a side.
  const double exact = 4.0 / 3.0 * kPi * 1e-3;
  const auto error = [&](double resolution) {
    return exact - test::surfaceFacts(make(ShapeKind::Sphere, resolution)).volume;
  };
  const double patch = std::sqrt(2.0 * kPi / 3.0) / (0.5 * kPi);  // resolution over quads along a patch
  EXPECT_NEAR(std::log2(error(8 * patch) / error(16 * patch)), 2.0, 0.05);
}

TEST(ShapeExtremes, StayClosedManifolds) {
  const auto check = [](ShapeKind kind, long euler, const char* what, auto&& set) {
    for (const double resolution : {4.0, 20.0}) {
      ShapeOptions o;
      o.shape = kind;
      o.resolution = resolution;
      set(o);
      expectGood(make(o), euler, std::string(what) + " at " + std::to_string(resolution));
    }
  };
  check(ShapeKind::Box, 2, "sheet", [](auto& o) { o.proportions = {1, 1e-3, 1}; });
  check(ShapeKind::Box, 2, "needle", [](auto& o) { o.proportions = {0.01, 1, 0.01}; });
  check(ShapeKind::Sphere, 2, "sphere", [](auto&) {});
  check(ShapeKind::Torus, 0, "fat torus", [](auto& o) { o.tubeRatio = 0.95; });
  check(ShapeKind::Torus, 0, "thin torus", [](auto& o) { o.tubeRatio = 0.02; });
  for (const ShapeKind vessel :
       {ShapeKind::Bowl, ShapeKind::Goblet, ShapeKind::Plate, ShapeKind::Vase, ShapeKind::Bottle}) {
    const bool plate = vessel == ShapeKind::Plate;
    check(vessel, 2, "thin vessel", [&](auto& o) { o.shape = vessel, o.wall = plate ? 0.015 : 0.01; });
    check(vessel, 2, "thick vessel", [&](auto& o) {
      o.wall = plate ? 0.12 : vessel == ShapeKind::Vase ? 0.2 : vessel == ShapeKind::Bowl ? 0.3 : 0.25;
    });
  }
  check(ShapeKind::Bowl, 2, "deep bowl", [](auto& o) { o.bowlDepth = 2; });
  check(ShapeKind::Bowl, 2, "flat bowl", [](auto& o) { o.bowlDepth = 0.1; });
  check(ShapeKind::Goblet, 2, "short stem", [](auto& o) { o.stem = 0.2; });
  check(ShapeKind::Goblet, 2, "long stem", [](auto& o) { o.stem = 0.6; });
  check(ShapeKind::Column, 2, "smooth column", [](auto& o) { o.flutes = 0; });
  check(ShapeKind::Column, 2, "one flute", [](auto& o) { o.flutes = 1; });
  check(ShapeKind::Column, 2, "deep flutes",
        [](auto& o) { o.flutes = 7, o.fluteDepth = 0.3, o.slenderness = 30; });
  check(ShapeKind::Column, 2, "many flutes",
        [](auto& o) { o.flutes = 61, o.fluteDepth = 0.02, o.slenderness = 2; });
  check(ShapeKind::Link, 0, "round link", [](auto& o) { o.linkWidth = 1; });
  check(ShapeKind::Link, 0, "thin link", [](auto& o) { o.wire = 0.02, o.linkWidth = 0.3; });
  check(ShapeKind::Link, 0, "thick link", [](auto& o) { o.wire = 0.3; });
  for (const NotchKind notch : {NotchKind::V, NotchKind::U}) {
    check(ShapeKind::NotchedBar, 2, "deep notch",
          [&](auto& o) { o.notch = notch, o.notchDepth = 0.9, o.notchWidth = 0.01; });
    check(ShapeKind::NotchedBar, 2, "wide notch",
          [&](auto& o) { o.notch = notch, o.notchDepth = 0.55, o.notchWidth = 1; });
    check(ShapeKind::NotchedBar, 2, "thin bar", [&](auto& o) { o.notch = notch, o.barHeight = 0.02; });
    check(ShapeKind::NotchedBar, 2, "high bar",
          [&](auto& o) { o.notch = notch, o.barHeight = 1, o.barDepth = 0.01; });
  }
  check(ShapeKind::Pane, 2, "film", [](auto& o) { o.paneThickness = 0.0005; });
  check(ShapeKind::Gear, 0, "small gear", [](auto& o) { o.teeth = 6, o.toothDepth = 0.5, o.bore = 0.02; });
  check(ShapeKind::Gear, 0, "fine gear", [](auto& o) { o.teeth = 200, o.toothDepth = 0.01, o.bore = 0.8; });
  check(ShapeKind::Stairs, 2, "one step", [](auto& o) { o.steps = 1; });
  check(ShapeKind::Stairs, 2, "tower", [](auto& o) { o.steps = 40, o.stairsWidth = 0.05; });
  check(ShapeKind::Knot, 0, "unknot", [](auto& o) { o.knotP = 1, o.knotQ = 1, o.knotTube = 0.95; });
  check(ShapeKind::Knot, 0, "fat trefoil", [](auto& o) { o.knotTube = 0.95; });
  check(ShapeKind::Knot, 0, "busy knot", [](auto& o) { o.knotP = 7, o.knotQ = 12, o.knotTube = 0.95; });
  check(ShapeKind::Dumbbell, 2, "thin neck", [](auto& o) { o.neck = 0.05; });
  check(ShapeKind::Dumbbell, 2, "thick neck", [](auto& o) { o.neck = 0.9; });
  check(ShapeKind::Brick, 2, "solid brick", [](auto& o) { o.cores = 0; });
  check(ShapeKind::Brick, -38, "sieve", [](auto& o) { o.cores = 20; });
}

TEST(ShapeExtremes, OrganicShapesSurviveCoarseGrids) {
  for (const ShapeKind kind : {ShapeKind::Figure, ShapeKind::Bunny, ShapeKind::Bone})
    for (const double resolution : {4.0, 7.0, 13.0}) {
      const test::SurfaceFacts facts = test::surfaceFacts(make(kind, resolution));
      EXPECT_EQ(facts.badEdges + facts.badPoints + facts.repeatedFaces, 0u) << resolution;
      EXPECT_GT(facts.volume, 0.0);
    }
}

TEST(ShapeRefusals, NameTheOptionAndTheRemedy) {
  const auto refusal = [](ShapeKind kind, auto&& set) -> std::string {
    ShapeOptions o;
    o.shape = kind;
    set(o);
    try {
      make(o);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::Usage);
      EXPECT_FALSE(e.remedy().empty());
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(ShapeKind::Goblet, [](auto& o) { o.wall = 0.9; }),
            "wall: 0.9 of the radius leaves no hollow in a goblet");
  EXPECT_EQ(refusal(ShapeKind::Bowl, [](auto& o) { o.wall = 0.3, o.bowlDepth = 0.1; }),
            "bowl_depth: 0.1 is too shallow for its wall");
  EXPECT_EQ(refusal(ShapeKind::Link, [](auto& o) { o.wire = 0.4; }),
            "wire: 0.4 of the length leaves no hole in the link");
  EXPECT_EQ(refusal(ShapeKind::Knot, [](auto& o) { o.knotP = 4, o.knotQ = 6; }),
            "knot_p, knot_q: 4 and 6 have a common divisor");
  EXPECT_EQ(refusal(ShapeKind::Gear, [](auto& o) { o.bore = 0.9; }),
            "bore: 0.9 of the radius leaves no rim below the teeth");
  EXPECT_EQ(refusal(ShapeKind::Box,
                    [](auto& o) {
                      o.proportions = {1, 0, 1};
                    }),
            "proportions: 0 is not positive");
  EXPECT_EQ(refusal(ShapeKind::NotchedBar,
                    [](auto& o) { o.notch = NotchKind::U, o.notchWidth = 1, o.notchDepth = 0.3; }),
            "notch_depth: a U notch must be deeper than half its width");
  EXPECT_EQ(refusal(ShapeKind::NotchedBar, [](auto& o) { o.span = 0.99; }),
            "span: supports at 0.99 of the length stand over the ends");
  EXPECT_EQ(refusal(ShapeKind::NotchedBar, [](auto& o) { o.span = 0.1, o.notchWidth = 1; }),
            "span: the supports stand in the notch");
}

}  // namespace
}  // namespace hackle
