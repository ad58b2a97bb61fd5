#include <hackle/core/random.h>
#include <hackle/fracture/crack/pieces/crack_sheet_mesh.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace hackle {

namespace {

/// Points that were added, found by place.
class PointGrid {
 public:
  PointGrid(std::vector<Vec3>& points, double reach) : mPoints(points), mReach(reach) {}

  /// The nearest point within reach, or a new one.
  int32_t at(const Vec3& p) {
    const Vec3 low = ((p.array() - mReach) / (2 * mReach)).floor();
    int32_t best = -1;
    double nearest = mReach * mReach;
    for (int c = 0; c < 8; ++c) {
      const auto found = mFirst.find(key(low, c));
      for (int32_t i = found == mFirst.end() ? -1 : found->second; i >= 0; i = mNext[i]) {
        const double d = (mPoints[i] - p).squaredNorm();
        if (d > nearest || (d == nearest && best >= 0 && i > best)) continue;
        nearest = d;
        best = i;
      }
    }
    if (best >= 0) return best;
    best = static_cast<int32_t>(mPoints.size());
    mPoints.push_back(p);
    const auto [found, isNew] = mFirst.try_emplace(key((p / (2 * mReach)).array().floor(), 0), best);
    mNext.push_back(isNew ? -1 : found->second);
    found->second = best;
    return best;
  }

 private:
  static uint64_t key(const Vec3& low, int corner) {
    uint64_t h = 0;
    for (int k = 0; k < 3; ++k)
      h = mixBits(h + static_cast<uint64_t>(static_cast<int64_t>(low[k]) + (corner >> k & 1)) +
                  0x9e3779b97f4a7c15ULL);
    return h;
  }
  std::vector<Vec3>& mPoints;
  double mReach;
  std::unordered_map<uint64_t, int32_t> mFirst;
  std::vector<int32_t> mNext;
};

using Vec4 = Eigen::Vector4d;

/// Squared distances to planes of triangles in space and time ([Garland98]).
struct PlaneErrors {
  Eigen::Matrix4d a = Eigen::Matrix4d::Zero();
  Vec4 b = Vec4::Zero();
  double c = 0.0;

  void add(const Vec4& p, const Vec4& q, const Vec4& r) {
    const Vec4 e = (q - p).normalized();
    const Vec4 f = (r - p - e.dot(r - p) * e).normalized();
    if (!e.allFinite() || !f.allFinite()) return;
    const Eigen::Matrix4d m = Eigen::Matrix4d::Identity() - e * e.transpose() - f * f.transpose();
    a += m;
    b += m * p;
    c += p.dot(m * p);
  }
  void add(const PlaneErrors& o) {
    a += o.a;
    b += o.b;
    c += o.c;
  }
  double at(const Vec4& x) const { return x.dot(a * x) - 2 * b.dot(x) + c; }
};

/// Moves inner points onto neighbours where that changes little.
class SheetCoarsening {
 public:
  SheetCoarsening(CrackSheetMesh& sheet, double tolerance)
      : mSheet(sheet), mTolerance(tolerance), mAround(sheet.points.size()), mRim(sheet.points.size(), 0) {
    findTimeScale();
    mErrors.resize(sheet.points.size());
    std::map<Edge, int> edges;
    for (size_t t = 0; t < sheet.triangles.size(); ++t) {
      const Triangle& corners = sheet.triangles[t];
      PlaneErrors plane;
      plane.add(place(corners[0]), place(corners[1]), place(corners[2]));
      for (size_t k = 0; k < 3; ++k) {
        mAround[corners[k]].push_back(static_cast<int32_t>(t));
        mErrors[corners[k]].add(plane);
        ++edges[sorted(corners[k], corners[(k + 1) % 3])];
      }
    }
    for (const auto& [edge, count] : edges)
      if (count != 2) mRim[edge[0]] = mRim[edge[1]] = 1;
  }

  void run(Context& context) {
    for (int pass = 0; pass < 12; ++pass) {
      size_t gone = 0;
      for (size_t v = 0; v < mAround.size(); ++v) {
        if (v % 4096 == 0) context.checkCancel();
        // Points after each other are neighbours mostly: take turns.
        if (!mRim[v] && !mAround[v].empty() && mixBits(v * 31 + static_cast<size_t>(pass)) % 2)
          gone += remove(v);
      }
      if (pass > 1 && gone * 100 < mAround.size()) break;
    }
    std::vector<Triangle> left;
    for (const Triangle& t : mSheet.triangles)
      if (t[0] >= 0) left.push_back(t);
    mSheet.triangles = std::move(left);
  }

 private:
  static Edge sorted(int32_t a, int32_t b) { return a < b ? Edge{a, b} : Edge{b, a}; }
  const Vec3& point(int32_t p) const { return mSheet.points[p]; }
  Vec4 place(int32_t p) const {
    Vec4 x;
    x << point(p), mTimeScale * static_cast<double>(mSheet.times[p]);
    return x;
  }
  /// Relative to the first point, for the sake of rounding.
  void findTimeScale() {
    std::vector<double> slopes;
    for (const Triangle& t : mSheet.triangles) {
      const auto [low, high] = std::minmax({mSheet.times[t[0]], mSheet.times[t[1]], mSheet.times[t[2]]});
      if (high > low) slopes.push_back((point(t[1]) - point(t[0])).norm() / static_cast<double>(high - low));
    }
    if (slopes.empty()) return;
    std::nth_element(slopes.begin(), slopes.begin() + static_cast<std::ptrdiff_t>(slopes.size() / 2),
                     slopes.end());
    mTimeScale = 0.2 * slopes[slopes.size() / 2];
  }

  size_t remove(size_t v) {
    // Neighbours, each of which must belong to exactly two triangles around.
    std::vector<int32_t> ring;
    for (const int32_t t : mAround[v])
      for (const int32_t p : mSheet.triangles[t])
        if (p != static_cast<int32_t>(v) && std::find(ring.begin(), ring.end(), p) == ring.end())
          ring.push_back(p);
    if (ring.size() != mAround[v].size()) return 0;
    int32_t best = -1;
    double least = mTolerance * mTolerance;
    for (const int32_t u : ring) {
      const double error = mErrors[v].at(place(u));
      if (error <= least && fits(v, u, ring)) {
        least = error;
        best = u;
      }
    }
    if (best < 0) return 0;
    for (const int32_t t : mAround[v]) {
      Triangle& corners = mSheet.triangles[t];
      if (std::find(corners.begin(), corners.end(), best) != corners.end()) {
        for (const int32_t p : corners)
          if (p != static_cast<int32_t>(v)) {
            auto& list = mAround[p];
            list.erase(std::find(list.begin(), list.end(), t));
          }
        corners = {-1, -1, -1};
        continue;
      }
      std::replace(corners.begin(), corners.end(), static_cast<int32_t>(v), best);
      mAround[best].push_back(t);
    }
    mErrors[best].add(mErrors[v]);
    mAround[v].clear();
    return 1;
  }

  /// Whether v can move onto u: no triangle turns over or becomes a needle, no edge comes twice.
  bool fits(size_t v, int32_t u, const std::vector<int32_t>& ring) const {
    size_t common = 0;
    for (const int32_t p : ring) {
      if (p == u) continue;
      for (const int32_t t : mAround[p]) {
        const Triangle& c = mSheet.triangles[t];
        if (std::find(c.begin(), c.end(), u) == c.end()) continue;
        ++common;
        break;
      }
    }
    if (common != 2) return false;
    for (const int32_t t : mAround[v]) {
      const Triangle& c = mSheet.triangles[t];
      if (std::find(c.begin(), c.end(), u) != c.end()) continue;
      Vec3 before[3], after[3];
      for (size_t k = 0; k < 3; ++k) {
        before[k] = point(c[k]);
        after[k] = c[k] == static_cast<int32_t>(v) ? point(u) : before[k];
      }
      const Vec3 m = (before[1] - before[0]).cross(before[2] - before[0]);
      const Vec3 n = (after[1] - after[0]).cross(after[2] - after[0]);
      if (n.dot(m) <= 0.5 * n.norm() * m.norm()) return false;
      const double longest =
          std::max({(after[1] - after[0]).squaredNorm(), (after[2] - after[1]).squaredNorm(),
                    (after[0] - after[2]).squaredNorm()});
      if (n.norm() < 0.05 * longest) return false;
    }
    return true;
  }

  CrackSheetMesh& mSheet;
  double mTolerance, mTimeScale = 0.0;
  std::vector<std::vector<int32_t>> mAround;
  std::vector<uint8_t> mRim;
  std::vector<PlaneErrors> mErrors;
};

}  // namespace

CrackSheetMesh::CrackSheetMesh(const SheetBand& band, Span<const std::array<float, 3>> cornerTimes,
                               double weld) {
  PointGrid grid(points, weld);
  for (size_t t = 0; t < band.triangleCount(); ++t) {
    Triangle corners;
    for (size_t k = 0; k < 3; ++k) {
      corners[k] = grid.at(band.triangle(t)[k]);
      if (static_cast<size_t>(corners[k]) == times.size()) times.push_back(cornerTimes[t][k]);
    }
    if (corners[0] != corners[1] && corners[1] != corners[2] && corners[2] != corners[0])
      triangles.push_back(corners);
  }
}

void CrackSheetMesh::clip(const std::vector<uint8_t>& keep,
                          const std::function<double(int32_t, int32_t)>& crossing) {
  std::map<Edge, int32_t> cuts;
  const auto cutOn = [&](int32_t in, int32_t out) {
    const double t = std::clamp(crossing(in, out), 0.0, 1.0);
    if (t == 0) return in;
    const auto [found, isNew] = cuts.try_emplace({in, out}, static_cast<int32_t>(points.size()));
    if (isNew) {
      const size_t a = static_cast<size_t>(in), b = static_cast<size_t>(out);
      const Vec3 p = (1 - t) * points[a] + t * points[b];
      const double time = (1 - t) * static_cast<double>(times[a]) + t * static_cast<double>(times[b]);
      points.push_back(p);
      times.push_back(static_cast<float>(time));
    }
    return found->second;
  };
  std::vector<Triangle> kept;
  for (const Triangle& t : triangles) {
    std::vector<int32_t> polygon;
    for (size_t k = 0; k < 3; ++k) {
      const int32_t a = t[k], b = t[(k + 1) % 3];
      const bool in = keep[a] != 0, next = keep[b] != 0;
      if (in) polygon.push_back(a);
      if (in != next) polygon.push_back(in ? cutOn(a, b) : cutOn(b, a));
    }
    // Cuts at a corner are that corner.
    polygon.erase(std::unique(polygon.begin(), polygon.end()), polygon.end());
    if (polygon.size() > 1 && polygon.front() == polygon.back()) polygon.pop_back();
    for (size_t k = 1; k + 1 < polygon.size(); ++k) kept.push_back({polygon[0], polygon[k], polygon[k + 1]});
  }
  triangles = std::move(kept);
  dropUnused();
}

void CrackSheetMesh::dropUnused() {
  std::vector<int32_t> name(points.size(), -1);
  for (const Triangle& t : triangles)
    for (const int32_t p : t) name[p] = 0;
  size_t count = 0;
  for (size_t p = 0; p < points.size(); ++p) {
    if (name[p] < 0) continue;
    points[count] = points[p];
    times[count] = times[p];
    name[p] = static_cast<int32_t>(count++);
  }
  points.resize(count);
  times.resize(count);
  for (Triangle& t : triangles)
    for (int32_t& p : t) p = name[p];
}

void CrackSheetMesh::coarsen(double tolerance, Context& context) {
  SheetCoarsening(*this, tolerance).run(context);
  dropUnused();
}

double CrackSheetMesh::area() const {
  double sum = 0;
  for (const Triangle& t : triangles) {
    const Vec3& a = points[t[0]];
    sum += 0.5 * (points[t[1]] - a).cross(points[t[2]] - a).norm();
  }
  return sum;
}

}  // namespace hackle
