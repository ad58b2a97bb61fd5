// Packed primitives as bodies of a host, and the fragments that replace them.
#include <hackle/coupling/hosted_packed.h>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "../shapes.h"

namespace hackle {
namespace {

/// Two packed boxes, the second turned and stretched, and a polygon between them; twenty units to a metre.
Geometry packedBoxes() {
  Geometry g;
  PackedPrimitive box;
  box.source = std::make_shared<const Geometry>(shapes::box({-1, 0, 0}, {1, 2, 3}));
  box.pivot = Vec3(0.25, 1, 1);
  g.addPacked(box, Vec3(5, 0, 0));
  const std::vector<int32_t> corners{static_cast<int32_t>(g.addPoint(Vec3(0, 0, 0))),
                                     static_cast<int32_t>(g.addPoint(Vec3(1, 0, 0))),
                                     static_cast<int32_t>(g.addPoint(Vec3(0, 1, 0)))};
  g.addPrimitive(PrimitiveType::Polygon, corners);
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  box.transform = (turn * Vec3(1, 2, 3).asDiagonal()).transpose();
  g.addPacked(box, Vec3(-8, 4, 2));
  Attribute& names = g.addAttribute(Owner::Point, Attribute("name", Storage::String, 1));
  names.setString(0, "plain"), names.setString(4, "turned");
  return g;
}

}  // namespace

TEST(HostedPacked, BodiesAreWhereThePrimitivesAre) {
  const Geometry g = packedBoxes();
  const HostedGeometry hosted = hostedGeometry(g, 20);
  ASSERT_EQ(hosted.pieces.size(), 2u);
  EXPECT_EQ(hosted.pieces[1].body.name, "turned");
  EXPECT_EQ(hosted.pieces[1].primitiveNumber, 2);
  EXPECT_EQ(hosted.pieces[1].pointNumber, 4);
  Context context;
  const Geometry world = unpacked(g);
  for (size_t i = 0; i < 2; ++i) {
    const HostedBody& body = hosted.pieces[i].body;
    const Geometry shape = body.shape(context);
    EXPECT_NEAR(body.rotation.determinant(), 1, 1e-12);
    ASSERT_EQ(shape.pointCount(), 8u);
    for (size_t p = 0; p < 8; ++p) {
      const Vec3 expected = world.position(3 + 8 * i + p) / 20;  // the triangle comes first
      EXPECT_LT((body.rotation * shape.position(p) + body.offset - expected).norm(), 1e-12);
    }
  }
}

TEST(HostedPacked, PartsOfOneDetailAreBodies) {
  // As the Assemble node packs pieces: all share a detail, each names its part of it.
  Geometry both = shapes::box();
  both.append(shapes::box({3, 0, 0}, {4, 2, 1}));
  shapes::setNames(both, [](size_t p) { return p < 6 ? "a" : "b"; });
  PackedPrimitive packed;
  packed.kind = PackedPrimitive::Kind::Fragment;
  packed.source = std::make_shared<const Geometry>(both);
  packed.fragmentAttribute = "name";
  Geometry g;
  for (const char* name : {"a", "b"}) {
    packed.fragmentName = name;
    g.addPacked(packed, Vec3::Zero());
  }
  const HostedGeometry hosted = hostedGeometry(g, 1);
  Context context;
  const Geometry second = hosted.pieces[1].body.shape(context);
  ASSERT_EQ(second.pointCount(), 8u);
  EXPECT_EQ(second.bounds().max, Vec3(4, 2, 1));
}

TEST(HostedPacked, FragmentsReplaceThePrimitiveAndItsPoint) {
  const Geometry g = packedBoxes();
  const HostedGeometry hosted = hostedGeometry(g, 20);
  std::vector<HostedBreak> breaks(1);
  breaks[0].body = 0;
  for (int i = 0; i < 2; ++i) {
    Fragment half;
    half.name = "plain-" + std::to_string(i);
    half.geometry = shapes::box({0, 0, 0}, {0.05, 0.1, 0.15});
    half.mass.centre = Vec3(0.025, 0.05, 0.075);
    half.motion.position = Vec3(i, 2, 0);
    half.motion.rotation = Eigen::AngleAxisd(0.3 * i, Vec3::UnitZ()).toRotationMatrix();
    breaks[0].pieces.fragments.push_back(half);
  }
  const Geometry points = fragmentPoints(hosted.points, hosted.pieces, breaks, 1, 20);
  const Geometry after = replacedPieces(g, hosted, breaks, points, 20);
  after.checkInvariants();
  // The triangle and the turned box stay in their order, the fragments are last.
  ASSERT_EQ(after.primitiveCount(), 4u);
  EXPECT_EQ(after.primitiveType(0), PrimitiveType::Polygon);
  const Attribute& names = *after.findAttribute(Owner::Point, "name");
  EXPECT_EQ(names.string(static_cast<size_t>(after.corners(1)[0])), "turned");
  EXPECT_EQ(names.string(static_cast<size_t>(after.corners(3)[0])), "plain-1");
  ASSERT_EQ(after.pointCount(), 6u);
  // The places of the fragment's corners: turned about its centre, which is at its position.
  const Geometry world = unpacked(after);
  const Fragment& second = breaks[0].pieces.fragments[1];
  for (size_t p = 0; p < 8; ++p) {
    const Vec3 local = second.geometry.position(p) - second.mass.centre;
    const Vec3 expected = 20 * (second.motion.rotation * local + second.motion.position);
    EXPECT_LT((world.position(world.pointCount() - 8 + p) - expected).norm(), 1e-9);
  }
}

}  // namespace hackle
