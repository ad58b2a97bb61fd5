#include <hackle/core/parallel.h>
#include <hackle/meshing/surface/remesh.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace hackle {

namespace {

// Edges are split above and collapsed below these parts of the wanted length [Botsch04]: neither makes work
// for the other.
constexpr double kLong = 4.0 / 3, kShort = 4.0 / 5;
// Collapses must not leave edges longer than this part of the wanted length.
constexpr double kLongest = 1.4;
// Cosine of the angle by which a triangle may turn in one collapse, and when a point is moved.
constexpr double kTurnCollapse = 0.5, kTurnSmooth = 0.7;
// Quality that a collapse must leave unless it was worse before, and a flip for the sake of valences.
constexpr double kQualityCollapse = 0.2, kQualityFlip = 0.4;
// Cosine between the triangles of an edge that may be flipped: others would change the shape.
constexpr double kFlat = 0.9;
// Part of the way to the mean of its neighbours that a point moves; less along sharp edges.
constexpr double kSmooth = 0.7, kSmoothSharp = 0.4;
// Cosine between the two sharp edges of a point that is no corner.
constexpr double kStraight = 0.7;
// Cosine between sharp edges that run side by side, and the least distance between them in wanted lengths.
constexpr double kParallel = 0.8, kBeside = 0.1;
constexpr int kSplitRounds = 6;

class Remesher {
 public:
  Remesher(const RemeshSurface& surface, const RemeshOptions& options, Context& context)
      : mSurface(surface), mOptions(options), mContext(context) {
    mPoints.assign(surface.mesh.points.begin(), surface.mesh.points.end());
    mTriangles.assign(surface.mesh.triangles.begin(), surface.mesh.triangles.end());
    connect();
    askSizes();
    std::vector<Edge> sharp;
    for (const Edge& e : edges())
      if (isSharpInMesh(e) && surface.sharp.hasAlong(at(e[0]), at(e[1]))) sharp.push_back(e);
    for (const Edge& e : sharp)
      if (!isCrowded(e, sharp)) mSharp.insert(keyOf(e));
  }

  RemeshResult run() {
    for (int round = 0; round < mOptions.rounds; ++round) {
      splitLong();
      collapseShort();
      flip(true);
      smooth();
      askSizes();
      mContext.advance(static_cast<double>(round + 1) / mOptions.rounds);
    }
    flip(false);
    return result();
  }

 private:
  Vec3& at(int32_t p) { return mPoints[p]; }
  const Vec3& at(int32_t p) const { return mPoints[p]; }
  static uint64_t keyOf(const Edge& e) {
    return (static_cast<uint64_t>(std::min(e[0], e[1])) << 32) | static_cast<uint64_t>(std::max(e[0], e[1]));
  }
  bool isSharp(int32_t a, int32_t b) const { return mSharp.count(keyOf({a, b})) > 0; }
  static bool has(const Triangle& t, int32_t p) { return t[0] == p || t[1] == p || t[2] == p; }
  Vec3 areaVector(const Triangle& t) const { return (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])); }
  double quality(const Triangle& t) const { return triangleQuality(at(t[0]), at(t[1]), at(t[2])); }
  double wanted(int32_t a, int32_t b) const { return 0.5 * (mSize[a] + mSize[b]); }
  double length(const Edge& e) const { return (at(e[1]) - at(e[0])).norm(); }

  // Connectivity -----------------------------------------------------------------------------------------

  void connect() {
    mAround.assign(mPoints.size(), {});
    for (size_t t = 0; t < mTriangles.size(); ++t)
      if (mTriangles[t][0] >= 0)
        for (const int32_t p : mTriangles[t]) mAround[p].push_back(static_cast<int32_t>(t));
  }

  /// Smaller point first, in the order of triangles.
  std::vector<Edge> edges() const {
    std::vector<Edge> list;
    for (const Triangle& t : mTriangles)
      for (size_t k = 0; k < 3 && t[0] >= 0; ++k)
        if (t[k] < t[(k + 1) % 3]) list.push_back({t[k], t[(k + 1) % 3]});
    return list;
  }

  /// The two triangles of an edge; fewer if it is gone.
  std::vector<int32_t> trianglesOf(int32_t a, int32_t b) const {
    std::vector<int32_t> list;
    for (const int32_t t : mAround[a])
      if (has(mTriangles[t], b)) list.push_back(t);
    return list;
  }

  std::vector<int32_t> neighbours(int32_t p) const {
    std::vector<int32_t> list;
    for (const int32_t t : mAround[p]) {
      const Triangle& c = mTriangles[t];
      list.push_back(c[0] == p ? c[1] : c[1] == p ? c[2] : c[0]);
    }
    return list;
  }

  static int32_t opposite(const Triangle& t, int32_t a, int32_t b) {
    return t[0] != a && t[0] != b ? t[0] : t[1] != a && t[1] != b ? t[1] : t[2];
  }

  void detach(int32_t p, int32_t t) { mAround[p].erase(std::find(mAround[p].begin(), mAround[p].end(), t)); }

  // Sharp edges ------------------------------------------------------------------------------------------

  bool isSharpInMesh(const Edge& e) const {
    const std::vector<int32_t> two = trianglesOf(e[0], e[1]);
    if (two.size() != 2) return false;
    const Vec3 n = areaVector(mTriangles[two[0]]), m = areaVector(mTriangles[two[1]]);
    return n.dot(m) < std::cos(kSharpAngle * 3.14159265358979323846 / 180) * n.norm() * m.norm();
  }

  /// Whether other sharp edges run along this one on both of its sides, nearer than edges are long, as those
  /// between the flutes of a column do: the mesh cannot have them all. (A chamfer, or the rim of a plate, has
  /// one on one side.)
  bool isCrowded(const Edge& e, const std::vector<Edge>& sharp) const {
    const Vec3 middle = 0.5 * (at(e[0]) + at(e[1])), along = (at(e[1]) - at(e[0])).normalized();
    const double reach = wanted(e[0], e[1]);
    std::vector<Vec3> sides;
    for (const Edge& other : sharp) {
      const Vec3 &a = at(other[0]), way = at(other[1]) - a;
      if (std::abs(way.dot(along)) < kParallel * way.norm()) continue;
      const double t = std::clamp((middle - a).dot(way) / way.squaredNorm(), 0.0, 1.0);
      Vec3 aside = a + t * way - middle;
      if (aside.squaredNorm() > reach * reach) continue;
      aside -= aside.dot(along) * along;
      if (aside.norm() < kBeside * reach) continue;
      for (const Vec3& side : sides)
        if (side.dot(aside) < 0) return true;
      sides.push_back(aside);
    }
    return false;
  }

  std::vector<int32_t> sharpNeighbours(int32_t p) const {
    std::vector<int32_t> list;
    for (const int32_t n : neighbours(p))
      if (isSharp(p, n)) list.push_back(n);
    return list;
  }

  enum class Kind : uint8_t { Smooth, Line, Corner };
  Kind kindOf(int32_t p) const {
    const std::vector<int32_t> sharp = sharpNeighbours(p);
    if (sharp.empty()) return Kind::Smooth;
    if (sharp.size() != 2) return Kind::Corner;
    const Vec3 u = (at(sharp[0]) - at(p)).normalized(), v = (at(sharp[1]) - at(p)).normalized();
    return u.dot(v) < -kStraight ? Kind::Line : Kind::Corner;
  }

  // Places -----------------------------------------------------------------------------------------------

  Vec3 targetNormal(int32_t triangle) const {
    const Triangle& t = mSurface.target.triangles[triangle];
    const Vec3& a = mSurface.target.points[t[0]];
    return (mSurface.target.points[t[1]] - a).cross(mSurface.target.points[t[2]] - a);
  }

  /// A place of the target's surface near p, if it is on the side to which the normal points: where a wall is
  /// thinner than edges are long the nearest place may be behind it.
  Vec3 onSurface(const Vec3& p, const Vec3& normal, double reach) const {
    const ClosestPoint closest = mSurface.bvh.closestPoint(p, reach);
    if (closest.triangle < 0 || targetNormal(closest.triangle).dot(normal) < 0) return p;
    return closest.point;
  }

  Vec3 onLine(const Vec3& p, double reach) const { return mSurface.sharp.nearest(p, reach).value_or(p); }

  void askSizes() {
    mSize.resize(mPoints.size());
    parallelFor(mContext, mPoints.size(), 128, [&](size_t p) {
      if (!mAround[p].empty()) mSize[p] = mOptions.edge(mPoints[p]);
    });
  }

  // Split ------------------------------------------------------------------------------------------------

  void splitLong() {
    for (int round = 0; round < kSplitRounds; ++round) {
      mContext.checkCancel();
      std::vector<std::pair<double, Edge>> list;
      for (const Edge& e : edges())
        if (length(e) > kLong * wanted(e[0], e[1])) list.emplace_back(length(e), e);
      if (list.empty()) return;
      std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      });
      for (const auto& [size, e] : list) split(e[0], e[1]);
    }
  }

  void split(int32_t a, int32_t b) {
    const std::vector<int32_t> two = trianglesOf(a, b);
    if (two.size() != 2) return;
    const bool sharp = isSharp(a, b);
    const double reach = 0.5 * (at(b) - at(a)).norm();
    const Vec3 middle = 0.5 * (at(a) + at(b));
    const Vec3 normal = areaVector(mTriangles[two[0]]) + areaVector(mTriangles[two[1]]);
    const int32_t m = static_cast<int32_t>(mPoints.size());
    mPoints.push_back(sharp ? onLine(middle, reach) : onSurface(middle, normal, reach));
    mSize.push_back(wanted(a, b));
    mAround.emplace_back();
    for (const int32_t t : two) {
      Triangle &first = mTriangles[t], second = first;
      const int32_t across = opposite(first, a, b);
      for (int32_t& c : first) c = c == b ? m : c;
      for (int32_t& c : second) c = c == a ? m : c;
      const int32_t added = static_cast<int32_t>(mTriangles.size());
      mTriangles.push_back(second);
      detach(b, t);
      mAround[b].push_back(added);
      mAround[across].push_back(added);
      mAround[m].push_back(t);
      mAround[m].push_back(added);
    }
    if (!sharp) return;
    mSharp.erase(keyOf({a, b}));
    mSharp.insert(keyOf({a, m}));
    mSharp.insert(keyOf({m, b}));
  }

  // Collapse ---------------------------------------------------------------------------------------------

  void collapseShort() {
    mContext.checkCancel();
    std::vector<std::pair<double, Edge>> list;
    for (const Edge& e : edges())
      if (length(e) < kShort * wanted(e[0], e[1])) list.emplace_back(length(e), e);
    std::sort(list.begin(), list.end());
    for (const auto& [size, e] : list) {
      if (mAround[e[0]].empty() || mAround[e[1]].empty()) continue;
      if (!(length(e) < kShort * wanted(e[0], e[1]))) continue;  // an end has moved since
      collapse(e[0], e[1]);
    }
  }

  /// As Decimation::linkAllows: the surface stays a manifold of the same genus.
  bool linkAllows(int32_t a, int32_t b) const {
    const std::vector<int32_t> ofB = neighbours(b);
    int common = 0;
    for (const int32_t n : neighbours(a)) {
      if (std::find(ofB.begin(), ofB.end(), n) == ofB.end()) continue;
      ++common;
      if (mAround[n].size() <= 3) return false;
    }
    return common == 2;
  }

  /// Where both ends go; nothing if they must not.
  std::optional<Vec3> placeOfCollapse(int32_t a, int32_t b) const {
    const Kind ofA = kindOf(a), ofB = kindOf(b);
    const Vec3 middle = 0.5 * (at(a) + at(b));
    const double reach = (at(b) - at(a)).norm();
    if (ofA == Kind::Smooth && ofB == Kind::Smooth) {
      Vec3 normal = Vec3::Zero();
      for (const int32_t t : trianglesOf(a, b)) normal += areaVector(mTriangles[t]);
      return onSurface(middle, normal, reach);
    }
    if (ofA == Kind::Smooth) return at(b);
    if (ofB == Kind::Smooth) return at(a);
    if (!isSharp(a, b) || (ofA == Kind::Corner && ofB == Kind::Corner)) return {};
    if (ofA == Kind::Corner) return at(a);
    if (ofB == Kind::Corner) return at(b);
    return onLine(middle, reach);
  }

  bool shapesAllow(int32_t a, int32_t b, const Vec3& place) const {
    const double most = kLongest * std::max(mSize[a], mSize[b]);
    double worst = 1, before = 1;
    for (const auto& [end, other] : {std::pair(a, b), std::pair(b, a)})
      for (const int32_t t : mAround[end]) {
        const Triangle& c = mTriangles[t];
        if (has(c, other)) continue;
        std::array<Vec3, 3> p;
        for (size_t k = 0; k < 3; ++k) p[k] = c[k] == end ? place : at(c[k]);
        const Vec3 old = areaVector(c), now = (p[1] - p[0]).cross(p[2] - p[0]);
        if (!(now.dot(old) > kTurnCollapse * now.norm() * old.norm())) return false;
        for (size_t k = 0; k < 3; ++k)
          if (c[k] != end && (at(c[k]) - place).norm() > most) return false;
        worst = std::min(worst, triangleQuality(p[0], p[1], p[2]));
        before = std::min(before, quality(c));
      }
    return worst > std::min(kQualityCollapse, before);
  }

  void collapse(int32_t a, int32_t b) {
    const std::vector<int32_t> two = trianglesOf(a, b);
    if (two.size() != 2 || !linkAllows(a, b)) return;
    // A sharp line must not lose a side: the two edges that become one are not both sharp.
    for (const int32_t t : two) {
      const int32_t across = opposite(mTriangles[t], a, b);
      if (isSharp(a, across) && isSharp(b, across)) return;
    }
    const std::optional<Vec3> place = placeOfCollapse(a, b);
    if (!place || !shapesAllow(a, b, *place)) return;
    for (const int32_t n : sharpNeighbours(b)) {
      mSharp.erase(keyOf({b, n}));
      if (n != a) mSharp.insert(keyOf({a, n}));
    }
    for (const int32_t t : two) {
      for (const int32_t p : mTriangles[t]) detach(p, t);
      mTriangles[t] = {-1, -1, -1};
    }
    for (const int32_t t : mAround[b]) {
      for (int32_t& c : mTriangles[t]) c = c == b ? a : c;
      mAround[a].push_back(t);
    }
    mAround[b].clear();
    at(a) = *place;
    mSize[a] = std::min(mSize[a], mSize[b]);
  }

  // Flip -------------------------------------------------------------------------------------------------

  /// Six triangles around a point are best, four on a sharp line: there it is half a disc.
  int excess(int32_t p, int change) const {
    const int best = sharpNeighbours(p).empty() ? 6 : 4;
    const int off = static_cast<int>(mAround[p].size()) + change - best;
    return off * off;
  }

  void flip(bool forValence) {
    mContext.checkCancel();
    for (const Edge& e : edges()) flipEdge(e[0], e[1], forValence);
  }

  void flipEdge(int32_t a, int32_t b, bool forValence) {
    if (isSharp(a, b)) return;
    const std::vector<int32_t> two = trianglesOf(a, b);
    if (two.size() != 2) return;
    // The first triangle has the edge from a to b.
    const Triangle& t = mTriangles[two[0]];
    const bool forward = (t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b);
    const int32_t left = forward ? two[0] : two[1], right = forward ? two[1] : two[0];
    const int32_t c = opposite(mTriangles[left], a, b), d = opposite(mTriangles[right], a, b);
    if (c == d || mAround[a].size() <= 3 || mAround[b].size() <= 3 || !trianglesOf(c, d).empty()) return;
    const Triangle first{c, a, d}, second{c, d, b};
    const Vec3 n = areaVector(mTriangles[left]), m = areaVector(mTriangles[right]);
    const Vec3 x = areaVector(first), y = areaVector(second), mean = n + m;
    if (x.dot(mean) < kFlat * x.norm() * mean.norm() || y.dot(mean) < kFlat * y.norm() * mean.norm()) return;
    const double before = std::min(quality(mTriangles[left]), quality(mTriangles[right]));
    const double after = std::min(quality(first), quality(second));
    const int change = excess(a, -1) + excess(b, -1) + excess(c, 1) + excess(d, 1) - excess(a, 0) -
                       excess(b, 0) - excess(c, 0) - excess(d, 0);
    const bool better = forValence ? (change < 0 && after > std::min(kQualityFlip, before)) ||
                                         (change == 0 && after > 1.05 * before)
                                   : after > 1.02 * before;
    if (!better) return;
    detach(b, left);
    detach(a, right);
    mTriangles[left] = first;
    mTriangles[right] = second;
    mAround[d].push_back(left);
    mAround[c].push_back(right);
  }

  // Smooth -----------------------------------------------------------------------------------------------

  void smooth() {
    mContext.checkCancel();
    for (int32_t p = 0; p < static_cast<int32_t>(mPoints.size()); ++p) {
      if (mAround[p].empty()) continue;
      const Kind kind = kindOf(p);
      if (kind == Kind::Corner) continue;
      const double reach = mSize[p];
      Vec3 to;
      if (kind == Kind::Line) {
        const std::vector<int32_t> ends = sharpNeighbours(p);
        to = onLine(at(p) + kSmoothSharp * (0.5 * (at(ends[0]) + at(ends[1])) - at(p)), reach);
      } else {
        Vec3 mean = Vec3::Zero(), normal = Vec3::Zero();
        double area = 0;
        for (const int32_t t : mAround[p]) {
          const Triangle& c = mTriangles[t];
          const Vec3 n = areaVector(c);
          mean += n.norm() * (at(c[0]) + at(c[1]) + at(c[2])) / 3;
          area += n.norm();
          normal += n;
        }
        const Vec3 way = mean / area - at(p), unit = normal.stableNormalized();
        to = onSurface(at(p) + kSmooth * (way - unit * unit.dot(way)), normal, reach);
      }
      if (staysUpright(p, to)) at(p) = to;
    }
  }

  bool staysUpright(int32_t p, const Vec3& to) const {
    for (const int32_t t : mAround[p]) {
      const Triangle& c = mTriangles[t];
      std::array<Vec3, 3> q;
      for (size_t k = 0; k < 3; ++k) q[k] = c[k] == p ? to : at(c[k]);
      const Vec3 old = areaVector(c), now = (q[1] - q[0]).cross(q[2] - q[0]);
      if (!(now.dot(old) > kTurnSmooth * now.norm() * old.norm())) return false;
      if (triangleQuality(q[0], q[1], q[2]) < std::min(kQualityCollapse, 0.9 * quality(c))) return false;
    }
    return true;
  }

  RemeshResult result() const {
    RemeshResult result;
    std::vector<int32_t> number(mPoints.size(), -1);
    std::vector<Vec3>& points = result.mesh.points.edit();
    for (size_t p = 0; p < mPoints.size(); ++p) {
      if (mAround[p].empty()) continue;
      number[p] = static_cast<int32_t>(points.size());
      points.push_back(mPoints[p]);
      result.onSharp.push_back(static_cast<uint8_t>(kindOf(static_cast<int32_t>(p))));
    }
    std::vector<Triangle>& triangles = result.mesh.triangles.edit();
    for (const Triangle& t : mTriangles)
      if (t[0] >= 0) triangles.push_back({number[t[0]], number[t[1]], number[t[2]]});
    std::vector<int32_t>& primitives = result.mesh.primitives.edit();
    for (size_t t = 0; t < triangles.size(); ++t) primitives.push_back(static_cast<int32_t>(t));
    return result;
  }

  const RemeshSurface& mSurface;
  const RemeshOptions& mOptions;
  Context& mContext;
  std::vector<Vec3> mPoints;
  std::vector<double> mSize;                  // m, wanted edge at each point
  std::vector<Triangle> mTriangles;           // -1 for those that are gone
  std::vector<std::vector<int32_t>> mAround;  // triangles of each point; none if it is gone
  std::unordered_set<uint64_t> mSharp;        // edges; only ever asked, never listed
};

}  // namespace

double triangleQuality(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double squares = (b - a).squaredNorm() + (c - b).squaredNorm() + (a - c).squaredNorm();
  return squares > 0 ? 2.0 * std::sqrt(3.0) * (b - a).cross(c - a).norm() / squares : 0.0;
}

RemeshResult remesh(const RemeshSurface& surface, const RemeshOptions& options, Context& context) {
  return Remesher(surface, options, context).run();
}

}  // namespace hackle
