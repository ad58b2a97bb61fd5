// What every fracture operator gives back, and the parameters that shape it.
#pragma once

#include <hackle/fracture/constraints.h>
#include <hackle/fracture/interior_detail.h>
#include <hackle/fracture/pieces.h>
#include <hackle/ops/operator.h>

namespace hackle {

struct FractureOutputOptions {
  std::string prefix = "piece";
  double minVolume = 0.0;  // share of the solid's volume
  bool triangulate = false;
  double uvScale = 1.0;     // per metre
  double cuspAngle = 30.0;  // degrees
  std::string insideGroup = "inside";
  std::string outsideGroup = "outside";
  DetailOptions detail;
  ConstraintOptions constraints;
  double shrink = 0.0;  // m
};

/// Rows for the options of an operator: `table.include(&Options::output, fractureOutputTable())`.
ParameterTable<FractureOutputOptions> fractureOutputTable();
/// The rows that matter when faces are cut, and those that matter when pieces are put together from parts
/// that were cut before.
ParameterTable<FractureOutputOptions> cutOutputTable();
ParameterTable<FractureOutputOptions> gluedOutputTable();
/// Pieces, constraints, proxies.
std::vector<Port> fractureOutputPorts();

/// For makePieces; `volume` is the solid's (m^3).
PieceOptions pieceOptions(const FractureOutputOptions& options, double volume);

/// All three outputs and the common report. `solid` is what came in.
Outputs fractureOutputs(const Geometry& solid, FracturePieces pieces, const FractureOutputOptions& options,
                        Context& context);
/// The same for pieces that have their `depth` and `insideGroup` already, of a solid of that volume (m^3).
Outputs fractureOutputs(double volume, FracturePieces pieces, const FractureOutputOptions& options,
                        const std::string& insideGroup, Context& context);

}  // namespace hackle
