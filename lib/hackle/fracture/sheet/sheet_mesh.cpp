#include <hackle/fracture/sheet/sheet_mesh.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace hackle {

namespace {

/// The part of `normal` that is perpendicular to `along`, of unit length.
Vec3 perpendicular(const Vec3& normal, const Vec3& along) {
  const Vec3 e = along.normalized();
  return (normal - e.dot(normal) * e).normalized();
}

}  // namespace

SheetMesh SheetMesh::make(const std::vector<Vec3>& rest, const std::vector<Triangle>& triangles,
                          double thickness) {
  SheetMesh mesh;
  mesh.rest = mesh.x = mesh.xBefore = mesh.inertial = mesh.coast = rest;
  mesh.v.assign(rest.size(), Vec3::Zero());
  mesh.vBefore = mesh.v;
  mesh.parted.assign(rest.size(), 0);
  mesh.faces = triangles;
  mesh.across.assign(triangles.size(), {-1, -1, -1});
  mesh.edges.assign(triangles.size(), {-1, -1, -1});
  SheetHistory fresh;
  fresh.thickness = thickness;
  mesh.history.assign(triangles.size(), fresh);

  // Match the two sides of each edge by its directed ends.
  std::map<Edge, int32_t> open;
  for (int32_t f = 0; f < static_cast<int32_t>(triangles.size()); ++f) {
    if (!(mesh.restArea(f) > 0))
      throw Error(ErrorCode::BadInput, fmt::format("face {} of the sheet has no area", f),
                  "run repair or remove it");
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t corner = 3 * f + k;
      const int32_t a = triangles[f][(k + 1) % 3], b = triangles[f][(k + 2) % 3];
      if (!open.emplace(Edge{a, b}, corner).second)
        throw Error(ErrorCode::BadInput,
                    fmt::format("more than two faces meet at the edge between points {} and {}, or they are "
                                "turned against each other",
                                a, b),
                    "run repair, or split the sheet there");
    }
  }
  for (const auto& [ends, corner] : open) {
    const auto other = open.find(Edge{ends[1], ends[0]});
    if (other == open.end()) {
      mesh.edges[corner / 3][corner % 3] = mesh.addEdge(
          perpendicular(mesh.normal(corner / 3), rest[ends[1]] - rest[ends[0]]), SheetEdgeKind::Inner, -1.0);
    } else if (ends[0] < ends[1]) {
      const Vec3 mean = mesh.normal(corner / 3) + mesh.normal(other->second / 3);
      const int32_t edge =
          mesh.addEdge(perpendicular(mean, rest[ends[1]] - rest[ends[0]]), SheetEdgeKind::Inner, -1.0);
      mesh.edges[corner / 3][corner % 3] = edge;
      mesh.edges[other->second / 3][other->second % 3] = edge;
      mesh.link(corner, other->second);
    }
  }
  return mesh;
}

std::vector<int32_t> SheetMesh::cornerOfVertices() const {
  std::vector<int32_t> result(vertexCount(), -1);
  for (int32_t f = 0; f < static_cast<int32_t>(faceCount()); ++f) {
    if (dead(f)) continue;
    for (int32_t k = 0; k < 3; ++k) {
      // Prefer the corner with a border on its clockwise side.
      int32_t& corner = result[faces[f][k]];
      if (corner < 0 || across[f][(k + 2) % 3] < 0) corner = 3 * f + k;
    }
  }
  return result;
}

std::vector<int32_t> SheetMesh::fan(int32_t corner) const {
  int32_t first = corner;
  for (;;) {  // clockwise to the border, or once round
    const int32_t other = acrossOf(previous(first));
    if (other < 0) break;
    first = previous(other);
    if (first == corner) break;
  }
  std::vector<int32_t> corners;
  int32_t c = first;
  do {
    corners.push_back(c);
    const int32_t other = acrossOf(next(c));
    if (other < 0) break;
    c = next(other);
  } while (c != first);
  return corners;
}

bool SheetMesh::onBorder(int32_t corner) const {
  int32_t c = corner;
  do {
    const int32_t other = acrossOf(next(c));
    if (other < 0) return true;
    c = next(other);
  } while (c != corner);
  return false;
}

Vec3 SheetMesh::restNormal(int32_t face) const {
  const Triangle& t = faces[face];
  return (rest[t[1]] - rest[t[0]]).cross(rest[t[2]] - rest[t[0]]).normalized();
}

Vec3 SheetMesh::normal(int32_t face) const {
  const Triangle& t = faces[face];
  return (x[t[1]] - x[t[0]]).cross(x[t[2]] - x[t[0]]).normalized();
}

double SheetMesh::restArea(int32_t face) const {
  const Triangle& t = faces[face];
  return 0.5 * (rest[t[1]] - rest[t[0]]).cross(rest[t[2]] - rest[t[0]]).norm();
}

double SheetMesh::restLength(int32_t corner) const {
  return (rest[cornerVertex(next(corner))] - rest[cornerVertex(previous(corner))]).norm();
}

int32_t SheetMesh::addVertexBetween(int32_t a, int32_t b, double t) {
  for (std::vector<Vec3>* values : vertexArrays())
    values->push_back((1 - t) * (*values)[a] + t * (*values)[b]);
  parted.push_back(parted[a] & parted[b]);
  return static_cast<int32_t>(vertexCount()) - 1;
}

int32_t SheetMesh::addEdge(const Vec3& normal, SheetEdgeKind edgeKind, double time) {
  director.push_back(normal);
  kind.push_back(edgeKind);
  crackTime.push_back(time);
  return static_cast<int32_t>(edgeCount()) - 1;
}

int32_t SheetMesh::addFace(const Triangle& corners, int32_t historyOf) {
  faces.push_back(corners);
  across.push_back({-1, -1, -1});
  edges.push_back({-1, -1, -1});
  history.push_back(SheetHistory(history[historyOf]));
  return static_cast<int32_t>(faceCount()) - 1;
}

void SheetMesh::link(int32_t cornerA, int32_t cornerB) {
  if (cornerA >= 0) across[cornerA / 3][cornerA % 3] = cornerB;
  if (cornerB >= 0) across[cornerB / 3][cornerB % 3] = cornerA;
}

int32_t SheetMesh::splitEdge(int32_t corner, double t) {
  const int32_t a = cornerVertex(next(corner)), b = cornerVertex(previous(corner));
  const int32_t other = acrossOf(corner);
  const int32_t kept = edgeOf(corner);
  const int32_t middle = addVertexBetween(a, b, t);
  const int32_t added = addEdge(Vec3(director[kept]), kind[kept], crackTime[kept]);

  // Each side: the old face keeps the first half of the edge as it sees it, a new face gets the second.
  const auto splitSide = [&](int32_t c, int32_t second) {
    const int32_t f = c / 3, k = c % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
    const int32_t apex = faces[f][k], end = faces[f][k2];
    const int32_t g = addFace({apex, middle, end}, f);
    const int32_t spoke = addEdge(perpendicular(normal(f), x[apex] - x[middle]), SheetEdgeKind::Inner, -1.0);
    edges[g] = {second, edges[f][k1], spoke};
    link(3 * g + 1, across[f][k1]);
    faces[f][k2] = middle;
    edges[f][k1] = spoke;
    link(3 * f + k1, 3 * g + 2);
    return g;
  };
  const int32_t g = splitSide(corner, added);
  if (other >= 0) {
    const int32_t h = splitSide(other, kept);
    edges[other / 3][other % 3] = added;
    link(corner, 3 * h);
    link(3 * g, other);
  }
  return middle;
}

void SheetMesh::flipEdge(int32_t corner) {
  const int32_t other = acrossOf(corner);
  const int32_t f = corner / 3, g = other / 3;
  const int32_t k = corner % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
  const int32_t j = other % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
  const int32_t o = faces[f][k], p = faces[g][j];
  const double areaF = restArea(f), areaG = restArea(g);
  const int32_t edge = edges[f][k];
  const int32_t outerF = across[f][k1], outerG = across[g][j1];
  const int32_t edgeF = edges[f][k1], edgeG = edges[g][j1];

  faces[f][k2] = p;
  faces[g][j2] = o;
  edges[f][k] = edgeG;
  edges[f][k1] = edge;
  edges[g][j] = edgeF;
  edges[g][j1] = edge;
  link(3 * f + k, outerG);
  link(3 * g + j, outerF);
  link(3 * f + k1, 3 * g + j1);
  director[edge] = perpendicular(normal(f) + normal(g), x[p] - x[o]);

  // Both faces remember the mean of what the two did; the volume stays.
  const double wf = areaF / (areaF + areaG), wg = 1 - wf;
  SheetHistory mean = history[f];
  const SheetHistory& b = history[g];
  mean.stretch = wf * mean.stretch + wg * b.stretch;
  mean.curvature = wf * mean.curvature + wg * b.curvature;
  mean.strainBefore = wf * mean.strainBefore + wg * b.strainBefore;
  mean.curvatureBefore = wf * mean.curvatureBefore + wg * b.curvatureBefore;
  mean.work = wf * mean.work + wg * b.work;
  mean.thickness = wf * mean.thickness + wg * b.thickness;
  history[f] = history[g] = mean;
}

void SheetMesh::collapseEdge(int32_t corner) {
  const int32_t other = acrossOf(corner);
  const int32_t from = cornerVertex(next(corner)), to = cornerVertex(previous(corner));
  const std::vector<int32_t> around = fan(next(corner));
  for (const int32_t c : around) faces[c / 3][c % 3] = to;
  // The other two edges of a face that goes become one.
  const auto close = [&](int32_t c, bool keepNext) {
    const int32_t f = c / 3, k1 = (c % 3 + 1) % 3, k2 = (c % 3 + 2) % 3;
    const int32_t kept = keepNext ? edges[f][k1] : edges[f][k2];
    const int32_t left = across[f][k1], right = across[f][k2];
    link(left, right);
    if (left >= 0) edges[left / 3][left % 3] = kept;
    if (right >= 0) edges[right / 3][right % 3] = kept;
    faces[f] = {-1, -1, -1};
  };
  close(corner, true);
  if (other >= 0) close(other, false);
  HACKLE_ASSERT(from != to);
  // Directors of the edges that moved with the vertex follow them.
  for (const int32_t c : around) {
    if (dead(c / 3)) continue;
    for (const int32_t e : {next(c), previous(c)}) {
      Vec3& d = director[edgeOf(e)];
      d = perpendicular(d, x[cornerVertex(next(e))] - x[cornerVertex(previous(e))]);
    }
  }
}

void SheetMesh::separateFans(int32_t cornerA, int32_t cornerB) {
  const std::vector<int32_t> fanA = fan(cornerA);
  if (std::find(fanA.begin(), fanA.end(), cornerB) != fanA.end()) return;
  const int32_t vertex = cornerVertex(cornerB);
  const std::vector<int32_t> fanB = fan(cornerB);
  const int32_t copy = addVertexBetween(vertex, vertex, 0.0);
  for (const int32_t c : fanB) faces[c / 3][c % 3] = copy;
  twins.push_back({vertex, copy});
  parted[vertex] = parted[copy] = 0;
}

void SheetMesh::unglue(int32_t corner, double time) {
  const int32_t other = acrossOf(corner);
  HACKLE_ASSERT(other >= 0);
  across[corner / 3][corner % 3] = -1;
  across[other / 3][other % 3] = -1;
  const int32_t edge = edgeOf(corner);
  kind[edge] = SheetEdgeKind::Crack;
  crackTime[edge] = time;
  edges[other / 3][other % 3] = addEdge(Vec3(director[edge]), SheetEdgeKind::Crack, time);
  separateFans(next(corner), previous(other));
  separateFans(previous(corner), next(other));
}

void SheetMesh::compact(std::vector<int32_t>* vertexMap) {
  std::vector<int32_t> vertices(vertexCount(), -1), edgeMap(edgeCount(), -1), faceMap(faceCount(), -1);
  size_t faceTotal = 0;
  for (size_t f = 0; f < faceCount(); ++f) {
    if (dead(static_cast<int32_t>(f))) continue;
    faceMap[f] = static_cast<int32_t>(faceTotal++);
    for (int k = 0; k < 3; ++k) vertices[faces[f][k]] = edgeMap[edges[f][k]] = 0;
  }
  const auto number = [](std::vector<int32_t>& map) {
    int32_t total = 0;
    for (int32_t& m : map)
      if (m >= 0) m = total++;
  };
  number(vertices);
  number(edgeMap);
  const auto keep = [](auto& values, const std::vector<int32_t>& map) {
    size_t total = 0;
    for (size_t i = 0; i < map.size(); ++i)
      if (map[i] >= 0) {
        if (total != i) values[total] = values[i];
        ++total;
      }
    values.resize(total);
  };
  for (std::vector<Vec3>* values : vertexArrays()) keep(*values, vertices);
  keep(parted, vertices);
  keep(director, edgeMap);
  keep(kind, edgeMap);
  keep(crackTime, edgeMap);
  keep(faces, faceMap);
  keep(across, faceMap);
  keep(edges, faceMap);
  keep(history, faceMap);
  for (size_t f = 0; f < faceTotal; ++f)
    for (int k = 0; k < 3; ++k) {
      faces[f][k] = vertices[faces[f][k]];
      edges[f][k] = edgeMap[edges[f][k]];
      int32_t& c = across[f][k];
      if (c >= 0) c = 3 * faceMap[c / 3] + c % 3;
    }
  size_t kept = 0;
  for (const Edge& pair : twins)
    if (vertices[pair[0]] >= 0 && vertices[pair[1]] >= 0)
      twins[kept++] = {vertices[pair[0]], vertices[pair[1]]};
  twins.resize(kept);
  if (vertexMap) *vertexMap = std::move(vertices);
}

std::vector<double> SheetMesh::masses(double density) const {
  std::vector<double> result(vertexCount(), 0.0);
  for (int32_t f = 0; f < static_cast<int32_t>(faceCount()); ++f) {
    if (dead(f)) continue;
    const double mass = density * history[f].thickness * history[f].stretch.determinant() * restArea(f);
    for (const int32_t p : faces[f]) result[p] += mass / 3;
  }
  return result;
}

void SheetMesh::checkInvariants() const {
  HACKLE_ASSERT(x.size() == rest.size() && v.size() == rest.size() && xBefore.size() == rest.size());
  HACKLE_ASSERT(across.size() == faces.size() && edges.size() == faces.size());
  for (int32_t f = 0; f < static_cast<int32_t>(faceCount()); ++f) {
    if (dead(f)) continue;
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t c = 3 * f + k, other = across[f][k];
      HACKLE_ASSERT(edges[f][k] >= 0);
      if (other < 0) continue;
      HACKLE_ASSERT(acrossOf(other) == c && !dead(other / 3));
      HACKLE_ASSERT(cornerVertex(next(c)) == cornerVertex(previous(other)));
      HACKLE_ASSERT(cornerVertex(previous(c)) == cornerVertex(next(other)));
      HACKLE_ASSERT(edgeOf(other) == edges[f][k]);
    }
  }
  // Every vertex has one fan.
  std::vector<int32_t> used(vertexCount(), 0), reached(vertexCount(), 0);
  for (size_t f = 0; f < faceCount(); ++f)
    if (!dead(static_cast<int32_t>(f)))
      for (const int32_t p : faces[f]) ++used[p];
  const std::vector<int32_t> corners = cornerOfVertices();
  for (size_t p = 0; p < vertexCount(); ++p)
    if (corners[p] >= 0) HACKLE_ASSERT(static_cast<int32_t>(fan(corners[p]).size()) == used[p]);
}

}  // namespace hackle
