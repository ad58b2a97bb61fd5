// OpenVDB grids behind VolumeGrid: every type to bytes and back, and damaged files.
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/io/vdb.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/vdb_check.h>
#include <hackle/volume/vdb_grid.h>

#include <gtest/gtest.h>
#include <openvdb/io/Stream.h>

#include <sstream>

namespace hackle {
namespace {

GridTransform someTransform() {
  GridTransform t;
  t.linear << 0.5, 0.1, 0, -0.1, 0.25, 0, 0, 0, 2;
  t.offset = Vec3(1, 2, 3);
  return t;
}

TEST(Grid, DenseValuesComeBackAtTheirPlaces) {
  std::vector<float> values(3 * 4 * 5);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) + 1;
  const GridTransform t = someTransform();
  const VolumePtr grid = makeFloatGrid("density", {3, 4, 5}, values, 0, t);
  EXPECT_EQ(grid->name(), "density");
  EXPECT_EQ(grid->valueType(), "float");
  EXPECT_EQ(grid->gridClass(), "unknown");
  EXPECT_EQ(grid->activeVoxelCount(), 60u);
  EXPECT_EQ(gridOrigin(*grid), t.offset);
  size_t i = 0;
  for (int z = 0; z < 5; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 3; ++x, ++i)
        EXPECT_NEAR(sampleGrid(*grid, t.linear * Vec3(x, y, z) + t.offset), values[i], 1e-4);
  // Half way between two voxels, and far outside.
  EXPECT_NEAR(sampleGrid(*grid, t.linear * Vec3(0.5, 0, 0) + t.offset), 1.5, 1e-5);
  EXPECT_EQ(sampleGrid(*grid, Vec3(100, 100, 100)), 0);
}

TEST(Grid, BackgroundStaysInactive) {
  FloatGridBuilder builder(7);
  builder.fill({0, 0, 0}, {16, 16, 16}, 7);
  builder.set({0, 0, 0}, {2, 1, 1}, std::vector<float>{7, 8});
  builder.fill({32, 0, 0}, {16, 8, 1}, 9);
  EXPECT_EQ(builder.finish("", {})->activeVoxelCount(), 1u + 128u);
}

TEST(Grid, BoundsAreAroundTheVoxels) {
  GridTransform t;
  t.linear = Vec3(0.5, 1, 2).asDiagonal();
  t.offset = Vec3(10, 0, 0);
  const VolumePtr grid = makeFloatGrid("", {2, 1, 1}, std::vector<float>{1, 1}, 0, t);
  EXPECT_TRUE(grid->bounds().min.isApprox(Vec3(9.75, -0.5, -1)));
  EXPECT_TRUE(grid->bounds().max.isApprox(Vec3(10.75, 0.5, 1)));
  EXPECT_TRUE(grid->voxelSize().isApprox(Vec3(0.5, 1, 2)));
  EXPECT_TRUE(makeFloatGrid("", {1, 1, 1}, std::vector<float>{0}, 0, t)->bounds().empty());
}

TEST(Grid, MovedAndRenamedCopiesShareTheVoxels) {
  const VolumePtr grid = makeFloatGrid("a", {2, 2, 2}, std::vector<float>(8, 1), 0, someTransform());
  Mat3 turn;
  turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
  const VolumePtr moved = grid->transformed(turn, Vec3(1, 1, 1));
  EXPECT_TRUE(gridOrigin(*moved).isApprox(turn * gridOrigin(*grid) + Vec3(1, 1, 1)));
  const VolumePtr renamed = renamedGrid(*moved, "b");
  EXPECT_EQ(renamed->name(), "b");
  EXPECT_EQ(grid->name(), "a");
  EXPECT_EQ(&vdbGrid(*grid).grid().constBaseTree(), &vdbGrid(*renamed).grid().constBaseTree());
  EXPECT_THROW(grid->transformed(Mat3::Zero(), Vec3::Zero()), Error);
}

TEST(Grid, VoxelsThatOpenVdbCannotTakeAreRefused) {
  const auto grid = [](double size) {
    GridTransform t;
    t.linear *= size;
    return makeFloatGrid("", {1, 1, 1}, std::vector<float>{1}, 0, t);
  };
  EXPECT_NEAR(grid(1e-4)->voxelSize().x(), 1e-4, 1e-16);
  EXPECT_THROW(grid(1e-6), Error);
  EXPECT_THROW(grid(0), Error);
  EXPECT_THROW(grid(NAN), Error);
  EXPECT_THROW(grid(1)->transformed(1e-6 * Mat3::Identity(), Vec3::Zero()), Error);
}

// Every type ----------------------------------------------------------------------------------------------

template <class Grid>
openvdb::GridBase::Ptr sparseGrid(const std::string& name, typename Grid::ValueType background,
                                  typename Grid::ValueType value) {
  typename Grid::Ptr grid = Grid::create(background);
  grid->setName(name);
  grid->setTransform(vdbTransform(someTransform().linear, someTransform().offset));
  auto accessor = grid->getAccessor();
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const auto at = [&] { return static_cast<int>(random.below(300)) - 150 + (i % 2 ? 5000 : 0); };
    accessor.setValue({at(), at(), at()}, value);
  }
  grid->fill({{0, 0, 0}, {63, 63, 63}}, value);  // tiles
  accessor.setValueOff({70, 70, 70}, value);     // an inactive value
  return grid;
}

openvdb::GridCPtrVec everyType() {
  initialiseVdb();
  using namespace openvdb;
  GridCPtrVec grids{sparseGrid<FloatGrid>("float", 0.5f, 2.25f),
                    sparseGrid<DoubleGrid>("double", -1, 1e-9),
                    sparseGrid<Int32Grid>("int32", 0, -7),
                    sparseGrid<Int64Grid>("int64", 1, int64_t(1) << 40),
                    sparseGrid<Vec3SGrid>("vec3s", Vec3s(0), Vec3s(1, 2, 3)),
                    sparseGrid<Vec3DGrid>("vec3d", Vec3d(1), Vec3d(1, 2, 3)),
                    sparseGrid<Vec3IGrid>("vec3i", Vec3i(0), Vec3i(1, 2, 3)),
                    sparseGrid<BoolGrid>("bool", false, true),
                    sparseGrid<MaskGrid>("mask", false, true),
                    FloatGrid::create(3)};
  FloatGrid::Ptr half = gridPtrCast<FloatGrid>(grids[0]->deepCopyGrid());
  half->setSaveFloatAsHalf(true);
  half->setGridClass(GRID_LEVEL_SET);
  half->insertMeta("note", StringMetadata("hello"));
  half->insertMeta("box", Vec3IMetadata(Vec3i(1, 2, 3)));
  grids.push_back(half);
  FloatGrid::Ptr noisy = FloatGrid::create(0.1f);  // many inactive values: no mask compression
  Random random(9);
  for (int i = 0; i < 512; ++i)
    noisy->tree().setValueOff(Coord(i % 8, i / 8 % 8, i / 64), static_cast<float>(random.uniform()));
  noisy->setTransform(math::Transform::createFrustumTransform(BBoxd(Vec3d(0), Vec3d(10)), 0.5, 2.0));
  grids.push_back(noisy);
  grids.push_back(grids[0]->copyGrid());  // shares its tree: an instance
  return grids;
}

std::string asStream(const openvdb::GridCPtrVec& grids, uint32_t compression) {
  std::ostringstream out;
  openvdb::io::Stream stream(out);
  stream.setCompression(compression);
  stream.write(grids);
  return out.str();
}

/// The check walks the same way as OpenVDB does if it ends at the last byte.
TEST(Grid, TheCheckFindsItsWayThroughEveryType) {
  const openvdb::GridCPtrVec grids = everyType();
  // None, zlib, Blosc, and each with values of active voxels only.
  for (const uint32_t compression : {0u, 1u, 4u, 2u, 3u, 6u}) {
    std::string bytes = asStream(grids, compression);
    const std::string checked = checkVdb(bytes).bytes;
    const std::string hint = "__delayedload";  // its type is hidden from OpenVDB
    for (size_t at; (at = bytes.find(hint)) != std::string::npos;)
      bytes.replace(at, hint.size(), hint.size(), '_');
    EXPECT_EQ(checked.size(), bytes.size()) << compression;
    EXPECT_TRUE(checked == bytes) << compression;
  }
}

TEST(Grid, EveryTypeSurvivesAFile) {
  std::vector<VolumePtr> volumes;
  for (const auto& grid : everyType()) volumes.push_back(std::make_shared<VdbGrid>(grid));
  Context context;
  const std::string bytes = gridsToVdb(volumes);
  EXPECT_TRUE(gridsToVdb(volumes) == bytes);
  const std::vector<VolumePtr> back = gridsFromVdb(bytes, context);
  ASSERT_EQ(back.size(), volumes.size());
  for (size_t i = 0; i < back.size(); ++i) {
    EXPECT_EQ(back[i]->name(), volumes[i]->name());
    EXPECT_EQ(back[i]->valueType(), volumes[i]->valueType());
    EXPECT_EQ(back[i]->activeVoxelCount(), volumes[i]->activeVoxelCount());
    EXPECT_TRUE(gridToBytes(*back[i]) == gridToBytes(*volumes[i])) << volumes[i]->name();
  }
  EXPECT_TRUE(gridsToVdb(back) == bytes);
  EXPECT_TRUE(context.warnings().empty());
  EXPECT_THROW(sampleGrid(*back[7], Vec3(0, 0, 0)), Error);  // booleans
  EXPECT_NEAR(sampleGrid(*back[4], Vec3(someTransform().linear * Vec3(9, 9, 9) + someTransform().offset)),
              std::sqrt(14.0), 1e-5);
}

TEST(Grid, FilesOfVolumesKeepTheirNames) {
  Geometry g;
  g.addVolume(makeFloatGrid("x", {1, 1, 1}, std::vector<float>{1}, 0, someTransform()));
  g.addVolume(makeFloatGrid("y", {1, 1, 1}, std::vector<float>{2}, 0, someTransform()));
  g.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1)).setString(1, "density");
  g.addPoint(Vec3(0, 0, 0));
  g.addPolygon({0, 1, 2});
  Context context;
  const Geometry back = readVdbFile(writeVdbFile(g, "vdb", context), {}, context);
  ASSERT_EQ(back.primitiveCount(), 2u);
  EXPECT_EQ(back.findAttribute(Owner::Primitive, "name")->string(0), "x");
  EXPECT_EQ(back.findAttribute(Owner::Primitive, "name")->string(1), "density");
  EXPECT_EQ(back.volume(1)->name(), "density");
  EXPECT_EQ(back.position(0), someTransform().offset);
  ASSERT_EQ(context.warnings().size(), 1u);
  EXPECT_NE(context.warnings()[0].find("1 polygon"), std::string::npos);
}

// Damage --------------------------------------------------------------------------------------------------

TEST(Grid, CutOffFilesAreRefusedWithTheByte) {
  const std::string bytes =
      asStream(everyType(), openvdb::io::COMPRESS_ACTIVE_MASK | openvdb::io::COMPRESS_BLOSC);
  Context context;
  for (size_t length = 0; length < bytes.size(); length += 1 + length / 20) {
    try {
      gridsFromVdb(std::string_view(bytes).substr(0, length), context);
      ADD_FAILURE() << length;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      EXPECT_NE(std::string(e.what()).find("byte "), std::string::npos) << e.what();
    }
  }
}

TEST(Grid, DamageIsRefusedOrHarmless) {
  const openvdb::GridCPtrVec all = everyType();
  Context context;
  Random random(21);
  for (int trial = 0; trial < 60; ++trial) {
    const openvdb::GridCPtrVec one{all[random.below(all.size() - 1)]};
    std::string bytes = asStream(one, static_cast<uint32_t>(random.below(8)));
    for (int i = 0; i < 3; ++i)
      bytes[random.below(trial % 2 ? bytes.size() : std::min<size_t>(bytes.size(), 1000))] =
          static_cast<char>(random.below(256));
    try {
      for (const VolumePtr& grid : gridsFromVdb(bytes, context)) grid->bounds();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
    }
  }
}

TEST(Grid, TruthValuesAreZeroOrOne) {
  // At the end: background, numbers of tiles and nodes, then the tile: place, value, whether it is on.
  openvdb::BoolGrid::Ptr grid = openvdb::BoolGrid::create(false);
  grid->tree().addTile(3, {0, 0, 0}, true, true);
  const std::string bytes = asStream({grid}, 0);
  Context context;
  EXPECT_EQ(gridsFromVdb(bytes, context).size(), 1u);
  for (const size_t fromEnd : {2, 23}) {  // the tile's value, the background
    std::string damaged = bytes;
    ASSERT_LE(static_cast<uint8_t>(damaged[damaged.size() - fromEnd]), 1) << fromEnd;
    damaged[damaged.size() - fromEnd] = 6;
    EXPECT_THROW(gridsFromVdb(damaged, context), Error) << fromEnd;
  }
}

TEST(Grid, TypeAndMetadataMustAgreeAboutHalfFloats) {
  openvdb::GridBase::Ptr grid = sparseGrid<openvdb::Vec3SGrid>("half", openvdb::Vec3s(0), openvdb::Vec3s(1));
  grid->setSaveFloatAsHalf(true);
  const std::string bytes = asStream({grid}, openvdb::io::COMPRESS_ZIP);
  Context context;
  EXPECT_EQ(gridsFromVdb(bytes, context).size(), 1u);
  const std::string flag = "is_saved_as_half_float";
  std::string renamed = bytes, cleared = bytes, suffix = bytes;
  const size_t at = bytes.find(flag);
  renamed[at] = 'x';
  cleared[at + flag.size() + 4 + 4 + 4] = 0;  // after the lengths of type and value, and "bool"
  suffix.replace(suffix.find("_HalfFloat") - 20, 30, std::string("\x10\0\0\0Tree_vec3s_5_4_3", 20));
  for (const std::string& damaged : {renamed, cleared, suffix})
    EXPECT_THROW(gridsFromVdb(damaged, context), Error);
}

TEST(Grid, OtherVersionsAreRefusedWithTheRemedy) {
  std::string bytes = asStream({}, 0);
  bytes[8] = char(0xd5);  // version 213
  Context context;
  try {
    gridsFromVdb(bytes, context);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("version 213"), std::string::npos);
    EXPECT_FALSE(e.remedy().empty());
  }
}

}  // namespace
}  // namespace hackle
