// Unpacking packed primitives.
#include "processor_time.h"
#include "shapes.h"

#include <hackle/core/error.h>
#include <hackle/geometry/fragment_index.h>
#include <hackle/geometry/geometry.h>
#include <hackle/io/file.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace hackle {
namespace {

double signedVolume(const Geometry& g) {
  double six = 0;
  for (size_t p = 0; p < g.primitiveCount(); ++p) {
    const Span<const int32_t> c = g.corners(p);
    const auto at = [&](size_t i) { return g.position(static_cast<size_t>(c[i])); };
    for (size_t i = 2; i < c.size(); ++i) six += at(0).dot(at(i - 1).cross(at(i)));
  }
  return six / 6;
}

/// `count` boxes along x with a primitive attribute `name`.
Geometry boxes(int count) {
  Geometry g;
  g.addPoints(static_cast<size_t>(8 * count));
  const Geometry one = shapes::box();
  std::vector<int32_t> corners, names;
  std::vector<std::string> table;
  for (int i = 0; i < count; ++i) {
    for (size_t p = 0; p < 8; ++p)
      g.editPositions()[static_cast<size_t>(8 * i) + p] = one.position(p) + Vec3(2 * i, 0, 0);
    for (const int32_t v : one.vertexPoints()) corners.push_back(v + 8 * i);
    names.insert(names.end(), 6, i);
    table.push_back(fmt::format("piece{}", i));
  }
  g.addPrimitives(PrimitiveType::Polygon, static_cast<size_t>(6 * count), 4, corners);
  g.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1)).assignStrings({table, names});
  return g;
}

PackedPrimitive fragment(const std::shared_ptr<const Geometry>& source, int i) {
  PackedPrimitive packed;
  packed.kind = PackedPrimitive::Kind::Fragment;
  packed.source = source;
  packed.fragmentAttribute = "name";
  packed.fragmentName = fmt::format("piece{}", i);
  return packed;
}

TEST(Unpack, FragmentsBecomeTheirSource) {
  const auto source = std::make_shared<Geometry>(boxes(5));
  Geometry packed;
  for (int i = 0; i < 5; ++i) packed.addPacked(fragment(source, i), Vec3(0, 0, 0));
  const Geometry g = unpacked(packed);
  g.checkInvariants();
  ASSERT_EQ(g.pointCount(), source->pointCount());
  ASSERT_EQ(g.primitiveCount(), source->primitiveCount());
  EXPECT_DOUBLE_EQ(signedVolume(g), 5);
  for (size_t p = 0; p < g.primitiveCount(); ++p)
    EXPECT_EQ(g.findAttribute(Owner::Primitive, "name")->string(p), fmt::format("piece{}", p / 6));
}

TEST(Unpack, MovesAboutThePivot) {
  PackedPrimitive packed;
  packed.source = std::make_shared<Geometry>(shapes::box());
  packed.pivot = Vec3(0.5, 0.5, 0.5);
  packed.transform << 0, 1, 0, -1, 0, 0, 0, 0, 2;  // a quarter turn about z and twice the height; row vectors
  Geometry g;
  g.addPacked(packed, Vec3(10, 20, 30));
  const Geometry flat = unpacked(g);
  for (size_t p = 0; p < 8; ++p) {
    const Vec3 d = packed.source->position(p) - packed.pivot;
    EXPECT_TRUE(flat.position(p).isApprox(Vec3(-d.y() + 10, d.x() + 20, 2 * d.z() + 30)));
  }
  EXPECT_NEAR(signedVolume(flat), 2, 1e-12);
}

TEST(Unpack, MirroredContentsStayOutsideOut) {
  PackedPrimitive packed;
  auto source = std::make_shared<Geometry>(shapes::box());
  Attribute& normals =
      source->addAttribute(Owner::Primitive, Attribute("N", Storage::Float32, 3, 0, "normal"));
  for (size_t p = 0; p < 6; ++p) normals.setNumber(p, 0, 1);
  packed.source = source;
  packed.transform = Vec3(-1, 1, 1).asDiagonal();
  Geometry g;
  g.addPacked(packed, Vec3(0, 0, 0));
  const Geometry flat = unpacked(g);
  EXPECT_NEAR(signedVolume(flat), 1, 1e-12);
  EXPECT_EQ(flat.findAttribute(Owner::Primitive, "N")->number(3, 0), -1);
}

TEST(Unpack, NestedTransformsAddUp) {
  PackedPrimitive inner;
  inner.source = std::make_shared<Geometry>(shapes::box());
  inner.transform *= 2;
  auto middle = std::make_shared<Geometry>();
  middle->addPacked(inner, Vec3(1, 0, 0));
  middle->addPacked(inner, Vec3(5, 0, 0));
  PackedPrimitive outer;
  outer.source = middle;
  outer.transform *= 3;
  Geometry g;
  g.addPacked(outer, Vec3(0, 0, 7));
  const Geometry flat = unpacked(g);
  EXPECT_EQ(flat.primitiveCount(), 12u);
  EXPECT_NEAR(signedVolume(flat), 2 * 216, 1e-9);
  EXPECT_TRUE(flat.bounds().min.isApprox(Vec3(3, 0, 7)));
  EXPECT_TRUE(flat.bounds().max.isApprox(Vec3(21, 6, 13)));
}

TEST(Unpack, KeepsPlainPrimitivesAndLoosePoints) {
  Geometry g = shapes::box();
  g.addPoint(Vec3(9, 9, 9));
  PackedPrimitive packed;
  packed.source = std::make_shared<Geometry>(shapes::box());
  g.addPacked(packed, Vec3(5, 5, 5));
  g.addPacked(packed, int32_t(0));  // on a corner of the box, which stays
  Attribute& id = g.addAttribute(Owner::Point, Attribute("id", Storage::Int32, 1));
  for (size_t p = 0; p < g.pointCount(); ++p) id.setNumber(p, 0, static_cast<double>(p) + 1);
  const Geometry flat = unpacked(g);
  flat.checkInvariants();
  EXPECT_EQ(flat.primitiveCount(), 18u);
  ASSERT_EQ(flat.pointCount(), 9u + 16u);  // not the point that only held a packed primitive
  EXPECT_EQ(flat.position(8), Vec3(9, 9, 9));
  for (size_t p = 0; p < 9; ++p)
    EXPECT_EQ(flat.findAttribute(Owner::Point, "id")->number(p), static_cast<double>(p) + 1);
  // What the point said that held the primitive goes to the points of its content.
  EXPECT_EQ(flat.findAttribute(Owner::Point, "id")->number(9), 10);
  EXPECT_EQ(flat.findAttribute(Owner::Point, "id")->number(17), 1);
}

TEST(Unpack, WhatPlacedAPieceIsDropped) {
  Geometry box = shapes::box();
  box.addAttribute(Owner::Point, Attribute("density", Storage::Float32, 1)).edit<float>().assign(8, 5.0f);
  PackedPrimitive packed;
  packed.source = std::make_shared<Geometry>(box);
  Geometry g;
  g.addPacked(packed, Vec3(0, 0, 0));
  g.addAttribute(Owner::Point, Attribute("density", Storage::Float32, 1)).setNumber(0, 0, 9);
  g.addAttribute(Owner::Point, Attribute("orient", Storage::Float32, 4));
  g.addAttribute(Owner::Point, Attribute("name", Storage::String, 1)).setString(0, "vase");
  const Geometry flat = unpacked(g);
  EXPECT_EQ(flat.findAttribute(Owner::Point, "orient"), nullptr);
  EXPECT_EQ(flat.findAttribute(Owner::Point, "name"), nullptr);
  EXPECT_EQ(flat.findAttribute(Owner::Primitive, "name")->string(5), "vase");
  // Points that have their own value keep it.
  EXPECT_EQ(flat.findAttribute(Owner::Point, "density")->number(7), 5);
}

TEST(Unpack, PointNamesBecomePrimitiveNames) {
  const auto source = std::make_shared<Geometry>(boxes(2));
  Geometry g;
  for (int i = 0; i < 2; ++i) g.addPacked(fragment(source, i), Vec3(0, 0, 0));
  g.addAttribute(Owner::Point, Attribute("name", Storage::String, 1)).setString(1, "renamed");
  const Geometry flat = unpacked(g);
  EXPECT_EQ(flat.findAttribute(Owner::Primitive, "name")->string(0), "piece0");
  EXPECT_EQ(flat.findAttribute(Owner::Primitive, "name")->string(6), "renamed");
}

TEST(Unpack, FilesOnDiskAreRefused) {
  PackedPrimitive disk;
  disk.kind = PackedPrimitive::Kind::Disk;
  disk.fileName = "elsewhere.bgeo";
  Geometry g;
  g.addPacked(disk, Vec3(0, 0, 0));
  EXPECT_THROW(unpacked(g), Error);
}

/// Quadratic code takes minutes here.
TEST(Unpack, WorkGrowsWithTheFragmentsOnly) {
  const auto fragments = [](int count) {
    const auto source = std::make_shared<Geometry>(boxes(count));
    Geometry packed;
    for (int i = 0; i < count; ++i) packed.addPacked(fragment(source, i), Vec3(0, 0, 0));
    return packed;
  };
  const Geometry few = fragments(2500), many = fragments(20000);
  EXPECT_EQ(unpacked(many).primitiveCount(), 6u * 20000);
  // 8 times as many; to look through the source for each would be 64 times the work.
  EXPECT_LT(test::timesTheWork([&] { unpacked(few); }, [&] { unpacked(many); }), 30);
}

TEST(FragmentIndex, FindsByPrimitiveElseByPoint) {
  Geometry g = boxes(3);
  const std::vector<int32_t> second{6, 7, 8, 9, 10, 11};
  const FragmentIndex byPrimitive(g, "name");
  const Span<const int32_t> members = byPrimitive.members("piece1");
  EXPECT_EQ(std::vector<int32_t>(members.begin(), members.end()), second);
  EXPECT_TRUE(byPrimitive.members("piece9").empty());
  EXPECT_TRUE(FragmentIndex(g, "other").members("piece1").empty());
  Attribute& points = g.addAttribute(Owner::Point, Attribute("part", Storage::String, 1));
  for (size_t p = 8; p < 16; ++p) points.setString(p, "x");
  const FragmentIndex byPoint(g, "part");
  EXPECT_EQ(byPoint.members("x").size(), 6u);
  EXPECT_EQ(byPoint.members("").size(), 12u);
}

// Real files ----------------------------------------------------------------------------------------------

const std::filesystem::path kFolder = std::filesystem::path(HACKLE_TEST_DATA) / "bgeo";

TEST(Unpack, BulletCacheOfHoudini) {
  const auto path = kFolder / "labs_H18.5_rbd_packedfragments_bullet.bgeo.sc";
  if (!std::filesystem::exists(path)) GTEST_SKIP();
  Context context;
  const Geometry packed = readGeometry(path, context);
  const Geometry g = unpacked(packed);
  g.checkInvariants();
  EXPECT_EQ(g.pointCount(), packed.packed(0).source->pointCount());
  EXPECT_EQ(g.primitiveCount(), packed.packed(0).source->primitiveCount());
  // Rigid motions keep the volume of the sphere that was broken.
  EXPECT_NEAR(signedVolume(g), signedVolume(*packed.packed(0).source), 1e-4);
  EXPECT_GT(signedVolume(g), 3.5);
  std::set<std::string> names;
  for (size_t p = 0; p < g.primitiveCount(); ++p)
    names.insert(g.findAttribute(Owner::Primitive, "name")->string(p));
  EXPECT_EQ(names.size(), 30u);
  EXPECT_GT(g.findGroup(Owner::Primitive, "inside")->count(), 0u);
}

TEST(Unpack, OtherFilesOfHoudini) {
  if (!std::filesystem::exists(kFolder / "laika_pack_fragments2_16_5.geo")) GTEST_SKIP();
  Context context;
  const Geometry two = readGeometry(kFolder / "laika_pack_fragments2_16_5.geo", context);
  const Geometry g = unpacked(two);
  EXPECT_EQ(g.primitiveCount(), 10u);
  EXPECT_EQ(g.pointCount(), 20u);
  EXPECT_NEAR(signedVolume(g), signedVolume(*two.packed(0).source), 1e-9);
  // Spheres inside two levels are not carried: nothing is left, but nothing fails.
  const Geometry nested = readGeometry(kFolder / "laika_pack_level2_16_5.geo", context);
  EXPECT_EQ(unpacked(nested).primitiveCount(), 0u);
  const Geometry plain = readGeometry(kFolder / "laika_H16_fragment_crash.bgeo", context);
  EXPECT_EQ(unpacked(plain).primitiveCount(), 82u);
  const Geometry mixed = readGeometry(kFolder / "labs_H18.5_polys_packedgeometry.bgeo.sc", context);
  const Geometry flat = unpacked(mixed);
  flat.checkInvariants();
  EXPECT_GT(flat.primitiveCount(), mixed.primitiveCount());
}

}  // namespace
}  // namespace hackle
