#include "shapes.h"

#include <hackle/bem/conditions.h>
#include <hackle/core/error.h>

#include <gtest/gtest.h>

#include <numeric>

namespace hackle {
namespace {

struct Scene {
  Scene() {
    surface = shapes::box();
    Group& top = surface.addGroup(Owner::Primitive, "top");
    Group& low = surface.addGroup(Owner::Point, "low");
    Attribute region("region", Storage::Int32, 1, surface.primitiveCount());
    Attribute part("part", Storage::String, 1, surface.primitiveCount());
    for (size_t f = 0; f < surface.primitiveCount(); ++f) {
      double y = 0;
      for (const int32_t p : surface.corners(f)) y += surface.position(static_cast<size_t>(p)).y();
      if (y > 3.9) top.bits.edit()[f] = 1;
      region.setNumber(f, 0, y > 3.9 ? 7 : 1);
      part.setString(f, y < 0.1 ? "base" : "rest");
    }
    for (size_t p = 0; p < surface.pointCount(); ++p)
      if (surface.position(p).y() < 0.1) low.bits.edit()[p] = 1;
    surface.addAttribute(Owner::Primitive, region);
    surface.addAttribute(Owner::Primitive, part);
    mesh = triangleMesh(surface);
    target = BemSurface(mesh);
    source.resize(target.triangleCount());
    std::iota(source.begin(), source.end(), 0);
  }
  std::vector<int32_t> in(const SurfaceRegion& region) const {
    return trianglesIn(region, "condition 1", surface, mesh, mesh, source);
  }
  BoundaryData data(const std::vector<BoundaryCondition>& conditions) const {
    std::vector<std::vector<int32_t>> triangles;
    for (const BoundaryCondition& c : conditions) triangles.push_back(in(c.region));
    return boundaryData(target, conditions, triangles);
  }
  Geometry surface;
  TriangleMesh mesh;
  BemSurface target;
  std::vector<int32_t> source;
};

SurfaceRegion group(const std::string& name) {
  SurfaceRegion r;
  r.group = name;
  return r;
}

BoundaryCondition condition(ConditionKind kind, const Vec3& value, const SurfaceRegion& region) {
  BoundaryCondition c;
  c.kind = kind;
  c.value = value;
  c.region = region;
  return c;
}

std::string refusal(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput);
    EXPECT_FALSE(e.remedy().empty());
    return e.what();
  }
  return "";
}

TEST(BoundaryConditions, RegionsOfEveryKind) {
  const Scene scene;
  SurfaceRegion byNumber, byText, box, ball;
  byNumber.attribute = "region";
  byNumber.value = "7";
  byText.attribute = "part";
  byText.value = "base";
  box.low = Vec3(-1e30, 0.999999999, -1e30);
  ball.at = Vec3(0.5, 1.01, 0.5);
  ball.radius = 0.3;
  const std::vector<int32_t> top = scene.in(group("top"));
  EXPECT_EQ(top.size(), 2u);
  EXPECT_EQ(scene.in(byNumber), top);
  EXPECT_EQ(scene.in(box), top);
  EXPECT_EQ(scene.in(ball), top);
  EXPECT_EQ(scene.in(byText), scene.in(group("low")));
  EXPECT_EQ(scene.in(group("top low")).size(), 4u);
  EXPECT_EQ(scene.in({}).size(), 12u);
  ball.radius = 0;
  EXPECT_EQ(scene.in(ball).size(), 1u);
}

TEST(BoundaryConditions, LoadsAddUp) {
  const Scene scene;
  const BoundaryData data = scene.data({condition(ConditionKind::Force, {3, 0, 0}, group("top")),
                                        condition(ConditionKind::Pressure, {5, 0, 0}, group("top")),
                                        condition(ConditionKind::Traction, {0, 0, 2}, {})});
  for (const int32_t t : scene.in(group("top"))) EXPECT_EQ(data.traction[t], Vec3(3, -5, 2));
}

TEST(BoundaryConditions, SlidingFixesOneComponent) {
  const Scene scene;
  BoundaryCondition slide = condition(ConditionKind::Displacement, {9, 0.5, 9}, group("low"));
  slide.axes = {false, true, false};
  const BoundaryData data =
      scene.data({slide, condition(ConditionKind::Traction, {1, 0, 0}, group("low"))});  // along it is fine
  for (const int32_t t : scene.in(group("low"))) {
    EXPECT_EQ(data.fixed[t], (std::array<uint8_t, 3>{0, 1, 0}));
    for (const int32_t n : scene.target.triangle(static_cast<size_t>(t)))
      EXPECT_EQ(data.displacement[n], Vec3(0, 0.5, 0));
  }
}

TEST(BoundaryConditions, RefusesUnknownRegions) {
  const Scene scene;
  EXPECT_NE(refusal([&] { scene.in(group("tpo")); }).find("no group 'tpo'"), std::string::npos);
  SurfaceRegion r;
  r.attribute = "regoin";
  EXPECT_NE(refusal([&] { scene.in(r); }).find("no attribute 'regoin'"), std::string::npos);
  r.attribute = "region";
  r.value = "seven";
  EXPECT_NE(refusal([&] { scene.in(r); }).find("holds numbers"), std::string::npos);
  r.value = "8";
  EXPECT_NE(refusal([&] { scene.in(r); }).find("meets no face"), std::string::npos);
}

TEST(BoundaryConditions, RefusesConflicts) {
  const Scene scene;
  const BoundaryCondition held = condition(ConditionKind::Displacement, {0, 0, 0}, group("top"));
  const std::string both = refusal([&] {
    scene.data({held, condition(ConditionKind::Pressure, {1, 0, 0}, group("top"))});
  });
  EXPECT_NE(both.find("condition 1 (displacement on group top) and condition 2 (pressure on group top)"),
            std::string::npos)
      << both;
  EXPECT_NE(both.find("(y)"), std::string::npos) << both;
  const std::string nodes = refusal([&] {
    scene.data({held, condition(ConditionKind::Displacement, {1, 0, 0}, {})});
  });
  EXPECT_NE(nodes.find("different displacements to points"), std::string::npos) << nodes;
  EXPECT_EQ(refusal([&] { scene.data({held, held}); }), "");
}

}  // namespace
}  // namespace hackle
