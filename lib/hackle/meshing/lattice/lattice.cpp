#include <hackle/meshing/lattice/lattice.h>

#include <hackle/core/parallel.h>
#include <hackle/meshing/lattice/lattice_links.h>
#include <hackle/meshing/lattice/lattice_octree.h>
#include <hackle/meshing/lattice/lattice_stencils.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace hackle {

namespace {

using detail::GridPlace;
using detail::LatticeBackground;

/// An edge of the background from a vertex inside to one outside, or the other way round; ends ascend.
struct Cut {
  int32_t low = 0, high = 0;
  double at = 0;  // part of the way from low to high

  int32_t otherEnd(int32_t end) const { return low + high - end; }
};

uint64_t edgeKey(int32_t a, int32_t b) {
  const auto [low, high] = std::minmax(a, b);
  return static_cast<uint64_t>(low) << 32 | static_cast<uint64_t>(high);
}

class Stuffing {
 public:
  Stuffing(const SolidField& solid, LatticeBackground background, Context& context)
      : mSolid(solid), mBackground(std::move(background)), mContext(context) {}

  TetLattice run() {
    {
      Context::Stage stage(mContext, "sample", 0.1);
      sample();
    }
    {
      Context::Stage stage(mContext, "cut", 0.25);
      findCuts();
    }
    {
      Context::Stage stage(mContext, "warp", 0.1);
      warp();
      unpinch();
    }
    Context::Stage stage(mContext, "fill", 0.1);
    return fill();
  }

 private:
  int8_t& sign(int32_t v) { return mSigns[v]; }
  int sign(int32_t v) const { return mSigns[v]; }
  Vec3& position(int32_t v) { return mPositions[v]; }
  const Vec3& position(int32_t v) const { return mPositions[v]; }

  // Step 1: inside or outside ---------------------------------------------------------------------------

  void sample() {
    const size_t count = mBackground.keys.size();
    mPositions.resize(count);
    mValues.assign(count, -1.0);  // deep inside nothing is asked
    mSigns.resize(count);
    parallelFor(mContext, count, 256, [&](size_t i) {
      const auto v = static_cast<int32_t>(i);
      position(v) = mBackground.position(v);
      if (mBackground.nearSurface[i]) mValues[i] = detail::checkedValue(mSolid, position(v));
      if (!mBackground.filled.empty() && mBackground.filled[i]) mValues[i] = -1.0;
      sign(v) = mValues[i] < 0 ? -1 : 1;
      if (sign(v) < 0) checkRoom(v);
    });
  }

  void checkRoom(int32_t v) const {
    const GridPlace p = mBackground.place(v);
    for (size_t a = 0; a < 3; ++a)
      if (p[a] == 0 || p[a] == mBackground.last[a])
        throw Error(ErrorCode::BadInput,
                    fmt::format("lattice: the solid reaches beyond its bounds near ({:.4g}, {:.4g}, {:.4g})",
                                position(v).x(), position(v).y(), position(v).z()),
                    "enlarge the bounds");
  }

  // Step 2: where the surface crosses edges -----------------------------------------------------------------

  void findCuts() {
    constexpr size_t kGrain = 4096;
    const std::vector<Tetrahedron>& tetrahedra = mBackground.tetrahedra;
    std::vector<std::vector<uint64_t>> parts(tetrahedra.size() / kGrain + 1);
    parallelRanges(mContext, tetrahedra.size(), kGrain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        for (size_t a = 0; a < 4; ++a)
          for (size_t b = a + 1; b < 4; ++b)
            if (sign(tetrahedra[i][a]) != sign(tetrahedra[i][b]))
              parts[begin / kGrain].push_back(edgeKey(tetrahedra[i][a], tetrahedra[i][b]));
    });
    std::vector<uint64_t> keys;
    for (const std::vector<uint64_t>& part : parts) keys.insert(keys.end(), part.begin(), part.end());
    parallelStableSort(mContext, keys, std::less<uint64_t>());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());

    mCuts.resize(keys.size());
    parallelFor(mContext, keys.size(), 64, [&](size_t i) {
      Cut& cut = mCuts[i];
      cut.low = static_cast<int32_t>(keys[i] >> 32);
      cut.high = static_cast<int32_t>(keys[i] & 0xffffffffu);
      if (!mBackground.nearSurface[cut.low] || !mBackground.nearSurface[cut.high])
        throw Error(
            ErrorCode::Failed,
            fmt::format("lattice: the function changes faster than its Lipschitz bound near ({:.4g}, {:.4g}, "
                        "{:.4g})",
                        position(cut.low).x(), position(cut.low).y(), position(cut.low).z()),
            "give a larger bound");
      cut.at = crossing(cut);
    });
    mCutOf = detail::KeyTable(keys);
  }

  /// Regula falsi, each step kept off the ends of the bracket so that jumps are found too.
  double crossing(const Cut& cut) const {
    const Vec3 &p = position(cut.low), &q = position(cut.high);
    double a = 0, b = 1;
    double fa = mValues[cut.low], fb = mValues[cut.high];
    const double negligible = 1e-4 * std::max(std::abs(fa), std::abs(fb));
    const bool lowInside = fa < 0;
    if (mSolid.crossing) return lowInside ? mSolid.crossing(p, q) : 1.0 - mSolid.crossing(q, p);
    double t = 0.5;
    for (int step = 0; step < 20 && b - a > 1e-4; ++step) {
      const double share = fa / (fa - fb);
      const double margin = step < 2 ? 0.0 : 0.1;
      t = a + (b - a) * std::clamp(step > 6 ? 0.5 : share, margin, 1.0 - margin);
      const double f = detail::checkedValue(mSolid, p + t * (q - p));
      if (std::abs(f) <= negligible) break;
      if ((f < 0) == lowInside) {
        a = t;
        fa = f;
      } else {
        b = t;
        fb = f;
      }
    }
    return t;
  }

  // Step 3: vertices that the surface passes closely move onto it -----------------------------------------

  double limit(const Cut& cut) const {
    return detail::cutLimit(mBackground.place(cut.low), mBackground.place(cut.high));
  }

  Vec3 cutPosition(const Cut& cut) const {
    const Vec3 p = mBackground.position(cut.low), q = mBackground.position(cut.high);
    return p + cut.at * (q - p);
  }

  /// In the order of the vertices: a vertex that has moved takes the cuts on its edges from its neighbours.
  void warp() {
    struct Violation {
      int32_t vertex, cut;
    };
    std::vector<Violation> violations;
    for (size_t i = 0; i < mCuts.size(); ++i) {
      const double least = limit(mCuts[i]);
      if (mCuts[i].at < least) violations.push_back({mCuts[i].low, static_cast<int32_t>(i)});
      if (1.0 - mCuts[i].at < least) violations.push_back({mCuts[i].high, static_cast<int32_t>(i)});
    }
    parallelStableSort(mContext, violations,
                       [](const Violation& a, const Violation& b) { return a.vertex < b.vertex; });
    for (size_t i = 0; i < violations.size();) {
      const int32_t v = violations[i].vertex;
      double nearest = 1e300;
      Vec3 target = Vec3::Zero();
      for (; i < violations.size() && violations[i].vertex == v; ++i) {
        const Cut& cut = mCuts[violations[i].cut];
        const Vec3 place = cutPosition(cut);
        const double distance = (place - position(v)).norm();
        if (sign(cut.otherEnd(v)) == 0 || distance >= nearest) continue;
        nearest = distance;
        target = place;
      }
      if (nearest == 1e300) continue;
      mMoved.push_back(v);
      mPositions[v] = target;
      sign(v) = 0;
    }
  }

  // Step 4: move vertices back where they pinch the surface -----------------------------------------------

  void moveBack(int32_t v) {
    position(v) = mBackground.position(v);
    sign(v) = mValues[v] < 0 ? -1 : 1;
  }

  void unpinch() {
    std::vector<uint8_t> moved(mSigns.size(), 0);
    for (const int32_t v : mMoved) moved[v] = 1;
    const detail::VertexStars stars(mBackground.tetrahedra, moved);
    const auto isGood = [&](int32_t v) { return isManifoldAt(v, mBackground.tetrahedra, stars, mSigns); };
    std::vector<uint8_t> bad(mMoved.size(), 0);
    parallelFor(mContext, mMoved.size(), 256, [&](size_t i) { bad[i] = !isGood(mMoved[i]); });
    std::vector<int32_t> open;
    for (size_t i = mMoved.size(); i-- > 0;)
      if (bad[i]) open.push_back(mMoved[i]);
    // Each step back changes what its neighbours see.
    while (!open.empty()) {
      mContext.checkCancel();
      const int32_t v = open.back();
      open.pop_back();
      if (sign(v) != 0 || isGood(v)) continue;
      moveBack(v);
      for (const int32_t t : stars.of(v))
        for (const int32_t w : mBackground.tetrahedra[t])
          if (sign(w) == 0) open.push_back(w);
    }
  }

  // Step 5: tetrahedra ------------------------------------------------------------------------------------

  bool toCutOf(int32_t a, int32_t b, int32_t c) const {
    return detail::diagonalToFirst(mBackground.place(a), mBackground.place(b), mBackground.place(c));
  }

  /// Numbers of points: vertices of the background, then cuts.
  int32_t pointOfCut(int32_t a, int32_t b) const {
    return static_cast<int32_t>(mSigns.size()) + mCutOf.find(edgeKey(a, b));
  }

  void fillTetrahedron(const Tetrahedron& t, std::vector<Tetrahedron>& out) const {
    std::array<int, 4> signs{};
    for (size_t i = 0; i < 4; ++i) signs[i] = sign(t[i]);
    const auto vertexAt = [&](int i) { return t[i]; };
    const auto pointAt = [&](int corner) {
      return corner < 4 ? vertexAt(corner)
                        : pointOfCut(vertexAt((corner - 4) / 4), vertexAt((corner - 4) % 4));
    };
    const auto squaredLength = [&](int p, int q) {
      return (position(pointAt(p)) - position(pointAt(q))).squaredNorm();
    };
    const detail::StencilParts parts = detail::stencil(
        signs, [&](int a, int b, int c) { return toCutOf(vertexAt(a), vertexAt(b), vertexAt(c)); },
        [&](int p, int q, int r, int s) { return squaredLength(p, q) < squaredLength(r, s); });
    for (int k = 0; k < parts.count; ++k) {
      Tetrahedron part;
      for (size_t i = 0; i < 4; ++i) part[i] = pointAt(parts.corners[k][i]);
      const Vec3& o = position(part[0]);
      const double volume = (position(part[1]) - o).dot((position(part[2]) - o).cross(position(part[3]) - o));
      if (volume < 0) std::swap(part[2], part[3]);
      out.push_back(part);
    }
  }

  /// Cuts keep the distance from both ends that the angles need; that moves only those next to vertices that
  /// were moved back.
  void placeCuts() {
    const size_t vertices = mSigns.size();
    mPositions.resize(vertices + mCuts.size());
    mClamped.assign(mCuts.size(), 0);
    parallelFor(mContext, mCuts.size(), 4096, [&](size_t i) {
      Cut cut = mCuts[i];
      const double least = limit(cut), at = cut.at;
      cut.at = std::clamp(at, least, 1.0 - least);
      mClamped[i] = cut.at != at;
      mPositions[vertices + i] = cutPosition(cut);
    });
  }

  TetLattice fill() {
    placeCuts();
    constexpr size_t kGrain = 8192;
    const std::vector<Tetrahedron>& tetrahedra = mBackground.tetrahedra;
    std::vector<std::vector<Tetrahedron>> parts(tetrahedra.size() / kGrain + 1);
    parallelRanges(mContext, tetrahedra.size(), kGrain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) fillTetrahedron(tetrahedra[i], parts[begin / kGrain]);
    });
    TetLattice lattice;
    for (const std::vector<Tetrahedron>& part : parts)
      lattice.tetrahedra.insert(lattice.tetrahedra.end(), part.begin(), part.end());

    // Keep the points that are used; only those on the surface can be corners of the boundary.
    std::vector<int32_t> number(mPositions.size(), -1);
    for (const Tetrahedron& t : lattice.tetrahedra)
      for (const int32_t p : t) number[p] = 0;
    std::vector<uint8_t> candidate;
    for (size_t p = 0; p < number.size(); ++p) {
      if (number[p] < 0) continue;
      number[p] = static_cast<int32_t>(lattice.points.size());
      lattice.points.push_back(mPositions[p]);
      const bool isCut = p >= mSigns.size();
      candidate.push_back(isCut || mSigns[p] == 0);
      if (isCut) lattice.clampedPoints += mClamped[p - mSigns.size()];
    }
    parallelFor(mContext, lattice.tetrahedra.size(), 8192, [&](size_t i) {
      for (int32_t& p : lattice.tetrahedra[i]) p = number[p];
    });
    lattice.boundary = boundaryFaces(lattice.tetrahedra, candidate, mContext);
    lattice.onSurface.assign(lattice.points.size(), 0);
    for (const Triangle& t : lattice.boundary)
      for (const int32_t p : t) lattice.onSurface[p] = 1;
    return lattice;
  }

  const SolidField& mSolid;
  LatticeBackground mBackground;
  Context& mContext;
  std::vector<Vec3> mPositions;  // of vertices, after step 5 of cuts too
  std::vector<double> mValues;
  std::vector<int8_t> mSigns;  // -1 inside, 0 moved onto the surface, 1 outside
  std::vector<Cut> mCuts;
  detail::KeyTable mCutOf;
  std::vector<int32_t> mMoved;
  std::vector<uint8_t> mClamped;
};

}  // namespace

TetLattice stuffLattice(const SolidField& solid, const LatticeOptions& options, Context& context) {
  if (solid.bounds.empty()) return {};
  LatticeBackground background = detail::makeBackground(solid, options, context);
  return Stuffing(solid, std::move(background), context).run();
}

Geometry latticeGeometry(const TetLattice& lattice) {
  Geometry geometry;
  geometry.addPoints(lattice.points.size());
  geometry.editPositions() = lattice.points;
  std::vector<int32_t> corners;
  corners.reserve(4 * lattice.tetrahedra.size());
  for (const Tetrahedron& t : lattice.tetrahedra) corners.insert(corners.end(), t.begin(), t.end());
  geometry.addPrimitives(PrimitiveType::Tetrahedron, lattice.tetrahedra.size(), 4, corners);
  geometry.addGroup(Owner::Point, "surface").bits.edit() = lattice.onSurface;
  return geometry;
}

Geometry latticeBoundary(const TetLattice& lattice) {
  Geometry geometry;
  std::vector<int32_t> number(lattice.points.size(), -1), corners;
  std::vector<Vec3> points;
  for (size_t p = 0; p < lattice.points.size(); ++p)
    if (lattice.onSurface[p]) {
      number[p] = static_cast<int32_t>(points.size());
      points.push_back(lattice.points[p]);
    }
  for (const Triangle& t : lattice.boundary)
    for (const int32_t p : t) corners.push_back(number[p]);
  geometry.addPoints(points.size());
  geometry.editPositions() = std::move(points);
  geometry.addPrimitives(PrimitiveType::Polygon, lattice.boundary.size(), 3, corners);
  return geometry;
}

}  // namespace hackle
