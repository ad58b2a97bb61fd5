// Writes the parts of a detail. Internal to the writer.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/io/houdini/json_writer.h>

namespace hackle::houdini {

/// `geometry` has Houdini's winding already.
void writeAttributes(const Geometry& geometry, JsonWriter& out, Context& context);
void writeGroups(const Geometry& geometry, JsonWriter& out, Context& context);
/// Primitives, groups, and the blocks that primitives share: in that order, as Houdini has them.
void writePrimitives(const Geometry& geometry, JsonWriter& out, Context& context);

/// A whole detail; turns the winding.
void writeDetail(const Geometry& geometry, JsonWriter& out, Context& context);

}  // namespace hackle::houdini
