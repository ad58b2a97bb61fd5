// What engines that know stress say before they prepare anything: which forces a solid surely holds.
#pragma once

#include <hackle/fracture/engine.h>

namespace hackle {

/// An engine may be one of these beside being a FractureEngine.
class KnowsHarmlessForce {
 public:
  virtual ~KnowsHarmlessForce() = default;
  /// N: contact forces that add up to less at their peaks leave a solid whole for sure, wherever they act.
  /// `thickness` (m) is that of the solid where it is thinnest; `state` may be null: a body that nothing can
  /// break is not even prepared. 0: not known.
  virtual double harmlessForce(const Solid& solid, const EngineState* state, double thickness,
                               const LoadCase& load) const = 0;
};

/// m: how thick a solid is where it is thinnest, from rays into it from all over its surface.
double thinnestPart(const Solid& solid, Context& context);

}  // namespace hackle
