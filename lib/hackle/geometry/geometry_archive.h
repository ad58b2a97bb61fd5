// A geometry of polygons as sections of an archive: quick to load, nothing rounded.
#pragma once

#include <hackle/core/archive.h>
#include <hackle/geometry/geometry.h>

#include <string>

namespace hackle {

/// Adds points, polygons, attributes and groups under names that begin with `prefix`. Error(Internal) if
/// there are primitives other than polygons; orders of groups and edge groups are left out.
void addGeometry(ArchiveWriter& archive, const std::string& prefix, const Geometry& geometry);

/// What addGeometry added. Error(BadInput) if it does not fit together.
Geometry readGeometry(const ArchiveReader& archive, const std::string& prefix);

/// 64 bits that tell one surface from another: positions (as single precision, so that files do not matter)
/// and polygons, not attributes.
uint64_t geometryFingerprint(const Geometry& geometry);

}  // namespace hackle
