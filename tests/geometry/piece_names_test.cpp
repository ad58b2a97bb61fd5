#include <gtest/gtest.h>
#include <hackle/geometry/piece_levels.h>
#include <hackle/geometry/piece_names.h>

using namespace hackle;

namespace {

/// One triangle for each name; those of `top` are in a group of that name.
Geometry trianglesNamed(const std::vector<std::string>& names, const std::vector<size_t>& top) {
  Geometry g;
  std::vector<int32_t> indices;
  for (size_t i = 0; i < names.size(); ++i) {
    const double x = static_cast<double>(i);
    g.addPoint({x, 0, 0});
    g.addPoint({x + 0.5, 0, 0});
    g.addPoint({x, 1, 0});
    const int32_t first = static_cast<int32_t>(3 * i);
    g.addPolygon({first, first + 1, first + 2});
    indices.push_back(static_cast<int32_t>(i));
  }
  g.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1)).assignStrings({names, indices});
  Group& group = g.addGroup(Owner::Primitive, "top");
  group.bits = CowArray<uint8_t>(names.size(), uint8_t(0));
  for (const size_t i : top) group.bits.edit()[i] = 1;
  return g;
}

std::string chosen(const std::string& pattern) {
  const Geometry g = trianglesNamed({"piece0", "piece1", "piece10", "piece10-2", "rim"}, {1, 4});
  const std::vector<uint8_t> bits = matchingPieces(g, piecesByName(g), pattern);
  std::string text;
  for (const uint8_t bit : bits) text += bit ? '1' : '0';
  return text;
}

}  // namespace

TEST(MatchingPieces, NamesGroupsAndWildcards) {
  EXPECT_EQ(chosen("piece1"), "01000");
  EXPECT_EQ(chosen("piece1*"), "01110");
  EXPECT_EQ(chosen("piece?"), "11000");
  EXPECT_EQ(chosen("*-*"), "00010");
  EXPECT_EQ(chosen("*"), "11111");
  EXPECT_EQ(chosen("top"), "01001");
  EXPECT_EQ(chosen("piece0 rim"), "10001");
  EXPECT_EQ(chosen("piece* ^piece10*"), "11000");
  EXPECT_EQ(chosen("^top"), "10110");
  EXPECT_EQ(chosen("*e*1*0*"), "00110");
  EXPECT_EQ(chosen(""), "00000");
}

TEST(MatchingPieces, WordsThatMatchNothingAreNamed) {
  for (const std::string pattern : {"piece7", "piece0 shards", "^nothing"}) {
    try {
      chosen(pattern);
      ADD_FAILURE() << pattern;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      EXPECT_NE(std::string(e.what()).find("matches"), std::string::npos) << e.what();
    }
  }
}

TEST(PieceLevels, AreToldByNames) {
  EXPECT_EQ(pieceLevel("piece3"), 0);
  EXPECT_EQ(pieceLevel("piece3-1"), 1);
  EXPECT_EQ(pieceLevel("left-wall3-1-22"), 2);
  EXPECT_EQ(pieceLevel("left-wall"), 0);
  EXPECT_EQ(pieceLevel("-7"), 0);
  EXPECT_EQ(pieceLevel("a-"), 0);
  EXPECT_EQ(contactLevel("piece3", "piece4"), 0);
  EXPECT_EQ(contactLevel("piece3-1", "piece4-1"), 0);
  EXPECT_EQ(contactLevel("piece3-1", "piece3-2-0"), 1);
  EXPECT_EQ(contactLevel("piece3-2-1", "piece3-2-0"), 2);
  EXPECT_EQ(contactLevel("piece3-1", "piece30-1"), 0);
}
