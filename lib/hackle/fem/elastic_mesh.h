// A body of tetrahedra and what each of them is made of.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/mechanics/elastic.h>

#include <array>
#include <vector>

namespace hackle {

struct ElasticMesh {
  std::vector<Vec3> points;  // m
  std::vector<Tetrahedron> tetrahedra;
  std::vector<ElasticMaterial> materials;  // one for all, or one per tetrahedron

  const ElasticMaterial& materialOf(size_t t) const { return materials[materials.size() == 1 ? 0 : t]; }
};

/// The tetrahedra of a geometry and the points that they use, in the order of the geometry. Numbers `young`
/// (Pa), `poisson` and `density` (kg/m^3) on its primitives, or else on its points (means of the corners), go
/// before `fallback`. Error(BadInput) without tetrahedra.
ElasticMesh elasticMesh(const Geometry& geometry, const ElasticMaterial& fallback);

/// Error(BadInput) that names the first tetrahedron without positive volume, point that none uses, point that
/// is not finite, or a wrong number of materials; Error(Usage) for a material that no solid has.
void checkElasticMesh(const ElasticMesh& mesh);

/// The linear shape functions of a tetrahedron.
struct TetShape {
  double volume = 0;              // m^3, signed
  std::array<Vec3, 4> gradients;  // 1/m
};
TetShape tetShape(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
std::vector<TetShape> tetShapes(const ElasticMesh& mesh, Context& context);

}  // namespace hackle
