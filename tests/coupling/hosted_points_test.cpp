// What points and records of a host say of its bodies, and the points of fragments.
#include <hackle/coupling/hosted_points.h>

#include <gtest/gtest.h>
#include <hosted_geometry.h>
#include <Eigen/Geometry>

namespace hackle {
namespace {

/// Two pieces, ten units to a metre.
Geometry twoPoints() {
  Geometry g;
  g.addPoint(Vec3(0, 0, 0));
  g.addPoint(Vec3(50, 0, 0));
  Attribute& names = g.addAttribute(Owner::Point, Attribute("name", Storage::String, 1));
  names.setString(0, "vase");
  numbers(g, "v", Storage::Float32, 3, {10, 0, 0, 0, 20, 0});
  numbers(g, "active", Storage::Int32, 1, {1, 0});
  numbers(g, "mass", Storage::Float32, 1, {3, 4});
  numbers(g, "computemass", Storage::Int32, 1, {0, 1});
  numbers(g, "creationtime", Storage::Float32, 1, {0.5, 0.5});
  numbers(g, "Cd", Storage::Float32, 3, {1, 0, 0, 0, 1, 0});
  return g;
}

std::vector<HostedPiece> twoPieces() {
  std::vector<HostedPiece> pieces = hostedPieces(twoPoints(), 10);
  pieces[0].primitiveNumber = 7, pieces[1].primitiveNumber = 3;
  pieces[0].pointNumber = 1, pieces[1].pointNumber = 0;
  return pieces;
}

/// The first piece in two halves that touch, one turned by a quarter about z.
HostedBreak halves() {
  HostedBreak broken;
  for (int i = 0; i < 2; ++i) {
    Fragment half;
    half.name = i == 0 ? "vase-0" : "vase-1";
    half.piece = static_cast<size_t>(i + 1);  // the first piece was too small to keep
    half.geometry.addPoint(Vec3(i, 0, 0));
    half.mass.mass = 1.5;
    half.mass.centre = Vec3(0.25, 0, 0);
    half.motion.position = Vec3(i, 2, 0);
    half.motion.velocity = Vec3(1, 0, i);
    if (i == 1) half.motion.rotation = Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ()).toRotationMatrix();
    broken.pieces.fragments.push_back(half);
  }
  for (const std::array<int32_t, 2> pair : {std::array<int32_t, 2>{0, 1}, std::array<int32_t, 2>{1, 2}}) {
    PieceContact contact;
    contact.a = pair[0], contact.b = pair[1], contact.area = 0.5;
    broken.contacts.push_back(contact);
  }
  return broken;
}

}  // namespace

TEST(HostedPoints, SayWhatBodiesAre) {
  const std::vector<HostedPiece> pieces = hostedPieces(twoPoints(), 10);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].body.name, "vase");
  EXPECT_EQ(pieces[1].body.name, "piece1");
  EXPECT_TRUE(pieces[0].body.dynamic);
  EXPECT_FALSE(pieces[1].body.dynamic);
  EXPECT_EQ(pieces[0].body.velocity, Vec3(1, 0, 0));
  EXPECT_EQ(pieces[1].body.at, Vec3(5, 0, 0));
  EXPECT_EQ(pieces[0].body.mass, std::optional<double>(3));
  EXPECT_FALSE(pieces[1].body.mass);
  EXPECT_FALSE(pieces[0].engine || pieces[0].density || pieces[0].restitution);
}

TEST(HostedPoints, RecordsFindTheirBodies) {
  std::vector<HostedRecord> records(4);
  records[0].primitiveNumber = 3, records[0].pointNumber = 1;  // the primitive takes precedence
  records[1].pointNumber = 1;
  records[2].primitiveNumber = 99, records[2].position = Vec3(40, 0, 0);  // no such piece: the nearest
  records[3].primitiveNumber = 7, records[3].otherObject = 5, records[3].otherPrimitiveNumber = 3;
  records[3].impulse = 20;
  const std::vector<HostedPiece> pieces = twoPieces();
  const std::vector<HostedContact> contacts = recordedContacts(records, pieces, 5, 10);
  EXPECT_EQ(contacts[0].body, 1u);
  EXPECT_EQ(contacts[1].body, 0u);
  EXPECT_EQ(contacts[2].body, 1u);
  EXPECT_EQ(contacts[2].position, Vec3(4, 0, 0));
  EXPECT_EQ(contacts[3].other, std::optional<size_t>(1));
  EXPECT_EQ(contacts[3].impulse, 2);
  EXPECT_FALSE(recordedContacts(records, pieces, 6, 10)[3].other);
  EXPECT_TRUE(recordedContacts(records, {}, 5, 10).empty());
}

TEST(HostedPoints, AnalysesAreRecords) {
  Geometry analysis;
  analysis.addPoint(Vec3(1, 2, 3));
  numbers(analysis, "N", Storage::Float32, 3, {0, 1, 0});
  numbers(analysis, "impulse", Storage::Float32, 1, {8});
  numbers(analysis, "parentprimnum", Storage::Int32, 1, {3});
  numbers(analysis, "impactobject", Storage::Int32, 1, {4});
  const std::vector<HostedRecord> records = recordsOf(analysis);
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0].primitiveNumber, 3);
  EXPECT_EQ(records[0].otherObject, 4);
  EXPECT_EQ(records[0].otherPrimitiveNumber, -1);
  EXPECT_EQ(records[0].impulse, 8);
}

TEST(HostedPoints, FragmentsHaveTheAttributesOfTheirPiece) {
  const std::vector<HostedBreak> breaks{halves()};
  const Geometry made = fragmentPoints(twoPoints(), twoPieces(), breaks, 2.5, 10);
  made.checkInvariants();
  ASSERT_EQ(made.pointCount(), 2u);
  const auto number = [&](const char* name, size_t point, int c = 0) {
    return made.findAttribute(Owner::Point, name)->number(point, c);
  };
  EXPECT_EQ(made.position(1), Vec3(10, 20, 0));
  EXPECT_EQ(made.findAttribute(Owner::Point, "name")->string(1), "vase-1");
  EXPECT_EQ(number("Cd", 1), 1);
  EXPECT_EQ(number("mass", 1), 1.5);
  EXPECT_EQ(number("v", 1, 2), 10);
  EXPECT_EQ(number("pivot", 0), 2.5);
  EXPECT_NEAR(number("orient", 1, 2), std::sqrt(0.5), 1e-6);
  EXPECT_EQ(number("hackle_time", 0), 2.5);
  EXPECT_EQ(number("hackle_generation", 0), 1);
  // What belongs to the solver is not there.
  EXPECT_EQ(made.findAttribute(Owner::Point, "creationtime"), nullptr);
}

namespace {

/// A constraint between the two pieces, whose ends have these values of an attribute.
Geometry constraint(const char* attribute, const std::string& a, const std::string& b) {
  Geometry network;
  for (const double x : {9.0, 60.0}) network.addPoint(Vec3(x, 20, 0));
  const std::vector<int32_t> ends{0, 1};
  network.addPrimitive(PrimitiveType::Polyline, ends);
  Attribute& names = network.addAttribute(Owner::Point, Attribute(attribute, Storage::String, 1));
  names.setString(0, a), names.setString(1, b);
  return network;
}

}  // namespace

TEST(HostedPoints, ImportedRecordsAreRecords) {
  // As DOP Import Records makes them: a point per record, an attribute per field.
  Geometry points;
  points.addPoint(Vec3(1, 2, 3));
  points.addPoint(Vec3(4, 5, 6));
  numbers(points, "normal", Storage::Float32, 3, {0, 1, 0, 1, 0, 0});
  numbers(points, "impulse", Storage::Float32, 1, {8, 2});
  numbers(points, "flags", Storage::Int32, 1, {0, 1});
  numbers(points, "primnum", Storage::Int32, 1, {3, -1});
  numbers(points, "ptnum", Storage::Int32, 1, {-1, 1});
  numbers(points, "otherobjid", Storage::Int32, 1, {4, 6});
  numbers(points, "objid", Storage::Int32, 1, {6, 6});
  const std::vector<HostedRecord> records = recordsOf(points);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].position, Vec3(1, 2, 3));
  EXPECT_EQ(records[0].normal, Vec3(0, 1, 0));
  EXPECT_FALSE(records[0].friction);
  EXPECT_TRUE(records[1].friction);
  EXPECT_EQ(records[0].primitiveNumber, 3);
  EXPECT_EQ(records[1].pointNumber, 1);
  EXPECT_EQ(records[0].otherObject, 4);
  EXPECT_EQ(recordingObject(points), 6);
  EXPECT_EQ(recordingObject(Geometry()), -1);
}

TEST(HostedPoints, ConstraintsFollowTheFragments) {
  const Geometry network = constraint("name", "vase", "piece1"), points = twoPoints();
  const std::vector<HostedBreak> breaks{halves()};
  const std::vector<HostedPiece> pieces = twoPieces();
  const Geometry fragments = fragmentPoints(points, pieces, breaks, 2.5, 10);
  const BrokenPieces broken{points, pieces, breaks, fragments, 10};
  const Geometry rewired = brokenConstraints(network, broken, {});
  ASSERT_EQ(rewired.primitiveCount(), 1u);
  EXPECT_EQ(rewired.findAttribute(Owner::Point, "name")->string(0), "vase-1");
  EXPECT_EQ(rewired.findAttribute(Owner::Point, "name")->string(1), "piece1");

  // The contact with the piece that was left out has no constraint.
  const Geometry glued = brokenConstraints(network, broken, ConstraintOptions{"Soft", "all", 4});
  glued.checkInvariants();
  ASSERT_EQ(glued.primitiveCount(), 2u);
  EXPECT_EQ(glued.findAttribute(Owner::Primitive, "constraint_name")->string(1), "Soft");
  EXPECT_EQ(glued.findAttribute(Owner::Primitive, "strength")->number(1), 2);
  EXPECT_EQ(glued.position(static_cast<size_t>(glued.corners(1)[1])), Vec3(10, 20, 0));
}

TEST(HostedPoints, ConstraintsMayFindPiecesByAnotherAttribute) {
  Geometry points = twoPoints();
  Attribute& keys = points.addAttribute(Owner::Point, Attribute("key", Storage::String, 1));
  keys.setString(0, "left"), keys.setString(1, "right");
  numbers(points, "number", Storage::Int32, 1, {5, 40});
  const std::vector<HostedBreak> breaks{halves()};
  const std::vector<HostedPiece> pieces = twoPieces();
  const Geometry fragments = fragmentPoints(points, pieces, breaks, 2.5, 10, {"name", "key", "number"});
  // Their own values, and nobody else's.
  EXPECT_EQ(fragments.findAttribute(Owner::Point, "name")->string(1), "vase-1");
  EXPECT_EQ(fragments.findAttribute(Owner::Point, "key")->string(1), "left-1");
  EXPECT_EQ(fragments.findAttribute(Owner::Point, "number")->number(0), 41);
  EXPECT_EQ(fragments.findAttribute(Owner::Point, "number")->number(1), 42);
  const BrokenPieces broken{points, pieces, breaks, fragments, 10};
  const Geometry rewired = brokenConstraints(constraint("key", "left", "right"), broken, {}, "key");
  EXPECT_EQ(rewired.findAttribute(Owner::Point, "key")->string(0), "left-1");
  EXPECT_EQ(rewired.findAttribute(Owner::Point, "key")->string(1), "right");
  Geometry numbered = constraint("key", "left", "right");
  numbers(numbered, "number", Storage::Int32, 1, {5, 40});
  const Geometry glued = brokenConstraints(numbered, broken, ConstraintOptions{"Soft", "all", 4}, "number");
  const Attribute& number = *glued.findAttribute(Owner::Point, "number");
  EXPECT_EQ(number.number(0), 42);
  EXPECT_EQ(number.number(1), 40);
  ASSERT_EQ(glued.primitiveCount(), 2u);
  EXPECT_EQ(number.number(static_cast<size_t>(glued.corners(1)[0])), 41);
  EXPECT_EQ(number.number(static_cast<size_t>(glued.corners(1)[1])), 42);
}

}  // namespace hackle
