#include <hackle/meshing/lattice/tet_locator.h>

#include <hackle/core/parallel.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kTolerance = 1e-12;  // of the mesh's size

}  // namespace

TetLocator::TetLocator(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context)
    : mPoints(points), mTetrahedra(tetrahedra) {
  for (const Tetrahedron& t : tetrahedra)
    for (const int32_t p : t) mBounds.add(points[p]);
  if (mBounds.empty()) return;

  // About one bucket a tetrahedron.
  const double room = kTolerance * mBounds.diagonal();
  mBounds.min -= Vec3::Constant(room);
  mBounds.max += Vec3::Constant(room);
  const Vec3 size = mBounds.size();
  mBucket = std::cbrt(size.prod() / static_cast<double>(tetrahedra.size()));
  mBucket = std::max(mBucket, size.maxCoeff() / 1000.0);
  if (!(mBucket > 0)) mBucket = 1;
  for (size_t a = 0; a < 3; ++a) mCount[a] = static_cast<int32_t>(size[static_cast<int>(a)] / mBucket) + 1;
  const auto buckets =
      static_cast<size_t>(mCount[0]) * static_cast<size_t>(mCount[1]) * static_cast<size_t>(mCount[2]);

  // Two passes: count, then fill, in the order of the tetrahedra.
  const auto forBuckets = [&](const Tetrahedron& t, const auto& body) {
    Box3 box;
    for (const int32_t p : t) box.add(points[p]);
    std::array<int32_t, 3> low{}, high{};
    for (size_t a = 0; a < 3; ++a) {
      const int i = static_cast<int>(a);
      const auto clampedIndex = [&](double x) {
        return std::clamp(static_cast<int32_t>((x - mBounds.min[i]) / mBucket), 0, mCount[a] - 1);
      };
      low[a] = clampedIndex(box.min[i] - room);
      high[a] = clampedIndex(box.max[i] + room);
    }
    for (int32_t z = low[2]; z <= high[2]; ++z)
      for (int32_t y = low[1]; y <= high[1]; ++y)
        for (int32_t x = low[0]; x <= high[0]; ++x)
          body((static_cast<size_t>(z) * static_cast<size_t>(mCount[1]) + static_cast<size_t>(y)) *
                   static_cast<size_t>(mCount[0]) +
               static_cast<size_t>(x));
  };
  mStarts.assign(buckets + 1, 0);
  for (const Tetrahedron& t : tetrahedra) forBuckets(t, [&](size_t b) { ++mStarts[b + 1]; });
  context.checkCancel();
  for (size_t b = 0; b < buckets; ++b) mStarts[b + 1] += mStarts[b];
  mMembers.resize(static_cast<size_t>(mStarts.back()));
  std::vector<int64_t> next(mStarts.begin(), mStarts.end() - 1);
  for (size_t t = 0; t < tetrahedra.size(); ++t)
    forBuckets(tetrahedra[t], [&](size_t b) { mMembers[next[b]++] = static_cast<int32_t>(t); });
}

std::array<double, 4> TetLocator::weightsIn(int32_t tetrahedron, const Vec3& p) const {
  const Tetrahedron& t = mTetrahedra[tetrahedron];
  const auto corner = [&](size_t i) -> const Vec3& { return mPoints[t[i]]; };
  const Vec3 a = corner(1) - corner(0), b = corner(2) - corner(0), c = corner(3) - corner(0),
             q = p - corner(0);
  const double volume = a.dot(b.cross(c));
  const double wa = q.dot(b.cross(c)) / volume, wb = a.dot(q.cross(c)) / volume,
               wc = a.dot(b.cross(q)) / volume;
  return {1.0 - wa - wb - wc, wa, wb, wc};
}

std::optional<size_t> TetLocator::bucketOf(const Vec3& p) const {
  size_t index = 0;
  for (size_t a = 3; a-- > 0;) {
    const int i = static_cast<int>(a);
    if (!(p[i] >= mBounds.min[i] && p[i] <= mBounds.max[i])) return std::nullopt;
    const auto at = std::min(static_cast<int32_t>((p[i] - mBounds.min[i]) / mBucket), mCount[a] - 1);
    index = index * static_cast<size_t>(mCount[a]) + static_cast<size_t>(at);
  }
  return index;
}

std::optional<TetPlace> TetLocator::find(const Vec3& p) const {
  if (mBounds.empty()) return std::nullopt;
  const std::optional<size_t> bucket = bucketOf(p);
  if (!bucket) return std::nullopt;
  TetPlace best;
  double deepest = -1e300;
  for (auto i = static_cast<size_t>(mStarts[*bucket]); i < static_cast<size_t>(mStarts[*bucket + 1]); ++i) {
    const std::array<double, 4> weights = weightsIn(mMembers[i], p);
    const double depth = *std::min_element(weights.begin(), weights.end());
    if (!(depth > deepest)) continue;  // also for NaN
    deepest = depth;
    best = {mMembers[i], weights};
  }
  if (best.tetrahedron < 0) return std::nullopt;

  // A weight counts in heights of the tetrahedron; the lowest is at least its volume by its largest face.
  const Tetrahedron& t = mTetrahedra[best.tetrahedron];
  Box3 box;
  for (const int32_t corner : t) box.add(mPoints[corner]);
  const double size = box.diagonal();
  const Vec3& o = mPoints[t[0]];
  const double volume = (mPoints[t[1]] - o).dot((mPoints[t[2]] - o).cross(mPoints[t[3]] - o));
  const double height = std::abs(volume) / (size * size);
  if (deepest * height < -kTolerance * mBounds.diagonal()) return std::nullopt;

  // On the surface, put it there.
  double sum = 0;
  for (double& w : best.weights) sum += w = std::max(w, 0.0);
  for (double& w : best.weights) w /= sum;
  return best;
}

}  // namespace hackle
