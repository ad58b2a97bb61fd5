// Attributes carried from one surface to another near it.
#include <hackle/meshing/surface/attribute_transfer.h>

#include "shapes.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hackle {
namespace {

/// A fine and a coarse mesh of one sphere.
struct Spheres {
  Geometry source = shapes::sphere(40), target = shapes::sphere(13);
};

Vec3 middleOf(const Geometry& geometry, size_t primitive) {
  Vec3 sum = Vec3::Zero();
  for (const int32_t c : geometry.corners(primitive)) sum += geometry.position(static_cast<size_t>(c));
  return sum / static_cast<double>(geometry.vertexCount(primitive));
}

TEST(AttributeTransfer, InterpolatesPointsAndCopiesPrimitives) {
  Spheres s;
  Attribute height("height", Storage::Float64, 1, s.source.pointCount());
  Attribute side("side", Storage::String, 1, s.source.primitiveCount());
  Group& front = s.source.addGroup(Owner::Primitive, "front");
  for (size_t p = 0; p < s.source.pointCount(); ++p) height.setNumber(p, 0, s.source.position(p).y());
  for (size_t p = 0; p < s.source.primitiveCount(); ++p) {
    const Vec3 middle = middleOf(s.source, p);
    side.setString(p, middle.x() > 0 ? "right" : "left");
    front.bits.edit()[p] = middle.z() > 0 ? 1 : 0;
  }
  s.source.addAttribute(Owner::Point, height);
  s.source.addAttribute(Owner::Primitive, side);
  s.source.addAttribute(Owner::Point, Attribute("N", Storage::Float32, 3, 0, "normal"));
  Context context;
  transferAttributes(s.source, s.target, context);
  s.target.checkInvariants();

  for (size_t p = 0; p < s.target.pointCount(); ++p)
    EXPECT_NEAR(s.target.findAttribute(Owner::Point, "height")->number(p), s.target.position(p).y(), 0.01);
  for (size_t p = 0; p < s.target.primitiveCount(); ++p) {
    const Vec3 middle = middleOf(s.target, p);
    if (std::abs(middle.x()) > 0.1) {
      EXPECT_EQ(s.target.findAttribute(Owner::Primitive, "side")->string(p),
                middle.x() > 0 ? "right" : "left");
    }
    if (std::abs(middle.z()) > 0.1) {
      EXPECT_EQ(s.target.findGroup(Owner::Primitive, "front")->bits[p] != 0, middle.z() > 0);
    }
  }
  EXPECT_EQ(s.target.findAttribute(Owner::Point, "N"), nullptr);
}

TEST(AttributeTransfer, KeepsFacesOnOneSideOfSeams) {
  // Longitude as texture: from 0 to 1 around, with a seam where 1 meets 0.
  Spheres s;
  Attribute uv("uv", Storage::Float32, 3, s.source.vertexCount());
  const auto longitude = [](const Vec3& p) {
    const double turn = std::atan2(p.z(), p.x()) / (2 * shapes::kPi);
    return turn < 0 ? turn + 1 : turn;
  };
  for (size_t p = 0; p < s.source.primitiveCount(); ++p) {
    const double middle = longitude(middleOf(s.source, p));
    for (size_t v = s.source.firstVertex(p); v < s.source.firstVertex(p + 1); ++v) {
      double u = longitude(s.source.position(static_cast<size_t>(s.source.vertexPoint(v))));
      if (u < middle - 0.5) u += 1;
      if (u > middle + 0.5) u -= 1;
      uv.setNumber(v, 0, u);
    }
  }
  s.source.addAttribute(Owner::Vertex, uv);
  Context context;
  transferAttributes(s.source, s.target, context);
  const Attribute& result = *s.target.findAttribute(Owner::Vertex, "uv");
  for (size_t p = 0; p < s.target.primitiveCount(); ++p) {
    if (std::abs(middleOf(s.target, p).y()) > 0.8) continue;  // longitude means little at the poles
    double low = 2, high = -1;
    for (size_t v = s.target.firstVertex(p); v < s.target.firstVertex(p + 1); ++v) {
      low = std::min(low, result.number(v));
      high = std::max(high, result.number(v));
    }
    EXPECT_LT(high - low, 0.1);
  }
}

}  // namespace
}  // namespace hackle
