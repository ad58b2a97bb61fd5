// Elastic energy of one triangle of a shell: membrane by constant strain, bending by edge directors.
#pragma once

#include <hackle/fracture/sheet/sheet_mesh.h>

#include <Eigen/Core>

namespace hackle {

/// Isotropic plane-stress shell material.
struct ShellMaterial {
  double young = 70e9;    // Pa
  double poisson = 0.22;  // none
  double density = 2500;  // kg/m^3
  double damping = 0.0;   // s, stiffness-proportional (Kelvin-Voigt): viscous stress = damping * stress rate
  double yield = 0.0;     // Pa; 0: never yields
};

/// Symmetric 2x2 tensors as (a11, a22, sqrt(2) a12): the dot product is the double contraction.
using Sym2 = Eigen::Vector3d;
Sym2 toSym2(const Eigen::Matrix2d& a);
Eigen::Matrix2d fromSym2(const Sym2& a);
/// Plane-stress stiffness on such vectors, without the factor Y/(1 - nu^2): [1 nu 0; nu 1 0; 0 0 1-nu].
Eigen::Matrix3d planeStress(double poisson);

/// A face at rest, with what it remembers: everything that does not change in a Newton iteration.
/// README eq. (1)-(4); unknowns are the positions of its corners (9) and the turns of the directors of the
/// edges opposite to them (3).
struct ShellFace {
  double area = 0;                    // m^2, rest
  Eigen::Matrix<double, 3, 2> frame;  // tangents of the rest plane, columns
  Eigen::Matrix<double, 3, 2>
      gradients;                   // of the linear shape functions on the plastically stretched rest face
  double plasticArea = 0;          // m^2 of that face
  double thickness = 0;            // m
  Eigen::Matrix3d bend;            // column k: (l_k / A) t_k t_k^T; S = bend * psi
  Sym2 curvature0 = Sym2::Zero();  // rest and plastic curvature, 1/m
  Sym2 strainBefore = Sym2::Zero(), curvatureBefore = Sym2::Zero();
};

/// `restTurn[k]`: angle from the face's rest normal to the rest director of edge k.
ShellFace makeShellFace(const SheetMesh& mesh, int32_t face, const Vec3& restTurn);

/// Angles from the rest normal of each face to the mean rest normal at each of its edges; 0 at borders.
std::vector<Vec3> restTurns(const SheetMesh& mesh);

struct ShellState {
  std::array<Vec3, 3> x;         // corners
  std::array<Vec3, 3> director;  // of the edges opposite to them
};

/// Elastic strain (Green) and curvature of a face, both without rest and plastic parts, in its rest frame.
struct ShellStrain {
  Sym2 membrane = Sym2::Zero();
  Sym2 curvature = Sym2::Zero();  // 1/m
};
ShellStrain shellStrain(const ShellFace& face, const ShellState& state);

struct ShellResponse {
  double energy = 0;     // J, elastic
  double potential = 0;  // J, elastic and the damping potential of the step
  Eigen::Matrix<double, 12, 1> gradient;
  Eigen::Matrix<double, 12, 12> hessian;
};

enum class ShellOrder { Energy, Gradient, Hessian, PositiveHessian };

/// `viscosity` = damping / dt. `sign[k]` is the direction in which edge k's turn counts, +1 or -1.
/// PositiveHessian leaves out what could make it indefinite. Degenerate states give an infinite energy.
void evaluateShell(const ShellFace& face, const ShellMaterial& material, double viscosity,
                   const ShellState& state, const Vec3& sign, ShellOrder order, ShellResponse& out);

/// The smallest rotation that takes direction `from` to `to`, applied to `vector`.
Vec3 parallelTransport(const Vec3& vector, const Vec3& from, const Vec3& to);

}  // namespace hackle
