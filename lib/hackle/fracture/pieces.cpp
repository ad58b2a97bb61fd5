#include <hackle/fracture/pieces.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/piece_components.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/mixture.h>
#include <hackle/geometry/normals.h>
#include <hackle/geometry/topology.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hackle {

namespace {

class PieceBuilder {
 public:
  PieceBuilder(const Geometry& solid, const TriangleMesh& mesh, const Cut& cut, const PieceOptions& options,
               Context& context)
      : mSolid(solid), mMesh(mesh), mCut(cut), mOptions(options), mContext(context) {}

  FracturePieces build() {
    const PieceFaces faces = connectedFaces();
    FracturePieces result;
    result.volume = faces.volumes;
    result.centre = faces.centres;
    result.contacts = findContacts(mCut, faces);
    size_t corners = 0;
    for (const int32_t f : faces.faces) corners += static_cast<size_t>(mCut.faces[f].count);
    mCorners.reserve(corners);
    mVertexMixtures.reserve(corners);
    std::vector<int32_t> pointOf(mCut.vertices.size(), -1);
    for (size_t p = 0; p < faces.count(); ++p) {
      mContext.checkCancel();
      std::vector<int32_t> used;
      for (int32_t f = faces.starts[p]; f < faces.starts[p + 1]; ++f)
        addFace(mCut.faces[faces.faces[f]], static_cast<int32_t>(p), pointOf, used);
      for (const int32_t vertex : used) pointOf[vertex] = -1;
      result.cell.push_back(mCut.faces[faces.faces[faces.starts[p]]].cell);
    }
    for (size_t p = 0; p < faces.count(); ++p) mNames.push_back(fmt::format("{}{}", mOptions.prefix, p));
    for (const CutFace* face : mFaceOf) result.primitiveSource.push_back(face->primitive);
    result.geometry = assemble();
    result.names = std::move(mNames);
    result.primitivePiece = std::move(mPiece);
    result.pointVertex = std::move(mPointVertex);
    return result;
  }

 private:
  PieceFaces connectedFaces() const {
    constexpr double kNothing = 1e-10;  // of the whole volume
    const PieceFaces faces = connectPieces(mCut, mContext);
    double whole = 0;
    for (const double v : faces.volumes) whole += v;
    return joinSmallPieces(mCut, faces, std::max(mOptions.minVolume, kNothing * whole));
  }

  void addFace(const CutFace& face, int32_t piece, std::vector<int32_t>& pointOf,
               std::vector<int32_t>& used) {
    std::vector<Triangle> parts;
    if (mOptions.triangulate && face.count > 3) {
      std::vector<Vec3> corners;
      for (int32_t k = 0; k < face.count; ++k) corners.push_back(mCut.vertices[vertexAt(face, k)].position);
      // The two sides of a face run against each other and must be cut alike.
      const bool backwards = face.neighbour >= 0 && face.cell > face.neighbour;
      if (backwards) std::reverse(corners.begin(), corners.end());
      parts = triangulatePolygon(corners);
      if (backwards)
        for (Triangle& t : parts) t = {face.count - 1 - t[2], face.count - 1 - t[1], face.count - 1 - t[0]};
    }
    const auto addCorner = [&](int32_t k) {
      const int32_t vertex = vertexAt(face, k);
      int32_t& point = pointOf[vertex];
      if (point < 0) {
        point = static_cast<int32_t>(mPointVertex.size());
        mPointVertex.push_back(vertex);
        used.push_back(vertex);
      }
      mCorners.push_back(point);
      mVertexMixtures.push_back(face.neighbour >= 0 ? Mixture() : vertexMixture(face, k));
    };
    const auto finish = [&](int32_t count) {
      mCounts.push_back(count);
      mPiece.push_back(piece);
      mFaceOf.push_back(&face);
    };
    if (parts.empty()) {
      for (int32_t k = 0; k < face.count; ++k) addCorner(k);
      finish(face.count);
    }
    for (const Triangle& t : parts) {
      for (const int32_t k : t) addCorner(k);
      finish(3);
    }
  }

  int32_t vertexAt(const CutFace& face, int32_t k) const { return mCut.corners[face.first + k]; }

  /// What the solid's vertex attributes are mixed from at corner k of an outside face.
  Mixture vertexMixture(const CutFace& face, int32_t k) const {
    if (face.triangle < 0)
      return Mixture::copyOf(static_cast<int32_t>(mSolid.firstVertex(static_cast<size_t>(face.primitive))) +
                             k);
    const Triangle& points = mMesh.triangles[face.triangle];
    const Triangle& vertices = mMesh.vertices[face.triangle];
    const int32_t source = mCut.origins.empty() ? vertexAt(face, k) : mCut.origins[face.first + k];
    const CutVertex& v = mCut.vertices[source];
    if (v.point >= 0) {
      for (size_t c = 0; c < 3; ++c)
        if (points[c] == v.point) return Mixture::copyOf(vertices[c]);
      HACKLE_ASSERT(!"the corner is not of this triangle");
    }
    return mixtureIn(face.triangle, v, vertices);
  }

  /// Weights of a vertex on the surface at the corners of `triangle`, which may be the neighbour of the one
  /// that it was placed in; `elements` are what stands at the corners.
  Mixture mixtureIn(int32_t triangle, const CutVertex& v, const Triangle& elements) const {
    const Triangle& here = mMesh.triangles[triangle];
    const Triangle& there = mMesh.triangles[v.triangle];
    Mixture m;
    size_t n = 0;
    for (size_t c = 0; c < 3; ++c) {
      if (v.barycentric[c] == 0.0) continue;
      for (size_t h = 0; h < 3; ++h) {
        if (here[h] != there[c]) continue;
        m.sources[n] = elements[h];
        m.weights[n++] = v.barycentric[c];
      }
    }
    return m;
  }

  Geometry assemble() {
    Geometry result;
    result.positionFileStorage = mSolid.positionFileStorage;
    result.addPoints(mPointVertex.size());
    std::vector<Vec3>& positions = result.editPositions();
    std::vector<Mixture> pointMixtures(mPointVertex.size());
    for (size_t p = 0; p < positions.size(); ++p) {
      const CutVertex& v = mCut.vertices[mPointVertex[p]];
      positions[p] = v.position;
      if (v.point >= 0)
        pointMixtures[p] = Mixture::copyOf(v.point);
      else if (v.triangle >= 0)
        pointMixtures[p] = mixtureIn(v.triangle, v, mMesh.triangles[v.triangle]);
    }
    result.addPrimitives(PrimitiveType::Polygon, mCounts, mCorners);
    const Geometry bare = result;
    std::vector<Mixture> primitiveMixtures(mCounts.size());
    for (size_t f = 0; f < mFaceOf.size(); ++f)
      if (mFaceOf[f]->primitive >= 0) primitiveMixtures[f] = Mixture::copyOf(mFaceOf[f]->primitive);

    carryAttributes(mSolid, Owner::Point, pointMixtures, result);
    mContext.checkCancel();
    carryAttributes(mSolid, Owner::Vertex, mVertexMixtures, result);
    std::vector<Mixture>().swap(mVertexMixtures);
    mContext.checkCancel();
    carryAttributes(mSolid, Owner::Primitive, primitiveMixtures, result);
    for (const Attribute& a : mSolid.attributes(Owner::Detail)) result.addAttribute(Owner::Detail, a);
    addNames(result);
    addFaceGroups(result);
    addInsideVertices(result, bare);
    return result;
  }

  void addNames(Geometry& result) const {
    Attribute& name = result.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
    name.assignStrings({mNames, mPiece});
  }

  bool isNew(size_t primitive) const { return mFaceOf[primitive]->neighbour >= 0; }

  void addFaceGroups(Geometry& result) const {
    const Group* before = mSolid.findGroup(Owner::Primitive, mOptions.insideGroup);
    std::vector<uint8_t> inside(mFaceOf.size());
    for (size_t f = 0; f < mFaceOf.size(); ++f)
      inside[f] = isNew(f) || (before && before->bits[mFaceOf[f]->primitive]) ? 1 : 0;
    std::vector<uint8_t>& bits = result.addGroup(Owner::Primitive, mOptions.outsideGroup).bits.edit();
    for (size_t f = 0; f < mFaceOf.size(); ++f) bits[f] = inside[f] ? 0 : 1;
    result.addGroup(Owner::Primitive, mOptions.insideGroup).bits.edit() = std::move(inside);
  }

  /// N and uv of new faces: smooth up to the cusp angle, and measured in their plane from the origin. `bare`
  /// is the same without attributes.
  void addInsideVertices(Geometry& result, const Geometry& bare) const {
    if (!result.findAttribute(Owner::Vertex, "uv"))
      result.addAttribute(Owner::Vertex, Attribute("uv", Storage::Float32, 3, 0, "texturecoord"));
    Attribute& normals = *result.findAttribute(Owner::Vertex, "N");
    Attribute& uv = *result.findAttribute(Owner::Vertex, "uv");
    std::vector<int32_t> faces;
    for (size_t f = 0; f < mFaceOf.size(); ++f)
      if (isNew(f)) faces.push_back(static_cast<int32_t>(f));
    const Geometry inside = bare.extract(faces);
    const std::vector<Vec3> smooth = vertexNormals(inside, mOptions.cuspAngle, mContext);
    const std::vector<Vec3> flat = faceNormals(inside, mContext);
    for (size_t i = 0; i < faces.size(); ++i) {
      mContext.checkCancel();
      const size_t f = static_cast<size_t>(faces[i]);
      // The two sides of a face share axes, so that a texture runs through.
      Vec3 axis = mFaceOf[f]->cell < mFaceOf[f]->neighbour ? flat[i] : Vec3(-flat[i]);
      if (mFaceOf[f]->plane >= 0) axis = mCut.planes[mFaceOf[f]->plane];
      Eigen::Index least = 0;
      axis.cwiseAbs().minCoeff(&least);
      const Vec3 u = axis.cross(Vec3::Unit(least)).normalized(), v = axis.cross(u);
      for (size_t k = 0; k < result.vertexCount(f); ++k) {
        const size_t vertex = result.firstVertex(f) + k;
        const Vec3& n = smooth[inside.firstVertex(i) + k];
        const Vec3& p = result.position(static_cast<size_t>(result.vertexPoint(vertex)));
        const double coordinates[3] = {p.dot(u) * mOptions.uvScale, p.dot(v) * mOptions.uvScale, 0.0};
        for (int c = 0; c < 3; ++c) {
          if (c < normals.tupleSize()) normals.setNumber(vertex, c, n[c]);
          if (c < uv.tupleSize()) uv.setNumber(vertex, c, coordinates[c]);
        }
      }
    }
  }

  const Geometry& mSolid;
  const TriangleMesh& mMesh;
  const Cut& mCut;
  const PieceOptions& mOptions;
  Context& mContext;
  std::vector<int32_t> mPointVertex;  // the cut's vertex of each point
  std::vector<int32_t> mCorners, mCounts, mPiece;
  std::vector<const CutFace*> mFaceOf;
  std::vector<Mixture> mVertexMixtures;
  std::vector<std::string> mNames;
};

/// A point attribute as a vertex attribute: inside faces want values of their own.
void promoteToVertices(Geometry& geometry, const char* name) {
  const Attribute* points = geometry.findAttribute(Owner::Point, name);
  if (!points || geometry.findAttribute(Owner::Vertex, name)) return;
  std::vector<Mixture> copies;
  for (const int32_t p : geometry.vertexPoints()) copies.push_back(Mixture::copyOf(p));
  geometry.addAttribute(Owner::Vertex, mixed(*points, copies));
  geometry.removeAttribute(Owner::Point, name);
}

void addNormals(Geometry& geometry, double cuspAngle, Context& context) {
  Attribute& n = geometry.addAttribute(Owner::Vertex, Attribute("N", Storage::Float32, 3, 0, "normal"));
  const std::vector<Vec3> normals = vertexNormals(geometry, cuspAngle, context);
  std::vector<float>& values = n.edit<float>();
  for (size_t v = 0; v < normals.size(); ++v)
    for (int c = 0; c < 3; ++c) values[3 * v + static_cast<size_t>(c)] = static_cast<float>(normals[v][c]);
}

}  // namespace

FracturePieces makePieces(const Geometry& solid, const TriangleMesh& mesh, const Cut& cut,
                          const PieceOptions& options, Context& context) {
  Geometry source = solid;
  promoteToVertices(source, "N");
  promoteToVertices(source, "uv");
  // Outside faces need normals too once inside faces have them.
  constexpr double kOutsideCusp = 30.0;
  if (!source.findAttribute(Owner::Vertex, "N")) addNormals(source, kOutsideCusp, context);
  return PieceBuilder(source, mesh, cut, options, context).build();
}

FracturePieces joinPieces(Span<FracturePieces> parts, Span<const size_t> polygons,
                          const std::string& prefix) {
  FracturePieces all;
  std::vector<Geometry> geometries;
  int32_t source = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    FracturePieces& part = parts[i];
    const auto first = static_cast<int32_t>(all.volume.size());
    for (const int32_t piece : part.primitivePiece) all.primitivePiece.push_back(first + piece);
    for (const int32_t s : part.primitiveSource) all.primitiveSource.push_back(s < 0 ? s : source + s);
    source += static_cast<int32_t>(polygons[i]);
    all.cell.insert(all.cell.end(), part.cell.begin(), part.cell.end());
    all.volume.insert(all.volume.end(), part.volume.begin(), part.volume.end());
    all.centre.insert(all.centre.end(), part.centre.begin(), part.centre.end());
    for (PieceContact contact : part.contacts) {
      contact.a += first;
      contact.b += first;
      all.contacts.push_back(contact);
    }
    geometries.push_back(std::move(part.geometry));
  }
  all.geometry = merged(geometries);
  for (size_t i = 0; i < all.volume.size(); ++i) all.names.push_back(fmt::format("{}{}", prefix, i));
  all.geometry.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1))
      .assignStrings({all.names, all.primitivePiece});
  return all;
}

void addDepth(Geometry& pieces, const Geometry& solid, const std::string& insideGroup, Context& context) {
  Geometry surface = solid;
  if (const Group* inside = solid.findGroup(Owner::Primitive, insideGroup)) {
    std::vector<int32_t> outside;
    for (size_t f = 0; f < solid.primitiveCount(); ++f)
      if (!inside->bits[f]) outside.push_back(static_cast<int32_t>(f));
    surface = solid.extract(outside);
  }
  std::vector<uint8_t> deep(pieces.pointCount(), 1);
  const Group* inside = pieces.findGroup(Owner::Primitive, insideGroup);
  for (size_t f = 0; f < pieces.primitiveCount(); ++f)
    if (!inside || !inside->bits[f])
      for (const int32_t p : pieces.corners(f)) deep[p] = 0;
  Attribute& depth = pieces.addAttribute(Owner::Point, Attribute("depth", Storage::Float32, 1));
  std::vector<float>& values = depth.edit<float>();
  // Every piece has points of its own; what several pieces share is measured once.
  std::vector<int32_t> order;
  for (size_t p = 0; p < deep.size(); ++p)
    if (deep[p]) order.push_back(static_cast<int32_t>(p));
  const auto at = [&](int32_t p) -> const Vec3& { return pieces.position(static_cast<size_t>(p)); };
  parallelStableSort(context, order, [&](int32_t a, int32_t b) {
    return std::lexicographical_compare(at(a).data(), at(a).data() + 3, at(b).data(), at(b).data() + 3);
  });
  std::vector<size_t> firsts;
  for (size_t k = 0; k < order.size(); ++k)
    if (k == 0 || at(order[k]) != at(order[k - 1])) firsts.push_back(k);
  firsts.push_back(order.size());
  const TriangleBvh bvh(triangleMesh(surface), context);
  // In the order of points, the next one is near: it is not deeper than the last by more than it is away.
  std::vector<size_t> places(firsts.size() - 1);
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(),
            [&](size_t a, size_t b) { return order[firsts[a]] < order[firsts[b]]; });
  parallelRanges(context, bvh.empty() ? 0 : places.size(), 256, [&](size_t begin, size_t end) {
    double bound = std::numeric_limits<double>::infinity();
    for (size_t k = begin; k < end; ++k) {
      const size_t first = firsts[places[k]], last = firsts[places[k] + 1];
      const Vec3& p = at(order[first]);
      if (k > begin) bound += 1e-12 + 1.000001 * (p - at(order[firsts[places[k - 1]]])).norm();
      double square = bvh.closestPoint(p, bound).squaredDistance;
      if (!std::isfinite(square)) square = bvh.closestPoint(p).squaredDistance;
      bound = std::sqrt(square);
      for (size_t m = first; m < last; ++m) values[order[m]] = static_cast<float>(bound);
    }
  });
}

Value pieceReport(const Geometry& solid, const FracturePieces& pieces, Context& context,
                  const std::string& insideGroup) {
  return pieceReport(massProperties(triangleMesh(solid), context).volume, pieces, context, insideGroup);
}

Value pieceReport(double before, const FracturePieces& pieces, Context& context,
                  const std::string& insideGroup) {
  const Topology topology = analyseTopology(pieces.geometry, context);
  double after = 0;
  for (const double v : pieces.volume) after += v;
  const Group* group = pieces.geometry.findGroup(Owner::Primitive, insideGroup);
  const size_t inside = group ? group->count() : 0;
  Value report;
  report.set("pieces", pieces.volume.size());
  report.set("closed", topology.closed);
  report.set("manifold", topology.manifold);
  report.set("volume_in", before);
  report.set("volume_out", after);
  report.set("volume_error", before != 0 ? std::abs(after - before) / std::abs(before) : 0.0);
  report.set("outside_faces", pieces.geometry.primitiveCount() - inside);
  report.set("inside_faces", inside);
  return report;
}

}  // namespace hackle
