#include <hackle/core/error.h>
#include <hackle/core/memory.h>
#include <hackle/core/parallel.h>
#include <hackle/linalg/dense_blocks.h>
#include <hackle/linalg/elimination.h>
#include <hackle/linalg/sparse_cholesky.h>

#include <fmt/format.h>

namespace hackle {

namespace {

using detail::Elimination;
using detail::Supernode;
using Values = std::unique_ptr<double[]>;

constexpr double kSerialWork = 3e6;  // multiplications of a subtree that one thread does alone

Values uninitialised(int64_t count) { return Values(new double[count]); }

/// Calls body(s) for a supernode after (or, going down, before) all its descendants. Small subtrees are done
/// by one thread each; what is done does not depend on threads.
template <class Body>
void climb(const Elimination& e, int32_t top, const Body& body, Context& context) {
  const Supernode& node = e.supernodes[top];
  if (node.subtreeWork < kSerialWork) {
    context.checkCancel();
    for (int32_t s = node.firstDescendant; s <= top; ++s) body(s);
    return;
  }
  const auto children = static_cast<size_t>(node.childrenEnd - node.childrenBegin);
  parallelFor(context, children, 1, [&](size_t c) {
    climb(e, e.children[static_cast<size_t>(node.childrenBegin) + c], body, context);
  });
  body(top);
}
template <class Body>
void descend(const Elimination& e, int32_t top, const Body& body, Context& context) {
  const Supernode& node = e.supernodes[top];
  if (node.subtreeWork < kSerialWork) {
    context.checkCancel();
    for (int32_t s = top; s >= node.firstDescendant; --s) body(s);
    return;
  }
  body(top);
  const auto children = static_cast<size_t>(node.childrenEnd - node.childrenBegin);
  parallelFor(context, children, 1, [&](size_t c) {
    descend(e, e.children[static_cast<size_t>(node.childrenBegin) + c], body, context);
  });
}

}  // namespace

struct SparseCholesky::Parts {
  Elimination elimination;
  std::vector<double> diagonal;  // of the matrix, to judge pivots
  Values factor;
  bool factored = false;
  int64_t nonZeros = 0;
};

SparseCholesky::SparseCholesky() : mParts(std::make_unique<Parts>()) {}
SparseCholesky::~SparseCholesky() = default;
SparseCholesky::SparseCholesky(SparseCholesky&&) noexcept = default;
SparseCholesky& SparseCholesky::operator=(SparseCholesky&&) noexcept = default;

size_t SparseCholesky::unknowns() const { return mParts->elimination.order.size(); }
size_t SparseCholesky::factorEntries() const { return static_cast<size_t>(mParts->elimination.factorSize); }
double SparseCholesky::factorWork() const { return mParts->elimination.work; }

void SparseCholesky::analyse(const SparseMatrix& lower, Context& context) { analyse(lower, {}, context); }

void SparseCholesky::analyse(const SparseMatrix& lower, std::vector<int32_t> order, Context& context) {
  HACKLE_ASSERT(lower.rows() == lower.cols());
  HACKLE_ASSERT(order.empty() || static_cast<Eigen::Index>(order.size()) == lower.cols());
  mParts = std::make_unique<Parts>();
  mParts->elimination = detail::analyseElimination(lower, std::move(order), context);
  mParts->nonZeros = lower.nonZeros();
}

namespace {

/// One numeric factorisation.
class Factorisation {
 public:
  Factorisation(const Elimination& e, const double* matrix, double* factor, const PivotRule& rule,
                Context& context)
      : mE(e),
        mMatrix(matrix),
        mFactor(factor),
        mRule(rule),
        mContext(context),
        mUpdates(e.supernodes.size()),
        mPivots(e.supernodes.size()) {}

  void run() {
    parallelFor(mContext, mE.roots.size(), 1, [&](size_t r) {
      climb(
          mE, mE.roots[r], [&](int32_t s) { factorFront(s); }, mContext);
    });
  }
  /// The first unknown, in the order of elimination, without a positive pivot, or -1.
  int64_t failed() const {
    for (size_t s = 0; s < mPivots.size(); ++s)
      if (mPivots[s].failed >= 0) return mE.order[mE.supernodes[s].firstColumn + mPivots[s].failed];
    return -1;
  }
  size_t mended() const {
    size_t sum = 0;
    for (const PivotCount& p : mPivots) sum += static_cast<size_t>(p.mended);
    return sum;
  }

 private:
  void factorFront(int32_t s) {
    const Supernode& node = mE.supernodes[s];
    const int64_t height = node.height(), below = node.rowsBelow;
    double* panel = mFactor + node.valuesBegin;
    Values update = uninitialised(below * below);
    zero(panel, height * node.columns);
    zero(update.get(), below * below);
    for (int64_t k = node.entriesBegin; k < node.entriesEnd; ++k)
      panel[mE.entries[k].target] += mMatrix[mE.entries[k].source];
    for (int32_t c = node.childrenBegin; c < node.childrenEnd; ++c)
      addChild(mE.children[c], node, panel, update.get());

    mPivots[s] = choleskyColumns(panel, height, height, node.columns, mRule, mContext);
    const BlockView rows{panel + node.columns, 1, height};
    subtractLowerProduct(update.get(), below, rows, rows.transposed(), {below, below, node.columns},
                         mContext);
    mUpdates[s] = std::move(update);
  }
  void zero(double* values, int64_t count) {
    constexpr size_t kChunk = 1 << 18;
    if (count < static_cast<int64_t>(4 * kChunk)) {
      std::fill(values, values + count, 0.0);
      return;
    }
    parallelRanges(mContext, static_cast<size_t>(count), kChunk,
                   [&](size_t begin, size_t end) { std::fill(values + begin, values + end, 0.0); });
  }
  /// Adds what a child leaves to its rows.
  void addChild(int32_t s, const Supernode& node, double* panel, double* update) {
    const Supernode& child = mE.supernodes[s];
    const int64_t below = child.rowsBelow, height = node.height(), nodeBelow = node.rowsBelow;
    const int32_t* place = mE.placeInParent.data() + child.rowsBegin;
    const double* from = mUpdates[s].get();
    const auto addColumns = [&](size_t begin, size_t end) {
      for (auto j = static_cast<int64_t>(begin); j < static_cast<int64_t>(end); ++j) {
        const int64_t column = place[j];
        double* to = column < node.columns ? panel + column * height
                                           : update + (column - node.columns) * nodeBelow - node.columns;
        const double* source = from + j * below;
        for (int64_t i = j; i < below; ++i) to[place[i]] += source[i];
      }
    };
    if (below > 700)
      parallelRanges(mContext, static_cast<size_t>(below), 64, addColumns);
    else
      addColumns(0, static_cast<size_t>(below));
    mUpdates[s].reset();
  }

  const Elimination& mE;
  const double* mMatrix;
  double* mFactor;
  PivotRule mRule;
  Context& mContext;
  std::vector<Values> mUpdates;
  std::vector<PivotCount> mPivots;
};

/// Refuses what cannot fit: the factor, and what waits for its parents in the order of one thread.
void checkMemory(const Elimination& e) {
  constexpr double kShare = 0.9;  // of the machine's
  const auto update = [&](const Supernode& node) {
    return static_cast<double>(node.rowsBelow) * static_cast<double>(node.rowsBelow);
  };
  double waiting = 0, most = 0;
  for (const Supernode& node : e.supernodes) {
    waiting += update(node);
    most = std::max(most, waiting);
    for (int32_t c = node.childrenBegin; c < node.childrenEnd; ++c)
      waiting -= update(e.supernodes[e.children[c]]);
  }
  const double bytes = sizeof(double) * (static_cast<double>(e.factorSize) + most);
  if (bytes <= kShare * availableMemory()) return;
  throw Error(ErrorCode::BadInput,
              fmt::format("solving for {} unknowns would take about {:.2g} GB; there are {:.2g}",
                          e.order.size(), bytes * 1e-9, availableMemory() * 1e-9),
              "use a coarser lattice or mesh: fewer cells, elements or triangles");
}

}  // namespace

void SparseCholesky::factorise(const SparseMatrix& lower, Context& context) {
  const Elimination& e = mParts->elimination;
  HACKLE_ASSERT(static_cast<size_t>(lower.cols()) == e.order.size() && lower.nonZeros() == mParts->nonZeros);
  mParts->factored = false;
  if (!mParts->factor) {
    checkMemory(e);
    mParts->factor = uninitialised(e.factorSize);
  }
  PivotRule rule;
  if (mPivotFloor) {
    const Eigen::VectorXd diagonal = lower.diagonal();
    const double largest = diagonal.size() > 0 ? diagonal.maxCoeff() : 0;
    rule.floor = *mPivotFloor * largest;
    rule.replacement = 1e64 * std::max(largest, 1e-200);
  }
  Factorisation factorisation(e, lower.valuePtr(), mParts->factor.get(), rule, context);
  factorisation.run();
  mMended = factorisation.mended();
  if (const int64_t failed = factorisation.failed(); failed >= 0)
    throw Error(
        ErrorCode::Failed,
        fmt::format("matrix of {} unknowns is not positive definite (at unknown {})", e.order.size(), failed),
        "the material or the elements are degenerate: check units, and that walls are thicker than a "
        "ten-thousandth of the solid");
  mParts->factored = true;
}

namespace {

/// Forward and backward substitution of some right-hand sides, kept by rows of the order of elimination.
class Substitution {
 public:
  Substitution(const Elimination& e, const double* factor, Eigen::MatrixXd& x, Context& context)
      : mE(e), mFactor(factor), mX(x), mContext(context), mBelow(e.supernodes.size()) {}

  void run() {
    parallelFor(mContext, mE.roots.size(), 1, [&](size_t r) {
      climb(
          mE, mE.roots[r], [&](int32_t s) { forward(s); }, mContext);
      descend(
          mE, mE.roots[r], [&](int32_t s) { backward(s); }, mContext);
    });
  }

 private:
  void forward(int32_t s) {
    const Supernode& node = mE.supernodes[s];
    const Eigen::Index columns = mX.cols(), below = node.rowsBelow;
    double* x = mX.data() + node.firstColumn;
    Eigen::MatrixXd& rest = mBelow[s];
    rest = Eigen::MatrixXd::Zero(below, columns);
    for (int32_t c = node.childrenBegin; c < node.childrenEnd; ++c) {
      const Supernode& child = mE.supernodes[mE.children[c]];
      const int32_t* place = mE.placeInParent.data() + child.rowsBegin;
      Eigen::MatrixXd& from = mBelow[mE.children[c]];
      for (Eigen::Index k = 0; k < columns; ++k)
        for (Eigen::Index r = 0; r < child.rowsBelow; ++r) {
          double& to =
              place[r] < node.columns ? x[place[r] + k * mX.rows()] : rest(place[r] - node.columns, k);
          to += from(r, k);
        }
      from.resize(0, 0);
    }
    const double* panel = mFactor + node.valuesBegin;
    solveLower(panel, node.height(), node.columns, x, mX.rows(), columns, mContext);
    subtractThinProduct(rest.data(), below, {panel + node.columns, 1, node.height()}, {x, 1, mX.rows()},
                        {below, columns, node.columns}, mContext);
  }
  void backward(int32_t s) {
    const Supernode& node = mE.supernodes[s];
    const Eigen::Index columns = mX.cols(), below = node.rowsBelow;
    double* x = mX.data() + node.firstColumn;
    Eigen::MatrixXd known(below, columns);
    const int32_t* rows = mE.rows.data() + node.rowsBegin;
    for (Eigen::Index k = 0; k < columns; ++k)
      for (Eigen::Index r = 0; r < below; ++r) known(r, k) = mX(rows[r], k);
    const double* panel = mFactor + node.valuesBegin;
    subtractThinProduct(x, mX.rows(), {panel + node.columns, node.height(), 1}, {known.data(), 1, below},
                        {node.columns, columns, below}, mContext);
    solveLowerTransposed(panel, node.height(), node.columns, x, mX.rows(), columns, mContext);
  }

  const Elimination& mE;
  const double* mFactor;
  Eigen::MatrixXd& mX;
  Context& mContext;
  std::vector<Eigen::MatrixXd> mBelow;
};

}  // namespace

void SparseCholesky::solve(Eigen::Ref<Eigen::MatrixXd> rhs, Context& context) const {
  const Elimination& e = mParts->elimination;
  HACKLE_ASSERT(mParts->factored && static_cast<size_t>(rhs.rows()) == e.order.size());
  constexpr Eigen::Index kBlock = 24;  // right-hand sides at once
  for (Eigen::Index first = 0; first < rhs.cols(); first += kBlock) {
    const Eigen::Index columns = std::min(kBlock, rhs.cols() - first);
    Eigen::MatrixXd x(rhs.rows(), columns);
    for (Eigen::Index c = 0; c < columns; ++c)
      for (Eigen::Index k = 0; k < x.rows(); ++k) x(k, c) = rhs(e.order[k], first + c);
    Substitution(e, mParts->factor.get(), x, context).run();
    for (Eigen::Index c = 0; c < columns; ++c)
      for (Eigen::Index k = 0; k < x.rows(); ++k) rhs(e.order[k], first + c) = x(k, c);
  }
}

}  // namespace hackle
