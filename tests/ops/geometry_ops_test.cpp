// The operators that describe, move and combine geometry.
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/ops/registry.h>
#include <shapes.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

Run run(const std::string& op, std::vector<Item> inputs, const Value::Map& parameters, Context& context) {
  return runOperator(findOperator(op), Inputs(std::move(inputs)), parameters, context);
}

Run run(const std::string& op, std::vector<Item> inputs, const Value::Map& parameters = {}) {
  Context context;
  return run(op, std::move(inputs), parameters, context);
}

const Value& at(const Value& value, const std::string& key) {
  const Value* found = value.find(key);
  if (!found) throw std::runtime_error("no key " + key);
  return *found;
}

double volumeOf(const Geometry& g) {
  Context context;
  return massProperties(triangleMesh(g), context).volume;
}

/// Shapes that every operator must take: closed, open, non-manifold, thin, empty, huge, tiny, degenerate.
std::vector<Geometry> awkwardShapes() {
  std::vector<Geometry> shapes{Geometry(), shapes::box(), shapes::torus(6, 5), shapes::soup(50, 0.3, 1)};
  shapes.push_back(shapes::box({0, 0, 0}, {1, 1, 1e-12}));
  shapes.push_back(shapes::box({0, 0, 0}, {1e9, 1e9, 1e9}));
  shapes.push_back(shapes::box({0, 0, 0}, {1e-9, 1e-9, 1e-9}));
  Geometry points;
  points.addPoints(3);
  shapes.push_back(points);
  Geometry degenerate = shapes::box();
  degenerate.addPolygon({0, 0, 0});
  degenerate.addPolygon({});
  degenerate.addPolygon({1});
  const std::vector<int32_t> line{0, 7};
  degenerate.addPrimitive(PrimitiveType::Polyline, line);
  const std::vector<int32_t> tetrahedron{0, 1, 2, 4};
  degenerate.addPrimitive(PrimitiveType::Tetrahedron, tetrahedron);
  shapes.push_back(degenerate);
  return shapes;
}

TEST(GeometryOperators, TakeAwkwardShapes) {
  for (const Geometry& shape : awkwardShapes())
    for (const char* op : {"info", "transform", "normals", "explode", "merge", "measure"}) {
      const auto result = run(op, {shape});
      if (!result.outputs.items.empty()) result.outputs.geometry().checkInvariants();
      EXPECT_FALSE(result.outputs.result.toJson().empty());
    }
}

TEST(Info, DescribesABox) {
  Geometry g = shapes::box({0, 0, 0}, {1, 2, 3});
  shapes::setNames(g, [](size_t p) { return p < 2 ? "a" : "b"; });
  Attribute& id = g.addAttribute(Owner::Point, Attribute("id", Storage::Int32, 2));
  id.setNumber(3, 1, -5);
  g.addGroup(Owner::Primitive, "top").bits.edit()[2] = 1;
  const Value r = run("info", {g}).outputs.result;
  EXPECT_EQ(at(r, "points"), Value(8));
  EXPECT_EQ(at(at(r, "primitive_types"), "polygon"), Value(6));
  EXPECT_EQ(at(r, "pieces"), Value(2));
  EXPECT_EQ(at(r, "closed"), Value(true));
  EXPECT_EQ(at(r, "manifold"), Value(true));
  EXPECT_EQ(at(r, "oriented"), Value(true));
  EXPECT_EQ(at(r, "euler"), Value(2));
  EXPECT_NEAR(at(r, "volume").asNumber(), 6.0, 1e-14);
  EXPECT_NEAR(at(r, "area").asNumber(), 22.0, 1e-13);
  EXPECT_EQ(at(at(r, "bounds"), "max"), Value(Value::List{1.0, 2.0, 3.0}));
  const Value& attribute = at(at(r, "attributes"), "point").asList()[0];
  EXPECT_EQ(at(attribute, "name"), Value("id"));
  EXPECT_EQ(at(attribute, "min"), Value(Value::List{0, -5}));
  const Value& name = at(at(r, "attributes"), "primitive").asList()[0];
  EXPECT_EQ(at(name, "distinct"), Value(2));
  EXPECT_EQ(at(name, "sample"), Value(Value::List{"a", "b"}));
  EXPECT_EQ(at(at(r, "groups").asList()[0], "count"), Value(1));
}

TEST(Info, TakesNonFinitePointsAndPackedGeometry) {
  Geometry g = shapes::box();
  g.editPositions()[0].x() = std::nan("");
  Attribute& heat = g.addAttribute(Owner::Point, Attribute("heat", Storage::Float32, 1));
  heat.setNumber(2, 0, INFINITY);
  heat.setNumber(3, 0, 4.0);
  PackedPrimitive packed;
  packed.kind = PackedPrimitive::Kind::Disk;
  packed.fileName = "a.bgeo";
  g.addPacked(packed, {0, 0, 9});
  const Value r = run("info", {g}).outputs.result;
  EXPECT_EQ(at(r, "non_finite_points"), Value(1));
  EXPECT_EQ(at(r, "closed"), Value(true));
  EXPECT_EQ(r.find("volume"), nullptr);
  EXPECT_EQ(at(at(r, "bounds"), "max").asList()[2], Value(9.0));
  const Value& attribute = at(at(r, "attributes"), "point").asList()[0];
  EXPECT_EQ(at(attribute, "max"), Value(Value::List{4.0}));
  EXPECT_EQ(at(attribute, "non_finite"), Value(1));
  EXPECT_EQ(at(at(r, "packed").asList()[0], "file"), Value("a.bgeo"));
}

TEST(Info, AnOpenSurfaceHasNoVolume) {
  const std::vector<int32_t> kept{0, 1, 2};
  const Value r = run("info", {shapes::box().extract(kept)}).outputs.result;
  EXPECT_EQ(at(r, "closed"), Value(false));
  EXPECT_TRUE(at(r, "volume").isNull());
  EXPECT_GT(at(r, "boundary_edges").asInt(), 0);
}

TEST(Transform, FitsAndPivots) {
  const Geometry g = shapes::box({10, 10, 10}, {14, 12, 11});
  const Geometry fitted = run("transform", {g}, {{"fit", true}, {"fit_size", 2.0}}).outputs.geometry();
  EXPECT_LT((fitted.bounds().min - Vec3(-1, -0.5, -0.25)).norm(), 1e-14);
  EXPECT_LT((fitted.bounds().max - Vec3(1, 0.5, 0.25)).norm(), 1e-14);
  for (const char* pivot : {"centroid", "bounds"}) {
    const Geometry doubled =
        run("transform", {g}, {{"pivot", pivot}, {"uniform_scale", 2.0}}).outputs.geometry();
    EXPECT_LT((doubled.bounds().centre() - g.bounds().centre()).norm(), 1e-13);
    EXPECT_LT((doubled.bounds().size() - 2 * g.bounds().size()).norm(), 1e-13);
  }
  const Value::Map about{
      {"pivot", "position"}, {"pivot_position", Value::List{10, 10, 10}}, {"rotate", Value::List{0, 0, 90}}};
  EXPECT_EQ(run("transform", {g}, about).outputs.geometry().position(1), Vec3(10, 14, 10));
}

TEST(Transform, InvertUndoes) {
  const Geometry g = shapes::torus(10, 8);
  Value::Map parameters{{"translate", Value::List{1, 2, 3}},
                        {"rotate", Value::List{10, 20, 30}},
                        {"scale", Value::List{1, -2, 3}},
                        {"pivot", "position"},
                        {"pivot_position", Value::List{3, 2, 1}}};
  const Geometry there = run("transform", {g}, parameters).outputs.geometry();
  EXPECT_NEAR(volumeOf(there), 6 * volumeOf(g), 1e-12);
  parameters.emplace_back("invert", true);
  const Geometry back = run("transform", {there}, parameters).outputs.geometry();
  for (size_t p = 0; p < g.pointCount(); ++p) EXPECT_LT((back.position(p) - g.position(p)).norm(), 1e-13);
  EXPECT_THROW(run("transform", {g}, {{"scale", Value::List{1, 0, 1}}, {"invert", true}}), Error);
}

TEST(NormalsOperator, ReplacesNOfOtherKinds) {
  Geometry g = shapes::box();
  g.addAttribute(Owner::Point, Attribute("N", Storage::Float32, 3));
  const Geometry vertex = run("normals", {g}).outputs.geometry();
  EXPECT_EQ(vertex.findAttribute(Owner::Point, "N"), nullptr);
  ASSERT_NE(vertex.findAttribute(Owner::Vertex, "N"), nullptr);
  EXPECT_EQ(vertex.findAttribute(Owner::Vertex, "N")->number(0, 2), -1.0);
  const Geometry reversed = run("normals", {g}, {{"reverse", true}}).outputs.geometry();
  EXPECT_EQ(reversed.findAttribute(Owner::Vertex, "N")->number(0, 2), 1.0);
  EXPECT_NEAR(volumeOf(reversed), 1.0, 1e-14);
  EXPECT_NEAR(volumeOf(run("normals", {g}, {{"flip_faces", true}}).outputs.geometry()), -1.0, 1e-14);
  const Geometry point = run("normals", {vertex}, {{"mode", "point"}}).outputs.geometry();
  EXPECT_NE(point.findAttribute(Owner::Point, "N"), nullptr);
  EXPECT_EQ(point.findAttribute(Owner::Vertex, "N"), nullptr);
  const Geometry none = run("normals", {point}, {{"mode", "remove"}}).outputs.geometry();
  EXPECT_EQ(none.findAttribute(Owner::Point, "N"), nullptr);
}

/// Unit cubes in a row, named by index.
Geometry row(int count) {
  std::vector<Geometry> cubes;
  for (int i = 0; i < count; ++i) {
    cubes.push_back(shapes::box({double(i), 0, 0}, {double(i + 1), 1, 1}));
    shapes::setNames(cubes.back(), [&](size_t) { return "piece" + std::to_string(i); });
  }
  return merged(cubes);
}

TEST(Explode, MovesPiecesApartAndKeepsThem) {
  const Geometry g = row(3);
  const Geometry apart = run("explode", {g}, {{"amount", 1.0}}).outputs.geometry();
  EXPECT_NEAR(volumeOf(apart), 3.0, 1e-13);
  EXPECT_LT((apart.bounds().min - Vec3(-1, 0, 0)).norm(), 1e-14);
  EXPECT_LT((apart.bounds().max - Vec3(4, 1, 1)).norm(), 1e-14);
  const Pieces pieces = findPieces(apart);
  for (size_t i = 0; i < 3; ++i) {
    const Geometry piece = apart.extract(pieces.primitivesOf(i));
    EXPECT_NEAR(volumeOf(piece), 1.0, 1e-13);
    EXPECT_NEAR(piece.bounds().min.x(), -1 + 2.0 * static_cast<double>(i), 1e-14);
  }
  const Geometry still =
      run("explode", {g}, {{"amount", 1.0}, {"directions", Value::List{0, 1, 1}}}).outputs.geometry();
  EXPECT_TRUE(std::equal(g.positions().begin(), g.positions().end(), still.positions().begin()));
}

TEST(Explode, SplitsSharedPointsAndMovesFromAPoint) {
  Geometry g = shapes::box();
  shapes::setNames(g, [](size_t p) { return p == 3 ? "top" : "rest"; });  // y = 1
  const auto result =
      run("explode", {g},
          {{"amount", 1.0}, {"centre", "position"}, {"centre_position", Value::List{0.5, 0.5, 0.5}}});
  EXPECT_EQ(at(result.outputs.result, "points_split"), Value(4));
  const Geometry apart = result.outputs.geometry();
  for (const int32_t c : apart.corners(3)) EXPECT_EQ(apart.position(static_cast<size_t>(c)).y(), 1.5);
  for (const int32_t c : apart.corners(2)) EXPECT_EQ(apart.position(static_cast<size_t>(c)).y(), 0.0);
}

TEST(Explode, TellsPiecesApartWhoseBoxesAreEqual) {
  // Two triangles of one square: their boxes are the same.
  Geometry g;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)}) g.addPoint(p);
  g.addPolygon({0, 1, 2});
  g.addPolygon({0, 2, 3});
  shapes::setNames(g, [](size_t p) { return p == 0 ? "lower" : "upper"; });
  const Geometry still = run("explode", {g}, {{"amount", 1.0}}).outputs.geometry();
  EXPECT_EQ(still.bounds().max, Vec3(1, 1, 0));
  const Geometry apart = run("explode", {g}, {{"amount", 1.0}, {"middle", "area"}}).outputs.geometry();
  EXPECT_LT((apart.bounds().max - Vec3(7, 7, 0) / 6).norm(), 1e-14);
  EXPECT_LT((apart.bounds().min - Vec3(-1, -1, 0) / 6).norm(), 1e-14);
}

TEST(Merge, AddsCountsAndKeepsNamesApart) {
  const Geometry a = row(2), b = row(3);
  Context context;
  const Geometry plain = run("merge", {a, b}, {}, context).outputs.geometry();
  EXPECT_EQ(plain.primitiveCount(), 30u);
  EXPECT_EQ(plain.pointCount(), 40u);
  EXPECT_EQ(findPieces(plain).count(), 3u);
  ASSERT_EQ(context.warnings().size(), 1u);
  EXPECT_NE(context.warnings()[0].find("2 piece names"), std::string::npos) << context.warnings()[0];

  Context quiet;
  const Geometry named =
      run("merge", {a, b, a}, {{"prefix", "in"}, {"groups", "from"}}, quiet).outputs.geometry();
  EXPECT_TRUE(quiet.warnings().empty());
  EXPECT_EQ(findPieces(named).names,
            (std::vector<std::string>{"in1_piece0", "in1_piece1", "in2_piece0", "in2_piece1", "in2_piece2",
                                      "in3_piece0", "in3_piece1"}));
  EXPECT_EQ(named.findGroup(Owner::Primitive, "from2")->count(), 18u);
  EXPECT_EQ(named.findGroup(Owner::Point, "from3")->count(), 16u);
  EXPECT_NEAR(volumeOf(named), 7.0, 1e-12);
}

TEST(Merge, SaysWhichAttributesDiffer) {
  Geometry a = shapes::box(), b = shapes::box(), c = shapes::box();
  a.addAttribute(Owner::Point, Attribute("heat", Storage::Float32, 1));
  b.addAttribute(Owner::Point, Attribute("heat", Storage::Int32, 1));
  Context context;
  run("merge", {a, b, c}, {}, context);
  ASSERT_EQ(context.warnings().size(), 2u);
  EXPECT_NE(context.warnings()[0].find("int32"), std::string::npos);
  EXPECT_NE(context.warnings()[1].find("input 3 has no point attribute heat"), std::string::npos);
  c.addAttribute(Owner::Point, Attribute("heat", Storage::String, 1));
  EXPECT_THROW(run("merge", {a, c}), Error);
}

TEST(Measure, GivesPiecesAndTotals) {
  const Geometry g = row(4);
  const auto result = run("measure", {g}, {{"attributes", true}, {"density", 1000.0}, {"list", 2}});
  const Value& r = result.outputs.result;
  EXPECT_EQ(at(r, "pieces"), Value(4));
  EXPECT_EQ(at(r, "open_pieces"), Value(0));
  EXPECT_NEAR(at(at(r, "volume"), "total").asNumber(), 4.0, 1e-13);
  EXPECT_NEAR(at(at(r, "volume"), "mean").asNumber(), 1.0, 1e-13);
  EXPECT_NEAR(at(r, "mass").asNumber(), 4000.0, 1e-9);
  EXPECT_NEAR(at(r, "centre").asList()[0].asNumber(), 2.0, 1e-13);
  // A bar of 4 x 1 x 1: m (b^2 + c^2) / 12.
  EXPECT_NEAR(at(r, "inertia").asList()[0].asList()[0].asNumber(), 4000.0 * 2 / 12, 1e-9);
  EXPECT_NEAR(at(r, "inertia").asList()[1].asList()[1].asNumber(), 4000.0 * 17 / 12, 1e-9);
  EXPECT_EQ(at(r, "largest").asList().size(), 2u);
  EXPECT_NEAR(at(at(r, "largest").asList()[0], "size").asNumber(), std::sqrt(3.0), 1e-14);
  const Attribute* mass = result.outputs.geometry().findAttribute(Owner::Primitive, "mass");
  ASSERT_NE(mass, nullptr);
  EXPECT_NEAR(mass->number(23), 1000.0, 1e-9);
  EXPECT_NEAR(result.outputs.geometry().findAttribute(Owner::Primitive, "centre")->number(23, 0), 3.5, 1e-13);
}

TEST(Measure, TakesPresetsTetrahedraAndWarnsOfOpenPieces) {
  EXPECT_NEAR(at(run("measure", {shapes::box()}, {{"preset", "ice"}}).outputs.result, "mass").asNumber(),
              917.0, 1e-9);
  Geometry tetrahedron;
  for (const Vec3& p : {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)}) tetrahedron.addPoint(p);
  const std::vector<int32_t> corners{0, 1, 2, 3};
  tetrahedron.addPrimitive(PrimitiveType::Tetrahedron, corners);
  EXPECT_NEAR(at(at(run("measure", {tetrahedron}).outputs.result, "volume"), "total").asNumber(), 1.0 / 6,
              1e-15);
  const std::vector<int32_t> kept{0, 1, 2, 3, 4};
  Context context;
  EXPECT_EQ(at(run("measure", {shapes::box().extract(kept)}, {}, context).outputs.result, "open_pieces"),
            Value(1));
  EXPECT_EQ(context.warnings().size(), 1u);
}

TEST(Measure, HistogramHoldsEveryPieceAndMottIsReported) {
  Random random(6);
  std::vector<Geometry> cubes;
  for (int i = 0; i < 500; ++i) {
    const double side = std::cbrt(std::pow(-std::log(1 - random.uniform()), 3) / 6);
    cubes.push_back(shapes::box({0, 0, 0}, {side, side, side}));
  }
  const Value r = run("measure", {merged(cubes)}, {{"bins", 7}}).outputs.result;
  int64_t counted = 0;
  double edge = at(at(r, "histogram").asList()[0], "from").asNumber();
  for (const Value& bin : at(r, "histogram").asList()) {
    counted += at(bin, "count").asInt();
    EXPECT_EQ(at(bin, "from").asNumber(), edge);
    edge = at(bin, "to").asNumber();
  }
  EXPECT_EQ(counted, 500);
  EXPECT_EQ(at(r, "histogram").asList().size(), 7u);
  EXPECT_NEAR(at(at(r, "mott"), "mean_volume").asNumber(), 1.0, 4 * 3 / std::sqrt(500.0));
  EXPECT_LT(at(at(r, "mott"), "ks_distance").asNumber(), 1.63 / std::sqrt(500.0));
}

}  // namespace
}  // namespace hackle
