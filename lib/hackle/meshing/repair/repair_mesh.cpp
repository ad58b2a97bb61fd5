#include <hackle/meshing/repair/repair_mesh.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace hackle::detail {

RepairMesh::RepairMesh(const Geometry& input) : mInput(&input) {
  mPositions.assign(input.positions().begin(), input.positions().end());
  mPointSources.reserve(mPositions.size());
  for (size_t p = 0; p < mPositions.size(); ++p)
    mPointSources.push_back(Mixture::copyOf(static_cast<int32_t>(p)));
  mCorners.reserve(input.vertexCount());
  mCornerFace.reserve(input.vertexCount());
  for (size_t p = 0; p < input.primitiveCount(); ++p) {
    if (input.primitiveType(p) != PrimitiveType::Polygon || input.vertexCount(p) < 3) continue;
    RepairFace face;
    face.first = static_cast<int32_t>(mCorners.size());
    face.count = static_cast<int32_t>(input.vertexCount(p));
    face.primitive = static_cast<int32_t>(p);
    for (size_t v = input.firstVertex(p); v < input.firstVertex(p + 1); ++v) {
      mCorners.push_back({input.vertexPoint(v), Mixture::copyOf(static_cast<int32_t>(v))});
      mCornerFace.push_back(static_cast<int32_t>(mFaces.size()));
    }
    mFaces.push_back(face);
  }
  const Attribute* name = input.findAttribute(Owner::Primitive, "name");
  if (name && name->isString() && name->tupleSize() == 1)
    mNames.assign(name->strings().indices.begin(), name->strings().indices.end());
}

size_t RepairMesh::liveFaceCount() const {
  return static_cast<size_t>(
      std::count_if(mFaces.begin(), mFaces.end(), [](const RepairFace& f) { return f.count > 0; }));
}

std::vector<int32_t> RepairMesh::facePoints(size_t f) const {
  std::vector<int32_t> points;
  for (const RepairCorner& c : corners(f)) points.push_back(c.point);
  return points;
}

int32_t RepairMesh::nextCorner(int32_t corner) const {
  const RepairFace& face = mFaces[faceOf(corner)];
  return corner + 1 < face.first + face.count ? corner + 1 : face.first;
}

void RepairMesh::beginRound() {
  for (RepairFace& face : mFaces) {
    face.turned = face.turned != face.reversed;
    face.reversed = false;
  }
}

void RepairMesh::setCorners(size_t f, const std::vector<RepairCorner>& corners) {
  RepairFace& face = mFaces[f];
  if (corners.size() > static_cast<size_t>(face.count)) {
    face.first = static_cast<int32_t>(mCorners.size());
    mCorners.resize(mCorners.size() + corners.size());
    mCornerFace.resize(mCorners.size(), static_cast<int32_t>(f));
  }
  face.count = static_cast<int32_t>(corners.size());
  std::copy(corners.begin(), corners.end(), mCorners.begin() + face.first);
}

size_t RepairMesh::addFace(const std::vector<RepairCorner>& corners, int32_t primitive) {
  mFaces.emplace_back();
  mFaces.back().primitive = primitive;
  setCorners(mFaces.size() - 1, corners);
  return mFaces.size() - 1;
}

void RepairMesh::reverse(size_t f) {
  RepairFace& face = mFaces[f];
  std::reverse(mCorners.begin() + face.first + 1, mCorners.begin() + face.first + face.count);
  face.reversed = !face.reversed;
}

size_t RepairMesh::joinPoints(UnionFind& sets) {
  std::vector<uint8_t> seen(mPositions.size(), 0);
  size_t joined = 0;
  for (size_t f = 0; f < mFaces.size(); ++f)
    for (int32_t c = mFaces[f].first; c < mFaces[f].first + mFaces[f].count; ++c) {
      int32_t& point = mCorners[c].point;
      const int32_t name = sets.find(point);
      if (name == point) continue;
      if (!seen[point]++) {
        ++joined;
        mJoined.emplace_back(mPointSources[name].main(), mPointSources[point].main());
      }
      point = name;
    }
  return joined;
}

int32_t RepairMesh::copyPoint(int32_t point) {
  mPositions.push_back(Vec3(position(point)));
  mPointSources.push_back(Mixture(mPointSources[point]));
  return static_cast<int32_t>(mPositions.size() - 1);
}

int32_t RepairMesh::addPointBetween(int32_t a, int32_t b) { return addPointAmong({a, b}); }

int32_t RepairMesh::addPointAmong(const std::vector<int32_t>& points) {
  Vec3 middle = Vec3::Zero();
  Mixture source;
  for (size_t i = 0; i < points.size(); ++i) {
    middle += position(points[i]) / static_cast<double>(points.size());
    const Mixture& next = mPointSources[points[i]];
    source = i == 0 ? next : Mixture::between(source, next, 1.0 / static_cast<double>(i + 1));
  }
  mPositions.push_back(middle);
  mPointSources.push_back(source);
  return static_cast<int32_t>(mPositions.size() - 1);
}

std::vector<EdgeUse> RepairMesh::edgeUses() const {
  const auto forEachUse = [&](const auto& visit) {
    for (size_t f = 0; f < mFaces.size(); ++f) {
      const RepairFace& face = mFaces[f];
      for (int32_t c = face.first; c < face.first + face.count; ++c) {
        const int32_t from = corner(c).point, to = corner(nextCorner(c)).point;
        if (from != to)
          visit(EdgeUse{std::min(from, to), std::max(from, to), static_cast<int32_t>(f), c, from < to});
      }
    }
  };
  // Count those of each point, and put them there: a sort of all would take a quarter of a second a million.
  std::vector<size_t> end(mPositions.size() + 1, 0);
  forEachUse([&](const EdgeUse& use) { ++end[static_cast<size_t>(use.low) + 1]; });
  for (size_t p = 1; p < end.size(); ++p) end[p] += end[p - 1];
  std::vector<EdgeUse> uses(end.back());
  forEachUse([&](const EdgeUse& use) { uses[end[static_cast<size_t>(use.low)]++] = use; });
  for (size_t p = 0, begin = 0; p < mPositions.size(); begin = end[p++])
    std::sort(uses.begin() + static_cast<std::ptrdiff_t>(begin),
              uses.begin() + static_cast<std::ptrdiff_t>(end[p]), [](const EdgeUse& a, const EdgeUse& b) {
                return a.high != b.high ? a.high < b.high : a.corner < b.corner;
              });
  return uses;
}

Vec3 RepairMesh::areaVector(size_t f) const {
  const Span<const RepairCorner> c = corners(f);
  const Vec3& origin = position(c[0].point);
  Vec3 sum = Vec3::Zero();
  for (size_t i = 1; i + 1 < c.size(); ++i)
    sum += (position(c[i].point) - origin).cross(position(c[i + 1].point) - origin);
  return sum;
}

Vec3 RepairMesh::middle(size_t f) const {
  Vec3 sum = Vec3::Zero();
  for (const RepairCorner& c : corners(f)) sum += position(c.point);
  return sum / static_cast<double>(mFaces[f].count);
}

TriangleMesh RepairMesh::triangles() const {
  std::vector<Triangle> triangles;
  std::vector<int32_t> faces;
  std::vector<Vec3> places;
  for (size_t f = 0; f < mFaces.size(); ++f) {
    if (mFaces[f].count == 0) continue;
    const Span<const RepairCorner> c = corners(f);
    if (c.size() == 3) {
      triangles.push_back({c[0].point, c[1].point, c[2].point});
    } else {
      places.clear();
      for (const RepairCorner& corner : c) places.push_back(position(corner.point));
      for (const Triangle& t : triangulatePolygon(places))
        triangles.push_back({c[t[0]].point, c[t[1]].point, c[t[2]].point});
    }
    faces.resize(triangles.size(), static_cast<int32_t>(f));
  }
  TriangleMesh mesh;
  mesh.points = mPositions;
  mesh.triangles = std::move(triangles);
  mesh.primitives = std::move(faces);
  return mesh;
}

int32_t RepairMesh::nameOf(size_t f) const { return mNames.empty() ? 0 : mNames[mFaces[f].primitive]; }

bool RepairMesh::differsWhereJoined(const Attribute& attribute) const {
  for (const auto& [a, b] : mJoined)
    for (int c = 0; c < attribute.tupleSize(); ++c) {
      const size_t i = static_cast<size_t>(a), j = static_cast<size_t>(b);
      if (attribute.isString() ? attribute.string(i, c) != attribute.string(j, c)
                               : attribute.number(i, c) != attribute.number(j, c))
        return true;
    }
  return false;
}

void RepairMesh::carryPointAttributes(const std::vector<int32_t>& pointOrder,
                                      const std::vector<Mixture>& vertices, Geometry& result,
                                      std::vector<std::string>& moved) const {
  std::vector<Mixture> points;
  for (const int32_t p : pointOrder) points.push_back(mPointSources[p]);
  carryAttributes(*mInput, Owner::Point, points, result);
  for (const Attribute& a : mInput->attributes(Owner::Point)) {
    if (!differsWhereJoined(a)) continue;
    moved.push_back(a.name());
    // A vertex attribute of that name wins over the point attribute everywhere, so nothing is to be moved.
    if (!mInput->findAttribute(Owner::Vertex, a.name())) {
      std::vector<Mixture> corners = vertices;
      for (Mixture& m : corners)
        for (int32_t& source : m.sources)
          if (source >= 0) source = mInput->vertexPoint(static_cast<size_t>(source));
      result.addAttribute(Owner::Vertex, mixed(a, corners));
    }
    result.removeAttribute(Owner::Point, a.name());
  }
}

void RepairMesh::carryEdgeGroups(const std::vector<Mixture>& vertices, Geometry& result) const {
  const auto sorted = [](int32_t a, int32_t b) { return a < b ? Edge{a, b} : Edge{b, a}; };
  for (const EdgeGroup& group : mInput->edgeGroups()) {
    std::set<Edge> members, kept;
    for (const Edge& e : group.edges) members.insert(sorted(e[0], e[1]));
    std::vector<Edge>& edges = result.addEdgeGroup(group.name).edges.edit();
    for (size_t f = 0; f < result.primitiveCount(); ++f)
      for (size_t v = result.firstVertex(f); v < result.firstVertex(f + 1); ++v) {
        const size_t next = v + 1 < result.firstVertex(f + 1) ? v + 1 : result.firstVertex(f);
        if (!vertices[v].isCopy() || !vertices[next].isCopy()) continue;
        const Edge old = sorted(mInput->vertexPoint(static_cast<size_t>(vertices[v].main())),
                                mInput->vertexPoint(static_cast<size_t>(vertices[next].main())));
        const Edge edge = sorted(result.vertexPoint(v), result.vertexPoint(next));
        if (members.count(old) && kept.insert(edge).second) edges.push_back(edge);
      }
  }
}

Geometry RepairMesh::geometry(std::vector<std::string>& moved) const {
  // Number the points in use in their old order.
  std::vector<int32_t> newPoint(mPositions.size(), -1), pointOrder;
  for (size_t f = 0; f < mFaces.size(); ++f)
    for (const RepairCorner& c : corners(f)) newPoint[c.point] = 0;
  for (size_t p = 0; p < newPoint.size(); ++p) {
    if (newPoint[p] < 0) continue;
    newPoint[p] = static_cast<int32_t>(pointOrder.size());
    pointOrder.push_back(static_cast<int32_t>(p));
  }

  Geometry result;
  result.positionFileStorage = mInput->positionFileStorage;
  result.addPoints(pointOrder.size());
  std::vector<Vec3>& positions = result.editPositions();
  for (size_t p = 0; p < pointOrder.size(); ++p) positions[p] = position(pointOrder[p]);
  std::vector<int32_t> counts, cornerPoints;
  std::vector<Mixture> vertices, primitives;
  bool anyFilled = false;
  for (size_t f = 0; f < mFaces.size(); ++f) {
    if (mFaces[f].count == 0) continue;
    anyFilled = anyFilled || mFaces[f].filled;
    counts.push_back(mFaces[f].count);
    primitives.push_back(Mixture::copyOf(mFaces[f].primitive));
    for (const RepairCorner& c : corners(f)) {
      cornerPoints.push_back(newPoint[c.point]);
      vertices.push_back(c.vertex);
    }
  }
  result.addPrimitives(PrimitiveType::Polygon, counts, cornerPoints);

  carryAttributes(*mInput, Owner::Vertex, vertices, result);
  carryAttributes(*mInput, Owner::Primitive, primitives, result);
  carryPointAttributes(pointOrder, vertices, result, moved);
  for (const Attribute& a : mInput->attributes(Owner::Detail)) result.addAttribute(Owner::Detail, a);
  carryEdgeGroups(vertices, result);
  if (anyFilled) {
    std::vector<uint8_t>& bits = result.addGroup(Owner::Primitive, "filled").bits.edit();
    size_t primitive = 0;
    for (const RepairFace& face : mFaces) {
      if (face.count == 0) continue;
      if (face.filled) bits[primitive] = 1;
      ++primitive;
    }
  }
  return result;
}

}  // namespace hackle::detail
