// Fracture modes of a body, ready for impacts: what the modes engine keeps of a body.
#pragma once

#include <hackle/fracture/engine.h>
#include <hackle/fracture/modes/impact_projection.h>

#include <memory>
#include <mutex>
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

/// The modes of a piece, restricted from those of its body when they are first asked for: most pieces never
/// are.
class ModesPieceState : public EngineState {
 public:
  ModesPieceState(ModesStatePtr body, std::vector<int32_t> parts)
      : mBody(std::move(body)), mParts(std::move(parts)) {}

  const ModesState& modes() const;
  /// Of the piece alone; the body's are shared.
  size_t bytes() const override;

 private:
  ModesStatePtr mBody;
  std::vector<int32_t> mParts;
  mutable std::once_flag mOnce;
  mutable ModesStatePtr mMade;
};

/// The modes of either kind of state.
const ModesState& modesOf(const EngineState& state);

/// The same modes with the convex parts of all parts, kept in the run's memo.
ModesStatePtr withHulls(const ModesStatePtr& state, Context& context);

/// The state in the bytes of a modes file. Errors are those of readModes.
ModesStatePtr readModesState(std::string_view bytes, Context& context);

/// True if the modes are of this solid: by the fingerprint of its surface; those of a piece, which have none,
/// by volume and bounding box.
bool areModesOf(const ModesCache& cache, const Geometry& surface, double volume);

}  // namespace hackle
