#include <hackle/core/random.h>
#include <hackle/linalg/elimination.h>
#include <hackle/linalg/nested_dissection.h>

#include <algorithm>
#include <numeric>

namespace hackle::detail {

namespace {

/// Calls body(row, column, value index) for the entries of the lower triangle.
template <class Body>
void forLower(const SparseMatrix& lower, const Body& body) {
  for (int32_t j = 0; j < lower.cols(); ++j) {
    const int32_t begin = lower.outerIndexPtr()[j];
    const int32_t end =
        lower.isCompressed() ? lower.outerIndexPtr()[j + 1] : begin + lower.innerNonZeroPtr()[j];
    for (int32_t k = begin; k < end; ++k)
      if (lower.innerIndexPtr()[k] >= j) body(lower.innerIndexPtr()[k], j, k);
  }
}

SparsityGraph graphOf(const SparseMatrix& lower) {
  SparsityGraph graph;
  graph.starts.assign(static_cast<size_t>(lower.cols()) + 1, 0);
  forLower(lower, [&](int32_t i, int32_t j, int32_t) {
    if (i == j) return;
    ++graph.starts[i + 1];
    ++graph.starts[j + 1];
  });
  std::partial_sum(graph.starts.begin(), graph.starts.end(), graph.starts.begin());
  graph.adjacent.resize(static_cast<size_t>(graph.starts.back()));
  std::vector<int32_t> fill(graph.starts.begin(), graph.starts.end() - 1);
  forLower(lower, [&](int32_t i, int32_t j, int32_t) {
    if (i == j) return;
    graph.adjacent[fill[i]++] = j;
    graph.adjacent[fill[j]++] = i;
  });
  for (int32_t v = 0; v < graph.size(); ++v)
    std::sort(graph.adjacent.begin() + graph.starts[v], graph.adjacent.begin() + graph.starts[v + 1]);
  return graph;
}

/// Whether two vertices and their neighbours are the same set.
bool sameClosedNeighbours(const SparsityGraph& graph, int32_t a, int32_t b) {
  int32_t i = graph.starts[a], j = graph.starts[b];
  const int32_t iEnd = graph.starts[a + 1], jEnd = graph.starts[b + 1];
  if (iEnd - i != jEnd - j) return false;
  bool linked = false;
  for (; i < iEnd || j < jEnd;) {
    if (i < iEnd && graph.adjacent[i] == b) {
      ++i;
      linked = true;
    } else if (j < jEnd && graph.adjacent[j] == a) {
      ++j;
    } else if (i < iEnd && j < jEnd && graph.adjacent[i] == graph.adjacent[j]) {
      ++i;
      ++j;
    } else {
      return false;
    }
  }
  return linked;
}

/// Vertices with equal closed neighbours, such as the components of one displacement, are ordered as one.
std::vector<int32_t> fillReducingOrder(const SparsityGraph& graph, Context& context) {
  const int32_t n = graph.size();
  std::vector<uint64_t> hash(static_cast<size_t>(n));
  for (int32_t v = 0; v < n; ++v) {
    hash[v] = mixBits(static_cast<uint64_t>(v) + 1);
    for (int32_t k = graph.starts[v]; k < graph.starts[v + 1]; ++k)
      hash[v] += mixBits(static_cast<uint64_t>(graph.adjacent[k]) + 1);
  }
  std::vector<int32_t> leader(static_cast<size_t>(n), -1), leaders;
  for (int32_t v = 0; v < n; ++v) {
    for (int32_t k = graph.starts[v]; k < graph.starts[v + 1] && graph.adjacent[k] < v; ++k) {
      const int32_t u = graph.adjacent[k];
      if (hash[u] == hash[v] && sameClosedNeighbours(graph, u, v)) {
        leader[v] = leader[u];
        break;
      }
    }
    if (leader[v] >= 0) continue;
    leader[v] = static_cast<int32_t>(leaders.size());
    leaders.push_back(v);
  }
  if (10 * leaders.size() > 9 * static_cast<size_t>(n)) return nestedDissection(graph, context);

  SparsityGraph small;
  small.weights.assign(leaders.size(), 0);
  for (int32_t v = 0; v < n; ++v) ++small.weights[leader[v]];
  std::vector<int32_t> seen(leaders.size(), -1);
  for (int32_t s = 0; s < static_cast<int32_t>(leaders.size()); ++s) {
    seen[s] = s;
    for (int32_t k = graph.starts[leaders[s]]; k < graph.starts[leaders[s] + 1]; ++k) {
      const int32_t t = leader[graph.adjacent[k]];
      if (seen[t] == s) continue;
      seen[t] = s;
      small.adjacent.push_back(t);
    }
    small.starts.push_back(static_cast<int32_t>(small.adjacent.size()));
  }
  const std::vector<int32_t> smallOrder = nestedDissection(small, context);
  std::vector<int32_t> begin(leaders.size() + 1, 0), order(static_cast<size_t>(n));
  for (size_t k = 0, at = 0; k < smallOrder.size(); ++k) {
    begin[smallOrder[k]] = static_cast<int32_t>(at);
    at += static_cast<size_t>(small.weights[smallOrder[k]]);
  }
  for (int32_t v = 0; v < n; ++v) order[begin[leader[v]]++] = v;
  return order;
}

std::vector<int32_t> inverse(const std::vector<int32_t>& order) {
  std::vector<int32_t> result(order.size());
  for (size_t k = 0; k < order.size(); ++k) result[order[k]] = static_cast<int32_t>(k);
  return result;
}

/// Parents in the elimination tree [Liu90], -1 for roots.
std::vector<int32_t> eliminationTree(const SparsityGraph& graph, const std::vector<int32_t>& order) {
  const std::vector<int32_t> place = inverse(order);
  std::vector<int32_t> parent(order.size(), -1), ancestor(order.size(), -1);
  for (int32_t i = 0; i < graph.size(); ++i)
    for (int32_t k = graph.starts[order[i]]; k < graph.starts[order[i] + 1]; ++k)
      for (int32_t j = place[graph.adjacent[k]]; j >= 0 && j < i;) {
        const int32_t next = ancestor[j];
        ancestor[j] = i;
        if (next < 0) parent[j] = i;
        j = next;
      }
  return parent;
}

/// Nodes of a forest, children before parents, subtrees together; `parent[i] > i` or -1.
std::vector<int32_t> postorder(const std::vector<int32_t>& parent) {
  const auto n = static_cast<int32_t>(parent.size());
  std::vector<int32_t> firstChild(parent.size(), -1), sibling(parent.size(), -1), result, stack;
  int32_t firstRoot = -1;
  for (int32_t i = n - 1; i >= 0; --i) {
    int32_t& head = parent[i] < 0 ? firstRoot : firstChild[parent[i]];
    sibling[i] = head;
    head = i;
  }
  result.reserve(parent.size());
  for (int32_t root = firstRoot; root >= 0; root = sibling[root]) {
    stack.push_back(root);
    while (!stack.empty()) {
      const int32_t node = stack.back();
      if (firstChild[node] >= 0) {
        stack.push_back(firstChild[node]);
        firstChild[node] = sibling[firstChild[node]];
      } else {
        result.push_back(node);
        stack.pop_back();
      }
    }
  }
  return result;
}

/// Entries of each column of the factor, the diagonal included.
std::vector<int32_t> columnCounts(const SparsityGraph& graph, const std::vector<int32_t>& order,
                                  const std::vector<int32_t>& parent, Context& context) {
  const std::vector<int32_t> place = inverse(order);
  std::vector<int32_t> count(order.size(), 1), mark(order.size(), -1);
  for (int32_t i = 0; i < graph.size(); ++i) {
    if (i % 256 == 0) context.checkCancel();
    mark[i] = i;
    for (int32_t k = graph.starts[order[i]]; k < graph.starts[order[i] + 1]; ++k)
      for (int32_t j = place[graph.adjacent[k]]; j < i && mark[j] != i; j = parent[j]) {
        ++count[j];
        mark[j] = i;
      }
  }
  return count;
}

/// Groups of columns, in any order.
struct ColumnGroups {
  std::vector<int32_t> groupOf;  // of each column
  std::vector<int32_t> parent;   // of each group, or -1
};

ColumnGroups fundamentalGroups(const std::vector<int32_t>& parent, const std::vector<int32_t>& count) {
  const auto n = static_cast<int32_t>(parent.size());
  std::vector<int32_t> children(parent.size(), 0);
  for (const int32_t p : parent)
    if (p >= 0) ++children[p];
  ColumnGroups groups;
  groups.groupOf.resize(parent.size());
  std::vector<int32_t> lastColumn;
  for (int32_t j = 0; j < n; ++j) {
    const bool joins = j > 0 && parent[j - 1] == j && children[j] == 1 && count[j - 1] == count[j] + 1;
    if (!joins) lastColumn.push_back(j);
    lastColumn.back() = j;
    groups.groupOf[j] = static_cast<int32_t>(lastColumn.size()) - 1;
  }
  for (const int32_t last : lastColumn)
    groups.parent.push_back(parent[last] < 0 ? -1 : groups.groupOf[parent[last]]);
  return groups;
}

/// Whether a supernode of this many columns may have this fraction of zeros.
bool worthMerging(int64_t columns, double zeros) {
  return columns <= 4 || (columns <= 16 && zeros < 0.8) || (columns <= 48 && zeros < 0.15) || zeros < 0.05;
}

/// Merges groups into their parents where it adds few zeros.
void mergeGroups(ColumnGroups& groups, const std::vector<int32_t>& count) {
  const size_t n = groups.parent.size();
  std::vector<int64_t> columns(n, 0), height(n, 0), zeros(n, 0);
  for (size_t j = count.size(); j-- > 0;) {
    ++columns[groups.groupOf[j]];
    height[groups.groupOf[j]] = count[j];
  }
  std::vector<int32_t> target(n);
  std::iota(target.begin(), target.end(), 0);
  for (size_t s = 0; s < n; ++s) {
    if (groups.parent[s] < 0) continue;
    const auto p = static_cast<size_t>(groups.parent[s]);
    const int64_t mergedColumns = columns[s] + columns[p], mergedHeight = columns[s] + height[p];
    const int64_t mergedZeros = zeros[s] + zeros[p] + columns[s] * (mergedHeight - height[s]);
    const double entries = static_cast<double>(mergedColumns) *
                           (static_cast<double>(mergedHeight) - 0.5 * static_cast<double>(mergedColumns - 1));
    if (!worthMerging(mergedColumns, static_cast<double>(mergedZeros) / entries)) continue;
    target[s] = groups.parent[s];
    columns[p] = mergedColumns;
    height[p] = mergedHeight;
    zeros[p] = mergedZeros;
  }
  // Follow the merges up.
  for (size_t s = n; s-- > 0;)
    if (target[s] != static_cast<int32_t>(s)) target[s] = target[target[s]];
  std::vector<int32_t> index(n, -1);
  int32_t kept = 0;
  for (size_t s = 0; s < n; ++s)
    if (target[s] == static_cast<int32_t>(s)) index[s] = kept++;
  std::vector<int32_t> parents(static_cast<size_t>(kept), -1);
  for (size_t s = 0; s < n; ++s)
    if (index[s] >= 0 && groups.parent[s] >= 0) parents[index[s]] = index[target[groups.parent[s]]];
  for (int32_t& g : groups.groupOf) g = index[target[g]];
  groups.parent = std::move(parents);
}

/// Reorders columns so that those of a supernode follow each other; lists supernodes, children first.
void layOut(Elimination& e, const ColumnGroups& groups) {
  const std::vector<int32_t> groupOrder = postorder(groups.parent), groupPlace = inverse(groupOrder);
  e.supernodes.resize(groupOrder.size());
  for (const int32_t g : groups.groupOf) ++e.supernodes[groupPlace[g]].columns;
  int32_t first = 0;
  for (size_t s = 0; s < e.supernodes.size(); ++s) {
    Supernode& node = e.supernodes[s];
    node.firstColumn = first;
    first += node.columns;
    node.firstDescendant = static_cast<int32_t>(s);
    const int32_t p = groups.parent[groupOrder[s]];
    node.parent = p < 0 ? -1 : groupPlace[p];
  }
  std::vector<int32_t> next(e.supernodes.size()), order(e.order.size());
  for (size_t s = 0; s < next.size(); ++s) next[s] = e.supernodes[s].firstColumn;
  for (size_t j = 0; j < order.size(); ++j) order[next[groupPlace[groups.groupOf[j]]]++] = e.order[j];
  e.order = std::move(order);

  std::vector<int32_t> childCount(e.supernodes.size() + 1, 0);
  for (const Supernode& node : e.supernodes)
    if (node.parent >= 0) ++childCount[node.parent + 1];
  std::partial_sum(childCount.begin(), childCount.end(), childCount.begin());
  e.children.resize(static_cast<size_t>(childCount.back()));
  for (size_t s = 0; s < e.supernodes.size(); ++s) {
    e.supernodes[s].childrenBegin = e.supernodes[s].childrenEnd = childCount[s];
  }
  for (size_t s = 0; s < e.supernodes.size(); ++s) {
    const Supernode& node = e.supernodes[s];
    if (node.parent < 0) {
      e.roots.push_back(static_cast<int32_t>(s));
      continue;
    }
    Supernode& parent = e.supernodes[node.parent];
    e.children[parent.childrenEnd++] = static_cast<int32_t>(s);
    parent.firstDescendant = std::min(parent.firstDescendant, node.firstDescendant);
  }
}

/// The rows below each supernode, from the matrix and from its children.
void findRows(Elimination& e, const SparsityGraph& graph, Context& context) {
  const std::vector<int32_t> place = inverse(e.order);
  std::vector<int32_t> mark(e.order.size(), -1);
  for (size_t s = 0; s < e.supernodes.size(); ++s) {
    if (s % 64 == 0) context.checkCancel();
    Supernode& node = e.supernodes[s];
    node.rowsBegin = static_cast<int64_t>(e.rows.size());
    const int32_t end = node.firstColumn + node.columns;
    const auto add = [&](int32_t row) {
      if (row < end || mark[row] == static_cast<int32_t>(s)) return;
      mark[row] = static_cast<int32_t>(s);
      e.rows.push_back(row);
    };
    for (int32_t j = node.firstColumn; j < end; ++j)
      for (int32_t k = graph.starts[e.order[j]]; k < graph.starts[e.order[j] + 1]; ++k)
        add(place[graph.adjacent[k]]);
    for (int32_t c = node.childrenBegin; c < node.childrenEnd; ++c) {
      const Supernode& child = e.supernodes[e.children[c]];
      for (int64_t r = child.rowsBegin; r < child.rowsBegin + child.rowsBelow; ++r) add(e.rows[r]);
    }
    std::sort(e.rows.begin() + node.rowsBegin, e.rows.end());
    node.rowsBelow = static_cast<int32_t>(static_cast<int64_t>(e.rows.size()) - node.rowsBegin);
    node.valuesBegin = e.factorSize;
    e.factorSize += node.height() * node.columns;

    const auto h = static_cast<double>(node.height()), n = static_cast<double>(node.columns);
    const double below = h - n, work = n * n * n / 6 + n * n * below / 2 + n * below * below / 2;
    e.work += work;
    node.subtreeWork += work;
    if (node.parent >= 0) e.supernodes[node.parent].subtreeWork += node.subtreeWork;
  }
}

/// Where the rows of each supernode are in its parent's front.
void placeRows(Elimination& e) {
  std::vector<int32_t> local(e.order.size(), 0);
  e.placeInParent.resize(e.rows.size());
  for (const Supernode& node : e.supernodes) {
    for (int32_t r = 0; r < node.rowsBelow; ++r) local[e.rows[node.rowsBegin + r]] = node.columns + r;
    for (int32_t c = node.childrenBegin; c < node.childrenEnd; ++c) {
      const Supernode& child = e.supernodes[e.children[c]];
      for (int64_t r = child.rowsBegin; r < child.rowsBegin + child.rowsBelow; ++r) {
        const int32_t row = e.rows[r];
        e.placeInParent[r] = row < node.firstColumn + node.columns ? row - node.firstColumn : local[row];
      }
    }
  }
}

/// Where each value of the matrix goes.
void findEntries(Elimination& e, const SparseMatrix& lower) {
  const std::vector<int32_t> place = inverse(e.order);
  std::vector<int32_t> nodeOf(e.order.size()), local(e.order.size(), 0);
  for (size_t s = 0; s < e.supernodes.size(); ++s)
    for (int32_t j = 0; j < e.supernodes[s].columns; ++j)
      nodeOf[e.supernodes[s].firstColumn + j] = static_cast<int32_t>(s);
  std::vector<int64_t> begin(e.supernodes.size() + 1, 0);
  forLower(lower, [&](int32_t i, int32_t j, int32_t) { ++begin[nodeOf[std::min(place[i], place[j])] + 1]; });
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (size_t s = 0; s < e.supernodes.size(); ++s)
    e.supernodes[s].entriesBegin = e.supernodes[s].entriesEnd = begin[s];
  e.entries.resize(static_cast<size_t>(begin.back()));
  // First with row and column in place of the target.
  forLower(lower, [&](int32_t i, int32_t j, int32_t k) {
    const int32_t a = std::min(place[i], place[j]), b = std::max(place[i], place[j]);
    Supernode& node = e.supernodes[nodeOf[a]];
    e.entries[node.entriesEnd++] = {k, static_cast<int64_t>(a) << 32 | b};
  });
  for (const Supernode& node : e.supernodes) {
    for (int32_t r = 0; r < node.rowsBelow; ++r) local[e.rows[node.rowsBegin + r]] = node.columns + r;
    for (int64_t k = node.entriesBegin; k < node.entriesEnd; ++k) {
      const auto column = static_cast<int32_t>(e.entries[k].target >> 32) - node.firstColumn;
      const auto row = static_cast<int32_t>(e.entries[k].target & 0xffffffff);
      const int32_t localRow = row < node.firstColumn + node.columns ? row - node.firstColumn : local[row];
      e.entries[k].target = localRow + column * node.height();
    }
  }
}

}  // namespace

Elimination analyseElimination(const SparseMatrix& lower, std::vector<int32_t> given, Context& context) {
  const SparsityGraph graph = graphOf(lower);
  Elimination e;
  e.order = given.empty() ? fillReducingOrder(graph, context) : std::move(given);

  // Number the columns along the elimination tree.
  std::vector<int32_t> parent = eliminationTree(graph, e.order);
  const std::vector<int32_t> post = postorder(parent), postPlace = inverse(post);
  std::vector<int32_t> order(e.order.size()), renumbered(parent.size());
  for (size_t k = 0; k < post.size(); ++k) {
    order[k] = e.order[post[k]];
    renumbered[k] = parent[post[k]] < 0 ? -1 : postPlace[parent[post[k]]];
  }
  e.order = std::move(order);
  parent = std::move(renumbered);

  // Gather columns in supernodes.
  const std::vector<int32_t> count = columnCounts(graph, e.order, parent, context);
  ColumnGroups groups = fundamentalGroups(parent, count);
  mergeGroups(groups, count);
  layOut(e, groups);
  findRows(e, graph, context);
  placeRows(e);
  findEntries(e, lower);
  return e;
}

}  // namespace hackle::detail
