#include "vdb_seeds.h"

#include <openvdb/io/Stream.h>
#include <openvdb/openvdb.h>

#include <fstream>

namespace {

using namespace openvdb;

template <class Grid>
GridBase::Ptr smallGrid(typename Grid::ValueType background, typename Grid::ValueType value) {
  typename Grid::Ptr grid = Grid::create(background);
  grid->setName("seed");
  auto accessor = grid->getAccessor();
  for (int i = 0; i < 20; ++i) accessor.setValue({i, 3 * i % 8, i % 5}, value);
  accessor.setValueOff({1, 1, 1}, value);
  grid->tree().addTile(1, {8, 0, 0}, value, true);
  return grid;
}

}  // namespace

void writeVdbSeeds(const std::filesystem::path& folder) {
  initialize();
  GridPtrVec grids{smallGrid<FloatGrid>(0.5f, 2.25f),
                   smallGrid<DoubleGrid>(-1, 1e-9),
                   smallGrid<Int32Grid>(0, -7),
                   smallGrid<Int64Grid>(1, int64_t(1) << 40),
                   smallGrid<Vec3SGrid>(Vec3s(0), Vec3s(1, 2, 3)),
                   smallGrid<Vec3DGrid>(Vec3d(1), Vec3d(1, 2, 3)),
                   smallGrid<Vec3IGrid>(Vec3i(0), Vec3i(1, 2, 3)),
                   smallGrid<BoolGrid>(false, true),
                   smallGrid<MaskGrid>(false, true),
                   smallGrid<FloatGrid>(0, 1),
                   smallGrid<Vec3SGrid>(Vec3s(0), Vec3s(1))};
  grids[9]->setSaveFloatAsHalf(true);
  grids[9]->setTransform(math::Transform::createFrustumTransform(BBoxd(Vec3d(0), Vec3d(10)), 0.5, 2.0));
  grids[10]->setSaveFloatAsHalf(true);
  grids[10]->setGridClass(GRID_STAGGERED);
  // Some compression always: without any, every value of an inner node is in the file.
  constexpr uint32_t kCompressions[] = {io::COMPRESS_ZIP, io::COMPRESS_ACTIVE_MASK,
                                        io::COMPRESS_ACTIVE_MASK | io::COMPRESS_ZIP,
                                        io::COMPRESS_ACTIVE_MASK | io::COMPRESS_BLOSC};
  for (size_t i = 0; i < grids.size(); ++i) {
    std::ofstream out(folder / ("grid" + std::to_string(i) + ".vdb"), std::ios::binary);
    io::Stream stream(out);
    stream.setCompression(kCompressions[i % 4]);
    // The last one twice: it is written as an instance.
    stream.write(i + 1 < grids.size() ? GridCPtrVec{grids[i]} : GridCPtrVec{grids[i], grids[i]->copyGrid()});
  }
}
