// The modes of a piece: those of the solid that it was broken from, restricted to the parts that it is made
// of.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/modes/modes_cache.h>

namespace hackle {

/// The parts (in ascending order) as a solid of their own, with the values that the modes have on them. Faces
/// to other parts become its surface, in the order in which gluePieces gives them to a piece that is glued
/// from these parts: `primitiveSource` counts them. An impact on a place of its surface moves it as
/// ImpactProjector moves an earlier piece. It has no fingerprint.
ModesCache restrictedModes(const ModesCache& cache, Span<const int32_t> parts, Context& context);

}  // namespace hackle
