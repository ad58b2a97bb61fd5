// Cuts a closed surface, and the solid inside it, along a partition of space: the cells of a Voronoi diagram,
// or the labelled regions of a lattice.
//
// Vertices of the result are named by what they are intersections of (a mesh point, a mesh edge with a face
// of the partition, a triangle with an edge of the partition, a node of the partition), and every decision is
// a sign that ScorePredicates or CrossingPredicates give exactly. So faces fit together by construction;
// coordinates of the result are computed once, at the end, and decide nothing.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/cut/cut.h>
#include <hackle/meshing/cut/lattice_envelope.h>

#include <functional>
#include <vector>

namespace hackle {

/// The mesh must be closed, consistently oriented and free of self-intersections: Error(BadInput) where a cut
/// finds that it is not. Sites must be distinct.
Cut cutByVoronoi(const Geometry& solid, const TriangleMesh& mesh, Span<const Vec3> sites, Context& context);

/// Cells are the complex's labels. Coplanar facets of one pair of labels become one face. `labelAt` gives the
/// label of a place that no facet is near, for parts of the surface that are not cut at all. Error(BadInput)
/// also where the complex ends inside the solid.
Cut cutByComplex(const Geometry& solid, const TriangleMesh& mesh, const LabelComplex& complex,
                 const std::function<int32_t(const Vec3&)>& labelAt, Context& context);

/// Cells are the labels of largest score on a lattice of tetrahedra that holds the whole surface. Where so
/// many scores tie that the facets fold onto each other, ties are taken apart by a hair (withoutTies).
Cut cutByLattice(const Geometry& solid, const TriangleMesh& mesh, Span<const Vec3> points,
                 Span<const Tetrahedron> tetrahedra, const LatticeScores& scores, Context& context);

}  // namespace hackle
