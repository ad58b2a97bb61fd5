#include <hackle/meshing/lattice/lattice_classifier.h>

#include <hackle/core/parallel.h>
#include <hackle/meshing/lattice/lattice_octree.h>

#include <cmath>

namespace hackle::detail {

namespace {

using Index3 = std::array<int32_t, 3>;

// A cube whose centre is this many cubes from the surface must be a finest one: an end of a crossed edge is
// at most one edge, one cube, from the surface; the centre of a cube that a tetrahedron at that end belongs
// to is at most another cube away.
constexpr double kCubesNear = 2.0;

size_t volumeOf(const Index3& n) {
  return static_cast<size_t>(n[0]) * static_cast<size_t>(n[1]) * static_cast<size_t>(n[2]);
}
size_t indexIn(const Index3& n, int32_t x, int32_t y, int32_t z) {
  return (static_cast<size_t>(z) * static_cast<size_t>(n[1]) + static_cast<size_t>(y)) *
             static_cast<size_t>(n[0]) +
         static_cast<size_t>(x);
}

/// Calls body(x, y, z) for all of a box, rows in parallel.
template <class Body>
void forBox(const Index3& n, Context& context, const Body& body) {
  const auto ny = static_cast<size_t>(n[1]);
  parallelFor(context, ny * static_cast<size_t>(n[2]), 4, [&](size_t row) {
    for (int32_t x = 0; x < n[0]; ++x)
      body(x, static_cast<int32_t>(row % ny), static_cast<int32_t>(row / ny));
  });
}

/// 1 where any of the cube's neighbours along one axis, or itself, has 1.
std::vector<uint8_t> dilated(const std::vector<uint8_t>& bits, const Index3& n, size_t axis,
                             Context& context) {
  std::vector<uint8_t> result(bits.size());
  const size_t stride = axis == 0 ? 1 : axis == 1 ? static_cast<size_t>(n[0]) : indexIn(n, 0, 0, 1);
  forBox(n, context, [&](int32_t x, int32_t y, int32_t z) {
    const size_t i = indexIn(n, x, y, z);
    const int32_t at = Index3{x, y, z}[axis];
    uint8_t bit = bits[i];
    if (at > 0) bit |= bits[i - stride];
    if (at + 1 < n[axis]) bit |= bits[i + stride];
    result[i] = bit;
  });
  return result;
}

}  // namespace

CubeClassifier::CubeClassifier(const SolidField& solid, const CubeGrid& grid, int levels, bool fillCavities,
                               Context& context)
    : mSolid(solid), mGrid(grid), mLevels(levels), mDense(!solid.lipschitz || fillCavities) {
  if (mDense) sampleSigns(fillCavities, context);
}

size_t CubeClassifier::index(const Index3& first, int level) const {
  return indexIn({mGrid.cubes[0] >> level, mGrid.cubes[1] >> level, mGrid.cubes[2] >> level},
                 first[0] >> level, first[1] >> level, first[2] >> level);
}

CubeState CubeClassifier::operator()(const Index3& first, int level) const {
  if (mDense) {
    if (mNear[level][index(first, level)]) return CubeState::Near;
    return mInside[index(first, 0)] ? CubeState::Inside : CubeState::Outside;
  }
  const double half = 0.5 * (1 << level);
  const Vec3 centre = mGrid.origin + mGrid.cellSize * Vec3(first[0] + half, first[1] + half, first[2] + half);
  const double v = checkedValue(mSolid, centre);
  // From this centre to that of the farthest finest cube in it, then to the surface.
  const double reach = mGrid.cellSize * (kCubesNear + std::sqrt(3.0) * (half - 0.5));
  if (std::abs(v) <= 1.0001 * *mSolid.lipschitz * reach) return CubeState::Near;
  return v < 0 ? CubeState::Inside : CubeState::Outside;
}

std::vector<uint8_t> CubeClassifier::signsAt(const Index3& count, double shift, Context& context) const {
  std::vector<uint8_t> inside(volumeOf(count));
  forBox(count, context, [&](int32_t x, int32_t y, int32_t z) {
    const Vec3 p = mGrid.origin + mGrid.cellSize * Vec3(x + shift, y + shift, z + shift);
    inside[indexIn(count, x, y, z)] = checkedValue(mSolid, p) < 0;
  });
  return inside;
}

bool CubeClassifier::isFilled(const Index3& place) const {
  if (!mDense) return false;
  const bool centre = place[0] & 1;
  const Index3 n = mGrid.cubes, count = centre ? n : Index3{n[0] + 1, n[1] + 1, n[2] + 1};
  return (centre ? mInside : mCorners)[indexIn(count, place[0] / 2, place[1] / 2, place[2] / 2)] == 2;
}

/// From the corners of the box along the edges of the lattice: what is outside and not met is filled.
void CubeClassifier::fillCavities(Context& context) {
  const Index3 n = mGrid.cubes, m{n[0] + 1, n[1] + 1, n[2] + 1};
  constexpr uint8_t kReached = 3;
  std::vector<Index3> open;  // in halves of a cube
  const auto reach = [&](const Index3& place) {
    for (size_t a = 0; a < 3; ++a)
      if (place[a] < 0 || place[a] > 2 * n[a]) return;
    const bool centre = place[0] & 1;
    uint8_t& state = centre ? mInside[indexIn(n, place[0] / 2, place[1] / 2, place[2] / 2)]
                            : mCorners[indexIn(m, place[0] / 2, place[1] / 2, place[2] / 2)];
    if (state != 0) return;
    state = kReached;
    open.push_back(place);
  };
  reach({0, 0, 0});
  for (size_t step = 0; !open.empty(); ++step) {
    if (step % 65536 == 0) context.checkCancel();
    const Index3 p = open.back();
    open.pop_back();
    for (int32_t c = 0; c < 8; ++c)
      reach({p[0] + 2 * (c & 1) - 1, p[1] + (c & 2) - 1, p[2] + (c >> 1 & 2) - 1});
    for (const int32_t d : {-2, 2}) {
      reach({p[0] + d, p[1], p[2]});
      reach({p[0], p[1] + d, p[2]});
      reach({p[0], p[1], p[2] + d});
    }
  }
  for (std::vector<uint8_t>* states : {&mInside, &mCorners})
    for (uint8_t& state : *states) state = state == kReached ? 0 : state == 0 ? 2 : state;
}

void CubeClassifier::sampleSigns(bool fill, Context& context) {
  const Index3 n = mGrid.cubes, m{n[0] + 1, n[1] + 1, n[2] + 1};
  mInside = signsAt(n, 0.5, context);
  mCorners = signsAt(m, 0.0, context);
  if (fill) fillCavities(context);
  const auto isInside = [](uint8_t state) { return state != 0; };

  // Cubes with a crossed edge, from a centre to a corner or to the next centre or along a side.
  std::vector<uint8_t> near(mInside.size(), 0);
  forBox(n, context, [&](int32_t x, int32_t y, int32_t z) {
    const size_t i = indexIn(n, x, y, z);
    bool differs = false;
    for (int32_t c = 0; c < 8; ++c)
      differs = differs || isInside(mCorners[indexIn(m, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))]) !=
                               isInside(mInside[i]);
    const auto compare = [&](int32_t dx, int32_t dy, int32_t dz) {
      const Index3 at{x + dx, y + dy, z + dz};
      for (size_t a = 0; a < 3; ++a)
        if (at[a] < 0 || at[a] >= n[a]) return;
      differs = differs || isInside(mInside[indexIn(n, at[0], at[1], at[2])]) != isInside(mInside[i]);
    };
    for (const int32_t step : {-1, 1}) {
      compare(step, 0, 0);
      compare(0, step, 0);
      compare(0, 0, step);
    }
    near[i] = differs;
  });
  for (size_t axis = 0; axis < 3; ++axis) near = dilated(near, n, axis, context);

  mNear.push_back(std::move(near));
  for (int level = 1; level <= mLevels; ++level) {
    const Index3 fine{n[0] >> (level - 1), n[1] >> (level - 1), n[2] >> (level - 1)};
    const Index3 coarse{n[0] >> level, n[1] >> level, n[2] >> level};
    std::vector<uint8_t> any(volumeOf(coarse), 0);
    forBox(coarse, context, [&](int32_t x, int32_t y, int32_t z) {
      uint8_t bit = 0;
      for (int32_t c = 0; c < 8; ++c)
        bit |= mNear.back()[indexIn(fine, 2 * x + (c & 1), 2 * y + (c >> 1 & 1), 2 * z + (c >> 2))];
      any[indexIn(coarse, x, y, z)] = bit;
    });
    mNear.push_back(std::move(any));
  }
}

}  // namespace hackle::detail
