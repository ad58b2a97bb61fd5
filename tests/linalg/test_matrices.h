// Matrices to test solvers with.
#pragma once

#include <hackle/core/random.h>
#include <hackle/linalg/sparse.h>

#include <Eigen/Core>

#include <vector>

namespace hackle::test {

inline Eigen::MatrixXd randomMatrix(Eigen::Index rows, Eigen::Index columns, uint64_t seed) {
  Random random(seed);
  Eigen::MatrixXd m(rows, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    for (Eigen::Index i = 0; i < rows; ++i) m(i, j) = random.uniform(-1, 1);
  return m;
}

/// Lower triangle of the graph Laplacian of an nx × ny × nz grid plus `shift` times the identity; `weight()`
/// gives the weight of each edge.
template <class Weight>
SparseMatrix boxGraphLaplacian(int nx, int ny, int nz, double shift, const Weight& weight) {
  std::vector<Eigen::Triplet<double, int32_t>> entries;
  const auto id = [&](int x, int y, int z) { return (z * ny + y) * nx + x; };
  const auto link = [&](int a, int b) {
    const double w = weight();
    entries.emplace_back(a, a, w);
    entries.emplace_back(b, b, w);
    entries.emplace_back(b, a, -w);
  };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x) {
        entries.emplace_back(id(x, y, z), id(x, y, z), shift);
        if (x + 1 < nx) link(id(x, y, z), id(x + 1, y, z));
        if (y + 1 < ny) link(id(x, y, z), id(x, y + 1, z));
        if (z + 1 < nz) link(id(x, y, z), id(x, y, z + 1));
      }
  SparseMatrix lower(nx * ny * nz, nx * ny * nz);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

inline SparseMatrix boxLaplacian(int nx, int ny, int nz, double shift) {
  return boxGraphLaplacian(nx, ny, nz, shift, [] { return 1.0; });
}

/// Lower triangle of a diagonally dominant matrix of random pattern.
inline SparseMatrix randomPositiveDefinite(int n, double density, uint64_t seed) {
  Random random(seed);
  std::vector<Eigen::Triplet<double, int32_t>> entries;
  for (int j = 0; j < n; ++j) {
    entries.emplace_back(j, j, n * (1 + random.uniform()));
    for (int i = j + 1; i < n; ++i)
      if (random.uniform() < density) entries.emplace_back(i, j, random.uniform(-1, 1));
  }
  SparseMatrix lower(n, n);
  lower.setFromTriplets(entries.begin(), entries.end());
  return lower;
}

}  // namespace hackle::test
