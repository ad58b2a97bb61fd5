// What every fracture operator gives back, and the parameters that shape it.
#pragma once

#include <hackle/fracture/constraints.h>
#include <hackle/fracture/cut_pieces.h>
#include <hackle/fracture/engine.h>
#include <hackle/ops/operator.h>

namespace hackle {

struct FractureOutputOptions {
  CutPieceOptions cut;
  ConstraintOptions constraints;
  double shrink = 0.0;  // m, of proxies
};

/// Rows for the options of an operator: `table.include(&Options::output, fractureOutputTable())`.
ParameterTable<FractureOutputOptions> fractureOutputTable();
/// The rows that matter when faces are cut, and those that matter when pieces are put together from parts
/// that were cut before.
ParameterTable<FractureOutputOptions> cutOutputTable();
ParameterTable<FractureOutputOptions> gluedOutputTable();
/// Pieces, constraints, proxies.
std::vector<Port> fractureOutputPorts();

/// The outputs that are wanted (core/wanted_outputs.h) and the common report of finished pieces (with
/// `depth`) of a solid of that volume (m^3). They are the first three of an operator.
Outputs fractureOutputs(double volume, FracturePieces pieces, const FractureOutputOptions& options,
                        const std::string& insideGroup, Context& context);
/// The same of an engine's result; the reason of a body that stays whole becomes a warning.
Outputs fractureOutputs(double volume, FractureResult result, const FractureOutputOptions& options,
                        Context& context);
Outputs fractureOutputs(const Solid& solid, FractureResult result, const FractureOutputOptions& options,
                        Context& context);

}  // namespace hackle
