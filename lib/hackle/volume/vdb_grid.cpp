#include <hackle/volume/vdb_grid.h>

#include <hackle/core/error.h>
#include <hackle/volume/grid.h>

#include <openvdb/tools/Interpolation.h>

#include <mutex>

namespace hackle {

namespace {

openvdb::Mat4d rowMatrix(const Mat3& linear, const Vec3& offset) {
  openvdb::Mat4d m = openvdb::Mat4d::identity();
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) m[row][column] = linear(column, row);
  for (int column = 0; column < 3; ++column) m[3][column] = offset[column];
  return m;
}

void checkInvertible(const Mat3& linear, const Vec3& offset) {
  if (!linear.allFinite() || !offset.allFinite() || linear.determinant() == 0)
    throw Error(ErrorCode::BadInput, "a volume has a transform that is singular or not finite",
                "give it a size in all three directions");
}

/// OpenVDB takes a map for singular if its determinant is below 1e-15 or so.
template <class F>
auto withoutVdbErrors(const F& f) {
  try {
    return f();
  } catch (const openvdb::Exception&) {
    throw Error(ErrorCode::BadInput, "the voxels of a volume are too small for OpenVDB, or nearly flat",
                "make them larger than 0.00001 m; scale small solids up first, with the operator transform");
  }
}

openvdb::CoordBBox coordBox(const std::array<int, 3>& origin, const std::array<int, 3>& size) {
  const openvdb::Coord first(origin[0], origin[1], origin[2]);
  return {first, first.offsetBy(size[0] - 1, size[1] - 1, size[2] - 1)};
}

using SampledGrids = openvdb::TypeList<openvdb::FloatGrid, openvdb::DoubleGrid, openvdb::Int32Grid,
                                       openvdb::Int64Grid, openvdb::Vec3SGrid, openvdb::Vec3DGrid>;

}  // namespace

void initialiseVdb() {
  static std::once_flag once;
  std::call_once(once, [] { openvdb::initialize(); });
}

const VdbGrid& vdbGrid(const VolumeGrid& grid) {
  const VdbGrid* known = dynamic_cast<const VdbGrid*>(&grid);
  HACKLE_ASSERT(known != nullptr);
  return *known;
}

openvdb::math::Transform::Ptr vdbTransform(const Mat3& linear, const Vec3& offset) {
  checkInvertible(linear, offset);
  return withoutVdbErrors(
      [&] { return openvdb::math::Transform::createLinearTransform(rowMatrix(linear, offset)); });
}

// VdbGrid -----------------------------------------------------------------------------------------------

VdbGrid::VdbGrid(openvdb::GridBase::ConstPtr grid) : mGrid(std::move(grid)) {
  HACKLE_ASSERT(mGrid != nullptr);
}

std::string VdbGrid::name() const { return mGrid->getName(); }
std::string VdbGrid::valueType() const { return mGrid->valueType(); }
std::string VdbGrid::gridClass() const { return openvdb::GridBase::gridClassToString(mGrid->getGridClass()); }
uint64_t VdbGrid::activeVoxelCount() const { return mGrid->activeVoxelCount(); }

Box3 VdbGrid::bounds() const {
  Box3 box;
  const openvdb::CoordBBox voxels = mGrid->evalActiveVoxelBoundingBox();
  if (voxels.empty()) return box;
  for (int corner = 0; corner < 8; ++corner) {
    openvdb::Vec3d index;
    for (int axis = 0; axis < 3; ++axis)
      index[axis] = (corner >> axis & 1) ? voxels.max()[axis] + 0.5 : voxels.min()[axis] - 0.5;
    const openvdb::Vec3d world = mGrid->indexToWorld(index);
    box.add(Vec3(world.x(), world.y(), world.z()));
  }
  return box;
}

Vec3 VdbGrid::voxelSize() const {
  const openvdb::Vec3d size = mGrid->voxelSize();
  return {size.x(), size.y(), size.z()};
}

VolumePtr VdbGrid::transformed(const Mat3& linear, const Vec3& offset) const {
  checkInvertible(linear, offset);
  openvdb::math::Transform::Ptr moved = mGrid->transform().copy();
  withoutVdbErrors([&] {
    if (linear == Mat3::Identity())
      moved->postTranslate({offset.x(), offset.y(), offset.z()});
    else
      moved->postMult(rowMatrix(linear, offset));
  });
  return std::make_shared<VdbGrid>(mGrid->copyGridReplacingTransform(moved));
}

// Making and asking -------------------------------------------------------------------------------------

struct FloatGridBuilder::Impl {
  openvdb::FloatGrid::Ptr grid;
  openvdb::FloatGrid::Accessor accessor;
  explicit Impl(float background)
      : grid(openvdb::FloatGrid::create(background)), accessor(grid->getAccessor()) {}
};

FloatGridBuilder::FloatGridBuilder(float background) {
  initialiseVdb();
  mImpl = std::make_unique<Impl>(background);
}

FloatGridBuilder::~FloatGridBuilder() = default;

void FloatGridBuilder::set(const std::array<int, 3>& origin, const std::array<int, 3>& size,
                           Span<const float> values) {
  const float background = mImpl->grid->background();
  size_t i = 0;
  for (int z = 0; z < size[2]; ++z)
    for (int y = 0; y < size[1]; ++y)
      for (int x = 0; x < size[0]; ++x, ++i)
        if (values[i] != background)
          mImpl->accessor.setValueOn({origin[0] + x, origin[1] + y, origin[2] + z}, values[i]);
}

void FloatGridBuilder::fill(const std::array<int, 3>& origin, const std::array<int, 3>& size, float value) {
  if (value != mImpl->grid->background()) mImpl->grid->fill(coordBox(origin, size), value, true);
}

VolumePtr FloatGridBuilder::finish(const std::string& name, const GridTransform& transform, bool levelSet) {
  openvdb::FloatGrid::Ptr grid = mImpl->grid;
  mImpl = std::make_unique<Impl>(grid->background());
  grid->tree().prune();
  grid->setName(name);
  if (levelSet) grid->setGridClass(openvdb::GRID_LEVEL_SET);
  grid->setTransform(vdbTransform(transform.linear, transform.offset));
  return std::make_shared<VdbGrid>(grid);
}

VolumePtr makeFloatGrid(const std::string& name, const std::array<int, 3>& resolution,
                        Span<const float> values, float background, const GridTransform& transform) {
  size_t count = 1;
  for (const int r : resolution) {
    HACKLE_ASSERT(r >= 0);
    count *= static_cast<size_t>(r);
  }
  HACKLE_ASSERT(values.size() == count);
  FloatGridBuilder builder(background);
  builder.set({0, 0, 0}, resolution, values);
  return builder.finish(name, transform);
}

Vec3 sampleVectorGrid(const VolumeGrid& grid, const Vec3& position) {
  Vec3 value = Vec3::Zero();
  const bool sampled = vdbGrid(grid).grid().apply<SampledGrids>([&](const auto& typed) {
    using Grid = std::decay_t<decltype(typed)>;
    const openvdb::tools::GridSampler<Grid, openvdb::tools::BoxSampler> sampler(typed);
    const auto result = sampler.wsSample({position.x(), position.y(), position.z()});
    if constexpr (openvdb::VecTraits<typename Grid::ValueType>::IsVec) {
      const openvdb::Vec3d vector(result);
      value = Vec3(vector.x(), vector.y(), vector.z());
    } else {
      value = Vec3::Constant(static_cast<double>(result));
    }
  });
  if (!sampled)
    throw Error(ErrorCode::BadInput, "the grid \"" + grid.name() + "\" holds " + grid.valueType() +
                                         " values, which cannot be interpolated");
  return value;
}

double sampleGrid(const VolumeGrid& grid, const Vec3& position) {
  const Vec3 value = sampleVectorGrid(grid, position);
  return grid.valueType().compare(0, 3, "vec") == 0 ? value.norm() : value.x();
}

Vec3 gridOrigin(const VolumeGrid& grid) {
  const openvdb::Vec3d origin = vdbGrid(grid).grid().indexToWorld(openvdb::Vec3d(0.0));
  return {origin.x(), origin.y(), origin.z()};
}

VolumePtr renamedGrid(const VolumeGrid& grid, const std::string& name) {
  const openvdb::GridBase& old = vdbGrid(grid).grid();
  openvdb::MetaMap metadata(old);
  metadata.removeMeta(openvdb::GridBase::META_GRID_NAME);
  metadata.insertMeta(openvdb::GridBase::META_GRID_NAME, openvdb::StringMetadata(name));
  return std::make_shared<VdbGrid>(old.copyGridReplacingMetadata(metadata));
}

}  // namespace hackle
