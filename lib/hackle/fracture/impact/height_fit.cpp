#include <hackle/fracture/impact/height_fit.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr int kSweeps = 12;
constexpr double kHold = 0.02;  // of the diagonal: how much heights want to stay

}  // namespace

void fitHeights(const ModalBody& body, Span<const HeightFitCell> cells, double least,
                std::vector<double>& heights) {
  struct Use {
    int32_t cell;
    int32_t corner;
  };
  std::vector<int32_t> starts(heights.size() + 1, 0);
  for (const HeightFitCell& cell : cells)
    for (const int32_t h : cell.heights) ++starts[h + 1];
  for (size_t h = 0; h < heights.size(); ++h) starts[h + 1] += starts[h];
  std::vector<Use> uses(4 * cells.size());
  std::vector<int32_t> next(starts.begin(), starts.end() - 1);
  for (size_t c = 0; c < cells.size(); ++c)
    for (int k = 0; k < 4; ++k) uses[next[cells[c].heights[k]]++] = {static_cast<int32_t>(c), k};
  const std::vector<double> given = heights;
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (size_t h = 0; h < heights.size(); ++h) {
      double diagonal = 0, right = 0;
      for (int32_t u = starts[h]; u < starts[h + 1]; ++u) {
        const HeightFitCell& cell = cells[uses[u].cell];
        const TetShape& shape = body.tetShape(static_cast<size_t>(cell.tetrahedron));
        const Vec3& mine = shape.gradients[uses[u].corner];
        Vec3 missing = cell.gradient;
        for (int k = 0; k < 4; ++k)
          if (k != uses[u].corner) missing -= heights[cell.heights[k]] * shape.gradients[k];
        diagonal += shape.volume * mine.squaredNorm();
        right += shape.volume * mine.dot(missing);
      }
      const double hold = kHold * diagonal;
      const double value = (right + hold * given[h]) / (diagonal + hold);
      heights[h] = given[h] < 0 ? std::min(value, -least) : std::max(value, least);
    }
}

}  // namespace hackle
