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
/// Pieces, constraints, proxies.
std::vector<Port> fractureOutputPorts();

/// For makePieces; `volume` is the solid's (m^3).
PieceOptions pieceOptions(const FractureOutputOptions& options, double volume);

/// All three outputs and the common report. `solid` is what came in.
Outputs fractureOutputs(const Geometry& solid, FracturePieces pieces, const FractureOutputOptions& options,
                        Context& context);

}  // namespace hackle
