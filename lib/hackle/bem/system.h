// Elastostatics of a body with cracks by symmetric Galerkin boundary elements: the system that is solved.
#pragma once

#include <hackle/bem/boundary_data.h>
#include <hackle/bem/operators.h>
#include <hackle/bem/rigid_freedom.h>
#include <hackle/linalg/growing_cholesky.h>
#include <hackle/mechanics/elastic.h>
#include <hackle/mechanics/tractions.h>

#include <optional>

namespace hackle {

struct BemSystemOptions {
  QuadratureOptions quadrature;
  /// Stress (Pa) that the faces of cracks are to release: the remote stress of an unbounded body (one without
  /// a surface), or p I for a pressure p in the cracks.
  Mat3 crackStress = Mat3::Zero();
};

/// New parts of cracks. A crack is a sheet of triangles with its own nodes. The displacement jumps across it;
/// the jump is linear per triangle and zero at nodes that are not opened (the front). A node is opened once
/// all triangles around it are there. Where the crack meets the surface of the body, see mouth.h.
struct CrackGrowth {
  std::vector<Vec3> points;         // added after all nodes so far
  std::vector<Triangle> triangles;  // of all nodes, old and new
  std::vector<int32_t> opened;      // nodes whose jump becomes an unknown
  std::vector<int32_t> onto;  // per triangle that of the body or of a crack which it doubles, or -1; or empty
};

/// Boundary values: displacement u, linear per node, and traction q, constant per triangle. On cracks u is
/// the jump u⁺ − u⁻ as the integral operators want it ('+' is the face whose outward normal is the
/// triangle's), and q is zero. Made for BoundaryField and the like. Under a body force they lack its own
/// field, `carried`, which is added where stress or displacement is asked for.
struct BemSolution {
  Eigen::VectorXd u;  // m, 3·nodes
  Eigen::VectorXd q;  // Pa, 3·triangles
  size_t bodyNodes = 0;
  NetLoad removed;                        // of a free body: what was taken out of the loads to balance them
  std::optional<BodyForceField> carried;  // not set without a body force

  Vec3 displacement(size_t node) const { return u.segment<3>(3 * static_cast<Eigen::Index>(node)); }
  Vec3 traction(size_t triangle) const { return q.segment<3>(3 * static_cast<Eigen::Index>(triangle)); }
  /// Of a crack's node: the displacement on the side to which the normal points less that on the other side;
  /// its normal component is positive where the crack is open.
  Vec3 opening(size_t node) const { return -displacement(node); }

  /// What the body force's own field adds at a place, m and Pa.
  Vec3 carriedDisplacement(const Vec3& x) const {
    return carried ? carried->displacement(x) : Vec3(Vec3::Zero());
  }
  Mat3 carriedStress(const Vec3& x) const { return carried ? carried->stress(x) : Mat3(Mat3::Zero()); }
};

/// With unknown tractions q where displacements are given, unknown displacements u elsewhere, and openings w
/// of cracks ([Hahn17] eq. 2.38, whose third row also gets the loads; README.md eq. 10):
///   [ V  −K  −W ] [q]   [ f_D ]
///   [−Kᵀ −D  −X ] [u] = [−f_N ]
///   [−Wᵀ −Xᵀ −Y ] [w]   [−f_C ]
/// The matrix is quasi-definite: one Cholesky factorisation with signs does it, and cracks extend it. A body
/// without given displacements is balanced first and its six rigid motions are deflated.
class BemSystem {
 public:
  /// Assembles and factorises. `body` is closed and oriented outwards; empty for an unbounded body.
  /// Error(BadInput) if the conditions hold the body only partly, Error(Usage) for an impossible material,
  /// Error(Failed) if the matrix is singular.
  BemSystem(BemSurface body, const ElasticMaterial& material, BoundaryData data,
            const BemSystemOptions& options, Context& context);

  /// Extends the system; no entry is computed twice and the factorisation is not redone.
  void growCracks(const CrackGrowth& growth, Context& context);
  /// Parts of cracks whose jumps are not unknowns but set by `setKnownJumps`; none are opened.
  void addSheets(const CrackGrowth& growth);
  /// What jumps (3 per node, m, as in BemSolution::u) of nodes that are not opened add to the right-hand
  /// side, a column for each column of `jumps`; columns may be added up. Costs the nodes' triangles times
  /// those of the body and of opened nodes; no entry is kept.
  Eigen::MatrixXd jumpLoads(const std::vector<int32_t>& nodes, const Eigen::MatrixXd& jumps,
                            const QuadratureOptions& quadrature, Context& context) const;
  /// The right-hand side without known jumps. Replays of a growth find it again to rounding only; who wants
  /// the same bytes puts it back.
  const Eigen::VectorXd& load() const { return mRhs; }
  void setLoad(Eigen::VectorXd load);
  /// Known jumps from now on, with their load. No node can be opened afterwards.
  void setKnownJumps(std::vector<int32_t> nodes, Eigen::VectorXd jumps, Eigen::VectorXd load);
  /// New values for the same `fixed`; only right-hand sides are computed. Solutions are those of a new
  /// system, to the last bit where there are no cracks. After an exception only setValues may follow.
  void setValues(BoundaryData data, Context& context);
  /// Values that are `factor` times the present ones: the right-hand side is scaled, to rounding that of
  /// `setValues`, at no cost.
  void scaleValues(BoundaryData data, double factor);

  /// With or without the known jumps.
  BemSolution solve(Context& context, bool withKnown = true) const;

  const BemSurface& surface() const { return mSurface; }
  const BemSurface& body() const { return mBody; }
  const ElasticMaterial& material() const { return mMaterial; }
  const BoundaryData& data() const { return mData; }
  size_t unknowns() const { return mFactor.size(); }
  /// Nodes of cracks that are opened, in the order in which they were.
  const std::vector<int32_t>& openedNodes() const { return mOpened; }
  /// Per triangle of cracks: the triangle that it doubles, of the body or of another crack, or -1.
  const std::vector<int32_t>& crackOnto() const { return mOnto; }
  /// Memory of the factor.
  size_t bytes() const { return mFactor.bytes(); }

 private:
  size_t tractionUnknowns() const { return mTractionDof.size(); }
  void numberUnknowns();
  void balance();
  void assembleBody(Context& context);
  void deflate(Eigen::MatrixXd& k, Eigen::MatrixXd& d) const;
  void fillBody(Eigen::MatrixXd& v, Eigen::MatrixXd& k, Eigen::MatrixXd& d, Context& context);
  OperatorProducts loads(bool withTests) const;
  void setTests(const OperatorProducts& products);
  Eigen::VectorXd rightHandSide(const OperatorProducts& products) const;
  Eigen::VectorXd crackLoad(const std::vector<int32_t>& nodes) const;
  struct CrackBlocks;
  CrackBlocks assembleCracks(const std::vector<int32_t>& opened, bool known,
                             const QuadratureOptions& quadrature, Context& context) const;
  Eigen::MatrixXd deflatedRows(const CrackBlocks& blocks) const;
  void fillCracks(const CrackBlocks& blocks, Context& context);
  void addCrackTests(const CrackBlocks& blocks);
  Eigen::VectorXd crackRightHandSide(const CrackBlocks& blocks) const;

  BemSurface mBody, mSurface;  // the second with cracks
  ElasticMaterial mMaterial;
  BoundaryData mData;
  BemSystemOptions mOptions;
  RigidFreedom mFreedom;
  NetLoad mRemoved;
  std::optional<BodyForceField> mCarried;

  std::vector<int32_t> mFixedTriangles, mFreeNodes;  // of the body, with an unknown traction, displacement
  std::vector<Eigen::Index> mTractionDof;            // of each unknown: 3 triangle + axis
  std::vector<Eigen::Index> mDisplacementDof;        // of each unknown of the body: 3 node + axis
  std::vector<int32_t> mOpened;                      // nodes of cracks; three unknowns each, after the body's
  std::vector<int32_t> mOnto;                        // per triangle of cracks
  Eigen::MatrixXd mWeightedNull;                     // weight · null
  // Without `mCarried`; 3 nodes, 3 triangles of the body; zero where unknown.
  Eigen::VectorXd mGivenU, mGivenQ;
  Eigen::MatrixXd mTestU, mTestCracks, mTestQ;  // (½ Mᵀ + Kᵀ) t on the body and on opened nodes, V t
  Eigen::VectorXd mRhs;
  std::vector<int32_t> mKnownNodes;        // of cracks with known jumps
  Eigen::VectorXd mKnownJumps, mJumpLoad;  // theirs, and the load: of the unknowns, then of the tests
  GrowingCholesky mFactor;
};

}  // namespace hackle
