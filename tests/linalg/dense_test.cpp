#include <gtest/gtest.h>
#include <hackle/core/random.h>
#include <hackle/linalg/dense.h>

#include <set>

namespace hackle {
namespace {

Eigen::MatrixXd randomMatrix(Eigen::Index rows, Eigen::Index columns, uint64_t seed) {
  Random random(seed, 0);
  Eigen::MatrixXd a(rows, columns);
  for (Eigen::Index i = 0; i < a.size(); ++i) a.data()[i] = random.uniform() - 0.5;
  return a;
}

TEST(SymmetricEigen, RebuildsTheMatrixFromOrthonormalVectors) {
  const Eigen::MatrixXd b = randomMatrix(20, 20, 1), a = b + b.transpose();
  const SymmetricEigen eigen = symmetricEigen(a);
  EXPECT_LT((eigen.vectors * eigen.values.asDiagonal() * eigen.vectors.transpose() - a).norm(), 1e-12);
  EXPECT_LT((eigen.vectors.transpose() * eigen.vectors - Eigen::MatrixXd::Identity(20, 20)).norm(), 1e-12);
  for (Eigen::Index k = 1; k < 20; ++k) EXPECT_LE(eigen.values[k - 1], eigen.values[k]);
}

TEST(RankColumns, FindsIndependentColumns) {
  // Twelve columns that span four dimensions.
  const Eigen::MatrixXd a = randomMatrix(9, 4, 2) * randomMatrix(4, 12, 3);
  const ColumnRanking ranking = rankColumns(a);
  EXPECT_EQ(ranking.rank, 4);
  EXPECT_EQ(std::set<int32_t>(ranking.order.begin(), ranking.order.end()).size(), 12u);
  Eigen::MatrixXd first(9, 4);
  for (Eigen::Index k = 0; k < 4; ++k) first.col(k) = a.col(ranking.order[k]);
  EXPECT_EQ(rankColumns(first).rank, 4);
  // A fifth direction that is small counts, or does not.
  Eigen::MatrixXd b = a;
  b.col(5) += 1e-6 * randomMatrix(9, 1, 4);
  EXPECT_EQ(rankColumns(b).rank, 5);
  EXPECT_EQ(rankColumns(b, 1e-3).rank, 4);
}

TEST(LeastSquares, LeavesARestAtRightAnglesToTheColumns) {
  const Eigen::MatrixXd a = randomMatrix(30, 6, 5);
  const Eigen::VectorXd b = randomMatrix(30, 1, 6);
  EXPECT_LT((a.transpose() * (a * leastSquares(a, b) - b)).norm(), 1e-12);
}

}  // namespace
}  // namespace hackle
