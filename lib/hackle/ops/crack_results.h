// From cracked bodies to what the operator crack gives back.
#pragma once

#include <hackle/ops/crack_setup.h>

namespace hackle {

/// Pieces of all bodies, cut along the cracks that go through; cracks are numbered on from body to body.
/// Warns of bodies that stay whole though something acts on them, and why. Error(Failed) if a cut fails.
FracturePieces crackedPieces(const std::vector<CrackSetup>& bodies, const CrackOperatorOptions& options,
                             Context& context);

/// Open sheets, boundary elements, volumes and level-set surfaces, as far as they are asked for.
void addFurtherOutputs(Outputs& outputs, const std::vector<CrackSetup>& bodies,
                       const CrackOperatorOptions& options, Context& context);

}  // namespace hackle
