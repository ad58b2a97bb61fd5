// Finds where a sheet is at the end of a time step, or at rest under loads: Newton's method on its energy.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/sheet/sheet_contact.h>
#include <hackle/fracture/sheet/shell_element.h>
#include <hackle/linalg/sparse_cholesky.h>

#include <limits>
#include <vector>

namespace hackle {

/// A spring of no length between two vertices, or from one to a place.
struct ShellSpring {
  int32_t a = -1, b = -1;     // b = -1: the other end is `place`
  double stiffness = 0;       // N/m
  Vec3 place = Vec3::Zero();  // m
};

/// What acts on a sheet during a step.
struct ShellLoads {
  std::vector<ShellSpring> springs;      // those between vertices must stay the same until `topologyChanged`
  Vec3 gravity = Vec3::Zero();           // m/s^2
  double pressure = 0.0;                 // Pa, along the normals of faces as they were when the step began
  std::vector<uint8_t> held;             // per vertex: stays where it is when `solve` begins; empty: none
  std::vector<uint8_t> clamped;          // per edge: its director stays; empty: none
  std::vector<Vec3> force;               // N per vertex; empty: none
  std::vector<SheetObstacle> obstacles;  // where they are at the end of the step
  ContactModel contact;
};

struct ShellSolveOptions {
  double tolerance = 1e-9;     // m, of the last Newton step
  double energyTolerance = 0;  // or that step gains less than this part of the elastic energy
  int iterations = 60;         // at most
  double patience = 1e300;     // iterations after which the energy tolerance is ten times as large
  bool reuseFactor = true;     // go on with an older factor while it converges fast
};

struct ShellSolveResult {
  bool converged = false;
  int iterations = 0, factorisations = 0;
  double lastMove = 0;              // m
  double elastic = 0;               // J stored
  double damped = 0;                // J dissipated by damping in the step
  std::vector<Vec3> reaction;       // N that holds each held vertex, inertia included; 0 elsewhere
  std::vector<Vec3> obstacleForce;  // N on each obstacle
};

/// Moves vertices; directors turn with their edges.
void moveSheet(SheetMesh& mesh, const std::vector<Vec3>& x);

/// Keeps elements, the pattern of the matrix and its factor from step to step.
class ShellSystem {
 public:
  explicit ShellSystem(const ShellMaterial& material) : mMaterial(material) {}

  /// Faces, rest shape or thickness changed: elements are made anew. Topology changed: the pattern too.
  void topologyChanged() {
    mPatternValid = mElementsValid = mFactorValid = false;
    mCoupled.clear();
  }
  /// Goes on as a system that was made just now.
  void forget() {
    topologyChanged();
    mPositivity = 0;
  }
  void elementsChanged() { mElementsValid = mFactorValid = false; }

  /// Finds mesh.x and mesh.director, starting from what they are. Inertia pulls vertices to mesh.inertial
  /// with stiffness mass * inertia (1/s^2; 0: statics). `dt` scales damping and friction. A step that does
  /// not converge says so and leaves the last iterate.
  ShellSolveResult solve(SheetMesh& mesh, const ShellLoads& loads, double inertia, double dt,
                         const ShellSolveOptions& options, Context& context);

  /// What meshes and the sheet itself do to the sheet; `begin` is up to the caller of `solve`.
  SheetContact& contact() { return mContact; }
  const std::vector<double>& halfThickness(const SheetMesh& mesh, Context& context) {
    makeElements(mesh, context);
    return mHalfThickness;
  }

  /// Elements of the mesh as it is.
  const std::vector<ShellFace>& elements(const SheetMesh& mesh, Context& context);
  const ShellMaterial& material() const { return mMaterial; }
  size_t unknowns() const { return mUnknowns; }

  /// Elastic energy, J.
  double energy(const SheetMesh& mesh, Context& context);
  std::vector<ShellStrain> strains(const SheetMesh& mesh, Context& context);

 private:
  struct Trial;
  void makeElements(const SheetMesh& mesh, Context& context);
  void makePattern(const SheetMesh& mesh, const std::vector<ShellSpring>& springs, Context& context);
  double evaluate(const SheetMesh& mesh, const ShellLoads& loads, double inertia, double dt,
                  const std::vector<double>& mass, Eigen::VectorXd& gradient, Context& context);
  void assemble(const SheetMesh& mesh, const ShellLoads& loads, double inertia, double dt,
                const std::vector<double>& mass, ShellOrder order, Context& context);
  bool factorise(const SheetMesh& mesh, const ShellLoads& loads, double inertia, double dt,
                 const std::vector<double>& mass, Context& context);
  void lagFriction(const SheetMesh& mesh, const ShellLoads& loads, double dt);
  void addContactBlocks(const SheetMesh& mesh);
  /// Largest part of a step that passes through nothing.
  double freePart(const std::vector<Vec3>& x, const Eigen::VectorXd& step, const ShellLoads& loads,
                  Context& context);

  ShellMaterial mMaterial;
  bool mPatternValid = false, mElementsValid = false, mFactorValid = false;
  double mFactorInertia = -1;
  double mPositivity = 0;  // 0: the exact matrix was factorised, 1: its positive part; in between: a mixture
  size_t mUnknowns = 0;
  std::vector<ShellFace> mElements;
  std::vector<ShellResponse> mResponses;
  std::vector<std::array<std::array<int32_t, 6>, 6>> mPrefix;  // see makePattern
  std::vector<int32_t> mSpringPrefix;                          // the same of each spring between vertices
  std::vector<uint8_t> mFixed;                                 // per unknown
  std::vector<double> mLagged;                                 // N, per obstacle and vertex
  std::vector<double> mHalfThickness;                          // m, per vertex
  SheetContact mContact;
  std::vector<Edge> mCoupled;  // pairs of vertices that contact may couple, in the pattern
  SparseMatrix mMatrix;
  SparseCholesky mFactor;
  double mElastic = 0, mDamped = 0;
};

}  // namespace hackle
