#include <hackle/geometry/geometry.h>

#include <shapes.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

/// A box with something of everything: attributes of all types on all owners, groups of all kinds.
Geometry richBox(double offset = 0.0) {
  Geometry g = shapes::box();
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail})
    for (const Storage storage :
         {Storage::Float32, Storage::Float64, Storage::Int32, Storage::Int64, Storage::String}) {
      Attribute& a = g.addAttribute(owner, Attribute(storageName(storage), storage, 2));
      for (size_t e = 0; e < a.elementCount(); ++e)
        for (int c = 0; c < 2; ++c) {
          const double value = offset + static_cast<double>(2 * e) + c;
          if (a.isString())
            a.setString(e, std::to_string(static_cast<int>(value)), c);
          else
            a.setNumber(e, c, value);
        }
    }
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive}) {
    Group& plain = g.addGroup(owner, "even");
    for (size_t e = 0; e < g.elementCount(owner); e += 2) plain.bits.edit()[e] = 1;
    Group& ordered = g.addGroup(owner, "ordered");
    ordered.order = CowArray<int32_t>{5, 1, 3};
    for (const int32_t m : ordered.order) ordered.bits.edit()[m] = 1;
  }
  g.addEdgeGroup("seam").edges = CowArray<Edge>{{0, 1}, {3, 7}};
  return g;
}

bool sameGroups(const Geometry& a, const Geometry& b) {
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive}) {
    if (a.groups(owner).size() != b.groups(owner).size()) return false;
    for (size_t i = 0; i < a.groups(owner).size(); ++i) {
      const Group &x = a.groups(owner)[i], &y = b.groups(owner)[i];
      if (x.name != y.name || !std::equal(x.bits.begin(), x.bits.end(), y.bits.begin(), y.bits.end()) ||
          !std::equal(x.order.begin(), x.order.end(), y.order.begin(), y.order.end()))
        return false;
    }
  }
  if (a.edgeGroups().size() != b.edgeGroups().size()) return false;
  for (size_t i = 0; i < a.edgeGroups().size(); ++i)
    if (!std::equal(a.edgeGroups()[i].edges.begin(), a.edgeGroups()[i].edges.end(),
                    b.edgeGroups()[i].edges.begin(), b.edgeGroups()[i].edges.end()))
      return false;
  return true;
}

bool same(const Geometry& a, const Geometry& b) {
  const auto equal = [](const auto& x, const auto& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end());
  };
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail})
    if (a.attributes(owner) != b.attributes(owner)) return false;
  return equal(a.positions(), b.positions()) && equal(a.vertexPoints(), b.vertexPoints()) &&
         equal(a.vertexStarts(), b.vertexStarts()) && equal(a.primitiveTypes(), b.primitiveTypes()) &&
         sameGroups(a, b);
}

TEST(Geometry, CopiesAreCheapAndIndependent) {
  const Geometry a = richBox();
  Geometry b = a;
  EXPECT_TRUE(b.positions().sharesStorageWith(a.positions()));
  EXPECT_TRUE(b.vertexPoints().sharesStorageWith(a.vertexPoints()));
  EXPECT_TRUE(b.attributes(Owner::Point)[0].array<float>().sharesStorageWith(
      a.attributes(Owner::Point)[0].array<float>()));
  b.editPositions()[0] = {9, 9, 9};
  b.findAttribute(Owner::Point, "float32")->setNumber(0, 0, 99);
  b.findGroup(Owner::Point, "even")->bits.edit()[0] = 0;
  EXPECT_TRUE(same(a, richBox()));
  EXPECT_FALSE(same(a, b));
}

TEST(Geometry, AddingGrowsAttributesAndGroups) {
  Geometry g = richBox();
  g.findAttribute(Owner::Point, "int32")->defaults = {7};
  g.addPoint({1, 2, 3});
  g.addPolygon({8, 0, 1});
  g.checkInvariants();
  EXPECT_EQ(g.findAttribute(Owner::Point, "int32")->number(8, 1), 7.0);
  EXPECT_EQ(g.findAttribute(Owner::Primitive, "string")->string(6, 0), "");
  EXPECT_EQ(g.findGroup(Owner::Primitive, "even")->count(), 3u);
  EXPECT_EQ(g.findGroup(Owner::Vertex, "ordered")->bits.size(), 27u);
}

TEST(Geometry, FlippingTwiceChangesNothing) {
  Geometry g = richBox();
  const std::vector<int32_t> tetrahedron{0, 1, 2, 4}, line{0, 7, 3};
  g.addPrimitive(PrimitiveType::Tetrahedron, tetrahedron);
  g.addPrimitive(PrimitiveType::Polyline, line);
  g.addPolygon({});
  g.addPolygon({4, 5});
  const Geometry before = g;
  g.flipWinding();
  g.checkInvariants();
  EXPECT_FALSE(same(g, before));
  for (size_t p = 0; p < g.primitiveCount(); ++p)
    EXPECT_TRUE(g.vertexCount(p) == 0 || g.corners(p)[0] == before.corners(p)[0]);
  // Vertex attributes stay with their corners.
  const Attribute *now = g.findAttribute(Owner::Vertex, "int32"),
                  *then = before.findAttribute(Owner::Vertex, "int32");
  EXPECT_EQ(now->number(1, 0), then->number(3, 0));
  EXPECT_EQ(g.vertexPoint(1), before.vertexPoint(3));
  EXPECT_EQ(std::vector<int32_t>(g.corners(7).begin(), g.corners(7).end()), line);
  g.flipWinding();
  EXPECT_TRUE(same(g, before));
}

TEST(Geometry, ExtractOfEverythingIsTheSame) {
  const Geometry g = richBox();
  std::vector<int32_t> all(g.primitiveCount());
  for (size_t p = 0; p < all.size(); ++p) all[p] = static_cast<int32_t>(p);
  EXPECT_TRUE(same(g.extract(all, true), g));
}

TEST(Geometry, ExtractKeepsWhatBelongsToThePrimitives) {
  const Geometry g = richBox();
  const std::vector<int32_t> chosen{5, 1};
  const Geometry part = g.extract(chosen);
  part.checkInvariants();
  EXPECT_EQ(part.primitiveCount(), 2u);
  EXPECT_EQ(part.pointCount(), 6u);
  for (size_t i = 0; i < 2; ++i) {
    const size_t old = static_cast<size_t>(chosen[i]);
    EXPECT_EQ(part.findAttribute(Owner::Primitive, "string")->string(i, 1),
              g.findAttribute(Owner::Primitive, "string")->string(old, 1));
    for (size_t c = 0; c < 4; ++c) {
      EXPECT_EQ(part.position(static_cast<size_t>(part.corners(i)[c])),
                g.position(static_cast<size_t>(g.corners(old)[c])));
      EXPECT_EQ(part.findAttribute(Owner::Vertex, "int64")->number(part.firstVertex(i) + c),
                g.findAttribute(Owner::Vertex, "int64")->number(g.firstVertex(old) + c));
    }
  }
  EXPECT_EQ(part.findGroup(Owner::Primitive, "even")->count(), 0u);
  // Members 5, 1, 3 in that order: 5 is now 0, 1 is now 1, 3 is gone.
  const Group& ordered = *part.findGroup(Owner::Primitive, "ordered");
  EXPECT_EQ(std::vector<int32_t>(ordered.order.begin(), ordered.order.end()), (std::vector<int32_t>{0, 1}));
  // Of the edges 0-1 and 3-7, the first lost a point (0 is in neither face).
  ASSERT_EQ(part.edgeGroups()[0].edges.size(), 1u);
  for (const int32_t p : part.edgeGroups()[0].edges[0])
    EXPECT_TRUE(part.position(static_cast<size_t>(p)).x() == 1 &&
                part.position(static_cast<size_t>(p)).y() == 1);
}

TEST(Geometry, ExtractMayRepeatAPrimitive) {
  const Geometry g = richBox();
  const std::vector<int32_t> twice{1, 1};
  const Geometry part = g.extract(twice);
  part.checkInvariants();
  EXPECT_EQ(part.pointCount(), 4u);
  EXPECT_EQ(part.findGroup(Owner::Primitive, "ordered")->order.size(), 2u);
}

TEST(Geometry, AppendAddsCountsAndKeepsBoth) {
  const Geometry a = richBox(), b = richBox(100);
  Geometry both = a;
  both.append(b);
  both.checkInvariants();
  EXPECT_EQ(both.pointCount(), 16u);
  std::vector<int32_t> first{0, 1, 2, 3, 4, 5}, second{6, 7, 8, 9, 10, 11};
  EXPECT_TRUE(std::equal(b.vertexPoints().begin(), b.vertexPoints().end(), both.vertexPoints().begin() + 24,
                         [](int32_t x, int32_t y) { return x + 8 == y; }));
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive})
    for (const Attribute& theirs : b.attributes(owner)) {
      const Attribute& joined = *both.findAttribute(owner, theirs.name());
      const size_t shift = a.elementCount(owner);
      for (size_t e = 0; e < theirs.elementCount(); ++e) {
        EXPECT_TRUE(theirs.isString() ? joined.string(shift + e, 1) == theirs.string(e, 1)
                                      : joined.number(shift + e, 1) == theirs.number(e, 1));
      }
    }
  EXPECT_EQ(both.findGroup(Owner::Vertex, "even")->count(), 24u);
  const Group& ordered = *both.findGroup(Owner::Primitive, "ordered");
  EXPECT_EQ(std::vector<int32_t>(ordered.order.begin(), ordered.order.end()),
            (std::vector<int32_t>{5, 1, 3, 11, 7, 9}));
  EXPECT_EQ(both.edgeGroups()[0].edges.size(), 4u);
  EXPECT_EQ(both.edgeGroups()[0].edges[3], (Edge{11, 15}));
  EXPECT_EQ(both.findAttribute(Owner::Detail, "int32")->number(0), 0.0);
}

TEST(Geometry, AppendFillsWhatIsMissingWithDefaults) {
  Geometry a = shapes::box(), b = shapes::box();
  a.addAttribute(Owner::Point, Attribute("mine", Storage::Float32, 1)).defaults = {3};
  Attribute theirs("theirs", Storage::Int32, 1);
  theirs.defaults = {4};
  b.addAttribute(Owner::Point, theirs);
  b.findAttribute(Owner::Point, "theirs")->setNumber(0, 0, 5);
  b.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  b.addGroup(Owner::Point, "g").bits.edit()[2] = 1;
  a.append(b);
  a.checkInvariants();
  EXPECT_EQ(a.findAttribute(Owner::Point, "mine")->number(8), 3.0);
  EXPECT_EQ(a.findAttribute(Owner::Point, "theirs")->number(0), 4.0);
  EXPECT_EQ(a.findAttribute(Owner::Point, "theirs")->number(8), 5.0);
  EXPECT_EQ(a.findAttribute(Owner::Point, "theirs")->number(9), 4.0);
  EXPECT_EQ(a.findAttribute(Owner::Primitive, "name")->string(0), "");
  EXPECT_EQ(a.findGroup(Owner::Point, "g")->bits[10], 1);
  EXPECT_EQ(a.findGroup(Owner::Point, "g")->count(), 1u);
}

TEST(Geometry, AppendToNothingAndToItself) {
  Geometry g;
  g.append(richBox());
  EXPECT_TRUE(same(g, richBox()));
  g.append(g);
  g.checkInvariants();
  Geometry twice = richBox();
  twice.append(richBox());
  EXPECT_TRUE(same(g, twice));
  const Geometry before = g;
  g.append(Geometry());
  EXPECT_TRUE(same(g, before));
}

TEST(Geometry, MergedEqualsAppendingOneByOne) {
  std::vector<Geometry> parts;
  for (int i = 0; i < 7; ++i) {
    parts.push_back(i == 3 ? Geometry() : i == 4 ? shapes::torus(4, 3) : richBox(i));
    parts.back().addAttribute(
        Owner::Point, Attribute("a" + std::to_string(i % 3), i % 2 ? Storage::Int32 : Storage::Float64, 1));
  }
  Geometry expected;
  for (const Geometry& part : parts) expected.append(part);
  EXPECT_TRUE(same(merged(parts), expected));
  EXPECT_TRUE(merged(std::vector<Geometry>()).empty());
}

TEST(Geometry, PackedPrimitivesSurviveExtractAndAppend) {
  Geometry g = shapes::box();
  PackedPrimitive packed;
  packed.source = std::make_shared<Geometry>(shapes::box());
  packed.fragmentName = "a";
  g.addPacked(packed, {1, 2, 3});
  packed.fragmentName = "b";
  g.addPacked(packed, {4, 5, 6});
  g.addPolygon({0, 1, 2});
  const std::vector<int32_t> chosen{7, 0, 6};
  const Geometry part = g.extract(chosen);
  part.checkInvariants();
  EXPECT_EQ(part.packed(0).fragmentName, "b");
  EXPECT_EQ(part.packed(2).fragmentName, "a");
  EXPECT_EQ(part.position(static_cast<size_t>(part.corners(0)[0])), Vec3(4, 5, 6));
  Geometry both = shapes::box();
  both.append(part);
  both.append(shapes::box());
  both.checkInvariants();
  EXPECT_EQ(both.packed(6).fragmentName, "b");
  EXPECT_EQ(both.packed(8).fragmentName, "a");
  both.addPolygon({0, 1, 2});
  both.checkInvariants();
}

TEST(Geometry, UnpackingManyPiecesNamesAndPlacesThem) {
  const auto source = std::make_shared<Geometry>(shapes::box());
  Geometry g;
  for (int i = 0; i < 200; ++i) {
    PackedPrimitive packed;
    packed.source = source;
    g.addPacked(packed, {double(i), 0, 0});
  }
  Attribute& name = g.addAttribute(Owner::Point, Attribute("name", Storage::String, 1));
  for (size_t i = 0; i < 200; ++i) name.setString(i, "p" + std::to_string(i));
  const Geometry plain = unpacked(g);
  plain.checkInvariants();
  EXPECT_EQ(plain.primitiveCount(), 1200u);
  for (size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(plain.findAttribute(Owner::Primitive, "name")->string(6 * i + 5), "p" + std::to_string(i));
    EXPECT_EQ(plain.position(8 * i), Vec3(double(i), 0, 0));
  }
}

TEST(Geometry, RefusesMoreElementsThanIndicesCanCount) {
  Geometry g;
  EXPECT_THROW(g.addPoints(size_t(1) << 31), Error);
}

}  // namespace
}  // namespace hackle
