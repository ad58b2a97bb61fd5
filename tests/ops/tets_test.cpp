#include <gtest/gtest.h>
#include <hackle/ops/registry.h>
#include <hackle/volume/grid.h>
#include <shapes.h>

namespace hackle {
namespace {

Run tets(const Geometry& input, const Value::Map& given, Context& context) {
  return runOperator(findOperator("tets"), Inputs({input}), given, context);
}

std::string refusal(const Geometry& input, const Value::Map& given) {
  Context context;
  try {
    tets(input, given, context);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

/// A level set of a ball of radius 1 with voxels of 0.1 and a band of three voxels.
Geometry ballVolume() {
  constexpr int n = 30;
  std::vector<float> values;
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const double d = (0.1 * Vec3(x - 14.5, y - 14.5, z - 14.5)).norm() - 1.0;
        values.push_back(static_cast<float>(std::clamp(d, -0.3, 0.3)));
      }
  GridTransform transform;
  transform.linear *= 0.1;
  transform.offset = Vec3::Constant(-1.45);
  Geometry g;
  g.addVolume(makeFloatGrid("surface", {n, n, n}, values, 0.3f, transform));
  return g;
}

void expectGood(const Value& result) {
  EXPECT_GE(result.find("min_dihedral")->asNumber(), 10.7);
  EXPECT_LE(result.find("max_dihedral")->asNumber(), 164.8);
  EXPECT_GT(result.find("worst_shape")->asNumber(), 0.0);
  EXPECT_TRUE(result.find("closed")->asBool());
  EXPECT_TRUE(result.find("manifold")->asBool());
}

TEST(Tets, FillsASurfaceWithAboutSoMany) {
  for (const double grading : {1.0, 8.0}) {
    Context context;
    const auto run = tets(shapes::torus(60, 30), {{"count", 20000}, {"grading", grading}}, context);
    const Value& result = run.outputs.result;
    expectGood(result);
    EXPECT_NEAR(result.find("tetrahedra")->asNumber(), 20000, 2500);
    EXPECT_LT(result.find("volume_error")->asNumber(), 0.03);
    EXPECT_EQ(run.outputs.geometry(0).countOf(PrimitiveType::Tetrahedron),
              static_cast<size_t>(result.find("tetrahedra")->asInt()));
    EXPECT_EQ(run.outputs.geometry(1).primitiveCount(),
              static_cast<size_t>(result.find("boundary_faces")->asInt()));
    EXPECT_TRUE(context.warnings().empty());
  }
}

TEST(Tets, FillsALevelSet) {
  Context context;
  for (const double grading : {1.0, 4.0}) {
    const auto run = tets(ballVolume(), {{"cell_size", 0.1}, {"grading", grading}}, context);
    expectGood(run.outputs.result);
    EXPECT_NEAR(run.outputs.result.find("volume")->asNumber(), 4.18879, 0.05);
  }
}

TEST(Tets, SizesComeFromAVolumeOrAnAttribute) {
  Context context;
  Geometry ball = shapes::sphere(20);
  Attribute& sizes = ball.addAttribute(Owner::Point, Attribute("size", Storage::Float64, 1));
  for (size_t p = 0; p < ball.pointCount(); ++p) sizes.setNumber(p, 0, ball.position(p).x() > 0 ? 0.05 : 1.0);
  const auto count = [&](const Value::Map& given) {
    Value::Map all{{"cell_size", 0.08}, {"grading", 8}};
    all.insert(all.end(), given.begin(), given.end());
    return tets(ball, all, context).outputs.result.find("tetrahedra")->asInt();
  };
  const int64_t coarse = count({}), half = count({{"size_attribute", "size"}});
  const int64_t fine = tets(ball, {{"cell_size", 0.08}}, context).outputs.result.find("tetrahedra")->asInt();
  EXPECT_GT(half, coarse * 9 / 8);
  EXPECT_LT(half, fine);
  EXPECT_NE(refusal(ball, {{"size_attribute", "other"}, {"grading", 2}}), "accepted");
  EXPECT_NE(refusal(ball, {{"size_volume", "other"}, {"grading", 2}}), "accepted");
}

TEST(Tets, CagesWhatIsOpen) {
  Geometry open = shapes::torus(40, 20);
  std::vector<int32_t> some;
  for (int32_t p = 0; p < 700; ++p) some.push_back(p);
  open = open.extract(some);
  EXPECT_EQ(refusal(open, {}).substr(0, 13), "40 open edges");
  Context context;
  const auto run = tets(open, {{"mode", "cage"}, {"count", 3000}}, context);
  expectGood(run.outputs.result);
  EXPECT_GT(run.outputs.result.find("clearance")->asNumber(), 0.0);
  EXPECT_NEAR(run.outputs.result.find("tetrahedra")->asNumber(), 3000, 1200);
}

TEST(Tets, RefusesByName) {
  EXPECT_EQ(refusal(Geometry(), {}), "the input has no polygons and no volume");
  EXPECT_EQ(refusal(ballVolume(), {{"mode", "cage"}}), "a cage needs polygons to enclose, not a volume");
  EXPECT_EQ(refusal(ballVolume(), {{"volume", "density"}}), "volume: the input has no volume \"density\"");
  EXPECT_EQ(refusal(shapes::box(), {{"cell_size", 10}}).substr(0, 22), "no vertex of a lattice");
  Geometry turned = shapes::box();
  turned.flipWinding();
  Context context;
  EXPECT_NEAR(tets(turned, {{"cell_size", 0.1}}, context).outputs.result.find("volume")->asNumber(), 1.0,
              0.05);
  EXPECT_EQ(context.warnings().size(), 1u);
}

}  // namespace
}  // namespace hackle
