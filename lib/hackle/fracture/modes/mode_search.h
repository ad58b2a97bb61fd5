// The search for one fracture mode after another. Private to solver.cpp.
#pragma once

#include <hackle/fracture/modes/cut_pool.h>
#include <hackle/fracture/modes/mode_solver.h>
#include <hackle/fracture/modes/piecewise.h>

#include <optional>
#include <vector>

namespace hackle::detail {

/// The solution of a convex problem: min Σ cost |jump| subject to ⟨guess, s⟩_M = 1, ⟨ψ_l, s⟩_M = 0.
struct ConvexSolution {
  std::optional<Piecewise> mode;  // s / |s|; not set if no combination of sets meets the constraints
  double objective = 0;           // Σ cost |jump| of s
  Eigen::VectorXd prices;         // of the constraints: the dual solution, the guess's first
  double energy = 0;              // of s / |s|
  double gap = 0;                 // relative
  size_t cuts = 0;
  bool converged = false;
};

/// Where a start came to.
struct Attempt {
  ConvexSolution last;
  double share =
      0;  // of the mass that moves: 1 / (m Σ m s^4), 1 for two halves, about f for a chip of the part f
  size_t iterations = 0, cuts = 0;
  bool converged = false;
};

/// Modes along one axis, each orthogonal to those found before (README eq. 1, 2).
class ModeSearch {
 public:
  /// `seeds`: #elements × #seeds, the initial guesses for all modes, of mean 0. The graph must outlive this.
  ModeSearch(const ElementGraph& graph, Eigen::Index axis, Eigen::MatrixXd seeds, const ModeOptions& options,
             Context& context);

  /// The next mode, per element. Error(Failed) if there is none.
  Eigen::VectorXd next(FractureMode& mode, Context& context);
  /// What is left of a function, constant on pieces, without the modes found so far, as the next mode;
  /// nothing if they give most of it.
  std::optional<Eigen::VectorXd> addImage(const Eigen::VectorXd& values, const ElementGraph& graph,
                                          FractureMode& mode, Context& context);
  size_t cuts() const { return mCuts; }

  /// One convex problem, with the modes found so far.
  ConvexSolution solveConvex(const Eigen::VectorXd& guess, Context& context) const;

 private:
  struct Work;
  ConvexSolution solveConvex(const Eigen::VectorXd& guess, Work& work, Context& context) const;
  Attempt iterate(Eigen::VectorXd guess, Work& work, Context& context) const;
  std::vector<Attempt> tryStarts(Context& context);
  bool enrich(CutPool& pool, int round, Context& context) const;
  void thinPool();
  Eigen::VectorXd keep(const Piecewise& pieces, FractureMode& mode, Context& context);

  CutNetwork mNetwork;
  Eigen::VectorXd mMasses;
  Eigen::MatrixXd mSeeds;
  ModeOptions mOptions;
  CutPool mPool;
  Eigen::MatrixXd mModes;  // #elements × found
  size_t mCuts = 0;
};

/// Lowest vibrations of the unbroken solid without the constant one, #elements × count: a finite-volume
/// Laplacian with the costs as stiffness.
Eigen::MatrixXd vibrations(const ElementGraph& graph, Eigen::Index axis, size_t count, Context& context);

}  // namespace hackle::detail
