#include <hackle/io/byte_colour.h>
#include <hackle/io/byte_order.h>
#include <io/format_support.h>

#include <cstring>

namespace hackle {
namespace {

constexpr const char* kEncodings[] = {"ply", "ascii.ply", "bigendian.ply"};

/// Every kind of attribute that PLY carries.
Geometry fullSample() {
  Geometry g = polygonSample();
  const size_t points = g.pointCount(), faces = g.primitiveCount();
  const auto floats = [](size_t count, float first, float step) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = first + step * static_cast<float>(i);
    return values;
  };
  addNumbers(g, Owner::Point, "N", Storage::Float32, 3, floats(3 * points, -1, 0.1f), "normal");
  addNumbers(g, Owner::Point, "Cd", Storage::Float32, 3, floats(3 * points, 0, 0.3f), "color");
  addNumbers(g, Owner::Point, "Alpha", Storage::Float32, 1, floats(points, 0, 1.0f / 7));
  addNumbers(g, Owner::Point, "v", Storage::Float64, 3, std::vector<double>(3 * points, 0.1));
  addNumbers(g, Owner::Point, "matrix", Storage::Float32, 16, floats(16 * points, 0, 1));
  addNumbers<int32_t>(g, Owner::Point, "id", Storage::Int32, 1, {-2147483647 - 1, 2147483647, 0, 1, 2, 3, 4});
  addNumbers<int64_t>(g, Owner::Point, "big", Storage::Int64, 1, {4294967295, 0, 0, 0, 0, 0, 1});
  std::vector<float> uv = floats(3 * points, 0.5f, 0.01f);
  for (size_t p = 0; p < points; ++p) uv[3 * p + 2] = 0;
  addNumbers(g, Owner::Point, "uv", Storage::Float32, 3, uv, "texturecoord");
  addNumbers<float>(g, Owner::Primitive, "Cd", Storage::Float32, 3, {1, 0, 0.2f, 0, 0, 0, 1, 1, 1 / 255.0f},
                    "color");
  addNumbers(g, Owner::Primitive, "pair", Storage::Int32, 2, std::vector<int32_t>(2 * faces, -5));
  addNumbers(g, Owner::Primitive, "area", Storage::Float64, 1, std::vector<double>(faces, 1.0 / 3));
  std::vector<float> cornerUv = floats(3 * g.vertexCount(), -3, 0.7f);
  for (size_t v = 0; v < g.vertexCount(); ++v) cornerUv[3 * v + 2] = 0;
  addNumbers(g, Owner::Vertex, "uv", Storage::Float32, 3, cornerUv, "texturecoord");
  return g;
}

TEST(Ply, RoundTripKeepsEverythingInEveryEncoding) {
  const Geometry g = fullSample();
  for (const char* encoding : kEncodings) {
    SCOPED_TRACE(encoding);
    const Geometry back = roundTrip(encoding, g);
    expectSameTopology(g, back);
    expectSamePositions(g, back);
    EXPECT_EQ(back.positionFileStorage, Storage::Float64);
    for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive}) {
      EXPECT_EQ(back.attributes(owner).size(), g.attributes(owner).size());
      for (const Attribute& a : g.attributes(owner)) expectSameAttribute(g, back, owner, a.name());
    }
  }
}

TEST(Ply, SinglePrecisionStaysSingle) {
  const Geometry g = singleSample();
  for (const char* encoding : kEncodings) {
    const std::string bytes = writeAs(encoding, g);
    EXPECT_NE(bytes.find("property float x\n"), std::string::npos);
    const Geometry back = readAs(encoding, bytes);
    EXPECT_EQ(back.positionFileStorage, Storage::Float32);
    expectSamePositions(g, back);
  }
}

TEST(Ply, EveryByteColourSurvives) {
  Geometry g;
  g.addPoints(256);
  std::vector<float> colours;
  for (int i = 0; i < 256; ++i) colours.insert(colours.end(), {float(i) / 255.0f, 0, 1});
  addNumbers(g, Owner::Point, "Cd", Storage::Float32, 3, colours, "color");
  EXPECT_TRUE(hasByteColours(g.attributes(Owner::Point)[0]));
  const std::string bytes = writeAs("ply", g);
  EXPECT_NE(bytes.find("property uchar red\n"), std::string::npos);
  expectSameAttribute(g, readAs("ply", bytes), Owner::Point, "Cd");
  g.findAttribute(Owner::Point, "Cd")->edit<float>()[0] = 0.5f;
  EXPECT_NE(writeAs("ply", g).find("property float red\n"), std::string::npos);
}

/// A binary file with every type, in either byte order.
template <ByteOrder order>
std::string everyType() {
  std::string bytes =
      std::string("ply\r\nformat ") +
      (order == ByteOrder::Big ? "binary_big_endian" : "binary_little_endian") +
      " 1.0\r\ncomment x\r\nelement vertex 3\r\nproperty double x\r\nproperty float y\r\nproperty short z\r\n"
      "property char a\r\nproperty uchar b\r\nproperty ushort c\r\nproperty int d\r\nproperty uint e\r\n"
      "property list uchar short extra\r\nelement face 2\r\nproperty uint8 flag\r\n"
      "property list ushort uint32 vertex_index\r\nproperty float64 w\r\nelement camera 1\r\nproperty float "
      "f\r\nend_header\r\n";
  const auto put = [&](auto number) {
    char buffer[8];
    bytes.append(buffer, static_cast<size_t>(storeNumber<decltype(number), order>(buffer, number) - buffer));
  };
  for (int i = 0; i < 3; ++i) {
    put(0.5 + i);
    put(1.5f);
    put(int16_t(-300));
    put(int8_t(-128));
    put(uint8_t(255));
    put(uint16_t(65535));
    put(int32_t(-5));
    put(uint32_t(4000000000u));
    put(uint8_t(i));
    for (int k = 0; k < i; ++k) put(int16_t(9));
  }
  for (int f = 0; f < 2; ++f) {
    put(uint8_t(f));
    put(uint16_t(3));
    for (const uint32_t index : {0u, 1u, 2u}) put(index);
    put(0.25);
  }
  put(1.0f);
  return bytes;
}

TEST(Ply, ReadsEveryTypeInBothByteOrders) {
  for (const std::string& bytes : {everyType<ByteOrder::Little>(), everyType<ByteOrder::Big>()}) {
    Context context;
    const Geometry g = readAs("ply", bytes, context);
    EXPECT_EQ(context.warnings(),
              std::vector<std::string>{"PLY: left out vertex list extra; element camera"});
    EXPECT_EQ(g.position(2), Vec3(2.5, 1.5, -300));
    EXPECT_EQ(g.positionFileStorage, Storage::Float64);
    const std::pair<const char*, double> expected[] = {
        {"a", -128}, {"b", 255}, {"c", 65535}, {"d", -5}, {"e", 4000000000.0}};
    for (const auto& [name, value] : expected) {
      ASSERT_TRUE(g.findAttribute(Owner::Point, name)) << name;
      EXPECT_EQ(g.findAttribute(Owner::Point, name)->number(2), value) << name;
    }
    EXPECT_EQ(g.findAttribute(Owner::Point, "e")->storage(), Storage::Int64);
    EXPECT_EQ(cornersOf(g, 1), (std::vector<int32_t>{0, 1, 2}));
    EXPECT_EQ(g.findAttribute(Owner::Primitive, "flag")->number(1), 1);
    EXPECT_EQ(g.findAttribute(Owner::Primitive, "w")->number(1), 0.25);
    expectPrefixesAreSafe("ply", bytes);
  }
}

std::string textFile(const std::string& header, const std::string& rows) {
  return "ply\nformat ascii 1.0\n" + header + "end_header\n" + rows;
}
const std::string kPoints = "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n";
const std::string kPointRows = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

TEST(Ply, StripsAndEdges) {
  const Geometry g =
      readAs("ply", textFile(kPoints + "element tristrips 1\nproperty list int int vertex_indices\n"
                                       "element edge 1\nproperty int vertex1\nproperty int vertex2\n",
                             kPointRows + "8 0 1 3 2 -1 0 1 2\n3 1\n"));
  ASSERT_EQ(g.primitiveCount(), 4u);
  EXPECT_EQ(cornersOf(g, 0), (std::vector<int32_t>{0, 1, 3}));
  EXPECT_EQ(cornersOf(g, 1), (std::vector<int32_t>{3, 1, 2}));
  EXPECT_EQ(cornersOf(g, 2), (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(cornersOf(g, 3), (std::vector<int32_t>{3, 1}));
  EXPECT_EQ(g.primitiveType(3), PrimitiveType::Polyline);
}

TEST(Ply, NamesOfFieldsInUse) {
  const Geometry g =
      readAs("ply", textFile("element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
                             "property float texture_u\nproperty float texture_v\n"
                             "property uchar diffuse_red\nproperty uchar diffuse_green\n"
                             "property uchar diffuse_blue\nproperty float u\nproperty int P\n"
                             "property float w_0\nproperty float w_1\nproperty int w_2\n",
                             "0 0 0 0.25 0.5 255 0 51 7 8 1 2 3\n"));
  const Attribute* uv = g.findAttribute(Owner::Point, "uv");
  ASSERT_TRUE(uv);
  EXPECT_EQ(uv->tupleSize(), 3);
  EXPECT_EQ(uv->number(0, 1), 0.5);
  EXPECT_EQ(g.findAttribute(Owner::Point, "Cd")->values<float>()[2], 0.2f);
  EXPECT_EQ(g.findAttribute(Owner::Point, "u")->number(0), 7);
  EXPECT_EQ(g.findAttribute(Owner::Point, "P_")->number(0), 8);
  EXPECT_EQ(g.findAttribute(Owner::Point, "w")->tupleSize(), 2);
  EXPECT_EQ(g.findAttribute(Owner::Point, "w_2")->number(0), 3);
}

TEST(Ply, ClashingNamesAreKeptApart) {
  Geometry g = polygonSample();
  addNumbers<int32_t>(g, Owner::Point, "x", Storage::Int32, 1, {1, 2, 3, 4, 5, 6, 7});
  addNumbers<int32_t>(g, Owner::Point, "two words", Storage::Int32, 1, {1, 2, 3, 4, 5, 6, 7});
  const Geometry back = roundTrip("ply", g);
  expectSamePositions(g, back);
  EXPECT_EQ(back.findAttribute(Owner::Point, "x_")->number(6), 7);
  EXPECT_EQ(back.findAttribute(Owner::Point, "two_words")->number(6), 7);
}

TEST(Ply, PolygonsOfAnySize) {
  Geometry g;
  g.addPoints(1000);
  std::vector<int32_t> all(1000);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
  g.addPrimitive(PrimitiveType::Polygon, all);
  g.addPolygon({});
  g.addPolygon({1});
  g.addPolygon({2, 2, 2});
  for (const char* encoding : kEncodings) expectSameTopology(g, roundTrip(encoding, g));
}

TEST(Ply, NamesWhatItLeavesOut) {
  Geometry g = polygonSample();
  g.addPrimitive(PrimitiveType::Polyline, std::vector<int32_t>{0, 1});
  addStrings(g, Owner::Primitive, "name", {});
  addNumbers<float>(g, Owner::Vertex, "N", Storage::Float32, 3, std::vector<float>(3 * g.vertexCount()));
  g.addGroup(Owner::Primitive, "inside");
  Context context;
  EXPECT_EQ(readAs("ply", writeAs("ply", g, context)).primitiveCount(), 3u);
  EXPECT_EQ(
      context.warnings(),
      std::vector<std::string>{
          "PLY: left out 1 polyline; vertex attribute N; primitive attribute name; primitive group inside"});
}

TEST(Ply, RefusesMalformedHeaders) {
  expectBad("ply", "", {"line 1", "ply"});
  expectBad("ply", "ply\nformat ascii 1.0\n", {"end_header"});
  expectBad("ply", "ply\nend_header\n", {"format"});
  expectBad("ply", "ply\nformat latin 1.0\nend_header\n", {"line 2", "latin"});
  expectBad("ply", textFile("element vertex -1\n", ""), {"line 3", "negative"});
  expectBad("ply", textFile("element vertex many\n", ""), {"line 3", "many"});
  expectBad("ply", textFile("property float x\n", ""), {"line 3", "before the first element"});
  expectBad("ply", textFile(kPoints + "property half h\n", ""), {"line 7", "half"});
  expectBad("ply", textFile(kPoints + "property float x\n", ""), {"line 7", "x", "twice"});
  expectBad("ply", textFile(kPoints + "property list float int l\n", ""), {"line 7", "whole number"});
  expectBad("ply", textFile(kPoints + kPoints, ""), {"line 7", "vertex", "twice"});
  expectBad("ply", textFile("element vertex 1\nproperty float x\nproperty float y\n", "0 0\n"),
            {"vertex", "z"});
  expectBad("ply", textFile("element face 0\n", ""), {"vertex"});
  expectBad("ply", textFile(kPoints + "element face 1\nproperty float x\n", kPointRows + "0\n"),
            {"vertex_indices"});
  expectBad(
      "ply",
      textFile(kPoints + "element face 1\nproperty list uchar float vertex_indices\n", kPointRows + "0\n"),
      {"vertex_indices"});
}

TEST(Ply, RefusesMalformedRows) {
  const std::string faces = kPoints + "element face 1\nproperty list uchar int vertex_indices\n";
  expectBad("ply", textFile(faces, kPointRows + "3 0 1 4\n"), {"line 14", "vertex 4", "there are 4"});
  expectBad("ply", textFile(faces, kPointRows + "3 0 1 -1\n"), {"line 14", "vertex -1"});
  expectBad("ply", textFile(faces, kPointRows + "200 0 1 2\n"), {"line 14", "200 vertex_indices items"});
  expectBad("ply", textFile(faces, kPointRows + "300 0 1 2\n"), {"line 14", "300", "type"});
  expectBad("ply", textFile(faces, kPointRows + "3 0 1 two\n"), {"line 14", "two"});
  expectBad("ply", textFile(faces, kPointRows + "3 0 1"), {"line 14", "3 vertex_indices items"});
  expectBad("ply", textFile(kPoints, "0 0 0\n"), {"4 vertex elements"});
  expectBad("ply", textFile("element vertex 4000000000000\n", ""), {"no property x"});
  expectBad("ply",
            textFile(kPoints + "element edge 1\nproperty int vertex1\nproperty int vertex2\n",
                     kPointRows + "0 9\n"),
            {"vertex2 9"});

  std::string binary = writeAs("ply", polygonSample());
  const size_t lastIndex = binary.size() - 4;
  std::memset(binary.data() + lastIndex, 0xff, 4);
  expectBad("ply", binary, {"byte " + std::to_string(binary.size()), "vertex -1"});
  expectBad("ply", binary.substr(0, lastIndex + 1), {"5 vertex_indices items", "byte "});
  const size_t count = binary.find("vertex 7");
  binary.replace(count, 8, "vertex 4000000000");
  expectBad("ply", binary, {"4000000000 vertex elements", "byte "});
  for (const char* encoding : kEncodings) expectPrefixesAreSafe(encoding, writeAs(encoding, fullSample()));
}

}  // namespace
}  // namespace hackle
