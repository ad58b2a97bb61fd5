// findTwins and glueContacts on their own, against all pairs of faces.
#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/fracture/cut_pieces.h>
#include <hackle/fracture/gluing.h>
#include <hackle/meshing/cut/cutter.h>

#include <algorithm>
#include <set>

namespace hackle {
namespace {

/// Voronoi pieces of a shape.
FracturePieces brokenShape(const Geometry& shape, size_t sites, uint64_t seed, double detail = 0) {
  Context context;
  Random random(seed);
  const Solid solid(shape, context);
  std::vector<Vec3> places;
  const Box3 box = shape.bounds();
  for (size_t s = 0; s < sites; ++s)
    places.push_back(box.min +
                     Vec3(random.uniform(), random.uniform(), random.uniform()).cwiseProduct(box.size()));
  CutPieceOptions options;
  options.detail.size = detail;
  options.detail.amount = detail;
  return piecesOfCut(solid, cutByVoronoi(solid.geometry, solid.mesh, places, context), options, context);
}

/// Whether two faces have the same corners in opposite orders.
bool areOpposite(const FracturePieces& pieces, size_t a, size_t b) {
  std::vector<int32_t> mine, theirs;
  for (const int32_t p : pieces.geometry.corners(a)) mine.push_back(pieces.pointVertex[p]);
  for (const int32_t p : pieces.geometry.corners(b)) theirs.push_back(pieces.pointVertex[p]);
  std::reverse(theirs.begin(), theirs.end());
  if (mine.size() != theirs.size()) return false;
  for (size_t turn = 0; turn < theirs.size(); ++turn) {
    if (mine == theirs) return true;
    std::rotate(theirs.begin(), theirs.begin() + 1, theirs.end());
  }
  return false;
}

/// Inside faces that have exactly one face opposite them, all compared with all.
std::vector<int32_t> twinsByForce(const FracturePieces& pieces) {
  const size_t count = pieces.geometry.primitiveCount();
  std::vector<int32_t> twins(count, -1);
  for (size_t a = 0; a < count; ++a)
    for (size_t b = 0; b < count; ++b)
      if (a != b && pieces.primitiveSource[a] < 0 && pieces.primitiveSource[b] < 0 &&
          areOpposite(pieces, a, b))
        twins[a] = static_cast<int32_t>(b);
  return twins;
}

TEST(FindTwins, AreTheFacesWithTheSameCornersInTheOppositeOrder) {
  Context context;
  for (const FracturePieces& pieces :
       {brokenShape(shapes::box(), 12, 1), brokenShape(shapes::torus(16, 8), 20, 2),
        brokenShape(shapes::box(), 3, 3, 0.2)}) {
    const std::vector<int32_t> twins = findTwins(pieces, context);
    EXPECT_EQ(twins, twinsByForce(pieces));
    size_t inside = 0;
    for (size_t f = 0; f < twins.size(); ++f) {
      EXPECT_EQ(twins[f] < 0, pieces.primitiveSource[f] >= 0);
      if (twins[f] < 0) continue;
      ++inside;
      EXPECT_EQ(twins[twins[f]], static_cast<int32_t>(f));
      EXPECT_NE(pieces.primitivePiece[f], pieces.primitivePiece[twins[f]]);
    }
    EXPECT_GT(inside, 4u);
  }
}

/// Faces between points that are vertices of a cut themselves.
FracturePieces faces(const std::vector<std::vector<int32_t>>& corners, const std::vector<int32_t>& sources) {
  FracturePieces pieces;
  int32_t points = 0;
  for (const std::vector<int32_t>& face : corners)
    for (const int32_t p : face) points = std::max(points, p + 1);
  for (int32_t p = 0; p < points; ++p) {
    pieces.geometry.addPoint(Vec3(p, p * p, 0));
    pieces.pointVertex.push_back(p);
  }
  for (const std::vector<int32_t>& face : corners) pieces.geometry.addPrimitive(PrimitiveType::Polygon, face);
  pieces.primitiveSource = sources;
  return pieces;
}

TEST(FindTwins, DoNotMindWhereAFaceBegins) {
  Context context;
  for (int32_t turn = 0; turn < 5; ++turn) {
    std::vector<int32_t> back{4, 3, 2, 1, 0};
    std::rotate(back.begin(), back.begin() + turn, back.end());
    EXPECT_EQ(findTwins(faces({{0, 1, 2, 3, 4}, back}, {-1, -1}), context), (std::vector<int32_t>{1, 0}));
  }
}

TEST(FindTwins, FacesThatOnlyLookAlikeStayAlone) {
  Context context;
  const std::vector<int32_t> none{-1, -1};
  // The same order, other corners, more corners, a face of the surface, no vertices known.
  EXPECT_EQ(findTwins(faces({{0, 1, 2}, {0, 1, 2}}, {-1, -1}), context), none);
  EXPECT_EQ(findTwins(faces({{0, 1, 2, 3}, {0, 1, 3, 2}}, {-1, -1}), context), none);
  EXPECT_EQ(findTwins(faces({{0, 1, 2}, {3, 2, 1, 0}}, {-1, -1}), context), none);
  EXPECT_EQ(findTwins(faces({{0, 1, 2}, {2, 1, 0}}, {-1, 7}), context), none);
  FracturePieces unknown = faces({{0, 1, 2}, {2, 1, 0}}, {-1, -1});
  unknown.pointVertex.clear();
  EXPECT_EQ(findTwins(unknown, context), none);
}

TEST(FindTwins, FacesThatLieOnEachOtherTwiceFormPairs) {
  Context context;
  const std::vector<int32_t> twins = findTwins(
      faces({{0, 1, 2}, {1, 2, 0}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}}, {-1, -1, -1, -1, -1}), context);
  size_t alone = 0;
  for (size_t f = 0; f < twins.size(); ++f) {
    alone += twins[f] < 0;
    if (twins[f] < 0) continue;
    EXPECT_EQ(twins[twins[f]], static_cast<int32_t>(f));
    EXPECT_NE(f < 2, twins[f] < 2);  // one of either order
  }
  EXPECT_EQ(alone, 1u);
}

TEST(GlueContacts, GroupsAreThePartsThatAreConnected) {
  FracturePieces parts;
  parts.names.resize(7);
  // 0 - 3 - 5 and 1 - 6; 2 and 4 are alone.
  const std::vector<std::array<int32_t, 2>> sides{{3, 5}, {0, 3}, {1, 6}, {2, 4}, {0, 5}, {4, 6}};
  for (const auto& [a, b] : sides) parts.contacts.push_back({a, b, 1.0, Vec3::Zero(), Vec3::UnitX()});
  const Gluing gluing = glueContacts(parts, std::vector<uint8_t>{1, 1, 1, 0, 0, 0}, "bit");
  EXPECT_EQ(gluing.groupOf, (std::vector<int32_t>{0, 1, 2, 0, 3, 0, 1}));
  EXPECT_EQ(gluing.names, (std::vector<std::string>{"bit0", "bit1", "bit2", "bit3"}));
}

TEST(GluePieces, AllTogetherAreTheSolidAndAloneTheParts) {
  Context context;
  const Geometry shape = shapes::torus(16, 8);
  const FracturePieces parts = brokenShape(shape, 15, 5);
  const std::vector<int32_t> twins = findTwins(parts, context);
  const auto volumeOf = [](const FracturePieces& pieces) {
    double sum = 0;
    for (const double v : pieces.volume) sum += v;
    return sum;
  };
  const Gluing one = glueContacts(parts, std::vector<uint8_t>(parts.contacts.size(), 1), "piece");
  const FracturePieces whole = gluePieces(parts, twins, one, context);
  EXPECT_EQ(whole.names.size(), 1u);
  EXPECT_TRUE(whole.contacts.empty());
  EXPECT_NEAR(volumeOf(whole), volumeOf(parts), 1e-12);
  EXPECT_EQ(static_cast<size_t>(std::count(twins.begin(), twins.end(), -1)), whole.geometry.primitiveCount());
  const Gluing none = glueContacts(parts, std::vector<uint8_t>(parts.contacts.size(), 0), "piece");
  const FracturePieces apart = gluePieces(parts, twins, none, context);
  EXPECT_EQ(apart.names.size(), parts.names.size());
  EXPECT_EQ(apart.geometry.primitiveCount(), parts.geometry.primitiveCount());
  EXPECT_EQ(apart.volume, parts.volume);
}

}  // namespace
}  // namespace hackle
