#include <hackle/bem/operators.h>

#include <hackle/bem/pair_strips.h>
#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/pi.h>

namespace hackle {

namespace {

constexpr size_t kWidth = PairStrip::kWidth;
using Lanes = PairStrip::Lanes;

/// Constants of the kernels: U = single * L I + tensor * R.
struct KernelConstants {
  double mu, single, tensor;
  explicit KernelConstants(const ElasticMaterial& material) {
    const double nu = material.poisson;
    mu = shearModulus(material);
    single = (3 - 4 * nu) / (4 * mu * (1 - nu));
    tensor = 1 / (16 * kPi * mu * (1 - nu));
  }
};

constexpr Eigen::Index kR[3][3] = {{1, 4, 6}, {4, 2, 5}, {6, 5, 3}};  // places of R among the pair's numbers

/// Positions of triangles in a list, or -1.
std::vector<int32_t> positions(size_t count, const std::vector<int32_t>& list) {
  std::vector<int32_t> at(count, -1);
  for (size_t i = 0; i < list.size(); ++i) at[list[i]] = static_cast<int32_t>(i);
  return at;
}

/// A hat space turned round: corners of every unknown, and unknowns of every triangle of the surface.
struct HatIndex {
  std::vector<Triangle> unknowns;  // by triangle of the surface
  std::vector<BemCorner> corners;
  std::vector<size_t> first;

  HatIndex(const HatSpace& hats, size_t triangles)
      : unknowns(triangles, Triangle{-1, -1, -1}), first(hats.size + 1, 0) {
    for (const Triangle& t : hats.unknowns)
      for (int32_t u : t)
        if (u >= 0) ++first[u + 1];
    for (size_t i = 0; i < hats.size; ++i) first[i + 1] += first[i];
    corners.resize(first.back());
    std::vector<size_t> next(first.begin(), first.end() - 1);
    for (size_t t = 0; t < hats.triangles.size(); ++t) {
      unknowns[hats.triangles[t]] = hats.unknowns[t];
      for (size_t v = 0; v < 3; ++v)
        if (hats.unknowns[t][v] >= 0)
          corners[next[hats.unknowns[t][v]]++] = {hats.triangles[t], static_cast<int32_t>(v)};
    }
  }
};

/// What one block takes from a strip of pairs.
class BlockSink {
 public:
  BlockSink(const OperatorBlock& block, const BemSurface& surface, const KernelConstants& constants)
      : mBlock(block), mSurface(surface), mConstants(constants) {
    const size_t n = surface.triangleCount();
    if (block.kind != BemOperator::D) mRowAt = positions(n, block.rowTriangles);
    if (block.kind == BemOperator::V) mColumnAt = positions(n, block.columnTriangles);
    if (block.kind == BemOperator::D) mRowIndex = std::make_unique<HatIndex>(*block.rowHats, n);
    if (block.kind != BemOperator::V) mColumnIndex = std::make_unique<HatIndex>(*block.columnHats, n);
    mSymmetric = block.kind == BemOperator::D && block.rowHats == block.columnHats;
  }

  bool hasRow(size_t t) const { return mRowIndex ? any(mRowIndex->unknowns[t]) : mRowAt[t] >= 0; }
  bool hasColumn(size_t t) const { return mColumnIndex ? any(mColumnIndex->unknowns[t]) : mColumnAt[t] >= 0; }

  void clear(Context& context) {
    parallelFor(context, 3 * mBlock.columns(), 16, [&](size_t c) {
      std::fill_n(mBlock.values + static_cast<Eigen::Index>(c) * mBlock.stride, 3 * mBlock.rows(), 0.0);
    });
  }

  void take(const PairStrip& strip, Context& context) {
    if (mColumnIndex)
      parallelRanges(context, mColumnIndex->first.size() - 1, 8, [&](size_t begin, size_t end) {
        for (size_t c = begin; c < end; ++c) takeColumn(strip, c);
      });
    if (mBlock.kind == BemOperator::D) {
      if (!mSymmetric)
        parallelRanges(context, mRowIndex->first.size() - 1, 8, [&](size_t begin, size_t end) {
          for (size_t r = begin; r < end; ++r) takeRow(strip, r);
        });
      return;
    }
    parallelRanges(context, strip.others().size(), 32, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        mBlock.kind == BemOperator::V ? takeV(strip, i) : takeMirrored(strip, i);
    });
  }

  /// Adds the mirror image of symmetric blocks.
  void finish(Context& context) {
    if (!mSymmetric) return;
    constexpr size_t kTile = 48;
    const size_t n = 3 * mBlock.rows(), tiles = (n + kTile - 1) / kTile;
    parallelFor(context, tiles, 1, [&](size_t tileC) {
      for (size_t tileR = tileC; tileR < tiles; ++tileR)
        for (size_t c = tileC * kTile; c < std::min(n, (tileC + 1) * kTile); ++c)
          for (size_t r = std::max(c, tileR * kTile); r < std::min(n, (tileR + 1) * kTile); ++r) {
            double& low = at(r, c);
            double& high = at(c, r);
            low = high = low + high;
          }
    });
  }

 private:
  /// Σ over an unknown's corners of L s, U [s]× and the double layer, against all triangles of a strip.
  struct Half {
    Lanes curl[3], tensor[3][3], layer;
  };

  static bool any(const Triangle& t) { return t[0] >= 0 || t[1] >= 0 || t[2] >= 0; }
  double& at(size_t row, size_t column) const {
    return mBlock.values[static_cast<Eigen::Index>(column) * mBlock.stride + static_cast<Eigen::Index>(row)];
  }

  void takeV(const PairStrip& strip, size_t i) const {
    const size_t g = static_cast<size_t>(strip.others()[i]);
    for (size_t lane = 0; lane < strip.size(); ++lane) {
      if (!strip.present(i, lane)) continue;
      const size_t f = static_cast<size_t>(strip.triangles()[lane]);
      const double* n = strip.numbers(i) + lane;
      const double diagonal = mConstants.single * n[0];
      for (int mirror = 0; mirror < 2; ++mirror) {
        const int32_t row = mRowAt[mirror ? g : f], column = mColumnAt[mirror ? f : g];
        if (row < 0 || column < 0) continue;
        for (size_t a = 0; a < 3; ++a)
          for (size_t b = 0; b < 3; ++b)
            at(3 * static_cast<size_t>(row) + a, 3 * static_cast<size_t>(column) + b) =
                mConstants.tensor * n[static_cast<size_t>(kR[a][b]) * kWidth] + (a == b ? diagonal : 0.0);
      }
    }
  }

  /// Returns false if no corner of the unknown is in the strip.
  bool half(const PairStrip& strip, const HatIndex& index, size_t unknown, Half& h) const {
    bool found = false;
    for (size_t k = index.first[unknown]; k < index.first[unknown + 1]; ++k) {
      const size_t g = static_cast<size_t>(index.corners[k].triangle),
                   v = static_cast<size_t>(index.corners[k].corner);
      const int32_t place = strip.placeOf(g);
      if (place < 0) continue;
      if (!found) {
        for (size_t a = 0; a < 3; ++a) {
          h.curl[a].setZero();
          for (size_t b = 0; b < 3; ++b) h.tensor[a][b].setZero();
        }
        h.layer.setZero();
        found = true;
      }
      addCorner(strip, static_cast<size_t>(place), g, v, h);
    }
    return found;
  }

  void addCorner(const PairStrip& strip, size_t place, size_t g, size_t v, Half& h) const {
    const auto number = [&](Eigen::Index k) {
      return Eigen::Map<const Lanes, Eigen::Aligned32>(strip.numbers(place) +
                                                       static_cast<size_t>(k) * kWidth);
    };
    // The pair of a triangle with itself counts by half where the mirror image is added later
    const Vec3& exact = mSurface.curls(g)[v];
    const int32_t self = mSymmetric ? strip.laneOf(g) : -1;
    const Lanes L = number(0);
    const Lanes diagonal = mConstants.single * L;
    Lanes scale = Lanes::Ones();
    if (self >= 0) scale[self] = 0.5;
    for (Eigen::Index a = 0; a < 3; ++a) h.curl[a] += exact[a] * (scale * L);
    for (Eigen::Index a = 0; a < 3; ++a) {
      // Row a of U [s]×
      Lanes u[3];
      for (Eigen::Index b = 0; b < 3; ++b) u[b] = scale * (mConstants.tensor * number(kR[a][b]));
      u[a] += scale * diagonal;
      h.tensor[a][0] += u[1] * exact[2] - u[2] * exact[1];
      h.tensor[a][1] += u[2] * exact[0] - u[0] * exact[2];
      h.tensor[a][2] += u[0] * exact[1] - u[1] * exact[0];
    }
    h.layer += number(7 + static_cast<Eigen::Index>(v));
  }

  void takeColumn(const PairStrip& strip, size_t c) const {
    Half h;
    if (!half(strip, *mColumnIndex, c, h)) return;
    if (mBlock.kind == BemOperator::K) {
      addDoubleLayer(strip, c, h);
      return;
    }
    for (size_t v = 0; v < 3; ++v) addHypersingular(strip, c, v, h, *mRowIndex, false);
  }

  void takeRow(const PairStrip& strip, size_t r) const {
    // Mirrored pairs; those inside the strip that were seen from both sides already are left out there
    Half h;
    if (!halfMirrored(strip, r, h)) return;
    for (size_t v = 0; v < 3; ++v) addHypersingular(strip, r, v, h, *mColumnIndex, true);
  }

  bool halfMirrored(const PairStrip& strip, size_t unknown, Half& h) const {
    if (!half(strip, *mRowIndex, unknown, h)) return false;
    // Take the diagonal out again: it has no mirror image
    for (size_t k = mRowIndex->first[unknown]; k < mRowIndex->first[unknown + 1]; ++k) {
      const size_t g = static_cast<size_t>(mRowIndex->corners[k].triangle);
      const int32_t lane = strip.laneOf(g);
      if (lane < 0 || strip.placeOf(g) < 0) continue;
      Half self;
      for (size_t a = 0; a < 3; ++a) {
        self.curl[a].setZero();
        for (size_t b = 0; b < 3; ++b) self.tensor[a][b].setZero();
      }
      self.layer.setZero();
      addCorner(strip, static_cast<size_t>(strip.placeOf(g)), g,
                static_cast<size_t>(mRowIndex->corners[k].corner), self);
      for (size_t a = 0; a < 3; ++a) {
        h.curl[a][lane] -= self.curl[a][lane];
        for (size_t b = 0; b < 3; ++b) h.tensor[a][b][lane] -= self.tensor[a][b][lane];
      }
    }
    return true;
  }

  /// K = layer I − [L s]× + 2µ U [s]× for the rows of the strip.
  void addDoubleLayer(const PairStrip& strip, size_t c, const Half& h) const {
    for (size_t lane = 0; lane < strip.size(); ++lane) {
      const int32_t row = mRowAt[strip.triangles()[lane]];
      if (row < 0) continue;
      const Eigen::Index l = static_cast<Eigen::Index>(lane);
      const Vec3 curl(h.curl[0][l], h.curl[1][l], h.curl[2][l]);
      for (size_t a = 0; a < 3; ++a)
        for (size_t b = 0; b < 3; ++b) {
          const double cross =
              a == b ? -h.layer[l] : (b == (a + 2) % 3 ? 1 : -1) * curl[static_cast<Eigen::Index>(3 - a - b)];
          at(3 * static_cast<size_t>(row) + a, 3 * c + b) += 2 * mConstants.mu * h.tensor[a][b][l] - cross;
        }
    }
  }

  /// D = 4µ (s·ℓ) I − 2µ ℓ sᵀ − µ s ℓᵀ + 4µ² [s]× W, s the curls of corner v of the strip's triangles.
  void addHypersingular(const PairStrip& strip, size_t unknown, size_t v, const Half& h,
                        const HatIndex& index, bool mirrored) const {
    const double mu = mConstants.mu;
    const Lanes* s = strip.curls(v);
    const Lanes dot = (4 * mu) * (s[0] * h.curl[0] + s[1] * h.curl[1] + s[2] * h.curl[2]);
    Lanes x[3][3];
    for (size_t a = 0; a < 3; ++a)
      for (size_t b = 0; b < 3; ++b) {
        const size_t p = (a + 1) % 3, q = (a + 2) % 3;
        x[a][b] = (4 * mu * mu) * (s[p] * h.tensor[q][b] - s[q] * h.tensor[p][b]) -
                  (2 * mu) * (h.curl[a] * s[b]) - mu * (s[a] * h.curl[b]);
        if (a == b) x[a][b] += dot;
      }
    for (size_t lane = 0; lane < strip.size(); ++lane) {
      const int32_t other = index.unknowns[strip.triangles()[lane]][v];
      if (other < 0) continue;
      const size_t o = 3 * static_cast<size_t>(other);
      for (size_t b = 0; b < 3; ++b)
        for (size_t a = 0; a < 3; ++a) {
          const double value = x[a][b][lane];
          (mirrored ? at(3 * unknown + b, o + a) : at(o + a, 3 * unknown + b)) += value;
        }
    }
  }

  /// K with the roles exchanged: row g, columns of the strip's corners.
  void takeMirrored(const PairStrip& strip, size_t i) const {
    const size_t g = static_cast<size_t>(strip.others()[i]);
    const int32_t row = mRowAt[g];
    if (row < 0) return;
    for (size_t lane = 0; lane < strip.size(); ++lane) {
      const size_t f = static_cast<size_t>(strip.triangles()[lane]);
      if (f == g || !strip.present(i, lane)) continue;
      const double* n = strip.numbers(i) + lane;
      Mat3 a;
      for (Eigen::Index r = 0; r < 3; ++r)
        for (Eigen::Index c = 0; c < 3; ++c)
          a(r, c) = 2 * mConstants.mu * mConstants.tensor * n[static_cast<size_t>(kR[r][c]) * kWidth];
      a.diagonal().array() += (2 * mConstants.mu * mConstants.single - 1) * n[0];
      for (size_t v = 0; v < 3; ++v) {
        const int32_t column = mColumnIndex->unknowns[f][v];
        if (column < 0) continue;
        const Vec3& s = mSurface.curls(f)[v];
        for (size_t r = 0; r < 3; ++r) {
          const Vec3 u = a.row(static_cast<Eigen::Index>(r)).transpose().cross(s);
          for (size_t c = 0; c < 3; ++c)
            at(3 * static_cast<size_t>(row) + r, 3 * static_cast<size_t>(column) + c) +=
                u[c] + (r == c ? n[(10 + v) * kWidth] : 0.0);
        }
      }
    }
  }

  const OperatorBlock& mBlock;
  const BemSurface& mSurface;
  const KernelConstants& mConstants;
  std::vector<int32_t> mRowAt, mColumnAt;
  std::unique_ptr<HatIndex> mRowIndex, mColumnIndex;
  bool mSymmetric = false;
};

/// What one set of products takes from a strip: sums per triangle, from which the products follow.
class ProductSink {
 public:
  ProductSink(OperatorProducts& products, const BemSurface& surface, const KernelConstants& constants)
      : mProducts(products), mSurface(surface), mConstants(constants) {
    if (!products.hats) {
      mOwnHats = nodeSpace(surface);
      mProducts.hats = &mOwnHats;
    }
    mColumns = static_cast<size_t>(std::max(products.q.cols(), products.u.cols()));
    const size_t n = surface.triangleCount();
    mSources.assign(mColumns * n * kSource, 0.0);
    mSums.assign(mColumns * n * kSum, 0.0);
    mActive.assign(n, false);
    for (size_t c = 0; c < mColumns; ++c) {
      for (size_t t = 0; t < n && c < static_cast<size_t>(products.q.cols()); ++t)
        for (size_t k = 0; k < 3; ++k)
          source(c, t)[k] = products.q(static_cast<Eigen::Index>(3 * t + k), static_cast<Eigen::Index>(c));
      for (size_t i = 0; i < mProducts.hats->triangles.size() && c < static_cast<size_t>(products.u.cols());
           ++i)
        addCorners(c, i);
    }
    for (size_t c = 0; c < mColumns; ++c)
      for (size_t t = 0; t < n; ++t)
        if (std::any_of(source(c, t), source(c, t) + kSource, [](double x) { return x != 0; }))
          mActive[t] = true;
  }

  bool isSource(size_t t) const { return mActive[t]; }

  void take(const PairStrip& strip, Context& context) {
    // Sums of the strip's own triangles go through one buffer a range of triangles, added in order. The
    // ranges do not depend on which pairs are there, so products have the same bytes whatever else is
    // assembled
    constexpr size_t kGrain = 64;
    const std::vector<int32_t>& others = strip.others();
    if (others.empty()) return;
    const size_t firstRange = static_cast<size_t>(others.front()) / kGrain;
    const size_t ranges = static_cast<size_t>(others.back()) / kGrain - firstRange + 1;
    std::vector<size_t> starts(ranges + 1, others.size());
    for (size_t i = others.size(); i-- > 0;) starts[static_cast<size_t>(others[i]) / kGrain - firstRange] = i;
    for (size_t r = ranges; r-- > 0;) starts[r] = std::min(starts[r], starts[r + 1]);
    for (size_t c = 0; c < mColumns; ++c) {
      std::vector<double> own(ranges * kWidth * kSum, 0.0);
      parallelFor(context, ranges, 1, [&](size_t range) {
        double* sums = own.data() + range * kWidth * kSum;
        for (size_t i = starts[range]; i < starts[range + 1]; ++i) takePlace(strip, c, i, sums);
      });
      for (size_t range = 0; range < ranges; ++range)
        for (size_t lane = 0; lane < strip.size(); ++lane) {
          double* to = sum(c, static_cast<size_t>(strip.triangles()[lane]));
          for (size_t k = 0; k < kSum; ++k) to[k] += own[(range * kWidth + lane) * kSum + k];
        }
    }
  }

  void finish() {
    const Eigen::Index n = static_cast<Eigen::Index>(3 * mSurface.triangleCount());
    const Eigen::Index hats = static_cast<Eigen::Index>(3 * mProducts.hats->size);
    mProducts.Vq.setZero(mProducts.q.cols() ? n : 0, mProducts.q.cols());
    mProducts.KTq.setZero(mProducts.q.cols() ? hats : 0, mProducts.q.cols());
    mProducts.Ku.setZero(mProducts.u.cols() ? n : 0, mProducts.u.cols());
    mProducts.Du.setZero(mProducts.u.cols() ? hats : 0, mProducts.u.cols());
    for (size_t c = 0; c < mColumns; ++c) {
      for (size_t t = 0; t < mSurface.triangleCount(); ++t) finishTriangle(c, t);
      for (size_t i = 0; i < mProducts.hats->triangles.size(); ++i) finishCorners(c, i);
    }
    if (mProducts.hats == &mOwnHats) mProducts.hats = nullptr;
  }

 private:
  // Sources: q (3), T = Σ s uᵀ (9, row-major), u at the corners (9)
  static constexpr size_t kSource = 21, kT = 3, kU = 12;
  // Sums: L q (3), R q (3), double layer of q at the corners (9), L T (9), R M u (3), double layer of u (3)
  static constexpr size_t kSum = 30, kRq = 3, kLayerQ = 6, kLT = 15, kRM = 24, kLayerU = 27;

  double* source(size_t c, size_t t) {
    return mSources.data() + (c * mSurface.triangleCount() + t) * kSource;
  }
  double* sum(size_t c, size_t t) { return mSums.data() + (c * mSurface.triangleCount() + t) * kSum; }

  void addCorners(size_t c, size_t i) {
    const size_t t = static_cast<size_t>(mProducts.hats->triangles[i]);
    double* to = source(c, t);
    for (size_t v = 0; v < 3; ++v) {
      const int32_t unknown = mProducts.hats->unknowns[i][v];
      if (unknown < 0) continue;
      const Vec3& s = mSurface.curls(t)[v];
      for (size_t k = 0; k < 3; ++k) {
        const double u = mProducts.u(static_cast<Eigen::Index>(3 * static_cast<size_t>(unknown) + k),
                                     static_cast<Eigen::Index>(c));
        to[kU + 3 * v + k] = u;
        for (size_t j = 0; j < 3; ++j) to[kT + 3 * j + k] += s[j] * u;
      }
    }
  }

  /// One pair's share: `from` at one triangle adds to `to` at the other. `at` and `of` start the double
  /// layers of the hats at the target (for q) and at the source (for u).
  static void addPair(const double* n, size_t at, size_t of, const double* from, double* to) {
    const double L = n[0];
    const double r[6] = {n[kWidth],     n[2 * kWidth], n[3 * kWidth],
                         n[4 * kWidth], n[5 * kWidth], n[6 * kWidth]};
    const auto addTensor = [&](double x, double y, double z, double* out) {
      out[0] += r[0] * x + r[3] * y + r[5] * z;
      out[1] += r[3] * x + r[1] * y + r[4] * z;
      out[2] += r[5] * x + r[4] * y + r[2] * z;
    };
    for (size_t k = 0; k < 3; ++k) to[k] += L * from[k];
    addTensor(from[0], from[1], from[2], to + kRq);
    for (size_t v = 0; v < 3; ++v)
      for (size_t k = 0; k < 3; ++k) to[kLayerQ + 3 * v + k] += n[(at + v) * kWidth] * from[k];
    for (size_t k = 0; k < 9; ++k) to[kLT + k] += L * from[kT + k];
    const double* t = from + kT;
    addTensor(t[5] - t[7], t[6] - t[2], t[1] - t[3], to + kRM);
    for (size_t v = 0; v < 3; ++v)
      for (size_t k = 0; k < 3; ++k) to[kLayerU + k] += n[(of + v) * kWidth] * from[kU + 3 * v + k];
  }

  void takePlace(const PairStrip& strip, size_t c, size_t i, double* own) {
    const size_t g = static_cast<size_t>(strip.others()[i]);
    for (size_t lane = 0; lane < strip.size(); ++lane) {
      if (!strip.present(i, lane)) continue;
      const size_t f = static_cast<size_t>(strip.triangles()[lane]);
      const double* n = strip.numbers(i) + lane;
      if (mActive[f]) addPair(n, 7, 10, source(c, f), sum(c, g));
      if (f != g && mActive[g]) addPair(n, 10, 7, source(c, g), own + lane * kSum);
    }
  }

  void finishTriangle(size_t c, size_t t) {
    const double* s = sum(c, t);
    const Eigen::Index row = static_cast<Eigen::Index>(3 * t), column = static_cast<Eigen::Index>(c);
    const Vec3 moved(s[kLT + 5] - s[kLT + 7], s[kLT + 6] - s[kLT + 2], s[kLT + 1] - s[kLT + 3]);
    for (Eigen::Index k = 0; k < 3; ++k) {
      if (column < mProducts.q.cols())
        mProducts.Vq(row + k, column) =
            mConstants.single * s[k] + mConstants.tensor * s[static_cast<Eigen::Index>(kRq) + k];
      if (column < mProducts.u.cols())
        mProducts.Ku(row + k, column) =
            s[static_cast<Eigen::Index>(kLayerU) + k] +
            (2 * mConstants.mu * mConstants.single - 1) * moved[k] +
            2 * mConstants.mu * mConstants.tensor * s[static_cast<Eigen::Index>(kRM) + k];
    }
  }

  void finishCorners(size_t c, size_t i) {
    const size_t t = static_cast<size_t>(mProducts.hats->triangles[i]);
    const double* s = sum(c, t);
    const double mu = mConstants.mu;
    const Eigen::Index column = static_cast<Eigen::Index>(c);
    const Eigen::Map<const Vec3> lq(s), rq(s + kRq), rm(s + kRM);
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> lt(s + kLT);
    const Vec3 moved(lt(1, 2) - lt(2, 1), lt(2, 0) - lt(0, 2), lt(0, 1) - lt(1, 0));
    const Vec3 a = (2 * mu * mConstants.single - 1) * lq + 2 * mu * mConstants.tensor * rq;
    const Vec3 w = (2 * mu - 4 * mu * mu * mConstants.single) * moved - 4 * mu * mu * mConstants.tensor * rm;
    for (size_t v = 0; v < 3; ++v) {
      const int32_t unknown = mProducts.hats->unknowns[i][v];
      if (unknown < 0) continue;
      const Vec3& curl = mSurface.curls(t)[v];
      const Eigen::Index row = 3 * static_cast<Eigen::Index>(unknown);
      if (column < mProducts.q.cols())
        mProducts.KTq.col(column).segment<3>(row) +=
            Eigen::Map<const Vec3>(s + kLayerQ + 3 * v) + a.cross(curl);
      if (column < mProducts.u.cols())
        mProducts.Du.col(column).segment<3>(row) +=
            2 * mu * (lt.transpose() * curl) - mu * lt.trace() * curl + w.cross(curl);
    }
  }

  OperatorProducts& mProducts;
  const BemSurface& mSurface;
  const KernelConstants& mConstants;
  HatSpace mOwnHats;
  size_t mColumns = 0;
  std::vector<double> mSources, mSums;
  std::vector<bool> mActive;
};

PairWants wantsOf(const std::vector<BlockSink>& blocks, const std::vector<ProductSink>& products,
                  size_t triangles) {
  HACKLE_ASSERT(blocks.size() + products.size() <= 32);
  PairWants wants{std::vector<uint32_t>(triangles, 0), std::vector<uint32_t>(triangles, 0)};
  uint32_t bit = 1;
  for (const BlockSink& block : blocks) {
    for (size_t t = 0; t < triangles; ++t) {
      if (block.hasRow(t)) wants.rows[t] |= bit;
      if (block.hasColumn(t)) wants.columns[t] |= bit;
    }
    bit <<= 1;
  }
  for (const ProductSink& product : products) {
    for (size_t t = 0; t < triangles; ++t) {
      wants.rows[t] |= bit;
      if (product.isSource(t)) wants.columns[t] |= bit;
    }
    bit <<= 1;
  }
  return wants;
}

}  // namespace

HatSpace nodeSpace(const BemSurface& surface, Span<const int32_t> nodes) {
  std::vector<int32_t> unknownOf(surface.nodeCount(), -1);
  for (size_t i = 0; i < nodes.size(); ++i) unknownOf[nodes[i]] = static_cast<int32_t>(i);
  HatSpace hats;
  hats.size = nodes.size();
  for (size_t t = 0; t < surface.triangleCount(); ++t) {
    Triangle unknowns;
    for (size_t v = 0; v < 3; ++v) unknowns[v] = unknownOf[surface.triangle(t)[v]];
    if (unknowns == Triangle{-1, -1, -1}) continue;
    hats.triangles.push_back(static_cast<int32_t>(t));
    hats.unknowns.push_back(unknowns);
  }
  return hats;
}

HatSpace nodeSpace(const BemSurface& surface) {
  std::vector<int32_t> nodes(surface.nodeCount());
  for (size_t i = 0; i < nodes.size(); ++i) nodes[i] = static_cast<int32_t>(i);
  return nodeSpace(surface, nodes);
}

void assemble(const BemSurface& surface, const ElasticMaterial& material, const QuadratureOptions& options,
              Span<OperatorBlock> blocks, Span<OperatorProducts> products, Context& context) {
  checkMaterial(material);
  const KernelConstants constants(material);
  std::vector<BlockSink> blockSinks;
  std::vector<ProductSink> productSinks;
  blockSinks.reserve(blocks.size());
  productSinks.reserve(products.size());
  for (OperatorBlock& block : blocks) blockSinks.emplace_back(block, surface, constants);
  for (OperatorProducts& product : products) productSinks.emplace_back(product, surface, constants);
  for (BlockSink& sink : blockSinks) sink.clear(context);

  const PairWants wants = wantsOf(blockSinks, productSinks, surface.triangleCount());
  const PairIntegrator integrator(surface, options, &context);
  PairStrip strip(surface, integrator, wants);
  for (size_t i = 0; i < strip.count(); ++i) {
    strip.compute(i, context);
    for (BlockSink& sink : blockSinks) sink.take(strip, context);
    for (ProductSink& sink : productSinks) sink.take(strip, context);
    // Strips get shorter: the work left is a square
    const double left = 1 - static_cast<double>(i + 1) / static_cast<double>(strip.count());
    context.advance(1 - left * left);
  }
  for (BlockSink& sink : blockSinks) sink.finish(context);
  for (ProductSink& sink : productSinks) sink.finish();
}

Eigen::MatrixXd assembleOperator(BemOperator kind, const BemSurface& surface, const ElasticMaterial& material,
                                 const QuadratureOptions& options, Context& context) {
  const HatSpace hats = nodeSpace(surface);
  OperatorBlock block;
  block.kind = kind;
  for (size_t t = 0; t < surface.triangleCount() && kind != BemOperator::D; ++t)
    block.rowTriangles.push_back(static_cast<int32_t>(t));
  if (kind == BemOperator::V) block.columnTriangles = block.rowTriangles;
  if (kind == BemOperator::D) block.rowHats = &hats;
  if (kind != BemOperator::V) block.columnHats = &hats;
  Eigen::MatrixXd values(3 * block.rows(), 3 * block.columns());
  block.values = values.data();
  block.stride = values.rows();
  assemble(surface, material, options, {&block, 1}, {}, context);
  return values;
}

Eigen::MatrixXd massTimesHats(const BemSurface& surface, const HatSpace& hats, const Eigen::MatrixXd& u) {
  Eigen::MatrixXd result =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(3 * surface.triangleCount()), u.cols());
  for (size_t i = 0; i < hats.triangles.size(); ++i)
    for (int32_t unknown : hats.unknowns[i])
      if (unknown >= 0)
        result.middleRows<3>(3 * static_cast<Eigen::Index>(hats.triangles[i])) +=
            surface.area(static_cast<size_t>(hats.triangles[i])) / 3 *
            u.middleRows<3>(3 * static_cast<Eigen::Index>(unknown));
  return result;
}

Eigen::MatrixXd massTimesTriangles(const BemSurface& surface, const HatSpace& hats,
                                   const Eigen::MatrixXd& q) {
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(3 * hats.size), q.cols());
  for (size_t i = 0; i < hats.triangles.size(); ++i)
    for (int32_t unknown : hats.unknowns[i])
      if (unknown >= 0)
        result.middleRows<3>(3 * static_cast<Eigen::Index>(unknown)) +=
            surface.area(static_cast<size_t>(hats.triangles[i])) / 3 *
            q.middleRows<3>(3 * static_cast<Eigen::Index>(hats.triangles[i]));
  return result;
}

}  // namespace hackle
