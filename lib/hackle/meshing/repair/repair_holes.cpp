#include <hackle/meshing/repair/repair_steps.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace hackle::detail {

namespace {

/// Half-edges without partner, end to end.
using Loop = std::vector<int32_t>;

/// Takes walks along open half-edges apart into loops that pass each point once.
std::vector<Loop> findLoops(const RepairMesh& mesh, const std::vector<int32_t>& partners) {
  std::map<int32_t, std::vector<int32_t>> leaving;  // by point, the last is next
  std::vector<int32_t> open;
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (int32_t c = mesh.face(f).first; c < mesh.face(f).first + mesh.face(f).count; ++c)
      if (partners[c] < 0) open.push_back(c);
  for (auto c = open.rbegin(); c != open.rend(); ++c) leaving[mesh.corner(*c).point].push_back(*c);

  std::vector<Loop> loops;
  for (const int32_t start : open) {
    std::vector<int32_t>* ways = &leaving[mesh.corner(start).point];
    if (std::find(ways->begin(), ways->end(), start) == ways->end()) continue;
    Loop walk;
    std::map<int32_t, size_t> reached{{mesh.corner(start).point, 0}};
    while (!ways->empty()) {
      walk.push_back(ways->back());
      ways->pop_back();
      const int32_t at = mesh.corner(mesh.nextCorner(walk.back())).point;
      const auto known = reached.find(at);
      if (known != reached.end()) {
        // Cut off the loop that closes here.
        const auto first = walk.begin() + static_cast<std::ptrdiff_t>(known->second);
        loops.emplace_back(first, walk.end());
        for (auto c = first + 1; c != walk.end(); ++c) reached.erase(mesh.corner(*c).point);
        walk.erase(first, walk.end());
      } else {
        reached.emplace(at, walk.size());
      }
      ways = &leaving[at];
    }
    HACKLE_ASSERT(walk.empty());
  }
  return loops;
}

Box3 boxOf(const RepairMesh& mesh, const Loop& loop) {
  Box3 box;
  for (const int32_t c : loop) box.add(mesh.position(mesh.corner(c).point));
  return box;
}

/// True if the corners lie in a plane and turn the same way everywhere: one polygon fills them.
bool isFlatAndConvex(const std::vector<Vec3>& p) {
  constexpr double kFlat = 1e-6;
  Box3 box;
  Vec3 normal = Vec3::Zero();
  for (size_t i = 0; i < p.size(); ++i) {
    box.add(p[i]);
    normal += (p[i] - p[0]).cross(p[(i + 1) % p.size()] - p[0]);
  }
  const double size = box.diagonal();
  if (normal.norm() <= kFlat * size * size) return false;
  normal.normalize();
  double turned = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    const Vec3 a = p[(i + 1) % p.size()] - p[i], b = p[(i + 2) % p.size()] - p[(i + 1) % p.size()];
    if (std::abs(a.dot(normal)) > kFlat * size) return false;
    const double sine = a.cross(b).dot(normal);
    if (sine <= kFlat * a.norm() * b.norm()) return false;
    turned += std::atan2(sine, a.dot(b));
  }
  return turned < 6.5;  // once around, not twice
}

/// Triangles over the corners of least total area, without diagonals for which `isTaken` holds; none if there
/// is no such triangulation. Time goes with the third power of the number of corners.
template <class IsTaken>
std::vector<Triangle> leastAreaTriangles(const std::vector<Vec3>& p, const IsTaken& isTaken) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const size_t n = p.size();
  std::vector<double> cost(n * n, 0.0);
  std::vector<size_t> choice(n * n, 0);
  const auto triangleCost = [&](size_t i, size_t k, size_t j) {
    const double area = 0.5 * (p[k] - p[i]).cross(p[j] - p[i]).norm();
    const double longest =
        std::max({(p[k] - p[i]).squaredNorm(), (p[j] - p[k]).squaredNorm(), (p[i] - p[j]).squaredNorm()});
    // A triangle without height costs nothing but is the worst of all.
    return area < 1e-9 * longest ? area + longest : area;
  };
  for (size_t width = 2; width < n; ++width)
    for (size_t i = 0; i + width < n; ++i) {
      const size_t j = i + width;
      double& best = cost[i * n + j];
      best = kNever;
      if (width < n - 1 && isTaken(i, j)) continue;
      for (size_t k = i + 1; k < j; ++k) {
        const double total = cost[i * n + k] + cost[k * n + j] + triangleCost(i, k, j);
        // Of equal ones the first, whatever rounding says: the same at any scale.
        if (best != kNever && total >= best * (1 - 1e-9)) continue;
        best = total;
        choice[i * n + j] = k;
      }
    }
  std::vector<Triangle> triangles;
  if (cost[n - 1] == kNever) return triangles;
  std::vector<std::pair<size_t, size_t>> spans{{0, n - 1}};
  while (!spans.empty()) {
    const auto [i, j] = spans.back();
    spans.pop_back();
    if (j - i < 2) continue;
    const size_t k = choice[i * n + j];
    triangles.push_back({static_cast<int32_t>(i), static_cast<int32_t>(k), static_cast<int32_t>(j)});
    spans.emplace_back(i, k);
    spans.emplace_back(k, j);
  }
  return triangles;
}

/// Faces over a loop's corners, as indices of corners.
std::vector<std::vector<int32_t>> facesOver(const std::vector<Vec3>& positions,
                                            const std::vector<int32_t>& points, const std::set<Edge>& taken) {
  constexpr size_t kMostForLeastArea = 150;
  std::vector<std::vector<int32_t>> faces;
  if (isFlatAndConvex(positions)) {
    faces.emplace_back();
    for (size_t i = 0; i < points.size(); ++i) faces[0].push_back(static_cast<int32_t>(i));
    return faces;
  }
  std::vector<Triangle> triangles;
  if (points.size() <= kMostForLeastArea)
    triangles = leastAreaTriangles(positions, [&](size_t i, size_t j) {
      return positions[i] == positions[j] ||
             taken.count({std::min(points[i], points[j]), std::max(points[i], points[j])}) > 0;
    });
  if (triangles.empty()) triangles = triangulatePolygon(positions);
  for (const Triangle& t : triangles) faces.push_back({t[0], t[1], t[2]});
  return faces;
}

void fillLoop(RepairRun& run, const Loop& loop, const std::set<Edge>& taken, std::vector<int32_t>& partners) {
  RepairMesh& mesh = run.mesh;
  // The filling runs against the loop.
  const Loop around(loop.rbegin(), loop.rend());
  std::vector<Vec3> positions;
  std::vector<int32_t> points;
  for (const int32_t c : around) {
    points.push_back(mesh.corner(c).point);
    positions.push_back(mesh.position(points.back()));
  }
  const int32_t primitive = mesh.face(static_cast<size_t>(mesh.faceOf(loop[0]))).primitive;
  const int32_t n = static_cast<int32_t>(around.size());
  std::map<Edge, int32_t> waiting;  // half-edges by indices of corners
  for (int32_t i = 0; i < n; ++i)   // from corner i + 1 of the filling back to i
    waiting[{(i + 1) % n, i}] = around[(i + 1) % n];
  for (const std::vector<int32_t>& face : facesOver(positions, points, taken)) {
    std::vector<RepairCorner> corners;
    for (const int32_t i : face) corners.push_back(mesh.corner(around[i]));
    const size_t f = mesh.addFace(corners, primitive);
    mesh.face(f).filled = true;
    partners.resize(mesh.cornerCount(), -1);
    for (size_t k = 0; k < face.size(); ++k) {
      const int32_t from = face[k], to = face[(k + 1) % face.size()];
      const int32_t corner = mesh.face(f).first + static_cast<int32_t>(k);
      const auto other = waiting.find({to, from});
      if (other == waiting.end()) {
        waiting[{from, to}] = corner;
        continue;
      }
      partners[corner] = other->second;
      partners[other->second] = corner;
      waiting.erase(other);
    }
  }
  HACKLE_ASSERT(waiting.empty());
}

void refuseHoles(RepairRun& run, const std::vector<const Loop*>& loops) {
  size_t edges = 0, most = 0;
  double size = 0;
  for (const Loop* loop : loops) {
    edges += loop->size();
    most = std::max(most, loop->size());
    size = std::max(size, boxOf(run.mesh, *loop).diagonal());
  }
  const Vec3 place = boxOf(run.mesh, *loops[0]).centre();
  const std::string others =
      loops.size() == 1 ? "" : fmt::format(" and at {} other places", loops.size() - 1);
  run.refuse(
      fmt::format("{} open edges around {}{}", edges, placeText(place), others),
      fmt::format("with the operator repair fill the holes (fill_holes {}, the largest is {:.2g} wide), weld "
                  "what should be joined (weld), or rebuild the surface (resurface)",
                  most, size));
}

/// Edges of a face's triangles that are no edges of the face, as points in ascending order.
std::vector<Edge> diagonalsOf(const std::vector<int32_t>& points, const std::vector<Triangle>& triangles) {
  std::vector<Edge> diagonals;
  const int32_t n = static_cast<int32_t>(points.size());
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) {
      const int32_t i = t[k], j = t[(k + 1) % 3];
      if (i > j || j == i + 1 || (i == 0 && j == n - 1)) continue;  // the other triangle has it, too
      const int32_t a = points[i], b = points[j];
      diagonals.push_back({std::min(a, b), std::max(a, b)});
    }
  return diagonals;
}

std::vector<Vec3> positionsOf(const RepairMesh& mesh, const std::vector<int32_t>& points) {
  std::vector<Vec3> positions;
  for (const int32_t p : points) positions.push_back(mesh.position(p));
  return positions;
}

/// Cuts a face into triangles without diagonals that are taken, around a new point if it must be.
void cutFace(RepairRun& run, size_t f, std::multiset<Edge>& taken) {
  RepairMesh& mesh = run.mesh;
  const std::vector<int32_t> points = mesh.facePoints(f);
  const std::vector<Vec3> positions = positionsOf(mesh, points);
  std::vector<RepairCorner> corners(mesh.corners(f).begin(), mesh.corners(f).end());
  std::vector<Triangle> triangles = leastAreaTriangles(positions, [&](size_t i, size_t j) {
    return positions[i] == positions[j] ||
           taken.count({std::min(points[i], points[j]), std::max(points[i], points[j])}) > 0;
  });
  for (const Edge& e : diagonalsOf(points, triangles)) taken.insert(e);
  if (triangles.empty()) {
    const int32_t n = static_cast<int32_t>(corners.size());
    Mixture middle = corners[0].vertex;
    for (int32_t i = 1; i < n; ++i) middle = Mixture::between(middle, corners[i].vertex, 1.0 / (i + 1));
    for (int32_t i = 0; i < n; ++i) triangles.push_back({i, (i + 1) % n, n});
    corners.push_back({mesh.addPointAmong(points), middle});
  }
  run.note(RepairAction::CutFaces, f);
  for (size_t t = 0; t < triangles.size(); ++t) {
    std::vector<RepairCorner> part;
    for (const int32_t i : triangles[t]) part.push_back(corners[i]);
    if (t == 0) {
      mesh.setCorners(f, part);
      continue;
    }
    RepairFace like = mesh.face(f);
    const size_t added = mesh.addFace(part, like.primitive);
    like.first = mesh.face(added).first;
    mesh.face(added) = like;
  }
}

}  // namespace

void cutSharedDiagonals(RepairRun& run) {
  RepairMesh& mesh = run.mesh;
  std::vector<std::pair<size_t, std::vector<Edge>>> large;  // faces of more than three corners
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    if (mesh.face(f).count <= 3) continue;
    const std::vector<int32_t> points = mesh.facePoints(f);
    large.emplace_back(f, diagonalsOf(points, triangulatePolygon(positionsOf(mesh, points))));
  }
  if (large.empty()) return;
  std::multiset<Edge> taken;
  for (const EdgeUse& u : mesh.edgeUses()) taken.insert(taken.end(), {u.low, u.high});
  for (const auto& entry : large) taken.insert(entry.second.begin(), entry.second.end());
  for (const auto& [f, diagonals] : large) {
    run.context.checkCancel();
    const bool shared = std::any_of(diagonals.begin(), diagonals.end(),
                                    [&taken = taken](const Edge& e) { return taken.count(e) > 1; });
    if (!shared) continue;
    for (const Edge& e : diagonals) taken.erase(taken.find(e));
    cutFace(run, f, taken);
  }
}

void fillHoles(RepairRun& run, std::vector<int32_t>& partners) {
  RepairMesh& mesh = run.mesh;
  const std::vector<Loop> loops = findLoops(mesh, partners);
  if (loops.empty()) return;
  std::set<Edge> taken;
  for (const EdgeUse& u : mesh.edgeUses()) taken.insert(taken.end(), {u.low, u.high});
  std::vector<const Loop*> refused;
  for (const Loop& loop : loops) {
    run.context.checkCancel();
    if (loop.size() == 2) {
      // Two faces back to back along one edge.
      partners[loop[0]] = loop[1];
      partners[loop[1]] = loop[0];
      continue;
    }
    const Box3 box = boxOf(mesh, loop);
    if (loop.size() > static_cast<size_t>(run.options.fillHoles) ||
        box.diagonal() > run.options.fillDiameter * run.diagonal) {
      refused.push_back(&loop);
      continue;
    }
    fillLoop(run, loop, taken, partners);
    run.note(RepairAction::FillHoles, 1, box.centre());
  }
  if (!refused.empty()) refuseHoles(run, refused);
}

}  // namespace hackle::detail
