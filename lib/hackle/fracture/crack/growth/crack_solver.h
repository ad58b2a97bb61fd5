// Cracks that start and grow in a body under load: boundary elements at a coarse resolution, fronts at a fine
// one ([Hahn17] ch. 4; README.md).
#pragma once

#include <hackle/bem/stress_intensity.h>
#include <hackle/fracture/crack/growth/crack_sheet.h>
#include <hackle/fracture/crack/growth/fast_cracks.h>
#include <hackle/fracture/crack/growth/initiation.h>
#include <hackle/fracture/crack/growth/recorded_crack.h>

#include <functional>
#include <memory>
#include <optional>

namespace hackle {

struct CrackMaterial {
  ElasticMaterial elastic;
  ScalarField strength = ScalarField::constant(45e6);     // Pa, tensile
  ScalarField toughness = ScalarField::constant(0.75e6);  // Pa m^(1/2)
  double compressionRatio = 2.0;  // f_c: of strength and toughness in compression to those in tension
};

/// How openings of cracks are found ([Hahn17] ch. 5).
enum class CrackMethod {
  Full,    // all are unknowns of the system: cost grows with the square of the cracks' area and more
  Fast,    // estimated for whatever grows (initial cracks are unknowns); no system grows
  Hybrid,  // full until the mesh has more than `hybridElements`, then fast
};

struct CrackOptions {
  double coarse = 0.1;     // m, r_c: edges of cracks in the boundary element mesh
  double fine = 0.005;     // m, r_f: voxels, and the distance between markers of a front
  int steps = 20;          // at most; each moves fronts by up to r_c
  size_t cracks = 10;      // at most this many start by themselves
  bool branching = false;  // also on the faces of cracks, in steps of the full method
  CrackMethod method = CrackMethod::Full;
  size_t hybridElements = 3000;        // triangles of the boundary element mesh with cracks
  QuadratureOptions quadrature{1e-3};  // intensities to three digits
  /// The load waits for the cracks (load_ramp.h): the fastest place of a front goes a voxel per sub step,
  /// however slow it is, and no crack starts by itself.
  bool quasiStatic = false;
  double capture = 0.0;  // m: fronts nearer than this to another crack turn towards it; 0: they do not
};

/// What one step did and cost.
struct CrackStep {
  size_t elements = 0;       // triangles of the boundary element mesh when it was solved
  size_t started = 0;        // new cracks
  size_t moved = 0;          // moves of markers
  double frontLength = 0.0;  // m, of the parts that were active at the beginning
  double intensity = 0.0;    // Pa m^(1/2), greatest effective one of the parts that were active
  double area = 0.0;         // m^2, of all coarse sheets afterwards
  double stress = 0.0;       // greatest ratio of stress to strength on the surface
  bool fast = false;         // openings were estimated
  size_t markers = 0;        // of all fronts, afterwards
  size_t recorded = 0;       // triangles of all records, afterwards
  double wallSeconds = 0.0;  // it took on the clock, of which:
  double solve = 0.0, propagate = 0.0, initiate = 0.0, grow = 0.0;
};

/// What a run belongs to: checksums of its input, and numbers.
struct CrackIdentity {
  uint64_t surface = 0, body = 0, fixed = 0, load = 0;
  uint64_t strength = 0, toughness = 0;  // at the body's triangles
  uint64_t initial = 0;                  // the cracks that were added, in order
  double coarse = 0.0, fine = 0.0, young = 0.0, poisson = 0.0, density = 0.0;
};

class CrackSolver {
 public:
  /// `surface` is the artist's, closed, in which fronts stay; `body` is its boundary element mesh with
  /// conditions. Assembles and factorises. Error(Usage) unless 0 < r_f <= r_c.
  CrackSolver(const TriangleMesh& surface, BemSurface body, BoundaryData data, CrackMaterial material,
              const CrackOptions& options, Context& context);
  /// The same with a system that is there already, of the material's elasticity and without cracks.
  CrackSolver(const TriangleMesh& surface, std::unique_ptr<BemSystem> system, CrackMaterial material,
              const CrackOptions& options, Context& context);

  /// A crack that is there from the beginning: a sheet with its own points. Edges on edges of the body's mesh
  /// are its mouth (bem/mouth.h), parts of the rim outside of the body do not grow.
  void addCrack(std::vector<Vec3> points, std::vector<Triangle> triangles, Context& context);

  /// Checksum of the cracks that were added, also before a run was resumed; `addedCrack` is that of one more.
  uint64_t initialCracks() const { return mIdentity.initial; }
  static uint64_t addedCrack(uint64_t before, Span<const Vec3> points, Span<const Triangle> triangles);

  /// Whether a node of such a crack can be at a place: inside, 0.1 r_c or more below the surface.
  bool isClear(const Vec3& p) const { return coarseWorld().isClear(p) && insideSurface(mSurfaceTree, p); }

  /// A crack that starts now, with a sheet of its own inside of the body. For the next `popIn` steps it is
  /// driven by at least 1.3 times the toughness: what let it start has paid for that.
  void startCrack(std::vector<Vec3> points, std::vector<Triangle> triangles, int popIn, Context& context);
  /// m from a place to the surface in the plane with this normal, of the solid and of its boundary elements;
  /// 0 outside.
  double clearance(const Vec3& place, const Vec3& normal) const;
  /// Solves at the present load; nothing moves.
  void solveNow(Context& context);
  /// Of the load of the last solution, at which the first front begins to move; infinite without fronts.
  double frontFactor() const;
  /// m, of all parts of fronts that can still move.
  double activeLength() const;
  /// Stops the parts of fronts that are at such places.
  void stopFronts(const std::function<bool(const Vec3&)>& where);
  /// Steps that the options still allow under the present load.
  size_t stepsLeft() const;
  /// False after a step in which nothing moved and nothing started.
  bool moves() const { return !mHolds; }
  /// Whether cracks have cut off a part that nothing holds: nothing can be solved for any more.
  bool isLoose() const { return mLoose; }
  const CrackOptions& options() const { return mOptions; }

  /// What a rising load has come to (load_ramp.h), kept with the state of a run.
  struct Ramp {
    bool begun = false;           // the load has been set
    double factor = 1.0;          // of the given load that is in force
    std::vector<Vec3> traction;   // Pa, per triangle: the given load without what was released
    std::vector<uint8_t> closed;  // sites at which no crack can start any more
    size_t started = 0, parts = 1;
    double longest = 0.0;  // m, of active fronts since parts were counted
    bool stepped = false;  // a step was taken whose parts are not counted yet
    std::optional<double> firstStart;
    Vec3 firstPlace = Vec3::Zero();
    double firstRadius = 0.0, firstThickness = 0.0;
    std::vector<double> breaks;
  };
  Ramp& ramp() { return mRamp; }
  const Ramp& ramp() const { return mRamp; }

  /// One step. False if nothing moved and nothing started: the body holds. Also when a part came off that
  /// nothing holds.
  bool step(Context& context);
  /// Steps until it holds, or as many as the options allow under one load. `afterStep` sees each, to keep it
  /// (crack_state.h). With a `duration` (s) also no longer than that of the cracks' own time.
  void run(Context& context, const std::function<void(const CrackSolver&)>& afterStep = {},
           std::optional<double> duration = {});
  /// A later load: other values for the same fixed triangles. Fronts that are still inside go on. `sameLoad`:
  /// it is a part of the same load, and steps are counted on.
  void setValues(BoundaryData data, Context& context, bool sameLoad = false);
  /// The same load at `factor` times the present values, which are then `data`.
  void scaleValues(BoundaryData data, double factor);

  const std::vector<std::unique_ptr<CrackSheet>>& cracks() const { return mCracks; }
  const std::vector<CrackStep>& log() const { return mLog; }
  const BemSystem& system() const { return *mSystem; }
  const TriangleBvh& surfaceTree() const { return mSurfaceTree; }
  double simulatedSeconds() const { return mTime; }  // since the beginning, of the cracks' own time
  std::vector<RecordedCrack> records() const;
  /// Intensities along all fronts of the last solution.
  const std::vector<FrontNode>& intensities() const { return mIntensities; }
  const BemSolution& solution() const { return mSolution; }

 private:
  FrontWorld worldOf(size_t crack) const;
  CoarseWorld coarseWorld() const;
  void openMouths(CrackGrowth& growth);
  size_t startCracks(CrackGrowth& growth, CrackStep& report, Context& context);
  size_t startOn(const BemSurface& surface, Span<const Mat3> stress, Span<const Vec3> fronts,
                 std::vector<uint8_t>& started, CrackGrowth& growth);
  size_t branch(Span<const Vec3> fronts, CrackGrowth& growth, Context& context);
  size_t moveFronts(double& intensity, Context& context);
  std::vector<FrontWorld> setFrames();
  double paceOf() const;
  double drivenIntensity() const;
  void findIntensities(bool fast, Context& context);
  void grow(CrackGrowth growth, Context& context);
  friend struct CrackStateAccess;  // crack_state.cpp saves all members that a run changes
  void forget();

  TriangleBvh mSurfaceTree;
  CrackMaterial mMaterial;
  CrackOptions mOptions;
  size_t mSubSteps;  // n
  size_t mPerEdge;   // markers; the middle of an edge has one also if n = 1
  double mRayleigh;
  std::unique_ptr<BemSystem> mSystem;
  TriangleBvh mBodyTree;
  std::vector<std::unique_ptr<CrackSheet>> mCracks;
  std::vector<uint8_t> mStarted;                  // by triangle of the body
  std::array<std::vector<uint8_t>, 2> mBranched;  // by side and triangle of cracks
  size_t mSelfStarted = 0;
  double mTime = 0.0;
  BemSolution mSolution;
  std::vector<FrontNode> mIntensities;
  std::vector<CrackStep> mLog;
  std::unique_ptr<FastCracks> mFast;  // from the first step of the fast method on
  std::vector<CrackGrowth> mGrowths;  // all that the system got, in order ...
  size_t mGrowthsSolved = 0;          // ... this many of them with unknowns
  size_t mLoadBegin = 0;              // steps before the present load
  bool mHolds = false;                // nothing moved in the last step
  bool mLoose = false;                // the last growth left the system without a solution
  bool mNewLoad = false;              // since the last step
  CrackIdentity mIdentity;
  std::vector<int32_t> mPopIn;      // per crack: steps in which it is driven whatever its intensity
  std::vector<TriangleBvh> mTrees;  // of the records of cracks at the beginning of a step
  Ramp mRamp;
};

/// The given values at the factor of a rising load, without what was released.
BoundaryData loadAt(const BoundaryData& given, const CrackSolver::Ramp& ramp);

}  // namespace hackle
