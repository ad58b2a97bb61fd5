#include <hackle/fracture/interior_detail.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/noise.h>
#include <hackle/meshing/surface/flat_polygon.h>
#include <hackle/meshing/surface/polygon_refinement.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

/// The fine mesh of a face.
struct RoughFace {
  std::vector<Vec3> points;         // new ones
  std::vector<Triangle> triangles;  // the face's corners count first, then the points
};

class DetailMaker {
 public:
  DetailMaker(Cut& cut, const DetailOptions& options, Context& context)
      : mCut(cut), mOptions(options), mContext(context) {
    if (mOptions.scale <= 0) mOptions.scale = 8 * mOptions.size;
  }

  void run() {
    collectPairs();
    checkCount();
    buildSurface();
    std::vector<RoughFace> rough(mPairs.size());
    parallelFor(mContext, mPairs.size(), 1, [&](size_t p) {
      if (mPairs[p][0] >= 0 && mPairs[p][1] >= 0) rough[p] = roughen(p);
    });
    replaceFaces(rough);
  }

 private:
  const CutFace& face(int32_t f) const { return mCut.faces[f]; }
  int32_t corner(const CutFace& f, int32_t k) const { return mCut.corners[f.first + k]; }
  const Vec3& at(const CutFace& f, int32_t k) const { return mCut.vertices[corner(f, k)].position; }

  void collectPairs() {
    for (size_t f = 0; f < mCut.faces.size(); ++f) {
      const int32_t pair = mCut.faces[f].pair;
      if (pair < 0) continue;
      if (static_cast<size_t>(pair) >= mPairs.size()) mPairs.resize(static_cast<size_t>(pair) + 1, {-1, -1});
      auto& sides = mPairs[pair];
      // The side of the lower cell comes first.
      sides[face(static_cast<int32_t>(f)).cell < face(static_cast<int32_t>(f)).neighbour ? 0 : 1] =
          static_cast<int32_t>(f);
    }
  }

  /// Faces are sorted by cell.
  Span<const CutFace> facesOf(int32_t cell) const {
    const auto less = [](const CutFace& f, int32_t c) { return f.cell < c; };
    const auto first = std::lower_bound(mCut.faces.begin(), mCut.faces.end(), cell, less);
    const auto last = std::lower_bound(first, mCut.faces.end(), cell + 1, less);
    return Span<const CutFace>(mCut.faces.data() + (first - mCut.faces.begin()),
                               static_cast<size_t>(last - first));
  }

  Vec3 areaVector(const CutFace& f) const {
    Vec3 sum = Vec3::Zero();
    for (int32_t k = 1; k + 1 < f.count; ++k)
      sum += 0.5 * (at(f, k) - at(f, 0)).cross(at(f, k + 1) - at(f, 0));
    return sum;
  }

  void checkCount() const {
    double area = 0;
    for (const auto& sides : mPairs)
      if (sides[0] >= 0) area += areaVector(face(sides[0])).norm();
    constexpr double kMost = 2e7;
    const double points = area / (std::sqrt(0.75) * mOptions.size * mOptions.size);
    if (!(points <= kMost))
      throw Error(
          ErrorCode::Usage, fmt::format("a detail of {:.3g} m wants {:.2g} points", mOptions.size, points),
          fmt::format("use a detail size of {:.2g} m or more", mOptions.size * std::sqrt(points / kMost)));
  }

  /// The outside, for distances to it.
  void buildSurface() {
    std::vector<Triangle> triangles;
    std::vector<Vec3> points;
    for (const CutFace& f : mCut.faces) {
      if (f.pair >= 0) continue;
      const int32_t first = static_cast<int32_t>(points.size());
      for (int32_t k = 0; k < f.count; ++k) points.push_back(at(f, k));
      for (int32_t k = 1; k + 1 < f.count; ++k) triangles.push_back({first, first + k, first + k + 1});
    }
    mSurface = std::make_unique<TriangleBvh>(points, triangles, mContext);
  }

  FlatPolygon flatten(const CutFace& f) const {
    std::vector<Vec3> corners;
    for (int32_t k = 0; k < f.count; ++k) corners.push_back(at(f, k));
    return FlatPolygon(corners);
  }

  /// Distance from a place on a face to all other faces of the two cells beside it, if less than `most`.
  double room(const Vec3& x, const CutFace& own, double most) const {
    double squared = most * most;
    const ClosestPoint outside = mSurface->closestPoint(x, most);
    if (outside.triangle >= 0) squared = std::min(squared, outside.squaredDistance);
    for (const int32_t cell : {own.cell, own.neighbour})
      for (const CutFace& f : facesOf(cell)) {
        if (f.pair < 0 || f.pair == own.pair) continue;
        for (int32_t k = 1; k + 1 < f.count; ++k)
          squared =
              std::min(squared, closestPointOnTriangle(x, at(f, 0), at(f, k), at(f, k + 1)).squaredDistance);
      }
    return std::sqrt(squared);
  }

  RoughFace roughen(size_t pair) const {
    const CutFace& own = face(mPairs[pair][0]);
    const FlatPolygon flat = flatten(own);
    RoughFace rough;
    if (!flat.normal.allFinite() || flat.normal.isZero()) return rough;
    std::vector<Vec2> inner;
    const double s = mOptions.size, row = std::sqrt(0.75) * s;
    Random random(mixBits(mOptions.seed + 11), pair);
    const auto rows = static_cast<int64_t>((flat.high.y() - flat.low.y()) / row) + 1;
    const auto columns = static_cast<int64_t>((flat.high.x() - flat.low.x()) / s) + 2;
    for (int64_t j = 0; j < rows; ++j)
      for (int64_t i = 0; i < columns; ++i) {
        // A triangular pattern, shaken so that it does not show.
        const Vec2 shake(random.uniform(-0.2, 0.2), random.uniform(-0.2, 0.2));
        const Vec2 p =
            flat.low +
            Vec2((static_cast<double>(i) + (j % 2 ? 0.5 : 0.0)) * s, static_cast<double>(j) * row) +
            s * shake;
        if (flat.rimDistance(p) > 0.4 * s) inner.push_back(p);
      }
    if (inner.empty()) return rough;
    rough.triangles = triangulateWithPoints(flat.corners, inner);
    for (const Vec2& p : inner) {
      const Vec3 x = flat.place(p);
      constexpr double kShare = 0.25;
      const double most = kShare * room(x, own, flat.rimDistance(p));
      constexpr int kOctaves = 5;
      const double noise =
          fractalNoise(x / mOptions.scale, mOptions.seed, kOctaves, mOptions.roughness) * mOptions.amount;
      rough.points.push_back(x + std::clamp(noise, -most, most) * flat.normal);
    }
    return rough;
  }

  void replaceFaces(const std::vector<RoughFace>& rough) {
    std::vector<CutFace> faces;
    std::vector<int32_t> corners, origins;
    const auto add = [&](CutFace f, const std::vector<int32_t>& list) {
      // New faces take nothing from the surface.
      const bool kept = !mCut.origins.empty() && f.plane < 0;
      for (size_t k = 0; k < list.size(); ++k)
        origins.push_back(kept ? mCut.origins[static_cast<size_t>(f.first) + k] : list[k]);
      f.first = static_cast<int32_t>(corners.size());
      f.count = static_cast<int32_t>(list.size());
      corners.insert(corners.end(), list.begin(), list.end());
      faces.push_back(f);
    };
    int32_t pairs = 0;
    for (const CutFace& f : mCut.faces) {
      if (f.pair >= 0 && !rough[f.pair].triangles.empty()) continue;
      std::vector<int32_t> list;
      for (int32_t k = 0; k < f.count; ++k) list.push_back(corner(f, k));
      add(f, list);
      pairs = std::max(pairs, f.pair + 1);
    }
    pairs = std::max(pairs, static_cast<int32_t>(rough.size()));
    for (size_t p = 0; p < rough.size(); ++p) {
      if (rough[p].triangles.empty()) continue;
      CutFace front = face(mPairs[p][0]), back = face(mPairs[p][1]);
      if (front.plane < 0) {
        front.plane = back.plane = static_cast<int32_t>(mCut.planes.size());
        mCut.planes.push_back(areaVector(front).normalized());
      }
      const int32_t first = static_cast<int32_t>(mCut.vertices.size());
      for (const Vec3& x : rough[p].points) {
        mCut.vertices.emplace_back();
        mCut.vertices.back().position = x;
      }
      const auto vertex = [&](int32_t k) {
        const int32_t own = mCut.faces[mPairs[p][0]].count;
        return k < own ? corner(mCut.faces[mPairs[p][0]], k) : first + k - own;
      };
      for (const Triangle& t : rough[p].triangles) {
        front.pair = back.pair = pairs++;
        add(front, {vertex(t[0]), vertex(t[1]), vertex(t[2])});
        add(back, {vertex(t[2]), vertex(t[1]), vertex(t[0])});
      }
    }
    mCut.faces = std::move(faces);
    mCut.corners = std::move(corners);
    if (!mCut.origins.empty()) mCut.origins = std::move(origins);
    mCut.sortFaces();
  }

  Cut& mCut;
  DetailOptions mOptions;
  Context& mContext;
  std::vector<std::array<int32_t, 2>> mPairs;  // the two sides of each inside face
  std::unique_ptr<TriangleBvh> mSurface;
};

}  // namespace

void addInteriorDetail(Cut& cut, const DetailOptions& options, Context& context) {
  if (options.size <= 0) return;
  DetailMaker(cut, options, context).run();
}

}  // namespace hackle
