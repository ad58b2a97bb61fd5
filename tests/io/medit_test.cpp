#include <io/format_support.h>

namespace hackle {
namespace {

/// One primitive of every kind, in the order of the file's sections.
Geometry meditSample() {
  Geometry g;
  g.addPoints(5);
  g.editPositions() = {Vec3(0, 0, 0), Vec3(1.0 / 3, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1e-3), Vec3(1, 1, 0)};
  g.addPrimitive(PrimitiveType::Polyline, std::vector<int32_t>{0, 1});
  g.addPolygon({0, 1, 2});
  g.addPolygon({2, 1, 1});
  g.addPolygon({0, 1, 4, 2});
  g.addPrimitive(PrimitiveType::Tetrahedron, std::vector<int32_t>{0, 1, 2, 3});
  addNumbers<int32_t>(g, Owner::Point, "ref", Storage::Int32, 1, {0, 1, 2, -3, 4});
  addNumbers<int32_t>(g, Owner::Primitive, "ref", Storage::Int32, 1, {5, 6, 0, 8, 2147483647});
  return g;
}

TEST(Medit, RoundTripKeepsPrimitivesAndReferences) {
  const Geometry g = meditSample();
  const Geometry back = roundTrip("mesh", g);
  expectSameTopology(g, back);
  expectSamePositions(g, back);
  expectSameAttribute(g, back, Owner::Point, "ref");
  expectSameAttribute(g, back, Owner::Primitive, "ref");
  EXPECT_EQ(codecForReading(writeAs("mesh", g), "noname").format.name, "Medit");
}

TEST(Medit, ReferencesOfZeroMakeNoAttribute) {
  Geometry g = meditSample();
  g.removeAttribute(Owner::Point, "ref");
  g.removeAttribute(Owner::Primitive, "ref");
  const Geometry back = roundTrip("mesh", g);
  EXPECT_TRUE(back.attributes(Owner::Point).empty());
  EXPECT_TRUE(back.attributes(Owner::Primitive).empty());
}

TEST(Medit, FreeFormatCommentsAndOtherSections) {
  Context context;
  const Geometry g = readAs("mesh",
                            "MeshVersionFormatted\n2 # double\nDimension\n2 Vertices 3\n0 0 0 1 0 0\n0 1 7\n"
                            "Corners 2 1 2 Triangles\n1\n1 2 3 4\nRidges\n0\nEnd\nrubbish",
                            context);
  EXPECT_EQ(g.position(2), Vec3(0, 1, 0));
  EXPECT_EQ(cornersOf(g, 0), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(g.findAttribute(Owner::Point, "ref")->number(2), 7);
  EXPECT_EQ(g.findAttribute(Owner::Primitive, "ref")->number(0), 4);
  EXPECT_EQ(context.warnings(), std::vector<std::string>{"Medit: left out sections Corners, Ridges"});
}

TEST(Medit, TurnsInvertedTetrahedraOver) {
  Context context;
  const Geometry g =
      readAs("mesh",
             "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
             "Tetrahedra\n2\n1 2 3 4 0\n1 2 4 3 0\n",
             context);
  EXPECT_EQ(cornersOf(g, 0), (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(cornersOf(g, 1), (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(context.warnings(),
            std::vector<std::string>{"Medit: turned over 1 tetrahedra of negative volume"});
}

TEST(Medit, CutsWhatHasNoSection) {
  Geometry g = polygonSample();
  g.addPrimitive(PrimitiveType::Polyline, std::vector<int32_t>{0, 1, 2});
  g.addPolygon({0, 1});
  g.addGroup(Owner::Primitive, "inside");
  Context context;
  const Geometry back = readAs("mesh", writeAs("mesh", g, context));
  EXPECT_EQ(back.countOf(PrimitiveType::Polyline), 2u);
  EXPECT_EQ(back.countOf(PrimitiveType::Polygon), 1u + 1u + 3u);
  EXPECT_EQ(context.warnings(), (std::vector<std::string>{
                                    "Medit: left out 1 primitive of too few corners; primitive group inside",
                                    "Medit: cut 1 polygons of more than 4 corners into triangles",
                                    "Medit: cut 1 polylines into edges"}));
}

TEST(Medit, RefusesWhatIsMalformed) {
  const std::string head = "MeshVersionFormatted 2\nDimension 3\n";
  expectBad("mesh", "", {"line 1", "MeshVersionFormatted"});
  expectBad("mesh", "MeshVersionFormatted 2\nDimension 4\n", {"line 2", "dimension"});
  expectBad("mesh", head + "Vertices\n1000000000\n0 0 0 0\n", {"line 4", "1000000000 vertices"});
  expectBad("mesh", head + "Vertices\n1\n0 0 a 0\n", {"line 5", "'a'"});
  expectBad("mesh", head + "Vertices\n1\n0 0 0\n", {"reference", "file ends"});
  expectBad("mesh", head + "Vertices\n1\n0 0 0 0\nTriangles\n1\n1 1 2 0\n", {"line 8", "vertex 2"});
  expectBad("mesh", head + "Vertices\n1\n0 0 0 0\nTriangles\n1\n1 1 0 0\n", {"line 8", "vertex 0"});
  expectBad("mesh", head + "Triangles\n1\n1 1 1 0\n", {"line 3", "before the Vertices"});
  expectBad("mesh", head + "Vertices\n1\n0 0 0 99999999999\n", {"line 5", "reference"});
  expectBad("mesh", head + "7\n", {"line 3", "'7'"});
  expectPrefixesAreSafe("mesh", writeAs("mesh", meditSample()));
}

}  // namespace
}  // namespace hackle
