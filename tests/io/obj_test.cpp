#include <io/format_support.h>

namespace hackle {
namespace {

TEST(Obj, ReadsCornersInEveryForm) {
  const Geometry g = readAs("obj",
                            "v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\n"
                            "vt 0.25 0.5\nvt 0.75 0.5 0.125\nvn 0 0 1\n"
                            "f 1/1/1 2/2/1 3/1/1\n"
                            "f -3//-1 -2//1 \\\n -1//1 # comment\n"
                            "f 1/2 2/1 3/2\n"
                            "f 1 2 3\n"
                            "f 1// 2// 3//\n"
                            "l 1 2 \\\r\n3\n"
                            "p 1 -1\n");
  ASSERT_EQ(g.primitiveCount(), 6u);
  for (size_t p = 0; p < 6; ++p) {
    EXPECT_EQ(g.primitiveType(p), p == 5 ? PrimitiveType::Polyline : PrimitiveType::Polygon);
    EXPECT_EQ(cornersOf(g, p), (std::vector<int32_t>{0, 1, 2}));
  }
  const Attribute* uv = g.findAttribute(Owner::Vertex, "uv");
  const Attribute* normal = g.findAttribute(Owner::Vertex, "N");
  ASSERT_TRUE(uv && normal);
  EXPECT_EQ(uv->storage(), Storage::Float32);
  EXPECT_EQ(uv->qualifier, "texturecoord");
  EXPECT_EQ(normal->qualifier, "normal");
  const std::vector<std::vector<double>> uvs = {{0.25, 0.5, 0}, {0.75, 0.5, 0.125}, {0.25, 0.5, 0}};
  for (size_t v = 0; v < 3; ++v)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(uv->number(v, c), uvs[v][c]);
  EXPECT_EQ(uv->number(3, 0), 0);  // this face has none
  EXPECT_EQ(uv->number(6, 0), 0.75);
  for (size_t v = 0; v < g.vertexCount(); ++v) EXPECT_EQ(normal->number(v, 2), v < 6 ? 1 : 0);
  EXPECT_EQ(g.positionFileStorage, Storage::Float64);
}

TEST(Obj, AByteOrderMarkIsNoPartOfTheFirstLine) {
  const std::string text = "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n";
  const Geometry g = readAs("obj", "\xEF\xBB\xBF" + text);
  EXPECT_EQ(g.pointCount(), 3u);
  EXPECT_EQ(cornersOf(g, 0), (std::vector<int32_t>{0, 1, 2}));
}

TEST(Obj, CornersMayNameLaterPoints) {
  const Geometry g = readAs("obj", "f 1/1 2/1 3/1\nv 0 0 0\nv 1 0 0\nv 1 1 0\nvt 1 0\n");
  EXPECT_EQ(cornersOf(g, 0), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(g.findAttribute(Owner::Vertex, "uv")->number(0), 1);
}

TEST(Obj, ColoursAreWhiteWhereAPointHasNone) {
  const Geometry g = readAs("obj", "v 0 0 0\nv 1 0 0 0.5 0.25 0\nv 1 1 0\n");
  const Attribute* colour = g.findAttribute(Owner::Point, "Cd");
  ASSERT_TRUE(colour);
  const std::vector<float> expected = {1, 1, 1, 0.5f, 0.25f, 0, 1, 1, 1};
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), colour->values<float>().begin()));
}

TEST(Obj, GroupsObjectsAndMaterials) {
  const Geometry g = readAs("obj",
                            "mtllib a b.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\n"
                            "g default\nf 1 2 3\n"
                            "o first thing\ng a b\nusemtl Material #25\ns 3\nf 1 2 3\n"
                            "g b\ns off\nf 1 2 3\n"
                            "o\ng\ng never\ng\nf 1 2 3\n");
  EXPECT_EQ(groupBits(g, Owner::Primitive, "a"), (std::vector<uint8_t>{0, 1, 0, 0}));
  EXPECT_EQ(groupBits(g, Owner::Primitive, "b"), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(groupBits(g, Owner::Primitive, "never"), (std::vector<uint8_t>{0, 0, 0, 0}));
  EXPECT_FALSE(g.findGroup(Owner::Primitive, "default"));
  const Attribute* name = g.findAttribute(Owner::Primitive, "name");
  const Attribute* material = g.findAttribute(Owner::Primitive, "shop_materialpath");
  const Attribute* smoothing = g.findAttribute(Owner::Primitive, "smoothing_group");
  ASSERT_TRUE(name && material && smoothing);
  EXPECT_EQ(name->string(0), "");
  EXPECT_EQ(name->string(2), "first thing");
  EXPECT_EQ(name->string(3), "");
  EXPECT_EQ(material->string(3), "Material #25");
  for (size_t p = 0; p < 4; ++p) EXPECT_EQ(smoothing->number(p), p == 1 ? 3 : 0);
  EXPECT_EQ(g.findAttribute(Owner::Detail, "mtllib")->string(0), "a b.mtl");
}

Geometry fullSample() {
  Geometry g = polygonSample();
  g.addPrimitive(PrimitiveType::Polyline, std::vector<int32_t>{3, 2, 1, 0});
  g.addPolygon({5, 5});  // kept as it is
  std::vector<float> uv, normals, colours;
  for (size_t v = 0; v < g.vertexCount(); ++v) {
    const float x = static_cast<float>(v % 5);
    uv.insert(uv.end(), {x / 3, x * x, 0});
    normals.insert(normals.end(), {0, x / 7, -1});
  }
  for (size_t p = 0; p < g.pointCount(); ++p) colours.insert(colours.end(), {0.1f, 0.2f, float(p)});
  addNumbers(g, Owner::Vertex, "uv", Storage::Float32, 3, uv, "texturecoord");
  addNumbers(g, Owner::Vertex, "N", Storage::Float32, 3, normals, "normal");
  addNumbers(g, Owner::Point, "Cd", Storage::Float32, 3, colours, "color");
  addStrings(g, Owner::Primitive, "name", {"piece0", "piece0", "", "piece1", "piece0"});
  addStrings(g, Owner::Primitive, "shop_materialpath", {"", "/mat/glass", "/mat/glass", "", ""});
  addNumbers<int32_t>(g, Owner::Primitive, "smoothing_group", Storage::Int32, 1, {0, 1, 1, 0, 2});
  addStrings(g, Owner::Detail, "mtllib", {"glass.mtl"});
  g.addGroup(Owner::Primitive, "inside").bits = {0, 1, 1, 0, 0};
  g.addGroup(Owner::Primitive, "outside").bits = {1, 0, 1, 0, 0};
  g.addGroup(Owner::Primitive, "nothing");
  return g;
}

TEST(Obj, RoundTripKeepsEverything) {
  const Geometry g = fullSample();
  const Geometry back = roundTrip("obj", g);
  expectSameTopology(g, back);
  expectSamePositions(g, back);
  for (const char* name : {"uv", "N"}) expectSameAttribute(g, back, Owner::Vertex, name);
  expectSameAttribute(g, back, Owner::Point, "Cd");
  for (const char* name : {"name", "shop_materialpath", "smoothing_group"})
    expectSameAttribute(g, back, Owner::Primitive, name);
  expectSameAttribute(g, back, Owner::Detail, "mtllib");
  for (const char* name : {"inside", "outside", "nothing"})
    EXPECT_EQ(groupBits(g, Owner::Primitive, name), groupBits(back, Owner::Primitive, name)) << name;
  EXPECT_EQ(back.groups(Owner::Primitive).size(), 3u);
  // Once more gives the same file.
  EXPECT_EQ(writeAs("obj", back), writeAs("obj", readAs("obj", writeAs("obj", back))));
}

TEST(Obj, PointUvAndNormalsAreWrittenToo) {
  Geometry g = polygonSample();
  std::vector<double> uv;
  for (size_t p = 0; p < g.pointCount(); ++p) uv.insert(uv.end(), {double(p) / 3, 0.1, double(p)});
  addNumbers(g, Owner::Point, "uv", Storage::Float64, 3, uv);
  const Geometry back = roundTrip("obj", g);
  const Attribute* a = back.findAttribute(Owner::Vertex, "uv");
  ASSERT_TRUE(a);
  for (size_t v = 0; v < back.vertexCount(); ++v)
    for (int c = 0; c < 3; ++c)
      EXPECT_EQ(a->number(v, c), double(float(uv[3 * size_t(back.vertexPoint(v)) + size_t(c)])));
}

TEST(Obj, SinglePrecisionIsWrittenShort) {
  Geometry g = singleSample();
  g.editPositions()[0] = Vec3(double(0.1f), 0, 0);
  const std::string text = writeAs("obj", g);
  EXPECT_EQ(text.substr(0, 10), "v 0.1 0 0\n");
  const Geometry back = readAs("obj", text);
  for (size_t p = 0; p < g.pointCount(); ++p)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(float(back.position(p)[c]), float(g.position(p)[c]));
}

TEST(Obj, NamesWhatItLeavesOut) {
  Geometry g = polygonSample();
  g.addPrimitive(PrimitiveType::Tetrahedron, std::vector<int32_t>{0, 1, 2, 3});
  g.addPolygon({});
  addNumbers<float>(g, Owner::Point, "v", Storage::Float32, 3, std::vector<float>(21));
  addNumbers<int32_t>(g, Owner::Primitive, "id", Storage::Int32, 1, std::vector<int32_t>(5));
  g.addGroup(Owner::Point, "corner");
  g.addEdgeGroup("sharp");
  Context context;
  writeAs("obj", g, context);
  ASSERT_EQ(context.warnings().size(), 1u);
  EXPECT_EQ(
      context.warnings()[0],
      "OBJ: left out 1 tetrahedron; 1 primitive without corners; point attribute v; point group corner; "
      "primitive attribute id; edge group sharp");
  Context reading;
  readAs("obj", "v 0 0 0\ncurv 0 1 \\\n 2\nsurf x\ncurv 1\n", reading);
  EXPECT_EQ(reading.warnings(), std::vector<std::string>{"OBJ: left out statements curv, surf"});
}

TEST(Obj, TooManyGroupsBecomeAnAttribute) {
  std::string text = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
  for (int i = 0; i < 12000; ++i) text += "g piece" + std::to_string(i) + "\nf 1 2 3\n";
  Context context;
  const Geometry g = readAs("obj", text, context);
  EXPECT_TRUE(g.groups(Owner::Primitive).empty());
  EXPECT_EQ(g.findAttribute(Owner::Primitive, "group")->string(11999), "piece11999");
  EXPECT_EQ(context.warnings().size(), 1u);
}

TEST(Obj, RefusesWhatIsMalformed) {
  const std::string points = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
  expectBad("obj", points + "f 1 2 4\n", {"line 4", "point 4", "there are 3"});
  expectBad("obj", points + "f 1 2 -4\n", {"line 4", "point -4"});
  expectBad("obj", points + "f 0 1 2\n", {"line 4", "point 0"});
  expectBad("obj", points + "f 1/1 2/1 3/1\n", {"line 4", "uv 1"});
  expectBad("obj", points + "f 1//1 2//1 3//1\n", {"line 4", "normal 1"});
  expectBad("obj", points + "f 1 2 3/x\n", {"line 4", "corner", "3/x"});
  expectBad("obj", points + "f 1 2 99999999999\n", {"line 4", "99999999999"});
  expectBad("obj", points + "\n\nf a b c\n", {"line 6", "'a'"});
  expectBad("obj", "v 0 0\n", {"line 1", "z"});
  expectBad("obj", "v 0 0 zero\n", {"line 1", "zero"});
  expectBad("obj", "v 0 0 0 1 2\n", {"line 1", "five numbers"});
  expectBad("obj", "vn 0 0\n", {"line 1"});
  expectBad("obj", "\x89PNG\r\n", {"no OBJ statement"});
  EXPECT_EQ(readAs("obj", "").pointCount(), 0u);
  expectPrefixesAreSafe("obj", writeAs("obj", fullSample()));
}

TEST(Obj, ManySmallRunsTakeLinearTime) {
  std::string text = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
  for (int i = 0; i < 200000; ++i) text += "f 1 2 3\nl 1 2\n";
  EXPECT_EQ(readAs("obj", text).primitiveCount(), 400000u);
}

}  // namespace
}  // namespace hackle
