// Texture coordinates of the faces of a cut that pieces share.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/piece_components.h>
#include <hackle/meshing/cut/cut.h>

#include <vector>

namespace hackle {

/// For each corner of the cut (Cut::corners) its place on the texture, m: charts as insideCharts makes them,
/// the same on both sides of a face. Corners of outside faces, and of faces that are in no piece, are at the
/// origin.
std::vector<Vec2> insideTexture(const Cut& cut, const PieceFaces& pieces, double smoothAngle,
                                Context& context);

}  // namespace hackle
