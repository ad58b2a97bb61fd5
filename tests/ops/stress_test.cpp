// The operator stress: exact for uniform stress, and what it refuses.
#include "run_checks.h"

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/geometry/transform.h>
#include <hackle/ops/registry.h>
#include <shapes.h>

#include <functional>

namespace hackle {
namespace {

Value::Map condition(std::initializer_list<std::pair<std::string, Value>> fields) {
  Value::Map map;
  for (const auto& f : fields) map.emplace_back(f.first, f.second);
  return map;
}
Value::List vec(double x, double y, double z) { return {x, y, z}; }

Outputs stress(std::vector<Item> inputs, Value::List conditions, Value::Map more = {}) {
  Context context;
  more.emplace_back("condition", std::move(conditions));
  return runOperator(findOperator("stress"), Inputs(std::move(inputs)), more, context).outputs;
}

Geometry block(int resolution, double size = 1) {
  Context context;
  return runOperator(findOperator("model"), Inputs(),
                     {{"shape", "box"}, {"resolution", resolution}, {"size", size}}, context)
      .outputs.geometry();
}

const double kYoung = 70e9, kPoisson = 0.22;

/// A cube under 1 MPa along y: u = (-nu x, y, -nu z) s / E up to a motion, stress s e_y e_y.
void expectUniaxial(const Outputs& outputs, double tolerance) {
  const Geometry& g = outputs.geometry(0);
  const Attribute* mises = g.findAttribute(Owner::Point, "von_mises");
  const Attribute* principal = g.findAttribute(Owner::Point, "principal_stress");
  const Attribute* direction = g.findAttribute(Owner::Point, "principal_direction1");
  ASSERT_TRUE(mises && principal && direction && g.findAttribute(Owner::Primitive, "traction"));
  for (size_t p = 0; p < g.pointCount(); ++p) {
    EXPECT_NEAR(mises->number(p), 1e6, tolerance * 1e6);
    EXPECT_NEAR(principal->number(p, 0), 1e6, tolerance * 1e6);
    EXPECT_NEAR(principal->number(p, 1), 0, tolerance * 1e6);
    EXPECT_NEAR(std::abs(direction->number(p, 1)), 1, tolerance);
  }
}

TEST(StressOperator, UniformStressInABodyInFlight) {
  const Outputs outputs = stress(
      {block(4)}, {condition({{"kind", "traction"}, {"traction", vec(0, 1e6, 0)}, {"group", "top"}}),
                   condition({{"kind", "traction"}, {"traction", vec(0, -1e6, 0)}, {"group", "bottom"}})});
  expectUniaxial(outputs, 1e-3);
  EXPECT_NEAR(number(outputs, "max_displacement"),
              1e6 / kYoung * std::sqrt(0.25 + 2 * 0.25 * kPoisson * kPoisson), 1e-3 * 1e6 / kYoung);
}

TEST(StressOperator, UniformStressInAHeldBody) {
  // Symmetry planes slide; the top is pulled by a force.
  const Outputs outputs =
      stress({block(4)},
             {condition({{"axes", "y"}, {"group", "bottom"}}), condition({{"axes", "x"}, {"group", "left"}}),
              condition({{"axes", "z"}, {"group", "back"}}),
              condition({{"kind", "force"}, {"force", vec(0, 1e6, 0)}, {"group", "top"}})},
             {{"magnification", 100}});
  expectUniaxial(outputs, 1e-3);
  const Geometry &g = outputs.geometry(0), &deformed = outputs.geometry(1);
  const Attribute* u = g.findAttribute(Owner::Point, "displacement");
  for (size_t p = 0; p < g.pointCount(); ++p) {
    EXPECT_NEAR(u->number(p, 1), g.position(p).y() * 1e6 / kYoung, 1e-3 * 1e6 / kYoung);
    EXPECT_NEAR(deformed.position(p).y(), g.position(p).y() + 100 * u->number(p, 1), 1e-9);
  }
}

TEST(StressOperator, FineMeshesAreSolvedOnACoarseCopy) {
  const Outputs outputs =
      stress({block(16)}, {condition({{"kind", "pressure"}, {"pressure", 1e6}})}, {{"triangles", 400}});
  EXPECT_EQ(number(outputs, "triangles_in"), 12 * 16 * 16);
  EXPECT_NEAR(number(outputs, "triangles_solved"), 400, 40);
  const Attribute* principal = outputs.geometry().findAttribute(Owner::Point, "principal_stress");
  double mean = 0;
  for (size_t p = 0; p < outputs.geometry().pointCount(); ++p)
    mean += principal->number(p, 1) / static_cast<double>(outputs.geometry().pointCount());
  EXPECT_NEAR(mean, -1e6, 0.02e6);
}

TEST(StressOperator, UniformStressOnACoarseCopyHoweverRegionsAreChosen) {
  Geometry bar = block(20);
  for (Vec3& p : bar.editPositions()) p = p.cwiseProduct(Vec3(8, 24, 8));
  const double far = 1e5;  // a ball that is almost flat where it meets the end
  for (const Value::Map& top : {condition({{"group", "top"}}), condition({{"low", vec(-99, 23.99, -99)}}),
                                condition({{"at", vec(0, 23.999 + far, 0)}, {"radius", far}})}) {
    Value::Map pull = condition({{"kind", "traction"}, {"traction", vec(0, 1e6, 0)}});
    pull.insert(pull.end(), top.begin(), top.end());
    const Outputs outputs = stress(
        {bar}, {pull, condition({{"kind", "traction"}, {"traction", vec(0, -1e6, 0)}, {"group", "bottom"}})},
        {{"triangles", 300}});
    EXPECT_LT(number(outputs, "triangles_solved"), 500);
    expectUniaxial(outputs, 0.005);
  }
}

TEST(StressOperator, ConditionsComeAsPoints) {
  Geometry points;
  points.addPoint({0, 1, 0});
  points.addPoint({0, 0, 0});
  Attribute kind("kind", Storage::String, 1, 2), force("force", Storage::Float32, 3, 2),
      radius("radius", Storage::Float32, 1, 2);
  for (size_t p = 0; p < 2; ++p) {
    kind.setString(p, "force");
    force.setNumber(p, 1, p == 0 ? -100 : 100);
    radius.setNumber(p, 0, 0.2);
  }
  for (const Attribute& a : {kind, force, radius}) points.addAttribute(Owner::Point, a);
  Context context;
  const Outputs a = runOperator(findOperator("stress"), Inputs({block(5), points}), {}, context).outputs;
  const Outputs b = stress(
      {block(5)},
      {condition({{"kind", "force"}, {"force", vec(0, -100, 0)}, {"at", vec(0, 1, 0)}, {"radius", 0.2}}),
       condition({{"kind", "force"}, {"force", vec(0, 100, 0)}, {"at", vec(0, 0, 0)}, {"radius", 0.2}})});
  EXPECT_GT(number(a, "max_von_mises"), 0);
  EXPECT_NEAR(number(a, "max_von_mises"), number(b, "max_von_mises"), 1e-4 * number(b, "max_von_mises"));
}

TEST(StressOperator, SeparateBodiesAndCavities) {
  Geometry two = block(4);
  Context context;
  Geometry other = block(4);
  for (Vec3& p : other.editPositions()) p += Vec3(3, 0, 0);
  Geometry cavity = block(4, 0.4);
  for (Vec3& p : cavity.editPositions()) p += Vec3(3, 0.3, 0);
  cavity.flipWinding();
  two.append(other);
  two.append(cavity);
  const Outputs outputs = stress({two}, {condition({{"kind", "pressure"}, {"pressure", 1e6}})});
  EXPECT_EQ(number(outputs, "bodies"), 2);
  expectUniaxial(
      stress({block(4)},
             {condition({{"kind", "traction"}, {"traction", vec(0, 1e6, 0)}, {"group", "top"}}),
              condition({{"kind", "traction"}, {"traction", vec(0, -1e6, 0)}, {"group", "bottom"}})}),
      1e-2);
  const Attribute* principal = outputs.geometry().findAttribute(Owner::Point, "principal_stress");
  for (size_t p = 0; p < outputs.geometry().pointCount(); ++p)
    EXPECT_NEAR(principal->number(p, 0), -1e6, 0.02e6);
}

TEST(StressOperator, RefusesWithReason) {
  const auto pull = condition({{"kind", "force"}, {"force", vec(0, 1, 0)}, {"group", "top"}});
  const Geometry cube = block(4);
  EXPECT_NE(refusal([&] { stress({cube}, {}); }).find("no condition"), std::string::npos);
  EXPECT_NE(refusal([&] {
              stress({cube}, {pull, condition({{"axes", "y"}, {"group", "bottom"}})});
            }).find("only partly"),
            std::string::npos);
  // Of two bodies the one that can slide is named.
  Geometry two = cube, second = cube;
  for (Vec3& p : second.editPositions()) p += Vec3(3, 0, 0);
  two.append(second);
  EXPECT_EQ(refusal([&] {
              stress({two}, {condition({{"group", "bottom"}, {"high", vec(1, 1, 1)}}),
                             condition({{"axes", "y"}, {"group", "bottom"}, {"low", vec(2, -1, -1)}})});
            }).find("body 2: the given displacements hold the body only partly"),
            0u);
  EXPECT_NE(refusal([&] {
              stress({cube}, {pull, condition({{"group", "top"}})});
            }).find("same component"),
            std::string::npos);
  EXPECT_NE(refusal([&] {
              stress({cube}, {condition({{"group", "tpo"}})});
            }).find("no group 'tpo'"),
            std::string::npos);
  EXPECT_NE(refusal([&] { stress({cube}, {pull}, {{"poisson", 0.5}}); }).find("poisson"), std::string::npos);
  Geometry flat;  // a tetrahedron with a triangle without area along one edge
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 0, 1), Vec3(0, 1, 0), Vec3(0.5, 0, 0)})
    flat.addPoint(p);
  for (const auto& f : {std::array{0, 4, 2}, {4, 1, 2}, {0, 1, 4}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}})
    flat.addPolygon({f[0], f[1], f[2]});
  EXPECT_NE(refusal([&] {
              stress({flat}, {condition({{"kind", "pressure"}})});
            }).find("without area"),
            std::string::npos);
  // Open: without a side. Crossing: two cubes that overlap.
  std::vector<int32_t> some;
  for (size_t f = 0; f + 16 < cube.primitiveCount(); ++f) some.push_back(static_cast<int32_t>(f));
  EXPECT_NE(refusal([&] { stress({cube.extract(some)}, {pull}); }), "");
  Geometry crossing = cube, shifted = cube;
  for (Vec3& p : shifted.editPositions()) p += Vec3(0.3, 0.21, 0.17);
  crossing.append(shifted);
  EXPECT_NE(refusal([&] { stress({crossing}, {pull}); }).find("crosses itself"), std::string::npos);
}

}  // namespace
}  // namespace hackle
