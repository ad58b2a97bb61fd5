#include <hackle/geometry/transform.h>

#include <hackle/geometry/normals.h>
#include <shapes.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

/// A volume that only knows how it was moved.
struct MovedGrid : VolumeGrid {
  Mat3 linear = Mat3::Identity();
  Vec3 offset = Vec3::Zero();
  std::string name() const override { return "density"; }
  std::string valueType() const override { return "float"; }
  std::string gridClass() const override { return "fog volume"; }
  uint64_t activeVoxelCount() const override { return 0; }
  Box3 bounds() const override { return {}; }
  Vec3 voxelSize() const override { return {1, 1, 1}; }
  std::shared_ptr<const VolumeGrid> transformed(const Mat3& l, const Vec3& o) const override {
    auto moved = std::make_shared<MovedGrid>();
    moved->linear = l * linear;
    moved->offset = l * offset + o;
    return moved;
  }
};

Vec3 tuple(const Attribute& a, size_t e) { return {a.number(e, 0), a.number(e, 1), a.number(e, 2)}; }

Attribute constant(const std::string& name, const std::string& qualifier, std::vector<double> value) {
  Attribute a(name, Storage::Float64, static_cast<int>(value.size()), 0, qualifier);
  a.defaults = std::move(value);
  return a;
}

TEST(TransformGeometry, MovesAttributesByWhatTheyAre) {
  Geometry g = shapes::box();
  g.addAttribute(Owner::Point, constant("rest", "point", {1, 2, 3}));
  g.addAttribute(Owner::Vertex, constant("v", "", {1, 2, 3}));
  g.addAttribute(Owner::Primitive, constant("pull", "vector", {1, 2, 3}));
  g.addAttribute(Owner::Detail, constant("N", "", {0, 0, 2}));
  g.addAttribute(Owner::Point, constant("Cd", "color", {1, 2, 3}));
  g.addAttribute(Owner::Point, constant("orient", "", {0, 0, 0, 1}));
  Mat3 m;
  m << 2, 0.5, 0, 0, 1, 0, 0.3, 0, 3;
  const Vec3 offset(7, 8, 9);
  Context context;
  transformGeometry(g, m, offset, context);
  const Vec3 v(1, 2, 3);
  EXPECT_LT((tuple(*g.findAttribute(Owner::Point, "rest"), 0) - (m * v + offset)).norm(), 1e-14);
  EXPECT_LT((tuple(*g.findAttribute(Owner::Vertex, "v"), 5) - m * v).norm(), 1e-14);
  EXPECT_LT((tuple(*g.findAttribute(Owner::Primitive, "pull"), 5) - m * v).norm(), 1e-14);
  EXPECT_EQ(tuple(*g.findAttribute(Owner::Point, "Cd"), 0), v);
  const Vec3 n = tuple(*g.findAttribute(Owner::Detail, "N"), 0);
  EXPECT_NEAR(n.norm(), 2.0, 1e-14);
  EXPECT_NEAR(n.dot(m * Vec3(1, 0, 0)), 0.0, 1e-14);  // stays perpendicular to what it was perpendicular to
  EXPECT_NEAR(n.dot(m * Vec3(0, 1, 0)), 0.0, 1e-14);
  const Attribute& orient = *g.findAttribute(Owner::Point, "orient");
  const Eigen::Quaterniond q(orient.number(0, 3), orient.number(0, 0), orient.number(0, 1),
                             orient.number(0, 2));
  EXPECT_LT((q.toRotationMatrix() - rotationOf(m)).norm(), 1e-12);
}

TEST(TransformGeometry, MirrorsKeepOutsideOutside) {
  Geometry g = shapes::torus(12, 8);
  Context context;
  Attribute n("N", Storage::Float64, 3, 0, "normal");
  std::vector<double> values;
  for (const Vec3& v : vertexNormals(g, 180, context)) values.insert(values.end(), v.data(), v.data() + 3);
  n.assign(CowArray<double>(values));
  g.addAttribute(Owner::Vertex, n);
  Mat3 m = Vec3(-1, 2, 1).asDiagonal();
  m = shapes::randomRotation(3) * m;
  transformGeometry(g, m, {0, 0, 0}, context);
  const std::vector<Vec3> faces = faceNormals(g, context);
  for (size_t p = 0; p < g.primitiveCount(); ++p)
    for (size_t v = g.firstVertex(p); v < g.firstVertex(p + 1); ++v)
      EXPECT_GT(tuple(*g.findAttribute(Owner::Vertex, "N"), v).dot(faces[p]), 0.5);
}

TEST(TransformGeometry, UndoneIsIdentity) {
  const Geometry before = shapes::torus(20, 10);
  const Mat3 m = shapes::randomRotation(1) * Vec3(2, -3, 0.5).asDiagonal();
  const Vec3 offset(1, 2, 3);
  Geometry g = before;
  Context context;
  transformGeometry(g, m, offset, context);
  transformGeometry(g, m.inverse(), -(m.inverse() * offset), context);
  for (size_t p = 0; p < g.pointCount(); ++p) EXPECT_LT((g.position(p) - before.position(p)).norm(), 1e-14);
  EXPECT_TRUE(std::equal(g.vertexPoints().begin(), g.vertexPoints().end(), before.vertexPoints().begin()));
}

TEST(TransformGeometry, PackedAndUnpackedGoTheSameWay) {
  Geometry g;
  PackedPrimitive packed;
  packed.source = std::make_shared<Geometry>(shapes::sphere(4));
  packed.transform = shapes::randomRotation(2) * Vec3(1, 2, 3).asDiagonal();
  packed.pivot = {0.1, 0.2, 0.3};
  g.addPacked(packed, {4, 5, 6});
  Geometry plain = unpacked(g);
  const Mat3 m = shapes::randomRotation(5) * Vec3(-1, 2, 1).asDiagonal();
  Context context;
  transformGeometry(g, m, {7, 8, 9}, context);
  EXPECT_EQ(g.packed(0).source, packed.source);
  transformGeometry(plain, m, {7, 8, 9}, context);
  const Geometry opened = unpacked(g);
  ASSERT_EQ(opened.pointCount(), plain.pointCount());
  for (size_t p = 0; p < plain.pointCount(); ++p)
    EXPECT_LT((opened.position(p) - plain.position(p)).norm(), 1e-13);
  EXPECT_TRUE(
      std::equal(opened.vertexPoints().begin(), opened.vertexPoints().end(), plain.vertexPoints().begin()));
}

TEST(TransformGeometry, MovesVolumes) {
  Geometry g;
  g.addVolume(std::make_shared<MovedGrid>());
  const Mat3 m = 2 * Mat3::Identity();
  Context context;
  transformGeometry(g, m, {1, 0, 0}, context);
  transformGeometry(g, m, {1, 0, 0}, context);
  const auto& moved = dynamic_cast<const MovedGrid&>(*g.volume(0));
  EXPECT_EQ(moved.linear, Mat3(4 * Mat3::Identity()));
  EXPECT_EQ(moved.offset, Vec3(3, 0, 0));
}

TEST(Rotation, OrderIsXThenYThenZAndQuartersAreExact) {
  EXPECT_EQ(rotationFromDegrees({90, 0, 0}) * Vec3(0, 1, 0), Vec3(0, 0, 1));
  EXPECT_EQ(rotationFromDegrees({0, 90, 0}) * Vec3(0, 0, 1), Vec3(1, 0, 0));
  EXPECT_EQ(rotationFromDegrees({0, 0, -270}) * Vec3(1, 0, 0), Vec3(0, 1, 0));
  EXPECT_EQ(rotationFromDegrees({90, 90, 0}) * Vec3(0, 1, 0), Vec3(1, 0, 0));
  const Vec3 angles(10, 20, 30);
  const auto turn = [](double degrees, const Vec3& axis) {
    return Eigen::AngleAxisd(degrees * shapes::kPi / 180, axis).toRotationMatrix();
  };
  const Mat3 expected = turn(30, Vec3::UnitZ()) * turn(20, Vec3::UnitY()) * turn(10, Vec3::UnitX());
  EXPECT_LT((rotationFromDegrees(angles) - expected).norm(), 1e-15);
}

TEST(Rotation, OfAMapIsItsPolarPart) {
  const Mat3 r = shapes::randomRotation(8);
  Mat3 stretch;
  stretch << 2, 0.3, 0.1, 0.3, 1, 0.2, 0.1, 0.2, 3;
  EXPECT_LT((rotationOf(r * stretch) - r).norm(), 1e-13);
  EXPECT_LT((rotationOf(-r * stretch) - r).norm(), 1e-13);
  EXPECT_NEAR(rotationOf(Mat3::Zero()).determinant(), 1.0, 1e-13);
}

}  // namespace
}  // namespace hackle
