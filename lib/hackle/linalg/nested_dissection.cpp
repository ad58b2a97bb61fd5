#include <hackle/core/parallel.h>
#include <hackle/linalg/graph_bisection.h>
#include <hackle/linalg/nested_dissection.h>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

namespace hackle {

namespace {

constexpr int32_t kLeafSize = 100;

using detail::WeightedGraph;

/// Minimum degree on a part of the graph.
void orderLeaf(const WeightedGraph& graph, const int32_t* names, int32_t* order) {
  const int32_t n = graph.size();
  if (n == 0) return;
  Eigen::SparseMatrix<double, Eigen::ColMajor, int32_t> pattern(n, n);
  std::vector<Eigen::Triplet<double, int32_t>> entries;
  entries.reserve(graph.adjacent.size() + static_cast<size_t>(n));
  for (int32_t v = 0; v < n; ++v) {
    entries.emplace_back(v, v, 1.0);
    for (int32_t k = graph.starts[v]; k < graph.starts[v + 1]; ++k)
      entries.emplace_back(graph.adjacent[k], v, 1.0);
  }
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int32_t> permutation;
  Eigen::AMDOrdering<int32_t>()(pattern, permutation);
  for (int32_t k = 0; k < n; ++k) order[k] = names[permutation.indices()[k]];
}

/// The vertices with a label, and the edges between them.
WeightedGraph part(const WeightedGraph& graph, const std::vector<uint8_t>& labels, uint8_t label,
                   const int32_t* names, std::vector<int32_t>& partNames) {
  WeightedGraph result;
  std::vector<int32_t> index(labels.size(), -1);
  for (int32_t v = 0; v < graph.size(); ++v)
    if (labels[v] == label) {
      index[v] = static_cast<int32_t>(partNames.size());
      partNames.push_back(names[v]);
    }
  result.starts.reserve(partNames.size() + 1);
  for (int32_t v = 0; v < graph.size(); ++v) {
    if (labels[v] != label) continue;
    for (int32_t k = graph.starts[v]; k < graph.starts[v + 1]; ++k)
      if (const int32_t u = index[graph.adjacent[k]]; u >= 0) result.adjacent.push_back(u);
    result.starts.push_back(static_cast<int32_t>(result.adjacent.size()));
    result.weights.push_back(graph.weights[v]);
  }
  result.edgeWeights.assign(result.adjacent.size(), 1);
  return result;
}

void dissect(const WeightedGraph& graph, const std::vector<int32_t>& names, int32_t* order,
             Context& context) {
  context.checkCancel();
  if (graph.size() <= kLeafSize) {
    orderLeaf(graph, names.data(), order);
    return;
  }
  const std::vector<uint8_t> labels = detail::vertexSeparator(graph, context);
  WeightedGraph parts[2];
  std::vector<int32_t> partNames[2];
  for (uint8_t p = 0; p < 2; ++p) parts[p] = part(graph, labels, p, names.data(), partNames[p]);
  size_t last = partNames[0].size() + partNames[1].size();
  // A graph that cannot be halved, such as a clique.
  if (partNames[0].empty() || partNames[1].empty()) {
    orderLeaf(graph, names.data(), order);
    return;
  }
  for (size_t v = 0; v < labels.size(); ++v)
    if (labels[v] == detail::kSeparator) order[last++] = names[v];
  const auto descend = [&](size_t p) {
    dissect(parts[p], partNames[p], order + (p == 0 ? 0 : partNames[0].size()), context);
    parts[p] = WeightedGraph();
  };
  if (graph.size() > 5000)
    parallelFor(context, 2, 1, descend);
  else
    for (size_t p = 0; p < 2; ++p) descend(p);
}

}  // namespace

std::vector<int32_t> nestedDissection(const SparsityGraph& graph, Context& context) {
  WeightedGraph whole;
  whole.starts = graph.starts;
  whole.adjacent = graph.adjacent;
  whole.weights = graph.weights;
  if (whole.weights.empty()) whole.weights.assign(static_cast<size_t>(graph.size()), 1);
  whole.edgeWeights.assign(whole.adjacent.size(), 1);
  std::vector<int32_t> names(static_cast<size_t>(graph.size())), order(names.size());
  std::iota(names.begin(), names.end(), 0);
  dissect(whole, names, order.data(), context);
  return order;
}

}  // namespace hackle
