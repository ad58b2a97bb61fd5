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

namespace hackle {

namespace {

class PieceBuilder {
 public:
  PieceBuilder(const Geometry& solid, const TriangleMesh& mesh, const Cut& cut, const PieceOptions& options,
               Context& context)
      : mSolid(solid), mMesh(mesh), mCut(cut), mOptions(options), mContext(context) {}

  FracturePieces build() {
    const PieceFaces faces = connectPieces(mCut, mContext);
    FracturePieces result;
    result.volume = faces.volumes;
    std::vector<int32_t> pointOf(mCut.vertices.size(), -1);
    for (size_t p = 0; p < faces.count(); ++p) {
      std::vector<int32_t> used;
      for (int32_t f = faces.starts[p]; f < faces.starts[p + 1]; ++f)
        addFace(mCut.faces[static_cast<size_t>(faces.faces[static_cast<size_t>(f)])], static_cast<int32_t>(p),
                pointOf, used);
      for (const int32_t vertex : used) pointOf[static_cast<size_t>(vertex)] = -1;
      result.cell.push_back(
          mCut.faces[static_cast<size_t>(faces.faces[static_cast<size_t>(faces.starts[p])])].cell);
    }
    result.geometry = assemble();
    result.primitivePiece = std::move(mPiece);
    return result;
  }

 private:
  void addFace(const CutFace& face, int32_t piece, std::vector<int32_t>& pointOf,
               std::vector<int32_t>& used) {
    std::vector<Triangle> parts;
    if (mOptions.triangulate && face.count > 3) {
      std::vector<Vec3> corners;
      for (int32_t k = 0; k < face.count; ++k)
        corners.push_back(mCut.vertices[static_cast<size_t>(vertexAt(face, k))].position);
      parts = triangulatePolygon(corners);
    }
    const auto addCorner = [&](int32_t k) {
      const int32_t vertex = vertexAt(face, k);
      int32_t& point = pointOf[static_cast<size_t>(vertex)];
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

  int32_t vertexAt(const CutFace& face, int32_t k) const {
    return mCut.corners[static_cast<size_t>(face.first + k)];
  }

  /// What the solid's vertex attributes are mixed from at corner k of an outside face.
  Mixture vertexMixture(const CutFace& face, int32_t k) const {
    if (face.triangle < 0)
      return Mixture::copyOf(static_cast<int32_t>(mSolid.firstVertex(static_cast<size_t>(face.primitive))) +
                             k);
    const Triangle& points = mMesh.triangles[static_cast<size_t>(face.triangle)];
    const Triangle& vertices = mMesh.vertices[static_cast<size_t>(face.triangle)];
    const CutVertex& v = mCut.vertices[static_cast<size_t>(vertexAt(face, k))];
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
    const Triangle& here = mMesh.triangles[static_cast<size_t>(triangle)];
    const Triangle& there = mMesh.triangles[static_cast<size_t>(v.triangle)];
    Mixture m;
    size_t n = 0;
    for (size_t c = 0; c < 3; ++c) {
      if (v.barycentric[static_cast<Eigen::Index>(c)] == 0.0) continue;
      for (size_t h = 0; h < 3; ++h) {
        if (here[h] != there[c]) continue;
        m.sources[n] = elements[h];
        m.weights[n++] = v.barycentric[static_cast<Eigen::Index>(c)];
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
      const CutVertex& v = mCut.vertices[static_cast<size_t>(mPointVertex[p])];
      positions[p] = v.position;
      if (v.point >= 0)
        pointMixtures[p] = Mixture::copyOf(v.point);
      else if (v.triangle >= 0)
        pointMixtures[p] = mixtureIn(v.triangle, v, mMesh.triangles[static_cast<size_t>(v.triangle)]);
    }
    result.addPrimitives(PrimitiveType::Polygon, mCounts, mCorners);
    std::vector<Mixture> primitiveMixtures(mCounts.size());
    for (size_t f = 0; f < mFaceOf.size(); ++f)
      if (mFaceOf[f]->primitive >= 0) primitiveMixtures[f] = Mixture::copyOf(mFaceOf[f]->primitive);

    carryAttributes(mSolid, Owner::Point, pointMixtures, result);
    carryAttributes(mSolid, Owner::Vertex, mVertexMixtures, result);
    carryAttributes(mSolid, Owner::Primitive, primitiveMixtures, result);
    for (const Attribute& a : mSolid.attributes(Owner::Detail)) result.addAttribute(Owner::Detail, a);
    addNames(result);
    addFaceGroups(result);
    addInsideVertices(result);
    addDepth(result);
    return result;
  }

  void addNames(Geometry& result) const {
    const int32_t count = mPiece.empty() ? 0 : mPiece.back() + 1;
    std::vector<std::string> names;
    for (int32_t p = 0; p < count; ++p) names.push_back(fmt::format("{}{}", mOptions.prefix, p));
    Attribute& name = result.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
    name.assignStrings({std::move(names), mPiece});
  }

  void addFaceGroups(Geometry& result) const {
    for (const bool inside : {true, false}) {
      std::vector<uint8_t>& bits =
          result.addGroup(Owner::Primitive, inside ? mOptions.insideGroup : mOptions.outsideGroup)
              .bits.edit();
      for (size_t f = 0; f < mFaceOf.size(); ++f) bits[f] = (mFaceOf[f]->neighbour >= 0) == inside ? 1 : 0;
    }
  }

  /// N and uv of inside faces: flat, and measured in their plane from the origin.
  void addInsideVertices(Geometry& result) const {
    for (const char* name : {"N", "uv"})
      if (!result.findAttribute(Owner::Vertex, name))
        result.addAttribute(Owner::Vertex, Attribute(name, Storage::Float32, 3, 0,
                                                     name[0] == 'N' ? "normal" : "texturecoord"));
    Attribute& normals = *result.findAttribute(Owner::Vertex, "N");
    Attribute& uv = *result.findAttribute(Owner::Vertex, "uv");
    const std::vector<Vec3> faceNormal = faceNormals(result, mContext);
    for (size_t f = 0; f < mFaceOf.size(); ++f) {
      if (mFaceOf[f]->neighbour < 0) continue;
      // The two sides of a face share axes, so that a texture runs through.
      const Vec3 axis = mFaceOf[f]->cell < mFaceOf[f]->neighbour ? faceNormal[f] : Vec3(-faceNormal[f]);
      Eigen::Index least = 0;
      axis.cwiseAbs().minCoeff(&least);
      const Vec3 u = axis.cross(Vec3::Unit(least)).normalized(), v = axis.cross(u);
      for (size_t k = result.firstVertex(f); k < result.firstVertex(f + 1); ++k) {
        const Vec3& p = result.position(static_cast<size_t>(result.vertexPoint(k)));
        const double coordinates[3] = {p.dot(u) * mOptions.uvScale, p.dot(v) * mOptions.uvScale, 0.0};
        for (int c = 0; c < 3; ++c) {
          if (c < normals.tupleSize()) normals.setNumber(k, c, faceNormal[f][c]);
          if (c < uv.tupleSize()) uv.setNumber(k, c, coordinates[c]);
        }
      }
    }
  }

  void addDepth(Geometry& result) const {
    Attribute& depth = result.addAttribute(Owner::Point, Attribute("depth", Storage::Float32, 1));
    std::vector<float>& values = depth.edit<float>();
    const TriangleBvh bvh(mMesh, mContext);
    parallelFor(mContext, values.size(), 256, [&](size_t p) {
      const CutVertex& v = mCut.vertices[static_cast<size_t>(mPointVertex[p])];
      if (v.point >= 0 || v.triangle >= 0) return;
      values[p] = static_cast<float>(std::sqrt(bvh.closestPoint(v.position).squaredDistance));
    });
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
};

}  // namespace

FracturePieces makePieces(const Geometry& solid, const TriangleMesh& mesh, const Cut& cut,
                          const PieceOptions& options, Context& context) {
  // Outside faces need normals too once inside faces have them.
  constexpr double kCuspAngle = 30.0;
  Geometry withNormals = solid;
  if (!solid.findAttribute(Owner::Vertex, "N") && !solid.findAttribute(Owner::Point, "N")) {
    Attribute& n = withNormals.addAttribute(Owner::Vertex, Attribute("N", Storage::Float32, 3, 0, "normal"));
    const std::vector<Vec3> normals = vertexNormals(solid, kCuspAngle, context);
    std::vector<float>& values = n.edit<float>();
    for (size_t v = 0; v < normals.size(); ++v)
      for (int c = 0; c < 3; ++c) values[3 * v + static_cast<size_t>(c)] = static_cast<float>(normals[v][c]);
  }
  return PieceBuilder(withNormals, mesh, cut, options, context).build();
}

Value pieceReport(const Geometry& solid, const FracturePieces& pieces, Context& context) {
  const Topology topology = analyseTopology(pieces.geometry, context);
  const double before = massProperties(triangleMesh(solid), context).volume;
  double after = 0;
  for (const double v : pieces.volume) after += v;
  const auto members = [&](const char* group) {
    const Group* g = pieces.geometry.findGroup(Owner::Primitive, group);
    return g ? g->count() : 0;
  };
  Value report;
  report.set("pieces", pieces.volume.size());
  report.set("closed", topology.closed);
  report.set("manifold", topology.manifold);
  report.set("volume_in", before);
  report.set("volume_out", after);
  report.set("volume_error", before != 0 ? std::abs(after - before) / std::abs(before) : 0.0);
  report.set("outside_faces", members("outside"));
  report.set("inside_faces", members("inside"));
  return report;
}

}  // namespace hackle
