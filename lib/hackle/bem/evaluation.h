// Displacement and stress inside the body and on its surface, from what a solve found on the boundary.
#pragma once

#include <hackle/bem/operators.h>

namespace hackle {

/// The field of boundary data: exact integrals over all triangles, so a point may be as near to the surface
/// as it likes. Outside of the body the field is zero, on the surface itself it is the value of whichever
/// side rounding finds. README eq. 8.
///
/// On crack sheets the data is the jump of u: its value behind the sheet (opposite to the normal) minus that
/// in front. A closed surface follows the same rule, with zero in front.
class BoundaryField {
 public:
  /// u: 3 × hats, m; q: 3 × triangles of the surface, Pa (zero on sheets). The surface has to outlive this.
  BoundaryField(const BemSurface& surface, const ElasticMaterial& material, const HatSpace& hats,
                const Eigen::VectorXd& u, const Eigen::VectorXd& q);
  /// Several spaces of hats, as cracks that break the surface have; their jumps add up.
  void add(const HatSpace& hats, const Eigen::VectorXd& u);

  /// m, at the given points.
  std::vector<Vec3> displacements(Span<const Vec3> points, Context& context) const;
  /// Displacement gradients ∂u_i / ∂x_k.
  std::vector<Mat3> gradients(Span<const Vec3> points, Context& context) const;
  /// Pa.
  std::vector<Mat3> stresses(Span<const Vec3> points, Context& context) const;
  /// Mean of the displacements on both sides of a sheet, m, at some of its nodes: what a crack's faces do
  /// apart from opening. Points 1e-4 of an element off either side are used.
  std::vector<Vec3> sheetDisplacements(Span<const int32_t> nodes, Context& context) const;

 private:
  struct Source {
    Vec3 corners[3];  // u
    Vec3 curl;        // Σ s × u
    Vec3 traction;
  };
  Mat3 gradientAt(const Vec3& x) const;

  const BemSurface& mSurface;
  ElasticMaterial mMaterial;
  std::vector<Source> mSources;
};

/// Stress of a triangle, Pa, from the displacements of its corners and its traction: the tangential part by
/// Hooke's law in the plane, corrected for the normal stress. Exact for any uniform stress. [Hahn17] eq. 4.4,
/// where plane strain is printed.
Mat3 surfaceStress(const BemSurface& surface, size_t triangle, const ElasticMaterial& material,
                   const std::array<Vec3, 3>& u, const Vec3& traction);
/// That of each triangle; u: 3 × nodes, q: 3 × triangles.
std::vector<Mat3> surfaceStresses(const BemSurface& surface, const ElasticMaterial& material,
                                  const Eigen::VectorXd& u, const Eigen::VectorXd& q);

}  // namespace hackle
