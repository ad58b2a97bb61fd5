// Every real Houdini file of the collection: read right, or refused with the reason.
#include "io/geometry_difference.h"

#include <hackle/core/context.h>
#include <hackle/core/error.h>
#include <hackle/io/codec.h>
#include <hackle/io/file.h>
#include <hackle/io/houdini/reader.h>
#include <hackle/io/houdini/writer.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace hackle {
namespace {

namespace fs = std::filesystem;
using test::difference;

const fs::path kFolder = fs::path(HACKLE_TEST_DATA) / "bgeo";

std::vector<std::string> split(const std::string& text, const std::string& separator) {
  std::vector<std::string> parts;
  size_t first = 0;
  for (size_t at; (at = text.find(separator, first)) != std::string::npos; first = at + separator.size())
    parts.push_back(text.substr(first, at - first));
  if (first < text.size()) parts.push_back(text.substr(first));
  return parts;
}

/// A row of the collection's table, which an independent reader made.
struct Row {
  std::string file, version, records, groups, attributes;
  size_t points = 0, vertices = 0, primitives = 0;
  bool malformed() const {
    return version.find("MALFORMED") == 0 || version.find("classic") != std::string::npos ||
           file == "laika_badgrid.geo";  // its last tuple is short
  }
};

std::vector<Row> table() {
  std::vector<Row> rows;
  std::ifstream in(kFolder / "INDEX.tsv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const std::vector<std::string> cells = split(line, "\t");
    if (cells.size() < 10) continue;
    Row row{cells[0], cells[3], cells[7], cells[8], cells[9]};
    row.points = std::strtoul(cells[4].c_str(), nullptr, 10);
    row.vertices = std::strtoul(cells[5].c_str(), nullptr, 10);
    row.primitives = std::strtoul(cells[6].c_str(), nullptr, 10);
    rows.push_back(row);
  }
  return rows;
}

std::string storageCode(const Attribute& attribute) {
  const std::map<Storage, std::string> codes{{Storage::Float32, "f32"},
                                             {Storage::Float64, "f64"},
                                             {Storage::Int32, "i32"},
                                             {Storage::Int64, "i64"},
                                             {Storage::String, "si32"}};
  return codes.at(attribute.storage()) + std::to_string(attribute.tupleSize());
}

/// "point[P:f323, Cd:f323 ..29]; global[..]" against the geometry.
void expectAttributes(const Row& row, const Geometry& geometry, const std::vector<std::string>& warnings) {
  const std::map<std::string, Owner> owners{{"point", Owner::Point},
                                            {"vertex", Owner::Vertex},
                                            {"primitive", Owner::Primitive},
                                            {"global", Owner::Detail}};
  for (const std::string& section : split(row.attributes, "; ")) {
    const size_t bracket = section.find('[');
    const Owner owner = owners.at(section.substr(0, bracket));
    std::string list = section.substr(bracket + 1, section.size() - bracket - 2);
    list = list.substr(0, list.find(" .."));
    for (const std::string& entry : split(list, ", ")) {
      const std::string name = entry.substr(0, entry.find(':')), code = entry.substr(entry.find(':') + 1);
      if (name == "P") continue;
      const Attribute* attribute = geometry.findAttribute(owner, name);
      const bool carried = code[0] == 'f' || code.substr(0, 3) == "i32" || code.substr(0, 3) == "i64" ||
                           code.substr(0, 2) == "si";
      if (carried) {
        ASSERT_NE(attribute, nullptr) << name;
        EXPECT_EQ(storageCode(*attribute), code) << name;
      } else {
        EXPECT_EQ(attribute, nullptr) << name;
        EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [&](const std::string& w) {
          return w.find(name) != std::string::npos;
        })) << name;
      }
    }
  }
}

/// "primitive=inside,outside; edge=.."
void expectGroups(const Row& row, const Geometry& geometry) {
  for (const std::string& section : split(row.groups, "; ")) {
    const std::string kind = section.substr(0, section.find('='));
    const std::vector<std::string> names = split(section.substr(section.find('=') + 1), ",");
    std::vector<std::string> ours;
    if (kind == "edge")
      for (const EdgeGroup& g : geometry.edgeGroups()) ours.push_back(g.name);
    else
      for (const Group& g : geometry.groups(kind == "point" ? Owner::Point : Owner::Primitive))
        ours.push_back(g.name);
    EXPECT_EQ(ours, names);
  }
}

class HoudiniFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(kFolder / "INDEX.tsv")) GTEST_SKIP() << "no sample files";
  }
};

TEST_F(HoudiniFiles, AgreeWithTheIndependentReader) {
  size_t read = 0;
  for (const Row& row : table()) {
    if (row.malformed()) continue;
    SCOPED_TRACE(row.file);
    Context context;
    const Geometry geometry = readGeometry(kFolder / row.file, context);
    geometry.checkInvariants();
    EXPECT_EQ(geometry.pointCount(), row.points);
    if (row.records != "run:PolySoup") {
      EXPECT_EQ(geometry.vertexCount(), row.vertices);
      EXPECT_EQ(geometry.primitiveCount(), row.primitives);
    }
    expectAttributes(row, geometry, context.warnings());
    expectGroups(row, geometry);
    ++read;
  }
  EXPECT_GE(read, 30u);
}

TEST_F(HoudiniFiles, SurviveWritingInEveryForm) {
  for (const Row& row : table()) {
    if (row.malformed()) continue;
    SCOPED_TRACE(row.file);
    Context context;
    const Geometry once = readGeometry(kFolder / row.file, context);
    for (const char* extension : {"bgeo", "geo", "bgeo.sc", "geo.gz", "bgeo.gz", "geo.sc"}) {
      SCOPED_TRACE(extension);
      const std::string bytes = houdini::writeGeometryFile(once, extension, context);
      const Geometry twice = houdini::readGeometryFile(bytes, {}, context);
      EXPECT_EQ(difference(once, twice), "");
      EXPECT_TRUE(houdini::writeGeometryFile(twice, extension, context) == bytes);
    }
  }
}

TEST_F(HoudiniFiles, AreRefusedWithTheReasonIfDamagedOrClassic) {
  const std::map<std::string, std::string> reasons{
      {"crafted/box_badmagic.bgeo", "byte 0"},
      {"crafted/box_truncated.bgeo", "byte "},
      {"crafted/pighead_truncated.bgeo.sc", "byte 71015"},
      {"laika_badgrid.geo", "tuple 3 has 3 numbers instead of 4"},
      {"partio_classic_reindeer.bgeo", "Houdini 11 and earlier"},
      {"partio_classic_scatter.bgeo", "Houdini 11 and earlier"},
  };
  for (const Row& row : table()) {
    if (!row.malformed()) continue;
    SCOPED_TRACE(row.file);
    Context context;
    try {
      readGeometry(kFolder / row.file, context);
      ADD_FAILURE() << "was read";
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      EXPECT_NE(std::string(e.what()).find(reasons.at(row.file)), std::string::npos) << e.what();
    }
  }
}

TEST_F(HoudiniFiles, GiveTheSameGeometryInEveryContainerAndByteOrder) {
  Context context;
  const auto read = [&](const char* name) { return readGeometry(kFolder / name, context); };
  const Geometry box = read("geoconverter_H19.5_box.bgeo");
  for (const char* other : {"geoconverter_H19.5_box.geo", "crafted/box.bgeo.gz", "crafted/box.bgeo.sc",
                            "crafted/box_bigendian.bgeo"})
    EXPECT_EQ(difference(box, read(other)), "") << other;
  const Geometry pig = read("labs_H18.5_pighead_groups.bgeo.sc");
  for (const char* other : {"crafted/pighead_groups.bgeo.gz", "crafted/pighead_smallblocks.bgeo.sc"})
    EXPECT_EQ(difference(pig, read(other)), "") << other;
}

double signedVolume(const Geometry& g) {
  double six = 0;
  for (size_t p = 0; p < g.primitiveCount(); ++p) {
    const Span<const int32_t> c = g.corners(p);
    const auto at = [&](size_t i) { return g.position(static_cast<size_t>(c[i])); };
    if (g.primitiveType(p) == PrimitiveType::Tetrahedron)
      six += (at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0)));
    else
      for (size_t i = 2; i < c.size(); ++i) six += at(0).dot(at(i - 1).cross(at(i)));
  }
  return six / 6;
}

TEST_F(HoudiniFiles, TurnCounterClockwise) {
  Context context;
  EXPECT_DOUBLE_EQ(signedVolume(readGeometry(kFolder / "houio_H13_box.geo", context)), 1.0);
  EXPECT_DOUBLE_EQ(signedVolume(readGeometry(kFolder / "labs_H18.5_box.bgeo.sc", context)), 1.0);
  const Geometry tets = readGeometry(kFolder / "hgeoio_H20.5_tets_twoballs.geo", context);
  for (size_t p = 0; p < tets.primitiveCount(); ++p) {
    const std::vector<int32_t> one{static_cast<int32_t>(p)};
    ASSERT_GT(signedVolume(tets.extract(one)), 0.0) << p;
  }
}

TEST_F(HoudiniFiles, PolySoupsBecomePolygons) {
  Context context;
  const Geometry soup = readGeometry(kFolder / "laika_psoup_cubes_16.geo", context);
  EXPECT_EQ(soup.primitiveCount(), 6u + 7u + 12u + 32u);
  EXPECT_EQ(soup.countOf(PrimitiveType::Polygon), soup.primitiveCount());
  const Attribute* piece = soup.findAttribute(Owner::Primitive, "class");
  ASSERT_NE(piece, nullptr);
  EXPECT_EQ(piece->number(0), piece->number(5));
  EXPECT_NE(piece->number(5), piece->number(6));
}

TEST_F(HoudiniFiles, FragmentsShareTheirGeometry) {
  Context context;
  const Geometry rbd = readGeometry(kFolder / "labs_H18.5_rbd_packedfragments_bullet.bgeo.sc", context);
  ASSERT_EQ(rbd.countOf(PrimitiveType::Packed), 30u);
  for (size_t p = 0; p < 30; ++p) {
    EXPECT_EQ(rbd.packed(p).source, rbd.packed(0).source);
    EXPECT_EQ(rbd.packed(p).fragmentAttribute, "name");
  }
  EXPECT_EQ(rbd.packed(0).fragmentName, "piece0");
  const Geometry again =
      houdini::readGeometryFile(houdini::writeGeometryFile(rbd, "bgeo", context), {}, context);
  EXPECT_EQ(again.packed(29).source, again.packed(0).source);
  EXPECT_EQ(readGeometry(kFolder / "laika_packed_disk_16_5.geo", context).packed(0).fileName, "sphere.bgeo");
}

TEST_F(HoudiniFiles, NativeVolumesBecomeGrids) {
  Context context;
  const Geometry two = readGeometry(kFolder / "laika_vol2_shared_16.geo", context);
  ASSERT_EQ(two.countOf(PrimitiveType::Volume), 2u);
  EXPECT_EQ(two.volume(0)->name(), "density");
  EXPECT_EQ(two.volume(0)->activeVoxelCount(), 2u);
  // 4 x 3 x 3 voxels in a box of half sizes 1.9918, 1.49385, 1.49385: voxel (1, 1, 1) is 17 values in.
  const Vec3 half(1.99180067, 1.49385047, 1.49385047), voxel(half.x() / 2, half.y() / 1.5, half.z() / 1.5);
  const Vec3 centre = -half + 1.5 * voxel;
  EXPECT_NEAR(sampleGrid(*two.volume(0), centre), 0.729885101, 1e-6);
  EXPECT_NEAR(sampleGrid(*two.volume(0), centre + Vec3(voxel.x(), 0, 0)), 0.446920753, 1e-6);
  EXPECT_NEAR(sampleGrid(*two.volume(1), centre + Vec3(2.9, 0, 0)), 0.729885101, 1e-6);
  EXPECT_FALSE(context.warnings().empty());

  const Geometry dense = readGeometry(kFolder / "houio_H13_native_volume.bgeo", context);
  EXPECT_NEAR(sampleGrid(*dense.volume(0), Vec3(-0.45, -0.45, -0.45)), 6.22317903e-02, 1e-7);
  const Geometry field = readGeometry(kFolder / "labs_H18.5_heightfield_volumes.bgeo.sc", context);
  EXPECT_EQ(field.countOf(PrimitiveType::Volume), 4u);
}

/// What we write, seen by the independent reader.
TEST_F(HoudiniFiles, AreReadBackByTheIndependentReader) {
  const fs::path tool = fs::path(HACKLE_TEST_DATA).parent_path() / "tools" / "hgeo_inspect.py";
  const char* python = "/usr/bin/python3";
  if (!fs::exists(tool) || !fs::exists(python)) GTEST_SKIP() << "no independent reader";
  if (std::system("/usr/bin/python3 -c 'import numpy' 2>/dev/null") != 0) GTEST_SKIP() << "no numpy";
  const fs::path folder = fs::temp_directory_path() / fmt::format("hackle-houdini-{}", ::getpid());
  fs::create_directories(folder);
  std::map<std::string, Row> written;
  std::string command = fmt::format("{} {}", python, tool.string());
  for (const Row& row : table()) {
    if (row.malformed() || row.records == "run:PolySoup") continue;
    Context context;
    const Geometry geometry = readGeometry(kFolder / row.file, context);
    for (const char* extension : {"bgeo", "geo", "bgeo.gz"}) {
      const fs::path path = folder / fmt::format("f{}.{}", written.size(), extension);
      writeGeometry(path, geometry, context);
      written.emplace(path.string(), row);
      command += " " + path.string();
    }
  }
  std::string output;
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char buffer[4096];
  while (const size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, n);
  ::pclose(pipe);
  for (const auto& [path, row] : written) {
    SCOPED_TRACE(row.file + " as " + path);
    const size_t at = output.find(path + "\n");
    ASSERT_NE(at, std::string::npos) << output.substr(0, 2000);
    const std::string wanted =
        fmt::format("19.5.0 pts {} vtx {} prims {}\n", row.points, row.vertices, row.primitives);
    EXPECT_NE(output.substr(at, 400).find(wanted), std::string::npos) << output.substr(at, 400);
    if (path.find(".bgeo") != std::string::npos) {
      EXPECT_NE(output.substr(at, output.find(folder.string(), at + path.size()) - at).find("trailing 0"),
                std::string::npos);
    }
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace hackle
