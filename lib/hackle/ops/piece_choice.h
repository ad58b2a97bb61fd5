// Which pieces of a broken input a fracture operator breaks further.
#pragma once

#include <hackle/fracture/engine.h>
#include <hackle/ops/fracture_output.h>

#include <optional>

namespace hackle {

struct PieceChoice {
  bool each = true;  // several named pieces are bodies of their own
  std::string only;  // pattern of names and groups; empty: all
};

/// Rows for the options of an operator: `table.include(&Options::choice, pieceChoiceTable())`.
ParameterTable<PieceChoice> pieceChoiceTable();

/// The outputs of an input of several named pieces, of which the chosen ones are broken one by one; nothing
/// for an input that is one body or is to be broken as one. Error(BadInput) for a choice that matches
/// nothing.
std::optional<Outputs> fractureChosenPieces(const FractureEngine& engine, const Geometry& input,
                                            const PieceChoice& choice, const LoadCase& load,
                                            const FractureOutputOptions& options, Context& context);

}  // namespace hackle
