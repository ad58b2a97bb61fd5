#include <hackle/bem/compressed_solver.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/linalg/cluster_tree.h>

#include <Eigen/Cholesky>
#include <Eigen/QR>

#include <cmath>

namespace hackle {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The symmetric system [V −K; −Kᵀ −D].
class System {
 public:
  System(const CompressedOperators& operators, const ElasticMaterial& material,
         const std::vector<int32_t>& held, const HatSpace& hats)
      : mOperators(operators), mMaterial(material), mHeld(held), mHats(hats) {}

  Index heldSize() const { return 3 * static_cast<Index>(mHeld.size()); }
  Index size() const { return heldSize() + 3 * static_cast<Index>(mHats.size); }

  VectorXd times(const VectorXd& x, Context& context) const {
    OperatorProducts p;
    p.hats = &mHats;
    if (!mHeld.empty()) {
      p.q = MatrixXd::Zero(static_cast<Index>(3 * mOperators.surface().triangleCount()), 1);
      for (size_t i = 0; i < mHeld.size(); ++i)
        p.q.middleRows<3>(3 * static_cast<Index>(mHeld[i])) = x.segment<3>(static_cast<Index>(3 * i));
    }
    if (mHats.size > 0) p.u = x.tail(size() - heldSize());
    mOperators.multiply(mMaterial, p, context, !mHeld.empty() && mHats.size > 0);
    VectorXd y = VectorXd::Zero(size());
    for (size_t i = 0; i < mHeld.size(); ++i) {
      y.segment<3>(static_cast<Index>(3 * i)) = p.Vq.middleRows<3>(3 * static_cast<Index>(mHeld[i]));
      if (mHats.size > 0)
        y.segment<3>(static_cast<Index>(3 * i)) -= p.Ku.middleRows<3>(3 * static_cast<Index>(mHeld[i]));
    }
    if (mHats.size > 0) y.tail(size() - heldSize()) = -p.Du;
    if (mHats.size > 0 && !mHeld.empty()) y.tail(size() - heldSize()) -= p.KTq;
    return y;
  }

 private:
  const CompressedOperators& mOperators;
  const ElasticMaterial& mMaterial;
  const std::vector<int32_t>& mHeld;
  const HatSpace& mHats;
};

std::vector<Vec3> hatPoints(const BemSurface& surface, const HatSpace& hats) {
  std::vector<Vec3> points(hats.size, Vec3::Zero());
  for (size_t i = 0; i < hats.triangles.size(); ++i)
    for (size_t v = 0; v < 3; ++v)
      if (hats.unknowns[i][v] >= 0)
        points[hats.unknowns[i][v]] = surface.corner(static_cast<size_t>(hats.triangles[i]), v);
  return points;
}

/// Dense Cholesky factors of V and D on clusters of unknowns.
class BlockPreconditioner {
 public:
  BlockPreconditioner(const BemSurface& surface, const ElasticMaterial& material,
                      const std::vector<int32_t>& held, const HatSpace& hats, size_t blockSize,
                      Context& context) {
    std::vector<Vec3> centroids;
    for (int32_t t : held) centroids.push_back(surface.centroid(static_cast<size_t>(t)));
    addClusters(centroids, blockSize, 0, BemOperator::V);
    addClusters(hatPoints(surface, hats), blockSize, held.size(), BemOperator::D);
    constexpr size_t kBatch = 32;  // blocks of one pass
    for (size_t begin = 0; begin < mBlocks.size(); begin += kBatch)
      assembleBatch(surface, material, held, hats, begin, std::min(mBlocks.size(), begin + kBatch), context);
    parallelFor(context, mBlocks.size(), 1, [&](size_t i) { mBlocks[i].factorise(); });
  }

  VectorXd solve(const VectorXd& x, Context& context) const {
    VectorXd y(x.size());
    parallelFor(context, mBlocks.size(), 4, [&](size_t i) {
      const Block& block = mBlocks[i];
      VectorXd part(static_cast<Index>(3 * block.unknowns.size()));
      for (size_t k = 0; k < block.unknowns.size(); ++k)
        part.segment<3>(static_cast<Index>(3 * k)) = x.segment<3>(3 * block.unknowns[k]);
      block.factor.solveInPlace(part);
      for (size_t k = 0; k < block.unknowns.size(); ++k)
        y.segment<3>(3 * block.unknowns[k]) = part.segment<3>(static_cast<Index>(3 * k));
    });
    return y;
  }

 private:
  struct Block {
    BemOperator kind;
    std::vector<Index> unknowns;  // of the whole system, in threes
    size_t offset;                // first unknown of this kind
    MatrixXd values;
    Eigen::LLT<MatrixXd> factor;

    void factorise() {
      // A block that holds a whole body is singular
      factor.compute(values);
      if (factor.info() != Eigen::Success) {
        values.diagonal().array() += 1e-3 * values.diagonal().mean();
        factor.compute(values);
      }
      values.resize(0, 0);
    }
  };

  void addClusters(const std::vector<Vec3>& points, size_t blockSize, size_t offset, BemOperator kind) {
    const ClusterTree tree(points, {}, blockSize);
    for (const Cluster& c : tree.clusters()) {
      if (!c.isLeaf()) continue;
      Block block;
      block.kind = kind;
      block.offset = offset;
      for (size_t i = c.begin; i < c.end; ++i)
        block.unknowns.push_back(static_cast<Index>(offset) + tree.order()[i]);
      mBlocks.push_back(std::move(block));
    }
  }

  void assembleBatch(const BemSurface& surface, const ElasticMaterial& material,
                     const std::vector<int32_t>& held, const HatSpace& hats, size_t begin, size_t end,
                     Context& context) {
    std::vector<OperatorBlock> blocks(end - begin);
    std::vector<HatSpace> spaces(end - begin);
    for (size_t i = begin; i < end; ++i) {
      Block& block = mBlocks[i];
      OperatorBlock& request = blocks[i - begin];
      request.kind = block.kind;
      if (block.kind == BemOperator::V) {
        for (Index k : block.unknowns) request.rowTriangles.push_back(held[k]);
        request.columnTriangles = request.rowTriangles;
      } else {
        spaces[i - begin] = part(hats, block);
        request.rowHats = request.columnHats = &spaces[i - begin];
      }
      const Index n = static_cast<Index>(3 * block.unknowns.size());
      block.values.resize(n, n);
      request.values = block.values.data();
      request.stride = n;
    }
    assemble(surface, material, {}, blocks, {}, context);
  }

  static HatSpace part(const HatSpace& hats, const Block& block) {
    std::vector<int32_t> newOf(hats.size, -1);
    for (size_t k = 0; k < block.unknowns.size(); ++k)
      newOf[static_cast<size_t>(block.unknowns[k]) - block.offset] = static_cast<int32_t>(k);
    HatSpace result;
    result.size = block.unknowns.size();
    for (size_t i = 0; i < hats.triangles.size(); ++i) {
      Triangle unknowns;
      for (size_t v = 0; v < 3; ++v) unknowns[v] = hats.unknowns[i][v] < 0 ? -1 : newOf[hats.unknowns[i][v]];
      if (unknowns == Triangle{-1, -1, -1}) continue;
      result.triangles.push_back(hats.triangles[i]);
      result.unknowns.push_back(unknowns);
    }
    return result;
  }

  std::vector<Block> mBlocks;
};

/// Orthonormal rigid motions of the hats if nothing else holds the body, else no columns.
MatrixXd rigidMotions(const BemSurface& surface, const std::vector<int32_t>& held, const HatSpace& hats) {
  bool isFree = held.empty() && hats.triangles.size() == surface.triangleCount();
  for (const Triangle& t : hats.unknowns)
    for (int32_t unknown : t) isFree = isFree && unknown >= 0;
  if (!isFree) return MatrixXd(static_cast<Index>(3 * (held.size() + hats.size)), 0);
  const std::vector<Vec3> points = hatPoints(surface, hats);
  Vec3 centre = Vec3::Zero();
  for (const Vec3& p : points) centre += p / static_cast<double>(points.size());
  MatrixXd modes(static_cast<Index>(3 * hats.size), 6);
  for (size_t i = 0; i < points.size(); ++i)
    for (Index k = 0; k < 3; ++k) {
      modes.col(k).segment<3>(static_cast<Index>(3 * i)) = Vec3::Unit(k);
      modes.col(3 + k).segment<3>(static_cast<Index>(3 * i)) = Vec3::Unit(k).cross(points[i] - centre);
    }
  const Eigen::HouseholderQR<MatrixXd> qr(modes);
  return qr.householderQ() * MatrixXd::Identity(modes.rows(), 6);
}

void project(const MatrixXd& modes, VectorXd& x) {
  if (modes.cols() > 0) x -= modes * (modes.transpose() * x);
}

/// Preconditioned MINRES [Paige75] on the complement of `modes`.
template <class Times, class Precondition>
CompressedSolution minres(const Times& times, const Precondition& precondition, const VectorXd& side,
                          const CompressedSolveOptions& options, VectorXd& x) {
  CompressedSolution result;
  x = VectorXd::Zero(side.size());
  VectorXd r1 = side, r2 = side, y = precondition(r1), w = x, w1, w2 = x;
  double beta = std::sqrt(std::max(0.0, r1.dot(y))), first = beta, old = 0;
  double dbar = 0, epsilon = 0, phibar = beta, cs = -1, sn = 0;
  if (first == 0) return result;
  while (phibar > options.tolerance * first) {
    if (result.iterations == options.maxIterations)
      throw Error(
          ErrorCode::Failed,
          fmt::format("no solution after {} iterations (residual {:.1e})", result.iterations, phibar / first),
          "repair or remesh the surface: slivers slow the iteration down");
    // Lanczos
    const VectorXd v = y / beta;
    y = times(v);
    if (result.iterations > 0) y -= (beta / old) * r1;
    const double alpha = v.dot(y);
    y -= (alpha / beta) * r2;
    r1 = r2;
    r2 = y;
    y = precondition(r2);
    old = beta;
    beta = std::sqrt(std::max(0.0, r2.dot(y)));

    // Plane rotation
    const double oldEpsilon = epsilon, delta = cs * dbar + sn * alpha, gbar = sn * dbar - cs * alpha;
    epsilon = sn * beta;
    dbar = -cs * beta;
    const double gamma = std::max(std::hypot(gbar, beta), 1e-300);
    cs = gbar / gamma;
    sn = beta / gamma;
    const double phi = cs * phibar;
    phibar *= sn;
    w1 = w2;
    w2 = w;
    w = (v - oldEpsilon * w1 - delta * w2) / gamma;
    x += phi * w;
    ++result.iterations;
    if (beta == 0) break;
  }
  result.residual = phibar / first;
  return result;
}

}  // namespace

CompressedSolution solveCompressed(const CompressedOperators& operators, const ElasticMaterial& material,
                                   const std::vector<int32_t>& heldTriangles, const HatSpace& freeHats,
                                   const Eigen::VectorXd& heldSide, const Eigen::VectorXd& freeSide,
                                   const CompressedSolveOptions& options, Context& context) {
  const System system(operators, material, heldTriangles, freeHats);
  const MatrixXd modes = rigidMotions(operators.surface(), heldTriangles, freeHats);
  const BlockPreconditioner blocks(operators.surface(), material, heldTriangles, freeHats, options.blockSize,
                                   context);

  // Unknowns of unlike units are balanced by the preconditioner
  VectorXd side(system.size());
  side << heldSide, -freeSide;
  project(modes, side);
  VectorXd x;
  CompressedSolution result = minres(
      [&](const VectorXd& v) {
        VectorXd y = system.times(v, context);
        project(modes, y);
        return y;
      },
      [&](const VectorXd& r) {
        VectorXd z = blocks.solve(r, context);
        project(modes, z);
        return z;
      },
      side, options, x);
  result.q = x.head(system.heldSize());
  result.u = x.tail(system.size() - system.heldSize());
  return result;
}

}  // namespace hackle
