// Where a crack has reached the surface of the body: how its coarse sheet goes on so that it can open there.
#pragma once

#include <hackle/fracture/crack/crack_sheet.h>

#include <optional>

namespace hackle {

/// The displacement of the body's surface is continuous in the system, so a sheet that ends at it would be
/// held shut there. Instead it turns along the surface, 0.1 r_c below, for about an edge of the body's mesh,
/// over which the jump runs out: the flake between the two is thin and hardly resists (README.md, mouths).
/// The place to which node `from` of the sheet (number `node`) goes, on the side of the sheet to which
/// `across` points; nothing if there is no room: another sheet, another part of the surface, a sheet that
/// grazes the surface.
std::optional<Vec3> foldTarget(const CoarseWorld& world, int32_t node, const Vec3& from, const Vec3& across);

}  // namespace hackle
