#include <hackle/meshing/lattice/bisection_lattice.h>

#include <hackle/core/error.h>
#include <hackle/core/random.h>

#include <algorithm>

namespace hackle {

namespace {

uint64_t keyOf(const BisectionLattice::Place& p) {
  uint64_t key = 0;
  for (const int32_t i : p) key = key << 21 | (static_cast<uint64_t>(i) & 0x1fffff);
  return key;
}

}  // namespace

BisectionLattice::BisectionLattice(int level) : mLevel(level), mTable(1024, -1) {
  HACKLE_ASSERT(level >= 0 && level <= 12);
}

std::pair<size_t, size_t> BisectionLattice::longest(int depth) {
  // Corners are ordered so that the longest edge is the first to the last, then to the third, then to the
  // second; see split().
  return {0, depth % 3 == 0 ? 3 : depth % 3 == 1 ? 2 : 1};
}

BisectionLattice::Place BisectionLattice::middleOf(const Cell& cell) const {
  const auto [i, j] = longest(cell.depth);
  const Place &a = mPoints[cell.corners[i]], &b = mPoints[cell.corners[j]];
  return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
}

size_t BisectionLattice::middleAt(const Place& place) {
  const uint64_t key = keyOf(place);
  if (2 * (mMiddles.size() + 1) > mTable.size()) {
    mTable.assign(2 * mTable.size(), -1);
    for (size_t m = 0; m < mMiddles.size(); ++m) {
      size_t slot = mixBits(mMiddles[m].key);
      while (mTable[slot & (mTable.size() - 1)] >= 0) ++slot;
      mTable[slot & (mTable.size() - 1)] = static_cast<int32_t>(m);
    }
  }
  for (size_t slot = mixBits(key);; ++slot) {
    int32_t& found = mTable[slot & (mTable.size() - 1)];
    if (found >= 0 && mMiddles[found].key == key) return static_cast<size_t>(found);
    if (found >= 0) continue;
    found = static_cast<int32_t>(mMiddles.size());
    mMiddles.push_back({key, -1, -1});
    return static_cast<size_t>(found);
  }
}

int32_t BisectionLattice::cornerAt(const Place& place) {
  Middle& middle = mMiddles[middleAt(place)];
  if (middle.point < 0) {
    middle.point = static_cast<int32_t>(mPoints.size());
    mPoints.push_back(place);
  }
  return middle.point;
}

void BisectionLattice::addRoot(const Place& cube) {
  // From the corner that is even in units of cubes to the one that is odd, along the axes in every order.
  const int32_t size = rootSize();
  Place from, step;
  for (size_t k = 0; k < 3; ++k) {
    const bool odd = (cube[k] & 1) != 0;
    from[k] = (cube[k] + (odd ? 1 : 0)) * size;
    step[k] = odd ? -size : size;
  }
  constexpr size_t kOrders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  std::vector<int32_t> none;
  for (const auto& order : kOrders) {
    Cell cell{{}, 0, -1};
    Place at = from;
    for (size_t k = 0; k < 4; ++k) {
      cell.corners[k] = cornerAt(at);
      if (k < 3) at[order[k]] += step[order[k]];
    }
    addLeaf(cell, none);
  }
}

void BisectionLattice::addLeaf(const Cell& cell, std::vector<int32_t>& parents) {
  const int32_t index = static_cast<int32_t>(mCells.size());
  mCells.push_back(cell);
  mNext.push_back(-1);
  if (cell.depth >= deepest()) return;
  Middle& middle = mMiddles[middleAt(middleOf(cell))];
  if (middle.point >= 0) {
    parents.push_back(-1 - index);  // to be bisected once its sister is there too
    return;
  }
  mNext.back() = middle.waiting;
  middle.waiting = index;
}

void BisectionLattice::bisect(int32_t cell, std::vector<int32_t>& parents) {
  const Cell& of = mCells[cell];
  if (of.child >= 0 || of.depth >= deepest()) return;
  splitAt(middleOf(of), parents);
}

void BisectionLattice::splitAt(const Place& place, std::vector<int32_t>& parents) {
  if (mMiddles[middleAt(place)].point >= 0) return;
  // What has to be there before: coordinates say what the place is the middle of, at which scale.
  int32_t scale = 1;
  while (((place[0] | place[1] | place[2]) & scale) == 0) scale *= 2;
  std::array<bool, 3> odd;
  int count = 0;
  for (size_t k = 0; k < 3; ++k) count += (odd[k] = (place[k] & scale) != 0) ? 1 : 0;
  const auto beside = [&](size_t axis, int32_t by) {
    Place p = place;
    p[axis] += by;
    return p;
  };
  if (count == 3 && 2 * scale < rootSize()) {
    // The middle of a cube: edges of the cube of twice the size that leave its corner.
    Place corner;
    for (size_t k = 0; k < 3; ++k)
      corner[k] = ((place[k] + scale) & (4 * scale - 1)) == 0 ? place[k] + scale : place[k] - scale;
    for (size_t k = 0; k < 3; ++k) {
      Place edge = corner;
      edge[k] = 2 * place[k] - corner[k];
      splitAt(edge, parents);
    }
  } else if (count == 2) {
    for (size_t k = 0; k < 3; ++k)
      if (!odd[k])
        for (const int32_t by : {-scale, scale}) splitAt(beside(k, by), parents);
  } else if (count == 1) {
    for (size_t k = 0; k < 3; ++k)
      if (!odd[k])
        for (const int32_t by : {-scale, scale}) splitAt(beside(k, by), parents);
  }
  const int32_t point = cornerAt(place);
  Middle& middle = mMiddles[middleAt(place)];
  int32_t cell = middle.waiting;
  middle.waiting = -1;
  while (cell >= 0) {
    const int32_t next = mNext[cell];
    split(cell, point, parents);
    cell = next;
  }
}

void BisectionLattice::split(int32_t index, int32_t point, std::vector<int32_t>& parents) {
  const Cell cell = mCells[index];
  const auto& c = cell.corners;
  const uint8_t depth = static_cast<uint8_t>(cell.depth + 1);
  Cell first{{}, depth, -1}, second{{}, depth, -1};
  switch (cell.depth % 3) {
    case 0:
      first.corners = {c[0], c[1], c[2], point};
      second.corners = {c[3], c[2], c[1], point};
      break;
    case 1:
      first.corners = {c[0], c[1], point, c[3]};
      second.corners = {c[2], c[1], point, c[3]};
      break;
    default:
      first.corners = {c[0], point, c[2], c[3]};
      second.corners = {c[1], point, c[2], c[3]};
  }
  mCells[index].child = static_cast<int32_t>(mCells.size());
  parents.push_back(index);
  std::vector<int32_t> again;
  addLeaf(first, again);
  addLeaf(second, again);
  for (const int32_t child : again) {
    const int32_t leaf = -1 - child;
    split(leaf, mMiddles[middleAt(middleOf(mCells[leaf]))].point, parents);
  }
}

}  // namespace hackle
