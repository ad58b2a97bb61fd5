// Between the packed pieces of a simulation's detail and the bodies of the coupling.
#pragma once

#include <hackle/coupling/hosted_step.h>

#include <GA/GA_Types.h>

#include <string>
#include <vector>

class GU_Detail;
class SIM_Impacts;

namespace hackle::houdini {

/// Lengths in the detail for each metre.
struct PieceScale {
  double length = 1;
};

/// A packed piece, and what its point says of it.
struct PackedPiece {
  GA_Offset primitive = GA_Offset(0), point = GA_Offset(0);
  HostedBody body;                    // without engine and limits
  std::optional<double> density;      // kg/m^3
  std::optional<std::string> engine;  // hackle_engine, where the point has it
  std::string engineParameters;       // hackle_engine_parameters
  std::optional<double> minImpulse, minForce, minVolume;
  int generation = 0;  // how often it was broken off
};

/// All packed primitives, in their order. The shapes refer to the detail, which has to outlive them.
std::vector<PackedPiece> packedPieces(const GU_Detail& detail, const PieceScale& scale);

/// The records of impacts on these pieces. The piece is what the primitive number says, else the point
/// number, else the nearest. `own` is the id of the object.
std::vector<HostedContact> impactContacts(const SIM_Impacts& impacts, const GU_Detail& detail,
                                          const std::vector<PackedPiece>& pieces, int own,
                                          const PieceScale& scale);
/// The same from the points of an Impact Analysis.
std::vector<HostedContact> analysisContacts(const GU_Detail& analysis, const std::vector<PackedPiece>& pieces,
                                            int own, const PieceScale& scale);

/// Puts the fragments in place of the pieces that broke. Attributes of the old point go on, but for those
/// that are the solver's own; `time` is stamped on them.
void replacePieces(GU_Detail& detail, const std::vector<PackedPiece>& pieces,
                   const std::vector<HostedBreak>& breaks, double time, const PieceScale& scale);

/// Points of constraints whose piece broke take the name of the nearest fragment.
void rewireConstraints(GU_Detail& constraints, const std::vector<PackedPiece>& pieces,
                       const std::vector<HostedBreak>& breaks, const PieceScale& scale);

}  // namespace hackle::houdini
