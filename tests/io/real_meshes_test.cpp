// Every real mesh reads, with the counts that the index of the collection lists.
#include <hackle/io/file.h>
#include <io/format_support.h>

#include <fstream>
#include <map>
#include <sstream>

namespace hackle {
namespace {

struct Row {
  std::string file;
  size_t points = 0, faces = 0;
  bool badIndex = false;
};

/// The rows of a collection's INDEX.tsv; empty if it is not there.
std::vector<Row> indexOf(const std::filesystem::path& folder) {
  std::ifstream file(folder / "INDEX.tsv");
  std::vector<Row> rows;
  std::map<std::string, size_t> column;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    if (column.empty()) {
      for (size_t c = 0; c < cells.size(); ++c) column[cells[c]] = c;
      continue;
    }
    rows.push_back({cells[column["file"]], std::stoul(cells[column["verts"]]),
                    std::stoul(cells[column["faces"]]), cells[column["bad_idx"]] != "0"});
  }
  return rows;
}

/// Polygons with an area in the index's sense: at least three corners.
size_t faceCount(const Geometry& geometry) {
  size_t count = 0;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    count += geometry.primitiveType(p) == PrimitiveType::Polygon && geometry.vertexCount(p) >= 3;
  return count;
}

class RealMeshes : public testing::TestWithParam<const char*> {};

TEST_P(RealMeshes, HaveTheCountsOfTheIndex) {
  const std::filesystem::path folder = std::filesystem::path(HACKLE_TEST_DATA) / GetParam();
  const std::vector<Row> rows = indexOf(folder);
  if (rows.empty()) GTEST_SKIP() << "there are no meshes in " << folder;
  size_t read = 0;
  for (const Row& row : rows) {
    if (!std::filesystem::exists(folder / row.file)) continue;
    SCOPED_TRACE(row.file);
    Context context;
    if (row.badIndex) {
      EXPECT_THROW(readGeometry(folder / row.file, context), Error);
      continue;
    }
    const Geometry geometry = readGeometry(folder / row.file, context);
    geometry.checkInvariants();
    EXPECT_EQ(geometry.pointCount(), row.points);
    EXPECT_EQ(faceCount(geometry), row.faces);
    ++read;
  }
  EXPECT_GT(read, 10u);
}

TEST_P(RealMeshes, SurviveEveryFormatOfPolygons) {
  const std::filesystem::path folder = std::filesystem::path(HACKLE_TEST_DATA) / GetParam();
  const std::vector<Row> rows = indexOf(folder);
  if (rows.empty()) GTEST_SKIP() << "there are no meshes in " << folder;
  for (const Row& row : rows) {
    if (!std::filesystem::exists(folder / row.file) || row.badIndex || row.faces > 8000) continue;
    SCOPED_TRACE(row.file);
    Context context;
    const Geometry geometry = readGeometry(folder / row.file, context);
    if (geometry.countOf(PrimitiveType::Polygon) != geometry.primitiveCount()) continue;
    for (const char* extension : {"obj", "ply", "ascii.ply", "bigendian.ply", "off"}) {
      const Geometry back = readAs(extension, writeAs(extension, geometry));
      ASSERT_TRUE(std::equal(back.vertexPoints().begin(), back.vertexPoints().end(),
                             geometry.vertexPoints().begin(), geometry.vertexPoints().end()));
      for (size_t p = 0; p < geometry.pointCount(); ++p) {
        const Eigen::Vector3f a = geometry.position(p).cast<float>(), b = back.position(p).cast<float>();
        ASSERT_TRUE(a == b || !a.allFinite()) << extension << " point " << p;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Collections, RealMeshes, testing::Values("meshes", "dirty"));

TEST(RealElmer, CubeCrackAndBarHaveTheirCounts) {
  const std::filesystem::path folder = std::filesystem::path(HACKLE_TEST_DATA) / "meshes/fracturebem";
  if (!std::filesystem::exists(folder)) GTEST_SKIP();
  const std::tuple<const char*, size_t, size_t, size_t> expected[] = {{"cube.nodes", 62, 120, 36},
                                                                      {"edge_crack.boundary", 172, 312, 81},
                                                                      {"notched_bar.elements", 210, 416, 124},
                                                                      {"bunny.elements", 34834, 69664, 0}};
  for (const auto& [name, points, faces, edges] : expected) {
    SCOPED_TRACE(name);
    Context context;
    const Geometry g = readGeometry(folder / name, context);
    EXPECT_EQ(g.pointCount(), points);
    EXPECT_EQ(g.countOf(PrimitiveType::Polygon), faces);
    EXPECT_EQ(g.countOf(PrimitiveType::Polyline), edges);
    const Group* boundary = g.findGroup(Owner::Primitive, "boundary");
    EXPECT_EQ(boundary ? boundary->count() : 0, edges);
    EXPECT_TRUE(context.warnings().empty());
  }
}

}  // namespace
}  // namespace hackle
