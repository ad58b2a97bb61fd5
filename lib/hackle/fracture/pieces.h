// From cut faces to pieces as the geometry contract has them.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/value.h>
#include <hackle/fracture/piece_components.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/cut/cut.h>

#include <string>
#include <vector>

namespace hackle {

struct PieceOptions {
  std::string prefix = "piece";  // names are prefix0, prefix1, ...
  std::string insideGroup = "inside";
  std::string outsideGroup = "outside";
  bool triangulate = false;  // cut polygons of more than three corners into triangles
  double uvScale = 1.0;      // inside uv per metre
  double cuspAngle = 30.0;   // degrees; inside faces that meet at less share their normals
  double minVolume = 0.0;    // m^3; smaller pieces join their neighbours
};

struct FracturePieces {
  Geometry geometry;
  std::vector<int32_t> primitivePiece;  // the piece of each primitive
  std::vector<int32_t>
      primitiveSource;               // the solid's polygon that a primitive is a part of, -1 for inside faces
  std::vector<int32_t> pointVertex;  // the cut's vertex of each point; empty if pieces came otherwise
  std::vector<std::string> names;
  std::vector<int32_t> cell;   // the cell each piece came from
  std::vector<double> volume;  // of each piece, m^3
  std::vector<Vec3> centre;    // of mass of each piece, m
  std::vector<PieceContact> contacts;
};

/// Connected pieces, closed and 2-manifold, sorted by cell: a cell that meets the solid in two places gives
/// two. A cavity belongs to the piece around it. Pieces of next to no volume (1e-10 of the whole) always join
/// a neighbour. `solid` and `mesh` are what was cut.
///
/// Attributes of outside faces are the solid's, interpolated at cuts; inside faces get N and uv (charts
/// at one scale, the same on both sides: insideTexture). Faces of the solid that are in its inside group stay
/// in it: fractures add up. DegenerateCut if faces do not fit together.
FracturePieces makePieces(const Geometry& solid, const TriangleMesh& mesh, const Cut& cut,
                          const PieceOptions& options, Context& context);

/// Pieces of several solids as pieces of one, numbered on from part to part. `polygons` says how many each
/// solid has; the one has them in the same order.
FracturePieces joinPieces(Span<FracturePieces> parts, Span<const size_t> polygons, const std::string& prefix);

/// Gives all points `depth`, the distance to the outside faces of `solid` (those that are not in its group
/// `insideGroup`, if it has one); 0 for points of outside faces.
void addDepth(Geometry& pieces, const Geometry& solid, const std::string& insideGroup, Context& context);
/// The same where the tree of the outside faces is there already.
void addDepth(Geometry& pieces, const TriangleBvh& outside, const std::string& insideGroup, Context& context);

/// What every fracture reports: pieces, closed, manifold, volume_in, volume_out, volume_error, outside_faces,
/// inside_faces.
Value pieceReport(const Geometry& solid, const FracturePieces& pieces, Context& context,
                  const std::string& insideGroup = "inside");
/// The same where only the solid's volume (m^3) is known.
Value pieceReport(double volume, const FracturePieces& pieces, Context& context,
                  const std::string& insideGroup = "inside");

}  // namespace hackle
