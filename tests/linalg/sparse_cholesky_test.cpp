#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/linalg/dense_blocks.h>
#include <hackle/linalg/nested_dissection.h>
#include <hackle/linalg/sparse_cholesky.h>
#include <linalg/test_matrices.h>

#include <Eigen/Dense>

#include <sys/resource.h>

#include <ctime>

namespace hackle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::boxLaplacian;
using test::randomMatrix;

double residual(const SparseMatrix& lower, const MatrixXd& x, const MatrixXd& b) {
  const MatrixXd ax = lower.selfadjointView<Eigen::Lower>() * x;
  return (ax - b).norm() / b.norm();
}

MatrixXd solveWith(const SparseMatrix& lower, const MatrixXd& b, int threads = 0) {
  Context context;
  context.setThreads(threads);
  SparseCholesky cholesky;
  cholesky.analyse(lower, context);
  cholesky.factorise(lower, context);
  MatrixXd x = b;
  cholesky.solve(x, context);
  return x;
}

TEST(SparseCholesky, SolvesLaplaciansOfManyShapes) {
  for (const auto& [nx, ny, nz] : std::vector<std::array<int, 3>>{
           {1, 1, 1}, {2, 1, 1}, {300, 1, 1}, {40, 40, 1}, {17, 17, 17}, {7, 50, 9}, {24, 24, 24}}) {
    const SparseMatrix lower = boxLaplacian(nx, ny, nz, 1e-3);
    for (const int columns : {1, 3, 30}) {
      const MatrixXd b = randomMatrix(lower.rows(), columns, 7);
      EXPECT_LT(residual(lower, solveWith(lower, b), b), 1e-11) << nx << " " << ny << " " << nz;
    }
  }
}

TEST(SparseCholesky, SolvesMatricesWithRandomPatternAndDenseOnes) {
  for (const double density : {0.0, 0.002, 0.02, 0.3, 1.0}) {
    const SparseMatrix lower = test::randomPositiveDefinite(300, density, 3);
    const MatrixXd b = randomMatrix(300, 2, 5);
    EXPECT_LT(residual(lower, solveWith(lower, b), b), 1e-11) << density;
  }
}

TEST(SparseCholesky, SolvesBlocksAsInElasticity) {
  // Three unknowns a node, coupled densely: they share a vertex of the ordered graph.
  const SparseMatrix scalar = boxLaplacian(12, 12, 12, 1e-2);
  const Eigen::Matrix3d block = (Eigen::Matrix3d() << 3, 1, 0.5, 1, 2, 0.3, 0.5, 0.3, 4).finished();
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < scalar.cols(); ++j)
    for (SparseMatrix::InnerIterator it(scalar, j); it; ++it)
      for (int a = 0; a < 3; ++a)
        for (int c = 0; c < 3; ++c)
          entries.emplace_back(3 * it.row() + a, 3 * j + c, it.value() * block(a, c));
  SparseMatrix lower(3 * scalar.rows(), 3 * scalar.cols());
  lower.setFromTriplets(entries.begin(), entries.end());
  const MatrixXd b = randomMatrix(lower.rows(), 3, 5);
  const SparseMatrix strict = lower.triangularView<Eigen::Lower>();
  EXPECT_LT(residual(strict, solveWith(lower, b), b), 1e-11);
}

TEST(SparseCholesky, RefactorsWithOtherValues) {
  Context context;
  SparseMatrix lower = boxLaplacian(15, 15, 15, 1e-3);
  SparseCholesky cholesky;
  cholesky.analyse(lower, context);
  for (int round = 0; round < 3; ++round) {
    Random random(9, static_cast<uint64_t>(round));
    for (int j = 0; j < lower.cols(); ++j)
      for (SparseMatrix::InnerIterator it(lower, j); it; ++it)
        it.valueRef() = it.row() == j ? 10 + random.uniform() : -random.uniform();
    cholesky.factorise(lower, context);
    const MatrixXd b = randomMatrix(lower.rows(), 1, 2);
    MatrixXd x = b;
    cholesky.solve(x, context);
    EXPECT_LT(residual(lower, x, b), 1e-12);
  }
}

TEST(SparseCholesky, SameBytesOnAnyNumberOfThreads) {
  const SparseMatrix lower = boxLaplacian(30, 30, 30, 1e-4);
  const MatrixXd b = randomMatrix(lower.rows(), 2, 11);
  const MatrixXd one = solveWith(lower, b, 1);
  for (const int threads : {2, 5}) EXPECT_TRUE(one == solveWith(lower, b, threads));
}

TEST(SparseCholesky, RefusesIndefiniteMatricesAndMendsTinyPivots) {
  Context context;
  SparseMatrix lower = boxLaplacian(10, 10, 10, 0.0);  // constants are in its null space
  SparseCholesky cholesky;
  cholesky.analyse(lower, context);
  cholesky.setPivotFloor(1e-13);
  cholesky.factorise(lower, context);
  EXPECT_EQ(cholesky.mendedPivots(), 1u);
  MatrixXd b = randomMatrix(lower.rows(), 1, 3), x;
  b.array() -= b.mean();
  x = b;
  cholesky.solve(x, context);
  EXPECT_LT(residual(lower, x, b), 1e-11);

  cholesky.setPivotFloor({});
  lower.coeffRef(500, 500) = -1;
  try {
    cholesky.factorise(lower, context);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::Failed);
  }
  lower.coeffRef(500, 500) = std::nan("");
  EXPECT_THROW(cholesky.factorise(lower, context), Error);
}

TEST(SparseCholesky, FactorsThatDoNotFitIntoTheMemoryAreRefused) {
  Context context;
  const SparseMatrix lower = boxLaplacian(30, 30, 30, 0.1);
  SparseCholesky cholesky;
  cholesky.analyse(lower, context);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &limit), 0);
  const auto errorWith = [&](size_t bytes) {
    const rlimit little{bytes, limit.rlim_max};
    ::setrlimit(RLIMIT_AS, &little);
    std::string message;
    try {
      cholesky.factorise(lower, context);
    } catch (const Error& e) {
      message = e.what();
    }
    ::setrlimit(RLIMIT_AS, &limit);
    return message;
  };
  EXPECT_NE(errorWith(8 * cholesky.factorEntries()).find("27000 unknowns would take about"),
            std::string::npos);
  EXPECT_EQ(errorWith(limit.rlim_cur), "");
}

TEST(SparseCholesky, SurvivesWeightsOfAllSizes) {
  // Weights as an interior-point method makes them: 1e-12 across cuts, 1e12 inside pieces.
  Random random(4);
  const SparseMatrix lower =
      test::boxGraphLaplacian(14, 14, 14, 1.0, [&] { return std::pow(10.0, random.uniform(-9, 9)); });
  const VectorXd truth = randomMatrix(lower.rows(), 1, 8);
  const MatrixXd b = lower.selfadjointView<Eigen::Lower>() * truth;
  EXPECT_LT(residual(lower, solveWith(lower, b), b), 1e-11);
}

TEST(SparseCholesky, StopsWithinATenthOfASecond) {
  const SparseMatrix lower = boxLaplacian(40, 40, 40, 1e-3);
  for (const double delay : {0.005, 0.06, 0.2, 0.6}) {
    // In processor time, so that other programs do not count.
    Context context;
    context.setThreads(1);
    const std::clock_t start = std::clock();
    const auto seconds = [&] { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; };
    context.setCancelPoll([&] { return seconds() > delay; });
    EXPECT_THROW(
        {
          SparseCholesky cholesky;
          cholesky.analyse(lower, context);
          for (;;) cholesky.factorise(lower, context);
        },
        Error);
    EXPECT_LT(seconds(), delay + 0.1);
  }
}

TEST(NestedDissection, OrdersEveryVertexOnceWithLittleFill) {
  Context context;
  const SparseMatrix lower = boxLaplacian(60, 60, 1, 1.0);
  SparseCholesky cholesky;
  cholesky.analyse(lower, context);
  // 31 n log2(n) / 4 is the bound of [George73] for squares; dissection by lines alone gives about half of
  // it.
  const double n = 3600;
  EXPECT_LT(static_cast<double>(cholesky.factorEntries()), 31.0 / 4 * n * std::log2(n) / 2);
  SparsityGraph empty;
  EXPECT_TRUE(nestedDissection(empty, context).empty());
}

TEST(DenseBlocks, ProductsAndFactorsEqualEigens) {
  Context context;
  for (const auto& [m, n, k] :
       std::vector<std::array<int, 3>>{{1, 1, 1}, {13, 5, 3}, {200, 195, 300}, {37, 400, 129}}) {
    const MatrixXd a = randomMatrix(m, k, 1), b = randomMatrix(n, k, 2), c = randomMatrix(m, n, 3);
    MatrixXd result = c;
    subtractProduct(result.data(), m, {a.data(), 1, m}, BlockView{b.data(), 1, n}.transposed(), {m, n, k},
                    context);
    EXPECT_LT((result - (c - a * b.transpose())).norm(), 1e-12 * (c.norm() + a.norm() * b.norm()));
  }
  for (const int n : {1, 7, 8, 9, 17, 100, 333}) {
    const MatrixXd r = randomMatrix(n, n, 4), a = r * r.transpose() + n * MatrixXd::Identity(n, n);
    MatrixXd l = a;
    EXPECT_EQ(choleskyColumns(l.data(), n, n, n, {}, context).failed, -1);
    const MatrixXd lower = l.triangularView<Eigen::Lower>();
    EXPECT_LT((lower * lower.transpose() - a).norm(), 1e-13 * a.norm()) << n;
    MatrixXd x = randomMatrix(n, 5, 6);
    const MatrixXd b = x;
    solveLower(l.data(), n, n, x.data(), n, 5, context);
    solveLowerTransposed(l.data(), n, n, x.data(), n, 5, context);
    EXPECT_LT((a * x - b).norm(), 1e-12 * b.norm()) << n;
  }
}

}  // namespace
}  // namespace hackle
