// From cut faces to pieces as the geometry contract has them.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/value.h>
#include <hackle/meshing/cutter.h>

#include <string>
#include <vector>

namespace hackle {

struct PieceOptions {
  std::string prefix = "piece";  // names are prefix0, prefix1, ...
  std::string insideGroup = "inside";
  std::string outsideGroup = "outside";
  bool triangulate = false;  // cut polygons of more than three corners into triangles
  double uvScale = 1.0;      // inside uv per metre
};

struct FracturePieces {
  Geometry geometry;
  std::vector<int32_t> primitivePiece;  // the piece of each primitive
  std::vector<int32_t> cell;            // the cell each piece came from
  std::vector<double> volume;           // of each piece, m^3
};

/// Connected pieces, closed and 2-manifold, sorted by cell: a cell that meets the solid in two places gives
/// two. A cavity belongs to the piece around it. `solid` and `mesh` are what was cut. Attributes of outside
/// faces are the solid's, interpolated at cuts; inside faces get N, uv (planar, unstretched) and all points
/// `depth`, the distance to the solid's surface. A face that fits to none is a bug of ours: Error(Internal).
FracturePieces makePieces(const Geometry& solid, const TriangleMesh& mesh, const Cut& cut,
                          const PieceOptions& options, Context& context);

/// What every fracture reports: pieces, closed, manifold, volume_in, volume_out, volume_error, outside_faces,
/// inside_faces.
Value pieceReport(const Geometry& solid, const FracturePieces& pieces, Context& context);

}  // namespace hackle
