#include <hackle/geometry/bvh.h>
#include <hackle/meshing/repair/repair_steps.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <unordered_map>

namespace hackle::detail {

namespace {

std::vector<EdgeUse> openEdges(const RepairMesh& mesh) {
  std::vector<EdgeUse> open;
  forEachEdge(mesh.edgeUses(), [&](Span<const EdgeUse> around) {
    if (around.size() == 1) open.push_back(around[0]);
  });
  return open;
}

std::vector<int32_t> pointsOf(const std::vector<EdgeUse>& edges) {
  std::vector<int32_t> points;
  for (const EdgeUse& e : edges) points.insert(points.end(), {e.low, e.high});
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

/// Unites points at the same place.
void clusterEqual(const RepairMesh& mesh, std::vector<int32_t> points, UnionFind& clusters) {
  const auto key = [&](int32_t p) {
    const Vec3& x = mesh.position(p);
    return std::make_tuple(x.x(), x.y(), x.z());
  };
  std::sort(points.begin(), points.end(), [&](int32_t a, int32_t b) { return key(a) < key(b); });
  for (size_t i = 1; i < points.size(); ++i)
    if (mesh.position(points[i]) == mesh.position(points[i - 1])) clusters.unite(points[i], points[i - 1]);
}

/// Unites points within the tolerance, by a grid of that spacing.
void clusterNear(const RepairMesh& mesh, const std::vector<int32_t>& points, double tolerance,
                 UnionFind& clusters) {
  Box3 box;
  for (const int32_t p : points) box.add(mesh.position(p));
  using Cell = std::array<int64_t, 3>;
  const auto cellOf = [&](int32_t p) {
    const Vec3 x = (mesh.position(p) - box.min) / tolerance;
    return Cell{static_cast<int64_t>(x.x()), static_cast<int64_t>(x.y()), static_cast<int64_t>(x.z())};
  };
  std::map<Cell, std::vector<int32_t>> grid;
  for (const int32_t p : points) grid[cellOf(p)].push_back(p);
  for (const auto& [cell, members] : grid)
    for (int64_t n = 0; n < 27; ++n) {
      const auto other = grid.find({cell[0] + n % 3 - 1, cell[1] + n / 3 % 3 - 1, cell[2] + n / 9 - 1});
      if (other == grid.end()) continue;
      for (const int32_t a : members)
        for (const int32_t b : other->second)
          if (a < b && (mesh.position(a) - mesh.position(b)).norm() <= tolerance) clusters.unite(a, b);
    }
}

struct EdgePoint {
  double t = 0;  // part of the way along the half-edge
  int32_t point = 0;
};

/// Points of open edges that lie inside each open edge, by corner.
std::map<int32_t, std::vector<EdgePoint>> pointsOnEdges(const RepairRun& run,
                                                        const std::vector<EdgeUse>& open, double tolerance) {
  const RepairMesh& mesh = run.mesh;
  const std::vector<int32_t> points = pointsOf(open);
  std::vector<Vec3> positions;
  std::unordered_map<int32_t, int32_t> place;
  for (const int32_t p : points) {
    place.emplace(p, static_cast<int32_t>(positions.size()));
    positions.push_back(mesh.position(p));
  }
  std::vector<Triangle> segments;
  for (const EdgeUse& e : open) segments.push_back({place[e.low], place[e.high], place[e.high]});
  const TriangleBvh tree(positions, segments, run.context);

  std::map<int32_t, std::vector<EdgePoint>> found;
  for (const int32_t p : points) {
    run.context.checkCancel();
    const Vec3& x = mesh.position(p);
    Box3 box;
    box.add(x - Vec3::Constant(tolerance));
    box.add(x + Vec3::Constant(tolerance));
    for (const int32_t s : tree.trianglesNear(box)) {
      const EdgeUse& e = open[s];
      const Vec3& a = mesh.position(e.forward ? e.low : e.high);
      const Vec3& b = mesh.position(e.forward ? e.high : e.low);
      if ((x - a).norm() <= tolerance || (x - b).norm() <= tolerance) continue;
      const double t = (x - a).dot(b - a) / (b - a).squaredNorm();
      if (t > 0 && t < 1 && (a + t * (b - a) - x).norm() <= tolerance) found[e.corner].push_back({t, p});
    }
  }
  return found;
}

/// Adds the corners. Points at one place on one edge are added once: welding brings the others.
void insertCorners(RepairMesh& mesh, const std::map<int32_t, std::vector<EdgePoint>>& onEdges,
                   double tolerance) {
  std::map<int32_t, std::vector<RepairCorner>> faces;
  for (const auto& entry : onEdges) {
    const int32_t f = mesh.faceOf(entry.first);
    if (faces.count(f)) continue;
    std::vector<RepairCorner>& corners = faces[f];
    const RepairFace& face = mesh.face(static_cast<size_t>(f));
    for (int32_t c = face.first; c < face.first + face.count; ++c) {
      const RepairCorner &from = mesh.corner(c), &to = mesh.corner(mesh.nextCorner(c));
      corners.push_back(from);
      const auto added = onEdges.find(c);
      if (added == onEdges.end()) continue;
      std::vector<EdgePoint> points = added->second;
      std::sort(points.begin(), points.end(), [](const EdgePoint& a, const EdgePoint& b) {
        return a.t != b.t ? a.t < b.t : a.point < b.point;
      });
      Vec3 last = mesh.position(from.point);
      for (const EdgePoint& p : points) {
        if ((mesh.position(p.point) - last).norm() <= tolerance) continue;
        last = mesh.position(p.point);
        corners.push_back({p.point, Mixture::between(from.vertex, to.vertex, p.t)});
      }
    }
  }
  for (const auto& [f, corners] : faces) mesh.setCorners(static_cast<size_t>(f), corners);
}

}  // namespace

bool hasOpenEdges(const RepairRun& run) { return !openEdges(run.mesh).empty(); }

void weldOpenEdges(RepairRun& run, double tolerance) {
  RepairMesh& mesh = run.mesh;
  const std::vector<EdgeUse> open = openEdges(mesh);
  if (open.empty()) return;
  UnionFind clusters(mesh.pointCount());
  clusterEqual(mesh, pointsOf(open), clusters);
  if (tolerance > 0) clusterNear(mesh, pointsOf(open), tolerance, clusters);

  // Edges between the same two clusters are one edge: join their ends.
  struct Named {
    int32_t low, high;  // clusters
    const EdgeUse* edge;
  };
  std::vector<Named> named;
  for (const EdgeUse& e : open) {
    const int32_t a = clusters.find(e.low), b = clusters.find(e.high);
    if (a != b) named.push_back({std::min(a, b), std::max(a, b), &e});
  }
  std::stable_sort(named.begin(), named.end(), [](const Named& a, const Named& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  UnionFind sets(mesh.pointCount());
  Vec3 place = Vec3::Zero();
  bool any = false;
  for (size_t i = 1; i < named.size(); ++i) {
    if (named[i].low != named[i - 1].low || named[i].high != named[i - 1].high) continue;
    const EdgeUse &e = *named[i - 1].edge, &g = *named[i].edge;
    const bool same = clusters.find(e.low) == clusters.find(g.low);
    sets.unite(e.low, same ? g.low : g.high);
    sets.unite(e.high, same ? g.high : g.low);
    if (!any) place = mesh.position(e.low);
    any = true;
  }
  if (!any) return;
  const size_t joined = mesh.joinPoints(sets);
  if (joined > 0) run.note(RepairAction::WeldPoints, joined, place);
  mendCorners(run);
}

void splitOpenEdges(RepairRun& run, double tolerance) {
  const std::vector<EdgeUse> open = openEdges(run.mesh);
  const auto onEdges = pointsOnEdges(run, open, tolerance);
  if (onEdges.empty()) return;
  // Try on a copy: corners that close nothing are not worth a change.
  RepairRun trial = run;
  size_t added = 0;
  for (const auto& entry : onEdges) added += entry.second.size();
  const int32_t first = onEdges.begin()->second[0].point;
  insertCorners(trial.mesh, onEdges, tolerance);
  weldOpenEdges(trial, 0.0);
  weldOpenEdges(trial, tolerance);
  if (openEdges(trial.mesh).size() >= open.size()) return;
  run.mesh = std::move(trial.mesh);
  run.steps = std::move(trial.steps);
  run.note(RepairAction::SplitOpenEdges, added, run.mesh.position(first));
}

}  // namespace hackle::detail
