// Fracture modes of a body, ready for impacts: what the modes engine keeps of a body.
#pragma once

#include <hackle/fracture/engine.h>
#include <hackle/fracture/modes/impact_projection.h>

#include <memory>
#include <string>
#include <string_view>

namespace hackle {

/// The modes of a solid or of a piece of it.
class ModesState : public EngineState, public std::enable_shared_from_this<ModesState> {
 public:
  ModesState(ModesCache modes, Context& context);

  const ModesCache cache;
  const ImpactProjector projector;
  const std::string id;  // tells caches apart whose parts differ

  size_t bytes() const override;
};
using ModesStatePtr = std::shared_ptr<const ModesState>;

/// The state in the bytes of a modes file. Errors are those of readModes.
ModesStatePtr readModesState(std::string_view bytes, Context& context);

/// True if the modes are of this solid: by the fingerprint of its surface; those of a piece, which have none,
/// by volume and bounding box.
bool areModesOf(const ModesCache& cache, const Geometry& surface, double volume);

}  // namespace hackle
