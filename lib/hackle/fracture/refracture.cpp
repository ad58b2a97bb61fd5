#include <hackle/fracture/refracture.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/piece_lists.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/meshing/repair/checked_solid.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace hackle {

namespace {

/// Faces of an earlier fracture, as triangles, with the piece that each belongs to now.
struct OldFaces {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  std::vector<int32_t> piece;

  std::array<Vec3, 3> corners(size_t t) const {
    const auto at = [&](size_t k) { return points[triangles[t][k]]; };
    return {at(0), at(1), at(2)};
  }
};

struct Touch {
  int32_t a, b;  // pieces
  TriangleOverlap overlap;
  Vec3 normal;  // of a's face
};

/// Where triangles of different parents lie on each other.
std::vector<Touch> findTouches(const OldFaces& faces, const std::vector<int32_t>& parentOf,
                               Context& context) {
  const TriangleBvh bvh(faces.points, faces.triangles, context);
  const double tolerance = 1e-7 * bvh.bounds().diagonal();
  constexpr size_t kChunk = 64;
  std::vector<std::vector<Touch>> chunks((faces.triangles.size() + kChunk - 1) / kChunk);
  parallelRanges(context, faces.triangles.size(), kChunk, [&](size_t begin, size_t end) {
    for (size_t t = begin; t < end; ++t) {
      const std::array<Vec3, 3> mine = faces.corners(t);
      const Vec3 normal = (mine[1] - mine[0]).cross(mine[2] - mine[0]).normalized();
      Box3 box;
      for (const Vec3& p : mine) box.add(p);
      box.min.array() -= tolerance;
      box.max.array() += tolerance;
      for (const int32_t other : bvh.trianglesNear(box)) {
        const size_t o = static_cast<size_t>(other);
        if (o <= t || parentOf[faces.piece[o]] == parentOf[faces.piece[t]]) continue;
        const std::array<Vec3, 3> theirs = faces.corners(o);
        const Vec3 opposite = (theirs[1] - theirs[0]).cross(theirs[2] - theirs[0]).normalized();
        if (!(normal.dot(opposite) < -0.9999)) continue;
        if (std::abs(normal.dot((theirs[0] + theirs[1] + theirs[2]) / 3 - mine[0])) > tolerance) continue;
        const TriangleOverlap overlap = triangleOverlap(mine, theirs);
        if (overlap.area > 0)
          chunks[begin / kChunk].push_back({faces.piece[t], faces.piece[o], overlap, normal});
      }
    }
  });
  std::vector<Touch> touches;
  for (const auto& chunk : chunks) touches.insert(touches.end(), chunk.begin(), chunk.end());
  return touches;
}

void addContacts(const std::vector<Touch>& touches, std::vector<PieceContact>& contacts) {
  std::map<std::pair<int32_t, int32_t>, PieceContact> found;
  for (const Touch& touch : touches) {
    const bool swapped = touch.a > touch.b;
    const std::pair<int32_t, int32_t> key = std::minmax(touch.a, touch.b);
    PieceContact& contact = found[key];
    contact.a = key.first;
    contact.b = key.second;
    contact.area += touch.overlap.area;
    contact.centre += touch.overlap.area * touch.overlap.centre;
    contact.normal += touch.overlap.area * (swapped ? Vec3(-touch.normal) : touch.normal);
  }
  for (auto& [key, contact] : found) {
    contact.centre /= contact.area;
    if (contact.normal.norm() > 0) contact.normal.normalize();
    contacts.push_back(contact);
  }
  std::sort(contacts.begin(), contacts.end(), [](const PieceContact& l, const PieceContact& r) {
    return std::tie(l.a, l.b) < std::tie(r.a, r.b);
  });
}

/// Puts the parts of pieces together.
class LevelBuilder {
 public:
  LevelBuilder(const FracturePieces& parents, const std::string& insideGroup)
      : mParents(parents), mOldInside(parents.geometry.findGroup(Owner::Primitive, insideGroup)) {}

  /// The parts of a parent whose primitives are `primitives`.
  void add(const FracturePieces& parts, size_t parent, Span<const int32_t> primitives) {
    const int32_t first = static_cast<int32_t>(mResult.names.size());
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(mResult.names, parts.names);
    append(mResult.volume, parts.volume);
    append(mResult.centre, parts.centre);
    for (PieceContact contact : parts.contacts) {
      contact.a += first;
      contact.b += first;
      mResult.contacts.push_back(contact);
    }
    for (size_t p = 0; p < parts.names.size(); ++p) {
      mResult.cell.push_back(static_cast<int32_t>(parent));
      mParentOf.push_back(static_cast<int32_t>(parent));
    }
    for (size_t f = 0; f < parts.geometry.primitiveCount(); ++f) {
      mResult.primitivePiece.push_back(first + parts.primitivePiece[f]);
      const int32_t source = parts.primitiveSource[f] >= 0 ? primitives[parts.primitiveSource[f]] : -1;
      mResult.primitiveSource.push_back(source >= 0 ? mParents.primitiveSource[source] : -1);
      if (source >= 0 && mOldInside && mOldInside->bits[source])
        addOldFace(parts.geometry, f, mResult.primitivePiece.back());
    }
    mResult.geometry.append(parts.geometry);
  }

  FracturePieces finish(Context& context) {
    addContacts(findTouches(mOldFaces, mParentOf, context), mResult.contacts);
    return std::move(mResult);
  }

 private:
  void addOldFace(const Geometry& geometry, size_t face, int32_t piece) {
    std::vector<Vec3> corners;
    for (const int32_t p : geometry.corners(face))
      corners.push_back(geometry.position(static_cast<size_t>(p)));
    if (corners.size() < 3) return;
    const int32_t first = static_cast<int32_t>(mOldFaces.points.size());
    mOldFaces.points.insert(mOldFaces.points.end(), corners.begin(), corners.end());
    for (const Triangle& t : triangulatePolygon(corners)) {
      mOldFaces.triangles.push_back({first + t[0], first + t[1], first + t[2]});
      mOldFaces.piece.push_back(piece);
    }
  }

  const FracturePieces& mParents;
  const Group* mOldInside;
  FracturePieces mResult;
  std::vector<int32_t> mParentOf;
  OldFaces mOldFaces;
};

}  // namespace

TriangleOverlap triangleOverlap(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  const Vec3 normal = (a[1] - a[0]).cross(a[2] - a[0]);
  if (normal.norm() == 0) return {};
  // Clips b by the edges of a, seen along a's normal.
  std::vector<Vec3> polygon(b.begin(), b.end()), kept;
  for (size_t k = 0; k < 3; ++k) {
    const Vec3 inward = normal.cross(a[(k + 1) % 3] - a[k]);
    kept.clear();
    for (size_t v = 0; v < polygon.size(); ++v) {
      const Vec3 &p = polygon[v], &q = polygon[(v + 1) % polygon.size()];
      const double hp = inward.dot(p - a[k]), hq = inward.dot(q - a[k]);
      if (hp >= 0) kept.push_back(p);
      if ((hp >= 0) != (hq >= 0)) kept.push_back(p + (q - p) * (hp / (hp - hq)));
    }
    polygon.swap(kept);
    if (polygon.size() < 3) return {};
  }
  TriangleOverlap overlap;
  for (size_t k = 1; k + 1 < polygon.size(); ++k) {
    const double area = 0.5 * (polygon[k] - polygon[0]).cross(polygon[k + 1] - polygon[0]).norm();
    overlap.area += area;
    overlap.centre += area * (polygon[0] + polygon[k] + polygon[k + 1]) / 3;
  }
  if (overlap.area > 0) overlap.centre /= overlap.area;
  return overlap;
}

FracturePieces wholePiece(const Geometry& geometry, const std::string& name, Context& context) {
  FracturePieces whole;
  whole.geometry = geometry;
  whole.primitivePiece.assign(geometry.primitiveCount(), 0);
  for (size_t f = 0; f < geometry.primitiveCount(); ++f)
    whole.primitiveSource.push_back(static_cast<int32_t>(f));
  whole.names = {name};
  whole.cell = {0};
  const MassProperties mass = massProperties(triangleMesh(geometry), context);
  whole.volume = {mass.volume};
  whole.centre = {mass.centre};
  return whole;
}

FracturePieces piecesOf(const Geometry& geometry, Context& context) {
  const Pieces pieces = findPieces(geometry);
  FracturePieces result;
  result.geometry = geometry;
  result.names = pieces.names;
  result.primitivePiece = pieces.ofPrimitive;
  for (size_t p = 0; p < pieces.count(); ++p) {
    const MassProperties mass =
        massProperties(triangleMesh(geometry.extract(pieces.primitivesOf(p))), context);
    result.cell.push_back(static_cast<int32_t>(p));
    result.volume.push_back(mass.volume);
    result.centre.push_back(mass.centre);
  }
  for (size_t f = 0; f < geometry.primitiveCount(); ++f)
    result.primitiveSource.push_back(static_cast<int32_t>(f));
  return result;
}

bool hasSeveralPieces(const Geometry& geometry) {
  if (!hasPieceNames(geometry)) return false;
  const Pieces pieces = piecesByName(geometry);
  std::vector<int32_t> owner(geometry.pointCount(), -1);
  for (size_t f = 0; f < geometry.primitiveCount(); ++f)
    for (const int32_t p : geometry.corners(f)) {
      int32_t& of = owner[p];
      if (of >= 0 && of != pieces.ofPrimitive[f]) return false;
      of = pieces.ofPrimitive[f];
    }
  return pieces.count() > 1;
}

Geometry checkedPieces(const Geometry& input, Context& context) {
  const Pieces pieces = piecesByName(input);
  Geometry result;
  for (size_t p = 0; p < pieces.count(); ++p) {
    Geometry piece = input.extract(pieces.primitivesOf(p));
    try {
      piece = checkedSolid(piece, context);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::BadInput) throw;
      context.warn(fmt::format("{}: {}", pieces.names[p], e.what()));
    }
    result.append(piece);
  }
  return result;
}

FracturePieces breakEach(const FracturePieces& pieces, const PieceBreaker& breaker,
                         const std::string& insideGroup, Context& context) {
  const std::vector<std::vector<int32_t>> primitives = primitivesOfPieces(pieces);
  LevelBuilder builder(pieces, insideGroup);
  for (size_t p = 0; p < primitives.size(); ++p) {
    context.checkCancel();
    const Geometry piece = pieces.geometry.extract(primitives[p]);
    try {
      builder.add(breaker(piece, p, pieces.names[p] + "-"), p, primitives[p]);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::BadInput && e.code() != ErrorCode::Failed) throw;
      context.warn(fmt::format("{} stays whole: {}", pieces.names[p], e.what()));
      builder.add(wholePiece(piece, pieces.names[p], context), p, primitives[p]);
    }
  }
  return builder.finish(context);
}

}  // namespace hackle
