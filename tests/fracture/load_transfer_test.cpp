// Loads and supports carried from an artist's surface to a coarse mesh.
#include <gtest/gtest.h>
#include <hackle/fracture/load_transfer.h>
#include <hackle/fracture/surface_conditions.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/meshing/surface/solve_surface.h>
#include <shapes.h>

#include <numeric>

namespace hackle {
namespace {

TEST(LoadTransfer, ForceAndMomentAreExact) {
  Context context;
  const SolidPtr solid = std::make_shared<const Solid>(shapes::sphere(40), context);
  const BemSurface coarse(solveSurface(solid->mesh, solid->bvh, 200, context).mesh);
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (size_t i = 0; i < coarse.nodeCount(); ++i) points.push_back(coarse.point(i));
  for (size_t t = 0; t < coarse.triangleCount(); ++t) triangles.push_back(coarse.triangle(t));
  const TriangleBvh tree(points, triangles, context);
  std::vector<int32_t> cap;
  for (int32_t t = 0; t < static_cast<int32_t>(solid->mesh.triangles.size()); ++t)
    if (middleOf(solid->mesh, static_cast<size_t>(t)).dot(Vec3(1, 2, 0.5).normalized()) > 0.83)
      cap.push_back(t);
  const CarriedRegion region = carriedRegion(
      solid->mesh, cap, coarse, tree, [](size_t) { return true; }, context);
  for (const auto& traction :
       {std::function<Vec3(const Vec3&)>([](const Vec3&) { return Vec3(3, -1, 2); }),
        std::function<Vec3(const Vec3&)>([](const Vec3& n) { return Vec3(-5 * n); })}) {
    NetLoad asked;
    for (const CarriedRegion::Sample& s : region.samples) {
      asked.force += s.area * traction(s.normal);
      asked.torque += s.area * s.place.cross(traction(s.normal));
    }
    const NetLoad applied =
        netLoad(points, triangles, carriedTractions(region, coarse, traction), Vec3::Zero());
    EXPECT_LT((applied.force - asked.force).norm(), 1e-12 * asked.force.norm());
    EXPECT_LT((applied.torque - asked.torque).norm(), 1e-12 * asked.force.norm());
  }
  // A support covers about the area of its region.
  double held = 0;
  for (const int32_t t : carriedSupport(region, coarse)) held += coarse.area(static_cast<size_t>(t));
  EXPECT_NEAR(held, region.area, 0.35 * region.area);
}

TEST(SurfaceConditions, ARegionWithoutFacesIsRefusedBeforeAnyMeshIsMade) {
  Context context;
  const Solid solid(shapes::sphere(20), context);
  BoundaryCondition nowhere;
  nowhere.region.low = Vec3::Constant(5);
  EXPECT_THROW(checkConditions(solid, nullptr, {nowhere}, 0.1, context), Error);
  BoundaryCondition hold, push;
  hold.region.high = Vec3(1e30, -0.5, 1e30);
  push.kind = ConditionKind::Force;
  push.value = {0, 1, 0};
  push.region.high = Vec3(1e30, -0.4, 1e30);
  EXPECT_THROW(checkConditions(solid, nullptr, {hold, push}, 0.1, context), Error);
}

TEST(SurfaceConditions, RegionsThatOnlyTouchOnTheCoarseMeshKeepTheirForce) {
  // Held below, pushed just above: coarse faces reach across the gap.
  Context context;
  SolveMesh mesh =
      solveMesh(std::make_shared<const Solid>(shapes::sphere(40), context), {150, false}, context);
  ASSERT_TRUE(mesh.coarse);
  BoundaryCondition hold, push;
  hold.region.high = Vec3(1e30, -0.5, 1e30);
  push.kind = ConditionKind::Force;
  push.value = {1, 2, 3};
  push.region.low = Vec3(-1e30, -0.42, -1e30);
  push.region.high = Vec3(1e30, -0.1, 1e30);
  const SurfaceConditions on = conditionsOn(mesh, BemSurface(mesh.solved), {hold, push}, context);
  EXPECT_LT((on.applied[1].force - Vec3(1, 2, 3)).norm(), 1e-9);
  for (size_t t = 0; t < on.data.fixed.size(); ++t)
    EXPECT_TRUE(!on.data.fixed[t][0] || on.data.traction[t].isZero(0));
}

TEST(SurfaceConditions, BordersOfANarrowSupportAskForEdgesThatFollowThem) {
  // The supports of a bar in three-point bending, strips a tenth as wide as the bar is high.
  Context context;
  ShapeOptions shape;
  shape.shape = ShapeKind::NotchedBar;
  shape.resolution = 30;
  const SolidPtr solid = std::make_shared<const Solid>(makeShape(shape, context), context);
  BoundaryCondition hold;
  hold.region.group = "support_left";
  const SolveMesh coarse = solveMesh(solid, {500, false}, context);
  const SurfaceConditions before = conditionsOn(coarse, BemSurface(coarse.solved), {hold}, context);
  ASSERT_FALSE(before.borders.empty());
  for (const WantedEdge& border : before.borders) {
    EXPECT_LT(std::abs(border.place.x() + 0.2), 0.03);
    EXPECT_LT(border.edge, 0.02);
    EXPECT_GT(border.edge, 0.001);
  }
  // A support that ends at edges of the mesh needs none.
  hold.region = {};
  hold.region.high = Vec3(-0.2499, 1e30, 1e30);
  EXPECT_TRUE(conditionsOn(coarse, BemSurface(coarse.solved), {hold}, context).borders.empty());
}

}  // namespace
}  // namespace hackle
