#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/fracture/rough_voronoi.h>
#include <hackle/geometry/noise.h>
#include <hackle/meshing/cut/cutter.h>
#include <hackle/meshing/cut/voronoi_diagram.h>
#include <hackle/meshing/surface/flat_polygon.h>
#include <hackle/meshing/surface/polygon_refinement.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

using NodeName = std::array<int32_t, 4>;

/// The face between the cells i < j of the diagram, counter-clockwise seen from j.
struct DiagramFace {
  int32_t i, j;
  std::vector<int32_t> nodes;
};

/// The points that divide an edge of the diagram, from its lower node to its higher one.
struct DividedEdge {
  int32_t low, high;
  std::vector<Vec3> points;
  int32_t first = 0;  // node of the first point
};

struct FaceTriangle {
  int32_t face;
  Triangle nodes;
};

class RoughPartition {
 public:
  RoughPartition(const RoughVoronoi& partition, const TriangleBvh& surface, Context& context)
      : mPartition(partition), mRough(partition.rough), mSurface(surface), mContext(context) {
    mSpacing = mRough.amount > 0 ? 0.25 * mRough.size : 0;
    const Mat3 shrink = partition.stretch.inverse();
    for (const Vec3& p : partition.sites) mSites.push_back(shrink * p);
    mScale = std::cbrt(std::abs(partition.stretch.determinant()));
    mReach = mRough.amount * partition.stretch.cwiseAbs().rowwise().sum().maxCoeff();
  }

  LabelComplex build() {
    findFaces();
    if (mSpacing > 0) divideEdges();
    triangulateFaces();
    if (mRough.amount > 0) displace();
    for (Vec3& p : mNodes) p = inSpace(p);
    return complex();
  }

  /// Mean share of the displacement that was applied.
  double applied() const { return mApplied; }

  /// The label of the cell that holds a place.
  int32_t labelAt(const Vec3& p) const {
    // Walk from the nearest site, which is in its own cell, and look at the last face on the way.
    size_t nearest = 0;
    const Mat3 shrink = mPartition.stretch.inverse();
    double least = std::numeric_limits<double>::infinity();
    for (size_t s = 0; s < mPartition.sites.size(); ++s) {
      const double distance = (shrink * (mPartition.sites[s] - p)).squaredNorm();
      if (distance >= least) continue;
      least = distance;
      nearest = s;
    }
    int32_t cell = static_cast<int32_t>(nearest);
    double last = 0;
    const Vec3 from = mPartition.sites[nearest], way = p - from;
    for (const FaceTriangle& t : mTriangles) {
      const double at = crossing(t.nodes, from, way);
      if (!(at > last && at <= 1)) continue;
      last = at;
      const Vec3 normal =
          (mNodes[t.nodes[1]] - mNodes[t.nodes[0]]).cross(mNodes[t.nodes[2]] - mNodes[t.nodes[0]]);
      cell = normal.dot(way) > 0 ? mFaces[t.face].j : mFaces[t.face].i;
    }
    return label(cell);
  }

 private:
  Vec3 inSpace(const Vec3& p) const { return mPartition.stretch * p; }

  int32_t label(int32_t site) const {
    return mPartition.labels.empty() ? site : mPartition.labels[static_cast<size_t>(site)];
  }

  /// Where a line meets a triangle, as a part of its way; not finite if it does not.
  double crossing(const Triangle& t, const Vec3& from, const Vec3& way) const {
    const Vec3 a = mNodes[t[1]] - mNodes[t[0]], b = mNodes[t[2]] - mNodes[t[0]], d = from - mNodes[t[0]];
    const Vec3 h = way.cross(b), q = d.cross(a);
    const double det = a.dot(h);
    const double u = d.dot(h) / det, v = way.dot(q) / det;
    if (!(u >= 0 && v >= 0 && u + v <= 1)) return std::numeric_limits<double>::quiet_NaN();
    return b.dot(q) / det;
  }

  // Faces -------------------------------------------------------------------------------------------------

  void findBox() {
    const Box3 solid = mSurface.bounds();
    mBox = solid;
    for (const Vec3& p : mPartition.sites) mBox.add(p);
    const double margin = 0.02 * mBox.diagonal() + 4 * mReach;
    mBox.min.array() -= margin;
    mBox.max.array() += margin;
    mNear = solid;
    mNear.min.array() -= 2 * mReach;  // along all axes at once
    mNear.max.array() += 2 * mReach;
  }

  void findFaces() {
    findBox();
    const Mat3 shrink = mPartition.stretch.inverse();
    Box3 box;
    for (int corner = 0; corner < 8; ++corner) {
      Vec3 p = mBox.min;
      for (int c = 0; c < 3; ++c)
        if (corner >> c & 1) p[c] = mBox.max[c];
      box.add(shrink * p);
    }
    const ScorePredicates predicates(Span<const Vec3>(), mSites, box);
    const std::vector<VoronoiCell> cells = voronoiDiagram(predicates, mSites, box, mContext);
    std::vector<NodeName> names;
    std::vector<std::vector<NodeName>> loops;
    for (size_t i = 0; i < cells.size(); ++i)
      for (const int32_t j : cells[i].neighbours) {
        if (j <= static_cast<int32_t>(i) || predicates.isBoxPlane(j)) continue;
        if (label(static_cast<int32_t>(i)) == label(j)) continue;
        loops.push_back(loopOf(cells[i], static_cast<int32_t>(i), j));
        names.insert(names.end(), loops.back().begin(), loops.back().end());
        mFaces.push_back({static_cast<int32_t>(i), j, {}});
      }
    parallelStableSort(mContext, names, std::less<NodeName>());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    mNodes.resize(names.size());
    parallelFor(mContext, names.size(), 256, [&](size_t n) {
      const NodeName& k = names[n];
      mNodes[n] = predicates.vertexPosition(k[0], k[1], k[2], k[3]);
    });
    for (size_t f = 0; f < mFaces.size(); ++f)
      for (const NodeName& name : loops[f])
        mFaces[f].nodes.push_back(
            static_cast<int32_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin()));
    const auto far = [&](const DiagramFace& face) {
      Box3 of;
      for (const int32_t n : face.nodes) of.add(inSpace(mNodes[n]));
      return (of.min.array() > mNear.max.array()).any() || (of.max.array() < mNear.min.array()).any();
    };
    mFaces.erase(std::remove_if(mFaces.begin(), mFaces.end(), far), mFaces.end());
  }

  static std::vector<NodeName> loopOf(const VoronoiCell& cell, int32_t own, int32_t plane) {
    // On the face of `plane`, the edge shared with the next plane of a vertex comes before the one shared
    // with the one after.
    std::vector<std::array<int32_t, 2>> sides;
    for (const auto& v : cell.vertices)
      for (size_t k = 0; k < 3; ++k)
        if (v[k] == plane) sides.push_back({v[(k + 1) % 3], v[(k + 2) % 3]});
    std::vector<NodeName> loop;
    size_t at = 0;
    for (size_t step = 0; step < sides.size(); ++step) {
      NodeName name{own, plane, sides[at][0], sides[at][1]};
      std::sort(name.begin(), name.end());
      loop.push_back(name);
      const auto next = std::find_if(sides.begin(), sides.end(),
                                     [&](const std::array<int32_t, 2>& s) { return s[0] == sides[at][1]; });
      HACKLE_ASSERT(next != sides.end());
      at = static_cast<size_t>(next - sides.begin());
    }
    return loop;
  }

  // Triangles ---------------------------------------------------------------------------------------------

  /// How far apart points should be: finest near the surface, where the rim will be seen.
  double spacingAt(const Vec3& p) const {
    constexpr double kGrowth = 0.3, kCoarsest = 4;
    const double reach = kCoarsest * mSpacing / kGrowth;
    const ClosestPoint near = mSurface.closestPoint(inSpace(p), reach * mScale);
    const double distance = near.triangle >= 0 ? std::sqrt(near.squaredDistance) / mScale : reach;
    return std::clamp(kGrowth * distance, mSpacing, kCoarsest * mSpacing);
  }

  void divideEdges() {
    for (const DiagramFace& face : mFaces)
      for (size_t k = 0; k < face.nodes.size(); ++k) {
        const auto [low, high] = std::minmax(face.nodes[k], face.nodes[(k + 1) % face.nodes.size()]);
        mEdges.push_back({low, high, {}});
      }
    parallelStableSort(mContext, mEdges, less);
    const auto same = [](const DividedEdge& a, const DividedEdge& b) {
      return a.low == b.low && a.high == b.high;
    };
    mEdges.erase(std::unique(mEdges.begin(), mEdges.end(), same), mEdges.end());
    parallelFor(mContext, mEdges.size(), 16,
                [&](size_t e) { divide(mNodes[mEdges[e].low], mNodes[mEdges[e].high], mEdges[e].points); });
    for (DividedEdge& edge : mEdges) {
      edge.first = static_cast<int32_t>(mNodes.size());
      mNodes.insert(mNodes.end(), edge.points.begin(), edge.points.end());
    }
  }

  static bool less(const DividedEdge& a, const DividedEdge& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  }

  void divide(const Vec3& a, const Vec3& b, std::vector<Vec3>& points) const {
    const Vec3 middle = 0.5 * (a + b);
    // Long edges are divided anyway, so that no part near the surface is missed.
    const double length = (b - a).norm();
    if (length <= spacingAt(middle) * 1.4) return;
    divide(a, middle, points);
    points.push_back(middle);
    divide(middle, b, points);
  }

  void appendEdge(int32_t from, int32_t to, std::vector<int32_t>& loop) const {
    loop.push_back(from);
    if (mEdges.empty()) return;
    DividedEdge key{std::min(from, to), std::max(from, to), {}};
    const auto found = std::lower_bound(mEdges.begin(), mEdges.end(), key, less);
    const auto count = static_cast<int32_t>(found->points.size());
    for (int32_t k = 0; k < count; ++k)
      loop.push_back(from < to ? found->first + k : found->first + count - 1 - k);
  }

  /// Triangles of a face; the new points inside it count from 0 after the loop's.
  struct FaceMesh {
    std::vector<int32_t> loop;
    std::vector<Vec3> inner;
    std::vector<Triangle> triangles;
  };

  void triangulateFaces() {
    std::vector<FaceMesh> meshes(mFaces.size());
    parallelFor(mContext, mFaces.size(), 4, [&](size_t f) { meshes[f] = meshOf(f); });
    for (size_t f = 0; f < meshes.size(); ++f) {
      const FaceMesh& mesh = meshes[f];
      const auto first = static_cast<int32_t>(mNodes.size());
      const auto node = [&](int32_t k) {
        const auto own = static_cast<int32_t>(mesh.loop.size());
        return k < own ? mesh.loop[static_cast<size_t>(k)] : first + k - own;
      };
      for (const Triangle& t : mesh.triangles)
        mTriangles.push_back({static_cast<int32_t>(f), {node(t[0]), node(t[1]), node(t[2])}});
      mNodes.insert(mNodes.end(), mesh.inner.begin(), mesh.inner.end());
    }
  }

  FaceMesh meshOf(size_t f) const {
    const DiagramFace& face = mFaces[f];
    FaceMesh mesh;
    for (size_t k = 0; k < face.nodes.size(); ++k)
      appendEdge(face.nodes[k], face.nodes[(k + 1) % face.nodes.size()], mesh.loop);
    std::vector<Vec3> places;
    for (const int32_t n : mesh.loop) places.push_back(mNodes[n]);
    const FlatPolygon flat(places);
    if (!flat.normal.allFinite() || flat.normal.isZero()) {
      for (int32_t k = 1; k + 1 < static_cast<int32_t>(places.size()); ++k)
        mesh.triangles.push_back({0, k, k + 1});
      return mesh;
    }
    std::vector<Vec2> inner;
    if (mSpacing > 0) addInnerPoints(flat, mixBits(mRough.seed + 77 * f), inner);
    mesh.triangles = triangulateWithPoints(flat.corners, inner);
    for (const Vec2& p : inner) mesh.inner.push_back(flat.place(p));
    return mesh;
  }

  /// Points in the middles of squares that are halved until they are as small as the spacing asks for.
  void addInnerPoints(const FlatPolygon& flat, uint64_t seed, std::vector<Vec2>& points) const {
    struct Square {
      Vec2 centre;
      double half;
    };
    Random random(seed, 3);
    std::vector<Square> open{{0.5 * (flat.low + flat.high), 0.5 * (flat.high - flat.low).maxCoeff()}};
    while (!open.empty()) {
      const Square now = open.back();
      open.pop_back();
      const double rim = flat.rimDistance(now.centre);
      if (rim < -1.5 * now.half) continue;
      const double wanted = spacingAt(flat.place(now.centre));
      if (2 * now.half > 1.2 * wanted) {
        for (int k = 0; k < 4; ++k)
          open.push_back(
              {now.centre + 0.5 * now.half * Vec2(k & 1 ? 1 : -1, k & 2 ? 1 : -1), 0.5 * now.half});
        continue;
      }
      const Vec2 shake(random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4));
      const Vec2 p = now.centre + now.half * shake;
      if (flat.rimDistance(p) > 0.7 * now.half) points.push_back(p);
    }
  }

  // Displacement ------------------------------------------------------------------------------------------

  Vec3 displacementAt(const Vec3& p) const {
    constexpr int kOctaves = 3;  // the triangles show no finer ones
    // Nothing moves at the end of space, so that cells keep filling it.
    const Vec3 place = inSpace(p);
    const double end = std::min((place - mBox.min).minCoeff(), (mBox.max - place).minCoeff());
    double factor = std::clamp(end / (2 * mReach) - 0.1, 0.0, 1.0);
    if (mRough.strength && factor > 0) factor *= std::clamp(mRough.strength(place), 0.0, 1.0);
    Vec3 d = Vec3::Zero();
    if (factor == 0) return d;
    for (int c = 0; c < 3; ++c) {
      const uint64_t seed = mixBits(mRough.seed + static_cast<uint64_t>(c) + 1);
      d[c] = fractalNoise(p / mRough.size, seed, kOctaves, mRough.roughness);
      if (mRough.ridges) d[c] = 2 * (0.5 - std::min(1.0, 2 * std::abs(d[c])));
    }
    return mRough.amount * factor * d;
  }

  /// Six times the volume of a triangle's tetrahedron with a site.
  double volume(const std::vector<Vec3>& nodes, const Triangle& t, const Vec3& site) const {
    return (nodes[t[0]] - site).dot((nodes[t[1]] - site).cross(nodes[t[2]] - site));
  }

  void displace() {
    std::vector<Vec3> moves(mNodes.size());
    parallelFor(mContext, mNodes.size(), 256, [&](size_t n) { moves[n] = displacementAt(mNodes[n]); });
    std::vector<double> shares(mNodes.size(), 1.0);
    std::vector<Vec3> moved(mNodes.size());
    constexpr int kRounds = 24;
    for (int round = 0; round <= kRounds; ++round) {
      parallelFor(mContext, moved.size(), 1024,
                  [&](size_t n) { moved[n] = mNodes[n] + shares[n] * moves[n]; });
      if (!reduceFolds(moved, round == kRounds ? 0.0 : 0.6, shares)) break;
    }
    double asked = 0, done = 0;
    for (size_t n = 0; n < moved.size(); ++n) {
      moved[n] = mNodes[n] + shares[n] * moves[n];
      asked += moves[n].norm();
      done += shares[n] * moves[n].norm();
    }
    mApplied = asked > 0 ? done / asked : 1;
    mNodes = std::move(moved);
  }

  /// Takes displacement from the corners of triangles that their sites hardly see any more; false if there
  /// are none.
  bool reduceFolds(const std::vector<Vec3>& moved, double factor, std::vector<double>& shares) const {
    constexpr double kLeast = 0.15;  // of the volume before
    std::vector<uint8_t> folds(mTriangles.size(), 0);
    parallelFor(mContext, mTriangles.size(), 1024, [&](size_t t) {
      const Triangle& nodes = mTriangles[t].nodes;
      const DiagramFace& face = mFaces[mTriangles[t].face];
      for (const int32_t site : {face.i, face.j}) {
        const Vec3& s = mSites[site];
        const double before = volume(mNodes, nodes, s), after = volume(moved, nodes, s);
        if (before * after < kLeast * before * before) folds[t] = 1;
      }
    });
    std::vector<uint8_t> less(shares.size(), 0);
    for (size_t t = 0; t < folds.size(); ++t)
      if (folds[t])
        for (const int32_t n : mTriangles[t].nodes) less[n] = shares[n] > 0 ? 1 : 0;
    bool any = false;
    for (size_t n = 0; n < less.size(); ++n) {
      if (!less[n]) continue;
      shares[n] *= factor;
      any = true;
    }
    return any;
  }

  LabelComplex complex() const {
    LabelComplex result;
    result.joinFlat = mRough.amount <= 0;
    result.nodes = mNodes;
    std::vector<std::array<int32_t, 3>> order;  // labels, triangle
    for (size_t t = 0; t < mTriangles.size(); ++t) {
      const DiagramFace& face = mFaces[mTriangles[t].face];
      const int32_t i = label(face.i), j = label(face.j), back = std::min(i, j), front = std::max(i, j);
      order.push_back({back, front, static_cast<int32_t>(t)});
    }
    parallelStableSort(mContext, order, std::less<std::array<int32_t, 3>>());
    for (const auto& [back, front, t] : order) {
      Triangle nodes = mTriangles[t].nodes;
      if (label(mFaces[mTriangles[t].face].i) != back) std::swap(nodes[1], nodes[2]);
      result.facets.push_back({back, front, static_cast<int32_t>(result.corners.size()), 3});
      result.corners.insert(result.corners.end(), nodes.begin(), nodes.end());
    }
    return result;
  }

  const RoughVoronoi& mPartition;
  const RoughFaces& mRough;
  const TriangleBvh& mSurface;
  Context& mContext;
  Box3 mBox, mNear;
  std::vector<Vec3> mSites;  // before the stretch, as are nodes until the end
  double mScale = 1;         // mean of the stretch
  double mReach = 0;         // m, that a node moves along an axis at most, with the stretch
  double mSpacing = 0;       // m, of points near the surface; 0: faces stay as they are
  std::vector<Vec3> mNodes;
  std::vector<DiagramFace> mFaces;
  std::vector<DividedEdge> mEdges;
  std::vector<FaceTriangle> mTriangles;
  double mApplied = 1;
};

}  // namespace

Cut cutByRoughVoronoi(const Geometry& solid, const TriangleMesh& mesh, const TriangleBvh& surface,
                      const RoughVoronoi& partition, double* applied, Context& context) {
  RoughPartition parts(partition, surface, context);
  LabelComplex complex;
  {
    const Context::Stage stage(context, "edges", 0.3);
    complex = parts.build();
  }
  if (applied) *applied = parts.applied();
  return cutByComplex(
      solid, mesh, complex, [&](const Vec3& p) { return parts.labelAt(p); }, context);
}

}  // namespace hackle
