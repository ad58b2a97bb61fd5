#include <gtest/gtest.h>
#include <hackle/core/memo.h>
#include <hackle/core/random.h>
#include <hackle/core/wanted_outputs.h>
#include <hackle/fracture/refracture.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/surface/self_intersections.h>
#include <hackle/ops/registry.h>
#include <hackle/volume/grid.h>

#include <map>
#include <set>

namespace hackle {
namespace {

Geometry model(const std::string& shape) {
  Context context;
  return runOperator(findOperator("model"), Inputs(), {{"shape", shape}}, context).outputs.geometry();
}

using Broken = Run;

Broken voronoi(std::vector<Item> inputs, const Value::Map& parameters) {
  Context context;
  return runOperator(findOperator("voronoi"), Inputs(std::move(inputs)), parameters, context);
}

double areaOf(const Geometry& g, size_t face) {
  Vec3 sum = Vec3::Zero();
  const Vec3 origin = g.position(static_cast<size_t>(g.corners(face)[0]));
  for (size_t k = 1; k + 1 < g.vertexCount(face); ++k)
    sum += (g.position(static_cast<size_t>(g.corners(face)[k])) - origin)
               .cross(g.position(static_cast<size_t>(g.corners(face)[k + 1])) - origin);
  return 0.5 * sum.norm();
}

double insideArea(const Geometry& g) {
  const Group& inside = *g.findGroup(Owner::Primitive, "inside");
  double sum = 0;
  for (size_t f = 0; f < g.primitiveCount(); ++f) sum += inside.bits[f] ? areaOf(g, f) : 0.0;
  return sum;
}

double total(const Geometry& g, const char* attribute) {
  double sum = 0;
  const Attribute& a = *g.findAttribute(Owner::Primitive, attribute);
  for (size_t p = 0; p < g.primitiveCount(); ++p) sum += a.number(p);
  return sum;
}

TEST(WantedOutputs, WhatNobodyWantsIsNotComputed) {
  const auto broken = [](std::optional<std::vector<bool>> wanted) {
    Context context;
    if (wanted) setWantedOutputs(context, *wanted);
    hackle::Run run = runOperator(findOperator("voronoi"), Inputs({model("box")}), {{"pieces", 9}}, context);
    bool proxies = false;
    for (const StageTime& stage : context.stageTimes()) proxies = proxies || stage.name == "proxies";
    EXPECT_EQ(proxies, run.outputs.items[2].index() != 0);
    return run.outputs;
  };
  const Outputs all = broken(std::nullopt);
  for (const std::vector<bool>& wanted :
       {std::vector<bool>{}, {true}, {true, false, true}, {false, true}, {true, true, true}}) {
    const Outputs some = broken(wanted);
    for (size_t i = 0; i < 3; ++i) {
      const bool asked = i < wanted.size() && wanted[i];
      EXPECT_EQ(some.items[i].index() != 0, asked || i == 0) << i;
      if (!asked) continue;
      MemoKey a("output"), b("output");
      addToKey(a, some.geometry(i));
      addToKey(b, all.geometry(i));
      EXPECT_TRUE(a == b) << i;
    }
    EXPECT_EQ(some.result.toJson(), all.result.toJson());
  }
}

TEST(Constraints, HoldEveryCommonFaceOnce) {
  for (const char* shape : {"box", "goblet", "figure"}) {
    SCOPED_TRACE(shape);
    const Broken run = voronoi({model(shape)}, {{"pieces", 50}, {"constraint_strength", 3.0}});
    const Geometry &pieces = run.outputs.geometry(0), &network = run.outputs.geometry(1);
    // Each common face has two sides.
    EXPECT_NEAR(total(network, "area"), 0.5 * insideArea(pieces), 1e-6 * insideArea(pieces));
    EXPECT_NEAR(total(network, "strength"), 3 * total(network, "area"), 1e-6 * total(network, "area"));
    EXPECT_EQ(network.findAttribute(Owner::Primitive, "constraint_name")->string(0), "Glue");
    EXPECT_EQ(network.findAttribute(Owner::Primitive, "constraint_type")->string(0), "all");

    // Points are the pieces' centres of mass, under their names.
    Context context;
    const Pieces byName = piecesByName(pieces);
    ASSERT_EQ(network.pointCount(), byName.count());
    for (size_t p = 0; p < byName.count(); ++p) {
      EXPECT_EQ(network.findAttribute(Owner::Point, "name")->string(p), byName.names[p]);
      const MassProperties mass =
          massProperties(triangleMesh(pieces.extract(byName.primitivesOf(p))), context);
      EXPECT_LE((mass.centre - network.position(p)).norm(), 1e-9);
    }
    for (size_t c = 0; c < network.primitiveCount(); ++c) {
      ASSERT_EQ(network.vertexCount(c), 2u);
      const Vec3 a = network.position(static_cast<size_t>(network.corners(c)[0])),
                 b = network.position(static_cast<size_t>(network.corners(c)[1]));
      EXPECT_NEAR(network.findAttribute(Owner::Primitive, "length")->number(c), (a - b).norm(), 1e-6);
    }
  }
}

TEST(Proxies, HoldTheirPieces) {
  const Broken run = voronoi({model("torus")}, {{"pieces", 30}});
  const Geometry &pieces = run.outputs.geometry(0), &hulls = run.outputs.geometry(2);
  Context context;
  const Topology topology = analyseTopology(hulls, context);
  EXPECT_TRUE(topology.closed && topology.manifold && topology.oriented);
  const Pieces a = piecesByName(pieces), b = piecesByName(hulls);
  ASSERT_EQ(a.names, b.names);
  for (size_t p = 0; p < a.count(); ++p) {
    const double volume = massProperties(triangleMesh(pieces.extract(a.primitivesOf(p))), context).volume;
    const double hull = massProperties(triangleMesh(hulls.extract(b.primitivesOf(p))), context).volume;
    EXPECT_GE(hull, volume * (1 - 1e-9));
  }
  const Broken shrunk = voronoi({model("torus")}, {{"pieces", 30}, {"proxy_shrink", 0.001}});
  EXPECT_LT(massProperties(triangleMesh(shrunk.outputs.geometry(2)), context).volume,
            massProperties(triangleMesh(hulls), context).volume);
}

TEST(SmallPieces, JoinTheirNeighbours) {
  for (const char* shape : {"gear", "figure", "sphere"}) {
    SCOPED_TRACE(shape);
    const Geometry solid = model(shape);
    const Broken all = voronoi({solid}, {{"pieces", 80}});
    const Broken joined = voronoi({solid}, {{"pieces", 80}, {"min_volume", 0.01}});
    const Value &before = all.outputs.result, &after = joined.outputs.result;
    EXPECT_LT(after.find("pieces")->asInt(), before.find("pieces")->asInt());
    EXPECT_TRUE(after.find("closed")->asBool());
    EXPECT_TRUE(after.find("manifold")->asBool());
    EXPECT_LE(after.find("volume_error")->asNumber(), 1e-12);
    const Geometry& g = joined.outputs.geometry();
    Context context;
    const double whole = massProperties(triangleMesh(solid), context).volume;
    const Pieces pieces = piecesByName(g);
    for (size_t p = 0; p < pieces.count(); ++p)
      EXPECT_GE(massProperties(triangleMesh(g.extract(pieces.primitivesOf(p))), context).volume,
                0.01 * whole * (1 - 1e-9));
    // What is left between pieces is all still held.
    EXPECT_NEAR(total(joined.outputs.geometry(1), "area"), 0.5 * insideArea(g), 1e-6 * insideArea(g));
  }
}

TEST(Levels, BreakThePiecesAndKeepTheirNamesAndFaces) {
  const Geometry solid = model("figure");
  const Broken first = voronoi({solid}, {{"pieces", 6}});
  const Broken second = voronoi({solid}, {{"pieces", 6}, {"levels", 2}, {"level_pieces", 5}});
  const Value& report = second.outputs.result;
  EXPECT_TRUE(report.find("closed")->asBool());
  EXPECT_TRUE(report.find("manifold")->asBool());
  EXPECT_LE(report.find("volume_error")->asNumber(), 1e-12);
  EXPECT_GT(report.find("pieces")->asInt(), 3 * first.outputs.result.find("pieces")->asInt());

  // Children fill their parent.
  Context context;
  const Geometry &a = first.outputs.geometry(), &b = second.outputs.geometry();
  const Pieces parents = piecesByName(a), children = piecesByName(b);
  std::map<std::string, double> volume;
  for (size_t p = 0; p < children.count(); ++p) {
    const std::string& name = children.names[p];
    volume[name.substr(0, name.find('-'))] +=
        massProperties(triangleMesh(b.extract(children.primitivesOf(p))), context).volume;
  }
  ASSERT_EQ(volume.size(), parents.count());
  for (size_t p = 0; p < parents.count(); ++p)
    EXPECT_NEAR(volume[parents.names[p]],
                massProperties(triangleMesh(a.extract(parents.primitivesOf(p))), context).volume, 1e-15);

  // The faces between parents are still inside faces, and held across: by area, as the parents were.
  const auto across = [](const Geometry& network) {
    std::map<std::pair<std::string, std::string>, double> areas;
    for (size_t c = 0; c < network.primitiveCount(); ++c) {
      std::string ends[2];
      for (size_t k = 0; k < 2; ++k) {
        ends[k] =
            network.findAttribute(Owner::Point, "name")->string(static_cast<size_t>(network.corners(c)[k]));
        ends[k] = ends[k].substr(0, ends[k].find('-'));
      }
      if (ends[0] != ends[1])
        areas[std::minmax(ends[0], ends[1])] += network.findAttribute(Owner::Primitive, "area")->number(c);
    }
    return areas;
  };
  const auto one = across(first.outputs.geometry(1)), two = across(second.outputs.geometry(1));
  ASSERT_EQ(one.size(), two.size());
  for (const auto& [ends, area] : one) EXPECT_NEAR(two.at(ends), area, 1e-6 * area);
  EXPECT_NEAR(total(second.outputs.geometry(1), "area"), 0.5 * insideArea(b), 1e-5 * insideArea(b));
}

TEST(Levels, ABrokenInputIsBrokenFurther) {
  const Broken first = voronoi({model("box")}, {{"pieces", 4}});
  const Broken second = voronoi({first.outputs.geometry()}, {{"pieces", 3}});
  const Pieces pieces = piecesByName(second.outputs.geometry());
  EXPECT_EQ(pieces.names[0], "piece0-0");
  EXPECT_GE(insideArea(second.outputs.geometry()), insideArea(first.outputs.geometry()) * (1 - 1e-9));
  EXPECT_TRUE(second.outputs.result.find("closed")->asBool());
  // Depth is measured from the original surface, not from the first fracture.
  const Geometry& g = second.outputs.geometry();
  const Group& inside = *g.findGroup(Owner::Primitive, "inside");
  std::vector<uint8_t> onSurface(g.pointCount(), 0);
  for (size_t f = 0; f < g.primitiveCount(); ++f)
    if (!inside.bits[f])
      for (const int32_t p : g.corners(f)) onSurface[p] = 1;
  const Box3 box = model("box").bounds();
  for (size_t p = 0; p < g.pointCount(); ++p) {
    const Vec3 x = g.position(p);
    const double exact = std::min((x - box.min).minCoeff(), (box.max - x).minCoeff());
    EXPECT_NEAR(g.findAttribute(Owner::Point, "depth")->number(p), onSurface[p] ? 0.0 : exact, 1e-6);
  }
}

// One piece in the way does not stop the others.
TEST(Levels, APieceThatCannotBeBrokenStaysWhole) {
  Geometry pieces = voronoi({model("box")}, {{"pieces", 5}}).outputs.geometry();
  std::vector<int32_t> all;  // without one face of the last piece
  for (size_t f = 0; f + 1 < pieces.primitiveCount(); ++f) all.push_back(static_cast<int32_t>(f));
  const Pieces before = piecesByName(pieces);
  const Broken run = voronoi({pieces.extract(all)}, {{"pieces", 4}});
  const Pieces after = piecesByName(run.outputs.geometry());
  EXPECT_EQ(after.names.back(), before.names.back());
  EXPECT_EQ(after.names.front(), before.names.front() + "-0");
}

// Names of patches on one closed surface are not pieces.
TEST(Levels, NamedPatchesAreOneSolid) {
  Geometry solid = model("box");
  Attribute& name = solid.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  for (size_t f = 0; f < solid.primitiveCount(); ++f) name.setString(f, f % 2 ? "left" : "right");
  const Broken run = voronoi({solid}, {{"pieces", 4}});
  EXPECT_TRUE(run.outputs.result.find("closed")->asBool());
  EXPECT_EQ(piecesByName(run.outputs.geometry()).names[0], "piece0");
}

TEST(Levels, TriangleOverlapIsSymmetricAndExact) {
  const std::array<Vec3, 3> a{Vec3(0, 0, 1), Vec3(2, 0, 1), Vec3(0, 2, 1)};
  const std::array<Vec3, 3> b{Vec3(0, 0, 1), Vec3(0, 1, 1), Vec3(1, 0, 1)};
  EXPECT_NEAR(triangleOverlap(a, b).area, 0.5, 1e-15);
  EXPECT_NEAR(triangleOverlap(b, a).area, 0.5, 1e-15);
  EXPECT_EQ(triangleOverlap(a, {Vec3(3, 3, 1), Vec3(3, 4, 1), Vec3(4, 3, 1)}).area, 0.0);
}

// The share of sites in each half follows the density there.
TEST(SiteDensity, FollowsAnAttributeAndAVolume) {
  Geometry solid = model("box");
  const Box3 box = solid.bounds();
  const auto upper = [&](const Vec3& p) { return p.y() > box.centre().y(); };
  Attribute& dense = solid.addAttribute(Owner::Point, Attribute("dense", Storage::Float32, 1));
  for (size_t p = 0; p < solid.pointCount(); ++p)
    dense.setNumber(p, 0, (solid.position(p).y() - box.min.y()) / box.size().y());
  const auto share = [&](const Broken& run) {
    const Geometry& network = run.outputs.geometry(1);
    double above = 0;
    for (size_t p = 0; p < network.pointCount(); ++p) above += upper(network.position(p)) ? 1 : 0;
    return above / static_cast<double>(network.pointCount());
  };
  const double even = share(voronoi({solid}, {{"pieces", 400}}));
  EXPECT_NEAR(even, 0.5, 0.1);
  EXPECT_GT(share(voronoi({solid}, {{"pieces", 400}, {"density", "dense"}})), 0.62);

  // A grid of density 9 above and 1 below gives nine of ten.
  const int n = 8;
  std::vector<float> values;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) values.push_back(j >= n / 2 ? 9.0f : 1.0f);
  GridTransform transform;
  transform.linear = (box.size() / (n - 1)).asDiagonal();
  transform.offset = box.min;
  Geometry volume;
  volume.addVolume(makeFloatGrid("density", {n, n, n}, values, 0.0f, transform));
  EXPECT_NEAR(share(voronoi({solid, {}, {}, volume}, {{"pieces", 400}})), 0.88, 0.05);

  EXPECT_THROW(voronoi({solid}, {{"density", "nothing"}}), Error);
  EXPECT_THROW(voronoi({solid, {}, {}, solid}, {}), Error);
}

TEST(Clusters, ComeAsPointsToo) {
  const Geometry solid = model("box");
  Geometry points;
  points.addPoints(1);
  points.editPositions()[0] = solid.bounds().max;
  points.addAttribute(Owner::Point, Attribute("radius", Storage::Float32, 1))
      .setNumber(0, 0, 0.05 * solid.bounds().size().x());
  const Broken run = voronoi({solid, {}, points}, {{"pieces", 60}, {"clustered", 1.0}});
  const Geometry& network = run.outputs.geometry(1);
  size_t near = 0;
  for (size_t p = 0; p < network.pointCount(); ++p)
    near += (network.position(p) - solid.bounds().max).norm() < 0.4 * solid.bounds().size().x() ? 1 : 0;
  EXPECT_GT(near, network.pointCount() / 2);
}

TEST(InsideFaces, OutsideKeepsPointNormalsAndTextures) {
  Geometry solid = model("sphere");
  const Vec3 middle = solid.bounds().centre();
  solid.removeAttribute(Owner::Vertex, "uv");
  solid.addAttribute(Owner::Point, Attribute("N", Storage::Float32, 3, 0, "normal"));
  solid.addAttribute(Owner::Point, Attribute("uv", Storage::Float32, 3, 0, "texturecoord"));
  Attribute& n = *solid.findAttribute(Owner::Point, "N");
  Attribute& uv = *solid.findAttribute(Owner::Point, "uv");
  for (size_t p = 0; p < solid.pointCount(); ++p)
    for (int c = 0; c < 3; ++c) {
      n.setNumber(p, c, (solid.position(p) - middle).normalized()[c]);
      uv.setNumber(p, c, solid.position(p)[c]);
    }
  const Geometry g = voronoi({solid}, {{"pieces", 10}}).outputs.geometry();
  const Group& inside = *g.findGroup(Owner::Primitive, "inside");
  const Attribute& normals = *g.findAttribute(Owner::Vertex, "N");
  const Attribute& textures = *g.findAttribute(Owner::Vertex, "uv");
  for (size_t f = 0; f < g.primitiveCount(); ++f)
    for (size_t v = g.firstVertex(f); v < g.firstVertex(f + 1); ++v) {
      const Vec3 x = g.position(static_cast<size_t>(g.vertexPoint(v)));
      const Vec3 normal(normals.number(v, 0), normals.number(v, 1), normals.number(v, 2));
      EXPECT_NEAR(normal.norm(), 1.0, 1e-5);
      if (inside.bits[f]) continue;
      EXPECT_GT(normal.dot((x - middle).normalized()), 0.99);
      for (int c = 0; c < 3; ++c) EXPECT_NEAR(textures.number(v, c), x[c], 1e-5);
    }
}

// Rough faces: the same on both sides, flat at the rim, and all the pieces still sound.
TEST(InteriorDetail, MatchesOnBothSidesAndKeepsTheRim) {
  for (const char* shape : {"box", "torus", "goblet"}) {
    SCOPED_TRACE(shape);
    const Geometry solid = model(shape);
    const double size = solid.bounds().diagonal();
    const Value::Map flat{{"pieces", 12}};
    const Value::Map rough{{"pieces", 12}, {"detail_size", 0.01 * size}, {"detail_amount", 0.1 * size}};
    const Broken before = voronoi({solid}, flat), after = voronoi({solid}, rough);
    const Value& report = after.outputs.result;
    EXPECT_TRUE(report.find("closed")->asBool());
    EXPECT_TRUE(report.find("manifold")->asBool());
    EXPECT_LE(report.find("volume_error")->asNumber(), 1e-11);
    EXPECT_EQ(report.find("pieces")->asInt(), before.outputs.result.find("pieces")->asInt());
    EXPECT_EQ(report.find("outside_faces")->asInt(), before.outputs.result.find("outside_faces")->asInt());
    EXPECT_GT(report.find("inside_faces")->asInt(), 4 * before.outputs.result.find("inside_faces")->asInt());

    // Every inside triangle has a twin that runs the other way.
    const Geometry& g = after.outputs.geometry();
    const Group& inside = *g.findGroup(Owner::Primitive, "inside");
    std::map<std::vector<std::array<double, 3>>, int> balance;
    double moved = 0;
    for (size_t f = 0; f < g.primitiveCount(); ++f) {
      if (!inside.bits[f]) continue;
      std::vector<std::array<double, 3>> corners;
      for (const int32_t p : g.corners(f)) {
        const Vec3& x = g.position(static_cast<size_t>(p));
        corners.push_back({x.x(), x.y(), x.z()});
      }
      std::sort(corners.begin(), corners.end());
      ++balance[corners];
    }
    for (const auto& [corners, count] : balance) EXPECT_EQ(count, 2);
    EXPECT_GT(insideArea(g), 1.005 * insideArea(before.outputs.geometry()));

    // No piece crosses itself.
    Context context;
    const Pieces pieces = piecesByName(g);
    for (size_t p = 0; p < pieces.count(); ++p)
      EXPECT_TRUE(selfIntersections(triangleMesh(g.extract(pieces.primitivesOf(p))), context).empty());

    // Points of the flat fracture are all still there.
    const auto positions = [](const Geometry& of) {
      std::set<std::array<double, 3>> set;
      for (size_t p = 0; p < of.pointCount(); ++p) {
        const Vec3& x = of.position(p);
        set.insert({x.x(), x.y(), x.z()});
      }
      return set;
    };
    const auto now = positions(g);
    for (const auto& x : positions(before.outputs.geometry())) moved += now.count(x) ? 0 : 1;
    EXPECT_EQ(moved, 0);
  }
}

TEST(InteriorDetail, RefusesWhatNoMemoryHolds) {
  EXPECT_THROW(voronoi({model("box")}, {{"detail_size", 1e-7}, {"detail_amount", 0.1}}), Error);
}

}  // namespace
}  // namespace hackle
