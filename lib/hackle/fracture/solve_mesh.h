// The mesh on which the stress of a loaded solid is solved.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/solid.h>
#include <hackle/meshing/surface/solve_surface.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hackle {

/// A solid and the mesh that stands for it when stress is solved.
struct SolveMesh {
  SolidPtr solid;
  TriangleMesh solved;            // the solid's own mesh, or a coarse copy
  std::vector<int32_t> source;    // per triangle of `solved`: the triangle of the solid that lies nearest
  bool coarse = false;            // `solved` is not a copy of the solid's mesh, whole or split
  std::optional<Geometry> given;  // the surface of `solved`, if it is not made from the solid
  std::shared_ptr<const TriangleMesh>
      decimated;  // on the way to `solved`, if there was one (solve_surface.h)

  size_t bytes() const;
};

struct SolveMeshOptions {
  size_t triangles = 1000;  // surfaces with more are solved on a coarse copy
  bool refine = false;      // those with fewer on a copy whose long edges are split
  bool crossings = false;   // those that cross themselves on that of a level set, instead of an error
};

/// A mesh for a solid. Error(BadInput) for surfaces that cannot be solved on. Kept in the run's memo.
SolveMesh solveMesh(const SolidPtr& solid, const SolveMeshOptions& options, Context& context);
/// The same on a mesh that is given.
SolveMesh solveMesh(const SolidPtr& solid, const Geometry& mesh, Context& context);

/// One that was made for another solid of nearly the same surface, without any check.
SolveMesh meshOn(const SolidPtr& solid, const TriangleMesh& solved, Context& context);

/// The same for each body of the solid by itself: an outside with the cavities in it. `triangles` are those
/// of all bodies, by their area. A given mesh has to have as many bodies.
std::vector<SolveMesh> solveMeshes(const SolidPtr& solid, const SolveMeshOptions& options, Context& context);
std::vector<SolveMesh> solveMeshes(const SolidPtr& solid, const Geometry& mesh, Context& context);
/// A mesh for the same solid again, of about as many triangles, with edges no longer than `limit` as far as
/// 1500 more allow, or twice as many.
SolveMesh refinedMesh(const SolveMesh& mesh, size_t triangles, const EdgeLimit& limit, Context& context);
/// The bodies of a solid: itself if there is only one.
std::vector<SolidPtr> bodySolids(const SolidPtr& solid, Context& context);
/// Bodies one after the other, for conditions that act on several.
SolveMesh joined(const std::vector<SolveMesh>& bodies, Context& context);
/// For messages: "body 2", with the name that its primitives have in common if they have one.
std::string bodyName(const Geometry& body, size_t index);

/// What is done for one of several bodies. Error(BadInput) then begins with its name, if it has one.
void inBody(const std::string& name, const std::function<void()>& what);

/// m, edge of as many equilateral triangles as large as the mesh together.
double evenEdge(const TriangleMesh& mesh, size_t triangles);
/// The middle of a triangle.
Vec3 middleOf(const TriangleMesh& mesh, size_t triangle);

}  // namespace hackle
