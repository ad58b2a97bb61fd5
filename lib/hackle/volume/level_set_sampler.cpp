#include <hackle/volume/level_set_sampler.h>

#include <hackle/volume/level_set_grid.h>

#include <cmath>

namespace hackle {

namespace {

using openvdb::Coord;
using Leaf = openvdb::FloatTree::LeafNodeType;
constexpr int kLeaf = static_cast<int>(Leaf::DIM);

double mix(double a, double b, double t) { return a + t * (b - a); }

/// c[4 x + 2 y + z] are the values at the corners of a cell.
double trilinear(const double* c, const Vec3& t) {
  const double x0 = mix(mix(c[0], c[1], t.z()), mix(c[2], c[3], t.z()), t.y());
  const double x1 = mix(mix(c[4], c[5], t.z()), mix(c[6], c[7], t.z()), t.y());
  return mix(x0, x1, t.x());
}

}  // namespace

struct LevelSetSampler::Impl {
  VdbGrid keep;
  const openvdb::FloatTree& tree;
  explicit Impl(const VolumeGrid& grid) : keep(vdbGrid(grid).pointer()), tree(levelSetGrid(grid).tree()) {}
};

LevelSetSampler::LevelSetSampler(const VolumeGrid& grid) : mImpl(std::make_unique<Impl>(grid)) {
  const openvdb::GridBase& base = vdbGrid(grid).grid();
  const openvdb::Vec3d origin = base.indexToWorld(openvdb::Vec3d(0.0));
  mTransform.offset = Vec3(origin.x(), origin.y(), origin.z());
  for (int a = 0; a < 3; ++a) {
    openvdb::Vec3d step(0.0);
    step[a] = 1.0;
    const openvdb::Vec3d column = base.indexToWorld(step) - origin;
    mTransform.linear.col(a) = Vec3(column.x(), column.y(), column.z());
  }
  const openvdb::CoordBBox box = base.evalActiveVoxelBoundingBox();
  if (box.empty()) return;
  mBounds.add(Vec3(box.min().x(), box.min().y(), box.min().z()));
  mBounds.add(Vec3(box.max().x(), box.max().y(), box.max().z()));
}

LevelSetSampler::~LevelSetSampler() = default;

double LevelSetSampler::operator()(const Vec3& p) const {
  const Vec3 floor(std::floor(p.x()), std::floor(p.y()), std::floor(p.z()));
  const Coord low(static_cast<int>(floor.x()), static_cast<int>(floor.y()), static_cast<int>(floor.z()));
  const openvdb::FloatTree& tree = mImpl->tree;
  if (p == floor) return tree.getValue(low);
  double corner[8];
  const Coord local(low.x() & (kLeaf - 1), low.y() & (kLeaf - 1), low.z() & (kLeaf - 1));
  const bool oneLeaf = local.x() + 1 < kLeaf && local.y() + 1 < kLeaf && local.z() + 1 < kLeaf;
  const Leaf* leaf = oneLeaf ? tree.probeConstLeaf(low) : nullptr;
  for (int i = 0; i < 8; ++i) {
    const Coord at = low.offsetBy(i >> 2 & 1, i >> 1 & 1, i & 1);
    corner[i] = leaf ? leaf->getValue(at) : tree.getValue(at);
  }
  return trilinear(corner, p - floor);
}

bool LevelSetSampler::mayCross(const Box3& box) const {
  const auto cell = [](double x) { return static_cast<int>(std::floor(x)) >> 3; };
  static_assert(kLeaf == 8, "leaves are 8 voxels wide");
  bool inside = false, outside = false;
  for (int x = cell(box.min.x()); x <= cell(box.max.x() + 1); ++x)
    for (int y = cell(box.min.y()); y <= cell(box.max.y() + 1); ++y)
      for (int z = cell(box.min.z()); z <= cell(box.max.z() + 1); ++z) {
        const Coord first(kLeaf * x, kLeaf * y, kLeaf * z);
        if (mImpl->tree.probeConstLeaf(first)) return true;
        (mImpl->tree.getValue(first) < 0 ? inside : outside) = true;
      }
  return inside && outside;
}

}  // namespace hackle
