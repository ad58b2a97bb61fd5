#include "../io/geometry_difference.h"
#include "../shapes.h"
#include "network.h"

#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/vdb_grid.h>

#include <GA/GA_Handle.h>
#include <GEO/GEO_BuildPrimitives.h>
#include <GEO/GEO_PrimPolySoup.h>
#include <GEO/GEO_PrimVDB.h>
#include <GEO/GEO_PrimVolume.h>
#include <GU/GU_PackedGeometry.h>

#include <gtest/gtest.h>

using namespace hackle;
using namespace hackle::test;

namespace {

template <class T>
void addNumbers(Geometry& g, Owner owner, const std::string& name, Storage storage, int tuple,
                const std::string& qualifier = "") {
  Attribute& a = g.addAttribute(owner, Attribute(name, storage, tuple, 0, qualifier));
  std::vector<T>& values = a.edit<T>();
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(3 * i + 1) / static_cast<T>(2);
  a.defaults = {0.0};
}

void addStrings(Geometry& g, Owner owner, const std::string& name, int tuple) {
  Attribute& a = g.addAttribute(owner, Attribute(name, Storage::String, tuple));
  for (size_t e = 0; e < a.elementCount(); ++e)
    for (int c = 0; c < tuple; ++c)
      if ((e + static_cast<size_t>(c)) % 4 != 3) a.setString(e, "text " + std::to_string((e + 1) % 3), c);
}

/// Every owner, storage and kind of primitive; attributes and groups in the order of their names.
Geometry everything() {
  Geometry g;
  g.positionFileStorage = Storage::Float32;
  for (int i = 0; i < 9; ++i) g.addPoint(Vec3(i, 0.5 * i * i, -i));
  const std::vector<int32_t> tet{4, 5, 6, 7}, line{0, 2, 4}, loose{8, 1};
  g.addPolygon({0, 1, 2, 3});
  g.addPrimitive(PrimitiveType::Polyline, line);
  g.addPolygon({2, 1, 5});
  g.addPrimitive(PrimitiveType::Tetrahedron, tet);
  g.addPrimitive(PrimitiveType::Polyline, loose);
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail}) {
    addNumbers<float>(g, owner, "a_float", Storage::Float32, 3, "normal");
    addNumbers<double>(g, owner, "b_double", Storage::Float64, 2, "texturecoord");
    addNumbers<int32_t>(g, owner, "c_int", Storage::Int32, 1);
    addNumbers<int64_t>(g, owner, "d_long", Storage::Int64, 4, "quaternion");
    addStrings(g, owner, "e_text", 1);
    addStrings(g, owner, "f_pair", 2);
  }
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive}) {
    Group& some = g.addGroup(owner, "even");
    for (size_t i = 0; i < some.bits.size(); i += 2) some.bits.edit()[i] = 1;
    Group& ordered = g.addGroup(owner, "in_order");
    ordered.order = std::vector<int32_t>{3, 0, 2};
    for (const int32_t i : ordered.order) ordered.bits.edit()[i] = 1;
  }
  g.addEdgeGroup("rim").edges = std::vector<Edge>{{0, 1}, {2, 5}};
  return g;
}

Geometry throughDetail(const Geometry& g) {
  GU_Detail detail;
  houdini::toDetail(g, detail);
  Context context;
  const Geometry back = houdini::fromDetail(detail, context);
  EXPECT_TRUE(context.warnings().empty());
  back.checkInvariants();
  return back;
}

/// Offsets that are not indices while it lives.
struct Holes {
  Holes() { GA_Detail::gap = 7; }
  ~Holes() { GA_Detail::gap = 0; }
};

}  // namespace

TEST(Bridge, LosesNothing) {
  const Geometry g = everything();
  EXPECT_EQ(difference(throughDetail(g), g), "");
}

TEST(Bridge, LosesNothingWhereOffsetsHaveHoles) {
  const Holes holes;
  const Geometry g = everything();
  EXPECT_EQ(difference(throughDetail(g), g), "");
}

TEST(Bridge, KeepsDoublePositions) {
  Geometry g = everything();
  g.positionFileStorage = Storage::Float64;
  g.editPositions()[3] = Vec3(1.0 / 3, 2.0 / 7, 1e-30);
  EXPECT_EQ(difference(throughDetail(g), g), "");
}

TEST(Bridge, TakesNothingAndPointsAlone) {
  Geometry none;
  none.positionFileStorage = Storage::Float32;
  EXPECT_EQ(difference(throughDetail(none), none), "");
  none.addPoint(Vec3(1, 2, 3));
  EXPECT_EQ(difference(throughDetail(none), none), "");
}

TEST(Bridge, FollowsPrimitiveNumbersNotOffsets) {
  const Geometry g = everything();
  GU_Detail detail;
  houdini::toDetail(g, detail);
  detail.reversePrimitives();
  Context context;
  const Geometry back = houdini::fromDetail(detail, context);
  std::vector<int32_t> order;
  for (size_t p = g.primitiveCount(); p-- > 0;) order.push_back(static_cast<int32_t>(p));
  Geometry expected = g.extract(order, /*keepPoints=*/true);
  // An order of a group belongs to elements, so it turns over with them; edges stay.
  EXPECT_EQ(back.corners(0)[0], g.corners(4)[0]);
  for (size_t p = 0; p < back.primitiveCount(); ++p) {
    EXPECT_EQ(back.primitiveType(p), expected.primitiveType(p));
    EXPECT_EQ(back.findAttribute(Owner::Primitive, "c_int")->number(p),
              expected.findAttribute(Owner::Primitive, "c_int")->number(p));
  }
  EXPECT_TRUE(*back.findAttribute(Owner::Vertex, "b_double") ==
              *expected.findAttribute(Owner::Vertex, "b_double"));
}

TEST(Bridge, TurnsFacesOver) {
  GU_Detail detail;
  houdini::toDetail(shapes::box(), detail);
  // Six times the signed volume by the right-hand rule, corner by corner as Houdini has them.
  double volume = 0;
  const GA_ROHandleT<double> p(detail.getP());
  const auto at = [&](GA_Offset vertex) {
    Vec3 x;
    for (int c = 0; c < 3; ++c) p.getBlock(detail.vertexPoint(vertex), 1, &x[c], 1, c);
    return x;
  };
  for (GA_Size f = 0; f < detail.getNumPrimitives(); ++f) {
    const GA_OffsetListRef v = detail.getPrimitiveList().getVertexList(detail.primitiveOffset(f));
    for (GA_Size i = 2; i < v.size(); ++i) volume += at(v(0)).dot(at(v(i - 1)).cross(at(v(i))));
  }
  EXPECT_NEAR(volume, -6.0, 1e-12);
}

TEST(Bridge, VolumesShareTheirVoxels) {
  const std::vector<float> values(27, 2.0f);
  Geometry g;
  g.positionFileStorage = Storage::Float32;
  GridTransform transform;
  transform.offset = Vec3(1, 2, 3);
  transform.linear *= 0.5;
  const VolumePtr grid = makeFloatGrid("surface", {3, 3, 3}, values, 0.0f, transform);
  g.addVolume(grid, gridOrigin(*grid));
  addStrings(g, Owner::Primitive, "name", 1);
  g.findAttribute(Owner::Primitive, "name")->setString(0, "surface");
  addNumbers<float>(g, Owner::Primitive, "weight", Storage::Float32, 1);
  GU_Detail detail;
  houdini::toDetail(g, detail);
  const auto* vdb = static_cast<const GEO_PrimVDB*>(detail.getGEOPrimitive(detail.primitiveOffset(0)));
  EXPECT_EQ(&vdb->getConstGridPtr()->constBaseTree(), &vdbGrid(*grid).grid().constBaseTree());
  Context context;
  const Geometry back = houdini::fromDetail(detail, context);
  EXPECT_EQ(&vdbGrid(*back.volume(0)).grid().constBaseTree(), &vdbGrid(*grid).grid().constBaseTree());
  EXPECT_EQ(difference(back, g), "");
}

TEST(Bridge, NamesOfVolumesAreThoseOfTheirPrimitives) {
  // A detail forgets what a grid calls itself: the primitive attribute is the name, both ways.
  const std::vector<float> values(8, 1.0f);
  Geometry g = shapes::box();
  g.positionFileStorage = Storage::Float32;
  for (const char* name : {"surface", "density"}) {
    const VolumePtr grid = makeFloatGrid(name, {2, 2, 2}, values, 0.0f, {});
    g.addVolume(grid, gridOrigin(*grid));
  }
  GU_Detail detail;
  houdini::toDetail(g, detail);
  const GA_Attribute* names = detail.findAttribute(GA_ATTRIB_PRIMITIVE, "name");
  ASSERT_TRUE(GA_ATIString::isType(names));
  EXPECT_EQ(GA_ROHandleS(names).get(detail.primitiveOffset(6)).toStdString(), "surface");
  EXPECT_EQ(GA_ROHandleS(names).get(detail.primitiveOffset(0)).length(), 0);
  GA_RWHandleS(detail.findAttribute(GA_ATTRIB_PRIMITIVE, "name"))
      .set(detail.primitiveOffset(7), UT_StringHolder("smoke"));
  Context context;
  const Geometry back = houdini::fromDetail(detail, context);
  EXPECT_EQ(back.volume(6)->name(), "surface");
  EXPECT_EQ(back.volume(7)->name(), "smoke");
}

TEST(Bridge, LevelSetsAreDrawnAsSurfaces) {
  FloatGridBuilder builder(1.0f);
  builder.fill({0, 0, 0}, {2, 2, 2}, -1.0f);
  Geometry g;
  for (const bool levelSet : {true, false}) {
    builder.fill({0, 0, 0}, {2, 2, 2}, -1.0f);
    const VolumePtr grid = builder.finish("grid", {}, levelSet);
    g.addVolume(grid, gridOrigin(*grid));
  }
  GU_Detail detail;
  houdini::toDetail(g, detail);
  const auto drawn = [&](GA_Index p) {
    return static_cast<const GEO_PrimVDB*>(detail.getGEOPrimitive(detail.primitiveOffset(p)))->visualization;
  };
  EXPECT_EQ(drawn(0), GEO_VOLUMEVIS_ISO);
  EXPECT_EQ(drawn(1), GEO_VOLUMEVIS_SMOKE);
}

TEST(Bridge, WhatPackedPointsSayOfTheirPiecesIsKept) {
  GU_DetailHandle inside;
  inside.allocateAndSet(new GU_Detail);
  Geometry box = shapes::box();
  box.positionFileStorage = Storage::Float32;
  addNumbers<float>(box, Owner::Point, "density", Storage::Float32, 1);
  houdini::toDetail(box, *inside.gdpNC());
  GU_Detail packed;
  for (int piece = 0; piece < 2; ++piece) GU_PackedGeometry::packGeometry(packed, inside);
  const int32 active[2] = {0, 1};
  const float v[6] = {1, 2, 3, 4, 5, 6}, density[2] = {7, 8}, orient[8] = {0, 0, 0, 1, 0, 0, 0, 1};
  const GA_Offset first = packed.pointOffset(0);
  const auto fill = [&](const char* name, int tuple, const auto* numbers, GA_Storage storage) {
    using T = std::decay_t<decltype(*numbers)>;
    GA_Attribute* a = packed.addTuple(storage, GA_ATTRIB_POINT, name, tuple);
    for (int c = 0; c < tuple; ++c) GA_RWHandleT<T>(a).setBlock(first, 2, numbers + c, tuple, c);
  };
  fill("active", 1, active, GA_STORE_INT32);
  fill("v", 3, v, GA_STORE_REAL32);
  fill("density", 1, density, GA_STORE_REAL32);
  fill("orient", 4, orient, GA_STORE_REAL32);
  Context context;
  const Geometry g = houdini::fromDetail(packed, context);
  ASSERT_EQ(g.pointCount(), 16u);
  EXPECT_EQ(g.findAttribute(Owner::Point, "active")->number(7), 0);
  EXPECT_EQ(g.findAttribute(Owner::Point, "active")->number(8), 1);
  EXPECT_EQ(g.findAttribute(Owner::Point, "v")->number(8, 2), 6);
  // Points that say it themselves are right, and what placed the piece is spent.
  EXPECT_EQ(g.findAttribute(Owner::Point, "density")->number(8), 0.5);
  EXPECT_EQ(g.findAttribute(Owner::Point, "orient"), nullptr);
}

TEST(Bridge, UnpacksFragmentsByName) {
  Geometry two = shapes::box();
  two.append(shapes::box({2, 0, 0}, {3, 1, 1}));
  shapes::setNames(two, [](size_t p) { return p < 6 ? "left" : "right"; });
  two.positionFileStorage = Storage::Float32;
  GU_DetailHandle inside;
  inside.allocateAndSet(new GU_Detail);
  houdini::toDetail(two, *inside.gdpNC());
  GU_Detail packed;
  GA_Attribute* names = packed.addStringTuple(GA_ATTRIB_POINT, "name", 1);
  for (const char* piece : {"right", "left"}) {
    GU_PrimPacked* fragment = GU_PackedGeometry::packGeometry(packed, inside);
    fragment->fragment = piece;
    fragment->position[1] = 10;
    GA_RWHandleS(names).set(packed.vertexPoint(packed.getPrimitiveList().getVertexList(fragment->offset)(0)),
                            UT_StringHolder(std::string("moved_") + piece));
  }
  Context context;
  const Geometry g = houdini::fromDetail(packed, context);
  ASSERT_EQ(g.primitiveCount(), 12u);
  EXPECT_EQ(g.pointCount(), 16u);
  const Attribute* piece = g.findAttribute(Owner::Primitive, "name");
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(piece->string(0), "moved_right");
  EXPECT_EQ(piece->string(6), "moved_left");
  EXPECT_EQ(g.findAttribute(Owner::Point, "name"), nullptr);
  EXPECT_NEAR(g.bounds().min.y(), 10, 1e-6);
  EXPECT_NEAR(massProperties(triangleMesh(g), context).volume, 2.0, 1e-6);
}

TEST(Bridge, PolygonsOfSoupsAreRead) {
  for (const GA_Size gap : {0, 7}) {
    GA_Detail::gap = gap;
    // Two triangles on four points that share two vertices, behind a triangle that is no soup.
    GU_Detail detail;
    const double z[7] = {0, 0, 0, 1, 1, 1, 1}, x[7] = {0, 1, 0, 0, 1, 1, 0};
    const GA_Offset first = detail.appendPointBlock(7);
    GA_RWHandleT<double>(detail.getP()).setBlock(first, 7, x, 1, 0);
    GA_RWHandleT<double>(detail.getP()).setBlock(first, 7, z, 1, 2);
    const std::pair<int, exint> types[] = {{GA_PRIMPOLY, 1}, {GA_PRIMPOLYSOUP, 1}};
    GA_PolyCounts sizes;
    sizes.append(3);
    sizes.append(4);
    const int corners[] = {0, 1, 2, 3, 4, 5, 6};
    const exint closed[] = {0, 2};
    const GA_Offset prims = GEObuildPrimitives(&detail, types, first, 7, sizes, corners, true, closed);
    static_cast<GEO_PrimPolySoup*>(detail.getGEOPrimitive(prims + 1))->polygons = {{0, 1, 2}, {0, 2, 3}};
    detail.newPrimitiveGroup("soup")->addOffset(prims + 1);
    const int32 weight[2] = {4, 5};
    GA_RWHandleT<int32>(detail.addTuple(GA_STORE_INT32, GA_ATTRIB_PRIMITIVE, "weight", 1))
        .setBlock(prims, 2, weight);
    GA_Detail::gap = 0;
    Context context;
    const Geometry g = houdini::fromDetail(detail, context);
    g.checkInvariants();
    EXPECT_TRUE(context.warnings().empty());
    ASSERT_EQ(g.primitiveCount(), 3u);
    const std::vector<int32_t> a(g.corners(1).begin(), g.corners(1).end()),
        b(g.corners(2).begin(), g.corners(2).end());
    EXPECT_EQ(a, (std::vector<int32_t>{3, 5, 4}));  // turned over
    EXPECT_EQ(b, (std::vector<int32_t>{3, 6, 5}));
    const Group* group = g.findGroup(Owner::Primitive, "soup");
    ASSERT_NE(group, nullptr);
    EXPECT_EQ(std::vector<uint8_t>(group->bits.begin(), group->bits.end()), (std::vector<uint8_t>{0, 1, 1}));
    EXPECT_EQ(g.findAttribute(Owner::Primitive, "weight")->number(0), 4);
    EXPECT_EQ(g.findAttribute(Owner::Primitive, "weight")->number(2), 5);
  }
}

TEST(Bridge, VolumesBecomeGrids) {
  GU_Detail detail;
  const GA_Offset point = detail.appendPointBlock(1);
  const std::pair<int, exint> type{GA_PRIMVOLUME, 1};
  GA_PolyCounts sizes;
  sizes.append(1);
  const int corner = 0;
  const exint open = 1;
  const GA_Offset prim = GEObuildPrimitives(&detail, &type, point, 1, sizes, &corner, true, &open);
  auto* volume = static_cast<GEO_PrimVolume*>(detail.getGEOPrimitive(prim));
  volume->sdf = true;
  volume->resolution[0] = 2, volume->resolution[1] = volume->resolution[2] = 1;
  volume->voxels = {-0.5f, 0.25f};
  GA_RWHandleS(detail.addStringTuple(GA_ATTRIB_PRIMITIVE, "name", 1)).set(prim, UT_StringHolder("surface"));
  Context context;
  const Geometry g = houdini::fromDetail(detail, context);
  EXPECT_TRUE(context.warnings().empty());
  ASSERT_EQ(g.countOf(PrimitiveType::Volume), 1u);
  EXPECT_EQ(g.volume(0)->name(), "surface");
  EXPECT_EQ(g.volume(0)->gridClass(), "level set");
  const auto& grid = static_cast<const openvdb::FloatGrid&>(vdbGrid(*g.volume(0)).grid());
  EXPECT_EQ(grid.getConstAccessor().getValue(openvdb::Coord(1, 0, 0)), 0.25f);
}

TEST(Bridge, SaysWhatItLeavesOut) {
  GU_Detail detail;
  houdini::toDetail(shapes::box(), detail);
  detail.addIntArray(GA_ATTRIB_POINT, "neighbours");
  const std::pair<int, exint> type{GA_PRIMSPHERE, 1};
  GA_PolyCounts sizes;
  sizes.append(1);
  const int corner = 0;
  const exint open = 1;
  GEObuildPrimitives(&detail, &type, GA_Offset(0), 8, sizes, &corner, true, &open);
  Context context;
  const Geometry g = houdini::fromDetail(detail, context);
  EXPECT_EQ(g.primitiveCount(), 6u);
  const std::string warnings = joined(context.warnings());
  EXPECT_NE(warnings.find("left out 1 primitives"), std::string::npos) << warnings;
  EXPECT_NE(warnings.find("neighbours"), std::string::npos) << warnings;
}

TEST(Bridge, CarriesData) {
  for (const size_t size : {0u, 1u, 3u, 4u, 4097u}) {
    std::vector<uint8_t> bytes(size);
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(37 * i + 11);
    GU_Detail detail;
    houdini::blobToDetail({"modes", bytes}, detail);
    const Blob back = houdini::blobFromDetail(detail);
    EXPECT_EQ(back.kind, "modes");
    EXPECT_EQ(std::vector<uint8_t>(back.bytes.begin(), back.bytes.end()), bytes);
  }
  GU_Detail empty;
  EXPECT_THROW(houdini::blobFromDetail(empty), Error);
}

TEST(Bridge, EveryWriteHasNewDataIds) {
  GU_Detail detail;
  houdini::toDetail(everything(), detail);
  for (const GA_AttributeOwner owner :
       {GA_ATTRIB_POINT, GA_ATTRIB_VERTEX, GA_ATTRIB_PRIMITIVE, GA_ATTRIB_GLOBAL})
    for (GA_AttributeDict::iterator it = detail.getAttributeDict(owner).begin(GA_SCOPE_PUBLIC); !it.atEnd();
         ++it)
      EXPECT_GT(it.attrib()->getDataId(), 1) << it.attrib()->getName().c_str();
}
