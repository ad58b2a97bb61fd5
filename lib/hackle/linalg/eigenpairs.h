// The smallest eigenvalues of large sparse symmetric problems K x = lambda M x, with their vectors.
#pragma once

#include <hackle/core/context.h>
#include <hackle/linalg/sparse.h>

#include <Eigen/Core>

#include <cstddef>
#include <optional>

namespace hackle {

struct EigenOptions {
  /// Bound of the residual |(K + s M)^-1 M x - nu x| / nu of every pair, in the norm of M; eigenvalues are
  /// exact to about its square.
  double tolerance = 1e-9;
  /// s > 0 that makes K + s M positive definite, in the unit of lambda; it should be below the smallest
  /// eigenvalue that is not 0. Not set: 1e-7 tr K / tr M.
  std::optional<double> shift;
  size_t block = 6;       // vectors that iterate together: eigenvalues of this multiplicity are safe
  size_t maxCycles = 60;  // restarts before Error(Failed)
};

struct Eigenpairs {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // #rows x count, M-orthonormal; the entry of largest size is positive
  double residual = 0;      // largest |(K + s M)^-1 M x - nu x| / nu
  size_t cycles = 0;        // restarts; 0 where a dense solve did it
};

/// The smallest `count` eigenvalues of K x = lambda M x: K symmetric positive semi-definite, M symmetric
/// positive definite (diagonal or not), lower triangles are read. Null vectors of K (constants of a
/// Laplacian, rigid motions) come first, with values of rounding size beside the largest eigenvalue.
///
/// Block Lanczos iteration of (K + s M)^-1 M with thick restarts [Wu00] and full reorthogonalisation. One
/// vector would find a single vector of each eigenspace (six rigid motions, symmetric bodies): hence blocks,
/// and before it returns a few steps from a fresh random block look for what may have been missed. The
/// result is the same on any number of threads. `count` above the size gives all pairs. Error(BadInput) if
/// sizes differ, M has no trace or K + s M is not positive definite; Error(Failed) without convergence.
Eigenpairs smallestEigenpairs(const SparseMatrix& K, const SparseMatrix& M, size_t count,
                              const EigenOptions& options, Context& context);

}  // namespace hackle
