// Boundary operators of elastostatics as dense blocks, and their products with known data.
#pragma once

#include <hackle/bem/pair_integrals.h>
#include <hackle/bem/surface.h>
#include <hackle/core/context.h>
#include <hackle/mechanics/elastic.h>

#include <Eigen/Core>

#include <vector>

namespace hackle {

/// Continuous, piecewise linear functions: each corner of a listed triangle belongs to one of `size` unknowns
/// of three components, or to none (-1). Unknown i, component c is row or column 3 i + c.
struct HatSpace {
  std::vector<int32_t> triangles;  // ascending, no repeats
  std::vector<Triangle> unknowns;  // one entry a listed triangle
  size_t size = 0;
};
/// Unknown i is the hat function of nodes[i]; no repeats.
HatSpace nodeSpace(const BemSurface& surface, Span<const int32_t> nodes);
/// One unknown a node.
HatSpace nodeSpace(const BemSurface& surface);

enum class BemOperator {
  V,  // single layer, m^3/Pa: triangles × triangles
  K,  // double layer, m^2: triangles × hats
  D,  // hypersingular, Pa m: hats × hats
};

/// A block of one operator, written to the caller's memory (column-major, whole, also when symmetric).
struct OperatorBlock {
  BemOperator kind = BemOperator::D;
  std::vector<int32_t> rowTriangles, columnTriangles;  // V: both; K: rows. No repeats
  const HatSpace* rowHats = nullptr;                   // D; not owned
  const HatSpace* columnHats = nullptr;                // K, D; D with equal pointers is computed by half
  double* values = nullptr;                            // 3 × rows by 3 × columns
  Eigen::Index stride = 0;                             // between columns

  /// Space of the functions that the rows and columns stand for, in unknowns of three components.
  size_t rows() const { return kind == BemOperator::D ? rowHats->size : rowTriangles.size(); }
  size_t columns() const { return kind == BemOperator::V ? columnTriangles.size() : columnHats->size; }
};

/// Products of operators with known data on the whole surface; no matrix is stored. Columns are right-hand
/// sides. What has no input is left empty; triangles where the data is zero cost nothing.
struct OperatorProducts {
  const HatSpace* hats = nullptr;  // of u, KTq and Du; not set: one unknown a node
  Eigen::MatrixXd q;               // Pa, 3 × triangles by k: tractions
  Eigen::MatrixXd u;               // m, 3 × hats by k: displacements or crack openings
  Eigen::MatrixXd Vq, Ku;          // 3 × triangles by k
  Eigen::MatrixXd KTq, Du;         // 3 × hats by k; KTq is Kᵀ q
};

/// Fills all blocks and products in one pass over the triangles' pairs. Every pair that something needs is
/// integrated once, in whichever order. The boundary equations are V q = (½ M + K) u and D u = (½ Mᵀ − Kᵀ) q
/// with the mass M below. Same bytes on any number of threads.
void assemble(const BemSurface& surface, const ElasticMaterial& material, const QuadratureOptions& options,
              Span<OperatorBlock> blocks, Span<OperatorProducts> products, Context& context);

/// One whole operator on all triangles and nodes.
Eigen::MatrixXd assembleOperator(BemOperator kind, const BemSurface& surface, const ElasticMaterial& material,
                                 const QuadratureOptions& options, Context& context);

/// M u: the integral of u over each triangle (3 × triangles by k).
Eigen::MatrixXd massTimesHats(const BemSurface& surface, const HatSpace& hats, const Eigen::MatrixXd& u);
/// Mᵀ q: the integral of q against each hat function (3 × hats by k).
Eigen::MatrixXd massTimesTriangles(const BemSurface& surface, const HatSpace& hats, const Eigen::MatrixXd& q);

}  // namespace hackle
