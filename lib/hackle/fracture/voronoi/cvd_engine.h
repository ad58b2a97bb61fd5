// CVD fracture as an engine: a solid breaks where a load strains it [Schvartzman14].
#pragma once

#include <hackle/fracture/cut_pieces.h>
#include <hackle/fracture/engine.h>
#include <hackle/fracture/voronoi/cvd_state.h>
#include <hackle/fracture/voronoi/piece_count_model.h>

namespace hackle {

/// What says into how many pieces a load breaks a solid.
enum class PiecesBy {
  Number,     // as many as asked for
  Threshold,  // the fewest that leave less energy than a threshold
  Learned,    // what a model predicts of that
};

struct CvdOptions {
  PiecesBy piecesBy = PiecesBy::Number;
  size_t pieces = 30;               // cells, by Number
  std::optional<double> threshold;  // gamma, J m^2; not set: 1, or what the model was trained with
  size_t maxPieces = 500;           // by Threshold or Learned
  CvdShape shape;
  VolumePtr energy;                              // J/m^3, strain energy density to use instead of loads
  std::shared_ptr<const PieceCountModel> model;  // by Learned
  /// Whether `prepare` does the work by which mayBreak rules out loads; without it, mayBreak says true to
  /// every load. About as much as the rest of prepare.
  bool bounded = true;
  CutPieceOptions cut;
};

/// Impacts, steady forces and spin act on the solid as a free elastic body, all at once and quasi-statically;
/// inertia balances what is left, so accelerations need not be given. Pieces crowd where the strain energy
/// is. By Threshold, a body whose energy is below the threshold holds (`HeldBy::Strength`), and the factor
/// says how much larger forces would have to be. By Number, every load that is not nothing breaks the solid,
/// and with granularity 0 so does none. There are at most `maxPieces` pieces of a load case, unless the solid
/// has more parts than that.
class CvdEngine : public FractureEngine {
 public:
  /// Error(Usage) for options that contradict each other.
  explicit CvdEngine(CvdOptions options);

  std::string id() const override { return "cvd"; }
  EngineStatePtr prepare(const SolidPtr& solid, Context& context) const override;
  /// By a bound on the energy (CvdBound), where there is one.
  bool mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const override;
  FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                          Context& context) const override;
  std::string save(const EngineState& state) const override;
  EngineStatePtr load(const SolidPtr& solid, std::string_view bytes, Context& context) const override;

 private:
  CvdOptions mOptions;
};

}  // namespace hackle
