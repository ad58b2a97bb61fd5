// Which primitives belong to which piece.
#pragma once

#include <hackle/fracture/pieces.h>

#include <vector>

namespace hackle {

/// Primitives of each piece, ascending.
inline std::vector<std::vector<int32_t>> primitivesOfPieces(const FracturePieces& pieces) {
  std::vector<std::vector<int32_t>> lists(pieces.names.size());
  for (size_t p = 0; p < pieces.primitivePiece.size(); ++p)
    lists[pieces.primitivePiece[p]].push_back(static_cast<int32_t>(p));
  return lists;
}

}  // namespace hackle
