#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/fracture/pieces.h>
#include <hackle/fracture/voronoi/interior_boxes.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/winding_number.h>
#include <hackle/io/file.h>
#include <hackle/ops/registry.h>

#include <array>
#include <map>

namespace hackle {
namespace {

Geometry model(const std::string& shape, int threads = 0) {
  Context context;
  context.setThreads(threads);
  return runOperator(findOperator("model"), Inputs(), {{"shape", shape}}, context).outputs.geometry();
}

Run voronoi(const Geometry& solid, const Value::Map& parameters, int threads = 0) {
  Context context;
  context.setThreads(threads);
  return runOperator(findOperator("voronoi"), Inputs({solid}), parameters, context);
}

Geometry pointsOf(const std::vector<Vec3>& sites) {
  Geometry points;
  points.addPoints(sites.size());
  points.editPositions() = sites;
  return points;
}

Run cutCube(const std::vector<Vec3>& sites) {
  Context context;
  return runOperator(findOperator("voronoi"), Inputs({shapes::box(), pointsOf(sites)}), {}, context);
}

/// Every piece closed and 2-manifold, volumes that add up, and neighbours with the same corners in opposite
/// orders.
void expectSound(const Run& run, double tolerance) {
  const Value& r = run.outputs.result;
  EXPECT_TRUE(r.find("closed")->asBool());
  EXPECT_TRUE(r.find("manifold")->asBool());
  EXPECT_LE(r.find("volume_error")->asNumber(), tolerance);
  const Geometry& g = run.outputs.geometry();
  g.checkInvariants();

  // Inside faces by their corners' positions, turned to start at the least one: each has a twin that runs the
  // other way.
  using Corner = std::array<double, 3>;
  std::map<std::vector<Corner>, int> balance;
  const Group& inside = *g.findGroup(Owner::Primitive, "inside");
  for (size_t f = 0; f < g.primitiveCount(); ++f) {
    if (!inside.bits[f]) continue;
    std::vector<Corner> corners;
    for (const int32_t p : g.corners(f)) {
      const Vec3& x = g.position(static_cast<size_t>(p));
      corners.push_back({x.x(), x.y(), x.z()});
    }
    std::vector<Corner> reversed(corners.rbegin(), corners.rend());
    std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
    std::rotate(reversed.begin(), std::min_element(reversed.begin(), reversed.end()), reversed.end());
    balance[std::min(corners, reversed)] += corners < reversed ? 1 : corners == reversed ? 0 : -1;
  }
  for (const auto& [corners, sum] : balance) EXPECT_EQ(sum, 0);
}

/// A rod of that length and a 200th of it thick, along the diagonal of its bounding box: it fills 1e-4 of it.
Geometry thinRod(double length) {
  Geometry rod = shapes::box({0, -0.0025, -0.0025}, {1, 0.0025, 0.0025});
  const Mat3 turn = Eigen::Quaterniond::FromTwoVectors(Vec3(1, 0, 0), Vec3(1, 1, 1)).toRotationMatrix();
  for (Vec3& p : rod.editPositions()) p = length * (turn * p);
  return rod;
}

TEST(Voronoi, SolidsThatFillLittleOfTheirBoxAreBroken) {
  for (const double length : {0.01, 3.0}) expectSound(voronoi(thinRod(length), {{"pieces", 20}}), 1e-9);
  const Geometry two = merged(std::vector<Geometry>{shapes::box(), shapes::box({20, 20, 10}, {21, 21, 11})});
  EXPECT_EQ(voronoi(two, {{"pieces", 20}}).outputs.result.find("pieces")->asInt(), 20);
}

TEST(InteriorBoxes, PointsAreUniformInTheSolid) {
  Context context;
  const Geometry rod = thinRod(3);
  const TriangleMesh mesh = triangleMesh(rod);
  const TriangleBvh bvh(mesh, context);
  const WindingNumber inside(bvh, context);
  const double volume = massProperties(mesh, context).volume;
  const InteriorBoxes boxes(bvh, inside, volume, context);
  EXPECT_GT(boxes.volume(), volume);
  EXPECT_LT(boxes.volume(), 10 * volume);
  EXPECT_LT(boxes.count(), 5000u);
  // As many points in each tenth of its length, and about as many hits as the volumes say.
  constexpr int kTenths = 10, kPoints = 4000;
  std::array<int, kTenths> counts{};
  Random random(7);
  int drawn = 0;
  for (int found = 0; found < kPoints; ++drawn) {
    const Vec3 p = boxes.point(random);
    if (!(inside(p) > 0.5)) continue;
    ++found;
    const double along = p.dot(Vec3(1, 1, 1).normalized()) / 3;
    ++counts[std::min<size_t>(static_cast<size_t>(along * kTenths), kTenths - 1)];
  }
  for (const int count : counts) EXPECT_NEAR(count, kPoints / kTenths, 80);  // four deviations
  EXPECT_NEAR(kPoints / static_cast<double>(drawn), volume / boxes.volume(), 0.01);
  // Solids that fill their box are drawn from it, as they always were.
  const TriangleMesh cube = triangleMesh(shapes::box());
  const TriangleBvh cubeBvh(cube, context);
  EXPECT_EQ(InteriorBoxes(cubeBvh, WindingNumber(cubeBvh, context), 1, context).count(), 1u);
}

class VoronoiShapes : public testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(VoronoiShapes, PiecesAreSound) {
  const auto& [shape, count] = GetParam();
  const Geometry solid = model(shape);
  for (const int seed : {0, 1}) {
    SCOPED_TRACE(seed);
    expectSound(voronoi(solid, {{"pieces", count}, {"seed", seed}}), 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, VoronoiShapes,
                         testing::Combine(testing::Values("box", "sphere", "torus", "goblet", "gear", "knot",
                                                          "figure", "pane", "notched_bar", "stairs"),
                                          testing::Values(2, 20, 200)));

TEST(Voronoi, OutsideFacesLieInTheInputAndCarryItsAttributes) {
  Geometry solid = model("goblet");
  // A colour that is linear in space must come out so, and a number per polygon must stay with its polygon.
  Attribute& colour = solid.addAttribute(Owner::Point, Attribute("Cd", Storage::Float64, 3, 0, "color"));
  for (size_t p = 0; p < solid.pointCount(); ++p)
    for (int c = 0; c < 3; ++c) colour.setNumber(p, c, 7.0 * solid.position(p)[c] - 0.25);
  Attribute& id = solid.addAttribute(Owner::Primitive, Attribute("id", Storage::Int32, 1));
  for (size_t p = 0; p < solid.primitiveCount(); ++p) id.setNumber(p, 0, static_cast<double>(p));
  const Geometry pieces = voronoi(solid, {{"pieces", 60}}).outputs.geometry();

  Context context;
  const TriangleMesh mesh = triangleMesh(solid);
  const TriangleBvh bvh(mesh, context);
  const Group& outside = *pieces.findGroup(Owner::Primitive, "outside");
  const Attribute& pieceId = *pieces.findAttribute(Owner::Primitive, "id");
  const Attribute& uv = *pieces.findAttribute(Owner::Vertex, "uv");
  const Attribute& solidUv = *solid.findAttribute(Owner::Vertex, "uv");
  size_t whole = 0;
  for (size_t f = 0; f < pieces.primitiveCount(); ++f) {
    if (!outside.bits[f]) continue;
    const size_t source = static_cast<size_t>(pieceId.number(f));
    for (size_t v = pieces.firstVertex(f); v < pieces.firstVertex(f + 1); ++v) {
      const size_t point = static_cast<size_t>(pieces.vertexPoint(v));
      EXPECT_LE(bvh.closestPoint(pieces.position(point)).squaredDistance, 1e-26);
      // The vertex lies in a triangle of its own polygon; uv there by brute force.
      double best = 1e9, error = 1e9;
      for (size_t t = 0; t < mesh.triangles.size(); ++t) {
        if (static_cast<size_t>(mesh.primitives[t]) != source) continue;
        const auto corner = [&](size_t c) { return mesh.points[mesh.triangles[t][c]]; };
        const ClosestPoint at =
            closestPointOnTriangle(pieces.position(point), corner(0), corner(1), corner(2));
        if (at.squaredDistance >= best) continue;
        best = at.squaredDistance;
        error = 0;
        for (int c = 0; c < 2; ++c) {
          double exact = 0;
          for (size_t k = 0; k < 3; ++k)
            exact += at.barycentric[k] * solidUv.number(static_cast<size_t>(mesh.vertices[t][k]), c);
          error = std::max(error, std::abs(exact - uv.number(v, c)));
        }
      }
      EXPECT_LE(best, 1e-26);
      EXPECT_LE(error, 1e-5);
      const Attribute& cd = *pieces.findAttribute(Owner::Point, "Cd");
      for (int c = 0; c < 3; ++c)
        EXPECT_NEAR(cd.number(point, c), 7.0 * pieces.position(point)[c] - 0.25, 1e-12);
    }
    // A face that no cut reaches is the polygon itself.
    if (pieces.vertexCount(f) != solid.vertexCount(source)) continue;
    bool same = true;
    for (size_t k = 0; k < pieces.vertexCount(f); ++k)
      same = same && pieces.position(static_cast<size_t>(pieces.corners(f)[k])) ==
                         solid.position(static_cast<size_t>(solid.corners(source)[k]));
    whole += same ? 1 : 0;
  }
  EXPECT_GT(whole, solid.primitiveCount() / 3);
}

TEST(Voronoi, EveryPointOfTheSolidIsInOnePiece) {
  const Geometry solid = model("torus");
  const Geometry result = voronoi(solid, {{"pieces", 12}}).outputs.geometry();
  const Pieces pieces = piecesByName(result);
  Context context;
  std::vector<TriangleMesh> meshes;
  for (size_t p = 0; p < pieces.count(); ++p)
    meshes.push_back(triangleMesh(result.extract(pieces.primitivesOf(p))));
  const TriangleMesh whole = triangleMesh(solid);
  const Box3 box = solid.bounds();
  Random random(1);
  int inside = 0;
  for (int k = 0; k < 300; ++k) {
    const Vec3 x =
        box.min + Vec3(random.uniform(), random.uniform(), random.uniform()).cwiseProduct(box.size());
    const auto holds = [&](const TriangleMesh& m) {
      return windingNumberExact(m.points, m.triangles, x) > 0.5;
    };
    int count = 0;
    for (const TriangleMesh& m : meshes) count += holds(m) ? 1 : 0;
    EXPECT_EQ(count, holds(whole) ? 1 : 0);
    inside += count;
  }
  EXPECT_GT(inside, 20);
}

TEST(Voronoi, SymmetricCutsThroughEdgesAndCorners) {
  std::vector<Vec3> grid;
  for (int i = 0; i < 27; ++i) grid.push_back(Vec3(i % 3 + 0.5, (i / 3) % 3 + 0.5, i / 9 + 0.5) / 3);
  const std::vector<std::vector<Vec3>> cases{
      {Vec3(0.25, 0.25, 0.5), Vec3(0.75, 0.75, 0.5)},    // through two edges
      {Vec3(0.25, 0.25, 0.25), Vec3(0.75, 0.75, 0.75)},  // hexagon through midpoints
      {Vec3(0, 0, 0), Vec3(1, 1, 1), Vec3(1, 0, 0), Vec3(0, 1, 1), Vec3(0, 0, 1),
       Vec3(1, 1, 0)},                              // sites on corners
      {Vec3(0.5, 0.5, -0.5), Vec3(0.5, 0.5, 0.5)},  // the cut is a face
      {Vec3(0.5, 0.5, 0.5)},
      {Vec3(0.5, 0.5, 0), Vec3(0.5, 0.5, 1), Vec3(0.5, 0, 0.5), Vec3(0.5, 1, 0.5), Vec3(0, 0.5, 0.5),
       Vec3(1, 0.5, 0.5)},  // through all corners
      grid,
  };
  for (const auto& sites : cases) {
    SCOPED_TRACE(sites.size());
    expectSound(cutCube(sites), 1e-15);
  }
  // A grid of sites gives clean bricks: no points twice, no faces without area, and only true neighbours
  // touch.
  const auto bricks = cutCube(cases[6]);
  EXPECT_EQ(bricks.outputs.result.find("pieces")->asInt(), 27);
  EXPECT_EQ(bricks.outputs.result.find("constraints")->asInt(), 54);
  EXPECT_EQ(bricks.outputs.geometry().pointCount(), 27u * 8);
  Context context;
  EXPECT_EQ(analyseTopology(bricks.outputs.geometry(), context).degenerateFaces, 0u);
}

// Offsets that are no round numbers: bricks in a running bond, where six cells meet along edges.
TEST(Voronoi, BricksAreClean) {
  std::vector<Vec3> sites;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = -1; i < 4; ++i)
        sites.push_back(Vec3(0.31 * (i + 0.5 * (j % 2)) + 0.07, 0.27 * j + 0.1, 0.33 * k + 0.17));
  const auto run = cutCube(sites);
  expectSound(run, 1e-12);
  Context context;
  EXPECT_EQ(analyseTopology(run.outputs.geometry(), context).degenerateFaces, 0u);
}

TEST(Voronoi, TwoEuclideanPiecesShareOnePolygon) {
  const auto run = cutCube({Vec3(0.2, 0.5, 0.5), Vec3(0.9, 0.4, 0.6)});
  EXPECT_EQ(run.outputs.result.find("inside_faces")->asInt(), 2);
}

TEST(Voronoi, TrianglesMatchOnBothSides) {
  const auto run = voronoi(model("torus"), {{"pieces", 40}, {"triangulate", true}});
  expectSound(run, 1e-12);
  const Geometry& g = run.outputs.geometry();
  for (size_t f = 0; f < g.primitiveCount(); ++f) EXPECT_EQ(g.vertexCount(f), 3u);
}

TEST(Voronoi, ThreadsDoNotMatter) {
  const Geometry solid = model("figure");
  const Value::Map parameters{{"pieces", 80}, {"relaxation", 2}};
  const Geometry one = voronoi(solid, parameters, 1).outputs.geometry();
  for (const int threads : {2, 4}) {
    const Geometry many = voronoi(solid, parameters, threads).outputs.geometry();
    ASSERT_EQ(one.pointCount(), many.pointCount());
    for (size_t p = 0; p < one.pointCount(); ++p) ASSERT_EQ(one.position(p), many.position(p));
    EXPECT_TRUE(std::equal(one.vertexPoints().begin(), one.vertexPoints().end(), many.vertexPoints().begin(),
                           many.vertexPoints().end()));
    EXPECT_TRUE(*one.findAttribute(Owner::Primitive, "name") ==
                *many.findAttribute(Owner::Primitive, "name"));
    EXPECT_TRUE(*one.findAttribute(Owner::Vertex, "uv") == *many.findAttribute(Owner::Vertex, "uv"));
    EXPECT_TRUE(*one.findAttribute(Owner::Point, "depth") == *many.findAttribute(Owner::Point, "depth"));
  }
}

TEST(Voronoi, ScalingTheSolidScalesThePieces) {
  const Geometry solid = model("figure");
  const Geometry pieces = voronoi(solid, {{"pieces", 30}}).outputs.geometry();
  for (const double scale : {1e-4, 1e5}) {
    Geometry scaled = solid;
    for (Vec3& p : scaled.editPositions()) p *= scale;
    const auto run = voronoi(scaled, {{"pieces", 30}});
    expectSound(run, 1e-12);
    const Geometry& g = run.outputs.geometry();
    ASSERT_EQ(g.pointCount(), pieces.pointCount());
    EXPECT_TRUE(std::equal(g.vertexPoints().begin(), g.vertexPoints().end(), pieces.vertexPoints().begin()));
    for (size_t p = 0; p < g.pointCount(); ++p)
      EXPECT_LE((g.position(p) / scale - pieces.position(p)).norm(), 1e-9);
  }
}

TEST(Voronoi, StretchedPiecesAreSound) {
  const auto run = voronoi(model("box"), {{"pieces", 30}, {"stretch", Value::List{1.0, 6.0, 1.0}}});
  EXPECT_TRUE(run.outputs.result.find("closed")->asBool());
  EXPECT_LE(run.outputs.result.find("volume_error")->asNumber(), 1e-12);
}

TEST(Voronoi, ClustersCrowd) {
  const Geometry solid = model("box");
  const Vec3 corner = solid.bounds().max;
  const Value::Map record{{"at", Value::List{corner.x(), corner.y(), corner.z()}},
                          {"radius", 0.1 * solid.bounds().size().x()}};
  const auto run = voronoi(solid, {{"pieces", 60}, {"cluster", Value::List{record}}, {"clustered", 0.9}});
  expectSound(run, 1e-12);
  const Geometry& g = run.outputs.geometry();
  const Pieces pieces = piecesByName(g);
  size_t near = 0;
  for (size_t p = 0; p < pieces.count(); ++p) {
    const Box3 box = g.extract(pieces.primitivesOf(p)).bounds();
    if ((box.centre() - corner).norm() < 0.5 * solid.bounds().size().x()) ++near;
  }
  EXPECT_GT(near, pieces.count() / 2);
}

TEST(Voronoi, BadInputIsRefusedByName) {
  Geometry open = shapes::box();
  const std::vector<int32_t> five{0, 1, 2, 3, 4};
  open = open.extract(five);
  const auto message = [](const Geometry& g) {
    try {
      voronoi(g, {});
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(message(open).find("4 open edges"), std::string::npos);
  EXPECT_NE(message(Geometry()).find("no polygons"), std::string::npos);
  EXPECT_NE(message(pointsOf({Vec3(0, 0, 0)})).find("no polygons"), std::string::npos);
}

TEST(Voronoi, InsideOutSurfacesAreTurnedOver) {
  Geometry inverted = shapes::box();
  inverted.flipWinding();
  const auto run = voronoi(inverted, {{"pieces", 5}});
  EXPECT_GT(run.outputs.result.find("volume_out")->asNumber(), 0.99);
  Context context;
  EXPECT_GT(massProperties(triangleMesh(run.outputs.geometry()), context).volume, 0.99);
}

TEST(Voronoi, CavitiesStayInTheirPiece) {
  // A cube with a small cube-shaped hole in the middle, cut so that the hole lies in one cell.
  Geometry solid = shapes::box();
  Geometry hole = shapes::box();
  for (Vec3& p : hole.editPositions()) p = Vec3::Constant(0.4) + 0.2 * p;
  hole.flipWinding();
  solid.append(hole);
  Context context;
  const auto run =
      runOperator(findOperator("voronoi"),
                  Inputs({solid, pointsOf({Vec3(0.5, 0.5, 0.5), Vec3(2.0, 0.5, 0.5)})}), {}, context);
  EXPECT_EQ(run.outputs.result.find("pieces")->asInt(), 1);
  EXPECT_NEAR(run.outputs.result.find("volume_out")->asNumber(), 1 - 0.008, 1e-12);
}

}  // namespace
}  // namespace hackle
