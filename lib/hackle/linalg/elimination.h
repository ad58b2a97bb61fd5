// The pattern of a sparse Cholesky factor in supernodes: columns that are kept as one dense block. Private to
// sparse_cholesky.cpp.
#pragma once

#include <hackle/core/context.h>
#include <hackle/linalg/sparse.h>

#include <cstdint>
#include <vector>

namespace hackle::detail {

/// A supernode's front is its own columns, then the rows below; in the order of elimination.
struct Supernode {
  int32_t firstColumn = 0, columns = 0;
  int32_t parent = -1;
  int64_t rowsBegin = 0;  // in Elimination::rows
  int32_t rowsBelow = 0;
  int64_t valuesBegin = 0;                     // in the factor: (columns + rowsBelow) × columns, by columns
  int64_t entriesBegin = 0, entriesEnd = 0;    // in Elimination::entries
  int32_t childrenBegin = 0, childrenEnd = 0;  // in Elimination::children
  int32_t firstDescendant = 0;                 // its subtree is firstDescendant to itself
  double subtreeWork = 0;                      // multiplications

  int64_t height() const { return static_cast<int64_t>(columns) + rowsBelow; }
};

/// Where a value of the matrix goes in a front: value `source` to `target` of the front's columns.
struct FrontEntry {
  int32_t source = 0;
  int64_t target = 0;
};

struct Elimination {
  std::vector<int32_t> order;          // order[k]: the unknown eliminated k-th
  std::vector<Supernode> supernodes;   // children before parents
  std::vector<int32_t> rows;           // rows below each supernode, ascending
  std::vector<int32_t> placeInParent;  // beside `rows`: the row's place in the parent's front
  std::vector<int32_t> children;       // of each supernode, ascending
  std::vector<FrontEntry> entries;
  std::vector<int32_t> roots;
  int64_t factorSize = 0;  // values
  double work = 0;         // multiplications
};

/// Finds the factor's pattern and merges supernodes where that costs few zeros. The order is that given, or
/// by nested dissection where it is empty.
Elimination analyseElimination(const SparseMatrix& lower, std::vector<int32_t> given, Context& context);

}  // namespace hackle::detail
