// Impact fracture by vibration: waves from the contact start cracks at flaws, and cracks run until their
// energy is spent. [Glondu12] in full, and beyond it; theory in README.md.
#pragma once

#include <hackle/fracture/cut_pieces.h>
#include <hackle/fracture/engine.h>
#include <hackle/fracture/impact/growth.h>
#include <hackle/volume/painted_field.h>

namespace hackle {

struct ImpactEngineOptions {
  ModalBodyOptions body;
  double strength = 45e6;             // Pa, tensile
  double toughness = 0.75e6;          // Pa m^1/2
  double damping = 1e-3;              // ratio to critical damping of the slow modes; the others have more
  std::optional<double> alpha, beta;  // s, 1/s: Rayleigh's, instead of `damping`
  StrikeOptions strike;
  FlawOptions flaws;     // count 0: the same strength everywhere; strength, seed and paint come from here
  GrowthOptions growth;  // toughness, seed and paint come from here
  std::optional<size_t> pieces;  // loads are scaled until this many come off, as nearly as can be
  Paint strengthPaint, toughnessPaint, flawPaint;
  uint64_t seed = 0;
  CutPieceOptions cut;
};

class ImpactEngine : public FractureEngine {
 public:
  explicit ImpactEngine(ImpactEngineOptions options);

  std::string id() const override { return "impact"; }
  EngineStatePtr prepare(const SolidPtr& solid, Context& context) const override;
  bool mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const override;
  FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                          Context& context) const override;
  /// The same; `sheets`, if not null, gets all cracks as open surfaces (see crackSheets).
  FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                          Geometry* sheets, Context& context) const;
  std::string save(const EngineState& state) const override;
  EngineStatePtr load(const SolidPtr& solid, std::string_view bytes, Context& context) const override;

  const ImpactEngineOptions& options() const { return mOptions; }

 private:
  EngineStatePtr stateOf(const Solid& solid, std::shared_ptr<const ModalBody> body, const MemoKey& bodyKey,
                         Context& context) const;
  ImpactEngineOptions mOptions;
};

/// What an ImpactEngine prepares.
class ImpactState : public EngineState {
 public:
  ImpactState(std::shared_ptr<const ModalBody> body, std::shared_ptr<const FlawRows> flaws);
  size_t bytes() const override { return body->bytes() + flaws.bytes(); }
  const std::shared_ptr<const ModalBody> body;
  const std::shared_ptr<const FlawRows> flawRows;
  const FlawRows& flaws;  // the same
  const double weakest;   // Pa
};

/// Rayleigh damping whose ratio is `ratio` at the slowest frequency and at ten times that (rad/s), less
/// between and more beyond.
RayleighDamping dampingOfRatio(double ratio, double slowest);

}  // namespace hackle
