#include <hackle/geometry/triangle_mesh.h>
#include <hackle/io/stl.h>
#include <io/format_support.h>

#include <cstring>

namespace hackle {
namespace {

Geometry tetrahedronSurface() {
  Geometry g;
  g.addPoints(4);
  g.editPositions() = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0.1, 0.2, 1)};
  g.addPolygon({0, 2, 1});
  g.addPolygon({0, 1, 3});
  g.addPolygon({1, 2, 3});
  g.addPolygon({2, 0, 3});
  return g;
}

/// Corner positions, which are all that STL keeps.
std::vector<Vec3> cornerPositions(const Geometry& g) {
  std::vector<Vec3> result;
  for (size_t v = 0; v < g.vertexCount(); ++v) result.push_back(g.position(size_t(g.vertexPoint(v))));
  return result;
}

TEST(Stl, TextRoundTripIsExactAndWelds) {
  Geometry g = tetrahedronSurface();
  addStrings(g, Owner::Primitive, "name", {"piece0", "piece0", "", "piece 1"});
  const Geometry back = roundTrip("ascii.stl", g);
  EXPECT_EQ(back.pointCount(), 4u);
  EXPECT_EQ(cornerPositions(back), cornerPositions(g));
  expectSameAttribute(g, back, Owner::Primitive, "name");
  EXPECT_EQ(back.positionFileStorage, Storage::Float64);
}

TEST(Stl, BinaryRoundTripIsSingle) {
  Geometry g = tetrahedronSurface();
  addNumbers<int32_t>(g, Owner::Primitive, "stl_attribute", Storage::Int32, 1, {0, 65535, 7, 0});
  const Geometry back = roundTrip("stl", g);
  EXPECT_EQ(back.pointCount(), 4u);
  EXPECT_EQ(back.positionFileStorage, Storage::Float32);
  const std::vector<Vec3> expected = cornerPositions(g), found = cornerPositions(back);
  ASSERT_EQ(found.size(), expected.size());
  for (size_t v = 0; v < found.size(); ++v)
    EXPECT_EQ(Eigen::Vector3f(found[v].cast<float>()), Eigen::Vector3f(expected[v].cast<float>()));
  expectSameAttribute(g, back, Owner::Primitive, "stl_attribute");
  EXPECT_EQ(writeAs("stl", back), writeAs("stl", readAs("stl", writeAs("stl", back))));
}

TEST(Stl, NormalsPointOut) {
  const std::string text = writeAs("ascii.stl", tetrahedronSurface());
  EXPECT_NE(text.find("facet normal 0 0 -1\n"), std::string::npos) << text;
}

TEST(Stl, PolygonsAreCutAndTheRestIsNamed) {
  Geometry g = polygonSample();
  g.addPolygon({1, 2});
  g.addPrimitive(PrimitiveType::Polyline, std::vector<int32_t>{0, 1});
  g.addPoint(Vec3(9, 9, 9));
  addStrings(g, Owner::Primitive, "name", {});
  g.addGroup(Owner::Primitive, "inside");
  Context context;
  const std::string bytes = writeAs("stl", g, context);
  EXPECT_EQ(bytes.size(), 84u + 50u * 6u);
  EXPECT_EQ(
      context.warnings(),
      std::vector<std::string>{"STL: left out 1 polyline; 1 polygon of fewer than 3 corners; 1 point that no "
                               "polygon uses; primitive attribute name; primitive group inside"});
}

TEST(Stl, ZerosOfEitherSignAreWeldedAndNotANumberIsRead) {
  const Geometry g =
      readAs("stl",
             "SOLID\nFacet Normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex -0 0 1\nvertex nan 1 1\n"
             "endloop endfacet facet normal 0 0 0 outer loop vertex -0 -0 0 vertex 0 0 1 vertex inf 0 0 "
             "endloop endfacet\nendsolid");
  EXPECT_EQ(g.pointCount(), 4u);
  EXPECT_TRUE(std::isnan(g.position(2).x()));
}

TEST(Stl, BinaryThatBeginsWithSolidIsRecognised) {
  std::string bytes = writeAs("stl", tetrahedronSurface());
  std::memcpy(bytes.data(), "solid cube facet", 16);
  EXPECT_TRUE(isBinaryStl(bytes));
  EXPECT_EQ(readAs("stl", bytes).primitiveCount(), 4u);
  EXPECT_EQ(codecForReading(bytes, "noname").format.name, "STL");
  EXPECT_FALSE(isBinaryStl(bytes + "x"));
}

TEST(Stl, RefusesWhatIsMalformed) {
  const std::string binary = writeAs("stl", tetrahedronSurface());
  expectBad("stl", std::string_view(binary).substr(0, binary.size() - 1), {"byte 80", "4 triangles"});
  expectBad("stl", binary.substr(0, 60), {"byte 0"});
  expectBad("stl", "", {"byte 0"});
  std::string absurd = binary;
  std::memset(absurd.data() + 80, 0xff, 4);
  expectBad("stl", absurd, {"byte 80", "4294967295 triangles"});
  Context context;
  EXPECT_EQ(readAs("stl", binary + "tail", context).primitiveCount(), 4u);
  EXPECT_EQ(context.warnings().size(), 1u);

  const std::string facet = "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n";
  expectBad("stl", facet + "endloop\n", {"line 6", "'vertex'", "endloop"});
  expectBad("stl", facet + "vertex 1 one 0\n", {"line 6", "'one'"});
  expectBad("stl", facet, {"line 6", "file ends"});
  expectBad("stl", "solid x\nfact\n", {"line 2", "fact"});
  expectPrefixesAreSafe("stl", writeAs("ascii.stl", tetrahedronSurface()));
  expectPrefixesAreSafe("stl", binary);
}

}  // namespace
}  // namespace hackle
