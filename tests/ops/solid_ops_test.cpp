// Operators on solids: what they report is what they made.
#include "run_checks.h"

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/ops/registry.h>
#include <shapes.h>

namespace hackle {
namespace {

Outputs run(const std::string& op, std::vector<Item> inputs, const Value::Map& parameters) {
  Context context;
  return runOperator(findOperator(op), Inputs(std::move(inputs)), parameters, context).outputs;
}

bool flag(const Outputs& outputs, const char* name) { return outputs.result.find(name)->asBool(); }

TEST(SolidOperators, MeshToLevelSetAndBack) {
  const Outputs grid = run("sdf", {shapes::torus(60, 30)}, {{"voxel_size", 0.06}, {"name", "ring"}});
  ASSERT_EQ(grid.geometry().countOf(PrimitiveType::Volume), 1u);
  EXPECT_EQ(grid.geometry().volume(0)->name(), "ring");
  EXPECT_NEAR(number(grid, "volume_out"), number(grid, "volume_in"), 0.01 * number(grid, "volume_in"));
  const Outputs mesh = run("surface", {grid.geometry()}, {});
  EXPECT_TRUE(flag(mesh, "closed") && flag(mesh, "manifold"));
  EXPECT_NEAR(number(mesh, "volume"), number(grid, "volume_in"), 0.02 * number(grid, "volume_in"));
  EXPECT_EQ(mesh.geometry().findAttribute(Owner::Primitive, "name")->string(0), "ring");
  EXPECT_THROW(run("surface", {grid.geometry()}, {{"grid", "other"}}), Error);
  EXPECT_THROW(run("surface", {shapes::box()}, {}), Error);
}

TEST(SolidOperators, BooleansAddUp) {
  const Geometry a = shapes::sphere(30), b = shapes::sphere(30, 0.8, {0.7, 0.1, 0.2});
  const auto volume = [&](const char* operation) {
    const Outputs result = run("boolean", {a, b}, {{"operation", operation}, {"voxel_size", 0.05}});
    EXPECT_TRUE(flag(result, "closed") && flag(result, "manifold"));
    return number(result, "volume");
  };
  const double both = volume("union"), common = volume("intersect"), rest = volume("subtract");
  const Outputs one = run("boolean", {a, b}, {{"voxel_size", 0.05}});
  EXPECT_NEAR(both + common, number(one, "volume_a") + number(one, "volume_b"), 0.04);
  EXPECT_NEAR(rest + common, number(one, "volume_a"), 0.04);
}

TEST(SolidOperators, OffsetAndDecimateReport) {
  const Outputs grown = run("offset", {shapes::sphere(30)}, {{"distance", 0.25}, {"voxel_size", 0.06}});
  EXPECT_NEAR(number(grown, "volume"), 4 * shapes::kPi / 3 * 1.25 * 1.25 * 1.25, 0.08);
  EXPECT_LT(number(grown, "volume_in"), number(grown, "volume"));
  const Outputs few = run("decimate", {grown.geometry()}, {{"triangles", 500}});
  EXPECT_EQ(few.result.find("triangles")->asInt(), 500);
  EXPECT_TRUE(flag(few, "closed") && flag(few, "manifold") && flag(few, "reached"));
  EXPECT_EQ(few.result.find("self_intersections")->asInt(), 0);
  EXPECT_GT(number(few, "hausdorff"), 0);
  EXPECT_LT(number(few, "hausdorff"), 0.1);
  EXPECT_THROW(run("decimate", {Geometry()}, {}), Error);
}

TEST(SolidOperators, WhatIsBelowAVoxelIsLeftOutAndNotTurnedInsideOut) {
  // A shell a fiftieth of a voxel thick: its level set has scraps of surface that enclose nothing.
  Geometry inner = shapes::box(Vec3::Constant(-0.498), Vec3::Constant(0.498));
  inner.flipWinding();
  const Geometry shell =
      merged(std::vector<Geometry>{shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5)), inner});
  Context context;
  const Value::Map coarse{{"voxel_size", 0.1}, {"distance", 0.0}};
  const Outputs scraps = runOperator(findOperator("offset"), Inputs({shell}), coarse, context).outputs;
  EXPECT_GE(number(scraps, "volume"), 0);
  ASSERT_FALSE(context.warnings().empty());
  EXPECT_NE(context.warnings()[0].find("use a smaller voxel size"), std::string::npos);
  // Cavities are inside out as well, and stay.
  Geometry cavity = shapes::sphere(20, 0.3);
  cavity.flipWinding();
  const Geometry hollow =
      merged(std::vector<Geometry>{shapes::box(Vec3::Constant(-0.5), Vec3::Constant(0.5)), cavity});
  const Outputs kept = run("offset", {hollow}, {{"voxel_size", 0.03}, {"distance", 0.0}});
  EXPECT_NEAR(number(kept, "volume"), 1 - 4 * shapes::kPi / 3 * 0.027, 0.01);
}

TEST(SolidOperators, CracksMakeClosedPieces) {
  Geometry cracks;
  for (const Vec3& p : {Vec3(0.4, -1, -1), Vec3(0.4, 2, -1), Vec3(0.4, 2, 2), Vec3(0.4, -1, 2),
                        Vec3(0.4, 0.6, -1), Vec3(2, 0.6, -1), Vec3(2, 0.6, 2), Vec3(0.4, 0.6, 2)})
    cracks.addPoint(p);
  cracks.addPolygon({0, 1, 2, 3});
  cracks.addPolygon({4, 5, 6, 7});
  const Outputs pieces = run("segment", {shapes::box(), cracks}, {{"voxel_size", 0.031}});
  EXPECT_EQ(pieces.result.find("pieces")->asInt(), 3);
  EXPECT_EQ(pieces.result.find("lost_voxels")->asInt(), 0);
  EXPECT_TRUE(flag(pieces, "closed") && flag(pieces, "manifold"));
  // Two cracks, two voxels wide, are gone.
  EXPECT_NEAR(number(pieces, "volume"), 1 - 0.062 * 1.6, 0.02);
  const Outputs whole = run("segment", {shapes::box()}, {{"voxel_size", 0.031}});
  EXPECT_EQ(whole.result.find("pieces")->asInt(), 1);
}

}  // namespace
}  // namespace hackle
