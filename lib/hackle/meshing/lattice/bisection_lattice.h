// A lattice of tetrahedra that is fine where it is asked to be, and conforming everywhere.
#pragma once

#include <hackle/geometry/vec.h>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace hackle {

/// Points have whole coordinates. Cubes of 2^level units, six tetrahedra each, are bisected at the middle of
/// their longest edge [Maubach95]: diagonals of cubes, then of faces, then edges, which gives cubes of half
/// the size again. All tetrahedra around an edge are bisected at once, and coarser neighbours before them, so
/// that tetrahedra always meet in whole faces.
class BisectionLattice {
 public:
  using Place = std::array<int32_t, 3>;

  /// Level 0 to 12.
  explicit BisectionLattice(int level);

  int32_t rootSize() const { return 1 << mLevel; }
  /// Adds the cube whose lowest corner is `cube` times the size of cubes, once. Not after a bisection.
  void addRoot(const Place& cube);

  struct Cell {
    std::array<int32_t, 4> corners;  // of the points; not sorted, not oriented
    uint8_t depth;                   // bisections since the cube
    int32_t child;                   // the first of two, which follow each other; -1 for leaves
  };
  const std::vector<Cell>& cells() const { return mCells; }
  const std::vector<Place>& points() const { return mPoints; }
  /// Cells of this depth are those of cubes of one unit, and are not bisected further.
  int deepest() const { return 3 * mLevel; }

  /// Bisects a leaf and whatever has to be with it; nothing for cells that are no leaves. Cells that were
  /// bisected are appended to `parents`, each after its own parent.
  void bisect(int32_t cell, std::vector<int32_t>& parents);

 private:
  struct Middle {  // of edges that are or may be bisected
    uint64_t key;
    int32_t point;    // -1 until it is
    int32_t waiting;  // the first leaf to be bisected here
  };
  static std::pair<size_t, size_t> longest(int depth);
  Place middleOf(const Cell& cell) const;
  size_t middleAt(const Place& place);
  void addLeaf(const Cell& cell, std::vector<int32_t>& parents);
  void splitAt(const Place& place, std::vector<int32_t>& parents);
  void split(int32_t cell, int32_t point, std::vector<int32_t>& parents);
  int32_t cornerAt(const Place& place);

  int mLevel;
  std::vector<Place> mPoints;
  std::vector<Cell> mCells;
  std::vector<int32_t> mNext;  // the next leaf that waits at the same middle
  std::vector<Middle> mMiddles;
  std::vector<int32_t> mTable;  // of middles, open addressing
};

}  // namespace hackle
