#include <hackle/geometry/geometry.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

namespace hackle {

namespace {

template <class Item>
auto findNamed(Item& items, const std::string& name) -> decltype(&items.front()) {
  for (auto& item : items)
    if (item.name == name) return &item;
  return nullptr;
}

template <class Item>
auto findAttributeIn(Item& items, const std::string& name) -> decltype(&items.front()) {
  for (auto& item : items)
    if (item.name() == name) return &item;
  return nullptr;
}

void appendShifted(std::vector<int32_t>& values, Span<const int32_t> added, int32_t shift) {
  const size_t old = values.size();
  values.resize(old + added.size());  // grows by doubling, unlike reserve
  for (size_t i = 0; i < added.size(); ++i) values[old + i] = added[i] + shift;
}

void checkIndexRange(size_t count, const char* what) {
  if (count > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    throw Error(ErrorCode::BadInput, std::string("more than 2^31 ") + what, "split the geometry into parts");
}

/// New numbers of old points. A hash table where few of many points are asked for: taking a geometry apart
/// piece by piece is then linear in its size.
class PointMap {
 public:
  PointMap(size_t points, size_t corners) : mSparse(corners < points / 8) {
    if (!mSparse) mNumbers.resize(points, -1);
  }
  int32_t& operator[](int32_t point) {
    return mSparse ? mTable.try_emplace(point, -1).first->second : mNumbers[point];
  }
  /// -1 if it has none.
  int32_t find(int32_t point) const {
    if (!mSparse) return mNumbers[point];
    const auto found = mTable.find(point);
    return found == mTable.end() ? -1 : found->second;
  }

 private:
  bool mSparse;
  std::vector<int32_t> mNumbers;
  std::unordered_map<int32_t, int32_t> mTable;
};

/// The group's elements in a new order; element i is the old one order[i]. An ordered group lists the new
/// places of its members, each member's together.
Group gathered(const Group& group, Span<const int32_t> order) {
  Group result{group.name, CowArray<uint8_t>(order.size()), {}};
  std::vector<uint8_t>& bits = result.bits.edit();
  for (size_t i = 0; i < order.size(); ++i) bits[i] = group.bits[order[i]];
  if (group.order.empty()) return result;
  std::vector<int32_t> rank(group.bits.size(), -1);
  for (size_t r = 0; r < group.order.size(); ++r) rank[group.order[r]] = static_cast<int32_t>(r);
  std::vector<int32_t>& members = result.order.edit();
  const auto rankOf = [&](int32_t i) { return rank[order[i]]; };
  for (size_t i = 0; i < order.size(); ++i)
    if (rankOf(static_cast<int32_t>(i)) >= 0) members.push_back(static_cast<int32_t>(i));
  std::stable_sort(members.begin(), members.end(),
                   [&](int32_t a, int32_t b) { return rankOf(a) < rankOf(b); });
  return result;
}

/// Calls visit(v, w) for the two vertices of every edge of a primitive.
template <class Visit>
void visitEdges(const Geometry& geometry, size_t primitive, const Visit& visit) {
  const size_t first = geometry.firstVertex(primitive), end = geometry.firstVertex(primitive + 1);
  const PrimitiveType type = geometry.primitiveType(primitive);
  for (size_t v = first; v < end; ++v) {
    if (type == PrimitiveType::Tetrahedron) {
      for (size_t w = v + 1; w < end; ++w) visit(v, w);
    } else if (v + 1 < end) {
      visit(v, v + 1);
    } else if (type == PrimitiveType::Polygon && end - first > 2) {
      visit(v, first);
    }
  }
}

Edge sortedEdge(int32_t a, int32_t b) { return a < b ? Edge{a, b} : Edge{b, a}; }

/// The edges of primitives that are in a group, after their points were replaced.
std::vector<Edge> movedEdges(const Geometry& geometry, const EdgeGroup& group,
                             Span<const int32_t> vertexPoints) {
  std::map<Edge, int32_t> rankOf;
  for (const Edge& e : group.edges)
    rankOf.emplace(sortedEdge(e[0], e[1]), static_cast<int32_t>(rankOf.size()));
  std::vector<std::pair<int32_t, Edge>> ranked;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    visitEdges(geometry, p, [&](size_t v, size_t w) {
      const auto found = rankOf.find(sortedEdge(geometry.vertexPoint(v), geometry.vertexPoint(w)));
      if (found != rankOf.end())
        ranked.emplace_back(found->second, sortedEdge(vertexPoints[v], vertexPoints[w]));
    });
  std::sort(ranked.begin(), ranked.end());
  ranked.erase(std::unique(ranked.begin(), ranked.end()), ranked.end());
  std::vector<Edge> edges;
  for (const auto& [rank, edge] : ranked) edges.push_back(edge);
  return edges;
}

}  // namespace

const char* primitiveTypeName(PrimitiveType type) {
  static const char* kNames[] = {"polygon", "polyline", "tetrahedron", "volume", "packed"};
  return kNames[static_cast<int>(type)];
}

size_t Group::count() const {
  return static_cast<size_t>(std::count_if(bits.begin(), bits.end(), [](uint8_t b) { return b != 0; }));
}

Geometry::Geometry() : mVertexStart(1, 0) {}

size_t Geometry::elementCount(Owner owner) const {
  switch (owner) {
    case Owner::Point:
      return pointCount();
    case Owner::Vertex:
      return vertexCount();
    case Owner::Primitive:
      return primitiveCount();
    case Owner::Detail:
      return 1;
  }
  return 0;
}

size_t Geometry::countOf(PrimitiveType type) const {
  return static_cast<size_t>(std::count(mPrimitiveType.begin(), mPrimitiveType.end(), type));
}

Box3 Geometry::bounds() const {
  Box3 box;
  for (const Vec3& p : mPositions) box.add(p);
  for (const VolumePtr& v : mVolumes)
    if (v && !v->bounds().empty()) box.add(v->bounds());
  return box;
}

// Building ----------------------------------------------------------------------------------------------

void Geometry::grow(Owner owner, size_t count) {
  for (Attribute& attribute : mAttributes[static_cast<size_t>(owner)]) attribute.resize(count);
  for (Group& group : mGroups[static_cast<size_t>(owner)]) group.bits.edit().resize(count, 0);
}

size_t Geometry::addPoints(size_t count) {
  const size_t first = pointCount();
  checkIndexRange(first + count, "points");
  mPositions.edit().resize(first + count, Vec3::Zero());
  grow(Owner::Point, first + count);
  return first;
}

size_t Geometry::addPoint(const Vec3& position) {
  const size_t point = addPoints(1);
  mPositions.edit()[point] = position;
  return point;
}

size_t Geometry::addPrimitive(PrimitiveType type, Span<const int32_t> points) {
  const int32_t count = static_cast<int32_t>(points.size());
  return addPrimitives(type, Span<const int32_t>(&count, 1), points);
}

size_t Geometry::addPolygon(std::initializer_list<int32_t> points) {
  return addPrimitive(PrimitiveType::Polygon, Span<const int32_t>(points.begin(), points.size()));
}

size_t Geometry::addPrimitives(PrimitiveType type, Span<const int32_t> counts, Span<const int32_t> points) {
  const size_t first = primitiveCount();
  checkIndexRange(vertexCount() + points.size(), "vertices");
  std::vector<int32_t>& starts = mVertexStart.edit();  // no exact reserve: one at a time stays linear
  for (const int32_t count : counts) starts.push_back(starts.back() + count);
  std::vector<int32_t>& vertices = mVertexPoint.edit();
  vertices.insert(vertices.end(), points.begin(), points.end());
  HACKLE_ASSERT(static_cast<size_t>(starts.back()) == vertices.size());
  mPrimitiveType.edit().resize(first + counts.size(), type);
  if (!mContent.empty()) mContent.edit().resize(first + counts.size(), -1);
  grow(Owner::Vertex, vertices.size());
  grow(Owner::Primitive, primitiveCount());
  return first;
}

size_t Geometry::addPrimitives(PrimitiveType type, size_t count, int corners, Span<const int32_t> points) {
  return addPrimitives(type, std::vector<int32_t>(count, corners), points);
}

size_t Geometry::addVolume(VolumePtr grid, const Vec3& position) {
  return addVolume(std::move(grid), static_cast<int32_t>(addPoint(position)));
}

size_t Geometry::addVolume(VolumePtr grid, int32_t point) {
  const size_t primitive = addPrimitive(PrimitiveType::Volume, Span<const int32_t>(&point, 1));
  mContent.edit().resize(primitiveCount(), -1);
  mContent.edit()[primitive] = static_cast<int32_t>(mVolumes.size());
  mVolumes.edit().push_back(std::move(grid));
  return primitive;
}

size_t Geometry::addPacked(PackedPrimitive packed, const Vec3& position) {
  return addPacked(std::move(packed), static_cast<int32_t>(addPoint(position)));
}

size_t Geometry::addPacked(PackedPrimitive packed, int32_t point) {
  const size_t primitive = addPrimitive(PrimitiveType::Packed, Span<const int32_t>(&point, 1));
  mContent.edit().resize(primitiveCount(), -1);
  mContent.edit()[primitive] = static_cast<int32_t>(mPacked.size());
  mPacked.edit().push_back(std::move(packed));
  return primitive;
}

const VolumePtr& Geometry::volume(size_t primitive) const {
  HACKLE_ASSERT(primitiveType(primitive) == PrimitiveType::Volume);
  return mVolumes[mContent[primitive]];
}

void Geometry::setVolume(size_t primitive, VolumePtr grid) {
  HACKLE_ASSERT(primitiveType(primitive) == PrimitiveType::Volume);
  mVolumes.edit()[mContent[primitive]] = std::move(grid);
}

const PackedPrimitive& Geometry::packed(size_t primitive) const {
  HACKLE_ASSERT(primitiveType(primitive) == PrimitiveType::Packed);
  return mPacked[mContent[primitive]];
}

void Geometry::setPacked(size_t primitive, PackedPrimitive packed) {
  HACKLE_ASSERT(primitiveType(primitive) == PrimitiveType::Packed);
  mPacked.edit()[mContent[primitive]] = std::move(packed);
}

// Attributes and groups ---------------------------------------------------------------------------------

const Attribute* Geometry::findAttribute(Owner owner, const std::string& name) const {
  return findAttributeIn(attributes(owner), name);
}

Attribute* Geometry::findAttribute(Owner owner, const std::string& name) {
  return findAttributeIn(mAttributes[static_cast<size_t>(owner)], name);
}

Attribute& Geometry::addAttribute(Owner owner, Attribute attribute) {
  HACKLE_ASSERT(!(owner == Owner::Point && attribute.name() == "P"));
  attribute.resize(elementCount(owner));
  if (Attribute* old = findAttribute(owner, attribute.name())) return *old = std::move(attribute);
  return mAttributes[static_cast<size_t>(owner)].emplace_back(std::move(attribute));
}

void Geometry::removeAttribute(Owner owner, const std::string& name) {
  auto& list = mAttributes[static_cast<size_t>(owner)];
  list.erase(std::remove_if(list.begin(), list.end(), [&](const Attribute& a) { return a.name() == name; }),
             list.end());
}

const Group* Geometry::findGroup(Owner owner, const std::string& name) const {
  return findNamed(groups(owner), name);
}

Group* Geometry::findGroup(Owner owner, const std::string& name) {
  return findNamed(mGroups[static_cast<size_t>(owner)], name);
}

Group& Geometry::addGroup(Owner owner, const std::string& name) {
  if (Group* known = findGroup(owner, name)) return *known;
  return mGroups[static_cast<size_t>(owner)].emplace_back(
      Group{name, CowArray<uint8_t>(elementCount(owner)), {}});
}

void Geometry::removeGroup(Owner owner, const std::string& name) {
  auto& list = mGroups[static_cast<size_t>(owner)];
  list.erase(std::remove_if(list.begin(), list.end(), [&](const Group& g) { return g.name == name; }),
             list.end());
}

EdgeGroup& Geometry::addEdgeGroup(const std::string& name) {
  if (EdgeGroup* known = findNamed(mEdgeGroups, name)) return *known;
  return mEdgeGroups.emplace_back(EdgeGroup{name, {}});
}

// Whole-geometry edits ----------------------------------------------------------------------------------

void Geometry::reorderVertices(Span<const int32_t> order) {
  HACKLE_ASSERT(order.size() == vertexCount());
  std::vector<int32_t> points(order.size());
  for (size_t v = 0; v < order.size(); ++v) points[v] = mVertexPoint[order[v]];
  mVertexPoint = std::move(points);
  for (Attribute& attribute : mAttributes[static_cast<size_t>(Owner::Vertex)])
    attribute = attribute.gathered(order);
  for (Group& group : mGroups[static_cast<size_t>(Owner::Vertex)]) group = gathered(group, order);
}

void Geometry::flipWinding() {
  // Values of vertices, tuple by tuple, in place: this is on the way of all that goes to and from Houdini.
  const auto turn = [&](auto& values, size_t tuple) {
    const auto exchange = [&](size_t a, size_t b) {
      for (size_t c = 0; c < tuple; ++c) std::swap(values[a * tuple + c], values[b * tuple + c]);
    };
    for (size_t p = 0; p < primitiveCount(); ++p) {
      const size_t first = firstVertex(p), last = firstVertex(p + 1);
      if (primitiveType(p) == PrimitiveType::Polygon && last - first > 2)
        for (size_t a = first + 1, b = last - 1; a < b; ++a, --b) exchange(a, b);
      if (primitiveType(p) == PrimitiveType::Tetrahedron) exchange(first + 2, first + 3);
    }
  };
  std::vector<int32_t> order;
  const auto turnedOrder = [&]() -> const std::vector<int32_t>& {
    if (!order.empty()) return order;
    order.resize(vertexCount());
    std::iota(order.begin(), order.end(), 0);
    turn(order, 1);
    return order;
  };
  turn(mVertexPoint.edit(), 1);
  for (Attribute& a : mAttributes[static_cast<size_t>(Owner::Vertex)]) {
    if (a.isString()) {
      a = a.gathered(turnedOrder());
      continue;
    }
    a.visitNumbers([&](const auto& values) {
      using T = std::decay_t<decltype(values[0])>;
      turn(a.edit<T>(), static_cast<size_t>(a.tupleSize()));
    });
  }
  for (Group& group : mGroups[static_cast<size_t>(Owner::Vertex)]) group = gathered(group, turnedOrder());
}

Geometry Geometry::extract(Span<const int32_t> primitives, bool keepPoints) const {
  // Collect the elements that stay, in their new order.
  size_t corners = keepPoints ? pointCount() : 0;
  for (const int32_t p : primitives) corners += vertexCount(static_cast<size_t>(p));
  std::vector<int32_t> vertexOrder, pointOrder;
  PointMap newPoint(pointCount(), corners);
  if (keepPoints) {
    pointOrder.resize(pointCount());
    std::iota(pointOrder.begin(), pointOrder.end(), 0);
    for (const int32_t p : pointOrder) newPoint[p] = p;
  }
  Geometry result;
  result.positionFileStorage = positionFileStorage;
  std::vector<int32_t>& starts = result.mVertexStart.edit();
  std::vector<PrimitiveType>& types = result.mPrimitiveType.edit();
  std::vector<int32_t> vertexPoints;
  starts.reserve(primitives.size() + 1);
  types.reserve(primitives.size());
  for (const int32_t p : primitives) {
    const size_t primitive = static_cast<size_t>(p);
    types.push_back(primitiveType(primitive));
    for (size_t v = firstVertex(primitive); v < firstVertex(primitive + 1); ++v) {
      int32_t& point = newPoint[mVertexPoint[v]];
      if (point < 0) {
        point = static_cast<int32_t>(pointOrder.size());
        pointOrder.push_back(mVertexPoint[v]);
      }
      vertexOrder.push_back(static_cast<int32_t>(v));
      vertexPoints.push_back(point);
    }
    starts.push_back(static_cast<int32_t>(vertexPoints.size()));
  }
  result.mVertexPoint = std::move(vertexPoints);
  std::vector<Vec3>& positions = result.mPositions.edit();
  positions.reserve(pointOrder.size());
  for (const int32_t p : pointOrder) positions.push_back(mPositions[p]);

  // Contents of volumes and packed primitives.
  if (!mContent.empty()) {
    std::vector<int32_t>& content = result.mContent.edit();
    for (const int32_t p : primitives) {
      const int32_t old = mContent[p];
      content.push_back(-1);
      if (primitiveType(static_cast<size_t>(p)) == PrimitiveType::Volume) {
        content.back() = static_cast<int32_t>(result.mVolumes.size());
        result.mVolumes.edit().push_back(mVolumes[old]);
      } else if (primitiveType(static_cast<size_t>(p)) == PrimitiveType::Packed) {
        content.back() = static_cast<int32_t>(result.mPacked.size());
        result.mPacked.edit().push_back(mPacked[old]);
      }
    }
  }

  // Attributes and groups.
  const std::vector<int32_t> detailOrder{0};
  const Span<const int32_t> orders[kOwnerCount] = {pointOrder, vertexOrder, primitives, detailOrder};
  for (size_t o = 0; o < kOwnerCount; ++o) {
    for (const Attribute& a : mAttributes[o]) result.mAttributes[o].push_back(a.gathered(orders[o]));
    for (const Group& g : mGroups[o]) result.mGroups[o].push_back(gathered(g, orders[o]));
  }
  for (const EdgeGroup& g : mEdgeGroups) {
    std::vector<Edge> edges;
    for (const Edge& e : g.edges) {
      const Edge moved{newPoint.find(e[0]), newPoint.find(e[1])};
      if (moved[0] >= 0 && moved[1] >= 0) edges.push_back(moved);
    }
    result.mEdgeGroups.push_back({g.name, std::move(edges)});
  }
  return result;
}

namespace {

template <class Named, class Name>
const Named* findNamed(const std::vector<Named>& list, const Name& hasName) {
  const auto found = std::find_if(list.begin(), list.end(), hasName);
  return found == list.end() ? nullptr : &*found;
}

/// Attributes of `before` elements, followed by those of others up to `after` in all. Those of both come
/// first, then those that only the others have; what one lacks gets default values.
void appendAttributes(std::vector<Attribute>& mine, const std::vector<Attribute>& others, size_t before,
                      size_t after) {
  const auto find = [](const std::vector<Attribute>& list, const std::string& name) {
    return findNamed(list, [&](const Attribute& a) { return a.name() == name; });
  };
  for (Attribute& a : mine) {
    if (const Attribute* theirs = find(others, a.name()))
      a.append(*theirs);
    else
      a.resize(after);
  }
  for (const Attribute& theirs : others) {
    if (find(mine, theirs.name())) continue;
    Attribute a(theirs.name(), theirs.storage(), theirs.tupleSize(), 0, theirs.qualifier);
    a.defaults = theirs.defaults;
    a.fileStorage = theirs.fileStorage;
    a.resize(before);
    a.append(theirs);
    mine.push_back(std::move(a));
  }
}

/// The same of groups. A group stays ordered only if all members on both sides are.
void appendGroups(std::vector<Group>& mine, const std::vector<Group>& others, size_t before, size_t after) {
  const auto find = [](const std::vector<Group>& list, const std::string& name) {
    return findNamed(list, [&](const Group& g) { return g.name == name; });
  };
  for (const Group& theirs : others)
    if (!find(mine, theirs.name)) mine.push_back({theirs.name, CowArray<uint8_t>(before), {}});
  for (Group& g : mine) {
    const Group* theirs = find(others, g.name);
    std::vector<uint8_t>& bits = g.bits.edit();
    const bool ordered = theirs && !theirs->order.empty() &&
                         (!g.order.empty() || std::find(bits.begin(), bits.end(), uint8_t(1)) == bits.end());
    if (theirs) bits.insert(bits.end(), theirs->bits.begin(), theirs->bits.end());
    bits.resize(after, 0);
    if (ordered) {
      for (const int32_t member : theirs->order)
        g.order.edit().push_back(member + static_cast<int32_t>(before));
    } else if (theirs && theirs->count() > 0) {
      g.order = {};
    }
  }
}

}  // namespace

void Geometry::append(const Geometry& other) {
  if (isBlank()) {
    *this = other;
    return;
  }
  if (&other == this) {
    append(Geometry(other));
    return;
  }
  const size_t before[kOwnerCount] = {pointCount(), vertexCount(), primitiveCount(), 1};
  checkIndexRange(pointCount() + other.pointCount(), "points");
  checkIndexRange(vertexCount() + other.vertexCount(), "vertices");
  checkIndexRange(primitiveCount() + other.primitiveCount(), "primitives");
  const auto firstPoint = static_cast<int32_t>(before[0]), firstVertex = static_cast<int32_t>(before[1]);
  positionFileStorage =
      empty() ? other.positionFileStorage : std::max(positionFileStorage, other.positionFileStorage);

  // Append points, vertices and primitives.
  std::vector<Vec3>& positions = mPositions.edit();
  positions.insert(positions.end(), other.mPositions.begin(), other.mPositions.end());
  appendShifted(mVertexPoint.edit(), other.mVertexPoint, firstPoint);
  appendShifted(mVertexStart.edit(), other.mVertexStart.span().subspan(1, other.primitiveCount()),
                firstVertex);
  std::vector<PrimitiveType>& types = mPrimitiveType.edit();
  types.insert(types.end(), other.mPrimitiveType.begin(), other.mPrimitiveType.end());

  // Append volumes and packed geometry.
  if (!mContent.empty() || !other.mContent.empty()) {
    std::vector<int32_t>& content = mContent.edit();
    content.resize(before[2], -1);
    for (size_t p = 0; p < other.primitiveCount(); ++p) {
      content.push_back(-1);
      if (other.primitiveType(p) == PrimitiveType::Volume) {
        content.back() = static_cast<int32_t>(mVolumes.size());
        mVolumes.edit().push_back(other.volume(p));
      } else if (other.primitiveType(p) == PrimitiveType::Packed) {
        content.back() = static_cast<int32_t>(mPacked.size());
        mPacked.edit().push_back(other.packed(p));
      }
    }
  }

  // Append attributes and groups; the geometry's own attributes keep their values.
  for (size_t o = 0; o < kOwnerCount; ++o) {
    const Owner owner = static_cast<Owner>(o);
    if (owner == Owner::Detail) {
      for (const Attribute& a : other.mAttributes[o])
        if (!findAttribute(owner, a.name())) mAttributes[o].push_back(a);
      continue;
    }
    appendAttributes(mAttributes[o], other.mAttributes[o], before[o], elementCount(owner));
    appendGroups(mGroups[o], other.mGroups[o], before[o], elementCount(owner));
  }
  for (const EdgeGroup& theirs : other.mEdgeGroups) {
    std::vector<Edge>& edges = addEdgeGroup(theirs.name).edges.edit();
    for (const Edge& e : theirs.edges) edges.push_back({e[0] + firstPoint, e[1] + firstPoint});
  }
}

void Geometry::replacePoints(Span<const int32_t> sources, Span<const int32_t> vertexPoints) {
  HACKLE_ASSERT(vertexPoints.size() == vertexCount());
  checkIndexRange(sources.size(), "points");
  for (EdgeGroup& group : mEdgeGroups) group.edges = movedEdges(*this, group, vertexPoints);
  std::vector<Vec3> positions(sources.size());
  for (size_t i = 0; i < sources.size(); ++i) positions[i] = mPositions[sources[i]];
  mPositions = std::move(positions);
  mVertexPoint = std::vector<int32_t>(vertexPoints.begin(), vertexPoints.end());
  for (Attribute& a : mAttributes[static_cast<size_t>(Owner::Point)]) a = a.gathered(sources);
  for (Group& g : mGroups[static_cast<size_t>(Owner::Point)]) g = gathered(g, sources);
}

Geometry merged(Span<const Geometry> parts) {
  // Halves of halves: each part is copied as often as its depth, not once for every part after it.
  if (parts.empty()) return Geometry();
  if (parts.size() == 1) return parts[0];
  const size_t half = parts.size() / 2;
  Geometry result = merged(parts.subspan(0, half));
  result.append(merged(parts.subspan(half, parts.size() - half)));
  return result;
}

bool Geometry::isBlank() const {
  if (!empty() || !mEdgeGroups.empty()) return false;
  for (size_t o = 0; o < kOwnerCount; ++o)
    if (!mAttributes[o].empty() || !mGroups[o].empty()) return false;
  return true;
}

void Geometry::checkInvariants() const {
  HACKLE_ASSERT(mVertexStart.size() == primitiveCount() + 1);
  HACKLE_ASSERT(mVertexStart[0] == 0 && static_cast<size_t>(mVertexStart[primitiveCount()]) == vertexCount());
  for (size_t p = 0; p < primitiveCount(); ++p) {
    HACKLE_ASSERT(mVertexStart[p] <= mVertexStart[p + 1]);
    const PrimitiveType type = primitiveType(p);
    if (type == PrimitiveType::Tetrahedron) HACKLE_ASSERT(vertexCount(p) == 4);
    if (type == PrimitiveType::Volume) HACKLE_ASSERT(volume(p) != nullptr && vertexCount(p) == 1);
    if (type == PrimitiveType::Packed) HACKLE_ASSERT(packed(p).transform.allFinite() && vertexCount(p) == 1);
  }
  for (const int32_t point : mVertexPoint)
    HACKLE_ASSERT(point >= 0 && static_cast<size_t>(point) < pointCount());
  for (size_t o = 0; o < kOwnerCount; ++o) {
    const size_t count = elementCount(static_cast<Owner>(o));
    for (const Attribute& a : mAttributes[o]) HACKLE_ASSERT(a.tupleSize() == 0 || a.elementCount() == count);
    for (const Group& g : mGroups[o]) {
      HACKLE_ASSERT(g.bits.size() == count);
      for (const int32_t member : g.order) HACKLE_ASSERT(member >= 0 && static_cast<size_t>(member) < count);
    }
  }
  for (const EdgeGroup& g : mEdgeGroups)
    for (const Edge& e : g.edges)
      for (const int32_t point : e) HACKLE_ASSERT(point >= 0 && static_cast<size_t>(point) < pointCount());
}

}  // namespace hackle
