#include <hackle/bem/compressed_operators.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/pi.h>
#include <hackle/linalg/cluster_tree.h>
#include <hackle/linalg/cross_approximation.h>

#include <cmath>

namespace hackle {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

// The matrices of a block: L, R (6), the double layer from columns to rows, and back.
constexpr size_t kMatrices = 9, kForward = 7, kBackward = 8;

// Columns of sources: q (3), T = Σ s uᵀ (9), M u (3), u at the corners (9).
constexpr Index kQ = 0, kT = 3, kM = 12, kCorners = 15, kSources = 24;
// Columns of sums: L of q and T (12), R q (3), R M u (3), double layer of q at the corners (9), of u (3).
constexpr Index kLq = 0, kLT = 3, kRq = 12, kRM = 15, kLayerQ = 18, kLayerU = 27, kSums = 30;

constexpr Index kFirst[6] = {0, 1, 2, 0, 1, 2}, kSecond[6] = {0, 1, 2, 1, 2, 0};

/// A matrix as a whole (only left) or as left rightᵀ.
struct Factors {
  MatrixXd left, right;
  bool whole = true;

  template <class X>
  MatrixXd times(const X& x) const {
    if (whole) return left * x;
    const MatrixXd inner = right.transpose() * x;
    return left * inner;
  }
  template <class X>
  MatrixXd transposedTimes(const X& x) const {
    if (whole) return left.transpose() * x;
    const MatrixXd inner = left.transpose() * x;
    return right * inner;
  }
  size_t bytes() const { return sizeof(double) * static_cast<size_t>(left.size() + right.size()); }
};

/// Rows and columns of a block as they are asked for, all thirteen numbers at once.
class BlockEntries {
 public:
  BlockEntries(const PairIntegrator& integrator, Span<const int32_t> rows, Span<const int32_t> columns)
      : mIntegrator(integrator),
        mRowTriangles(rows),
        mColumnTriangles(columns),
        mRows(rows.size()),
        mColumns(columns.size()) {}

  Index rowCount() const { return static_cast<Index>(mRows.size()); }
  Index columnCount() const { return static_cast<Index>(mColumns.size()); }
  bool hasRow(Index i) const { return mRows[i] != nullptr; }
  bool hasColumn(Index j) const { return mColumns[j] != nullptr; }

  /// Columns × 13.
  const MatrixXd& row(Index i) {
    std::unique_ptr<MatrixXd>& row = mRows[i];
    if (!row) {
      row = std::make_unique<MatrixXd>(columnCount(), static_cast<Index>(kPairNumbers));
      mIntegrator.column(mColumnTriangles, static_cast<size_t>(mRowTriangles[i]), row->data(),
                         mColumns.size());
      // The other way round, the double layers change places
      for (Index k = 0; k < 3; ++k) row->col(7 + k).swap(row->col(10 + k));
    }
    return *row;
  }
  /// Rows × 13.
  const MatrixXd& column(Index j) {
    std::unique_ptr<MatrixXd>& column = mColumns[j];
    if (!column) {
      column = std::make_unique<MatrixXd>(rowCount(), static_cast<Index>(kPairNumbers));
      mIntegrator.column(mRowTriangles, static_cast<size_t>(mColumnTriangles[j]), column->data(),
                         mRows.size());
    }
    return *column;
  }

 private:
  const PairIntegrator& mIntegrator;
  Span<const int32_t> mRowTriangles, mColumnTriangles;
  std::vector<std::unique_ptr<MatrixXd>> mRows, mColumns;
};

/// L or one component of R.
class ScalarEntries : public CrossSource {
 public:
  ScalarEntries(BlockEntries& entries, Index number, std::vector<Index> checks)
      : mEntries(entries), mNumber(number), mChecks(std::move(checks)) {}
  Index rows() const override { return mEntries.rowCount(); }
  Index columns() const override { return mEntries.columnCount(); }
  void row(Index i, Eigen::Ref<Eigen::VectorXd> out) override { out = mEntries.row(i).col(mNumber); }
  void column(Index j, Eigen::Ref<Eigen::VectorXd> out) override { out = mEntries.column(j).col(mNumber); }
  bool hasRow(Index i) const override { return mEntries.hasRow(i); }
  bool hasColumn(Index j) const override { return mEntries.hasColumn(j); }
  std::vector<Index> checks() const override { return mChecks; }

 private:
  BlockEntries& mEntries;
  Index mNumber;
  std::vector<Index> mChecks;
};

/// The double layer: a row a triangle, three columns a triangle, one for each corner (all first corners
/// first).
class LayerEntries : public CrossSource {
 public:
  LayerEntries(BlockEntries& entries, bool backward, std::vector<Index> checks)
      : mEntries(entries), mBackward(backward), mChecks(std::move(checks)) {}
  Index rows() const override { return mBackward ? mEntries.columnCount() : mEntries.rowCount(); }
  Index columns() const override { return 3 * others(); }
  void row(Index i, Eigen::Ref<Eigen::VectorXd> out) override {
    const MatrixXd& m = mBackward ? mEntries.column(i) : mEntries.row(i);
    for (Index v = 0; v < 3; ++v) out.segment(v * others(), others()) = m.col((mBackward ? 10 : 7) + v);
  }
  void column(Index j, Eigen::Ref<Eigen::VectorXd> out) override {
    const Index triangle = j % others(), v = j / others();
    out = mBackward ? mEntries.row(triangle).col(10 + v) : mEntries.column(triangle).col(7 + v);
  }
  bool hasRow(Index i) const override { return mBackward ? mEntries.hasColumn(i) : mEntries.hasRow(i); }
  bool hasColumn(Index j) const override {
    return mBackward ? mEntries.hasRow(j % others()) : mEntries.hasColumn(j % others());
  }
  std::vector<Index> checks() const override { return mChecks; }

 private:
  Index others() const { return mBackward ? mEntries.rowCount() : mEntries.columnCount(); }
  BlockEntries& mEntries;
  bool mBackward;
  std::vector<Index> mChecks;
};

double norm(const Factors& f) {
  if (f.whole) return f.left.norm();
  const MatrixXd a = f.left.transpose() * f.left, b = f.right.transpose() * f.right;
  return std::sqrt(std::max(0.0, a.cwiseProduct(b).sum()));
}

}  // namespace

struct CompressedOperators::Data {
  struct Block {
    BlockPair pair;
    std::array<Factors, kMatrices> matrices;
  };
  /// A block seen from the cluster whose sums it adds to.
  struct Visit {
    int32_t block;
    bool transposed;
  };

  CompressionOptions options;
  ClusterTree tree;
  std::vector<Block> blocks;
  std::vector<std::vector<int32_t>> levels;  // clusters
  std::vector<std::vector<Visit>> visitsTo;  // by cluster

  void fill(Block& block, const BemSurface& surface, const PairIntegrator& integrator) const;
  void fillWhole(Block& block, BlockEntries& entries) const;
  void fillFar(Block& block, BlockEntries& entries, const BemSurface& surface) const;
  std::vector<Index> differentTriangles(const BemSurface& surface, Span<const int32_t> triangles) const;
  void add(const Visit& visit, const MatrixXd& sources, MatrixXd& sums, bool useQ, bool useU,
           bool layers) const;
  MatrixXd apply(const MatrixXd& sources, bool useQ, bool useU, bool layers, Context& context) const;

  Span<const int32_t> trianglesOf(int32_t cluster) const {
    const Cluster& c = tree.clusters()[cluster];
    return {tree.order().data() + c.begin, c.size()};
  }
};

/// Triangles whose normals point as far as possible in four directions that surround the origin.
std::vector<Index> CompressedOperators::Data::differentTriangles(const BemSurface& surface,
                                                                 Span<const int32_t> triangles) const {
  std::vector<Index> chosen;
  for (const Vec3& direction : {Vec3(1, 1, 1), Vec3(1, -1, -1), Vec3(-1, 1, -1), Vec3(-1, -1, 1)}) {
    size_t best = 0;
    for (size_t i = 1; i < triangles.size(); ++i)
      if (surface.normal(static_cast<size_t>(triangles[i])).dot(direction) >
          surface.normal(static_cast<size_t>(triangles[best])).dot(direction))
        best = i;
    const Index place = static_cast<Index>(best);
    if (std::find(chosen.begin(), chosen.end(), place) == chosen.end()) chosen.push_back(place);
  }
  return chosen;
}

void CompressedOperators::Data::fillWhole(Block& block, BlockEntries& entries) const {
  const Index m = entries.rowCount(), n = entries.columnCount();
  for (size_t k = 0; k < 7; ++k) block.matrices[k].left.resize(m, n);
  if (options.doubleLayer) block.matrices[kForward].left.resize(m, 3 * n);
  if (options.doubleLayer && block.pair.rows != block.pair.columns)
    block.matrices[kBackward].left.resize(n, 3 * m);
  for (Index j = 0; j < n; ++j) {
    const MatrixXd& numbers = entries.column(j);
    for (Index k = 0; k < 7; ++k) block.matrices[k].left.col(j) = numbers.col(k);
    for (Index v = 0; v < 3 && options.doubleLayer; ++v) {
      block.matrices[kForward].left.col(v * n + j) = numbers.col(7 + v);
      if (block.pair.rows != block.pair.columns)
        block.matrices[kBackward].left.row(j).segment(v * m, m) = numbers.col(10 + v).transpose();
    }
  }
}

void CompressedOperators::Data::fillFar(Block& block, BlockEntries& entries,
                                        const BemSurface& surface) const {
  const std::vector<Index> rows = differentTriangles(surface, trianglesOf(block.pair.rows));
  const std::vector<Index> columns = differentTriangles(surface, trianglesOf(block.pair.columns));
  const Cluster& a = tree.clusters()[block.pair.rows];
  const Cluster& b = tree.clusters()[block.pair.columns];
  const double distance = 0.5 * (a.low + a.high - b.low - b.high).norm();
  const Index most = std::min(entries.rowCount(), entries.columnCount()) / 2;
  double size = 0;
  for (size_t k = 0; k < (options.doubleLayer ? kMatrices : 7); ++k) {
    // All components of R are as exact as 1 / r; double layers may vanish
    Factors& f = block.matrices[k];
    const double relative = k == 0 || k >= kForward ? options.tolerance : 0;
    const double absolute = k == 0 ? 0 : options.tolerance * size * (k < kForward ? 4 * kPi : 0.1 / distance);
    LowRank found;
    bool compressed;
    if (k < kForward) {
      ScalarEntries source(entries, static_cast<Index>(k), rows);
      compressed = crossApproximation(source, relative, absolute, most, found);
    } else {
      LayerEntries source(entries, k == kBackward, k == kBackward ? columns : rows);
      compressed = crossApproximation(source, relative, absolute, most, found);
    }
    if (!compressed) {
      block.pair.far = false;
      block.matrices = {};
      return fillWhole(block, entries);
    }
    f.left = std::move(found.left);
    f.right = std::move(found.right);
    f.whole = false;
    if (k == 0) size = norm(f);
  }
}

void CompressedOperators::Data::fill(Block& block, const BemSurface& surface,
                                     const PairIntegrator& integrator) const {
  BlockEntries entries(integrator, trianglesOf(block.pair.rows), trianglesOf(block.pair.columns));
  block.pair.far ? fillFar(block, entries, surface) : fillWhole(block, entries);
}

CompressedOperators::CompressedOperators(const BemSurface& surface, const CompressionOptions& options,
                                         Context& context)
    : mSurface(surface), mData(std::make_unique<Data>()) {
  // Clusters and blocks
  Data& d = *mData;
  d.options = options;
  std::vector<Vec3> points;
  std::vector<double> radii;
  for (size_t t = 0; t < surface.triangleCount(); ++t) {
    points.push_back(surface.centroid(t));
    radii.push_back(surface.radius(t));
  }
  d.tree = ClusterTree(points, radii, options.leafSize);
  for (const BlockPair& pair : blockPairs(d.tree, options.eta)) d.blocks.push_back({pair, {}});
  d.levels.resize(static_cast<size_t>(d.tree.levels()));
  for (size_t c = 0; c < d.tree.clusters().size(); ++c)
    d.levels[d.tree.clusters()[c].level].push_back(static_cast<int32_t>(c));
  d.visitsTo.resize(d.tree.clusters().size());
  for (size_t b = 0; b < d.blocks.size(); ++b) {
    const BlockPair& pair = d.blocks[b].pair;
    d.visitsTo[pair.rows].push_back({static_cast<int32_t>(b), false});
    if (pair.rows != pair.columns) d.visitsTo[pair.columns].push_back({static_cast<int32_t>(b), true});
  }

  // Entries
  const PairIntegrator integrator(surface, options.quadrature, &context);
  std::atomic<size_t> done{0};
  parallelFor(context, d.blocks.size(), 4, [&](size_t b) {
    d.fill(d.blocks[b], surface, integrator);
    const size_t count = ++done;
    if (count % 64 == 0) context.advance(static_cast<double>(count) / static_cast<double>(d.blocks.size()));
  });
}

CompressedOperators::~CompressedOperators() = default;

size_t CompressedOperators::memoryBytes() const {
  size_t bytes = 0;
  for (const Data::Block& block : mData->blocks)
    for (const Factors& f : block.matrices) bytes += f.bytes();
  return bytes;
}

double CompressedOperators::meanRank() const {
  double sum = 0, count = 0;
  for (const Data::Block& block : mData->blocks)
    if (block.pair.far) sum += static_cast<double>(block.matrices[0].left.cols()), ++count;
  return count > 0 ? sum / count : 0;
}

void CompressedOperators::Data::add(const Visit& visit, const MatrixXd& sources, MatrixXd& sums, bool useQ,
                                    bool useU, bool layers) const {
  const Block& block = blocks[visit.block];
  const Cluster& rows = tree.clusters()[block.pair.rows];
  const Cluster& columns = tree.clusters()[block.pair.columns];
  const Cluster &to = visit.transposed ? columns : rows, &from = visit.transposed ? rows : columns;
  const auto x = sources.middleRows(static_cast<Index>(from.begin), static_cast<Index>(from.size()));
  auto y = sums.middleRows(static_cast<Index>(to.begin), static_cast<Index>(to.size()));
  const auto product = [&](const Factors& f, const MatrixXd& in) {
    return visit.transposed ? f.transposedTimes(in) : f.times(in);
  };

  // L, for all its columns at once
  const Index first = useQ ? kQ : kT, count = (useQ ? 3 : 0) + (useU ? 9 : 0);
  y.middleCols(kLq + first, count) += product(block.matrices[0], x.middleCols(first, count));

  // R: each component serves two of the three columns
  for (size_t k = 0; k < 6; ++k) {
    const Index i = kFirst[k], j = kSecond[k];
    MatrixXd in(x.rows(), (useQ + useU) * (i == j ? 1 : 2));
    Index at = 0;
    for (Index start : {kQ, kM})
      if (start == kQ ? useQ : useU) {
        in.col(at++) = x.col(start + j);
        if (i != j) in.col(at++) = x.col(start + i);
      }
    const MatrixXd out = product(block.matrices[1 + k], in);
    at = 0;
    for (Index start : {kRq, kRM})
      if (start == kRq ? useQ : useU) {
        y.col(start + i) += out.col(at++);
        if (i != j) y.col(start + j) += out.col(at++);
      }
  }
  if (!layers) return;

  // Double layers: of u from the other side's corners, of q to this side's corners
  const bool self = block.pair.rows == block.pair.columns;
  const Factors& ofU = block.matrices[visit.transposed ? kBackward : kForward];
  const Factors& ofQ = block.matrices[self || visit.transposed ? kForward : kBackward];
  if (useU) {
    MatrixXd corners(3 * x.rows(), 3);
    for (Index v = 0; v < 3; ++v)
      corners.middleRows(v * x.rows(), x.rows()) = x.middleCols(kCorners + 3 * v, 3);
    y.middleCols(kLayerU, 3) += ofU.times(corners);
  }
  if (useQ) {
    const MatrixXd corners = ofQ.transposedTimes(x.middleCols(kQ, 3));
    for (Index v = 0; v < 3; ++v)
      y.middleCols(kLayerQ + 3 * v, 3) += corners.middleRows(v * y.rows(), y.rows());
  }
}

/// Clusters of one level have rows of their own, so a level can run in parallel; blocks of a cluster come in
/// order.
MatrixXd CompressedOperators::Data::apply(const MatrixXd& sources, bool useQ, bool useU, bool layers,
                                          Context& context) const {
  MatrixXd sums = MatrixXd::Zero(sources.rows(), kSums);
  for (const std::vector<int32_t>& level : levels)
    parallelFor(context, level.size(), 1, [&](size_t i) {
      for (const Visit& visit : visitsTo[level[i]]) add(visit, sources, sums, useQ, useU, layers);
    });
  return sums;
}

void CompressedOperators::multiply(const ElasticMaterial& material, OperatorProducts& products,
                                   Context& context, bool withK) const {
  const HatSpace all = products.hats ? HatSpace() : nodeSpace(mSurface);
  const HatSpace& hats = products.hats ? *products.hats : all;
  const Index n = static_cast<Index>(mSurface.triangleCount());
  const Index qs = products.q.cols(), us = products.u.cols();
  products.Vq.setZero(qs ? 3 * n : 0, qs);
  products.Ku.setZero(us ? 3 * n : 0, us);
  products.KTq.setZero(qs ? 3 * static_cast<Index>(hats.size) : 0, qs);
  products.Du.setZero(us ? 3 * static_cast<Index>(hats.size) : 0, us);
  std::vector<Index> placeOf(static_cast<size_t>(n));
  for (Index i = 0; i < n; ++i) placeOf[mData->tree.order()[i]] = i;

  const double nu = material.poisson, mu = shearModulus(material);
  const double single = (3 - 4 * nu) / (4 * mu * (1 - nu)), tensor = 1 / (16 * kPi * mu * (1 - nu));
  for (Index c = 0; c < std::max(qs, us); ++c) {
    // Sources of every triangle
    MatrixXd sources = MatrixXd::Zero(n, kSources);
    for (Index t = 0; t < n && c < qs; ++t)
      sources.row(placeOf[t]).segment<3>(kQ) = products.q.col(c).segment<3>(3 * t).transpose();
    for (size_t i = 0; i < hats.triangles.size() && c < us; ++i) {
      const size_t t = static_cast<size_t>(hats.triangles[i]);
      auto row = sources.row(placeOf[t]);
      for (size_t v = 0; v < 3; ++v) {
        if (hats.unknowns[i][v] < 0) continue;
        const Vec3 u = products.u.col(c).segment<3>(3 * hats.unknowns[i][v]);
        const Vec3& s = mSurface.curls(t)[v];
        row.segment<3>(kCorners + 3 * static_cast<Index>(v)) += u.transpose();
        row.segment<3>(kM) += s.cross(u).transpose();
        for (Index k = 0; k < 3; ++k) row.segment<3>(kT + 3 * k) += s[k] * u.transpose();
      }
    }
    const MatrixXd sums = mData->apply(sources, c < qs, c < us, withK && mData->options.doubleLayer, context);

    // Products from the sums
    for (Index t = 0; t < n; ++t) {
      const auto s = sums.row(placeOf[t]);
      const Vec3 moved(s[kLT + 5] - s[kLT + 7], s[kLT + 6] - s[kLT + 2], s[kLT + 1] - s[kLT + 3]);
      if (c < qs)
        products.Vq.col(c).segment<3>(3 * t) =
            (single * s.segment<3>(kLq) + tensor * s.segment<3>(kRq)).transpose();
      if (c < us)
        products.Ku.col(c).segment<3>(3 * t) = s.segment<3>(kLayerU).transpose() +
                                               (2 * mu * single - 1) * moved +
                                               2 * mu * tensor * s.segment<3>(kRM).transpose();
    }
    for (size_t i = 0; i < hats.triangles.size(); ++i) {
      const size_t t = static_cast<size_t>(hats.triangles[i]);
      const auto s = sums.row(placeOf[t]);
      const Vec3 moved(s[kLT + 5] - s[kLT + 7], s[kLT + 6] - s[kLT + 2], s[kLT + 1] - s[kLT + 3]);
      const Vec3 a = (2 * mu * single - 1) * s.segment<3>(kLq).transpose() +
                     2 * mu * tensor * s.segment<3>(kRq).transpose();
      const Vec3 w =
          (2 * mu - 4 * mu * mu * single) * moved - 4 * mu * mu * tensor * s.segment<3>(kRM).transpose();
      Mat3 lt;
      for (Index k = 0; k < 3; ++k) lt.row(k) = s.segment<3>(kLT + 3 * k);
      for (size_t v = 0; v < 3; ++v) {
        if (hats.unknowns[i][v] < 0) continue;
        const Vec3& curl = mSurface.curls(t)[v];
        const Index row = 3 * hats.unknowns[i][v];
        if (c < qs)
          products.KTq.col(c).segment<3>(row) +=
              s.segment<3>(kLayerQ + 3 * static_cast<Index>(v)).transpose() + a.cross(curl);
        if (c < us)
          products.Du.col(c).segment<3>(row) +=
              2 * mu * (lt.transpose() * curl) - mu * lt.trace() * curl + w.cross(curl);
      }
    }
  }
}

}  // namespace hackle
