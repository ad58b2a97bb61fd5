// From a cut to finished pieces, the same for every engine: roughness of inside faces, pieces, depth.
#pragma once

#include <hackle/fracture/interior_detail.h>
#include <hackle/fracture/pieces.h>
#include <hackle/fracture/solid.h>

namespace hackle {

/// How pieces look.
struct CutPieceOptions {
  PieceOptions pieces;        // minVolume: m^3
  double minVolumeShare = 0;  // of the solid's volume; smaller pieces join a neighbour, too
  DetailOptions detail;
};

/// Pieces of a cut of the solid, with `depth` on their points. DegenerateCut if faces do not fit together.
FracturePieces piecesOfCut(const Solid& solid, Cut cut, const CutPieceOptions& options, Context& context);
/// The same without `depth`, for pieces that are broken or joined further before they are finished.
FracturePieces unfinishedPiecesOfCut(const Geometry& solid, const TriangleMesh& mesh, double volume, Cut cut,
                                     const CutPieceOptions& options, Context& context);
/// Gives all points of pieces of the solid `depth`; with the solid's own tree where it has no old inside
/// faces.
void addDepth(Geometry& pieces, const Solid& solid, const std::string& insideGroup, Context& context);
/// The whole solid as one piece per connected part, without and with `depth`.
FracturePieces unfinishedWholePieces(const Solid& solid, const CutPieceOptions& options, Context& context);
FracturePieces wholePieces(const Solid& solid, const CutPieceOptions& options, Context& context);

}  // namespace hackle
