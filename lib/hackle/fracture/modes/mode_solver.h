// Fracture modes [Sellan22]: the cheapest ways in which a solid comes apart.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/modes/element_graph.h>

#include <Eigen/Core>

#include <vector>

namespace hackle {

struct ModeOptions {
  size_t count = 10;  // scalar modes; each stands for three vector modes. With costs per axis: on each axis
  size_t starts = 4;  // initial guesses tried for each mode; the cheapest result is taken
  double leastShare = 0.01;  // modes that move a smaller part of the mass are taken only if there is no other
  double tolerance = 1e-6;   // relative gap of each convex problem
  size_t maxIterations = 40;  // convex problems of one start
  size_t maxCuts = 300;       // minimum cuts of one convex problem
  /// Mirrors of the solid (mirror_symmetry.h). What they make of a mode follows it as a mode, as far as those
  /// before do not give it: what the modes span is symmetric, and there may be some more than `count`.
  std::vector<std::vector<int32_t>> mirrors;
};

struct FractureMode {
  uint8_t axes = 7;   // bit a: moves along axis a. 7: ψ ⊗ R^3, three vector modes; 1, 2 or 4: one axis
  double energy = 0;  // Σ over faces of cost times |jump|, of the mode of M-norm 1; m^2 kg^-1/2
  double gap = 0;     // relative, of the last convex problem
  double smallestJump = 0;  // kg^-1/2, over a face, of those that are not exactly 0
  double share = 0;         // of the mass that moves: 1 for two halves, about f for a chip of the part f
  size_t pieces = 0;        // connected regions of equal value
  size_t iterations = 0;    // convex problems, of the start that was taken
  bool converged = false;
};

struct FractureModes {
  Eigen::MatrixXd values;  // #elements × #modes; those of one axis are M-orthonormal; mean 0
  std::vector<FractureMode>
      modes;        // in the order of solving: the k-th on an axis (from 0) has at most k + 2 pieces
  size_t cuts = 0;  // minimum cuts computed
};

/// Values are exactly equal inside a piece. The first modes do not depend on `count`; mirror images of the
/// last one are all there. Error(BadInput) if the graph is not connected or has not more than `count`
/// elements.
FractureModes fractureModes(const ElementGraph& graph, const ModeOptions& options, Context& context);

}  // namespace hackle
