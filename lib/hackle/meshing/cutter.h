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
#include <hackle/meshing/lattice_envelope.h>

#include <functional>
#include <vector>

namespace hackle {

/// A vertex of the cut. On a mesh point: triangle = -1, point >= 0. On the surface: a triangle that holds it
/// and its barycentric coordinates there (an edge of the mesh has one of them 0). Inside the solid: both -1.
struct CutVertex {
  Vec3 position = Vec3::Zero();
  int32_t point = -1;
  int32_t triangle = -1;
  Vec3 barycentric = Vec3::Zero();
};

struct CutFace {
  int32_t cell = 0;        // the site or label whose region the face bounds
  int32_t neighbour = -1;  // inside faces: the one across; outside faces: -1
  int32_t primitive = -1;  // outside faces: the polygon it is a part of
  int32_t triangle = -1;   // outside faces: the triangle it is a part of; -1 if the whole polygon is here
  int32_t pair = -1;       // inside faces: a number that the two sides of a face share
  int32_t plane = -1;      // inside faces that are part of a rough one: its plane before, in Cut::planes
  int32_t first = 0;       // corners [first, first + count)
  int32_t count = 0;
};

/// Faces of all cells. Those of one cell form closed surfaces, counter-clockwise seen from outside; each
/// inside face appears twice, with the same corners in opposite orders.
struct Cut {
  std::vector<CutVertex> vertices;
  std::vector<CutFace> faces;    // sorted by cell
  std::vector<int32_t> corners;  // indices of vertices
  std::vector<int32_t> origins;  // where vertices were joined: what each corner was before; else empty
  std::vector<Vec3> planes;      // unit normals, from the lower cell to the higher
};

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
