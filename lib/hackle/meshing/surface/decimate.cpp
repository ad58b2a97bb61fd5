#include <hackle/meshing/surface/decimate.h>

#include <hackle/core/error.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/box_tree.h>
#include <hackle/meshing/surface/quadric.h>
#include <hackle/meshing/surface/self_intersections.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>

namespace hackle {

namespace {

using Corners = std::array<Vec3, 3>;

/// Share of a quadric that holds points in place along flat parts, relative to the plane's own.
constexpr double kHold = 1e-3;
/// Least quality of triangles (1 for equilateral, 0 for flat) unless the input has worse there.
constexpr double kLeastQuality = 0.05;
/// Cosine of the angle that a triangle may turn by in one collapse.
constexpr double kLeastTurn = 0.3;

Vec3 normalOf(const Corners& t) { return (t[1] - t[0]).cross(t[2] - t[0]); }

double qualityOf(const Corners& t) {
  const double squares =
      (t[1] - t[0]).squaredNorm() + (t[2] - t[1]).squaredNorm() + (t[0] - t[2]).squaredNorm();
  return squares > 0 ? 2.0 * std::sqrt(3.0) * normalOf(t).norm() / squares : 0.0;
}

Box3 boxOf(const Corners& t) {
  Box3 box;
  for (const Vec3& p : t) box.add(p);
  return box;
}

struct Candidate {
  double cost = 0;
  int32_t low = 0, high = 0;         // ends, low < high
  uint32_t lowAge = 0, highAge = 0;  // when it was computed; older than an end's age means outdated
  Vec3 place = Vec3::Zero();

  /// For a queue with the cheapest on top; equal costs in the order of points.
  bool operator<(const Candidate& o) const {
    return cost != o.cost ? cost > o.cost : low != o.low ? low > o.low : high > o.high;
  }
};

class Decimation {
 public:
  Decimation(const TriangleMesh& mesh, bool mayCross, Context& context)
      : mContext(context), mMayCross(mayCross), mPoints(mesh.points.begin(), mesh.points.end()), mTree({}) {
    // Quadrics are about the middle, so that they lose nothing to the distance from the origin.
    Box3 box;
    for (const Vec3& p : mPoints) box.add(p);
    mOrigin = box.centre();
    mTriangles.assign(mesh.triangles.begin(), mesh.triangles.end());
    mAround.resize(mPoints.size());
    for (size_t t = 0; t < mTriangles.size(); ++t)
      for (const int32_t p : mTriangles[t]) around(p).push_back(static_cast<int32_t>(t));
    mAge.assign(mPoints.size(), 0);
    mLeft = mTriangles.size();
  }

  DecimateResult run(size_t target) {
    DecimateResult result;
    if (!mMayCross) prepareCrossings(result);
    fillQueue();
    const size_t start = mLeft;
    size_t steps = 0;
    while (mLeft > target && !mQueue.empty()) {
      const Candidate candidate = mQueue.top();
      mQueue.pop();
      if (++steps % 256 == 0)
        mContext.advance(static_cast<double>(start - mLeft) / static_cast<double>(start - target));
      if (candidate.lowAge != age(candidate.low) || candidate.highAge != age(candidate.high)) continue;
      tryCollapse(candidate);
    }
    result.refusedCrossing = mRefusedCrossing;
    result.triangles = mLeft;
    result.reached = mLeft <= target;
    result.surface = surface();
    return result;
  }

 private:
  Vec3& at(int32_t p) { return mPoints[p]; }
  const Vec3& at(int32_t p) const { return mPoints[p]; }
  std::vector<int32_t>& around(int32_t p) { return mAround[p]; }
  const std::vector<int32_t>& around(int32_t p) const { return mAround[p]; }
  uint32_t& age(int32_t p) { return mAge[p]; }
  Triangle& triangle(int32_t t) { return mTriangles[t]; }
  const Triangle& triangle(int32_t t) const { return mTriangles[t]; }
  Corners corners(int32_t t) const {
    const Triangle& c = triangle(t);
    return {at(c[0]), at(c[1]), at(c[2])};
  }
  static bool has(const Triangle& t, int32_t p) { return t[0] == p || t[1] == p || t[2] == p; }

  // Preparation ------------------------------------------------------------------------------------------

  void prepareCrossings(DecimateResult& result) {
    Context::Stage stage(mContext, "prepare", 0.1);
    TriangleMesh mesh;
    mesh.points = mPoints;
    mesh.triangles = mTriangles;
    const auto crossing = selfIntersections(mesh, mContext);
    result.crossingBefore = crossing.size();
    mCrosses.assign(mTriangles.size(), 0);
    for (const auto& pair : crossing)
      for (const int32_t t : pair) mCrosses[t] = 1;
    std::vector<Box3> boxes(mTriangles.size());
    for (size_t t = 0; t < boxes.size(); ++t) boxes[t] = boxOf(corners(static_cast<int32_t>(t)));
    mTree = BoxTree(std::move(boxes));
  }

  void fillQueue() {
    constexpr size_t kLook = 4096;  // triangles or points between two looks at cancel
    mQuadrics.resize(mPoints.size());
    for (size_t t = 0; t < mTriangles.size(); ++t) {
      if (t % kLook == 0) mContext.checkCancel();
      const Corners c = corners(static_cast<int32_t>(t));
      const Vec3 normal = normalOf(c);
      const double length = normal.norm(), weight = length / 6.0;  // a third of the area
      if (!(length > 0)) continue;
      const Vec3 unit = normal / length;
      const Quadric plane = Quadric::plane(unit, unit.dot(c[0] - mOrigin), weight);
      for (const int32_t p : mTriangles[t]) {
        mQuadrics[p] += plane;
        mQuadrics[p] += Quadric::point(at(p) - mOrigin, kHold * weight);
      }
    }
    for (int32_t p = 0; p < static_cast<int32_t>(mPoints.size()); ++p) {
      if (static_cast<size_t>(p) % kLook == 0) mContext.checkCancel();
      for (const int32_t q : neighbours(p))
        if (p < q) push(p, q);
    }
  }

  /// In the order of the triangles around p.
  std::vector<int32_t> neighbours(int32_t p) const {
    std::vector<int32_t> found;
    for (const int32_t t : around(p)) {
      const Triangle& c = triangle(t);
      const size_t i = c[0] == p ? 0 : c[1] == p ? 1 : 2;
      found.push_back(c[(i + 1) % 3]);
    }
    return found;
  }

  void push(int32_t p, int32_t q) {
    Candidate candidate;
    candidate.low = std::min(p, q);
    candidate.high = std::max(p, q);
    candidate.lowAge = age(candidate.low);
    candidate.highAge = age(candidate.high);
    Quadric sum = mQuadrics[p];
    sum += mQuadrics[q];
    candidate.place = bestPlace(sum, candidate);
    candidate.cost = sum(candidate.place - mOrigin);
    mQueue.push(candidate);
  }

  Vec3 bestPlace(const Quadric& sum, const Candidate& candidate) const {
    const Vec3 &p = at(candidate.low), &q = at(candidate.high), middle = 0.5 * (p + q);
    const std::optional<Vec3> minimum = sum.minimum();
    // One that is far away comes from planes that are almost parallel.
    if (minimum && (*minimum + mOrigin - middle).norm() < 2.0 * (q - p).norm()) return *minimum + mOrigin;
    Vec3 best = middle;
    for (const Vec3& other : {p, q})
      if (sum(other - mOrigin) < sum(best - mOrigin)) best = other;
    return best;
  }

  // One collapse
  // ---------------------------------------------------------------------------------------------

  struct Change {
    std::vector<int32_t> kept;     // triangles that will have the new point
    std::vector<Corners> corners;  // theirs, afterwards
    std::vector<int32_t> gone;     // the two triangles of the edge
  };

  void tryCollapse(const Candidate& candidate) {
    const int32_t p = candidate.low, q = candidate.high;
    if (!linkAllows(p, q)) return;
    const Vec3 middle = 0.5 * (at(p) + at(q));
    for (const Vec3& place : {candidate.place, middle, at(p), at(q)}) {
      const Change change = changeFor(p, q, place);
      if (!shapesStayGood(change)) continue;
      if (!mMayCross && !staysApart(change)) {
        ++mRefusedCrossing;
        continue;
      }
      collapse(p, q, place, change);
      return;
    }
  }

  /// The surface stays a manifold of the same genus if the ends have only the two points across the edge as
  /// common neighbours, and those keep three triangles or more.
  bool linkAllows(int32_t p, int32_t q) const {
    const std::vector<int32_t> ofQ = neighbours(q);
    int common = 0;
    for (const int32_t n : neighbours(p)) {
      if (std::find(ofQ.begin(), ofQ.end(), n) == ofQ.end()) continue;
      ++common;
      if (around(n).size() <= 3) return false;
    }
    return common == 2;
  }

  Change changeFor(int32_t p, int32_t q, const Vec3& place) const {
    Change change;
    for (const int32_t end : {p, q})
      for (const int32_t t : around(end)) {
        const bool both = has(triangle(t), p) && has(triangle(t), q);
        if (both) {
          if (end == p) change.gone.push_back(t);
          continue;
        }
        change.kept.push_back(t);
        Corners c = corners(t);
        for (size_t i = 0; i < 3; ++i)
          if (triangle(t)[i] == end) c[i] = place;
        change.corners.push_back(c);
      }
    return change;
  }

  bool shapesStayGood(const Change& change) const {
    double worst = 1.0, worstBefore = 1.0;
    for (size_t i = 0; i < change.kept.size(); ++i) {
      const Corners before = corners(change.kept[i]);
      const Vec3 old = normalOf(before), now = normalOf(change.corners[i]);
      if (!(now.dot(old) > kLeastTurn * now.norm() * old.norm())) return false;
      worst = std::min(worst, qualityOf(change.corners[i]));
      worstBefore = std::min(worstBefore, qualityOf(before));
    }
    return worst > std::min(kLeastQuality, 0.9 * worstBefore);
  }

  /// Whether the changed triangles meet no other and none of each other. Triangles that crossed others from
  /// the start are let be.
  bool staysApart(const Change& change) {
    Box3 box;
    for (const Corners& c : change.corners) box.add(boxOf(c));
    mNear.clear();
    mTree.forEachNear(box, [&](int32_t t) {
      const auto is = [&](const std::vector<int32_t>& list) {
        return std::find(list.begin(), list.end(), t) != list.end();
      };
      if (!mCrosses[t] && !is(change.gone) && !is(change.kept)) mNear.push_back(t);
    });
    for (size_t i = 0; i < change.kept.size(); ++i) {
      if (mCrosses[change.kept[i]]) continue;
      const Box3 own = boxOf(change.corners[i]);
      for (const int32_t t : mNear) {
        const Corners other = corners(t);
        if (BoxTree::meet(own, boxOf(other)) && trianglesIntersect(change.corners[i], other)) return false;
      }
      for (size_t j = i + 1; j < change.kept.size(); ++j)
        if (!mCrosses[change.kept[j]] && trianglesIntersect(change.corners[i], change.corners[j]))
          return false;
    }
    return true;
  }

  void collapse(int32_t p, int32_t q, const Vec3& place, const Change& change) {
    for (const int32_t t : change.gone) {
      for (const int32_t corner : triangle(t))
        around(corner).erase(std::find(around(corner).begin(), around(corner).end(), t));
      triangle(t) = {-1, -1, -1};
      if (!mMayCross) mTree.remove(t);
    }
    mLeft -= change.gone.size();
    for (const int32_t t : around(q)) {
      for (int32_t& corner : triangle(t))
        if (corner == q) corner = p;
      around(p).push_back(t);
    }
    around(q).clear();
    at(p) = place;
    if (!mMayCross)
      for (const int32_t t : around(p)) mTree.update(t, boxOf(corners(t)));
    mQuadrics[p] += mQuadrics[q];
    ++age(p);
    ++age(q);
    for (const int32_t n : neighbours(p)) push(p, n);
  }

  Geometry surface() const {
    std::vector<int32_t> number(mPoints.size(), -1);
    std::vector<Vec3> points;
    for (size_t p = 0; p < mPoints.size(); ++p)
      if (!mAround[p].empty()) {
        number[p] = static_cast<int32_t>(points.size());
        points.push_back(mPoints[p]);
      }
    std::vector<int32_t> indices;
    indices.reserve(3 * mLeft);
    for (const Triangle& t : mTriangles)
      if (t[0] >= 0)
        for (const int32_t p : t) indices.push_back(number[p]);
    Geometry geometry;
    geometry.addPoints(points.size());
    geometry.editPositions() = std::move(points);
    geometry.addPrimitives(PrimitiveType::Polygon, mLeft, 3, indices);
    return geometry;
  }

  Context& mContext;
  bool mMayCross;
  Vec3 mOrigin;
  std::vector<Vec3> mPoints;
  std::vector<Triangle> mTriangles;           // -1 for those that are gone
  std::vector<std::vector<int32_t>> mAround;  // triangles of each point
  std::vector<uint32_t> mAge;                 // how often each point was changed
  std::vector<Quadric> mQuadrics;
  std::vector<uint8_t> mCrosses;  // triangles that crossed others in the input
  std::priority_queue<Candidate> mQueue;
  BoxTree mTree;
  std::vector<int32_t> mNear;  // scratch
  size_t mLeft = 0, mRefusedCrossing = 0;
};

void checkClosed(const TriangleMesh& mesh, Context& context) {
  Geometry geometry;
  geometry.addPoints(mesh.points.size());
  geometry.editPositions().assign(mesh.points.begin(), mesh.points.end());
  std::vector<int32_t> indices;
  indices.reserve(3 * mesh.triangles.size());
  for (const Triangle& t : mesh.triangles) indices.insert(indices.end(), t.begin(), t.end());
  geometry.addPrimitives(PrimitiveType::Polygon, mesh.triangles.size(), 3, indices);
  const Topology topology = analyseTopology(geometry, context);
  if (topology.closed && topology.manifold && topology.oriented && topology.degenerateFaces == 0) return;
  throw Error(
      ErrorCode::BadInput,
      fmt::format("decimate: the surface is not a closed, oriented 2-manifold ({} open edges, {} edges of "
                  "more than two faces, {} points with several fans, {} edges turned over)",
                  topology.boundaryEdges, topology.nonManifoldEdges, topology.nonManifoldPoints,
                  topology.misorientedEdges),
      "repair or resurface it first");
}

}  // namespace

DecimateResult decimate(const TriangleMesh& mesh, const DecimateOptions& options, Context& context) {
  checkClosed(mesh, context);
  DecimateResult result = Decimation(mesh, options.mayCross, context).run(options.triangles);
  if (!result.reached)
    context.warn(fmt::format("decimate: {} triangles are left; no further edge can go without harm",
                             result.triangles));
  return result;
}

}  // namespace hackle
