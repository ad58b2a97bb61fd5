#include <hackle/fracture/voronoi/node_graph.h>

#include <hackle/core/parallel.h>

#include <algorithm>

namespace hackle {

NodeGraph::NodeGraph(size_t points, Span<const Tetrahedron> tetrahedra, Context& context) {
  mTetStarts.assign(points + 1, 0);
  for (const Tetrahedron& t : tetrahedra)
    for (const int32_t p : t) ++mTetStarts[p + 1];
  for (size_t p = 0; p < points; ++p) mTetStarts[p + 1] += mTetStarts[p];
  mTetrahedra.resize(4 * tetrahedra.size());
  std::vector<int32_t> next(mTetStarts.begin(), mTetStarts.end() - 1);
  for (size_t t = 0; t < tetrahedra.size(); ++t)
    for (const int32_t p : tetrahedra[t]) mTetrahedra[next[p]++] = static_cast<int32_t>(t);

  constexpr size_t kChunk = 4096;
  std::vector<std::vector<int32_t>> lists((points + kChunk - 1) / kChunk);
  mStarts.assign(points + 1, 0);
  parallelRanges(context, points, kChunk, [&](size_t begin, size_t end) {
    std::vector<int32_t> around;
    std::vector<int32_t>& list = lists[begin / kChunk];
    for (size_t p = begin; p < end; ++p) {
      around.clear();
      for (const int32_t t : this->tetrahedra(p))
        for (const int32_t q : tetrahedra[t])
          if (static_cast<size_t>(q) != p) around.push_back(q);
      std::sort(around.begin(), around.end());
      around.erase(std::unique(around.begin(), around.end()), around.end());
      list.insert(list.end(), around.begin(), around.end());
      mStarts[p + 1] = static_cast<int32_t>(around.size());
    }
  });
  for (size_t p = 0; p < points; ++p) mStarts[p + 1] += mStarts[p];
  mNeighbours.reserve(static_cast<size_t>(mStarts[points]));
  for (const auto& list : lists) mNeighbours.insert(mNeighbours.end(), list.begin(), list.end());
}

}  // namespace hackle
