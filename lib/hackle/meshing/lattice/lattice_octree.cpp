#include <hackle/meshing/lattice/lattice_octree.h>

#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/meshing/lattice/lattice_classifier.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace hackle::detail {

KeyTable::KeyTable(Span<const uint64_t> keys) {
  size_t size = 16;
  while (size < 2 * keys.size()) size *= 2;
  mSlots.resize(size);
  mMask = size - 1;
  for (size_t i = 0; i < keys.size(); ++i) {
    size_t slot = mixBits(keys[i]) & mMask;
    while (mSlots[slot].index >= 0) slot = (slot + 1) & mMask;
    mSlots[slot] = {keys[i], static_cast<int32_t>(i)};
  }
}

int32_t KeyTable::find(uint64_t key) const {
  if (mSlots.empty()) return -1;
  size_t slot = mixBits(key) & mMask;
  while (mSlots[slot].index >= 0 && mSlots[slot].key != key) slot = (slot + 1) & mMask;
  return mSlots[slot].index;
}

double checkedValue(const SolidField& solid, const Vec3& p) {
  const double v = solid.value(p);
  if (!std::isfinite(v))
    throw Error(ErrorCode::BadInput,
                fmt::format("lattice: the function is not finite at ({}, {}, {})", p.x(), p.y(), p.z()));
  return v;
}

namespace {

/// The cubes of one size, by ascending keys of their lowest corners. Level k has edges of 2^k finest cubes.
struct Level {
  std::vector<uint64_t> keys;
  std::vector<CubeState> states;
  std::vector<uint8_t> split;  // into the eight cubes of the next lower level
  KeyTable table;

  int32_t find(const GridPlace& corner) const {
    return (corner[0] | corner[1] | corner[2]) < 0 ? -1 : table.find(placeKey(corner));
  }
};

constexpr int kBlockLevel = 3;  // uniform lattices are made of blocks this size
constexpr int kMaxLevel = 10;

int32_t edgeOf(int level) { return 2 << level; }  // in units

GridPlace centreOf(const GridPlace& corner, int level) {
  const int32_t half = edgeOf(level) / 2;
  return {corner[0] + half, corner[1] + half, corner[2] + half};
}
GridPlace cornerOf(const GridPlace& corner, int level, int which) {
  const int32_t edge = edgeOf(level);
  return {corner[0] + (which & 1) * edge, corner[1] + (which >> 1 & 1) * edge,
          corner[2] + (which >> 2) * edge};
}
GridPlace parentOf(const GridPlace& corner, int level) {
  const int32_t mask = ~(edgeOf(level + 1) - 1);
  return {corner[0] & mask, corner[1] & mask, corner[2] & mask};
}

/// Parts that ranges made, one after the other.
template <class T>
std::vector<T> joined(std::vector<std::vector<T>>& parts) {
  size_t count = 0;
  for (const std::vector<T>& part : parts) count += part.size();
  std::vector<T> all;
  all.reserve(count);
  for (std::vector<T>& part : parts) {
    all.insert(all.end(), part.begin(), part.end());
    part = {};
  }
  return all;
}

void sortUnique(std::vector<uint64_t>& keys, Context& context) {
  parallelStableSort(context, keys, std::less<uint64_t>());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

class Octree {
 public:
  Octree(const SolidField& solid, const LatticeOptions& options, Context& context)
      : mSolid(solid), mOptions(options), mContext(context) {
    const double h = options.cellSize;
    if (!(h > 0) || !std::isfinite(h))
      throw Error(ErrorCode::Usage, fmt::format("lattice: a cell size of {} m is not positive", h));
    if (options.interiorSize && !(*options.interiorSize >= h))
      throw Error(ErrorCode::Usage,
                  fmt::format("lattice: an interior size of {} m is below the cell size of {} m",
                              *options.interiorSize, h));
    mTop = kBlockLevel;
    if (options.interiorSize)
      mTop = std::clamp(static_cast<int>(std::log2(*options.interiorSize / h * 1.0001)), 0, kMaxLevel);
    // Largest cubes along each axis, with room for three finest ones around the bounds.
    const Vec3 size = solid.bounds.size();
    double cubes = 1;
    for (size_t a = 0; a < 3; ++a) {
      const double count = std::ceil((size[static_cast<int>(a)] / h + 6.0) / (1 << mTop));
      if (!(count * edgeOf(mTop) < (1 << kPlaceBits) - 2)) tooFine();
      mRoots[a] = static_cast<int32_t>(count);
      cubes *= count;
    }
    if (cubes * (solid.lipschitz && !options.fillCavities ? 1.0 : std::pow(8.0, mTop)) > 2e8) tooFine();
    mUnit = 0.5 * h;
    mOrigin = solid.bounds.centre() - 0.5 * mUnit * edgeOf(mTop) * Vec3(mRoots[0], mRoots[1], mRoots[2]);
  }

  LatticeBackground run() {
    mLevels.resize(static_cast<size_t>(mTop) + 1);
    {
      Context::Stage stage(mContext, "classify", 0.3);
      refine();
      if (mTop > 0) balance();
    }
    Context::Stage stage(mContext, "lattice", 0.15);
    LatticeBackground background;
    background.origin = mOrigin;
    background.unit = mUnit;
    for (size_t a = 0; a < 3; ++a) background.last[a] = mRoots[a] * edgeOf(mTop);
    numberVertices(background);
    joinCubes(background);
    return background;
  }

 private:
  [[noreturn]] void tooFine() const {
    throw Error(ErrorCode::Usage,
                fmt::format("lattice: a cell size of {} m is too fine for a solid of {:.4g} m",
                            mOptions.cellSize, mSolid.bounds.diagonal()),
                "use larger cells");
  }
  Level& level(int k) { return mLevels[k]; }
  const Level& level(int k) const { return mLevels[k]; }
  Vec3 world(const GridPlace& p) const { return mOrigin + mUnit * Vec3(p[0], p[1], p[2]); }

  // Step 1: cubes, from large to small ------------------------------------------------------------------

  void refine() {
    Level& top = level(mTop);
    for (int32_t z = 0; z < mRoots[2]; ++z)
      for (int32_t y = 0; y < mRoots[1]; ++y)
        for (int32_t x = 0; x < mRoots[0]; ++x)
          top.keys.push_back(placeKey({x * edgeOf(mTop), y * edgeOf(mTop), z * edgeOf(mTop)}));
    const CubeGrid grid{
        mOrigin, mOptions.cellSize, {mRoots[0] << mTop, mRoots[1] << mTop, mRoots[2] << mTop}};
    mClassify.emplace(mSolid, grid, mTop, mOptions.fillCavities, mContext);
    top.states.assign(top.keys.size(), CubeState::Near);
    for (int k = mTop; k >= 0; --k) {
      Level& cubes = level(k);
      cubes.split.assign(cubes.keys.size(), 0);
      parallelFor(mContext, cubes.keys.size(), 64, [&](size_t i) {
        const GridPlace corner = keyPlace(cubes.keys[i]);
        if (cubes.states[i] == CubeState::Near)
          cubes.states[i] = (*mClassify)({corner[0] / 2, corner[1] / 2, corner[2] / 2}, k);
        cubes.split[i] = k > 0 && cubes.states[i] != CubeState::Outside &&
                         (cubes.states[i] == CubeState::Near || wantsSmaller(corner, k));
      });
      cubes.table = KeyTable(cubes.keys);
      if (k > 0) makeChildren(k);
    }
  }

  bool wantsSmaller(const GridPlace& corner, int k) const {
    if (!mOptions.interiorSize) return true;
    return mOptions.sizeField &&
           mOptions.sizeField(world(centreOf(corner, k))) < 0.999 * mOptions.cellSize * (1 << k);
  }

  /// The cubes of level k - 1 from the split ones of level k; what is known of a cube holds for its parts.
  void makeChildren(int k) {
    const Level& parents = level(k);
    const Level known = std::exchange(level(k - 1), {});
    Level& children = level(k - 1);
    for (size_t i = 0; i < parents.keys.size(); ++i)
      if (parents.split[i])
        for (int c = 0; c < 8; ++c)
          children.keys.push_back(placeKey(cornerOf(keyPlace(parents.keys[i]), k - 1, c)));
    parallelStableSort(mContext, children.keys, std::less<uint64_t>());
    children.states.resize(children.keys.size());
    parallelFor(mContext, children.keys.size(), 4096, [&](size_t i) {
      if (const int32_t old = known.table.find(children.keys[i]); old >= 0) {
        children.states[i] = known.states[old];
        return;
      }
      const int32_t parent = parents.find(parentOf(keyPlace(children.keys[i]), k - 1));
      children.states[i] = parents.states[parent];
    });
  }

  // Step 2: cubes that share an edge differ by one level at most -----------------------------------------

  /// The smallest cube at or above this one that is there; its state, Outside beyond the bounds.
  CubeState stateAround(GridPlace corner, int k) const {
    if ((corner[0] | corner[1] | corner[2]) < 0) return CubeState::Outside;
    for (; k <= mTop; corner = parentOf(corner, k), ++k)
      if (const int32_t i = level(k).find(corner); i >= 0) return level(k).states[i];
    return CubeState::Outside;
  }

  /// A split cube needs its neighbours across faces and edges; so their parents must be split.
  std::vector<uint64_t> neededParents(Span<const uint64_t> splitKeys, int k) {
    constexpr size_t kGrain = 1024;
    std::vector<std::vector<uint64_t>> parts(splitKeys.size() / kGrain + 1);
    parallelRanges(mContext, splitKeys.size(), kGrain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const GridPlace corner = keyPlace(splitKeys[i]);
        for (int n = 0; n < 27; ++n) {
          const int32_t dx = n % 3 - 1, dy = n / 3 % 3 - 1, dz = n / 9 - 1;
          if (dx != 0 && dy != 0 && dz != 0) continue;
          const int32_t edge = edgeOf(k);
          const GridPlace next{corner[0] + dx * edge, corner[1] + dy * edge, corner[2] + dz * edge};
          if (level(k).find(next) < 0 && stateAround(next, k) == CubeState::Inside)
            parts[begin / kGrain].push_back(placeKey(parentOf(next, k)));
        }
      }
    });
    std::vector<uint64_t> needed = joined(parts);
    sortUnique(needed, mContext);
    return needed;
  }

  void balance() {
    // Upwards: which cubes have to be split, also such as are not there yet.
    std::vector<std::vector<uint64_t>> splits(mLevels.size());
    for (int k = 1; k <= mTop; ++k) {
      std::vector<uint64_t>& here = splits[k];
      for (size_t i = 0; i < level(k).keys.size(); ++i)
        if (level(k).split[i]) here.push_back(level(k).keys[i]);
      sortUnique(here, mContext);
      if (k < mTop) splits[k + 1] = neededParents(here, k);
    }
    // Downwards: split them.
    for (int k = mTop; k > 0; --k) {
      Level& cubes = level(k);
      if (k < mTop) {
        makeChildren(k + 1);
        cubes.split.assign(cubes.keys.size(), 0);
        cubes.table = KeyTable(cubes.keys);
      }
      for (const uint64_t key : splits[k])
        if (const int32_t i = cubes.table.find(key); i >= 0) cubes.split[i] = 1;
    }
    makeChildren(1);
    level(0).split.assign(level(0).keys.size(), 0);
    level(0).table = KeyTable(level(0).keys);
  }

  // Step 3: vertices at the centres and corners of the cubes that are left ---------------------------------

  bool isLeaf(int k, size_t i) const {
    return !level(k).split[i] && level(k).states[i] != CubeState::Outside;
  }

  void numberVertices(LatticeBackground& background) {
    std::vector<uint64_t> nearKeys;
    for (int k = 0; k <= mTop; ++k)
      for (size_t i = 0; i < level(k).keys.size(); ++i) {
        if (!isLeaf(k, i)) continue;
        const GridPlace corner = keyPlace(level(k).keys[i]);
        const bool near = level(k).states[i] == CubeState::Near;
        std::vector<uint64_t>& keys = near ? nearKeys : background.keys;
        keys.push_back(placeKey(centreOf(corner, k)));
        for (int c = 0; c < 8; ++c) keys.push_back(placeKey(cornerOf(corner, k, c)));
      }
    sortUnique(nearKeys, mContext);
    background.keys.insert(background.keys.end(), nearKeys.begin(), nearKeys.end());
    sortUnique(background.keys, mContext);
    if (background.keys.size() > 1u << 30) tooFine();
    mVertices = KeyTable(background.keys);
    background.nearSurface.assign(background.keys.size(), 0);
    for (const uint64_t key : nearKeys) background.nearSurface[mVertices.find(key)] = 1;
    if (!mOptions.fillCavities) return;
    background.filled.assign(background.keys.size(), 0);
    for (const uint64_t key : nearKeys)
      background.filled[mVertices.find(key)] = mClassify->isFilled(keyPlace(key));
  }

  int32_t vertex(const GridPlace& p) const { return mVertices.find(placeKey(p)); }

  // Step 4: tetrahedra around every face of every cube -----------------------------------------------------

  void joinCubes(LatticeBackground& background) {
    constexpr size_t kGrain = 512;
    for (int k = 0; k <= mTop; ++k) {
      const size_t count = level(k).keys.size();
      std::vector<std::vector<Tetrahedron>> parts(count / kGrain + 1);
      parallelRanges(mContext, count, kGrain, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i)
          if (isLeaf(k, i)) joinCube(keyPlace(level(k).keys[i]), k, parts[begin / kGrain]);
      });
      const std::vector<Tetrahedron> all = joined(parts);
      background.tetrahedra.insert(background.tetrahedra.end(), all.begin(), all.end());
    }
  }

  void joinCube(const GridPlace& corner, int k, std::vector<Tetrahedron>& out) const {
    const int32_t edge = edgeOf(k);
    const int32_t centre = vertex(centreOf(corner, k));
    for (size_t axis = 0; axis < 3; ++axis)
      for (const bool upper : {false, true}) {
        GridPlace next = corner;
        next[axis] += upper ? edge : -edge;
        // The face's corners in a cycle that turns left seen from the upper side.
        std::array<GridPlace, 4> face;
        const size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (size_t c = 0; c < 4; ++c) {
          face[c] = corner;
          face[c][axis] += upper ? edge : 0;
          face[c][u] += c == 1 || c == 2 ? edge : 0;
          face[c][v] += c >= 2 ? edge : 0;
        }
        if (!upper) std::swap(face[1], face[3]);  // left seen from the other cube
        const int32_t other = level(k).find(next);
        if (other >= 0) {
          if (level(k).split[other])
            joinToSmaller(centre, face, out);
          else if (upper && level(k).states[other] != CubeState::Outside)
            joinEqual(centre, vertex(centreOf(next, k)), face, k, out);
        } else if (k < mTop && (next[0] | next[1] | next[2]) >= 0) {
          const int32_t larger = level(k + 1).find(parentOf(next, k));
          if (larger >= 0 && level(k + 1).states[larger] != CubeState::Outside)
            joinToLarger(centre, corner, face, k, axis, out);
        }
      }
  }

  static GridPlace middle(const GridPlace& a, const GridPlace& b) {
    return {(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2};
  }

  /// `face` turns left seen from the cube with centre `to`.
  void joinEqual(int32_t from, int32_t to, const std::array<GridPlace, 4>& face, int k,
                 std::vector<Tetrahedron>& out) const {
    for (size_t c = 0; c < 4; ++c) {
      const GridPlace &a = face[c], &b = face[(c + 1) % 4];
      const int32_t half = k > 0 ? vertex(middle(a, b)) : -1;
      if (half < 0) {
        out.push_back({from, vertex(a), vertex(b), to});
      } else {
        out.push_back({from, vertex(a), half, to});
        out.push_back({from, half, vertex(b), to});
      }
    }
  }

  void joinToSmaller(int32_t centre, const std::array<GridPlace, 4>& face,
                     std::vector<Tetrahedron>& out) const {
    const int32_t faceCentre = vertex(middle(face[0], face[2]));
    for (size_t c = 0; c < 4; ++c) {
      const GridPlace &a = face[c], &b = face[(c + 1) % 4];
      const int32_t half = vertex(middle(a, b));
      HACKLE_ASSERT(faceCentre >= 0 && half >= 0);
      out.push_back({centre, vertex(a), half, faceCentre});
      out.push_back({centre, half, vertex(b), faceCentre});
    }
  }

  /// The larger cube divides its face by lines from the middle to its corners.
  void joinToLarger(int32_t centre, const GridPlace& corner, const std::array<GridPlace, 4>& face, int k,
                    size_t axis, std::vector<Tetrahedron>& out) const {
    const GridPlace parent = centreOf(parentOf(corner, k), k + 1);
    size_t m = 0;  // the face's corner in the middle of the larger face
    for (size_t c = 0; c < 4; ++c) {
      bool same = true;
      for (size_t a = 0; a < 3; ++a) same = same && (a == axis || face[c][a] == parent[a]);
      if (same) m = c;
    }
    const auto at = [&](size_t c) { return vertex(face[c % 4]); };
    out.push_back({centre, at(m), at(m + 1), at(m + 2)});
    out.push_back({centre, at(m), at(m + 2), at(m + 3)});
  }

  const SolidField& mSolid;
  const LatticeOptions& mOptions;
  Context& mContext;
  int mTop = 0;        // the level of the largest cubes
  GridPlace mRoots{};  // number of them along each axis
  Vec3 mOrigin = Vec3::Zero();
  double mUnit = 0;
  std::vector<Level> mLevels;
  KeyTable mVertices;
  std::optional<CubeClassifier> mClassify;
};

}  // namespace

LatticeBackground makeBackground(const SolidField& solid, const LatticeOptions& options, Context& context) {
  return Octree(solid, options, context).run();
}

}  // namespace hackle::detail
