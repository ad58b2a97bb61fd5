// Boundary value problems on large surfaces, by iteration with compressed operators.
#pragma once

#include <hackle/bem/compressed_operators.h>

namespace hackle {

struct CompressedSolveOptions {
  double tolerance = 1e-6;      // of the preconditioned residual, relative
  size_t maxIterations = 1000;  // then Error(Failed)
  size_t blockSize = 128;       // unknowns of three components in a block of the preconditioner
};

struct CompressedSolution {
  Eigen::VectorXd q;  // Pa, 3 × held triangles
  Eigen::VectorXd u;  // m, 3 × free hats
  size_t iterations = 0;
  double residual = 0;
};

/// Solves  V q − K u = heldSide on the held triangles,  Kᵀ q + D u = freeSide on the free hats, by MINRES
/// with a preconditioner of dense diagonal blocks. Either set may be empty. When nothing is held and all
/// nodes are free, the six rigid motions are left out of u, and freeSide is taken without its part along
/// them.
CompressedSolution solveCompressed(const CompressedOperators& operators, const ElasticMaterial& material,
                                   const std::vector<int32_t>& heldTriangles, const HatSpace& freeHats,
                                   const Eigen::VectorXd& heldSide, const Eigen::VectorXd& freeSide,
                                   const CompressedSolveOptions& options, Context& context);

}  // namespace hackle
