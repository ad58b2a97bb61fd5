#include <hackle/io/elmer.h>
#include <hackle/io/file.h>
#include <io/format_support.h>

#include <fstream>

namespace hackle {
namespace {

constexpr std::string_view kNodes = "1 -1 0 0 0\n2 -1 1 0 0\n3 -1 0 1 0\n4 -1 0 0 1\n";

TEST(Elmer, ElementsThenTheBoundaryInAGroup) {
  Context context;
  const Geometry g = readElmer(
      {kNodes, "1 7 303 1 2 3\n2 8 404 1 2 3 4\n3 9 504 1 2 3 4\n", "1 5 1 0 202 1 2\n2 6 3 0 303 2 3 4\n"},
      context);
  g.checkInvariants();
  EXPECT_EQ(context.warnings(), std::vector<std::string>());
  ASSERT_EQ(g.primitiveCount(), 5u);
  const PrimitiveType types[] = {PrimitiveType::Polygon, PrimitiveType::Polygon, PrimitiveType::Tetrahedron,
                                 PrimitiveType::Polyline, PrimitiveType::Polygon};
  const double bodies[] = {7, 8, 9, 5, 6};
  for (size_t p = 0; p < 5; ++p) {
    EXPECT_EQ(g.primitiveType(p), types[p]);
    EXPECT_EQ(g.findAttribute(Owner::Primitive, "body")->number(p), bodies[p]);
  }
  EXPECT_EQ(cornersOf(g, 3), (std::vector<int32_t>{0, 1}));
  EXPECT_EQ(groupBits(g, Owner::Primitive, "boundary"), (std::vector<uint8_t>{0, 0, 0, 1, 1}));
}

TEST(Elmer, NodesMayHaveAnyNumbers) {
  Context context;
  const Geometry g =
      readElmer({"30 -1 0 0 0\n10 -1 1 0 0\n20 -1 0 1 0\n", "1 1 303 10 20 30\n", ""}, context);
  EXPECT_EQ(cornersOf(g, 0), (std::vector<int32_t>{1, 2, 0}));
  EXPECT_FALSE(g.findGroup(Owner::Primitive, "boundary"));
  EXPECT_THROW(readElmer({"3 -1 0 0 0\n3 -1 1 0 0\n", "", ""}, context), Error);
  EXPECT_THROW(readElmer({"3 -1 0 0 0\n5 -1 1 0 0\n", "1 1 202 3 4\n", ""}, context), Error);
}

TEST(Elmer, NamesWhatItLeavesOut) {
  Context context;
  const Geometry g = readElmer({kNodes, "1 1 306 1 2 3 4 1 2\n2 1 605 1 2 3 4 1\n3 1 101 1\n", ""}, context);
  EXPECT_EQ(g.primitiveCount(), 1u);
  EXPECT_EQ(
      context.warnings(),
      std::vector<std::string>{"Elmer: left out edge nodes of element type 306; element types 605, 101"});
}

TEST(Elmer, RefusesWhatIsMalformed) {
  const auto message = [](const ElmerFiles& files) -> std::string {
    Context context;
    try {
      readElmer(files, context);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({"1 -1 0 0\n", "", ""}), ".nodes line 1: expected a number for z, but the line ends");
  EXPECT_EQ(message({kNodes, "1 1 303 1 2 5\n", ""}), ".elements line 1: node 5 does not exist, there are 4");
  EXPECT_EQ(message({kNodes, "1 1 303 1 2\n", ""}),
            ".elements line 1: expected a whole number for node, but the line ends");
  EXPECT_EQ(message({kNodes, "1 1 302 1 2\n", ""}),
            ".elements line 1: type 302 has too few nodes for a triangle");
  EXPECT_EQ(message({kNodes, "1 1 1303 1 2\n", ""}), ".elements line 1: there is no element type 1303");
  EXPECT_EQ(message({kNodes, "1 1 -303 1 2\n", ""}), ".elements line 1: there is no element type -303");
  EXPECT_EQ(message({kNodes, "", "1 1 1 0 202 1 x\n"}),
            ".boundary line 1: expected a whole number for node, found 'x'");
}

TEST(Elmer, FindsTheSiblingsOfAnyOfTheThree) {
  const TemporaryFolder folder;
  const auto put = [&](const char* name, std::string_view text) { std::ofstream(folder / name) << text; };
  put("m.nodes", kNodes);
  put("m.elements", "1 7 303 1 2 3\n");
  Context context;
  for (const char* name : {"m.nodes", "m.elements"})
    EXPECT_EQ(readGeometry(folder / name, context).primitiveCount(), 1u);
  put("m.boundary", "1 5 1 0 202 1 2\n");
  for (const char* name : {"m.nodes", "m.elements", "m.boundary"})
    EXPECT_EQ(readGeometry(folder / name, context).primitiveCount(), 2u);
  put("alone.nodes", kNodes);
  try {
    readGeometry(folder / "alone.nodes", context);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Io);
    EXPECT_NE(std::string(e.what()).find("alone.elements"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace hackle
