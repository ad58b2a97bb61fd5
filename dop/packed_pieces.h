// Between the packed pieces of a simulation's detail and the bodies of the coupling.
#pragma once

#include <hackle/coupling/hosted_packed.h>

#include <GA/GA_Types.h>

#include <vector>

class GU_Detail;
class SIM_Impacts;

namespace hackle::houdini {

/// All packed primitives of a detail, in their order. Their shapes refer to the detail, which has to outlive
/// them.
struct PackedPieces {
  std::vector<GA_Offset> primitives;
  Geometry points;  // the point of each, with its attributes
  std::vector<HostedPiece> pieces;
};
/// `length` is the detail's length for a metre.
PackedPieces packedPieces(const GU_Detail& detail, double length);

std::vector<HostedRecord> impactRecords(const SIM_Impacts& impacts);

/// Puts the fragments in place of the pieces that broke, onto the points that hackle::fragmentPoints made.
void replacePieces(GU_Detail& detail, const PackedPieces& packed, const std::vector<HostedBreak>& breaks,
                   const Geometry& points, double length);

}  // namespace hackle::houdini
