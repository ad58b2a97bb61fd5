// Elmer meshes (read only): text files .nodes, .elements and .boundary side by side.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string_view>

namespace hackle {

/// The three files' bytes. Rows are
///
///     nodes      id tag x y z
///     elements   id body type node ...
///     boundary   id body parent parent type node ...
///
/// with the type 100 times the shape plus the number of nodes: 202 lines become polylines, 303 and 404
/// polygons, 504 tetrahedra. Elements come first, then the boundary's, which are the members of the primitive
/// group `boundary`: lines around a surface, or faces around a solid. The body is the primitive int `body`.
/// Of elements with nodes along their edges only the corners are used, with a warning; other shapes are left
/// out by name. Tags and parents are ignored. Tetrahedra of negative volume are turned over, with a warning.
struct ElmerFiles {
  std::string_view nodes;
  std::string_view elements;
  std::string_view boundary;  // may be empty
};
Geometry readElmer(const ElmerFiles& files, Context& context);

/// The file at `path`, which has one of the three extensions, and its siblings from the disk. The boundary
/// may be missing.
Geometry readElmerFile(std::string_view bytes, const std::filesystem::path& path, Context& context);

}  // namespace hackle
