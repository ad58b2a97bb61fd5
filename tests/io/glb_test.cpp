#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/io/byte_order.h>
#include <hackle/io/codec.h>
#include <hackle/io/glb.h>

#include <algorithm>
#include <set>

#include "processor_time.h"
#include "shapes.h"

namespace hackle {
namespace {

std::string write(const Geometry& geometry, std::vector<std::string>* warnings = nullptr) {
  Context context;
  std::string bytes = writeGlb(geometry, "glb", context);
  if (warnings) *warnings = context.warnings();
  return bytes;
}

Geometry read(const std::string& bytes, std::vector<std::string>* warnings = nullptr) {
  Context context;
  Geometry geometry = readGlb(bytes, "", context);
  geometry.checkInvariants();
  if (warnings) *warnings = context.warnings();
  return geometry;
}

std::string messageOf(const std::string& bytes) {
  try {
    read(bytes);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
    return e.what();
  }
  return "";
}

std::string number(uint32_t value) {
  std::string bytes(4, '\0');
  storeNumber(bytes.data(), value);
  return bytes;
}

template <class T>
std::string numbers(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) {
    char raw[sizeof(T)];
    storeNumber(raw, value);
    bytes.append(raw, sizeof(T));
  }
  return bytes;
}

std::string glb(std::string json, std::string binary = {}) {
  json.append((4 - json.size() % 4) % 4, ' ');
  binary.append((4 - binary.size() % 4) % 4, '\0');
  std::string body = number(static_cast<uint32_t>(json.size())) + "JSON" + json;
  if (!binary.empty())
    body += number(static_cast<uint32_t>(binary.size())) + std::string("BIN\0", 4) + binary;
  return "glTF" + number(2) + number(static_cast<uint32_t>(12 + body.size())) + body;
}

/// A file with one mesh of the given parts. The buffer holds a unit square's corners (48 bytes), then bytes
/// 0 1 2 3 as indices.
std::string squareFile(const std::string& primitive, const std::string& node = R"({"mesh":0})",
                       const std::string& more = "") {
  const std::string binary =
      numbers<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}) + numbers<uint8_t>({0, 1, 2, 3});
  return glb(R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":52}],)"
             R"("bufferViews":[{"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":4}],)"
             R"("accessors":[{"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},)"
             R"({"bufferView":1,"componentType":5121,"count":4,"type":"SCALAR"}],)"
             R"("meshes":[{"primitives":[)" +
                 primitive + R"(]}],"nodes":[)" + node + "]" + more + "}",
             binary);
}

const char* kStrip = R"({"attributes":{"POSITION":0},"indices":1,"mode":5})";

Geometry pieces() {
  Geometry geometry = shapes::box();
  geometry.append(shapes::sphere(8, 0.7, {3, 0, 0}));
  Attribute& name = geometry.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  Attribute& uv =
      geometry.addAttribute(Owner::Vertex, Attribute("uv", Storage::Float32, 3, 0, "texturecoord"));
  Attribute& cd = geometry.addAttribute(Owner::Point, Attribute("Cd", Storage::Float32, 3, 0, "color"));
  Random random(1);
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) name.setString(p, p < 6 ? "box/0" : "ball");
  for (size_t v = 0; v < geometry.vertexCount(); ++v) {
    uv.setNumber(v, 0, std::floor(random.uniform(0, 4)) / 4);
    uv.setNumber(v, 1, std::floor(random.uniform(0, 4)) / 4);
  }
  for (size_t p = 0; p < geometry.pointCount(); ++p) cd.setNumber(p, 1, random.uniform());
  geometry.addGroup(Owner::Primitive, "inside").bits.edit()[2] = 1;
  std::vector<uint8_t>& outside = geometry.addGroup(Owner::Primitive, "outside").bits.edit();
  for (size_t p = 0; p < outside.size(); ++p) outside[p] = p != 2;
  return geometry;
}

/// Everything about the triangles that a round trip must keep, in no particular order.
using Corner = std::array<float, 8>;
std::multiset<std::pair<std::string, std::array<Corner, 3>>> triangles(const Geometry& geometry) {
  std::multiset<std::pair<std::string, std::array<Corner, 3>>> all;
  const TriangleMesh mesh = triangleMesh(geometry);
  const Attribute* name = geometry.findAttribute(Owner::Primitive, "name");
  const auto value = [&](const char* attribute, int32_t point, int32_t vertex, int c) {
    const Attribute* onVertex = geometry.findAttribute(Owner::Vertex, attribute);
    const Attribute* onPoint = geometry.findAttribute(Owner::Point, attribute);
    if (onVertex) return static_cast<float>(onVertex->number(static_cast<size_t>(vertex), c));
    return onPoint ? static_cast<float>(onPoint->number(static_cast<size_t>(point), c)) : 0.0f;
  };
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<Corner, 3> corners;
    for (size_t c = 0; c < 3; ++c) {
      const int32_t point = mesh.triangles[t][c], vertex = mesh.vertices[t][c];
      const Vec3 p = geometry.position(static_cast<size_t>(point));
      corners[c] = {static_cast<float>(p.x()),     static_cast<float>(p.y()),
                    static_cast<float>(p.z()),     value("uv", point, vertex, 0),
                    value("uv", point, vertex, 1), value("Cd", point, vertex, 0),
                    value("Cd", point, vertex, 1), value("Cd", point, vertex, 2)};
    }
    const auto primitive = static_cast<size_t>(mesh.primitives[t]);
    std::string label = name ? name->string(primitive) : "";
    for (const char* group : {"inside", "outside"})
      if (const Group* g = geometry.findGroup(Owner::Primitive, group))
        if (g->bits[primitive]) label += std::string(" ") + group;
    all.insert({label, corners});
  }
  return all;
}

TEST(Glb, PositionsUvColoursNamesAndGroupsSurviveTheRoundTrip) {
  const Geometry geometry = pieces();
  std::vector<std::string> warnings;
  const Geometry back = read(write(geometry, &warnings));
  EXPECT_TRUE(warnings.empty()) << warnings.front();
  EXPECT_EQ(triangles(back), triangles(geometry));
  // uv differs among the corners of a point, colour does not.
  EXPECT_EQ(back.pointCount(), geometry.pointCount());
  EXPECT_TRUE(back.findAttribute(Owner::Vertex, "uv"));
  EXPECT_TRUE(back.findAttribute(Owner::Point, "Cd"));
}

TEST(Glb, SecondRoundTripGivesTheSameBytes) {
  const std::string once = write(read(write(pieces())));
  EXPECT_EQ(once, write(read(once)));
}

TEST(Glb, ClosedPiecesWithoutSeamsStayClosed) {
  Geometry box = shapes::box();
  box.addGroup(Owner::Primitive, "inside").bits.edit()[0] = 1;
  const Geometry back = read(write(box));
  EXPECT_EQ(back.pointCount(), 8u);
  EXPECT_EQ(back.primitiveCount(), 12u);
  EXPECT_EQ(back.findAttribute(Owner::Primitive, "name"), nullptr);
  EXPECT_EQ(back.findGroup(Owner::Primitive, "inside")->count(), 2u);
}

/// A box with a normal of each face at its corners, and uv that splits every edge.
Geometry hardBox(const Vec3& low = Vec3(-1, -1, -1), const Vec3& high = Vec3(1, 1, 1)) {
  Geometry box = shapes::box(low, high);
  Attribute n("N", Storage::Float32, 3, 0, "normal"), uv("uv", Storage::Float32, 3, 0, "texturecoord");
  Attribute& normals = box.addAttribute(Owner::Vertex, std::move(n));
  for (size_t v = 0; v < box.vertexCount(); ++v)
    normals.setNumber(v, static_cast<int>(v / 8), v / 4 % 2 ? -3 : 3);
  Attribute& places = box.addAttribute(Owner::Vertex, std::move(uv));
  for (size_t v = 0; v < box.vertexCount(); ++v) places.setNumber(v, 0, 0.03125 * static_cast<double>(v));
  return box;
}

TEST(Glb, SeamsOfClosedPiecesAreClosedAgain) {
  Geometry sphere = shapes::sphere(8, 0.7, {3, 0, 0});
  Attribute& uv = sphere.addAttribute(Owner::Vertex, Attribute("uv", Storage::Float32, 3));
  Random random(2);
  for (size_t v = 0; v < sphere.vertexCount(); ++v) uv.setNumber(v, 1, std::floor(random.uniform(0, 3)) / 4);
  for (Geometry geometry : {hardBox(), sphere}) {
    // Half of it inside, so that it is written as two primitives.
    std::vector<uint8_t>& inside = geometry.addGroup(Owner::Primitive, "inside").bits.edit();
    for (size_t p = 0; p < inside.size(); p += 2) inside[p] = 1;
    const Geometry back = read(write(geometry));
    EXPECT_EQ(back.pointCount(), geometry.pointCount());
    Context context;
    const Topology topology = analyseTopology(back, context);
    EXPECT_TRUE(topology.closed);
    EXPECT_TRUE(topology.manifold);
    EXPECT_TRUE(topology.oriented);
    EXPECT_EQ(triangles(back), triangles(geometry));
  }
}

TEST(Glb, TouchingBoxesStayApartWhereThatCanBeTold) {
  Context context;
  // Along an edge: every box closes by its other edges.
  Geometry boxes = hardBox();
  boxes.append(hardBox({1, 1, -1}, {3, 3, 1}));
  const Geometry apart = read(write(boxes));
  EXPECT_EQ(apart.pointCount(), 16u);
  EXPECT_TRUE(analyseTopology(apart, context).closed);
  EXPECT_TRUE(analyseTopology(apart, context).manifold);
  // Along a face nothing tells which faces belong together; they are closed in any case.
  boxes = hardBox();
  boxes.append(hardBox({1, -1, -1}, {3, 1, 1}));
  EXPECT_TRUE(analyseTopology(read(write(boxes)), context).closed);
}

TEST(Glb, NormalsAndMaterialsComeAlong) {
  Geometry box = hardBox();
  Attribute& material =
      box.addAttribute(Owner::Primitive, Attribute("shop_materialpath", Storage::String, 1));
  for (size_t p = 0; p < 6; ++p) material.setString(p, p < 2 ? "/mat/glass" : "/mat/clay");
  const Geometry back = read(write(box));
  EXPECT_EQ(back.pointCount(), 8u);
  const Attribute* normals = back.findAttribute(Owner::Vertex, "N");
  ASSERT_TRUE(normals);
  double sum = 0;
  for (size_t v = 0; v < back.vertexCount(); ++v)
    for (int c = 0; c < 3; ++c) sum += std::abs(normals->number(v, c));
  EXPECT_EQ(sum, 36.0);  // unit vectors along the axes
  const Attribute* materials = back.findAttribute(Owner::Primitive, "shop_materialpath");
  ASSERT_TRUE(materials);
  int glass = 0;
  for (size_t p = 0; p < 12; ++p) glass += materials->string(p) == "/mat/glass";
  EXPECT_EQ(glass, 4);
}

TEST(Glb, PolylinesAreLines) {
  Geometry geometry;
  for (int i = 0; i < 4; ++i) geometry.addPoint({static_cast<double>(i), 0, 0});
  geometry.addPrimitive(PrimitiveType::Polyline, std::vector<int32_t>{0, 1, 3});
  const Geometry back = read(write(geometry));
  EXPECT_EQ(back.countOf(PrimitiveType::Polyline), 2u);
  EXPECT_EQ(back.pointCount(), 3u);
}

TEST(Glb, WhatDoesNotFitIsNamed) {
  Geometry geometry = shapes::box();
  geometry.addPoint({5, 5, 5});
  geometry.addAttribute(Owner::Point, Attribute("v", Storage::Float32, 3));
  geometry.addAttribute(Owner::Primitive, Attribute("age", Storage::Int32, 1));
  geometry.addGroup(Owner::Point, "fixed");
  geometry.addPrimitives(PrimitiveType::Tetrahedron, 1, 4, std::vector<int32_t>{0, 1, 2, 4});
  std::vector<std::string> warnings;
  write(geometry, &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  for (const char* name : {"v", "age", "fixed", "1 tetrahedron", "1 loose point"})
    EXPECT_NE(warnings[0].find(name), std::string::npos) << name;
}

TEST(Glb, PointsThatAreNotFiniteAreRefused) {
  Geometry geometry = shapes::box();
  geometry.editPositions()[3].x() = std::nan("");
  EXPECT_THROW(write(geometry), Error);
  Geometry huge = shapes::box();
  huge.editPositions()[3].x() = 1e300;
  EXPECT_THROW(write(huge), Error);
}

TEST(Glb, EmptyGeometryIsAFile) {
  const Geometry back = read(write(Geometry()));
  EXPECT_TRUE(back.empty());
}

TEST(Glb, FileIsLaidOutAsTheFormatSays) {
  const std::string bytes = write(pieces());
  const auto at = [&](size_t offset) { return loadNumber<uint32_t>(bytes.data() + offset); };
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(at(4), 2u);
  EXPECT_EQ(at(8), bytes.size());
  EXPECT_EQ(at(12) % 4, 0u);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  EXPECT_EQ(bytes.substr(20 + at(12) + 4, 4), std::string("BIN\0", 4));
  EXPECT_EQ(at(20 + at(12)) % 4, 0u);
  EXPECT_EQ(bytes.size() % 4, 0u);
  EXPECT_TRUE(isGlb(bytes));
}

TEST(GlbReader, StripsFansAndListsGiveTheSameSquare) {
  const Geometry strip = read(squareFile(kStrip));
  ASSERT_EQ(strip.primitiveCount(), 2u);
  for (size_t p = 0; p < 2; ++p) {
    const auto c = strip.corners(p);
    const auto at = [&](size_t i) { return strip.position(static_cast<size_t>(c[i])); };
    EXPECT_EQ((at(1) - at(0)).cross(at(2) - at(0)), Vec3(0, 0, 1));
  }
  EXPECT_EQ(read(squareFile(R"({"attributes":{"POSITION":0},"mode":6})")).primitiveCount(), 2u);
  EXPECT_EQ(read(squareFile(R"({"attributes":{"POSITION":0}})")).primitiveCount(), 1u);
  EXPECT_EQ(read(squareFile(R"({"attributes":{"POSITION":0},"mode":3})")).vertexCount(), 4u);
  EXPECT_EQ(read(squareFile(R"({"attributes":{"POSITION":0},"mode":2})")).vertexCount(), 5u);
  EXPECT_EQ(read(squareFile(R"({"attributes":{"POSITION":0},"mode":1})")).primitiveCount(), 2u);
  const Geometry points = read(squareFile(R"({"attributes":{"POSITION":0},"mode":0})"));
  EXPECT_EQ(points.primitiveCount(), 0u);
  EXPECT_EQ(points.pointCount(), 4u);
}

TEST(GlbReader, NodesPlaceTheirMeshes) {
  const Geometry moved = read(
      squareFile(kStrip, R"({"children":[1],"translation":[10,0,0]},{"mesh":0,"name":"leaf","scale":[2,2,2],)"
                         R"("rotation":[0,0,0.7071067811865476,0.7071067811865476]})"));
  EXPECT_NEAR((moved.position(1) - Vec3(10, 2, 0)).norm(), 0, 1e-12);  // x is turned to y
  EXPECT_EQ(moved.findAttribute(Owner::Primitive, "name")->string(0), "leaf");
  const Geometry matrix =
      read(squareFile(kStrip, R"({"mesh":0,"matrix":[0,1,0,0, -1,0,0,0, 0,0,1,0, 5,6,7,1]})"));
  EXPECT_EQ(matrix.position(1), Vec3(5, 7, 7));

  // A mirror turns faces over; they must stay counter-clockwise from outside.
  const Geometry mirrored = read(squareFile(kStrip, R"({"mesh":0,"scale":[1,1,-1]})"));
  const auto c = mirrored.corners(0);
  const auto at = [&](size_t i) { return mirrored.position(static_cast<size_t>(c[i])); };
  EXPECT_EQ((at(1) - at(0)).cross(at(2) - at(0)), Vec3(0, 0, -1));
}

TEST(GlbReader, SceneSaysWhichNodesCount) {
  const std::string nodes = R"({"mesh":0},{"mesh":0})";
  EXPECT_EQ(read(squareFile(kStrip, nodes)).pointCount(), 8u);
  EXPECT_EQ(read(squareFile(kStrip, nodes, R"(,"scenes":[{"nodes":[1]}])")).pointCount(), 4u);
}

TEST(GlbReader, SparseAndNormalisedAccessors) {
  // Positions as normalised shorts with stride 8, the last replaced by a sparse entry.
  const std::string binary = numbers<int16_t>({32767, 0, 0, 0, 0, -32767, 0, 0, -32768, 0, 0, 0}) +
                             numbers<uint16_t>({2, 0}) + numbers<int16_t>({0, 0, 32767, 0});
  const Geometry geometry = read(glb(
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":36}],)"
      R"("bufferViews":[{"buffer":0,"byteLength":24,"byteStride":8},{"buffer":0,"byteOffset":24,"byteLength":4},)"
      R"({"buffer":0,"byteOffset":28,"byteLength":8}],)"
      R"("accessors":[{"bufferView":0,"componentType":5122,"normalized":true,"count":3,"type":"VEC3",)"
      R"("sparse":{"count":1,"indices":{"bufferView":1,"componentType":5123},"values":{"bufferView":2}}}],)"
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]})",
      binary));
  ASSERT_EQ(geometry.pointCount(), 3u);
  EXPECT_EQ(geometry.position(0), Vec3(1, 0, 0));
  EXPECT_EQ(geometry.position(1), Vec3(0, -1, 0));
  EXPECT_EQ(geometry.position(2), Vec3(0, 0, 1));
}

TEST(GlbReader, TextFilesWithEmbeddedBuffers) {
  const std::string text =
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":"data:application/octet-stream;base64,)"
      R"(AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA"}],"bufferViews":[{"buffer":0,"byteLength":36}],)"
      R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],)"
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]})";
  const Geometry geometry = read(text);
  ASSERT_EQ(geometry.pointCount(), 3u);
  EXPECT_EQ(geometry.position(1), Vec3(1, 0, 0));
  EXPECT_EQ(geometry.position(2), Vec3(0, 1, 0));

  std::string elsewhere = text;
  elsewhere.replace(elsewhere.find("data:"), 5, "file:");
  EXPECT_NE(messageOf(elsewhere).find("another file"), std::string::npos);
}

TEST(GlbReader, RefusalsSayWhy) {
  const std::string node = R"({"mesh":0})";
  const std::pair<std::string, const char*> kCases[] = {
      {squareFile(kStrip, node, R"(,"extensionsRequired":["KHR_draco_mesh_compression"])"), "KHR_draco_mesh"},
      {squareFile(R"({"attributes":{"POSITION":7}})"), "accessors[7]"},
      {squareFile(R"({"attributes":{"POSITION":0},"indices":0})"), "indices"},
      {squareFile(R"({"attributes":{"POSITION":1}})"), "vectors of 3"},
      {squareFile(R"({"attributes":{"POSITION":0},"mode":9})"), "mode 9"},
      {squareFile(R"({"attributes":{"POSITION":-1}})"), "whole number"},
      {squareFile(R"({"attributes":{"POSITION":0},"material":3})"), "materials[3]"},
      {squareFile("17"), "no object"},
      {squareFile(kStrip, R"({"mesh":0,"children":[0]})"), ""},
      {squareFile(kStrip, R"({"children":[1]},{"children":[2]},{"children":[1],"mesh":0})"), "parent"},
      {squareFile(kStrip, R"({"mesh":0,"matrix":[1,2]})"), "matrix"},
      {squareFile(kStrip, node, R"(,"scenes":[{"nodes":[4]}])"), "node"},
      {glb(R"({"asset":{"version":"1.0"}})"), "glTF 1.0"},
      {glb("[1,2"), "malformed"},
      {glb("[]"), "no object"},
      {glb(std::string(100000, '[')), "nested"},
      {"glTF", "header"},
      {"glTF" + number(1) + number(20) + number(0) + "JSON", "version 1"},
      {"glTF" + number(2) + number(999) + number(0) + "JSON", "999 bytes"},
      {"glTF" + number(2) + number(20) + number(50) + "JSON", "past the end"},
  };
  for (const auto& [bytes, part] : kCases) {
    const std::string message = messageOf(bytes);
    EXPECT_NE(message.find(part), std::string::npos) << part << " in: " << message;
  }
}

TEST(GlbReader, HostileCountsCostNoMemory) {
  const auto accessor = [](const char* text) {
    return glb(std::string(R"({"asset":{"version":"2.0"},"accessors":[)") + text +
               R"(],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[{"mesh":0}]})");
  };
  EXPECT_NE(messageOf(accessor(R"({"componentType":5126,"count":4000000000,"type":"VEC3"})")), "");
  EXPECT_NE(messageOf(accessor(R"({"componentType":5126,"count":1e300,"type":"VEC3"})")), "");
  EXPECT_NE(messageOf(accessor(R"({"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"})")), "");

  // Few bytes of nodes that repeat a large mesh.
  std::string nodes = R"({"mesh":0})";
  for (int i = 0; i < 3000; ++i) nodes += R"(,{"mesh":0})";
  std::string binary(120000, '\0');
  const std::string bytes =
      glb(R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":120000}],)"
          R"("bufferViews":[{"buffer":0,"byteLength":120000}],)"
          R"("accessors":[{"bufferView":0,"componentType":5126,"count":10000,"type":"VEC3"}],)"
          R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}],"nodes":[)" +
              nodes + "]}",
          binary);
  EXPECT_NE(messageOf(bytes).find("instances"), std::string::npos);
}

/// Nodes in a chain, each the child of the one before, the last with a mesh that is not there.
std::string chainOfNodes(int count) {
  std::string nodes;
  for (int i = 1; i < count; ++i) nodes += R"({"children":[)" + std::to_string(i) + "]},";
  return glb(R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[)" + nodes + R"({"mesh":5}]})");
}

TEST(GlbReader, LongChainsOfNodesTakeTimeInProportion) {
  const std::string small = chainOfNodes(20000), large = chainOfNodes(200000);
  EXPECT_NE(messageOf(large).find("meshes[5] is not there"), std::string::npos) << messageOf(large);
  EXPECT_LT(test::timesTheWork([&] { messageOf(small); }, [&] { messageOf(large); }), 30);
  Context context;
  int polls = 0;
  context.setCancelPoll([&] { return ++polls == 2; });  // in the middle of the JSON
  try {
    readGlb(large, "", context);
    ADD_FAILURE() << "not cancelled after " << polls << " looks";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Cancelled) << e.what();
  }
  const std::string deep = std::string(100, '[') + std::string(100, ']');
  EXPECT_NE(messageOf(glb(R"({"asset":{"version":"2.0"},"extras":)" + deep + "}")).find("nested"),
            std::string::npos);
}

TEST(GlbReader, DamagedFilesNeverDoMoreThanFail) {
  const std::string whole = write(pieces());
  Random random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (uint64_t n = 1 + random.below(6); n-- > 0;)
      bytes[random.below(std::min<size_t>(bytes.size(), 3000))] = static_cast<char>(random.below(256));
    if (random.below(4) == 0) bytes.resize(random.below(bytes.size()));
    messageOf(bytes);
  }
}

TEST(GlbReader, WhatIsLeftOutIsNamed) {
  std::vector<std::string> warnings;
  read(squareFile(R"({"attributes":{"POSITION":0,"JOINTS_0":1}})", R"({"mesh":0,"skin":0})",
                  R"(,"animations":[{}])"),
       &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  for (const char* part : {"1 skin", "1 animation", "JOINTS_0"})
    EXPECT_NE(warnings[0].find(part), std::string::npos) << part;
}

TEST(Glb, IsAmongTheFileFormats) {
  EXPECT_EQ(codecForReading(write(shapes::box()), "thing").format.extensions.front(), "glb");
  EXPECT_EQ(codecForReading("{}", "thing.gltf").format.extensions.front(), "gltf");
}

}  // namespace
}  // namespace hackle
