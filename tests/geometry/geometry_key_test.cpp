// Every part of a geometry counts in its key.
#include <gtest/gtest.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/geometry/triangle_mesh.h>
#include <shapes.h>

#include <functional>

namespace hackle {
namespace {

MemoKey keyOf(const Geometry& g) {
  MemoKey key("geometry");
  addToKey(key, g);
  return key;
}

Geometry sample() {
  Geometry g = shapes::box();
  shapes::setNames(g, [](size_t p) { return "piece" + std::to_string(p / 2); });
  g.addAttribute(Owner::Point, Attribute("w", Storage::Float32, 2));
  g.addAttribute(Owner::Detail, Attribute("frame", Storage::Int64, 1));
  g.addGroup(Owner::Primitive, "top");
  g.addEdgeGroup("seam").edges.edit().push_back({0, 1});
  PackedPrimitive packed;
  packed.source = std::make_shared<const Geometry>(shapes::box());
  g.addPacked(packed, Vec3(1, 2, 3));
  return g;
}

TEST(GeometryKey, EqualContentHasEqualKeys) {
  EXPECT_TRUE(keyOf(sample()) == keyOf(sample()));
  EXPECT_TRUE(keyOf(Geometry()) == keyOf(Geometry()));
}

TEST(GeometryKey, AnyChangeShows) {
  const std::vector<std::function<void(Geometry&)>> changes{
      [](Geometry& g) { g.editPositions()[3].y() += 1e-15; },
      [](Geometry& g) { g.positionFileStorage = Storage::Float32; },
      [](Geometry& g) {
        g.addPoint({0, 0, 0});
      },
      [](Geometry& g) { g.flipWinding(); },
      [](Geometry& g) {
        g.addPolygon({0, 1, 2});
      },
      [](Geometry& g) { g.findAttribute(Owner::Point, "w")->edit<float>()[5] = 1; },
      [](Geometry& g) { g.findAttribute(Owner::Point, "w")->rename("v"); },
      [](Geometry& g) { g.findAttribute(Owner::Point, "w")->qualifier = "texturecoord"; },
      [](Geometry& g) { g.findAttribute(Owner::Primitive, "name")->setString(1, "piece7"); },
      [](Geometry& g) { g.findAttribute(Owner::Detail, "frame")->edit<int64_t>()[0] = 1; },
      [](Geometry& g) { g.removeAttribute(Owner::Detail, "frame"); },
      [](Geometry& g) { g.findGroup(Owner::Primitive, "top")->bits.edit()[2] = 1; },
      [](Geometry& g) { g.findGroup(Owner::Primitive, "top")->order.edit().push_back(2); },
      [](Geometry& g) { g.addGroup(Owner::Point, "top"); },
      [](Geometry& g) {
        g.addEdgeGroup("seam").edges.edit().push_back({1, 2});
      },
      [](Geometry& g) {
        PackedPrimitive packed = g.packed(6);
        packed.pivot.x() = 1;
        g.setPacked(6, packed);
      },
      [](Geometry& g) {
        PackedPrimitive packed = g.packed(6);
        packed.source = std::make_shared<const Geometry>(shapes::sphere(4));
        g.setPacked(6, packed);
      }};
  std::vector<MemoKey> keys{keyOf(sample())};
  for (const auto& change : changes) {
    Geometry g = sample();
    change(g);
    keys.push_back(keyOf(g));
  }
  for (size_t i = 0; i < keys.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_FALSE(keys[i] == keys[j]) << i << " " << j;
}

TEST(GeometryKey, AMeshIsItsShape) {
  const auto key = [](const Geometry& g) {
    MemoKey k("mesh");
    addToKey(k, triangleMesh(g));
    return k;
  };
  Geometry painted = shapes::box();
  painted.addAttribute(Owner::Point, Attribute("Cd", Storage::Float32, 3));
  EXPECT_TRUE(key(painted) == key(shapes::box()));
  EXPECT_FALSE(key(painted) == key(shapes::sphere(4)));
  EXPECT_GT(bytesOf(painted), bytesOf(shapes::box()));
}

}  // namespace
}  // namespace hackle
