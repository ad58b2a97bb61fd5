#include <hackle/fracture/voronoi/cell_scores.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Parts {
  std::vector<int32_t> ofNode;   // root of each node's part
  std::vector<int32_t> largest;  // root of each cell's largest part, -1 for a cell without nodes
};

Parts partsOf(const NodeGraph& graph, const CentroidalCells& cells) {
  UnionFind joined(graph.size());
  for (size_t n = 0; n < graph.size(); ++n)
    for (const int32_t o : graph.neighbours(n))
      if (static_cast<size_t>(o) > n && cells.labels[n] == cells.labels[o])
        joined.unite(static_cast<int32_t>(n), o);
  Parts parts;
  std::vector<int32_t> size(graph.size(), 0);
  for (size_t n = 0; n < graph.size(); ++n) {
    parts.ofNode.push_back(joined.find(static_cast<int32_t>(n)));
    ++size[parts.ofNode[n]];
  }
  parts.largest.assign(cells.count(), -1);
  for (size_t n = 0; n < graph.size(); ++n) {
    int32_t& best = parts.largest[cells.labels[n]];
    if (best < 0 || size[parts.ofNode[n]] > size[best]) best = parts.ofNode[n];
  }
  return parts;
}

}  // namespace

ConnectedLabels connectedLabels(const Embedding& embedding, const NodeGraph& graph,
                                const CentroidalCells& cells) {
  const Parts parts = partsOf(graph, cells);
  ConnectedLabels result;
  result.labels = cells.labels;
  std::vector<int32_t> loose;
  for (size_t n = 0; n < graph.size(); ++n)
    if (parts.ofNode[n] != parts.largest[cells.labels[n]]) {
      result.labels[n] = -1;
      loose.push_back(static_cast<int32_t>(n));
    }
  // Round by round from the rim of the loose parts inwards.
  while (!loose.empty()) {
    std::vector<std::pair<int32_t, int32_t>> found;
    std::vector<int32_t> left;
    for (const int32_t node : loose) {
      const auto n = static_cast<size_t>(node);
      double nearest = kInfinity;
      int32_t best = -1;
      for (const int32_t o : graph.neighbours(n)) {
        const int32_t label = result.labels[o];
        if (label < 0) continue;
        const double d =
            squaredDistance(embedding.of(n), cells.site(static_cast<size_t>(label)), cells.dimensions);
        if (d < nearest || (d == nearest && label < best)) {
          nearest = d;
          best = label;
        }
      }
      if (best >= 0)
        found.emplace_back(node, best);
      else
        left.push_back(node);
    }
    if (found.empty()) break;
    for (const auto& [node, label] : found) result.labels[node] = label;
    result.moved += found.size();
    loose.swap(left);
  }
  for (const int32_t node : loose) result.labels[node] = cells.labels[node];
  return result;
}

namespace {

/// Scores of some labels at one node, by ascending label.
struct NodeScores {
  std::vector<int32_t> labels;
  std::vector<double> values;

  double of(int32_t label) const {
    const auto found = std::lower_bound(labels.begin(), labels.end(), label);
    return found != labels.end() && *found == label ? values[found - labels.begin()] : -kInfinity;
  }
};

void sortUnique(std::vector<int32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

class ScoreFinder {
 public:
  ScoreFinder(const Embedding& embedding, const NodeGraph& graph, Span<const Tetrahedron> tetrahedra,
              const CentroidalCells& cells, const ConnectedLabels& connected, Context& context)
      : mEmbedding(embedding),
        mGraph(graph),
        mTetrahedra(tetrahedra),
        mCells(cells),
        mLabels(connected.labels),
        mContext(context) {}

  LatticeScores run() {
    scoreNodes();
    listWinners();
    return collect();
  }

 private:
  bool isMixed(size_t tetrahedron) const {
    const Tetrahedron& t = mTetrahedra[tetrahedron];
    const int32_t first = mLabels[t[0]];
    return std::any_of(t.begin(), t.end(), [&](int32_t p) { return mLabels[p] != first; });
  }

  /// Labels within one edge of a node, its own included.
  void addRing(size_t node, std::vector<int32_t>& list) const {
    list.push_back(mLabels[node]);
    for (const int32_t o : mGraph.neighbours(node)) list.push_back(mLabels[o]);
  }

  /// At corners of mixed tetrahedra, of all labels within two edges.
  void scoreNodes() {
    const size_t nodes = mGraph.size();
    mRings.resize(nodes);
    mScores.resize(nodes);
    parallelFor(mContext, nodes, 1024, [&](size_t n) {
      addRing(n, mRings[n]);
      sortUnique(mRings[n]);
    });
    parallelFor(mContext, nodes, 256, [&](size_t n) {
      if (mRings[n].size() < 2) return;
      NodeScores& scores = mScores[n];
      scores.labels = mRings[n];
      for (const int32_t o : mGraph.neighbours(n)) {
        const auto& ring = mRings[o];
        scores.labels.insert(scores.labels.end(), ring.begin(), ring.end());
      }
      sortUnique(scores.labels);
      for (const int32_t label : scores.labels)
        scores.values.push_back(
            -squaredDistance(mEmbedding.of(n), mCells.site(static_cast<size_t>(label)), mCells.dimensions));
      // Where a loose part was given away, its label must not win it back.
      if (mLabels[n] == mCells.labels[n]) return;
      const double own = scores.of(mLabels[n]), below = own - 1e-6 * std::abs(own);
      for (size_t k = 0; k < scores.labels.size(); ++k)
        if (scores.labels[k] != mLabels[n]) scores.values[k] = std::min(scores.values[k], below);
    });
  }

  /// Of each tetrahedron, the labels that no corner's own one beats at all corners.
  void listWinners() {
    constexpr size_t kChunk = 512;
    mWinners.resize(mTetrahedra.size());
    parallelRanges(mContext, mTetrahedra.size(), kChunk, [&](size_t begin, size_t end) {
      std::vector<int32_t> candidates;
      for (size_t t = begin; t < end; ++t) {
        if (!isMixed(t)) continue;
        candidates.clear();
        for (const int32_t p : mTetrahedra[t]) {
          const auto& ring = mRings[p];
          candidates.insert(candidates.end(), ring.begin(), ring.end());
        }
        sortUnique(candidates);
        for (const int32_t label : candidates)
          if (!isBeaten(mTetrahedra[t], label)) mWinners[t].push_back(label);
      }
    });
  }

  bool isBeaten(const Tetrahedron& corners, int32_t label) const {
    double own[4];
    for (size_t k = 0; k < 4; ++k) own[k] = mScores[corners[k]].of(label);
    for (const int32_t corner : corners) {
      const int32_t winner = mLabels[corner];
      if (winner == label) return false;
      bool beats = true;
      for (size_t k = 0; k < 4 && beats; ++k) beats = mScores[corners[k]].of(winner) > own[k];
      if (beats) return true;
    }
    return false;
  }

  LatticeScores collect() const {
    LatticeScores result;
    double lowest = 0;
    std::vector<int32_t> labels;
    for (size_t n = 0; n < mGraph.size(); ++n) {
      labels.assign(1, mLabels[n]);
      for (const int32_t t : mGraph.tetrahedra(n)) {
        const auto& winners = mWinners[t];
        labels.insert(labels.end(), winners.begin(), winners.end());
      }
      sortUnique(labels);
      for (const int32_t label : labels) {
        const double value = mScores[n].labels.empty() ? 0.0 : mScores[n].of(label);
        result.add(label, value);
        lowest = std::min(lowest, value);
      }
      result.finishPoint();
    }
    result.missing = 4 * lowest - 1e-300;
    return result;
  }

  const Embedding& mEmbedding;
  const NodeGraph& mGraph;
  Span<const Tetrahedron> mTetrahedra;
  const CentroidalCells& mCells;
  const std::vector<int32_t>& mLabels;
  Context& mContext;
  std::vector<std::vector<int32_t>> mRings;    // labels around each node
  std::vector<NodeScores> mScores;             // at nodes of mixed tetrahedra
  std::vector<std::vector<int32_t>> mWinners;  // of mixed tetrahedra
};

}  // namespace

LatticeScores cellScores(const Embedding& embedding, const NodeGraph& graph,
                         Span<const Tetrahedron> tetrahedra, const CentroidalCells& cells,
                         const ConnectedLabels& connected, Context& context) {
  return ScoreFinder(embedding, graph, tetrahedra, cells, connected, context).run();
}

}  // namespace hackle
