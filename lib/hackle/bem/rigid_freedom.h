// Rigid motions that boundary equations leave open, and how they are closed.
#pragma once

#include <hackle/bem/boundary_data.h>
#include <hackle/bem/surface.h>

#include <Eigen/Core>

namespace hackle {

/// A closed surface consists of shells: the outside of the body and its cavities. The hypersingular operator
/// D (and D + KᵀV⁻¹K) does not see a rigid motion of
/// - a cavity's shell against the rest, unless conditions on that shell hold it. The motion follows from the
///   displacement equation, tested with the same motions (`tests`): tᵀ V q = tᵀ (½ M + K) u;
/// - the whole body when no displacement is given at all. It is arbitrary; the mean is made zero.
struct RigidFreedom {
  bool freeBody = false;   // no displacement is given
  Eigen::MatrixXd null;    // 3·nodes × k, those of cavities first; orthonormal for `weight`
  Eigen::MatrixXd tests;   // 3·triangles × (those of cavities), constant per triangle
  Eigen::VectorXd weight;  // 3·nodes: a third of the area around each node, m^2
};

/// `body` is one closed body, its cavities included. Error(BadInput) when the conditions hold the body only
/// partly (it could slide or turn), or when the surface has several outsides or none.
RigidFreedom rigidFreedom(const BemSurface& body, const BoundaryData& data);

/// Takes the mean translation and rotation over the surface out of displacements, linear per node (3·nodes of
/// `body`, or more): ∫ u and ∫ u × x become zero ([Hahn17] eq. 7.2, 7.3, integrated exactly).
void removeMeanMotion(const BemSurface& body, Eigen::Ref<Eigen::VectorXd> u);

}  // namespace hackle
