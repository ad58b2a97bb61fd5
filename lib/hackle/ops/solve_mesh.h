// The mesh on which a loaded solid is solved.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/triangle_mesh.h>

#include <functional>
#include <optional>
#include <string>

namespace hackle {

/// The closed surface, checked, and the mesh that is solved on.
struct SolveMesh {
  Geometry solid;
  TriangleMesh mesh;              // of the solid
  TriangleMesh solved;            // the same, or a coarse copy
  std::vector<int32_t> source;    // per triangle of `solved`: the triangle of `mesh` that lies nearest
  bool coarse = false;            // `solved` is not a copy of `mesh`, whole or split
  std::optional<Geometry> given;  // the surface of `solved`, if it is not made from the solid

  size_t bytes() const;
};

struct SolveMeshOptions {
  size_t triangles = 1000;  // surfaces with more are solved on a coarse copy
  bool refine = false;      // those with fewer on a copy whose long edges are split
};

/// The solid of an input, and a mesh for it. Error(BadInput) for surfaces that cannot be solved on. Kept in
/// the run's memo.
SolveMesh solveMesh(const Geometry& input, const SolveMeshOptions& options, Context& context);
/// The same on a mesh that is given.
SolveMesh solveMesh(const Geometry& input, const Geometry& mesh, Context& context);

/// The same for each body of the input by itself: an outside with the cavities in it. `triangles` are those
/// of all bodies, by their area. A given mesh has to have as many bodies.
std::vector<SolveMesh> solveMeshes(const Geometry& input, const SolveMeshOptions& options, Context& context);
std::vector<SolveMesh> solveMeshes(const Geometry& input, const Geometry& mesh, Context& context);
/// Bodies one after the other, for conditions that act on several.
SolveMesh joined(const std::vector<SolveMesh>& bodies);
/// For messages: "body 2", with the name that its primitives have in common if they have one.
std::string bodyName(const Geometry& body, size_t index);

/// What is done for one of several bodies. Error(BadInput) then begins with its name, if it has one.
void inBody(const std::string& name, const std::function<void()>& what);

/// The middle of a triangle.
Vec3 middleOf(const TriangleMesh& mesh, size_t triangle);

}  // namespace hackle
