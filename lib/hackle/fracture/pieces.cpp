#include <hackle/fracture/pieces.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/inside_texture.h>
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

constexpr size_t kGrain = 4096;  // elements that a thread takes at a time

/// Sets the first three numbers of an attribute of any storage. Different elements may be set from different
/// threads.
class VectorWriter {
 public:
  explicit VectorWriter(Attribute& attribute) : mAttribute(attribute) {
    // Make the values our own before threads write to them.
    attribute.visitNumbers([&](const auto& values) { attribute.edit<std::decay_t<decltype(values[0])>>(); });
    if (attribute.storage() == Storage::Float32) mFloats = attribute.edit<float>().data();
  }

  void set(size_t element, const Vec3& value) {
    const int width = mAttribute.tupleSize();
    for (int c = 0; c < std::min(width, 3); ++c) {
      if (mFloats)
        mFloats[element * static_cast<size_t>(width) + static_cast<size_t>(c)] = static_cast<float>(value[c]);
      else
        mAttribute.setNumber(element, c, value[c]);
    }
  }

 private:
  Attribute& mAttribute;
  float* mFloats = nullptr;
};

/// Faces of some pieces that follow each other, with points numbered from 0.
struct PieceRange {
  std::vector<int32_t> pointVertex;  // the cut's vertex of each point
  std::vector<int32_t> corners;      // points
  std::vector<int32_t> places;       // of corners in their faces
  std::vector<int32_t> counts;       // of corners, one per primitive
  std::vector<int32_t> piece;        // one per primitive
  std::vector<const CutFace*> faceOf;
};

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
    result.contacts = findContacts(mCut, faces, mContext);
    addFaces(faces);
    mTexture = insideTexture(mCut, faces, mOptions.cuspAngle, mContext);
    for (size_t p = 0; p < faces.count(); ++p) {
      result.cell.push_back(mCut.faces[faces.faces[faces.starts[p]]].cell);
      mNames.push_back(fmt::format("{}{}", mOptions.prefix, p));
    }
    result.primitiveSource.reserve(mFaceOf.size());
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
    PieceFaces faces = connectPieces(mCut, mContext);
    double whole = 0;
    for (const double v : faces.volumes) whole += v;
    return joinSmallPieces(mCut, std::move(faces), std::max(mOptions.minVolume, kNothing * whole), mContext);
  }

  /// Points and corners of all pieces: found in ranges of pieces, then put one after another.
  void addFaces(const PieceFaces& faces) {
    constexpr size_t kRanges = 32;  // each has a table of all vertices
    const size_t grain = (faces.count() + kRanges - 1) / kRanges;
    std::vector<PieceRange> ranges(grain == 0 ? 0 : (faces.count() + grain - 1) / grain);
    parallelRanges(mContext, faces.count(), grain,
                   [&](size_t begin, size_t end) { ranges[begin / grain] = facesOf(faces, begin, end); });
    mRangeStarts = {0};
    std::vector<size_t> points{0}, corners{0};
    for (const PieceRange& range : ranges) {
      points.push_back(points.back() + range.pointVertex.size());
      corners.push_back(corners.back() + range.corners.size());
      mRangeStarts.push_back(mRangeStarts.back() + range.counts.size());
    }
    mPointVertex.resize(points.back());
    mCorners.resize(corners.back());
    mCutCorners.resize(corners.back());
    mVertexMixtures.resize(corners.back());
    mCounts.resize(mRangeStarts.back());
    mPiece.resize(mRangeStarts.back());
    mFaceOf.resize(mRangeStarts.back());
    parallelFor(mContext, ranges.size(), 1, [&](size_t r) {
      const PieceRange& range = ranges[r];
      const auto put = [](const auto& from, auto& to, size_t first) {
        std::copy(from.begin(), from.end(), to.begin() + static_cast<std::ptrdiff_t>(first));
      };
      put(range.pointVertex, mPointVertex, points[r]);
      put(range.counts, mCounts, mRangeStarts[r]);
      put(range.piece, mPiece, mRangeStarts[r]);
      put(range.faceOf, mFaceOf, mRangeStarts[r]);
      size_t c = 0;
      for (size_t f = 0; f < range.counts.size(); ++f)
        for (int32_t k = 0; k < range.counts[f]; ++k, ++c) {
          mCorners[corners[r] + c] = static_cast<int32_t>(points[r]) + range.corners[c];
          mCutCorners[corners[r] + c] = range.faceOf[f]->first + range.places[c];
          if (range.faceOf[f]->neighbour < 0)
            mVertexMixtures[corners[r] + c] = vertexMixture(*range.faceOf[f], range.places[c]);
        }
    });
  }

  PieceRange facesOf(const PieceFaces& faces, size_t begin, size_t end) const {
    PieceRange range;
    std::vector<int32_t> pointOf(mCut.vertices.size(), -1);
    for (size_t p = begin; p < end; ++p) {
      mContext.checkCancel();
      const size_t first = range.pointVertex.size();
      for (int32_t f = faces.starts[p]; f < faces.starts[p + 1]; ++f)
        addFace(mCut.faces[faces.faces[f]], static_cast<int32_t>(p), pointOf, range);
      for (size_t k = first; k < range.pointVertex.size(); ++k) pointOf[range.pointVertex[k]] = -1;
    }
    return range;
  }

  void addFace(const CutFace& face, int32_t piece, std::vector<int32_t>& pointOf, PieceRange& range) const {
    const auto addCorner = [&](int32_t k) {
      const int32_t vertex = vertexAt(face, k);
      int32_t& point = pointOf[vertex];
      if (point < 0) {
        point = static_cast<int32_t>(range.pointVertex.size());
        range.pointVertex.push_back(vertex);
      }
      range.corners.push_back(point);
      range.places.push_back(k);
    };
    const auto finish = [&](int32_t count) {
      range.counts.push_back(count);
      range.piece.push_back(piece);
      range.faceOf.push_back(&face);
    };
    if (!mOptions.triangulate || face.count <= 3) {
      for (int32_t k = 0; k < face.count; ++k) addCorner(k);
      return finish(face.count);
    }
    for (const Triangle& t : trianglesOf(face)) {
      for (const int32_t k : t) addCorner(k);
      finish(3);
    }
  }

  /// The two sides of a face run against each other and are cut alike.
  std::vector<Triangle> trianglesOf(const CutFace& face) const {
    std::vector<Vec3> corners;
    for (int32_t k = 0; k < face.count; ++k) corners.push_back(mCut.vertices[vertexAt(face, k)].position);
    const bool backwards = face.neighbour >= 0 && face.cell > face.neighbour;
    if (backwards) std::reverse(corners.begin(), corners.end());
    std::vector<Triangle> parts = triangulatePolygon(corners);
    if (backwards)
      for (Triangle& t : parts) t = {face.count - 1 - t[2], face.count - 1 - t[1], face.count - 1 - t[0]};
    return parts;
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
    parallelFor(mContext, positions.size(), kGrain, [&](size_t p) {
      const CutVertex& v = mCut.vertices[mPointVertex[p]];
      positions[p] = v.position;
      if (v.point >= 0)
        pointMixtures[p] = Mixture::copyOf(v.point);
      else if (v.triangle >= 0)
        pointMixtures[p] = mixtureIn(v.triangle, v, mMesh.triangles[v.triangle]);
    });
    result.addPrimitives(PrimitiveType::Polygon, mCounts, mCorners);
    std::vector<int32_t>().swap(mCorners);
    std::vector<int32_t>().swap(mCounts);
    const Geometry bare = result;
    std::vector<Mixture> primitiveMixtures(mFaceOf.size());
    for (size_t f = 0; f < mFaceOf.size(); ++f)
      if (mFaceOf[f]->primitive >= 0) primitiveMixtures[f] = Mixture::copyOf(mFaceOf[f]->primitive);

    carryAttributes(mSolid, Owner::Point, pointMixtures, result, mContext);
    carryAttributes(mSolid, Owner::Vertex, mVertexMixtures, result, mContext);
    std::vector<Mixture>().swap(mVertexMixtures);
    carryAttributes(mSolid, Owner::Primitive, primitiveMixtures, result, mContext);
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

  /// N and uv of new faces. `bare` is the same without attributes.
  void addInsideVertices(Geometry& result, const Geometry& bare) const {
    if (!result.findAttribute(Owner::Vertex, "uv"))
      result.addAttribute(Owner::Vertex, Attribute("uv", Storage::Float32, 3, 0, "texturecoord"));
    VectorWriter normals(*result.findAttribute(Owner::Vertex, "N"));
    VectorWriter uv(*result.findAttribute(Owner::Vertex, "uv"));
    // Pieces share no points, so ranges of them can be smoothed one by one.
    parallelFor(mContext, mRangeStarts.size() - 1, 1, [&](size_t r) {
      std::vector<int32_t> faces;
      for (size_t f = mRangeStarts[r]; f < mRangeStarts[r + 1]; ++f)
        if (isNew(f)) faces.push_back(static_cast<int32_t>(f));
      const Geometry inside = bare.extract(faces);
      const std::vector<Vec3> smooth = vertexNormals(inside, mOptions.cuspAngle, mContext);
      for (size_t i = 0; i < faces.size(); ++i) {
        const size_t first = bare.firstVertex(static_cast<size_t>(faces[i]));
        for (size_t k = 0; k < bare.vertexCount(static_cast<size_t>(faces[i])); ++k) {
          const Vec2 place = mOptions.uvScale * mTexture[mCutCorners[first + k]];
          normals.set(first + k, smooth[inside.firstVertex(i) + k]);
          uv.set(first + k, {place.x(), place.y(), 0.0});
        }
      }
    });
  }

  const Geometry& mSolid;
  const TriangleMesh& mMesh;
  const Cut& mCut;
  const PieceOptions& mOptions;
  Context& mContext;
  std::vector<size_t> mRangeStarts;   // the first primitive of each range of pieces, and the end
  std::vector<int32_t> mPointVertex;  // the cut's vertex of each point
  std::vector<int32_t> mCorners, mCounts, mPiece;
  std::vector<int32_t> mCutCorners;  // the cut's corner of each vertex
  std::vector<Vec2> mTexture;        // of the cut's corners, m
  std::vector<const CutFace*> mFaceOf;
  std::vector<Mixture> mVertexMixtures;
  std::vector<std::string> mNames;
};

/// A point attribute as a vertex attribute: inside faces want values of their own.
void promoteToVertices(Geometry& geometry, const char* name) {
  const Attribute* points = geometry.findAttribute(Owner::Point, name);
  if (!points || geometry.findAttribute(Owner::Vertex, name)) return;
  geometry.addAttribute(Owner::Vertex, points->gathered(geometry.vertexPoints().span()));
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
  addDepth(pieces, TriangleBvh(triangleMesh(surface), context), insideGroup, context);
}

namespace {

/// Points at the same place, in the order of the first of each.
struct SharedPlaces {
  std::vector<int32_t> points;  // by place
  std::vector<size_t> starts;   // of each place, and the end
  std::vector<size_t> order;    // places by their first point
};

SharedPlaces sharedPlaces(const Geometry& geometry, std::vector<int32_t> points, Context& context) {
  SharedPlaces shared;
  const auto at = [&](int32_t p) -> const Vec3& { return geometry.position(static_cast<size_t>(p)); };
  parallelStableSort(context, points, [&](int32_t a, int32_t b) {
    return std::lexicographical_compare(at(a).data(), at(a).data() + 3, at(b).data(), at(b).data() + 3);
  });
  std::vector<int32_t> placeOf(geometry.pointCount(), -1);  // of those that come first
  for (size_t k = 0; k < points.size(); ++k) {
    if (k > 0 && at(points[k]) == at(points[k - 1])) continue;
    placeOf[points[k]] = static_cast<int32_t>(shared.starts.size());
    shared.starts.push_back(k);
  }
  shared.order.reserve(shared.starts.size());
  for (const int32_t place : placeOf)
    if (place >= 0) shared.order.push_back(static_cast<size_t>(place));
  shared.starts.push_back(points.size());
  shared.points = std::move(points);
  return shared;
}

}  // namespace

void addDepth(Geometry& pieces, const TriangleBvh& outside, const std::string& insideGroup,
              Context& context) {
  std::vector<uint8_t> deep(pieces.pointCount(), 1);
  const Group* inside = pieces.findGroup(Owner::Primitive, insideGroup);
  for (size_t f = 0; f < pieces.primitiveCount(); ++f)
    if (!inside || !inside->bits[f])
      for (const int32_t p : pieces.corners(f)) deep[p] = 0;
  Attribute& depth = pieces.addAttribute(Owner::Point, Attribute("depth", Storage::Float32, 1));
  std::vector<float>& values = depth.edit<float>();
  // Every piece has points of its own; what several pieces share is measured once.
  std::vector<int32_t> deepPoints;
  for (size_t p = 0; p < deep.size(); ++p)
    if (deep[p]) deepPoints.push_back(static_cast<int32_t>(p));
  const SharedPlaces places = sharedPlaces(pieces, std::move(deepPoints), context);
  const auto position = [&](size_t place) -> const Vec3& {
    return pieces.position(static_cast<size_t>(places.points[places.starts[place]]));
  };
  // In the order of points, the next one is near: it is not deeper than the last by more than it is away.
  parallelRanges(context, outside.empty() ? 0 : places.order.size(), 256, [&](size_t begin, size_t end) {
    double bound = std::numeric_limits<double>::infinity();
    for (size_t k = begin; k < end; ++k) {
      const size_t place = places.order[k];
      const Vec3& p = position(place);
      if (k > begin) bound += 1e-12 + 1.000001 * (p - position(places.order[k - 1])).norm();
      double square = outside.closestPoint(p, bound).squaredDistance;
      if (!std::isfinite(square)) square = outside.closestPoint(p).squaredDistance;
      bound = std::sqrt(square);
      for (size_t m = places.starts[place]; m < places.starts[place + 1]; ++m)
        values[places.points[m]] = static_cast<float>(bound);
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
