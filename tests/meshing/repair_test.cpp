// Laws of repair: made dirt comes off, what is clean stays, what comes out is a solid.
#include <hackle/core/random.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/transform.h>
#include <hackle/meshing/repair/checked_solid.h>
#include <hackle/meshing/repair/repair.h>
#include <hackle/meshing/shapes/shapes.h>

#include "io/geometry_difference.h"
#include "meshing/surface_checks.h"
#include "shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace hackle {
namespace {

RepairResult repaired(const Geometry& geometry, RepairOptions options = {}) {
  Context context;
  options.allowCrossings = true;
  RepairResult result = repairSolid(geometry, options, context);
  result.geometry.checkInvariants();
  return result;
}

std::string refusal(const Geometry& geometry, const RepairOptions& options = {}) {
  try {
    repaired(geometry, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::BadInput);
    EXPECT_FALSE(error.remedy().empty());
    return error.what();
  }
  return "";
}

double volumeOf(const Geometry& geometry) { return test::surfaceFacts(geometry).volume; }

size_t countOf(const RepairResult& result, RepairAction action) {
  for (const RepairStep& step : result.steps)
    if (step.action == action) return step.count;
  return 0;
}

void expectSolid(const Geometry& geometry) {
  const test::SurfaceFacts facts = test::surfaceFacts(geometry);
  EXPECT_EQ(facts.badEdges, 0u);
  EXPECT_EQ(facts.badPoints, 0u);
  EXPECT_GT(facts.volume, 0);
}

void expectUnchanged(const Geometry& geometry, const RepairOptions& options = {}) {
  const RepairResult result = repaired(geometry, options);
  EXPECT_TRUE(result.steps.empty()) << (result.steps.empty() ? "" : result.steps[0].message);
  EXPECT_EQ(test::difference(result.geometry, geometry), "");
}

/// The shapes that dirt is put on.
std::vector<Geometry> cleanShapes() {
  std::vector<Geometry> shapes{shapes::box(), shapes::sphere(6), shapes::torus(9, 7)};
  Context context;
  for (const ShapeKind kind : {ShapeKind::Goblet, ShapeKind::Brick, ShapeKind::Bone}) {
    ShapeOptions options;
    options.shape = kind;
    options.resolution = 8;
    shapes.push_back(makeShape(options, context));
  }
  return shapes;
}

/// Every face with points of its own.
Geometry exploded(const Geometry& geometry) {
  Geometry result = geometry;
  std::vector<int32_t> sources(geometry.vertexPoints().begin(), geometry.vertexPoints().end());
  std::vector<int32_t> points(sources.size());
  std::iota(points.begin(), points.end(), 0);
  result.replacePoints(sources, points);
  return result;
}

/// Turns the faces over for which `wanted` holds.
template <class Wanted>
Geometry turned(const Geometry& geometry, const Wanted& wanted) {
  std::vector<int32_t> order(geometry.vertexCount());
  std::iota(order.begin(), order.end(), 0);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (wanted(p))
      std::reverse(order.begin() + static_cast<std::ptrdiff_t>(geometry.firstVertex(p)) + 1,
                   order.begin() + static_cast<std::ptrdiff_t>(geometry.firstVertex(p + 1)));
  Geometry result = geometry;
  result.reorderVertices(order);
  return result;
}

/// The faces for which `wanted` holds, on all points.
template <class Wanted>
Geometry only(const Geometry& geometry, const Wanted& wanted) {
  std::vector<int32_t> kept;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (wanted(p)) kept.push_back(static_cast<int32_t>(p));
  return geometry.extract(kept);
}

Geometry together(const Geometry& a, const Geometry& b) {
  Geometry result = a;
  result.append(b);
  return result;
}

/// Both, with points at the same place joined.
Geometry fused(const Geometry& a, const Geometry& b) {
  Geometry result = together(a, b);
  std::vector<int32_t> sources(result.pointCount());
  std::iota(sources.begin(), sources.end(), 0);
  std::vector<int32_t> points(result.vertexPoints().begin(), result.vertexPoints().end());
  for (int32_t& p : points)
    for (int32_t q = 0; q < p; ++q)
      if (result.position(static_cast<size_t>(q)) == result.position(static_cast<size_t>(p))) p = q;
  result.replacePoints(sources, points);
  return result;
}

Geometry transformed(Geometry geometry, double scale, const Vec3& offset = Vec3::Zero()) {
  Context context;
  transformGeometry(geometry, scale * Mat3::Identity(), offset, context);
  return geometry;
}

TEST(Repair, LeavesCleanShapesAlone) {
  for (const Geometry& shape : cleanShapes()) {
    expectUnchanged(shape);
    Context context;
    EXPECT_EQ(test::difference(checkedSolid(shape, context), shape), "");
    EXPECT_TRUE(context.warnings().empty());
  }
  // Solids that touch are clean, too: nothing grows together.
  expectUnchanged(together(shapes::box(), shapes::box({1, 0, 0}, {2, 1, 1})));
}

TEST(Repair, WeldsExplodedFaces) {
  for (const Geometry& shape : cleanShapes()) {
    const RepairResult result = repaired(exploded(shape));
    expectSolid(result.geometry);
    EXPECT_EQ(result.geometry.pointCount(), shape.pointCount());
    EXPECT_EQ(result.geometry.primitiveCount(), shape.primitiveCount());
    EXPECT_EQ(countOf(result, RepairAction::WeldPoints), shape.vertexCount() - shape.pointCount());
    EXPECT_NEAR(volumeOf(result.geometry), volumeOf(shape), 1e-12 * volumeOf(shape));
    expectUnchanged(result.geometry);
  }
}

TEST(Repair, WeldsWithinTheToleranceOnly) {
  Geometry cracked = exploded(shapes::torus(9, 7));
  Random random(1);
  for (Vec3& p : cracked.editPositions())
    p += 1e-7 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  const RepairResult result = repaired(cracked);
  expectSolid(result.geometry);
  EXPECT_EQ(result.geometry.pointCount(), 63u);
  RepairOptions exact;
  exact.weldTolerance = 0;
  EXPECT_NE(refusal(cracked, exact), "");
}

TEST(Repair, KeepsTextureSeamsAndMovesPointAttributesThatDiffer) {
  Geometry soup = exploded(shapes::box());
  Attribute uv("uv", Storage::Float32, 3, 24), id("id", Storage::Int32, 1, 24),
      mass("mass", Storage::Float32, 1, 24);
  for (size_t v = 0; v < 24; ++v) {
    uv.setNumber(v, 0, static_cast<double>(v));
    id.setNumber(static_cast<size_t>(soup.vertexPoint(v)), 0, static_cast<double>(v));
    mass.setNumber(v, 0, 2.5);
  }
  soup.addAttribute(Owner::Vertex, uv);
  soup.addAttribute(Owner::Point, id);
  soup.addAttribute(Owner::Point, mass);
  const RepairResult result = repaired(soup);
  expectSolid(result.geometry);
  EXPECT_EQ(*result.geometry.findAttribute(Owner::Vertex, "uv"), uv);
  EXPECT_EQ(result.geometry.findAttribute(Owner::Point, "id"), nullptr);
  ASSERT_NE(result.geometry.findAttribute(Owner::Vertex, "id"), nullptr);
  for (size_t v = 0; v < soup.vertexCount(); ++v)
    EXPECT_EQ(result.geometry.findAttribute(Owner::Vertex, "id")->number(v), static_cast<double>(v));
  EXPECT_EQ(result.geometry.findAttribute(Owner::Point, "mass")->number(3), 2.5);
  EXPECT_EQ(countOf(result, RepairAction::MoveAttributes), 1u);
}

TEST(Repair, TurnsFacesBackExactly) {
  for (const Geometry& shape : cleanShapes())
    for (const double share : {0.02, 0.3, 1.0}) {
      Random random(7);
      size_t count = 0;
      const Geometry dirty = turned(shape, [&](size_t) {
        const bool turn = random.uniform() < share;
        count += turn;
        return turn;
      });
      const RepairResult result = repaired(dirty);
      EXPECT_EQ(volumeOf(result.geometry), volumeOf(shape));
      EXPECT_EQ(test::difference(result.geometry, shape), "");
      EXPECT_EQ(countOf(result, RepairAction::TurnFaces) + countOf(result, RepairAction::TurnShells),
                share == 1.0 ? 1 : count);
      RepairOptions asTheyAre;
      asTheyAre.orient = false;
      if (count > 0) {
        EXPECT_NE(refusal(dirty, asTheyAre), "");
      }
    }
}

TEST(Repair, DropsDuplicates) {
  for (const Geometry& shape : cleanShapes()) {
    std::vector<int32_t> primitives(shape.primitiveCount());
    std::iota(primitives.begin(), primitives.end(), 0);
    Random random(3);
    for (size_t k = 0; k < shape.primitiveCount() / 3; ++k)
      primitives.push_back(static_cast<int32_t>(random.below(shape.primitiveCount())));
    const Geometry more = shape.extract(primitives, true);
    const RepairResult result = repaired(more);
    EXPECT_EQ(test::difference(result.geometry, shape), "");
    EXPECT_EQ(countOf(result, RepairAction::DropDuplicateFaces),
              more.primitiveCount() - shape.primitiveCount());
    // Copies that look the other way, some and all.
    const Geometry back = turned(more, [&](size_t p) { return p >= shape.primitiveCount(); });
    EXPECT_EQ(volumeOf(repaired(back).geometry), volumeOf(shape));
    std::vector<int32_t> twice(primitives.begin(),
                               primitives.begin() + static_cast<std::ptrdiff_t>(shape.primitiveCount()));
    twice.insert(twice.end(), twice.begin(),
                 twice.begin() + static_cast<std::ptrdiff_t>(shape.primitiveCount()));
    const Geometry twoSided =
        turned(shape.extract(twice, true), [&](size_t p) { return p >= shape.primitiveCount(); });
    EXPECT_EQ(volumeOf(repaired(twoSided).geometry), volumeOf(shape));
    EXPECT_EQ(volumeOf(repaired(exploded(twoSided)).geometry), volumeOf(shape));
    // A second mesh in the same place.
    EXPECT_EQ(volumeOf(repaired(together(shape, shape)).geometry), volumeOf(shape));
  }
}

TEST(Repair, DropsWallsBetweenPartsUnlessTheyHaveNames) {
  const Geometry joined = fused(shapes::box(), shapes::box({1, 0, 0}, {2, 1, 1}));
  const RepairResult result = repaired(joined);
  expectSolid(result.geometry);
  EXPECT_EQ(result.geometry.primitiveCount(), 10u);
  EXPECT_NEAR(volumeOf(result.geometry), 2.0, 1e-15);
  EXPECT_EQ(countOf(result, RepairAction::DropWalls), 1u);

  Geometry named = joined;
  shapes::setNames(named, [](size_t p) { return p < 6 ? "left" : "right"; });
  const Geometry apart = repaired(named).geometry;
  expectSolid(apart);
  EXPECT_EQ(apart.primitiveCount(), 12u);
  EXPECT_EQ(apart.pointCount(), 16u);
}

TEST(Repair, DropsFacesInsideTheSolid) {
  // A tower of three boxes with single faces between the floors, some of them looking down.
  Geometry tower;
  for (int i = 0; i < 16; ++i) tower.addPoint({double(i & 1), double(i >> 1 & 1), double(i >> 2)});
  for (int floor = 0; floor < 4; ++floor) {
    const int32_t a = 4 * floor;
    if (floor % 2)
      tower.addPolygon({a, a + 1, a + 3, a + 2});
    else
      tower.addPolygon({a, a + 2, a + 3, a + 1});
    if (floor == 3) break;
    tower.addPolygon({a, a + 1, a + 5, a + 4});
    tower.addPolygon({a + 1, a + 3, a + 7, a + 5});
    tower.addPolygon({a + 3, a + 2, a + 6, a + 7});
    tower.addPolygon({a + 2, a, a + 4, a + 6});
  }
  const RepairResult result = repaired(tower);
  expectSolid(result.geometry);
  EXPECT_EQ(countOf(result, RepairAction::DropInnerFaces), 2u);
  EXPECT_NEAR(volumeOf(result.geometry), 3.0, 1e-15);
  // A fin outside of the solid is no such face.
  Geometry fin = shapes::box();
  const int32_t tip = static_cast<int32_t>(fin.addPoint({2, 0, 0}));
  fin.addPolygon({1, 3, tip});
  EXPECT_NE(refusal(fin).find("open edges"), std::string::npos);
}

TEST(Repair, RefusesSheets) {
  const Geometry sheet = only(shapes::box(), [](size_t p) { return p == 0; });
  EXPECT_EQ(refusal(sheet), "4 open edges around (0.5, 0.5, 0)");
  const Geometry twoSided = fused(sheet, turned(sheet, [](size_t) { return true; }));
  EXPECT_EQ(refusal(twoSided), "1 two-sided faces form a sheet without thickness around (0.5, 0.5, 0)");
}

TEST(Repair, SeparatesSolidsThatTouch) {
  const Geometry box = shapes::box();
  const Geometry atPoint = shapes::box({1, 1, 1}, {2, 2, 2}), atEdge = shapes::box({1, 1, 0}, {2, 2, 1});
  for (const bool insideOut : {false, true}) {
    for (const Geometry& other : {atPoint, atEdge}) {
      Geometry touching = fused(box, other);
      if (insideOut) touching.flipWinding();
      const Geometry apart = repaired(touching).geometry;
      expectSolid(apart);
      EXPECT_EQ(apart.pointCount(), 16u);
      EXPECT_EQ(piecesByConnection(apart).count(), 2u);
      EXPECT_NEAR(volumeOf(apart), 2.0, 1e-15);
    }
  }
  // One of two boxes at an edge is inside out: orientation comes from where the inside is.
  const Geometry mixed = turned(fused(box, atEdge), [](size_t p) { return p >= 6; });
  EXPECT_NEAR(volumeOf(repaired(mixed).geometry), 2.0, 1e-15);
}

TEST(Repair, SplitsAnEdgeThatASolidSharesWithItself) {
  // A ring of four boxes around a hole, two of which touch along one edge only.
  Geometry ring;
  const std::vector<Vec3> places{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {2, 2, 0},
                                 {1, 2, 0}, {0, 1, 1}, {0, 0, 1}, {0, 2, 1}, {0, 2, 0}};
  for (const Vec3& p : places)
    ring = ring.empty() ? shapes::box(p, p + Vec3::Ones()) : fused(ring, shapes::box(p, p + Vec3::Ones()));
  const RepairResult result = repaired(ring);
  expectSolid(result.geometry);
  EXPECT_NEAR(volumeOf(result.geometry), static_cast<double>(places.size()), 1e-12);
  expectUnchanged(result.geometry);
}

TEST(Repair, CutsFacesWhoseDiagonalsCoincide) {
  // Two quads over the same two corners, 0 and 2: both are cut there, since they are concave at 0.
  Geometry arrow;
  for (const Vec3& p : {Vec3(0, 0.3, 0), Vec3(1, -0.5, 0), Vec3(0, 1, 0), Vec3(-1, -0.5, 0)})
    arrow.addPoint(p);
  arrow.addPoint({0.8, -0.6, 0.5});
  arrow.addPoint({-0.8, -0.6, 0.5});
  arrow.addPolygon({0, 3, 2, 1});
  arrow.addPolygon({0, 4, 2, 5});
  arrow.addPolygon({0, 1, 4});
  arrow.addPolygon({1, 2, 4});
  arrow.addPolygon({2, 3, 5});
  arrow.addPolygon({3, 0, 5});
  const RepairResult result = repaired(arrow);
  EXPECT_EQ(countOf(result, RepairAction::CutFaces), 1u);
  expectSolid(result.geometry);
  const TriangleMesh mesh = triangleMesh(result.geometry);
  Geometry triangles;
  for (const Vec3& p : mesh.points) triangles.addPoint(p);
  for (const Triangle& t : mesh.triangles) triangles.addPolygon({t[0], t[1], t[2]});
  expectSolid(triangles);
  expectUnchanged(result.geometry);
  Context context;
  EXPECT_EQ(test::difference(checkedSolid(arrow, context), result.geometry), "");
}

TEST(Repair, RefusesOrResurfacesCrossings) {
  const Geometry crossing = together(shapes::sphere(10), shapes::sphere(10, 1.0, {0.7, 0.1, 0.2}));
  Context context;
  EXPECT_THROW(repairSolid(crossing, RepairOptions(), context), Error);
  expectUnchanged(crossing);  // with crossings allowed
  RepairOptions options;
  options.resurface = true;
  options.voxelSize = 0.1;
  const Geometry joined = repairSolid(crossing, options, context).geometry;
  expectSolid(joined);
  EXPECT_LT(volumeOf(joined), 0.9 * volumeOf(crossing));
  // Touching is not crossing.
  EXPECT_TRUE(
      repairSolid(together(shapes::box(), shapes::box({1, 0, 0}, {2, 1, 1})), {}, context).steps.empty());
}

TEST(Repair, FillsHoles) {
  RepairOptions fill;
  fill.fillHoles = 40;
  for (const Geometry& shape : cleanShapes()) {
    Random random(5);
    const Geometry holed = only(shape, [&](size_t) { return random.uniform() > 0.04; });
    if (holed.primitiveCount() == shape.primitiveCount()) continue;
    EXPECT_NE(refusal(holed).find("open edges around"), std::string::npos);
    const RepairResult result = repaired(holed, fill);
    expectSolid(result.geometry);
    EXPECT_NEAR(volumeOf(result.geometry), volumeOf(shape), 0.05 * volumeOf(shape));
    const Group* filled = result.geometry.findGroup(Owner::Primitive, "filled");
    ASSERT_NE(filled, nullptr);
    EXPECT_GE(filled->count(), shape.primitiveCount() - holed.primitiveCount());
    expectUnchanged(result.geometry, fill);
  }
  // A flat convex hole gets the face back that it had.
  const Geometry box = repaired(only(shapes::box(), [](size_t p) { return p != 3; }), fill).geometry;
  EXPECT_EQ(box.primitiveCount(), 6u);
  EXPECT_NEAR(volumeOf(box), 1.0, 1e-15);
  // Too large for one limit or the other.
  RepairOptions small = fill;
  small.fillDiameter = 0.1;
  EXPECT_NE(refusal(only(shapes::box(), [](size_t p) { return p != 3; }), small), "");
}

TEST(Repair, FillsAnOutlineThatIsNotConvex) {
  // A gear without one of its caps: the filling is the other cap turned over, in area.
  Context context;
  ShapeOptions options;
  options.shape = ShapeKind::Gear;
  options.resolution = 10;
  options.teeth = 8;
  const Geometry gear = makeShape(options, context);
  const Group* cap = gear.findGroup(Owner::Primitive, "front");
  if (!cap) cap = gear.findGroup(Owner::Primitive, "top");
  ASSERT_NE(cap, nullptr);
  RepairOptions fill;
  fill.fillHoles = 1000;
  // The cap is a ring: both of its loops are closed by discs, so the bore becomes a cavity.
  expectSolid(repaired(only(gear, [&](size_t p) { return !cap->bits[p]; }), fill).geometry);
}

TEST(Repair, ClosesCracksAtPointsOnEdges) {
  // One face of the box ends in a point on an edge of its neighbour.
  Geometry box = shapes::box();
  const int32_t middle = static_cast<int32_t>(box.addPoint({0.5, 0, 0}));
  box.addPolygon({0, 2, 3, 1, middle});
  const Geometry cracked = only(box, [](size_t p) { return p != 0; });
  const RepairResult result = repaired(cracked);
  expectSolid(result.geometry);
  EXPECT_EQ(result.geometry.primitiveCount(), 6u);
  EXPECT_EQ(countOf(result, RepairAction::SplitOpenEdges), 1u);
  EXPECT_NEAR(volumeOf(result.geometry), 1.0, 1e-15);
}

TEST(Repair, GivesCornersOfSliversToTheirNeighbours) {
  Geometry box = shapes::box();
  const int32_t middle = static_cast<int32_t>(box.addPoint({0.5, 0, 0}));
  box.addPolygon({0, 2, 3, 1, middle});
  box.addPolygon({0, middle, 1});  // without area, between the two faces
  const Geometry dirty = only(box, [](size_t p) { return p != 0; });
  const RepairResult result = repaired(dirty);
  expectSolid(result.geometry);
  EXPECT_EQ(result.geometry.primitiveCount(), 6u);
  EXPECT_EQ(countOf(result, RepairAction::DropDegenerateFaces), 1u);
  EXPECT_NEAR(volumeOf(result.geometry), 1.0, 1e-15);
}

TEST(Repair, MendsRepeatedCorners) {
  Geometry box;
  const Geometry clean = shapes::box();
  for (const Vec3& p : clean.positions()) box.addPoint(p);
  box.addPolygon({0, 0, 2, 3, 3, 1});
  box.addPolygon({4, 5, 7, 6});
  box.addPolygon({0, 1, 5, 4});
  box.addPolygon({2, 6, 7, 3, 0, 3});  // a spike
  box.addPolygon({0, 4, 6, 2});
  box.addPolygon({1, 3, 7, 5});
  box.addPolygon({1, 3, 1});  // no face at all
  const RepairResult result = repaired(box);
  EXPECT_EQ(test::difference(result.geometry, shapes::box()), "");
  EXPECT_EQ(countOf(result, RepairAction::MendCorners), 2u);
  EXPECT_EQ(countOf(result, RepairAction::DropDegenerateFaces), 1u);
}

TEST(Repair, SortsNestedShells) {
  const Geometry outer = shapes::sphere(8), inner = shapes::sphere(6, 0.5), core = shapes::sphere(4, 0.2);
  Geometry cavity = inner;
  cavity.flipWinding();
  const double a = volumeOf(outer), b = volumeOf(inner), c = volumeOf(core);
  // The same orientation: part of the solid. The other: a cavity, and what is in a cavity is solid again.
  EXPECT_NEAR(volumeOf(repaired(together(outer, inner)).geometry), a, 1e-12);
  expectUnchanged(together(outer, cavity));
  expectUnchanged(together(together(outer, cavity), core));
  EXPECT_NEAR(volumeOf(repaired(together(together(outer, cavity), core)).geometry), a - b + c, 1e-12);
  // All inside out: the same solid.
  Geometry reversed = together(together(outer, cavity), core);
  reversed.flipWinding();
  EXPECT_NEAR(volumeOf(repaired(reversed).geometry), a - b + c, 1e-12);
  // Random orientation says nothing: nested shells are cavities.
  Random random(2);
  EXPECT_NEAR(
      volumeOf(
          repaired(turned(together(outer, inner), [&](size_t) { return random.uniform() < 0.5; })).geometry),
      a - b, 1e-12);
  RepairOptions full;
  full.keepCavities = false;
  EXPECT_NEAR(volumeOf(repaired(together(together(outer, cavity), core), full).geometry), a, 1e-12);
  // Names make them different solids.
  Geometry yolk = together(outer, inner);
  shapes::setNames(yolk, [&](size_t p) { return p < outer.primitiveCount() ? "white" : "yolk"; });
  expectUnchanged(yolk);
}

TEST(Repair, RefusesByName) {
  Geometry box = shapes::box();
  box.editPositions()[3].y() = std::nan("");
  EXPECT_EQ(refusal(box), "point 3 is not finite: (1, nan, 0)");
  EXPECT_EQ(refusal(Geometry()), "the input has no polygons");
  Geometry flat = shapes::sphere(5);
  for (Vec3& p : flat.editPositions()) p.y() = 0;
  EXPECT_EQ(refusal(flat), "the surface encloses no volume");
  // Moebius strip of quads, closed into a Klein bottle.
  Geometry klein = shapes::wrappedGrid(12, 5, [](double u, double v) {
    return Vec3(std::cos(u) * (3 + std::cos(v)), std::sin(u) * (3 + std::cos(v)), std::sin(v));
  });
  std::vector<int32_t> points(klein.vertexPoints().begin(), klein.vertexPoints().end());
  for (size_t v = 4 * 55; v < points.size(); ++v)
    if (points[v] < 5) points[v] = (5 - points[v]) % 5;  // glued the wrong way round
  std::vector<int32_t> sources(klein.pointCount());
  std::iota(sources.begin(), sources.end(), 0);
  klein.replacePoints(sources, points);
  EXPECT_NE(refusal(klein).find("only one side"), std::string::npos) << refusal(klein);
}

TEST(Repair, LeavesOutWhatIsNoPolygon) {
  Geometry mixed = shapes::box();
  const std::vector<int32_t> line{0, 1};
  mixed.addPrimitive(PrimitiveType::Polyline, line);
  mixed.addPoint({5, 5, 5});
  const RepairResult result = repaired(mixed);
  EXPECT_EQ(test::difference(result.geometry, shapes::box()), "");
  EXPECT_EQ(countOf(result, RepairAction::LeaveOutPrimitives), 1u);
  EXPECT_EQ(countOf(result, RepairAction::DropUnusedPoints), 1u);
}

/// All kinds of dirt in one.
Geometry dirtyTorus() {
  Random random(11);
  Geometry dirty = turned(shapes::torus(12, 8), [&](size_t) { return random.uniform() < 0.2; });
  dirty = only(dirty, [](size_t p) { return p != 5 && p != 6; });
  std::vector<int32_t> primitives(dirty.primitiveCount());
  std::iota(primitives.begin(), primitives.end(), 0);
  primitives.insert(primitives.end(), {3, 9, 20});
  dirty = exploded(dirty.extract(primitives, true));
  return together(dirty, exploded(shapes::sphere(4, 0.1, {1, 0, 0})));
}

TEST(Repair, IsTheSameAtAnyScaleAndPlace) {
  RepairOptions options;
  options.fillHoles = 10;
  const Geometry reference = repaired(dirtyTorus(), options).geometry;
  expectSolid(reference);
  for (const double scale : {1e-4, 0x1p-20, 0.1, 10.0, 0x1p17, 1e5}) {
    const Geometry scaled = repaired(transformed(dirtyTorus(), scale), options).geometry;
    EXPECT_EQ(test::difference(scaled, transformed(reference, scale)), "") << scale;
  }
  const Geometry far = repaired(transformed(dirtyTorus(), 1, {1e4, -1e4, 2e4}), options).geometry;
  EXPECT_EQ(far.vertexPoints().size(), reference.vertexPoints().size());
  EXPECT_TRUE(
      std::equal(far.vertexPoints().begin(), far.vertexPoints().end(), reference.vertexPoints().begin()));
}

TEST(Repair, IsTheSameOnAnyNumberOfThreads) {
  RepairOptions options;
  options.fillHoles = 10;
  const Geometry reference = repaired(dirtyTorus(), options).geometry;
  for (const int threads : {1, 3}) {
    Context context;
    context.setThreads(threads);
    EXPECT_EQ(test::difference(repairSolid(dirtyTorus(), options, context).geometry, reference), "");
  }
}

TEST(Repair, KeepsAttributesOfUntouchedFaces) {
  Geometry sphere = shapes::sphere(6);
  Attribute& material = sphere.addAttribute(Owner::Primitive, Attribute("material", Storage::String, 1));
  for (size_t p = 0; p < sphere.primitiveCount(); ++p) material.setString(p, p % 2 ? "glass" : "stone");
  Attribute& uv = sphere.addAttribute(Owner::Vertex, Attribute("uv", Storage::Float32, 3));
  for (size_t v = 0; v < sphere.vertexCount(); ++v) uv.setNumber(v, 1, static_cast<double>(v));
  sphere.addGroup(Owner::Primitive, "cap").bits.edit()[2] = 1;
  const Geometry clean = sphere;
  sphere = only(sphere, [](size_t p) { return p != 30; });
  RepairOptions options;
  options.fillHoles = 4;
  const Geometry result = repaired(sphere, options).geometry;
  const Geometry untouched = only(result, [&](size_t p) { return p < sphere.primitiveCount(); });
  EXPECT_EQ(*untouched.findAttribute(Owner::Primitive, "material"),
            *sphere.findAttribute(Owner::Primitive, "material"));
  EXPECT_EQ(*untouched.findAttribute(Owner::Vertex, "uv"), *sphere.findAttribute(Owner::Vertex, "uv"));
  EXPECT_EQ(result.findGroup(Owner::Primitive, "cap")->count(), 1u);
}

TEST(Repair, ResurfacesWhatItCannotRepair) {
  // A sphere with a lid missing, in tatters: every face alone and a little out of place.
  Geometry tatters = exploded(only(shapes::sphere(12), [](size_t p) { return p % 40 != 0; }));
  Random random(4);
  for (Vec3& p : tatters.editPositions())
    p += 0.01 * Vec3(random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1));
  shapes::setNames(tatters, [](size_t) { return "ball"; });
  EXPECT_NE(refusal(tatters), "");
  RepairOptions options;
  options.resurface = true;
  options.voxelSize = 0.05;
  const RepairResult result = repaired(tatters, options);
  expectSolid(result.geometry);
  EXPECT_EQ(countOf(result, RepairAction::Resurface), 1u);
  EXPECT_NEAR(volumeOf(result.geometry), volumeOf(shapes::sphere(12)), 0.05 * volumeOf(shapes::sphere(12)));
  EXPECT_EQ(result.geometry.findAttribute(Owner::Primitive, "name")->string(7), "ball");
  expectUnchanged(result.geometry, options);
  // A sheet has no inside, whatever the voxels.
  EXPECT_NE(refusal(only(shapes::box(), [](size_t p) { return p == 0; }), options).find("no inside"),
            std::string::npos);
}

TEST(Repair, MakesASolidOfAnySoupOrRefusesIt) {
  size_t solids = 0;
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    Geometry soup;
    const uint64_t size = 1 + random.below(2), points = 4 + random.below(5), faces = 4 + random.below(12);
    for (uint64_t p = 0; p < points; ++p)
      soup.addPoint({static_cast<double>(random.below(size + 1)), static_cast<double>(random.below(size + 1)),
                     static_cast<double>(random.below(size + 1))});
    for (uint64_t f = 0; f < faces; ++f) {
      std::vector<int32_t> corners;
      for (uint64_t c = 0; c < (random.below(4) == 0 ? 4u : 3u); ++c)
        corners.push_back(static_cast<int32_t>(random.below(points)));
      soup.addPrimitive(PrimitiveType::Polygon, corners);
    }
    RepairOptions options;
    options.fillHoles = static_cast<int>(random.below(2) * 8);
    try {
      const RepairResult result = repaired(soup, options);
      expectSolid(result.geometry);
      expectUnchanged(result.geometry, options);
      ++solids;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::BadInput) << error.what();
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(solids, 100u);
}

TEST(SolidInput, RepairsOrRefuses) {
  Context context;
  const Geometry dirty = turned(exploded(shapes::sphere(6)), [](size_t p) { return p % 3 == 0; });
  EXPECT_EQ(volumeOf(checkedSolid(dirty, context)), volumeOf(shapes::sphere(6)));
  EXPECT_EQ(context.warnings().size(), 2u);
  EXPECT_THROW(checkedSolid(only(shapes::box(), [](size_t p) { return p > 0; }), context), Error);
  // Parts whose boxes lie in each other are looked at more closely, and pass if they are apart.
  const Geometry ring = together(shapes::torus(16, 8), shapes::sphere(4, 0.2));
  EXPECT_EQ(test::difference(checkedSolid(ring, context), ring), "");
  EXPECT_EQ(context.warnings().size(), 2u);
}

}  // namespace
}  // namespace hackle
