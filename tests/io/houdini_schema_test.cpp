// The schema of Houdini's files: hand-written details, and geometries of our own.
#include "io/geometry_difference.h"
#include "shapes.h"

#include <hackle/core/error.h>
#include <hackle/io/houdini/reader.h>
#include <hackle/io/houdini/writer.h>
#include <hackle/volume/grid.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

using houdini::readGeometryFile;
using houdini::writeGeometryFile;
using test::difference;

/// A detail of `points` points at the origin and the given rest.
std::string detail(int points, int vertices, int primitives, const std::string& topology,
                   const std::string& rest, const std::string& moreAttributes = "") {
  std::string tuples;
  for (int i = 0; i < points; ++i) tuples += fmt::format("{}[{},0,0]", i ? "," : "", i);
  return fmt::format(
      R"(["fileversion","19.5.0","pointcount",{},"vertexcount",{},"primitivecount",{},
      "topology",["pointref",["indices",[{}]]],
      "attributes",["pointattributes",[[["scope","public","type","numeric","name","P","options",{{}}],
        ["size",3,"storage","fpreal32","values",["size",3,"storage","fpreal32","tuples",[{}]]]]{}]],{}])",
      points, vertices, primitives, topology, tuples, moreAttributes, rest);
}

std::string pointAttribute(const std::string& type, const std::string& name, const std::string& body) {
  return fmt::format(R"(,[["scope","public","type","{}","name","{}","options",{{}}],[{}]])", type, name,
                     body);
}

std::string refusal(const std::string& text) {
  Context context;
  try {
    readGeometryFile(text, {}, context);
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
    return e.what();
  }
  return "";
}

bool warned(const Context& context, const std::string& words) {
  for (const std::string& warning : context.warnings())
    if (warning.find(words) != std::string::npos) return true;
  return false;
}

const std::string kTriangle = R"("primitives",[[["type","p_r"],["s_v",0,"n_p",1,"r_v",[3,1]]]])";

TEST(HoudiniSchema, SmallStoragesAreWidened) {
  std::string attributes;
  for (const char* storage :
       {"int8", "uint8", "int16", "bool", "int32", "int64", "fpreal16", "fpreal32", "fpreal64"})
    attributes += pointAttribute(
        "numeric", storage,
        fmt::format(R"("size",1,"storage","{0}","values",["size",1,"storage","{0}","arrays",[[1,0,1]]])",
                    storage));
  Context context;
  const Geometry g = readGeometryFile(detail(3, 3, 1, "0,1,2", kTriangle, attributes), {}, context);
  for (const char* small : {"int8", "uint8", "int16", "bool", "int32"})
    EXPECT_EQ(g.findAttribute(Owner::Point, small)->storage(), Storage::Int32) << small;
  EXPECT_EQ(g.findAttribute(Owner::Point, "int64")->storage(), Storage::Int64);
  EXPECT_EQ(g.findAttribute(Owner::Point, "fpreal16")->storage(), Storage::Float32);
  EXPECT_EQ(g.findAttribute(Owner::Point, "fpreal64")->storage(), Storage::Float64);
  for (const Attribute& a : g.attributes(Owner::Point)) EXPECT_EQ(a.number(2), 1.0) << a.name();
}

/// Pages of two points, sub-vectors of 2 and 1 components, some pages constant: page by page, and inside a
/// page sub-vector by sub-vector.
TEST(HoudiniSchema, ReadsPackedPages) {
  const std::string body =
      R"("size",3,"storage","fpreal32","values",["size",3,"storage","fpreal32","pagesize",2,"packing",[2,1],
      "constantpageflags",[[true,false,false],[false,true,false]],
      "rawpagedata",[1,2, 3,4, 5,6,7,8, 9, 10,11, 12]])";
  Context context;
  const Geometry g = readGeometryFile(
      detail(5, 0, 0, "", "\"primitives\",[]", pointAttribute("numeric", "a", body)), {}, context);
  const double wanted[5][3] = {{1, 2, 3}, {1, 2, 4}, {5, 6, 9}, {7, 8, 9}, {10, 11, 12}};
  for (size_t i = 0; i < 5; ++i)
    for (int c = 0; c < 3; ++c) EXPECT_EQ(g.findAttribute(Owner::Point, "a")->number(i, c), wanted[i][c]);
}

TEST(HoudiniSchema, WeightsOfPAreWarnedAbout) {
  const auto text = [](int w) {
    return fmt::format(R"(["pointcount",1,"vertexcount",0,"primitivecount",0,"attributes",["pointattributes",[
      [["type","numeric","name","P"],["size",4,"storage","fpreal32","values",["size",4,"tuples",[[1,2,3,{}]]]]]]]])",
                       w);
  };
  Context quiet, loud;
  EXPECT_EQ(readGeometryFile(text(1), {}, quiet).position(0), Vec3(1, 2, 3));
  EXPECT_TRUE(quiet.warnings().empty());
  EXPECT_EQ(readGeometryFile(text(2), {}, loud).position(0), Vec3(1, 2, 3));
  EXPECT_TRUE(warned(loud, "component of P"));
}

TEST(HoudiniSchema, OldPolygonsMayTakeVerticesInAnyOrder) {
  const std::string run =
      R"("primitives",[[["type","run","runtype","Poly","varyingfields",["vertex","closed"],"uniformfields",{}],
      [[[3,4,5],true],[[2,0,1],false]]]],"vertexgroups",[[["name","v"],["selection",["ordered",[4,0]]]]])";
  Context context;
  const Geometry g = readGeometryFile(detail(6, 6, 2, "0,1,2,3,4,5", run), {}, context);
  ASSERT_EQ(g.primitiveCount(), 2u);
  EXPECT_EQ(g.primitiveType(1), PrimitiveType::Polyline);
  // The polygon 3, 4, 5 is turned over; the polyline is not.
  const std::vector<int32_t> wanted{3, 5, 4, 2, 0, 1};
  EXPECT_EQ(std::vector<int32_t>(g.vertexPoints().begin(), g.vertexPoints().end()), wanted);
  const Group* group = g.findGroup(Owner::Vertex, "v");
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(std::vector<int32_t>(group->order.begin(), group->order.end()), (std::vector<int32_t>{2, 4}));
}

TEST(HoudiniSchema, NamesWhatItLeavesOut) {
  const std::string attributes = pointAttribute("dict", "d1", R"("size",1,"dicts",[])") +
                                 pointAttribute("dict", "d2", R"("size",1,"dicts",[])") +
                                 pointAttribute("arraydata", "a1", R"("size",1,"values",[])");
  const std::string primitives =
      R"("primitives",[[["type","p_r"],["s_v",0,"n_p",1,"r_v",[3,1]]],[["type","Sphere"],["vertex",3]],[["type","Sphere"],["vertex",3]]])";
  Context context;
  const Geometry g = readGeometryFile(detail(4, 4, 3, "0,1,2,3", primitives, attributes), {}, context);
  EXPECT_EQ(g.primitiveCount(), 1u);
  EXPECT_TRUE(warned(context, "dict were left out: point d1, point d2"));
  EXPECT_TRUE(warned(context, "arraydata were left out: point a1"));
  EXPECT_TRUE(warned(context, "2 Sphere primitives were left out"));
  EXPECT_EQ(context.warnings().size(), 3u);
}

TEST(HoudiniSchema, SaysSoIfNothingIsUsable) {
  const std::string sphere = R"("primitives",[[["type","Sphere"],["vertex",0]]])";
  EXPECT_NE(refusal(detail(1, 1, 1, "0", sphere)).find("1 Sphere"), std::string::npos);
  const std::string particles = R"("primitives",[[["type","Part"],["vertex",[0,1]]]])";
  Context context;
  EXPECT_EQ(readGeometryFile(detail(2, 2, 1, "0,1", particles), {}, context).pointCount(), 2u);
}

TEST(HoudiniSchema, RefusesWhatDoesNotFit) {
  const auto primitives = [](const std::string& body) {
    return detail(3, 3, 1, "0,1,2", R"("primitives",[[["type","p_r"],[)" + body + "]]]");
  };
  const auto group = [](const std::string& selection) {
    return detail(3, 3, 1, "0,1,2",
                  kTriangle + R"(,"pointgroups",[[["name","g"],["selection",[)" + selection + "]]]]");
  };
  const auto attribute = [](const std::string& body) {
    return detail(3, 3, 1, "0,1,2", kTriangle, pointAttribute("numeric", "a", body));
  };
  EXPECT_EQ(refusal(detail(3, 3, 1, "0,1,2", kTriangle)), "");
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "pointcount"},
      {"[\"pointcount\",-1]", "-1"},
      {"[\"pointcount\",3000000000]", "3000000000"},
      {detail(3, 3, 1, "0,1,3", kTriangle), "vertex 2 is on point 3"},
      {detail(3, 3, 1, "0,1", kTriangle), "expected 3 vertices, found 2"},
      {detail(3, 3, 2, "0,1,2", kTriangle), "expected 2 primitives"},
      {primitives(R"("s_v",0,"n_p",1,"r_v",[3,2])"), "do not fit"},
      {primitives(R"("s_v",0,"n_p",1,"r_v",[2,0])"), "sizes for 0"},
      {primitives(R"("s_v",0,"n_p",1,"r_v",[3])"), "elements"},
      {primitives(R"("s_v",1,"n_p",1,"r_v",[3,1])"), "vertices 1 to 4"},
      {primitives(R"("s_v",-1,"n_p",1,"r_v",[3,1])"), "-1"},
      {primitives(R"("s_v",0,"n_p",-1,"r_v",[3,1])"), "-1"},
      {primitives(R"("s_v",0,"n_p",1,"n_v",[-3])"), "-3"},
      {detail(3, 3, 1, "0,1,2", R"("primitives",[[["type","Poly"],["vertex",[0,1,9]]]])"), "vertex 9"},
      {detail(3, 3, 1, "0,1,2",
              R"("primitives",[[["type","PackedGeometry"],["vertex",0,"parameters",{"embedded":"x"}]]])"),
       "\"x\""},
      {group(R"("unordered",["boolRLE",[2,true]])"), "2 of 3"},
      {group(R"("unordered",["boolRLE",[4,true]])"), "does not fit"},
      {group(R"("unordered",["boolRLE",[-1,true]])"), "does not fit"},
      {group(R"("unordered",["i8",[1,0]])"), "2 of 3"},
      {group(R"("ordered",[3])"), "member 3"},
      {detail(3, 3, 1, "0,1,2", kTriangle + R"(,"edgegroups",[[["name","g"],["points",[0,7]]]])"), "point 7"},
      {attribute(R"("size",1,"storage","fpreal32","values",["size",1,"arrays",[[1,2]]])"),
       "expected 3 numbers, found 2"},
      {attribute(R"("size",2,"storage","fpreal32","values",["size",2,"tuples",[[1,2],[1],[1,2]]])"),
       "tuple 1"},
      {attribute(R"("size",1,"storage","quaternion","values",["size",1,"arrays",[[1,2,3]]])"), "quaternion"},
      {attribute(R"("size",-1,"storage","int32","values",["size",1,"arrays",[[1,2,3]]])"), "-1"},
      {attribute(R"("size",1,"storage","int32","values",["size",1,"pagesize",0,"rawpagedata",[1,2,3]])"),
       "pages of 0"},
      {attribute(
           R"("size",1,"storage","int32","values",["size",1,"pagesize",2,"constantpageflags",[[true]],"rawpagedata",[1,2,3]])"),
       "page flags"},
  };
  for (const auto& [text, words] : cases)
    EXPECT_NE(refusal(text).find(words), std::string::npos) << words << " not in: " << refusal(text) << "\n"
                                                            << text;
}

/// A few bytes that ask for gigabytes.
TEST(HoudiniSchema, RefusesMemoryBombs) {
  EXPECT_NE(
      refusal(R"(["pointcount",2000000000,"vertexcount",0,"primitivecount",0,"attributes",["pointattributes",[
      [["type","numeric","name","P"],["size",3,"storage","fpreal32","values",["size",3,"pagesize",2000000000,
      "constantpageflags",[[true]],"rawpagedata",[0,0,0]]]]]]])")
          .find("memory"),
      std::string::npos);
  EXPECT_NE(
      refusal(detail(3, 3, 2000000000, "0,1,2",
                     R"("primitives",[[["type","p_r"],["s_v",0,"n_p",2000000000,"r_v",[0,2000000000]]]])"))
          .find("memory"),
      std::string::npos);
  EXPECT_NE(refusal(detail(1, 1, 1, "0",
                           R"("primitives",[[["type","Volume"],["vertex",0,"res",[9000000,9000000,9000000],
      "transform",[1,0,0,0,1,0,0,0,1],"voxels",["constantarray",1]]]])"))
                .find("memory"),
            std::string::npos);
}

// Geometries of our own ----------------------------------------------------------------------------------

Geometry withEverything() {
  Geometry g = shapes::box();
  g.positionFileStorage = Storage::Float64;
  g.editPositions()[0].x() = 0.1;  // not a single-precision number
  g.addPrimitive(PrimitiveType::Polyline, std::vector<int32_t>{0, 3, 5});
  g.addPolygon({0, 1, 3});
  g.addPrimitive(PrimitiveType::Tetrahedron, std::vector<int32_t>{0, 1, 2, 4});
  g.addPrimitive(PrimitiveType::Polygon, std::vector<int32_t>{});
  g.addPoints(3000);  // several pages
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail}) {
    for (const Storage storage : {Storage::Float32, Storage::Float64, Storage::Int32, Storage::Int64}) {
      for (const int width : {0, 1, 2, 3, 4, 9}) {
        Attribute& a = g.addAttribute(
            owner, Attribute(fmt::format("{}{}", storageName(storage), width), storage, width));
        for (size_t e = 0; e < a.elementCount(); ++e)
          for (int c = 0; c < width; ++c)
            a.setNumber(e, c,
                        e < 1500 ? static_cast<double>(e) * 1.25 - 7 * c : 42.0);  // then constant pages
      }
    }
    Attribute& names = g.addAttribute(owner, Attribute("strings", Storage::String, 2));
    for (size_t e = 0; e < names.elementCount(); ++e) {
      names.setString(e, fmt::format("nr \"{}\" é", e % 7), 0);
      if (e % 2) names.setString(e, "odd", 1);
    }
    if (owner == Owner::Detail) continue;
    for (size_t i = 0; i < g.elementCount(owner); ++i) {
      g.addGroup(owner, "runs").bits.edit()[i] = i / 5 % 2;
      g.addGroup(owner, "mixed").bits.edit()[i] = i * i % 7 < 3;
    }
    g.addGroup(owner, "none");
    Group& ordered = g.addGroup(owner, "ordered");
    for (const int32_t i : {4, 1, 3}) {
      ordered.bits.edit()[i] = 1;
      ordered.order.edit().push_back(i);
    }
  }
  Attribute& normals = *g.findAttribute(Owner::Vertex, "float323");
  normals.qualifier = "normal";
  normals.defaults = {0, 1, 0};
  g.findAttribute(Owner::Point, "int321")->defaults = {-1};
  g.addEdgeGroup("edges").edges = std::vector<Edge>{{0, 1}, {5, 3}};
  g.addEdgeGroup("no edges");
  return g;
}

Geometry withContents() {
  Geometry g = withEverything();
  const std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
  GridTransform place;
  place.linear = Vec3(0.5, 0.25, 2).asDiagonal();
  place.offset = Vec3(1, 2, 3);
  const VolumePtr grid = makeFloatGrid("density", {2, 2, 2}, values, 0, place);
  g.addVolume(grid, gridOrigin(*grid));
  PackedPrimitive packed;
  auto inner = std::make_shared<Geometry>(shapes::sphere(4));
  packed.source = inner;
  packed.transform << 1, 2, 3, 0, 1, 4, 5, 6, 0;
  packed.pivot = Vec3(0.1, 0.2, 0.3);
  auto outer = std::make_shared<Geometry>(shapes::box());
  outer->addPacked(packed, Vec3(1, 0, 0));
  packed.source = outer;
  g.addPacked(packed, Vec3(0, 1, 0));
  packed.kind = PackedPrimitive::Kind::Fragment;
  packed.fragmentAttribute = "name";
  packed.fragmentName = "piece0";
  g.addPacked(packed, Vec3(0, 0, 1));
  PackedPrimitive disk;
  disk.kind = PackedPrimitive::Kind::Disk;
  disk.fileName = "a file.bgeo";
  g.addPacked(disk, Vec3(2, 2, 2));
  Attribute& names = g.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  for (size_t p = 0; p < g.primitiveCount(); ++p)
    names.setString(p, g.primitiveType(p) == PrimitiveType::Volume ? "density" : "part");
  g.checkInvariants();
  return g;
}

TEST(HoudiniSchema, NothingIsLost) {
  const Geometry g = withContents();
  Context context;
  for (const char* extension : {"bgeo", "geo", "bgeo.gz", "geo.gz", "bgeo.sc", "geo.sc"}) {
    const std::string bytes = writeGeometryFile(g, extension, context);
    const Geometry back = readGeometryFile(bytes, {}, context);
    back.checkInvariants();
    EXPECT_EQ(difference(g, back), "") << extension;
    EXPECT_TRUE(writeGeometryFile(g, extension, context) == bytes) << extension;
  }
  EXPECT_TRUE(context.warnings().empty()) << context.warnings()[0];
}

TEST(HoudiniSchema, EmptyGeometrySurvives) {
  Context context;
  for (const char* extension : {"bgeo", "geo"}) {
    const std::string bytes = writeGeometryFile(Geometry(), extension, context);
    EXPECT_EQ(difference(Geometry(), readGeometryFile(bytes, {}, context)), "");
  }
}

TEST(HoudiniSchema, FloatsTakeTheStorageThatTheFileShouldHave) {
  Geometry g = shapes::box();
  g.positionFileStorage = Storage::Float32;
  Attribute a("a", Storage::Float64, 1);
  a.fileStorage = Storage::Float32;
  g.addAttribute(Owner::Point, a).edit<double>()[0] = 0.1;
  Context context;
  const Geometry back = readGeometryFile(writeGeometryFile(g, "bgeo", context), {}, context);
  EXPECT_EQ(back.positionFileStorage, Storage::Float32);
  EXPECT_EQ(back.findAttribute(Owner::Point, "a")->storage(), Storage::Float32);
  EXPECT_EQ(back.findAttribute(Owner::Point, "a")->number(0), static_cast<double>(0.1f));
}

/// A VDB's point is where its voxel (0, 0, 0) is; Houdini moves the grid there.
TEST(HoudiniSchema, TheGridGoesWhereItsPointIs) {
  Geometry g;
  GridTransform place;
  place.offset = Vec3(1, 2, 3);
  g.addVolume(makeFloatGrid("d", {1, 1, 1}, std::vector<float>{5}, 0, place));  // its point is at the origin
  Context context;
  const std::string text = writeGeometryFile(g, "geo", context);
  const Geometry back = readGeometryFile(text, {}, context);
  EXPECT_EQ(back.position(0), Vec3(1, 2, 3));
  EXPECT_EQ(sampleGrid(*back.volume(0), Vec3(1, 2, 3)), 5);

  std::string moved = text;
  const size_t at = moved.find("[1,2,3]");
  ASSERT_NE(at, std::string::npos);
  moved.replace(at, 7, "[4,2,3]");
  EXPECT_EQ(sampleGrid(*readGeometryFile(moved, {}, context).volume(0), Vec3(4, 2, 3)), 5);
}

TEST(HoudiniSchema, DamageIsRefusedOrHarmless) {
  Geometry small = shapes::sphere(5);
  small.addAttribute(Owner::Vertex, Attribute("uv", Storage::Float32, 3));
  small.addGroup(Owner::Primitive, "inside");
  Attribute& names = small.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  for (size_t p = 0; p < small.primitiveCount(); ++p) names.setString(p, p % 2 ? "a" : "b");
  PackedPrimitive packed;
  packed.source = std::make_shared<Geometry>(shapes::box());
  small.addPacked(packed, Vec3(0, 0, 0));
  Context context;
  for (const char* extension : {"bgeo", "geo"}) {
    const std::string bytes = writeGeometryFile(small, extension, context);
    Random random(1);
    for (int trial = 0; trial < 2000; ++trial) {
      std::string damaged = bytes;
      for (uint64_t n = 1 + random.below(3); n > 0; --n)
        damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
      try {
        readGeometryFile(damaged, {}, context).checkInvariants();
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::BadInput) << e.what();
      }
    }
  }
}

}  // namespace
}  // namespace hackle
