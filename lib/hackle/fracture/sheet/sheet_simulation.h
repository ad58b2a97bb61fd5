// A sheet that moves, bends, flows and cracks: the loop of time steps.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/sheet/crack_tip.h>
#include <hackle/fracture/sheet/shell_system.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace hackle {

/// Where a pin is at a time; linear in between, constant outside.
struct SheetKey {
  double time = 0;           // s
  Vec3 move = Vec3::Zero();  // m
  Vec3 turn = Vec3::Zero();  // rad, rotation vector about the middle of the pin
};

/// Holds the part of the sheet whose rest shape is inside a box.
struct SheetPin {
  Vec3 centre = Vec3::Zero(), half = Vec3::Constant(0.01);  // m
  double stiffness = 0.0;                                   // N/m of springs that hold it; 0: rigid
  bool clamp = true;                                        // holds the direction of the sheet too
  double release = 1e300;                                   // s after which it lets go
  std::vector<SheetKey> keys;                               // sorted by time; empty: stays
};

/// A line of the rest shape along which the sheet is weaker (or stronger).
struct SheetGuide {
  Vec3 a = Vec3::Zero(), b = Vec3::Zero();
  double factor = 0.1;  // of the toughness, energy
};

enum class SheetCriterion { Energy, Separation };

struct SheetOptions {
  ShellMaterial material;
  double thickness = 1e-3;    // m
  double strength = 45e6;     // Pa at which a crack is born
  double elongation = 0.2;    // plastic strain at which a crack is born; only where there is a yield stress
  double toughness = 0.75e6;  // Pa m^(1/2): a crack grows where it releases toughness^2 / young
  SheetCriterion criterion = SheetCriterion::Energy;
  double branching = 0.0;  // a tip divides where it releases this many times the toughness; 0: never
  double stored = 0.0;     // Pa of tension in the middle plane that compression of the faces balances
  bool births = true;
  double weibull = 0.0;       // modulus of the scatter of strength; 0: none
  double flawSpacing = 0.02;  // m between flaws
  uint64_t seed = 0;
  double interlayer =
      0.0;  // N/m^2: force per length of crack and opening that a layer bridges cracks with; 0: none
  double interlayerTear = 1e-2;  // m of opening at which that layer tears
  Vec3 grain = Vec3::Zero();     // direction in the rest shape; zero: none
  double grainRatio = 1.0;       // toughness (energy) across the grain over that along it

  double fine = 5e-3;         // m, edges at tips
  double coarse = 0.05;       // m, edges elsewhere
  double refineAngle = 0.15;  // rad between neighbouring faces that curvature may make
  double step = 1e-3;         // s, at most
  double shortestStep = 0.0;  // s; 0: the time in which a crack can run two fine edges
  bool quasistatic = false;   // no inertia: every step ends at rest
  int increments = 24;        // of each tip in a step, at most
  size_t cracks = 200;        // born at most
  Vec3 gravity{0, -9.81, 0};
  double pressure = 0.0;  // Pa along the normal
  std::vector<SheetPin> pins;
  std::vector<SheetObstacle> obstacles;
  ContactModel contact;
  bool selfContact = false;  // the sheet collides with itself
  std::vector<SheetGuide> guides;

  // Painted fields, by place on the rest shape; not set: 1 everywhere.
  std::function<double(const Vec3&)> strengthScale, toughnessScale, thicknessScale;
  std::function<bool(const Vec3&)> unbreakable, pinned;
  std::function<Vec3(const Vec3&)> project;  // onto a curved rest shape
};

/// A tip of a crack and what it did so far.
struct SheetTip {
  int32_t vertex = -1;
  Vec3 direction = Vec3::Zero();
  double budget = 0;       // m that it may still run in this step
  double release = 0;      // J/m^2 at the last look
  int32_t crack = -1;      // number of its crack
  double sinceBranch = 0;  // m since it was born, by a branching or otherwise
  bool active = true;
};

/// J, since the start.
struct SheetEnergy {
  double kinetic = 0, elastic = 0, weight = 0;   // now; weight is the potential of gravity
  double fracture = 0, plastic = 0, damped = 0;  // spent
  double pins = 0;                               // done by what moves pins
  double strikers = 0;                           // kinetic, of obstacles with a mass
};

struct SheetStepReport {
  double dt = 0;
  int solves = 0, iterations = 0, factorisations = 0;
  int increments = 0, births = 0;
  bool rejected = false;  // a smaller step was needed
};

/// A frame as it was, enough to place any point of the rest shape.
struct SheetFrame {
  double time = 0;
  std::vector<Vec3> rest, x, v;
  std::vector<Triangle> faces;
  std::vector<double> thickness;  // per face
  std::vector<double> stress,
      plastic;  // per face: largest principal stress of either side (Pa); plastic strain
};

class SheetSimulation {
 public:
  /// The sheet at rest, where it is when time begins. Meshes it anew to the sizes of the options.
  SheetSimulation(SheetMesh mesh, SheetOptions options, Context& context);

  /// A crack that is there from the beginning, between two points of the rest shape.
  void addCrack(const Vec3& from, const Vec3& to, Context& context);
  /// One time step, at most to `until`.
  SheetStepReport step(double until, Context& context);
  /// Steps until that time.
  void advance(double until, Context& context);

  double time() const { return mTime; }
  const SheetMesh& mesh() const { return mMesh; }
  const SheetOptions& options() const { return mOptions; }
  const std::vector<SheetTip>& tips() const { return mTips; }
  const std::vector<SheetObstacle>& obstacles() const { return mOptions.obstacles; }
  const SheetEnergy& energy() const { return mEnergy; }
  double crackLength() const { return mCrackLength; }  // m, in the rest shape
  size_t births() const { return mBirths; }
  size_t steps() const { return mSteps; }
  size_t rejections() const { return mRejections; }
  double stressRatio() const { return mStressRatio; }  // largest stress over strength at the last look
  /// N on the part of the sheet that a pin holds, at the end of the last step.
  Vec3 pinForce(size_t pin) const { return mPinForces.at(pin); }
  SheetFrame frame(Context& context);
  /// Number of connected parts.
  size_t pieces() const { return pieceAreas().size(); }
  /// m^2 at rest of each.
  std::vector<double> pieceAreas() const;

  /// All that the next step depends on, as bytes; `load` needs the same options. Drops the matrix factor that
  /// a loaded run would not have either, so that both go on to equal bytes.
  std::string save();
  void load(const std::string& bytes, Context& context);

 private:
  struct Backup;
  void beginStep(double dt, Context& context);
  bool solve(Context& context, SheetStepReport& report);
  bool solveInContact(const std::vector<Vec3>& from, const ShellSolveOptions& options, Context& context,
                      SheetStepReport& report);
  void tally(const ShellSolveResult& result, SheetStepReport& report);
  void noteParted();
  void holdPins(double time);
  void bridgeCracks();
  void crackStep(Context& context, SheetStepReport& report);
  bool growTips(const std::vector<ShellStrain>& strains, Context& context, SheetStepReport& report);
  bool bearCracks(const std::vector<ShellStrain>& strains, Context& context, SheetStepReport& report);
  void endStep(Context& context);
  void adapt(const std::vector<ShellStrain>& strains, Context& context, bool smooth);
  std::vector<double> sizes(const std::vector<ShellStrain>& strains, Context& context);
  std::vector<uint8_t> movableVertices() const;
  std::vector<double> surfaceStress(const std::vector<ShellStrain>& strains, std::vector<Vec3>* across,
                                    Context& context);
  double strengthAt(const Vec3& rest) const;
  double toughnessAt(const Vec3& rest, const Vec3& direction) const;
  double storedRelease(const SheetTip& tip, const Vec3& direction) const;
  double branchSpacing(double thickness) const;
  /// Makes a crack longer from a vertex; a tip that runs into something is not active any more.
  bool extendTip(SheetTip& tip, const Vec3& direction, double toughness, SheetStepReport& report);
  void divideTip(size_t index, const Vec3& direction, double toughness, SheetStepReport& report);
  bool closeToTip(const Vec3& rest, double radius) const;
  bool isTip(int32_t vertex) const;
  void remap(const std::vector<int32_t>& vertexMap);
  double shortestStep() const;
  /// s in which no ball can pass through the sheet.
  double contactStep() const;
  int pinOf(const Vec3& rest) const;
  void accountEnergy(double dt, const ShellSolveResult& result);

  SheetOptions mOptions;
  SheetMesh mMesh;
  ShellSystem mSystem;
  ShellLoads mLoads;
  ShellSolveResult mLast;
  std::vector<SheetTip> mTips;
  std::vector<Vec3> mPinForces;
  SheetEnergy mEnergy;
  double mTime = 0, mDt = 0, mDtBefore = 0;
  double mA0 = 1;  // BDF2 coefficient of the step that is being solved
  double mNextStep = 0;
  double mRestDetail = 0;  // m, half the mean edge of the mesh that was given
  bool mToldOfContact = false;
  bool mFirstSolve = true;  // of the step: obstacles are still on their way
  double mCrackLength = 0, mStressRatio = 0;
  size_t mBirths = 0, mSteps = 0, mRejections = 0, mQuiet = 0;
  int32_t mCracks = 0;
};

}  // namespace hackle
