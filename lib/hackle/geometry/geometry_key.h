// Geometry as part of what a precomputation depends on.
#pragma once

#include <hackle/core/memo.h>
#include <hackle/geometry/geometry.h>

namespace hackle {

struct TriangleMesh;

/// All of it to the last bit: positions, primitives, attributes, groups, what is packed. Grids count by
/// identity. About 5 GB a second.
void addToKey(MemoKey& key, const Geometry& geometry);
void addToKey(MemoKey& key, const Attribute& attribute);
/// Points and triangles; not the geometry that they come from.
void addToKey(MemoKey& key, const TriangleMesh& mesh);
void addToKey(MemoKey& key, const Vec3& vector);

/// Memory of its arrays, shared ones included.
size_t bytesOf(const Geometry& geometry);
size_t bytesOf(const TriangleMesh& mesh);

}  // namespace hackle
