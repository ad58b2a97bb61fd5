#include <hackle/fracture/gluing.h>

#include <hackle/core/error.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/union_find.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hackle {

namespace {

/// The corners of a face, as vertices of the cut, from the smallest on.
std::vector<int32_t> cycleOf(const FracturePieces& pieces, size_t face, bool backwards) {
  std::vector<int32_t> cycle;
  for (const int32_t p : pieces.geometry.corners(face)) cycle.push_back(pieces.pointVertex[p]);
  if (backwards) std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

constexpr size_t kCancelEvery = 1 << 14;

/// The half-edges of parts, named by the vertex they start from, and what lies across each.
class PartEdges {
 public:
  PartEdges(const FracturePieces& parts, Span<const int32_t> twins, Context& context)
      : mParts(parts), mTwins(twins), mTable(findEdges(parts.geometry, context)) {
    const Geometry& g = parts.geometry;
    mMate.assign(g.vertexCount(), -1);
    for (size_t e = 0; e < mTable.edges.size(); ++e) pairHalfEdges(mTable.halfEdgesOf(e));
    mFace.resize(g.vertexCount());
    for (size_t f = 0; f < g.primitiveCount(); ++f)
      for (size_t v = g.firstVertex(f); v < g.firstVertex(f + 1); ++v) mFace[v] = static_cast<int32_t>(f);
  }

  int32_t next(int32_t halfEdge) const { return mTable.next[halfEdge]; }
  int32_t face(int32_t halfEdge) const { return mFace[halfEdge]; }

  /// The half-edge along the same edge of the face that a kept one meets once faces that are not kept are
  /// gone: round the edge, through the parts that were glued.
  int32_t partner(int32_t halfEdge, Span<const uint8_t> kept) const {
    int32_t at = mMate[halfEdge];
    for (size_t step = 0; step < mMate.size() && at >= 0; ++step) {
      if (kept[face(at)]) return at;
      at = mMate[across(at)];
    }
    throw Error(ErrorCode::BadInput, "the pieces are not closed", "make them anew");
  }

 private:
  /// In parts that are 2-manifold there are two, one either way.
  void pairHalfEdges(Span<const int32_t> halfEdges) {
    const auto start = [&](int32_t h) { return mParts.geometry.vertexPoint(static_cast<size_t>(h)); };
    for (size_t i = 0; i < halfEdges.size(); ++i)
      for (size_t j = i + 1; j < halfEdges.size(); ++j) {
        const int32_t a = halfEdges[i], b = halfEdges[j];
        if (mMate[a] >= 0) break;
        if (mMate[b] >= 0 || start(a) == start(b)) continue;
        mMate[a] = b;
        mMate[b] = a;
      }
  }

  /// The same edge in the twin of the half-edge's face, where it runs the other way.
  int32_t across(int32_t halfEdge) const {
    const Geometry& g = mParts.geometry;
    const auto vertexOf = [&](int32_t h) {
      return mParts.pointVertex[g.vertexPoint(static_cast<size_t>(h))];
    };
    const size_t twin = static_cast<size_t>(mTwins[face(halfEdge)]);
    const int32_t from = vertexOf(next(halfEdge)), to = vertexOf(halfEdge);
    for (size_t v = g.firstVertex(twin); v < g.firstVertex(twin + 1); ++v) {
      const int32_t h = static_cast<int32_t>(v);
      if (vertexOf(h) == from && vertexOf(next(h)) == to) return h;
    }
    throw Error(ErrorCode::BadInput, "the two sides of a face between pieces have different corners",
                "make them anew");
  }

  const FracturePieces& mParts;
  Span<const int32_t> mTwins;
  EdgeTable mTable;
  std::vector<int32_t> mMate, mFace;
};

/// Points of the kept faces: corners that faces share round an edge are one point.
UnionFind joinCorners(const PartEdges& edges, const Geometry& geometry, Span<const uint8_t> kept,
                      Context& context) {
  UnionFind corners(geometry.vertexCount());
  for (size_t f = 0; f < geometry.primitiveCount(); ++f) {
    if (f % kCancelEvery == 0) context.checkCancel();
    if (!kept[f]) continue;
    for (size_t v = geometry.firstVertex(f); v < geometry.firstVertex(f + 1); ++v) {
      const int32_t h = static_cast<int32_t>(v), m = edges.partner(h, kept);
      corners.unite(h, edges.next(m));
      corners.unite(edges.next(h), m);
    }
  }
  return corners;
}

void sumUp(const FracturePieces& parts, const Gluing& gluing, FracturePieces& result) {
  const size_t count = gluing.names.size();
  result.names = gluing.names;
  result.volume.assign(count, 0.0);
  result.centre.assign(count, Vec3::Zero());
  for (size_t p = 0; p < parts.volume.size(); ++p) {
    const size_t g = static_cast<size_t>(gluing.groupOf[p]);
    result.volume[g] += parts.volume[p];
    result.centre[g] += parts.volume[p] * parts.centre[p];
  }
  for (size_t g = 0; g < count; ++g) {
    result.cell.push_back(static_cast<int32_t>(g));
    if (result.volume[g] > 0) result.centre[g] /= result.volume[g];
  }
  std::map<std::pair<int32_t, int32_t>, PieceContact> found;
  for (const PieceContact& contact : parts.contacts) {
    const int32_t a = gluing.groupOf[contact.a];
    const int32_t b = gluing.groupOf[contact.b];
    if (a == b) continue;
    PieceContact& sum = found[std::minmax(a, b)];
    sum.a = std::min(a, b);
    sum.b = std::max(a, b);
    sum.area += contact.area;
    sum.centre += contact.area * contact.centre;
    sum.normal += (a < b ? contact.area : -contact.area) * contact.normal;
  }
  for (auto& [key, contact] : found) {
    if (contact.area > 0) contact.centre /= contact.area;
    if (contact.normal.norm() > 0) contact.normal.normalize();
    result.contacts.push_back(contact);
  }
}

}  // namespace

std::vector<int32_t> findTwins(const FracturePieces& pieces, Context& context) {
  std::vector<int32_t> twins(pieces.geometry.primitiveCount(), -1);
  if (pieces.pointVertex.empty()) return twins;
  std::map<std::vector<int32_t>, std::vector<int32_t>> open;
  for (size_t f = 0; f < twins.size(); ++f) {
    if (f % kCancelEvery == 0) context.checkCancel();
    if (pieces.primitiveSource[f] >= 0) continue;
    const auto known = open.find(cycleOf(pieces, f, true));
    if (known == open.end()) {
      open[cycleOf(pieces, f, false)].push_back(static_cast<int32_t>(f));
      continue;
    }
    twins[f] = known->second.back();
    twins[twins[f]] = static_cast<int32_t>(f);
    known->second.pop_back();
    if (known->second.empty()) open.erase(known);
  }
  return twins;
}

Gluing glueContacts(const FracturePieces& parts, Span<const uint8_t> glued, const std::string& prefix) {
  UnionFind groups(parts.names.size());
  for (size_t c = 0; c < parts.contacts.size(); ++c)
    if (glued[c]) groups.unite(parts.contacts[c].a, parts.contacts[c].b);
  Gluing gluing;
  gluing.groupOf.resize(parts.names.size());
  for (size_t p = 0; p < gluing.groupOf.size(); ++p) {
    const int32_t first = groups.find(static_cast<int32_t>(p));
    if (static_cast<size_t>(first) == p) {
      gluing.groupOf[p] = static_cast<int32_t>(gluing.names.size());
      gluing.names.push_back(fmt::format("{}{}", prefix, gluing.names.size()));
    } else {
      gluing.groupOf[p] = gluing.groupOf[first];
    }
  }
  return gluing;
}

FracturePieces gluePieces(const FracturePieces& parts, Span<const int32_t> twins, const Gluing& gluing,
                          Context& context) {
  const Geometry& geometry = parts.geometry;
  const auto groupOfFace = [&](size_t face) { return gluing.groupOf[parts.primitivePiece[face]]; };
  // Faces between parts of one group go.
  std::vector<uint8_t> kept(geometry.primitiveCount(), 1);
  std::vector<int32_t> order;
  for (size_t f = 0; f < kept.size(); ++f) {
    if (twins[f] >= 0) kept[f] = groupOfFace(f) != groupOfFace(static_cast<size_t>(twins[f]));
    if (kept[f]) order.push_back(static_cast<int32_t>(f));
  }
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return groupOfFace(static_cast<size_t>(a)) < groupOfFace(static_cast<size_t>(b));
  });

  FracturePieces result;
  sumUp(parts, gluing, result);
  const PartEdges edges(parts, twins, context);
  UnionFind corners = joinCorners(edges, geometry, kept, context);

  // Points in the order in which faces use them.
  std::vector<int32_t> pointOf(geometry.vertexCount(), -1), sources, vertexPoints;
  for (const int32_t f : order)
    for (size_t v = geometry.firstVertex(static_cast<size_t>(f));
         v < geometry.firstVertex(static_cast<size_t>(f) + 1); ++v) {
      int32_t& point = pointOf[corners.find(static_cast<int32_t>(v))];
      if (point < 0) {
        point = static_cast<int32_t>(sources.size());
        sources.push_back(geometry.vertexPoint(v));
        result.pointVertex.push_back(parts.pointVertex[sources.back()]);
      }
      vertexPoints.push_back(point);
    }
  context.checkCancel();
  result.geometry = geometry.extract(order, true);
  result.geometry.replacePoints(sources, vertexPoints);
  for (const int32_t f : order) {
    result.primitivePiece.push_back(groupOfFace(static_cast<size_t>(f)));
    result.primitiveSource.push_back(parts.primitiveSource[f]);
  }
  Attribute& name = result.geometry.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
  name.assignStrings({result.names, result.primitivePiece});
  return result;
}

}  // namespace hackle
