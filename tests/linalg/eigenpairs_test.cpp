#include <hackle/core/error.h>
#include <hackle/linalg/eigenpairs.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;
using Triplets = std::vector<Eigen::Triplet<double, int32_t>>;

SparseMatrix fromTriplets(int32_t size, const Triplets& entries) {
  SparseMatrix m(size, size);
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

SparseMatrix unitMatrix(int32_t size) {
  SparseMatrix m(size, size);
  m.setIdentity();
  return m;
}

/// Graph Laplacian of `copies` separate grids, lower triangle.
SparseMatrix gridLaplacian(int32_t nx, int32_t ny, int32_t nz, int32_t copies = 1) {
  Triplets entries;
  for (int32_t c = 0; c < copies; ++c)
    for (int32_t x = 0; x < nx; ++x)
      for (int32_t y = 0; y < ny; ++y)
        for (int32_t z = 0; z < nz; ++z) {
          const int32_t i = ((c * nx + x) * ny + y) * nz + z;
          const auto link = [&](int32_t j) {
            entries.emplace_back(i, i, 1.0);
            entries.emplace_back(j, j, 1.0);
            entries.emplace_back(std::max(i, j), std::min(i, j), -1.0);
          };
          if (x + 1 < nx) link(i + ny * nz);
          if (y + 1 < ny) link(i + nz);
          if (z + 1 < nz) link(i + 1);
        }
  return fromTriplets(copies * nx * ny * nz, entries);
}

std::vector<double> gridEigenvalues(int nx, int ny, int nz, int copies = 1) {
  const auto part = [](int k, int n) { return 2 - 2 * std::cos(kPi * k / n); };
  std::vector<double> values;
  for (int x = 0; x < nx; ++x)
    for (int y = 0; y < ny; ++y)
      for (int z = 0; z < nz; ++z)
        for (int c = 0; c < copies; ++c) values.push_back(part(x, nx) + part(y, ny) + part(z, nz));
  std::sort(values.begin(), values.end());
  return values;
}

void expectPairs(const Eigenpairs& pairs, const SparseMatrix& K, const SparseMatrix& M, double tolerance) {
  const Eigen::MatrixXd kx = K.selfadjointView<Eigen::Lower>() * pairs.vectors;
  const Eigen::MatrixXd mx = M.selfadjointView<Eigen::Lower>() * pairs.vectors;
  const Eigen::MatrixXd gram = pairs.vectors.transpose() * mx;
  EXPECT_LT((gram - Eigen::MatrixXd::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff(), 1e-10);
  const double scale = K.diagonal().maxCoeff() * pairs.vectors.norm();
  EXPECT_LT((kx - mx * pairs.values.asDiagonal()).norm(), tolerance * scale);
  for (Eigen::Index c = 0; c < pairs.vectors.cols(); ++c)
    EXPECT_EQ(pairs.vectors.col(c).maxCoeff(), pairs.vectors.col(c).cwiseAbs().maxCoeff());
}

TEST(Eigenpairs, OfAGridAreKnown) {
  Context context;
  const SparseMatrix K = gridLaplacian(17, 11, 7), M = unitMatrix(17 * 11 * 7);
  const Eigenpairs pairs = smallestEigenpairs(K, M, 25, {}, context);
  const std::vector<double> exact = gridEigenvalues(17, 11, 7);
  ASSERT_EQ(pairs.values.size(), 25);
  EXPECT_GT(pairs.cycles, 0u);
  for (Eigen::Index i = 0; i < 25; ++i) EXPECT_NEAR(pairs.values[i], exact[i], 1e-10);
  expectPairs(pairs, K, M, 1e-8);
}

TEST(Eigenpairs, ComeAsOftenAsTheyAre) {
  // Three equal cubes: each eigenvalue of a cube (1, 3, 3, 1, 3, ... times) three times.
  Context context;
  const SparseMatrix K = gridLaplacian(9, 9, 9, 3), M = unitMatrix(3 * 729);
  const Eigenpairs pairs = smallestEigenpairs(K, M, 33, {}, context);
  const std::vector<double> exact = gridEigenvalues(9, 9, 9, 3);
  for (Eigen::Index i = 0; i < 33; ++i) EXPECT_NEAR(pairs.values[i], exact[i], 1e-9) << i;
  expectPairs(pairs, K, M, 1e-8);
}

TEST(Eigenpairs, OfARodWithConsistentMass) {
  // Linear elements of length h: lambda = 6/h^2 (1 - cos)/(2 + cos), cos of k pi h.
  constexpr int32_t n = 1200;
  const double h = 1.0 / n;
  Triplets k, m;
  for (int32_t e = 0; e < n; ++e) {
    for (const int32_t i : {e, e + 1}) k.emplace_back(i, i, 1 / h), m.emplace_back(i, i, h / 3);
    k.emplace_back(e + 1, e, -1 / h), m.emplace_back(e + 1, e, h / 6);
  }
  Context context;
  const SparseMatrix K = fromTriplets(n + 1, k), M = fromTriplets(n + 1, m);
  EigenOptions options;
  options.shift = 1.0;
  const Eigenpairs pairs = smallestEigenpairs(K, M, 12, options, context);
  for (int i = 0; i < 12; ++i) {
    const double c = std::cos(kPi * i * h), exact = 6 / (h * h) * (1 - c) / (2 + c);
    EXPECT_NEAR(pairs.values[i], exact, 1e-7 * std::max(exact, 1.0)) << i;
  }
  expectPairs(pairs, K, M, 1e-8);
}

TEST(Eigenpairs, AreTheSameBytesOnAnyNumberOfThreads) {
  const SparseMatrix K = gridLaplacian(20, 18, 16), M = unitMatrix(20 * 18 * 16);
  Context one, four;
  one.setThreads(1);
  four.setThreads(4);
  const Eigenpairs a = smallestEigenpairs(K, M, 10, {}, one), b = smallestEigenpairs(K, M, 10, {}, four);
  EXPECT_TRUE((a.values.array() == b.values.array()).all());
  EXPECT_TRUE((a.vectors.array() == b.vectors.array()).all());
}

TEST(Eigenpairs, OfSmallMatricesAreThoseOfLargeOnes) {
  Context context;
  const SparseMatrix K = gridLaplacian(5, 4, 3), M = unitMatrix(60);
  const Eigenpairs all = smallestEigenpairs(K, M, 100, {}, context);
  ASSERT_EQ(all.values.size(), 60);
  EXPECT_EQ(all.cycles, 0u);
  const std::vector<double> exact = gridEigenvalues(5, 4, 3);
  for (Eigen::Index i = 0; i < 60; ++i) EXPECT_NEAR(all.values[i], exact[i], 1e-12);
  expectPairs(all, K, M, 1e-12);
  EXPECT_EQ(smallestEigenpairs(K, M, 0, {}, context).values.size(), 0);
}

TEST(Eigenpairs, RefuseMatricesThatDoNotFit) {
  Context context;
  EXPECT_THROW(smallestEigenpairs(unitMatrix(5), unitMatrix(6), 1, {}, context), Error);
  SparseMatrix zero(5, 5);
  EXPECT_THROW(smallestEigenpairs(unitMatrix(5), zero, 1, {}, context), Error);
}

TEST(Eigenpairs, StopWhenAsked) {
  const SparseMatrix K = gridLaplacian(40, 40, 40), M = unitMatrix(64000);
  Context context;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    context.cancel();
  });
  try {
    smallestEigenpairs(K, M, 200, {}, context);
    ADD_FAILURE() << "was not cancelled";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Cancelled);
  }
  other.join();
}

}  // namespace
}  // namespace hackle
