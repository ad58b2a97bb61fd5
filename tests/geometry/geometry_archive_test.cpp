#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/geometry/geometry_archive.h>

namespace hackle {
namespace {

Geometry painted() {
  Geometry g = shapes::sphere(6);
  Attribute& cd = g.addAttribute(Owner::Point, Attribute("Cd", Storage::Float32, 3, 0, "color"));
  cd.defaults = {1.0};
  for (size_t p = 0; p < g.pointCount(); ++p) cd.setNumber(p, 1, static_cast<double>(p) / 7);
  g.addAttribute(Owner::Vertex, Attribute("uv", Storage::Float64, 3)).setNumber(3, 0, 1.0 / 3);
  g.addAttribute(Owner::Primitive, Attribute("id", Storage::Int64, 1)).setNumber(2, 0, 1e12);
  g.addAttribute(Owner::Detail, Attribute("made", Storage::String, 1)).setString(0, "by hand");
  shapes::setNames(g, [](size_t p) { return p % 2 ? "odd" : "even"; });
  g.addGroup(Owner::Primitive, "inside").bits.edit()[4] = 1;
  g.positionFileStorage = Storage::Float32;
  return g;
}

TEST(GeometryArchive, GivesBackEverything) {
  const Geometry g = painted();
  ArchiveWriter writer("test", 1);
  addGeometry(writer, "g.", g);
  const std::string bytes = writer.finish();
  const Geometry back = readGeometry(ArchiveReader(bytes, "test", 1), "g.");
  back.checkInvariants();
  ASSERT_EQ(back.pointCount(), g.pointCount());
  for (size_t p = 0; p < g.pointCount(); ++p) EXPECT_EQ(back.position(p), g.position(p));
  EXPECT_TRUE(std::equal(g.vertexPoints().begin(), g.vertexPoints().end(), back.vertexPoints().begin()));
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail}) {
    ASSERT_EQ(back.attributes(owner).size(), g.attributes(owner).size());
    for (const Attribute& a : g.attributes(owner)) {
      EXPECT_EQ(a, *back.findAttribute(owner, a.name()));
      EXPECT_EQ(a.qualifier, back.findAttribute(owner, a.name())->qualifier);
      EXPECT_EQ(a.defaults, back.findAttribute(owner, a.name())->defaults);
    }
  }
  EXPECT_EQ(back.findGroup(Owner::Primitive, "inside")->count(), 1u);
  EXPECT_EQ(back.positionFileStorage, Storage::Float32);
}

TEST(GeometryArchive, FingerprintsAreOfTheSurface) {
  const Geometry g = painted();
  Geometry rounded = shapes::sphere(6);
  EXPECT_EQ(geometryFingerprint(g), geometryFingerprint(rounded));  // attributes do not count
  for (Vec3& p : rounded.editPositions())
    for (int c = 0; c < 3; ++c) p[c] = static_cast<double>(static_cast<float>(p[c]));
  EXPECT_EQ(geometryFingerprint(g), geometryFingerprint(rounded));
  rounded.editPositions()[5].x() += 0.01;
  EXPECT_NE(geometryFingerprint(g), geometryFingerprint(rounded));
  Geometry turned = painted();
  turned.flipWinding();
  EXPECT_NE(geometryFingerprint(g), geometryFingerprint(turned));
}

}  // namespace
}  // namespace hackle
