#include <hackle/ops/piece_choice.h>

#include <hackle/fracture/piece_by_piece.h>
#include <hackle/fracture/refracture.h>
#include <hackle/geometry/piece_names.h>

namespace hackle {

ParameterTable<PieceChoice> pieceChoiceTable() {
  ParameterTable<PieceChoice> table;
  table.section("Levels");
  table.add(&PieceChoice::each, "each", "Break Each Piece")
      .help(
          "If the input has several named pieces, break each by itself and append to its name (piece3-1); an impact acts on the "
          "piece that it hits. Otherwise, all are broken as one body and get new names.");
  table.add(&PieceChoice::only, "only", "Only Pieces")
      .as(ParameterType::Group)
      .enabledWhen("each", {"on"})
      .help(
          "Pieces of the input to break, by name or by primitive group; the others stay as they are and keep their names. * stands "
          "for any text, ? for any letter, ^ before a word takes pieces out: piece1* ^piece12. Empty: all.");
  return table;
}

std::optional<Outputs> fractureChosenPieces(const FractureEngine& engine, const Geometry& input,
                                            const PieceChoice& choice, const LoadCase& load,
                                            const FractureOutputOptions& options, Context& context) {
  if (!choice.each || !hasSeveralPieces(input)) {
    if (choice.each && !choice.only.empty())
      throw Error(ErrorCode::BadInput, "there are no pieces to choose from: the input is one body",
                  "leave only empty, or give the result of a fracture");
    return std::nullopt;
  }
  // Choose before the long work; pieces come in the order of their first appearance, before and after checks.
  const Pieces named = piecesByName(input);
  const std::vector<uint8_t> chosen = choice.only.empty() ? std::vector<uint8_t>(named.count(), 1)
                                                          : matchingPieces(input, named, choice.only);
  const Geometry pieces = checkedPieces(input, context);
  const double volume = massProperties(triangleMesh(pieces), context).volume;
  FractureResult result = fracturePieces(engine, pieces, chosen, load, options.cut.pieces, context);
  return fractureOutputs(volume, std::move(result), options, context);
}

}  // namespace hackle
