#include <hackle/fracture/cut_pieces.h>
#include <hackle/meshing/cut/cutter.h>

#include <algorithm>

namespace hackle {

FracturePieces unfinishedPiecesOfCut(const Geometry& solid, const TriangleMesh& mesh, double volume, Cut cut,
                                     const CutPieceOptions& options, Context& context) {
  if (options.detail.size > 0) {
    const Context::Stage stage(context, "detail", 0.1);
    addInteriorDetail(cut, options.detail, context);
  }
  const Context::Stage stage(context, "pieces", 0.1);
  PieceOptions pieces = options.pieces;
  pieces.minVolume = std::max(pieces.minVolume, options.minVolumeShare * volume);
  return makePieces(solid, mesh, cut, pieces, context);
}

FracturePieces piecesOfCut(const Solid& solid, Cut cut, const CutPieceOptions& options, Context& context) {
  FracturePieces pieces =
      unfinishedPiecesOfCut(solid.geometry, solid.mesh, solid.mass.volume, std::move(cut), options, context);
  addDepth(pieces.geometry, solid, options.pieces.insideGroup, context);
  return pieces;
}

void addDepth(Geometry& pieces, const Solid& solid, const std::string& insideGroup, Context& context) {
  const Context::Stage stage(context, "depth", 0.1);
  if (solid.geometry.findGroup(Owner::Primitive, insideGroup))
    addDepth(pieces, solid.geometry, insideGroup, context);
  else
    addDepth(pieces, solid.bvh, insideGroup, context);
}

FracturePieces unfinishedWholePieces(const Solid& solid, const CutPieceOptions& options, Context& context) {
  const std::vector<Vec3> one{solid.geometry.bounds().centre()};
  CutPieceOptions smooth = options;
  smooth.detail.size = 0;
  return unfinishedPiecesOfCut(solid.geometry, solid.mesh, solid.mass.volume,
                               cutByVoronoi(solid.geometry, solid.mesh, one, context), smooth, context);
}

FracturePieces wholePieces(const Solid& solid, const CutPieceOptions& options, Context& context) {
  FracturePieces pieces = unfinishedWholePieces(solid, options, context);
  addDepth(pieces.geometry, solid, options.pieces.insideGroup, context);
  return pieces;
}

}  // namespace hackle
