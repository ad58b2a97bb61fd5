// Between Houdini's details and Geometry. The winding is turned over here and nowhere else.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/ops/operator.h>

#include <GA/GA_Types.h>

#include <vector>

class GU_Detail;

namespace hackle::houdini {

/// Everything a detail holds: points, polygons (those of soups, too), polylines, tetrahedra, VDBs (sharing
/// their voxels), volumes (as VDBs), public attributes of numbers and strings, groups. Packed primitives are
/// unpacked; a point's `name` becomes the `name` of what was in it. Attributes and groups come in the order
/// of their names. What has no place in a Geometry (other primitives, arrays, dictionaries) is left out with
/// a warning that names it; with the number of an input, arrays and dictionaries are left for carryAttributes
/// (carried_attributes.h) instead, and elements remember where they came from.
Geometry fromDetail(const GU_Detail& detail, Context& context, int input = -1);

/// These points alone, in that order, with their attributes.
Geometry pointsOf(const GU_Detail& detail, const std::vector<GA_Offset>& points);

/// Replaces the content of the detail. P is written in `geometry.positionFileStorage`. Packed primitives are
/// unpacked. All data ids are new.
void toDetail(const Geometry& geometry, GU_Detail& detail);

/// Name of the array that holds data of a kind of its own.
extern const char* const kDataAttribute;
/// Data of a kind of its own (a basis of modes) travels as an array of integers on an otherwise empty detail,
/// so that it can be cached, written and read as any geometry.
void blobToDetail(const Blob& blob, GU_Detail& detail);
/// Error(BadInput) if the detail holds none.
Blob blobFromDetail(const GU_Detail& detail);

}  // namespace hackle::houdini
