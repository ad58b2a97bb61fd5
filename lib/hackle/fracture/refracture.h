// Fractures of fractures.
#pragma once

#include <hackle/fracture/pieces.h>

#include <functional>

namespace hackle {

/// Named pieces of a geometry (see findPieces), as if a fracture had made them: each with its volume and
/// centre, but without contacts.
FracturePieces piecesOf(const Geometry& geometry, Context& context);

/// A geometry as the one piece of that name, as if a fracture had left it whole.
FracturePieces wholePiece(const Geometry& geometry, const std::string& name, Context& context);

/// True for named pieces that are bodies of their own; names of patches on one surface do not count.
bool hasSeveralPieces(const Geometry& geometry);
/// Every named piece by itself as a solid (`checkedSolid`); one that cannot be repaired comes as it is, with
/// a warning, and stays whole when pieces are broken.
Geometry checkedPieces(const Geometry& geometry, Context& context);

/// Breaks one piece; names of the result start with `prefix`.
using PieceBreaker =
    std::function<FracturePieces(const Geometry& piece, size_t index, const std::string& prefix)>;

/// Breaks every piece by itself: piece3 becomes piece3-0, piece3-1, ... A piece that cannot be broken
/// (Error(BadInput) or Error(Failed)) stays as it is, with a warning. Contacts between parts of different
/// pieces are found where faces of `insideGroup` lie on each other.
FracturePieces breakEach(const FracturePieces& pieces, const PieceBreaker& breaker,
                         const std::string& insideGroup, Context& context);

/// Area and centre of the part that two triangles of opposite orientation in (nearly) one plane share.
struct TriangleOverlap {
  double area = 0.0;
  Vec3 centre = Vec3::Zero();
};
TriangleOverlap triangleOverlap(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b);

}  // namespace hackle
