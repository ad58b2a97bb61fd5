#include <hackle/fracture/sheet/sheet_cut.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kSnap = 0.25;  // of the opposite side: nearer crossings take the vertex at its end
constexpr double kQuality =
    0.15;  // 2 area / (longest edge)^2 that a moved vertex must leave; 0.87 is equilateral

double quality(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& normal) {
  const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return (b - a).cross(c - a).dot(normal) / longest;
}

/// Moves a vertex in the rest shape to `target`; what it carries is interpolated in the face that it moves
/// into.
bool moveVertex(SheetMesh& mesh, int32_t corner, const Vec3& target) {
  const std::vector<int32_t> around = mesh.fan(corner);
  const int32_t vertex = mesh.cornerVertex(corner);
  int32_t inside = -1;
  Vec3 weights;
  double best = -0.05;
  for (const int32_t c : around) {
    const Vec3& a = mesh.rest[vertex];
    const Vec3& p = mesh.rest[mesh.cornerVertex(SheetMesh::next(c))];
    const Vec3& q = mesh.rest[mesh.cornerVertex(SheetMesh::previous(c))];
    const Vec3 n = (p - a).cross(q - a);
    if (quality(target, p, q, n.normalized()) < kQuality) return false;
    const double area = n.squaredNorm();
    const Vec3 w((p - target).cross(q - target).dot(n) / area, (q - target).cross(a - target).dot(n) / area,
                 (a - target).cross(p - target).dot(n) / area);
    if (w.minCoeff() > best) {
      best = w.minCoeff();
      inside = c;
      weights = w;
    }
  }
  if (inside < 0) return false;
  const int32_t p = mesh.cornerVertex(SheetMesh::next(inside)),
                q = mesh.cornerVertex(SheetMesh::previous(inside));
  for (std::vector<Vec3>* values : mesh.vertexArrays()) {
    if (values == &mesh.rest) continue;
    (*values)[vertex] =
        weights[0] * (*values)[vertex] + weights[1] * (*values)[p] + weights[2] * (*values)[q];
  }
  mesh.rest[vertex] = target;
  // Directors of the edges that turned stay perpendicular to them.
  for (const int32_t c : around)
    for (const int32_t e : {SheetMesh::next(c), SheetMesh::previous(c)}) {
      Vec3& d = mesh.director[mesh.edgeOf(e)];
      const Vec3 along =
          (mesh.x[mesh.cornerVertex(SheetMesh::next(e))] - mesh.x[mesh.cornerVertex(SheetMesh::previous(e))])
              .normalized();
      d = (d - along.dot(d) * along).normalized();
    }
  return true;
}

/// The corner at the vertex whose face the direction enters, and where it leaves: part of the opposite side.
struct Entry {
  int32_t corner = -1;
  double t = 0;
  Vec3 direction = Vec3::Zero();  // in the plane of that face
};

Entry enter(const SheetMesh& mesh, int32_t vertex, const Vec3& direction) {
  Entry entry;
  double best = -1e-9;
  for (const int32_t c : mesh.fan(cornerAt(mesh, vertex))) {
    const Vec3 a = mesh.rest[mesh.cornerVertex(SheetMesh::next(c))] - mesh.rest[vertex];
    const Vec3 b = mesh.rest[mesh.cornerVertex(SheetMesh::previous(c))] - mesh.rest[vertex];
    const Vec3 n = a.cross(b).normalized();
    const Vec3 d = (direction - n.dot(direction) * n).normalized();
    const double left = a.cross(d).dot(n) / a.norm(), right = d.cross(b).dot(n) / b.norm();
    if (d.dot(a + b) <= 0 || std::min(left, right) < best) continue;
    best = std::min(left, right);
    // d s = a + t (b - a), crossed with d.
    const double sa = a.cross(d).dot(n), sb = b.cross(d).dot(n);
    entry = {c, std::clamp(sa / (sa - sb), 0.0, 1.0), d};
  }
  return entry;
}

}  // namespace

int32_t cornerAt(const SheetMesh& mesh, int32_t vertex) {
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (int k = 0; k < 3; ++k)
      if (mesh.faces[f][k] == vertex) return static_cast<int32_t>(3 * f) + k;
  return -1;
}

std::optional<int32_t> layEdge(SheetMesh& mesh, int32_t vertex, const Vec3& direction,
                               const std::vector<uint8_t>& movable) {
  const Entry entry = enter(mesh, vertex, direction);
  if (entry.corner < 0) return std::nullopt;
  const int32_t side = entry.corner;
  if (entry.t < kSnap || entry.t > 1 - kSnap) {
    const int32_t corner = entry.t < 0.5 ? SheetMesh::next(side) : SheetMesh::previous(side);
    const int32_t near = mesh.cornerVertex(corner);
    const Vec3 offset = mesh.rest[near] - mesh.rest[vertex];
    const double angle = std::atan2(offset.cross(entry.direction).norm(), offset.dot(entry.direction));
    const bool border = mesh.onBorder(corner);
    if (angle < 0.01 || (border && angle < 0.26)) return near;
    const bool free = !border && near < static_cast<int32_t>(movable.size()) && movable[near];
    const Vec3 target = mesh.rest[vertex] + offset.dot(entry.direction) * entry.direction;
    if (free && moveVertex(mesh, corner, target)) return near;
  }
  const double t = std::clamp(entry.t, 0.05, 0.95);
  return mesh.splitEdge(side, t);
}

void openEdge(SheetMesh& mesh, int32_t from, int32_t to, double time) {
  for (const int32_t c : mesh.fan(cornerAt(mesh, from))) {
    if (mesh.cornerVertex(SheetMesh::next(c)) == to && mesh.acrossOf(SheetMesh::previous(c)) >= 0)
      return mesh.unglue(SheetMesh::previous(c), time);
    if (mesh.cornerVertex(SheetMesh::previous(c)) == to && mesh.acrossOf(SheetMesh::next(c)) >= 0)
      return mesh.unglue(SheetMesh::next(c), time);
  }
}

std::optional<CrackIncrement> extendCrack(SheetMesh& mesh, int32_t vertex, const Vec3& direction,
                                          const std::vector<uint8_t>& movable, double time) {
  const std::optional<int32_t> end = layEdge(mesh, vertex, direction, movable);
  if (!end) return std::nullopt;
  CrackIncrement result;
  result.end = *end;
  result.ended = mesh.onBorder(cornerAt(mesh, *end));
  const Vec3 along = mesh.rest[*end] - mesh.rest[vertex];
  result.length = along.norm();
  result.direction = along / result.length;
  openEdge(mesh, vertex, *end, time);
  return result;
}

std::vector<int32_t> cutLine(SheetMesh& mesh, const Vec3& from, const Vec3& to,
                             const std::vector<uint8_t>& movable, double time) {
  // Start at the nearest vertex, exactly at the point where a vertex may be moved there.
  int32_t start = -1;
  for (int32_t p = 0; p < static_cast<int32_t>(mesh.vertexCount()); ++p)
    if (start < 0 || (mesh.rest[p] - from).squaredNorm() < (mesh.rest[start] - from).squaredNorm()) start = p;
  if (start < 0) return {};
  const int32_t corner = cornerAt(mesh, start);
  const bool border = mesh.onBorder(corner);
  if (!border && movable[start]) moveVertex(mesh, corner, from);
  int32_t at = start;
  bool ended = false;
  for (int guard = 0; guard < 100000; ++guard) {
    const Vec3 left = to - mesh.rest[at];
    const double shortest = [&] {
      double least = 1e300;
      for (const int32_t c : mesh.fan(cornerAt(mesh, at)))
        least =
            std::min({least, mesh.restLength(SheetMesh::next(c)), mesh.restLength(SheetMesh::previous(c))});
      return least;
    }();
    if (left.norm() < 0.5 * shortest || (at != start && left.dot(to - from) <= 0)) break;
    const std::optional<CrackIncrement> grown = extendCrack(mesh, at, left.normalized(), movable, time);
    if (!grown) break;
    at = grown->end;
    ended = grown->ended;
    if (ended) break;
  }
  std::vector<int32_t> tips;
  if (at == start) return tips;
  if (!border) tips.push_back(start);
  if (!ended) tips.push_back(at);
  return tips;
}

}  // namespace hackle
