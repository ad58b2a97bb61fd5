// Quadratic tetrahedra whose points are those of a finer lattice, and of which only a part may be solid.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/geometry.h>
#include <hackle/linalg/sparse.h>
#include <hackle/mechanics/elastic.h>

#include <array>
#include <vector>

namespace hackle {

/// Corners 0 to 3, then the middles of edges 01, 02, 03, 12, 13, 23.
using QuadraticTet = std::array<int32_t, 10>;

/// A lattice whose tetrahedra are divided into eight each: children 8 t to 8 t + 7 are those of tetrahedron
/// t. The points of the children of one are those of a quadratic tetrahedron.
struct DividedLattice {
  std::vector<Vec3> points;  // those of the lattice first
  std::vector<Tetrahedron> tetrahedra;
  std::vector<QuadraticTet> quadratic;
};
/// The inner octahedron of a tetrahedron is divided along its shortest diagonal (the first of equals), so
/// that body-centred cubic lattices give such lattices of half the size.
DividedLattice divideLattice(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, Context& context);

/// Integrals of products of the four barycentric coordinates over a part of a tetrahedron, over its volume:
/// they add up to the share of that part, their rows to the integrals of the coordinates.
using PartMoments = Eigen::Matrix4d;
/// Of the whole tetrahedron.
PartMoments wholeMoments();

/// The moments of each quadratic tetrahedron from those of its eight children, in the order of divideLattice.
std::vector<PartMoments> joinMoments(const DividedLattice& lattice, Span<const PartMoments> children,
                                     Context& context);

/// Stiffness (N/m), lower triangle, 3 #points square, of the parts of quadratic tetrahedra with these
/// moments. Strain is linear within them, so that its energy follows from moments exactly:
/// fracture/impact/README eq. 1.
SparseMatrix quadraticStiffness(Span<const Vec3> points, Span<const QuadraticTet> elements,
                                Span<const PartMoments> moments, const ElasticMaterial& material,
                                Context& context);

/// Mass (kg), lower triangle, 3 #points square, of parts of tetrahedra with linear displacements.
SparseMatrix partMass(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                      Span<const PartMoments> moments, double density, Context& context);

}  // namespace hackle
