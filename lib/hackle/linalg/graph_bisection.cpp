#include <hackle/core/random.h>
#include <hackle/linalg/graph_bisection.h>

#include <algorithm>
#include <numeric>
#include <queue>

namespace hackle::detail {

namespace {

constexpr int32_t kCoarsest = 100;    // vertices
constexpr double kLargestPart = 0.6;  // of the whole weight, if it can be had
constexpr int kSeeds = 8;             // halves tried on the coarsest graph

// Coarser graphs -------------------------------------------------------------------------------------------

/// Pairs vertices along heavy edges; the coarse vertex of each.
std::vector<int32_t> matchVertices(const WeightedGraph& graph, int32_t heaviest, int32_t& coarseSize) {
  const int32_t n = graph.size();
  std::vector<int32_t> visit(static_cast<size_t>(n)), coarse(visit.size(), -1);
  std::iota(visit.begin(), visit.end(), 0);
  Random random(static_cast<uint64_t>(n));
  for (int32_t i = n - 1; i > 0; --i) std::swap(visit[i], visit[random.below(static_cast<uint64_t>(i) + 1)]);
  coarseSize = 0;
  for (const int32_t v : visit) {
    if (coarse[v] >= 0) continue;
    int32_t best = -1, bestEdge = 0;
    for (int32_t k = graph.starts[v]; k < graph.starts[v + 1]; ++k) {
      const int32_t u = graph.adjacent[k];
      if (coarse[u] >= 0 || graph.weights[u] + graph.weights[v] > heaviest) continue;
      if (best < 0 || graph.edgeWeights[k] > bestEdge ||
          (graph.edgeWeights[k] == bestEdge && graph.weights[u] < graph.weights[best])) {
        best = u;
        bestEdge = graph.edgeWeights[k];
      }
    }
    coarse[v] = coarseSize;
    if (best >= 0) coarse[best] = coarseSize;
    ++coarseSize;
  }
  return coarse;
}

WeightedGraph coarsen(const WeightedGraph& graph, const std::vector<int32_t>& coarse, int32_t coarseSize) {
  const int32_t n = graph.size();
  std::vector<int32_t> first(static_cast<size_t>(coarseSize), -1), second(first), place(first);
  for (int32_t v = 0; v < n; ++v) (first[coarse[v]] < 0 ? first : second)[coarse[v]] = v;
  WeightedGraph result;
  result.starts.reserve(static_cast<size_t>(coarseSize) + 1);
  result.adjacent.reserve(graph.adjacent.size());
  result.edgeWeights.reserve(graph.adjacent.size());
  for (int32_t c = 0; c < coarseSize; ++c) {
    const auto begin = static_cast<int32_t>(result.adjacent.size());
    int32_t weight = 0;
    for (const int32_t v : {first[c], second[c]}) {
      if (v < 0) continue;
      weight += graph.weights[v];
      for (int32_t k = graph.starts[v]; k < graph.starts[v + 1]; ++k) {
        const int32_t d = coarse[graph.adjacent[k]];
        if (d == c) continue;
        if (place[d] < begin) {
          place[d] = static_cast<int32_t>(result.adjacent.size());
          result.adjacent.push_back(d);
          result.edgeWeights.push_back(graph.edgeWeights[k]);
        } else {
          result.edgeWeights[place[d]] += graph.edgeWeights[k];
        }
      }
    }
    result.weights.push_back(weight);
    result.starts.push_back(static_cast<int32_t>(result.adjacent.size()));
  }
  return result;
}

// Refinement -----------------------------------------------------------------------------------------------

/// Moves vertices of the separator into a half, which pulls their neighbours in the other half into it; keeps
/// the best state on the way (Fiduccia–Mattheyses for vertex separators).
class SeparatorRefinement {
 public:
  SeparatorRefinement(const WeightedGraph& graph, std::vector<uint8_t>& labels)
      : mGraph(graph), mLabels(labels), mMoved(labels.size(), 0) {
    for (int32_t v = 0; v < graph.size(); ++v) mWeight[labels[v]] += graph.weights[v];
    const int64_t total = mWeight[0] + mWeight[1] + mWeight[2];
    mLimit = static_cast<int64_t>(kLargestPart * static_cast<double>(total)) + 1;
  }

  void run(int passes) {
    for (int pass = 0; pass < passes; ++pass)
      if (!improve()) break;
  }
  /// Smaller is better: weight of the separator, with a price on halves that are too large.
  double cost() const {
    const int64_t larger = std::max(mWeight[0], mWeight[1]), smaller = std::min(mWeight[0], mWeight[1]);
    const double over = static_cast<double>(std::max<int64_t>(0, larger - mLimit));
    const double uneven = static_cast<double>(larger - smaller);
    return static_cast<double>(mWeight[2]) * (1 + 0.1 * uneven / static_cast<double>(larger + 1)) + over;
  }

 private:
  struct Candidate {
    int32_t gain, vertex;
    uint8_t to;
    bool operator<(const Candidate& o) const { return gain != o.gain ? gain < o.gain : vertex > o.vertex; }
  };

  int32_t gain(int32_t v, uint8_t to) const {
    int32_t pulled = 0;
    for (int32_t k = mGraph.starts[v]; k < mGraph.starts[v + 1]; ++k)
      if (mLabels[mGraph.adjacent[k]] == 1 - to) pulled += mGraph.weights[mGraph.adjacent[k]];
    return mGraph.weights[v] - pulled;
  }
  void offer(int32_t v) {
    if (mMoved[v]) return;
    for (uint8_t to = 0; to < 2; ++to) mQueue[to].push({gain(v, to), v, to});
  }
  void setLabel(int32_t v, uint8_t label) {
    mLog.emplace_back(v, mLabels[v]);
    mWeight[mLabels[v]] -= mGraph.weights[v];
    mWeight[label] += mGraph.weights[v];
    mLabels[v] = label;
  }
  /// The best candidate of one direction that is not out of date.
  bool refresh(uint8_t to) {
    auto& queue = mQueue[to];
    while (!queue.empty()) {
      const Candidate c = queue.top();
      if (mLabels[c.vertex] == kSeparator && !mMoved[c.vertex] && gain(c.vertex, to) == c.gain) return true;
      queue.pop();
    }
    return false;
  }
  void move(const Candidate& c) {
    mMoved[c.vertex] = 1;
    setLabel(c.vertex, c.to);
    for (int32_t k = mGraph.starts[c.vertex]; k < mGraph.starts[c.vertex + 1]; ++k) {
      const int32_t u = mGraph.adjacent[k];
      if (mLabels[u] == kSeparator) {
        offer(u);
      } else if (mLabels[u] == 1 - c.to) {
        setLabel(u, kSeparator);
        offer(u);
        for (int32_t l = mGraph.starts[u]; l < mGraph.starts[u + 1]; ++l)
          if (mLabels[mGraph.adjacent[l]] == kSeparator) offer(mGraph.adjacent[l]);
      }
    }
  }
  bool improve() {
    for (auto& q : mQueue) q = {};
    std::fill(mMoved.begin(), mMoved.end(), uint8_t{0});
    mLog.clear();
    int32_t size = 0;
    for (int32_t v = 0; v < mGraph.size(); ++v)
      if (mLabels[v] == kSeparator) {
        offer(v);
        ++size;
      }
    const double before = cost();
    double best = before;
    size_t bestLog = 0;
    int sinceBest = 0;
    const int patience = std::max(40, size / 4);
    while (sinceBest < patience) {
      const bool can[2] = {refresh(0), refresh(1)};
      if (!can[0] && !can[1]) break;
      uint8_t to = can[0] ? 0 : 1;
      if (can[0] && can[1]) {
        const int32_t g0 = mQueue[0].top().gain, g1 = mQueue[1].top().gain;
        to = g0 != g1 ? (g0 > g1 ? 0 : 1) : (mWeight[0] <= mWeight[1] ? 0 : 1);
        const Candidate& c = mQueue[to].top();
        if (mWeight[to] + mGraph.weights[c.vertex] > mLimit) to = static_cast<uint8_t>(1 - to);
      }
      const Candidate c = mQueue[to].top();
      mQueue[to].pop();
      if (mWeight[to] + mGraph.weights[c.vertex] > mLimit && mWeight[to] >= mWeight[1 - to]) continue;
      move(c);
      ++sinceBest;
      if (const double now = cost(); now < best) {
        best = now;
        bestLog = mLog.size();
        sinceBest = 0;
      }
    }
    // Go back to the best state.
    while (mLog.size() > bestLog) {
      const auto [v, label] = mLog.back();
      mWeight[mLabels[v]] -= mGraph.weights[v];
      mWeight[label] += mGraph.weights[v];
      mLabels[v] = label;
      mLog.pop_back();
    }
    return best < before;
  }

  const WeightedGraph& mGraph;
  std::vector<uint8_t>& mLabels;
  std::vector<uint8_t> mMoved;
  int64_t mWeight[3] = {0, 0, 0};
  int64_t mLimit = 0;
  std::priority_queue<Candidate> mQueue[2];
  std::vector<std::pair<int32_t, uint8_t>> mLog;
};

// The coarsest graph ---------------------------------------------------------------------------------------

/// Half of the graph grown in rings around a vertex; the last ring is the separator.
std::vector<uint8_t> growHalf(const WeightedGraph& graph, int32_t seed) {
  const int32_t n = graph.size();
  std::vector<uint8_t> labels(static_cast<size_t>(n), 1), seen(labels.size(), 0);
  const int64_t total = std::accumulate(graph.weights.begin(), graph.weights.end(), int64_t{0});
  int64_t grown = 0;
  std::vector<int32_t> queue;
  size_t head = 0;
  for (int32_t next = seed, tried = 0; 2 * grown < total && tried <= n;) {
    if (head == queue.size()) {  // the first, or another part of the graph
      while (tried <= n && seen[next]) {
        next = (next + 1) % n;
        ++tried;
      }
      if (tried > n) break;
      seen[next] = 1;
      queue.push_back(next);
    }
    const int32_t v = queue[head++];
    labels[v] = 0;
    grown += graph.weights[v];
    for (int32_t k = graph.starts[v]; k < graph.starts[v + 1]; ++k)
      if (const int32_t u = graph.adjacent[k]; !seen[u]) {
        seen[u] = 1;
        queue.push_back(u);
      }
  }
  for (int32_t v = 0; v < n; ++v) {
    if (labels[v] != 1) continue;
    for (int32_t k = graph.starts[v]; k < graph.starts[v + 1]; ++k)
      if (labels[graph.adjacent[k]] == 0) labels[v] = kSeparator;
  }
  return labels;
}

std::vector<uint8_t> firstSeparator(const WeightedGraph& graph) {
  std::vector<uint8_t> best;
  double bestCost = 0;
  Random random(static_cast<uint64_t>(graph.size()), 1);
  for (int s = 0; s < kSeeds; ++s) {
    const auto seed = static_cast<int32_t>(random.below(static_cast<uint64_t>(graph.size())));
    std::vector<uint8_t> labels = growHalf(graph, seed);
    SeparatorRefinement refinement(graph, labels);
    refinement.run(6);
    const double cost = refinement.cost();
    if (best.empty() || cost < bestCost) {
      best = std::move(labels);
      bestCost = cost;
    }
  }
  return best;
}

}  // namespace

std::vector<uint8_t> vertexSeparator(const WeightedGraph& graph, Context& context) {
  // Go down to a small graph.
  std::vector<WeightedGraph> graphs;
  std::vector<std::vector<int32_t>> maps;
  const int64_t total = std::accumulate(graph.weights.begin(), graph.weights.end(), int64_t{0});
  const auto heaviest = static_cast<int32_t>(std::max<int64_t>(2, 3 * total / (2 * kCoarsest)));
  const WeightedGraph* current = &graph;
  graphs.reserve(64);
  while (current->size() > kCoarsest) {
    context.checkCancel();
    int32_t coarseSize = 0;
    std::vector<int32_t> coarse = matchVertices(*current, heaviest, coarseSize);
    if (coarseSize > 0.95 * current->size() || graphs.size() == 60) break;
    graphs.push_back(coarsen(*current, coarse, coarseSize));
    maps.push_back(std::move(coarse));
    current = &graphs.back();
  }

  // Halve it, and refine on the way up.
  std::vector<uint8_t> labels = firstSeparator(*current);
  while (!graphs.empty()) {
    context.checkCancel();
    const std::vector<int32_t>& coarse = maps.back();
    std::vector<uint8_t> fine(coarse.size());
    for (size_t v = 0; v < fine.size(); ++v) fine[v] = labels[coarse[v]];
    labels = std::move(fine);
    graphs.pop_back();
    maps.pop_back();
    SeparatorRefinement(graphs.empty() ? graph : graphs.back(), labels).run(4);
  }
  return labels;
}

}  // namespace hackle::detail
