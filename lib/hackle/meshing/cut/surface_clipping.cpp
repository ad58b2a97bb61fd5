#include <hackle/meshing/cut/surface_clipping.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/meshing/cut/site_tree.h>

#include <algorithm>

namespace hackle {

namespace {

/// Walks from a site near the point to the one whose cell holds it.
int32_t cellOf(const ScorePredicates& predicates, const std::vector<VoronoiCell>& cells, int32_t point,
               int32_t start) {
  for (int32_t cell = start;;) {
    int32_t better = cell;
    for (const int32_t neighbour : cells[cell].neighbours)
      if (!predicates.isBoxPlane(neighbour) && predicates.atPoint(point, better, neighbour) < 0)
        better = neighbour;
    if (better == cell) return cell;
    cell = better;
  }
}

class TriangleClipper {
 public:
  TriangleClipper(const ScorePredicates& predicates, const std::vector<VoronoiCell>& cells,
                  const Triangle& triangle, int32_t index)
      : mPredicates(predicates), mCells(cells), mTriangle(triangle), mIndex(index) {}

  /// Appends the parts of the triangle in all cells that it meets, found by going from cell to neighbour.
  void clip(const std::vector<int32_t>& pointCell, std::vector<ClippedTriangle>& parts) {
    std::vector<int32_t> found;
    const auto reach = [&](int32_t cell) {
      if (std::find(found.begin(), found.end(), cell) == found.end()) found.push_back(cell);
    };
    for (const int32_t corner : mTriangle) reach(pointCell[corner]);
    const size_t first = parts.size();
    for (size_t next = 0; next < found.size(); ++next) {
      ClippedTriangle part{mIndex, found[next], clipTo(found[next])};
      HACKLE_ASSERT(part.lines.size() >= 3);
      for (const int32_t line : part.lines)
        if (line >= 0) reach(line);
      parts.push_back(std::move(part));
    }
    std::sort(parts.begin() + static_cast<std::ptrdiff_t>(first), parts.end(),
              [](const ClippedTriangle& a, const ClippedTriangle& b) { return a.cell < b.cell; });
  }

 private:
  int side(int32_t cell, int32_t before, int32_t after, int32_t plane) const {
    if (before < 0 && after < 0) return mPredicates.atPoint(mTriangle[-after - 1], cell, plane);
    if (before >= 0 && after >= 0) return mPredicates.atTriangle(mTriangle, cell, before, after, plane);
    const size_t edge = static_cast<size_t>(-std::min(before, after) - 1);
    return mPredicates.atEdge(mTriangle[edge], mTriangle[(edge + 1) % 3], cell, std::max(before, after),
                              plane);
  }

  std::vector<int32_t> clipTo(int32_t cell) const {
    std::vector<int32_t> lines{-1, -2, -3}, kept;
    std::vector<int> sides;
    for (const int32_t plane : mCells[cell].neighbours) {
      if (mPredicates.isBoxPlane(plane)) continue;
      const size_t n = lines.size();
      sides.assign(n, 0);
      size_t out = 0;
      for (size_t k = 0; k < n; ++k) {
        sides[k] = side(cell, lines[k], lines[(k + 1) % n], plane);
        if (sides[k] < 0) ++out;
      }
      if (out == 0) continue;
      if (out == n) return {};
      // A line stays if one of its two corners does; the new line comes after the last corner inside.
      kept.clear();
      int changes = 0;
      for (size_t k = 0; k < n; ++k) {
        const int before = sides[(k + n - 1) % n], after = sides[k];
        if (before > 0 || after > 0) kept.push_back(lines[k]);
        if (before > 0 && after < 0) {
          kept.push_back(plane);
          ++changes;
        }
      }
      HACKLE_ASSERT(changes == 1);
      lines.swap(kept);
    }
    return lines;
  }

  const ScorePredicates& mPredicates;
  const std::vector<VoronoiCell>& mCells;
  const Triangle& mTriangle;
  int32_t mIndex;
};

}  // namespace

ClippedSurface clipSurface(const ScorePredicates& predicates, const std::vector<VoronoiCell>& cells,
                           Span<const Vec3> sites, const TriangleMesh& mesh, Context& context) {
  ClippedSurface result;
  const SiteTree tree(sites);
  result.pointCell.resize(mesh.points.size());
  parallelFor(context, mesh.points.size(), 1024, [&](size_t p) {
    result.pointCell[p] = cellOf(predicates, cells, static_cast<int32_t>(p), tree.nearest(mesh.points[p]));
  });

  // Triangles in chunks, each with a list of its own, joined in order.
  constexpr size_t kChunk = 512;
  std::vector<std::vector<ClippedTriangle>> chunks((mesh.triangles.size() + kChunk - 1) / kChunk);
  parallelRanges(context, mesh.triangles.size(), kChunk, [&](size_t begin, size_t end) {
    for (size_t t = begin; t < end; ++t) {
      const Triangle& corners = mesh.triangles[t];
      const auto cell = [&](size_t c) { return result.pointCell[corners[c]]; };
      // Cells are convex: a triangle with all corners in one lies in it.
      if (cell(0) == cell(1) && cell(1) == cell(2)) continue;
      TriangleClipper(predicates, cells, corners, static_cast<int32_t>(t))
          .clip(result.pointCell, chunks[begin / kChunk]);
    }
  });
  for (auto& chunk : chunks) std::move(chunk.begin(), chunk.end(), std::back_inserter(result.parts));
  return result;
}

}  // namespace hackle
