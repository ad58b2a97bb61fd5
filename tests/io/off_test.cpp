#include <hackle/io/off.h>
#include <io/format_support.h>

namespace hackle {
namespace {

TEST(Off, ReadsCommentsAndCountsAnywhere) {
  const Geometry g =
      readAs("off",
             "# made by hand\nOFF # header\n\n4 2 # no edges\n0 0 0\r\n1 0 0 # corner\n\n1 1 0\n0 1 0\n"
             "3 0 1 2\n# half\n4 0 1\n 2 3\n");
  ASSERT_EQ(g.pointCount(), 4u);
  EXPECT_EQ(cornersOf(g, 0), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(cornersOf(g, 1), (std::vector<int32_t>{0, 1, 2, 3}));
  EXPECT_EQ(readAs("off", "OFF 1 0 0\n1 2 3").position(0), Vec3(1, 2, 3));
}

TEST(Off, ColoursAreBytesOrReals) {
  Context context;
  const Geometry g = readAs("off",
                            "COFF\n3 4 0\n0 0 0 255 0 51 255\n1 0 0 0 0 0 255\n1 1 0 0.5 1 0 1.0\n"
                            "3 0 1 2\n3 0 1 2 1 0 0\n3 0 1 2 1.0 0 0\n3 0 1 2 7\n",
                            context);
  const std::vector<float> points = {1, 0, 0.2f, 0, 0, 0, 0.5f, 1, 0};
  const std::vector<float> faces = {1, 1, 1, 1 / 255.0f, 0, 0, 1, 0, 0, 1, 1, 1};
  const Attribute* pointColour = g.findAttribute(Owner::Point, "Cd");
  const Attribute* faceColour = g.findAttribute(Owner::Primitive, "Cd");
  ASSERT_TRUE(pointColour && faceColour);
  EXPECT_TRUE(std::equal(points.begin(), points.end(), pointColour->values<float>().begin()));
  EXPECT_TRUE(std::equal(faces.begin(), faces.end(), faceColour->values<float>().begin()));
  EXPECT_EQ(context.warnings(), std::vector<std::string>{"OFF: left out face colour map index"});
}

TEST(Off, RoundTripKeepsNormalsColoursAndUv) {
  for (const bool bytes : {false, true}) {
    Geometry g = polygonSample();
    g.addPolygon({2, 3});
    std::vector<float> normals, colours, faceColours, uv;
    for (size_t p = 0; p < g.pointCount(); ++p) {
      const float x = static_cast<float>(p);
      normals.insert(normals.end(), {x / 3, 0, 1});
      colours.insert(colours.end(), {bytes ? x / 255 : x / 3, 0, 1});
      uv.insert(uv.end(), {x / 7, 1, 0});
    }
    for (size_t p = 0; p < g.primitiveCount(); ++p)
      faceColours.insert(faceColours.end(), {bytes ? 1.0f : 2.0f, 1, bytes ? 0.2f : 0.3f});
    addNumbers(g, Owner::Point, "N", Storage::Float32, 3, normals, "normal");
    addNumbers(g, Owner::Point, "Cd", Storage::Float32, 3, colours, "color");
    addNumbers(g, Owner::Point, "uv", Storage::Float32, 3, uv, "texturecoord");
    addNumbers(g, Owner::Primitive, "Cd", Storage::Float32, 3, faceColours, "color");
    const std::string text = writeAs("off", g);
    EXPECT_EQ(text.substr(0, 7), "STCNOFF");
    EXPECT_EQ(codecForReading(text, "noname").format.name, "OFF");
    const Geometry back = roundTrip("off", g);
    expectSameTopology(g, back);
    expectSamePositions(g, back);
    for (const char* name : {"N", "Cd", "uv"}) expectSameAttribute(g, back, Owner::Point, name);
    expectSameAttribute(g, back, Owner::Primitive, "Cd");
  }
}

TEST(Off, NamesWhatItLeavesOut) {
  Geometry g = polygonSample();
  g.addPrimitive(PrimitiveType::Polyline, std::vector<int32_t>{0, 1});
  addStrings(g, Owner::Primitive, "name", {});
  addNumbers<float>(g, Owner::Point, "uv", Storage::Float32, 3, std::vector<float>(21, 1));
  Context context;
  writeAs("off", g, context);
  EXPECT_EQ(context.warnings(),
            std::vector<std::string>{"OFF: left out 1 polyline; primitive attribute name; third "
                                     "component of point attribute uv"});
}

TEST(Off, RecognisesItsHeaders) {
  for (const char* text : {"OFF\n", "COFF 1", "NOFF\r\n", "STCNOFF\n", "CNOFF", "4OFF\n"})
    EXPECT_TRUE(isOff(text)) << text;
  for (const char* text : {"", "OF", "OFFICE\n", "xOFF\n", "CCOFF\n", "off\n"})
    EXPECT_FALSE(isOff(text)) << text;
}

TEST(Off, RefusesWhatIsMalformed) {
  expectBad("off", "", {"line 1", "OFF"});
  expectBad("off", "3 1 0\n", {"line 1", "OFF"});
  expectBad("off", "4OFF\n1 0 0\n0 0 0 1\n", {"three-dimensional"});
  expectBad("off", "OFF BINARY\n", {"line 1", "BINARY"});
  expectBad("off", "OFF\n1000000000 1 0\n0 0 0\n", {"line 2", "1000000000 points"});
  expectBad("off", "OFF\n-1 1 0\n", {"line 2", "-1"});
  expectBad("off", "OFF\n1 9 0\n0 0 0\n3 0 0 0\n", {"line 5", "face 1"});
  expectBad("off", "OFF\n2 1 0\n0 0 0\n1 0 x\n3 0 1 1\n", {"line 4", "'x'"});
  expectBad("off", "OFF\n2 1 0\n0 0 0\n1 0 0\n3 0 1 2\n", {"line 5", "point 2", "there are 2"});
  expectBad("off", "OFF\n2 1 0\n0 0 0\n1 0 0\n3 0 1 -1\n", {"line 5", "point -1"});
  expectBad("off", "OFF\n2 1 0\n0 0 0\n1 0 0\n900 0 1 1\n", {"line 5", "900 corners"});
  expectBad("off", "OFF\n1 0 0\n0 0 0 1 1\n", {"line 3", "no colour"});
  expectBad("off", "COFF\n1 0 0\n0 0 0 1 a 1\n", {"line 3", "'a'"});
  expectPrefixesAreSafe("off", writeAs("off", polygonSample()));
}

}  // namespace
}  // namespace hackle
