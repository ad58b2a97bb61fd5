#include <hackle/core/random.h>
#include <hackle/linalg/cluster_tree.h>
#include <hackle/linalg/cross_approximation.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

std::vector<Eigen::Vector3d> somePoints(size_t count) {
  Random random(11);
  std::vector<Eigen::Vector3d> points(count);
  for (Eigen::Vector3d& p : points) p = {random.uniform(), random.uniform(), 3 * random.uniform()};
  return points;
}

class WholeMatrix : public CrossSource {
 public:
  WholeMatrix(Eigen::MatrixXd values, std::vector<Eigen::Index> checks)
      : mValues(std::move(values)), mChecks(std::move(checks)) {}
  Eigen::Index rows() const override { return mValues.rows(); }
  Eigen::Index columns() const override { return mValues.cols(); }
  void row(Eigen::Index i, Eigen::Ref<Eigen::VectorXd> out) override { out = mValues.row(i).transpose(); }
  void column(Eigen::Index j, Eigen::Ref<Eigen::VectorXd> out) override { out = mValues.col(j); }
  std::vector<Eigen::Index> checks() const override { return mChecks; }
  const Eigen::MatrixXd& values() const { return mValues; }

 private:
  Eigen::MatrixXd mValues;
  std::vector<Eigen::Index> mChecks;
};

TEST(ClusterTree, BlocksCoverEveryPairOnce) {
  const std::vector<Eigen::Vector3d> points = somePoints(300);
  const ClusterTree tree(points, {}, 10);
  Eigen::MatrixXi seen = Eigen::MatrixXi::Zero(300, 300);
  size_t far = 0;
  for (const BlockPair& pair : blockPairs(tree, 1.5)) {
    const Cluster& a = tree.clusters()[pair.rows];
    const Cluster& b = tree.clusters()[pair.columns];
    far += pair.far;
    for (size_t i = a.begin; i < a.end; ++i)
      for (size_t j = b.begin; j < b.end; ++j) {
        ++seen(tree.order()[i], tree.order()[j]);
        if (pair.rows != pair.columns) ++seen(tree.order()[j], tree.order()[i]);
      }
  }
  EXPECT_EQ(seen.minCoeff(), 1);
  EXPECT_EQ(seen.maxCoeff(), 1);
  EXPECT_GT(far, 50u);
  EXPECT_TRUE(ClusterTree({}, {}, 10).clusters().empty());
}

TEST(CrossApproximation, SmoothKernelsHaveLowRank) {
  const std::vector<Eigen::Vector3d> points = somePoints(120);
  Eigen::MatrixXd values(120, 120);
  for (Eigen::Index i = 0; i < 120; ++i)
    for (Eigen::Index j = 0; j < 120; ++j)
      values(i, j) = 1 / (points[i] - points[j] - Eigen::Vector3d(4, 0, 0)).norm();
  WholeMatrix source(values, {});
  LowRank found;
  ASSERT_TRUE(crossApproximation(source, 1e-6, 0, 60, found));
  EXPECT_LT(found.left.cols(), 25);
  EXPECT_LT((values - found.left * found.right.transpose()).norm(), 1e-5 * values.norm());
}

TEST(CrossApproximation, ChecksFindPartsThatPivotsMiss) {
  // Two unconnected parts of rank one, and nothing
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(40, 30);
  values.topLeftCorner(20, 15).setOnes();
  values.bottomRightCorner(10, 15).setConstant(2);
  WholeMatrix parts(values, {0, 25, 35});
  LowRank found;
  ASSERT_TRUE(crossApproximation(parts, 1e-10, 0, 20, found));
  EXPECT_LT((values - found.left * found.right.transpose()).norm(), 1e-12);
  WholeMatrix nothing(Eigen::MatrixXd::Zero(40, 30), {0, 1});
  ASSERT_TRUE(crossApproximation(nothing, 1e-10, 0, 20, found));
  EXPECT_EQ(found.left.cols(), 0);
}

TEST(CrossApproximation, GivesUpOnFullRank) {
  WholeMatrix source(Eigen::MatrixXd::Identity(40, 40), {});
  LowRank found;
  EXPECT_FALSE(crossApproximation(source, 1e-10, 0, 20, found) && found.left.cols() > 1);
}

}  // namespace
}  // namespace hackle
