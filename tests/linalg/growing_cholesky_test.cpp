#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/linalg/growing_cholesky.h>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <atomic>
#include <ctime>

namespace hackle {
namespace {

using Matrix = Eigen::MatrixXd;
using Sign = GrowingCholesky::Sign;

Matrix randomMatrix(Eigen::Index rows, Eigen::Index columns, uint64_t seed) {
  Random random(seed, 0);
  Matrix m(rows, columns);
  for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = random.uniform() - 0.5;
  return m;
}

Matrix positiveDefinite(Eigen::Index n, uint64_t seed) {
  const Matrix a = randomMatrix(n, n, seed);
  return a * a.transpose() + Matrix::Identity(n, n);
}

/// Appends the matrix in blocks of the given sizes.
GrowingCholesky grown(const Matrix& a, const std::vector<Eigen::Index>& blocks, Context& context) {
  GrowingCholesky factor;
  Eigen::Index row = 0;
  for (const Eigen::Index count : blocks) {
    factor.append(a.block(row, 0, count, row + count), Sign::Positive, context);
    row += count;
  }
  return factor;
}

double error(const GrowingCholesky& factor, const Matrix& a, Context& context) {
  const Matrix x = randomMatrix(a.rows(), 70, 5);
  Matrix b = a * x;
  factor.solve(b, context);
  return (b - x).cwiseAbs().maxCoeff();
}

TEST(GrowingCholesky, SolvesForManyRightHandSides) {
  Context context;
  for (const Eigen::Index n : {1, 3, 239, 240, 241, 700}) {
    const Matrix a = positiveDefinite(n, static_cast<uint64_t>(n));
    EXPECT_LT(error(grown(a, {n}, context), a, context), 1e-10) << n;
  }
}

TEST(GrowingCholesky, ReadsTheLowerTriangleOnly) {
  Context context;
  Matrix a = positiveDefinite(300, 2);
  GrowingCholesky whole = grown(a, {300}, context);
  Matrix lower = a;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(1e9);
  EXPECT_LT(error(grown(lower, {300}, context), a, context), 1e-10);
}

TEST(GrowingCholesky, GrownEqualsFromScratch) {
  Context context;
  const Matrix a = positiveDefinite(900, 3);
  Matrix expected = randomMatrix(900, 3, 9), x = expected;
  grown(a, {900}, context).solve(expected, context);
  for (const std::vector<Eigen::Index>& blocks :
       {std::vector<Eigen::Index>{600, 300}, {500, 3, 3, 3, 91, 300}, {1, 899}, {720, 60, 60, 60}}) {
    Matrix y = x;
    grown(a, blocks, context).solve(y, context);
    EXPECT_LT((y - expected).norm(), 1e-11 * expected.norm());
  }
}

TEST(GrowingCholesky, CopiesGrowWithoutEachOther) {
  Context context;
  const Matrix a = positiveDefinite(330, 3), b = positiveDefinite(330, 4);
  const Matrix first = a.topLeftCorner(300, 300);
  const GrowingCholesky factor = grown(first, {300}, context);
  // Rows of the same first block, and others below it: each joins its rows to the last tiles.
  Matrix other = a;
  other.bottomRows(30) = 0.1 * b.bottomRows(30);
  other.rightCols(30) = other.bottomRows(30).transpose();
  other.bottomRightCorner(30, 30) = b.bottomRightCorner(30, 30) + 30 * Matrix::Identity(30, 30);
  GrowingCholesky one = factor, two = factor;
  one.append(a.bottomRows(30), Sign::Positive, context);
  two.append(other.bottomRows(30), Sign::Positive, context);
  EXPECT_LT(error(factor, first, context), 1e-9);
  EXPECT_LT(error(one, a, context), 1e-9);
  EXPECT_LT(error(two, other, context), 1e-9);
}

TEST(GrowingCholesky, SmallBlocksShareTiles) {
  Context context;
  const Matrix a = positiveDefinite(480, 4);
  std::vector<Eigen::Index> blocks(160, 3);
  const GrowingCholesky factor = grown(a, blocks, context);
  EXPECT_LT(error(factor, a, context), 1e-10);
  EXPECT_EQ(factor.bytes(), 8u * (480u * 480u / 2u + 480u * 240u / 2u));
}

TEST(GrowingCholesky, FactorsQuasiDefiniteMatrices) {
  Context context;
  const Eigen::Index p = 300, q = 250, c = 50;
  const Matrix v = positiveDefinite(p, 6), d = positiveDefinite(q + c, 7), k = randomMatrix(p, q + c, 8);
  Matrix a(p + q + c, p + q + c);
  a << v, -k, -k.transpose(), -d;
  GrowingCholesky factor;
  factor.append(a.topLeftCorner(p, p), Sign::Positive, context);
  factor.append(a.block(p, 0, q, p + q), Sign::Negative, context);
  factor.append(a.bottomRows(c), Sign::Negative, context);
  EXPECT_LT(error(factor, a, context), 1e-9);
}

TEST(GrowingCholesky, SameBytesOnAnyThreads) {
  const Matrix a = positiveDefinite(1000, 10);
  const auto run = [&](int threads) {
    Context context;
    context.setThreads(threads);
    Matrix x = randomMatrix(1000, 130, 11);
    grown(a, {800, 200}, context).solve(x, context);
    return x;
  };
  const Matrix one = run(1);
  EXPECT_TRUE((one.array() == run(2).array()).all());
  EXPECT_TRUE((one.array() == run(4).array()).all());
}

TEST(GrowingCholesky, RefusesWhatIsNotDefiniteAndStaysAsItWas) {
  Context context;
  Matrix a = positiveDefinite(400, 12);
  GrowingCholesky factor = grown(a, {300}, context);
  Matrix bad = a.bottomRows(100);
  bad(50, 350) = -1;
  EXPECT_THROW(factor.append(bad, Sign::Positive, context), Error);
  Matrix twin = a.bottomRows(100);  // a repeated row makes it singular
  twin.row(60).head(400) = twin.row(20).head(400);
  twin(60, 360) = twin(20, 320);
  twin(60, 320) = twin(20, 320);
  EXPECT_THROW(factor.append(twin, Sign::Positive, context), Error);
  bad(50, 350) = std::nan("");
  EXPECT_THROW(factor.append(bad, Sign::Positive, context), Error);
  EXPECT_EQ(factor.size(), 300u);
  EXPECT_EQ(factor.rows(), 300u);
  factor.append(a.bottomRows(100), Sign::Positive, context);
  EXPECT_LT(error(factor, a, context), 1e-10);
}

TEST(GrowingCholesky, StopsSoon) {
  Context context;
  GrowingCholesky factor;
  const size_t n = 4800;
  factor.grow(n, Sign::Positive);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j <= i; ++j) factor.entry(i, j) = i == j ? 1 : 0;
  // Asked to stop at its third question, it does no more than what is under way: of some seconds' work.
  std::atomic<int> questions{0};
  context.setCancelPoll([&] { return ++questions > 3; });
  const std::clock_t start = std::clock();
  EXPECT_THROW(factor.factorise(context), Error);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 0.3);
  EXPECT_EQ(factor.rows(), 0u);
}

TEST(GrowingCholesky, TakesHalfTheMemoryOfTheSquare) {
  GrowingCholesky factor;
  factor.grow(6000, Sign::Positive);
  EXPECT_LT(static_cast<double>(factor.bytes()), 0.53 * 8 * 6000. * 6000.);
}

}  // namespace
}  // namespace hackle
