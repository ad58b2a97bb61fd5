#include <hackle/meshing/shapes/extrude.h>

#include <hackle/core/error.h>

#include <unordered_map>

namespace hackle {

PlaneGrid ruledGrid(const std::vector<Vec2>& first, const std::vector<Vec2>& second, size_t rows, bool ring) {
  HACKLE_ASSERT(first.size() == second.size() && first.size() >= 2 && rows >= 2);
  PlaneGrid grid{first.size(), rows, ring, {}};
  grid.points.reserve(rows * first.size());
  for (size_t row = 0; row < rows; ++row) {
    const double t = static_cast<double>(row) / static_cast<double>(rows - 1);
    for (size_t i = 0; i < first.size(); ++i) grid.points.push_back((1.0 - t) * first[i] + t * second[i]);
  }
  return grid;
}

namespace {

class Prism {
 public:
  Prism(const PlaneGrid& grid, const ExtrudeOptions& options, SurfaceBuilder& builder)
      : mGrid(grid), mOptions(options), mBuilder(builder) {}

  void addCap(bool upper) {
    const int32_t part = mBuilder.part(upper ? mOptions.upperPart : mOptions.lowerPart);
    const int32_t chart = mBuilder.addChart();
    const size_t level = upper ? mOptions.levels.size() - 1 : 0;
    const auto corner = [&](size_t column, size_t row) {
      const Vec2& p = mGrid.at(column, row);
      return SurfaceCorner{point(column, row, level), upper ? p : Vec2(-p.x(), p.y())};
    };
    for (size_t row = 0; row + 1 < mGrid.rows; ++row)
      for (size_t i = 0; i < mGrid.columnSteps(); ++i) {
        if (upper)
          mBuilder.addFace({corner(i, row), corner(i + 1, row), corner(i + 1, row + 1), corner(i, row + 1)},
                           part, chart);
        else
          mBuilder.addFace({corner(i, row), corner(i, row + 1), corner(i + 1, row + 1), corner(i + 1, row)},
                           part, chart);
      }
  }

  /// A wall over the polyline of `steps` steps through (column, row) = at(0), at(1), ...; the solid is on its
  /// left.
  template <class At, class PartOf, class OnFace>
  void addWall(size_t steps, const At& at, const PartOf& partOf, const OnFace& onFace) {
    const std::vector<double>& levels = mOptions.levels;
    double arc = 0;
    int32_t chart = -1;
    std::string lastPart;
    for (size_t i = 0; i < steps; ++i) {
      const auto [c0, r0] = at(i);
      const auto [c1, r1] = at(i + 1);
      const double step = (mGrid.at(c1, r1) - mGrid.at(c0, r0)).norm();
      const std::string name = partOf(i);
      if (chart < 0 || name != lastPart) chart = mBuilder.addChart();
      lastPart = name;
      const int32_t part = mBuilder.part(name);
      for (size_t k = 0; k + 1 < levels.size(); ++k)
        onFace(mBuilder.addFace({{point(c0, r0, k), {arc, levels[k]}},
                                 {point(c1, r1, k), {arc + step, levels[k]}},
                                 {point(c1, r1, k + 1), {arc + step, levels[k + 1]}},
                                 {point(c0, r0, k + 1), {arc, levels[k + 1]}}},
                                part, chart),
               i);
      arc += step;
    }
  }

 private:
  int32_t point(size_t column, size_t row, size_t level) {
    column %= mGrid.columns;
    const uint64_t key = (static_cast<uint64_t>(level) * mGrid.rows + row) * mGrid.columns + column;
    const auto [known, isNew] = mPoints.try_emplace(key, 0);
    if (isNew) {
      const Vec2& p = mGrid.at(column, row);
      const Vec3 q(p.x(), p.y(), mOptions.levels[level]);
      known->second = mBuilder.addPoint(mOptions.place ? mOptions.place(q) : q);
    }
    return known->second;
  }

  const PlaneGrid& mGrid;
  const ExtrudeOptions& mOptions;
  SurfaceBuilder& mBuilder;
  std::unordered_map<uint64_t, int32_t> mPoints;
};

}  // namespace

void addPrism(const PlaneGrid& grid, const ExtrudeOptions& options, SurfaceBuilder& builder,
              const std::function<void(int32_t, bool, size_t)>& onFace) {
  HACKLE_ASSERT(options.levels.size() >= 2);
  using Node = std::pair<size_t, size_t>;
  const size_t steps = grid.columnSteps(), lastRow = grid.rows - 1;
  const auto hear = [&](bool second, size_t step, int32_t face) {
    if (onFace) onFace(face, second, step);
  };
  Prism prism(grid, options, builder);
  prism.addWall(
      steps, [](size_t i) { return Node(i, 0); }, options.firstPart,
      [&](int32_t face, size_t i) { hear(false, i, face); });
  if (!grid.ring)
    prism.addWall(
        lastRow, [&](size_t i) { return Node(grid.columns - 1, i); }, [&](size_t) { return options.endPart; },
        [](int32_t, size_t) {});
  prism.addWall(
      steps, [&](size_t i) { return Node(steps - i, lastRow); },
      [&](size_t i) { return options.secondPart(steps - 1 - i); },
      [&](int32_t face, size_t i) { hear(true, steps - 1 - i, face); });
  if (!grid.ring)
    prism.addWall(
        lastRow, [&](size_t i) { return Node(0, lastRow - i); }, [&](size_t) { return options.startPart; },
        [](int32_t, size_t) {});
  prism.addCap(true);
  prism.addCap(false);
}

}  // namespace hackle
