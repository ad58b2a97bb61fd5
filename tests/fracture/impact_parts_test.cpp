#include <hackle/fracture/impact/solid_parts.h>

#include <hackle/meshing/lattice/enclosing_lattice.h>

#include <shapes.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

/// Second moment of the solid's parts about a plane y = middle, m^5, and their volume.
struct Layer {
  double volume = 0, second = 0;
};

Layer layerOf(const TriangleMesh& mesh, double cell, double middle, Context& context) {
  EnclosingOptions options;
  options.cellSize = 2 * cell;
  const EnclosingLattice cage = enclosingLattice(mesh, options, context);
  const DividedLattice lattice = divideLattice(cage.lattice.points, cage.lattice.tetrahedra, context);
  const std::vector<PartMoments> moments =
      joinMoments(lattice, solidMoments(lattice.points, lattice.tetrahedra, mesh, context), context);
  Layer sum;
  for (size_t t = 0; t < lattice.quadratic.size(); ++t) {
    Eigen::Vector4d heights;
    std::array<Vec3, 4> x;
    for (int c = 0; c < 4; ++c) {
      x[c] = lattice.points[lattice.quadratic[t][c]];
      heights[c] = x[c].y() - middle;
    }
    const double volume = (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0])) / 6;
    sum.volume += volume * moments[t].sum();
    sum.second += volume * heights.dot(moments[t] * heights);
  }
  return sum;
}

// Walls keep their volume and their bending stiffness, however they lie in the lattice and however thin they
// are.
TEST(ImpactParts, WallsHaveTheirMoments) {
  Context context;
  for (const double h : {0.02, 0.01, 0.0025})
    for (const double shift : {0.0, 0.0043}) {
      const Geometry box = shapes::box({0.003, shift, 0.002}, {0.303, h + shift, 0.302});
      const TriangleMesh mesh = triangleMesh(box);
      for (const double cell : {0.015, 0.02}) {
        const Layer layer = layerOf(mesh, cell, shift + h / 2, context);
        EXPECT_NEAR(layer.volume / (0.09 * h), 1, 0.02) << h << " " << shift << " " << cell;
        EXPECT_NEAR(layer.second / (0.09 * h * h * h / 12), 1, 0.06) << h << " " << shift << " " << cell;
      }
    }
}

}  // namespace
}  // namespace hackle
