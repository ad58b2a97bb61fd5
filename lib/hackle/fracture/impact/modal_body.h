// What vibrates: a solid in a lattice, its natural vibrations and their stresses. Made once per body.
#pragma once

#include <hackle/fem/free_body.h>
#include <hackle/fem/surface_embedding.h>
#include <hackle/fracture/impact/stress_recovery.h>
#include <hackle/fracture/solid.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hackle {

/// Share of a tetrahedron in the solid below which it holds nothing together.
constexpr double kLeastSolidShare = 0.01;

struct ModalBodyOptions {
  ElasticMaterial material;
  std::optional<size_t> elements;  // tetrahedra of the lattice, about; not set: as walls need, countForWalls
  std::optional<double> cellSize;  // m, edge of the lattice's cubes, instead of `elements`
  size_t modes = 100;              // vibrations, besides rigid motions; a few more or less, to end at a gap
};

/// Never changes. Vibrations are those of the solid, not of the lattice around it: every tetrahedron counts
/// with its part inside (README eq. 1).
class ModalBody {
 public:
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  /// Error(BadInput) for a solid of several parts that do not touch; a warning for walls thinner than a cell.
  ModalBody(const Solid& solid, const ModalBodyOptions& options, Context& context);
  /// What `archive` wrote, for the same solid: Error(BadInput) for damaged bytes and other solids.
  ModalBody(const Solid& solid, std::string_view bytes, Context& context);
  std::string archive() const;

  const ElasticMaterial& material() const { return mMaterial; }
  const std::vector<Vec3>& points() const { return mBody->mesh().points; }
  const std::vector<Tetrahedron>& tetrahedra() const { return mBody->mesh().tetrahedra; }
  double cellSize() const { return mCellSize; }
  double diagonal() const { return mDiagonal; }
  const FreeBody& body() const { return *mBody; }
  const SurfaceEmbedding& embedding() const { return *mEmbedding; }

  /// Share of each tetrahedron in the solid, 0 to 1, and the centre (m) of that part.
  const std::vector<SolidPart>& parts() const { return mParts; }
  /// Places on both sides of each of these parts, as barycentric coordinates.
  const std::vector<PartEnds>& partEnds() const { return mPartEnds; }
  /// Edges of tetrahedra that the solid reaches into, each once, lower point first.
  const std::vector<Edge>& solidEdges() const { return mSolidEdges; }
  const TetShape& tetShape(size_t tetrahedron) const { return mShapesOfTets[tetrahedron]; }
  /// Across face k (opposite to corner k) of each tetrahedron; -1 at the boundary of the lattice.
  const std::vector<std::array<int32_t, 4>>& neighbours() const { return mNeighbours; }

  size_t modes() const { return static_cast<size_t>(mFrequencies.size()); }
  const Eigen::VectorXd& frequencies() const { return mFrequencies; }  // rad/s, ascending
  const Eigen::MatrixXf& shapes() const { return mShapes; }            // 3 #points x modes, kg^-1/2
  /// Stress (Pa per unit of a mode) at every point, fitted: rows 6 p to 6 p + 5 are those of point p.
  const Rows& stressRows() const { return mStressRows; }
  /// The same of displacements (m, 3 #points) of any kind: 6 #points.
  Eigen::VectorXf pointStresses(const Eigen::VectorXd& displacements, Context& context) const;

  size_t bytes() const;

 private:
  struct Matrices {
    SparseMatrix stiffness, mass;
  };
  Matrices finish(const Solid& solid, DividedLattice lattice, Context& context);
  void makeStressRows(Context& context);

  ElasticMaterial mMaterial;
  double mCellSize = 0, mDiagonal = 0;
  uint64_t mFingerprint = 0;
  std::vector<PartMoments> mMoments;  // of tetrahedra
  std::vector<QuadraticTet> mQuadratic;
  std::vector<SolidPart> mParts;
  std::vector<PartEnds> mPartEnds;
  std::unique_ptr<const FreeBody> mBody;
  std::unique_ptr<const SurfaceEmbedding> mEmbedding;
  std::unique_ptr<const StressRecovery> mRecovery;
  std::vector<TetShape> mShapesOfTets;
  std::vector<std::array<int32_t, 4>> mNeighbours;
  std::vector<Edge> mSolidEdges;
  Eigen::VectorXd mFrequencies;
  Eigen::MatrixXf mShapes;
  Rows mStressRows;
};

/// Tetrahedra across each face; see ModalBody::neighbours.
std::vector<std::array<int32_t, 4>> tetNeighbours(Span<const Tetrahedron> tetrahedra, Context& context);

}  // namespace hackle
