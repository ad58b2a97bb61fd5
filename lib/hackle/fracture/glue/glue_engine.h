// Bodies of pieces that are glued together: impacts break the glue, never the pieces.
#pragma once

#include <hackle/fracture/engine.h>

namespace hackle {

struct GlueOptions {
  double strength = 1000;    // N s/m^2: impulse per area of common face that breaks it
  double propagation = 0.5;  // share of an impulse that goes on from a piece to its neighbours
};

/// The solid is made of named pieces (primitive attribute `name`) that touch in faces, as voronoi, modes or
/// prefracture leave them. A bond is where two pieces share faces; its strength is `strength` times the area.
///
/// As Houdini's glue has it: the impulse that hits a piece acts on all of its bonds; of that, the share
/// `propagation` goes on to the pieces behind them, and so on. Bonds whose impulse exceeds their strength
/// break; pieces that still are connected stay one body.
class GlueEngine final : public FractureEngine {
 public:
  explicit GlueEngine(const GlueOptions& options) : mOptions(options) {}
  std::string id() const override { return "glue"; }
  EngineStatePtr prepare(const SolidPtr& solid, Context& context) const override;
  bool mayBreak(const Solid& solid, const EngineState& state, const LoadCase& load) const override;
  FractureResult fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                          Context& context) const override;
  std::string save(const EngineState& state) const override;
  EngineStatePtr load(const SolidPtr& solid, std::string_view bytes, Context& context) const override;

 private:
  GlueOptions mOptions;
};

}  // namespace hackle
