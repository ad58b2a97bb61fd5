#include <hackle/core/parallel.h>
#include <hackle/core/pi.h>
#include <hackle/fracture/inside_charts.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/union_find.h>
#include <hackle/meshing/surface/flat_charts.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

namespace hackle {

namespace {

constexpr double kStretch = 1.4;          // of areas, that is asked for
constexpr double kStretchedShare = 0.01;  // of a chart's area may have more
// Bumps of a rough face stretch where no division helps. Up to this share of its area is taken out, in
// patches of up to that share; fewer patches than this belong to a smooth face that is bent.
constexpr double kBumps = 0.15, kBump = 0.02;
constexpr size_t kLeastBumps = 12;

/// An edge of a face: corner `corner` and the next one.
struct FaceSide {
  int32_t low, high;  // points
  int32_t face, corner;
  bool up;  // runs from low to high
};

/// Two faces that are laid flat together along an edge.
struct Joint {
  int32_t a, b;              // faces
  int32_t cornerA, cornerB;  // where the edge starts in each
  bool opposite;             // the two run against each other: both show the same side
};

/// Charts of all faces: who is joined to whom, and which way up.
class FaceJoiner {
 public:
  FaceJoiner(const InsideFaces& faces, double smoothAngle, Context& context)
      : mFaces(faces), mSmooth(std::cos(smoothAngle * kPi / 180)), mContext(context) {}

  std::vector<Joint> joints() const {
    std::vector<FaceSide> sides;
    sides.reserve(mFaces.corners.size());
    for (size_t f = 0; f < mFaces.count(); ++f)
      for (int32_t c = mFaces.starts[f]; c < mFaces.starts[f + 1]; ++c) {
        const int32_t from = mFaces.corners[c], to = mFaces.corners[next(f, c)];
        sides.push_back({std::min(from, to), std::max(from, to), static_cast<int32_t>(f), c, from < to});
      }
    parallelStableSort(mContext, sides, [](const FaceSide& l, const FaceSide& r) {
      return std::tie(l.low, l.high) < std::tie(r.low, r.high);
    });
    std::vector<Joint> result;
    for (size_t begin = 0, end = 0; begin < sides.size(); begin = end) {
      for (end = begin;
           end < sides.size() && sides[end].low == sides[begin].low && sides[end].high == sides[begin].high;)
        ++end;
      joinAround(Span<const FaceSide>(sides.data() + begin, end - begin), result);
    }
    return result;
  }

 private:
  int32_t next(size_t face, int32_t corner) const {
    return corner + 1 < mFaces.starts[face + 1] ? corner + 1 : mFaces.starts[face];
  }

  /// In the plane of the face, away from the edge.
  Vec3 inward(const FaceSide& side) const {
    const Vec3 along = mFaces.points[side.high] - mFaces.points[side.low];
    const Vec3 across = mFaces.normals[side.face].cross(side.up ? along : Vec3(-along));
    const double length = across.norm();
    return length > 0 ? Vec3(across / length) : Vec3(0, 0, 0);
  }

  /// Pairs the faces at an edge, the straightest first.
  void joinAround(Span<const FaceSide> sides, std::vector<Joint>& result) const {
    if (sides.size() < 2) return;
    const auto join = [&](const FaceSide& a, const FaceSide& b) {
      if (a.face != b.face) result.push_back({a.face, b.face, a.corner, b.corner, a.up != b.up});
    };
    if (sides.size() == 2 && mFaces.contact[sides[0].face] == mFaces.contact[sides[1].face])
      return join(sides[0], sides[1]);  // folds in one face can be laid flat
    struct Pair {
      double straight;
      size_t a, b;
    };
    std::vector<Pair> pairs;
    for (size_t a = 0; a < sides.size(); ++a)
      for (size_t b = a + 1; b < sides.size(); ++b) {
        const double straight = -inward(sides[a]).dot(inward(sides[b]));
        if (straight >= mSmooth) pairs.push_back({straight, a, b});
      }
    std::stable_sort(pairs.begin(), pairs.end(),
                     [](const Pair& l, const Pair& r) { return l.straight > r.straight; });
    std::vector<uint8_t> taken(sides.size(), 0);
    for (const Pair& pair : pairs) {
      if (taken[pair.a] || taken[pair.b]) continue;
      taken[pair.a] = taken[pair.b] = 1;
      join(sides[pair.a], sides[pair.b]);
    }
  }

  const InsideFaces& mFaces;
  double mSmooth;  // cosine
  Context& mContext;
};

/// A set of connected faces and the joints among them.
struct Chart {
  std::vector<int32_t> faces;   // ascending
  std::vector<int32_t> joints;  // ascending
};

/// Lays charts flat, dividing those that do not want to. Different charts may be worked on by different
/// threads.
class ChartLayer {
 public:
  ChartLayer(const InsideFaces& faces, const std::vector<Joint>& joints, Context& context)
      : mFaces(faces), mJoints(joints), mContext(context) {
    mUv.resize(faces.corners.size());
    mLocal.assign(faces.count(), -1);
    mTurned.assign(faces.count(), 0);
    mFirst.assign(faces.count(), -1);
    mAreas.resize(faces.count());
    parallelFor(context, faces.count(), 1024, [&](size_t f) { mAreas[f] = std::abs(areaOf(f)); });
  }

  void lay(Chart chart) {
    std::vector<Chart> open;
    open.push_back(std::move(chart));
    while (!open.empty()) {
      mContext.checkCancel();
      Chart now = std::move(open.back());
      open.pop_back();
      orient(now);
      for (Chart& part : layFlat(now)) open.push_back(std::move(part));
    }
  }

  InsideCharts result() {
    InsideCharts charts;
    charts.uv = std::move(mUv);
    charts.chart.resize(mFaces.count());
    int32_t count = 0;
    for (size_t f = 0; f < mFaces.count(); ++f)
      charts.chart[f] = mFirst[f] == static_cast<int32_t>(f) ? count++ : charts.chart[mFirst[f]];
    return charts;
  }

 private:
  Span<const int32_t> cornersOf(size_t f) const {
    return Span<const int32_t>(mFaces.corners.data() + mFaces.starts[f],
                               static_cast<size_t>(mFaces.starts[f + 1] - mFaces.starts[f]));
  }
  const Vec3& at(int32_t corner) const { return mFaces.points[mFaces.corners[corner]]; }
  Vec3 normal(int32_t f) const { return mTurned[f] ? Vec3(-mFaces.normals[f]) : mFaces.normals[f]; }

  double areaOf(size_t f) const {
    Vec3 sum = Vec3::Zero();
    for (int32_t c = mFaces.starts[f] + 1; c + 1 < mFaces.starts[f + 1]; ++c)
      sum += (at(c) - at(mFaces.starts[f])).cross(at(c + 1) - at(mFaces.starts[f]));
    return 0.5 * sum.dot(mFaces.normals[f]);
  }

  Vec3 middle(int32_t f) const {
    Vec3 sum = Vec3::Zero();
    for (const int32_t p : cornersOf(static_cast<size_t>(f))) sum += mFaces.points[p];
    return sum / static_cast<double>(cornersOf(static_cast<size_t>(f)).size());
  }

  /// For each face of a chart its joints, all one after another: those of local face i are
  /// list[starts[i]] ... list[starts[i + 1] - 1].
  struct Neighbours {
    std::vector<int32_t> starts, list;
  };

  Neighbours neighboursOf(const Chart& chart) {
    for (size_t i = 0; i < chart.faces.size(); ++i) mLocal[chart.faces[i]] = static_cast<int32_t>(i);
    Neighbours n;
    n.starts.assign(chart.faces.size() + 1, 0);
    for (const int32_t j : chart.joints)
      for (const int32_t f : {mJoints[j].a, mJoints[j].b}) ++n.starts[mLocal[f] + 1];
    for (size_t i = 0; i < chart.faces.size(); ++i) n.starts[i + 1] += n.starts[i];
    n.list.resize(2 * chart.joints.size());
    std::vector<int32_t> next(n.starts.begin(), n.starts.end() - 1);
    for (const int32_t j : chart.joints)
      for (const int32_t f : {mJoints[j].a, mJoints[j].b}) n.list[next[mLocal[f]]++] = j;
    return n;
  }

  int32_t across(int32_t joint, int32_t face) const {
    return mJoints[joint].a == face ? mJoints[joint].b : mJoints[joint].a;
  }

  /// Turns faces so that all show the side that the first one shows, and drops joints that do not allow it.
  void orient(Chart& chart) {
    const Neighbours neighbours = neighboursOf(chart);
    std::vector<uint8_t> seen(chart.faces.size(), 0);
    std::vector<int32_t> order{chart.faces[0]};
    seen[0] = 1;
    mTurned[chart.faces[0]] = 0;
    for (size_t i = 0; i < order.size(); ++i) {
      const int32_t f = order[i], local = mLocal[f];
      for (int32_t k = neighbours.starts[local]; k < neighbours.starts[local + 1]; ++k) {
        const int32_t joint = neighbours.list[k], other = across(joint, f);
        if (seen[mLocal[other]]) continue;
        seen[mLocal[other]] = 1;
        mTurned[other] = mTurned[f] ^ (mJoints[joint].opposite ? 0 : 1);
        order.push_back(other);
      }
    }
    const auto folds = [&](int32_t j) {
      return (mTurned[mJoints[j].a] != mTurned[mJoints[j].b]) == mJoints[j].opposite;
    };
    chart.joints.erase(std::remove_if(chart.joints.begin(), chart.joints.end(), folds), chart.joints.end());
  }

  struct Plane {
    Vec3 u, v, normal;
    Vec2 flat(const Vec3& p) const { return {p.dot(u), p.dot(v)}; }
  };

  static Plane planeAcross(const Vec3& normal) {
    Eigen::Index least = 0;
    normal.cwiseAbs().minCoeff(&least);
    const Vec3 u = normal.cross(Vec3::Unit(least)).normalized();
    return {u, normal.cross(u), normal};
  }

  Plane meanPlane(const Chart& chart) const {
    Vec3 sum = Vec3::Zero();
    for (const int32_t f : chart.faces) sum += mAreas[f] * normal(f);
    return planeAcross(sum.norm() > 0 ? Vec3(sum.normalized()) : Vec3(0, 1, 0));
  }

  /// Share of a chart's area that is inclined to a plane by more than the angle of this cosine.
  double inclinedShare(const Chart& chart, const Plane& plane, double cosine) const {
    double all = 0, inclined = 0;
    for (const int32_t f : chart.faces) {
      all += mAreas[f];
      if (normal(f).dot(plane.normal) < cosine) inclined += mAreas[f];
    }
    return all > 0 ? inclined / all : 0;
  }

  /// Lays a chart flat but for what would stretch too much, which comes back as charts of their own: bumps,
  /// or parts of the whole.
  std::vector<Chart> layFlat(const Chart& chart) {
    constexpr double kFlat = 0.95;  // cosine of 18 degrees: areas shrink by a twentieth
    constexpr int kRounds = 8;
    const Plane plane = meanPlane(chart);
    std::vector<int8_t> off(chart.faces.size(), 0);
    if (inclinedShare(chart, plane, kFlat) <= 0.5 * kStretchedShare) {
      for (const int32_t f : chart.faces)
        for (int32_t c = mFaces.starts[f]; c < mFaces.starts[f + 1]; ++c) mUv[c] = plane.flat(at(c));
      keep(chart, off);
      return {};
    }
    std::vector<int32_t> pointOf;
    const ChartSurface surface = surfaceOf(chart, pointOf);
    const std::vector<Vec2> projected = projection(chart, plane, surface.points, pointOf);
    std::vector<Vec2> layout = start(surface, projected);
    relaxChart(surface, kRounds, layout, mContext);
    std::vector<Chart> rest;
    if (chart.faces.size() > 1 && stretchedShare(surface, layout, kStretch) > kStretchedShare) {
      off = stretchedFaces(chart, surface, layout);
      rest = bumps(chart, off);
      if (rest.empty()) return divided(chart);
    }
    fitTo(projected, layout);
    size_t k = 0;
    for (const int32_t f : chart.faces)
      for (int32_t c = mFaces.starts[f]; c < mFaces.starts[f + 1]; ++c) mUv[c] = layout[pointOf[k++]];
    keep(chart, off);
    return rest;
  }

  /// A projection is a good start, also of what is bumpy, unless much of it is folded over or squeezed and
  /// laying triangle to triangle does better.
  static std::vector<Vec2> start(const ChartSurface& surface, const std::vector<Vec2>& projected) {
    constexpr double kFolded = 0.05, kSqueezed = 4;
    const double folded = stretchedShare(surface, projected, kSqueezed);
    if (folded <= kFolded) return projected;
    std::vector<Vec2> layout = unrolled(surface);
    return stretchedShare(surface, layout, kSqueezed) < folded ? layout : projected;
  }

  /// The faces that are not `off` are one chart, and done.
  void keep(const Chart& chart, const std::vector<int8_t>& off) {
    int32_t first = -1;
    for (size_t i = 0; i < chart.faces.size(); ++i) {
      if (off[i]) continue;
      if (first < 0) first = chart.faces[i];
      mFirst[chart.faces[i]] = first;
    }
  }

  std::vector<int8_t> stretchedFaces(const Chart& chart, const ChartSurface& surface,
                                     const std::vector<Vec2>& layout) const {
    const std::vector<uint8_t> stretched = stretchedTriangles(surface, layout, kStretch);
    std::vector<int8_t> off(chart.faces.size(), 0);
    size_t t = 0;  // faces of n corners are n - 2 triangles
    for (size_t i = 0; i < chart.faces.size(); ++i)
      for (size_t k = 2; k < cornersOf(static_cast<size_t>(chart.faces[i])).size(); ++k)
        if (stretched[t++]) off[i] = 1;
    return off;
  }

  /// Connected patches of the faces that are `off`; none if they are more than bumps.
  std::vector<Chart> bumps(const Chart& chart, const std::vector<int8_t>& off) const {
    const auto areaOfAll = [&](const Chart& c) {
      double sum = 0;
      for (const int32_t f : c.faces) sum += mAreas[f];
      return sum;
    };
    const double all = areaOfAll(chart);
    double taken = 0;
    std::vector<Chart> result;
    for (Chart& part : connectedParts(chart, off)) {
      if (!off[mLocal[part.faces[0]]]) continue;
      const double area = areaOfAll(part);
      taken += area;
      if (area > kBump * all || taken > kBumps * all) return {};
      result.push_back(std::move(part));
    }
    if (result.size() < kLeastBumps) result.clear();
    return result;
  }

  /// The chart as triangles; `pointOf` is the point of each corner, face by face.
  ChartSurface surfaceOf(const Chart& chart, std::vector<int32_t>& pointOf) {
    std::vector<int32_t> first;  // corner of each face
    size_t corners = 0;
    for (size_t i = 0; i < chart.faces.size(); ++i) {
      mLocal[chart.faces[i]] = static_cast<int32_t>(i);
      first.push_back(static_cast<int32_t>(corners));
      corners += cornersOf(static_cast<size_t>(chart.faces[i])).size();
    }
    const auto corner = [&](int32_t f, int32_t c) { return first[mLocal[f]] + c - mFaces.starts[f]; };
    UnionFind shared(corners);
    for (const int32_t j : chart.joints) {
      const Joint& joint = mJoints[j];
      const int32_t endA = next(joint.a, joint.cornerA), endB = next(joint.b, joint.cornerB);
      shared.unite(corner(joint.a, joint.cornerA), corner(joint.b, joint.opposite ? endB : joint.cornerB));
      shared.unite(corner(joint.a, endA), corner(joint.b, joint.opposite ? joint.cornerB : endB));
    }
    ChartSurface surface;
    pointOf.assign(corners, -1);
    for (size_t c = 0; c < corners; ++c) {
      const int32_t root = shared.find(static_cast<int32_t>(c));
      pointOf[c] = root == static_cast<int32_t>(c) ? static_cast<int32_t>(surface.points++) : pointOf[root];
    }
    for (size_t i = 0; i < chart.faces.size(); ++i) addTriangles(chart.faces[i], first[i], pointOf, surface);
    return surface;
  }

  int32_t next(int32_t face, int32_t corner) const {
    return corner + 1 < mFaces.starts[face + 1] ? corner + 1 : mFaces.starts[face];
  }

  void addTriangles(int32_t face, int32_t first, const std::vector<int32_t>& pointOf,
                    ChartSurface& surface) const {
    const Plane plane = planeAcross(normal(face));
    std::vector<Vec3> corners;
    for (const int32_t p : cornersOf(static_cast<size_t>(face))) corners.push_back(mFaces.points[p]);
    std::vector<Triangle> triangles{{0, 1, 2}};
    if (corners.size() > 3) triangles = triangulatePolygon(corners);
    for (Triangle t : triangles) {
      if (mTurned[face]) std::swap(t[1], t[2]);
      surface.triangles.push_back({pointOf[first + t[0]], pointOf[first + t[1]], pointOf[first + t[2]]});
      surface.shapes.push_back(
          {plane.flat(corners[t[0]]), plane.flat(corners[t[1]]), plane.flat(corners[t[2]])});
    }
  }

  std::vector<Vec2> projection(const Chart& chart, const Plane& plane, size_t points,
                               const std::vector<int32_t>& pointOf) const {
    std::vector<Vec2> layout(points, Vec2::Zero());
    size_t k = 0;
    for (const int32_t f : chart.faces)
      for (const int32_t p : cornersOf(static_cast<size_t>(f)))
        layout[pointOf[k++]] = plane.flat(mFaces.points[p]);
    return layout;
  }

  /// Moves and turns a layout to where it lies best on another.
  static void fitTo(const std::vector<Vec2>& other, std::vector<Vec2>& layout) {
    Vec2 from = Vec2::Zero(), to = Vec2::Zero();
    for (size_t p = 0; p < layout.size(); ++p) {
      from += layout[p];
      to += other[p];
    }
    from /= static_cast<double>(layout.size());
    to /= static_cast<double>(layout.size());
    double cosine = 0, sine = 0;
    for (size_t p = 0; p < layout.size(); ++p) {
      const Vec2 a = layout[p] - from, b = other[p] - to;
      cosine += a.dot(b);
      sine += a.x() * b.y() - a.y() * b.x();
    }
    const double length = std::hypot(cosine, sine);
    const Vec2 turn = length > 0 ? Vec2(cosine / length, sine / length) : Vec2(1, 0);
    for (Vec2& p : layout) {
      const Vec2 d = p - from;
      p = to + Vec2(turn.x() * d.x() - turn.y() * d.y(), turn.y() * d.x() + turn.x() * d.y());
    }
  }

  /// Two parts that grow from the two faces which differ most in direction, each over faces that look its
  /// way first; and whatever they leave unconnected.
  std::vector<Chart> divided(const Chart& chart) {
    const Neighbours neighbours = neighboursOf(chart);
    const std::array<int32_t, 2> seeds = seedsOf(chart);
    std::vector<int8_t> side(chart.faces.size(), -1);
    using Entry = std::tuple<double, int32_t, int8_t>;  // way, face, side
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> front;
    for (const int8_t s : {int8_t(0), int8_t(1)}) front.emplace(0.0, seeds[static_cast<size_t>(s)], s);
    while (!front.empty()) {
      const auto [way, f, s] = front.top();
      front.pop();
      if (side[mLocal[f]] >= 0) continue;
      side[mLocal[f]] = s;
      const int32_t local = mLocal[f];
      for (int32_t k = neighbours.starts[local]; k < neighbours.starts[local + 1]; ++k) {
        const int32_t other = across(neighbours.list[k], f);
        if (side[mLocal[other]] >= 0) continue;
        constexpr double kTurn = 8;  // how much longer ways over faces of another direction are
        const double turn = 1 - normal(other).dot(normal(seeds[static_cast<size_t>(s)]));
        front.emplace(way + (1 + kTurn * turn) * (middle(other) - middle(f)).norm(), other, s);
      }
    }
    if (isStrip(chart, side)) halve(chart, side);
    return connectedParts(chart, side);
  }

  /// True if one side is so small that dividing on like this would go on for ever: on rough faces, where some
  /// bump looks the other way.
  bool isStrip(const Chart& chart, const std::vector<int8_t>& side) const {
    constexpr double kStrip = 0.1;  // of the area
    double all = 0, second = 0;
    for (size_t i = 0; i < chart.faces.size(); ++i) {
      all += mAreas[chart.faces[i]];
      if (side[i] == 1) second += mAreas[chart.faces[i]];
    }
    return std::min(second, all - second) < kStrip * all;
  }

  /// At the median along the longer side of the mean plane, if there is one.
  void halve(const Chart& chart, std::vector<int8_t>& side) const {
    const Plane plane = meanPlane(chart);
    std::vector<Vec2> places;
    places.reserve(chart.faces.size());
    Vec2 low = Vec2::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const int32_t f : chart.faces) {
      places.push_back(plane.flat(middle(f)));
      low = low.cwiseMin(places.back());
      high = high.cwiseMax(places.back());
    }
    const Eigen::Index axis = high.x() - low.x() < high.y() - low.y() ? 1 : 0;
    std::vector<double> along;
    for (const Vec2& p : places) along.push_back(p[axis]);
    const auto half = along.begin() + static_cast<std::ptrdiff_t>(along.size() / 2);
    std::nth_element(along.begin(), half, along.end());
    const double median = *half;
    if (!(low[axis] < median)) return;  // more than half of them in one place
    for (size_t i = 0; i < places.size(); ++i) side[i] = places[i][axis] < median ? 0 : 1;
  }

  std::array<int32_t, 2> seedsOf(const Chart& chart) const {
    const auto leastAlong = [&](const Vec3& direction, int32_t besides) {
      int32_t best = -1;
      double least = std::numeric_limits<double>::infinity();
      double largest = 0;
      for (const int32_t f : chart.faces) largest = std::max(largest, mAreas[f]);
      for (const int32_t f : chart.faces) {
        if (f == besides || (mAreas[f] < 0.1 * largest && best >= 0)) continue;
        const double along = normal(f).dot(direction);
        if (along >= least) continue;
        least = along;
        best = f;
      }
      return best;
    };
    const int32_t a = leastAlong(meanPlane(chart).normal, -1);
    return {a, leastAlong(normal(a), a)};
  }

  std::vector<Chart> connectedParts(const Chart& chart, const std::vector<int8_t>& side) const {
    UnionFind parts(chart.faces.size());
    std::vector<int32_t> kept;
    for (const int32_t j : chart.joints) {
      const int32_t a = mLocal[mJoints[j].a], b = mLocal[mJoints[j].b];
      if (side[a] != side[b]) continue;
      parts.unite(a, b);
      kept.push_back(j);
    }
    std::vector<int32_t> partOf(chart.faces.size(), -1);
    std::vector<Chart> result;
    for (size_t i = 0; i < chart.faces.size(); ++i) {
      const int32_t root = parts.find(static_cast<int32_t>(i));
      if (root == static_cast<int32_t>(i)) {
        partOf[i] = static_cast<int32_t>(result.size());
        result.emplace_back();
      }
      partOf[i] = partOf[root];
      result[partOf[i]].faces.push_back(chart.faces[i]);
    }
    for (const int32_t j : kept) result[partOf[mLocal[mJoints[j].a]]].joints.push_back(j);
    return result;
  }

  const InsideFaces& mFaces;
  const std::vector<Joint>& mJoints;
  Context& mContext;
  std::vector<Vec2> mUv;
  std::vector<double> mAreas;
  std::vector<int32_t> mLocal;   // number of a face in the chart that is worked on
  std::vector<uint8_t> mTurned;  // faces that show their other side in their chart
  std::vector<int32_t> mFirst;   // the first face of each face's chart
};

std::vector<Chart> connectedCharts(const InsideFaces& faces, const std::vector<Joint>& joints) {
  UnionFind sets(faces.count());
  for (const Joint& joint : joints) sets.unite(joint.a, joint.b);
  std::vector<int32_t> chartOf(faces.count(), -1);
  std::vector<Chart> charts;
  for (size_t f = 0; f < faces.count(); ++f) {
    const int32_t root = sets.find(static_cast<int32_t>(f));
    if (root == static_cast<int32_t>(f)) {
      chartOf[f] = static_cast<int32_t>(charts.size());
      charts.emplace_back();
    }
    chartOf[f] = chartOf[root];
    charts[chartOf[f]].faces.push_back(static_cast<int32_t>(f));
  }
  for (size_t j = 0; j < joints.size(); ++j)
    charts[chartOf[joints[j].a]].joints.push_back(static_cast<int32_t>(j));
  return charts;
}

}  // namespace

InsideCharts insideCharts(const InsideFaces& faces, double smoothAngle, Context& context) {
  const std::vector<Joint> joints = FaceJoiner(faces, smoothAngle, context).joints();
  std::vector<Chart> charts = connectedCharts(faces, joints);
  ChartLayer layer(faces, joints, context);
  parallelFor(context, charts.size(), 16, [&](size_t c) { layer.lay(std::move(charts[c])); });
  return layer.result();
}

}  // namespace hackle
