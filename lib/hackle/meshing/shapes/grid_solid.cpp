#include <hackle/meshing/shapes/grid_solid.h>

#include <hackle/core/error.h>

#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

namespace hackle {

namespace {

/// The grid after its cells are cut: coordinates per axis, and where each plane is among them.
struct FineGrid {
  std::array<std::vector<double>, 3> coordinates;
  std::array<std::vector<int>, 3> planeIndex;

  explicit FineGrid(const GridSolidOptions& options) {
    for (size_t a = 0; a < 3; ++a) {
      const std::vector<double>& planes = options.planes[a];
      HACKLE_ASSERT(planes.size() >= 2);
      coordinates[a].push_back(planes[0]);
      planeIndex[a].push_back(0);
      for (size_t i = 0; i + 1 < planes.size(); ++i) {
        const double length = planes[i + 1] - planes[i];
        const int parts = std::max(1, static_cast<int>(std::lround(length / options.spacing)));
        for (int k = 1; k < parts; ++k) coordinates[a].push_back(planes[i] + length * k / parts);
        coordinates[a].push_back(planes[i + 1]);
        planeIndex[a].push_back(static_cast<int>(coordinates[a].size()) - 1);
      }
    }
  }
};

class GridSurface {
 public:
  GridSurface(const GridSolidOptions& options, SurfaceBuilder& builder)
      : mOptions(options), mBuilder(builder), mGrid(options) {}

  void addAll() {
    for (int z = 0; z < cells(2); ++z)
      for (int y = 0; y < cells(1); ++y)
        for (int x = 0; x < cells(0); ++x) {
          const CellIndex cell{x, y, z};
          if (!isFilled(cell)) continue;
          for (int axis = 0; axis < 3; ++axis)
            for (const int side : {-1, 1}) {
              CellIndex neighbour = cell;
              neighbour[axis] += side;
              if (!isFilled(neighbour)) addSide(cell, axis, side);
            }
        }
  }

 private:
  int cells(size_t axis) const { return static_cast<int>(mOptions.planes[axis].size()) - 1; }

  bool isFilled(const CellIndex& cell) const {
    for (size_t a = 0; a < 3; ++a)
      if (cell[a] < 0 || cell[a] >= cells(a)) return false;
    return !mOptions.filled || mOptions.filled(cell);
  }

  SurfaceCorner corner(const CellIndex& node, size_t u, size_t v) {
    const Vec3 p(mGrid.coordinates[0][node[0]], mGrid.coordinates[1][node[1]], mGrid.coordinates[2][node[2]]);
    const uint64_t key = static_cast<uint64_t>(node[0]) | static_cast<uint64_t>(node[1]) << 21 |
                         static_cast<uint64_t>(node[2]) << 42;
    const auto [known, isNew] = mPoints.try_emplace(key, 0);
    if (isNew) known->second = mBuilder.addPoint(mOptions.place ? mOptions.place(p) : p);
    return {known->second, Vec2(p[static_cast<int>(u)], p[static_cast<int>(v)])};
  }

  void addSide(const CellIndex& cell, int axis, int side) {
    const size_t a = static_cast<size_t>(axis);
    // u × v points outwards.
    const size_t u = side > 0 ? (a + 1) % 3 : (a + 2) % 3, v = side > 0 ? (a + 2) % 3 : (a + 1) % 3;
    const auto nodes = [&](size_t b, int upper) { return mGrid.planeIndex[b][cell[b] + upper]; };
    const int part = mBuilder.part(mOptions.part ? mOptions.part(cell, axis, side) : boxSideName(axis, side));
    const auto [chart, isNew] = mCharts.try_emplace({axis, side, nodes(a, side > 0)}, 0);
    if (isNew) chart->second = mBuilder.addChart();
    CellIndex node{};
    node[a] = nodes(a, side > 0);
    for (int j = nodes(v, 0); j < nodes(v, 1); ++j)
      for (int i = nodes(u, 0); i < nodes(u, 1); ++i) {
        const auto at = [&](int di, int dj) {
          node[u] = i + di;
          node[v] = j + dj;
          return corner(node, u, v);
        };
        const SurfaceCorner c0 = at(0, 0), c1 = at(1, 0), c2 = at(1, 1), c3 = at(0, 1);
        mBuilder.addFace({c0, c1, c2, c3}, part, chart->second);
      }
  }

  const GridSolidOptions& mOptions;
  SurfaceBuilder& mBuilder;
  FineGrid mGrid;
  std::unordered_map<uint64_t, int32_t> mPoints;         // by node
  std::map<std::tuple<int, int, int>, int32_t> mCharts;  // by axis, side and plane
};

}  // namespace

void addGridSolid(const GridSolidOptions& options, SurfaceBuilder& builder) {
  GridSurface(options, builder).addAll();
}

const char* boxSideName(int axis, int side) {
  static const char* const kNames[3][2] = {{"left", "right"}, {"bottom", "top"}, {"back", "front"}};
  return kNames[axis][side > 0];
}

}  // namespace hackle
