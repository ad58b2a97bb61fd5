// Breaks the pieces of an earlier fracture with an engine, each as a body of its own.
#pragma once

#include <hackle/fracture/engine.h>

#include <string>
#include <vector>

namespace hackle {

/// Breaks the pieces of `geometry` (see findPieces) that are `chosen` (one flag per piece); the others stay
/// as they are. Parts of piece3 are piece3-0, piece3-1, ...; a piece that holds keeps its name. Each impact
/// acts on the piece that it hits, the rest of the load case on every chosen piece; each has a seed of its
/// own. `cut` is what the engine was made with. With `depth` below the faces that are in no fracture. `held`
/// is set if no piece broke; states are null. The report has `broken`, the number of pieces that came apart.
FractureResult fracturePieces(const FractureEngine& engine, const Geometry& geometry,
                              const std::vector<uint8_t>& chosen, const LoadCase& load,
                              const PieceOptions& cut, Context& context);

}  // namespace hackle
