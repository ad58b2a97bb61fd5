// Real and crafted bad meshes: every operator survives them, and info agrees with figures found by other
// means.
#include <hackle/io/file.h>
#include <hackle/ops/registry.h>

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace hackle {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(HACKLE_TEST_DATA) / "dirty";

/// The rows of the folder's index by file name, each by column name.
std::map<std::string, std::map<std::string, std::string>> readIndex() {
  std::map<std::string, std::map<std::string, std::string>> rows;
  std::ifstream file(kFolder / "INDEX.tsv");
  std::vector<std::string> columns;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '\t');) cells.push_back(cell);
    if (columns.empty()) {
      columns = cells;
      continue;
    }
    for (size_t c = 0; c < std::min(cells.size(), columns.size()); ++c) rows[cells[0]][columns[c]] = cells[c];
  }
  return rows;
}

Value run(const std::string& op, const Geometry& geometry) {
  Context context;
  return runOperator(findOperator(op), Inputs({geometry}), {}, context).outputs.result;
}

/// Small enough that all of them together take a second or two.
constexpr uintmax_t kLargest = 1 << 20;

TEST(DirtyMeshes, NeverCrashAnOperator) {
  if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no meshes in " << kFolder;
  size_t read = 0;
  for (const auto& [name, row] : readIndex()) {
    SCOPED_TRACE(name);
    if (std::filesystem::file_size(kFolder / name) > kLargest) continue;
    Context context;
    Geometry geometry;
    try {
      geometry = readGeometry(kFolder / name, context);
      ++read;
    } catch (const Error&) {
      continue;  // the readers have tests of their own
    }
    for (const char* op : {"info", "transform", "normals", "explode", "merge", "measure"}) {
      SCOPED_TRACE(op);
      try {
        run(op, geometry);
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::BadInput) << error.what();
        EXPECT_NE(row.at("nonfinite_v"), "0") << error.what();
      }
    }
  }
  if (read == 0) GTEST_SKIP() << "no reader for these files";
}

/// Repair gives a solid that a second repair leaves alone, or says why it does not.
void expectRepairedOrRefused(const Geometry& geometry, const Value::Map& parameters, size_t& solids) {
  Context context;
  try {
    const Outputs outputs =
        runOperator(findOperator("repair"), Inputs({geometry}), parameters, context).outputs;
    const Value info = run("info", outputs.geometry());
    EXPECT_TRUE(info.find("closed")->asBool());
    EXPECT_TRUE(info.find("manifold")->asBool());
    EXPECT_TRUE(info.find("oriented")->asBool());
    EXPECT_GT(info.find("volume")->asNumber(), 0);
    const Inputs again({outputs.geometry()});
    const Value report = runOperator(findOperator("repair"), again, parameters, context).outputs.result;
    EXPECT_FALSE(report.find("changed")->asBool()) << report.toJson();
    ++solids;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::BadInput) << error.what();
    EXPECT_FALSE(error.remedy().empty()) << error.what();
  }
}

TEST(DirtyMeshes, AreRepairedOrRefused) {
  if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no meshes in " << kFolder;
  size_t certain = 0, filled = 0;
  for (const auto& [name, row] : readIndex()) {
    SCOPED_TRACE(name);
    if (std::filesystem::file_size(kFolder / name) > kLargest) continue;
    Context context;
    Geometry geometry;
    try {
      geometry = readGeometry(kFolder / name, context);
    } catch (const Error&) {
      continue;
    }
    expectRepairedOrRefused(geometry, {{"allow_crossings", true}}, certain);
    expectRepairedOrRefused(geometry, {{"allow_crossings", true}, {"fill_holes", 2000}}, filled);
  }
  EXPECT_GE(certain, 20u);
  EXPECT_GE(filled, 35u);
}

TEST(DirtyMeshes, AreDescribedAsOthersDescribeThem) {
  if (!std::filesystem::exists(kFolder)) GTEST_SKIP() << "no meshes in " << kFolder;
  size_t compared = 0;
  for (const auto& [name, row] : readIndex()) {
    // STL files are welded there, not here.
    if (name.substr(name.size() - 3) == "stl" || std::filesystem::file_size(kFolder / name) > kLargest)
      continue;
    SCOPED_TRACE(name);
    Context context;
    Geometry geometry;
    try {
      geometry = readGeometry(kFolder / name, context);
    } catch (const Error&) {
      continue;
    }
    const Value info = run("info", geometry);
    if (!info.find("closed") || row.at("bad_idx") != "0") continue;
    ++compared;
    const auto number = [&](const char* key) { return info.find(key)->asInt(); };
    const auto expected = [&row = row](const char* column) { return std::stoll(row.at(column)); };
    // The index calls edges with more than two faces open; we do not.
    if (expected("nonman_e") == 0) {
      EXPECT_EQ(info.find("closed")->asBool(), row.at("closed") == "y");
    }
    EXPECT_EQ(number("components"), expected("comps"));
    EXPECT_EQ(number("non_finite_points"), expected("nonfinite_v"));
    // It counts the edges of degenerate triangles from a point to itself, and cuts polygons into fans.
    if (expected("degen_tris") == 0) {
      EXPECT_EQ(number("boundary_edges"), expected("boundary_e"));
      EXPECT_EQ(number("non_manifold_edges"), expected("nonman_e"));
      EXPECT_EQ(number("non_manifold_points"), expected("nonman_v"));
      EXPECT_EQ(number("euler"), expected("euler"));
    }
    if (row.at("ngons").find(',') != std::string::npos || row.at("ngons").substr(0, 2) != "3:") continue;
    const Value *area = info.find("area"), *volume = info.find("volume");
    const double givenArea = std::stod(row.at("area"));
    if (area) {
      EXPECT_NEAR(area->asNumber(), givenArea, 1e-5 * givenArea);
    }
    if (volume && !volume->isNull()) {
      const double given = std::stod(row.at("volume"));
      EXPECT_NEAR(volume->asNumber(), given, 1e-5 * std::abs(given) + 1e-12 * std::pow(givenArea, 1.5));
    }
  }
  if (compared == 0) GTEST_SKIP() << "no reader for these files";
}

}  // namespace
}  // namespace hackle
