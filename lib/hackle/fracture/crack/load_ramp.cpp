#include <hackle/fracture/crack/growth/initial_crack.h>
#include <hackle/fracture/crack/load_ramp.h>
#include <hackle/fracture/crack/pieces/crack_pieces.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// A front is raised this much beyond where it begins to move: at that load itself it would creep for ever.
constexpr double kBeyond = 1.03;
// Steps in which a new crack runs whatever its intensity: the load at which it started has paid for it. Not
// at a notch, where that load goes with the small length over which the stress is averaged.
constexpr int kPopIn = 3;
// Seeds: radius and depth in coarse resolutions, and in thicknesses of the wall.
constexpr double kLeastSeed = 0.2, kClearance = 0.12, kOfWall = 0.3, kOfClearance = 0.85;
// Coarse resolutions below which a seed is a hexagon, and below which there is no room for one.
constexpr double kHexagon = 0.8, kSmallest = 0.02;
constexpr double kNearFront = 2.0;  // averaging radii around fronts in which no crack starts

class LoadRamp {
 public:
  LoadRamp(CrackSolver& solver, const BoundaryData& given, const StartSites& sites, double volume,
           const RampOptions& options, const std::function<void(const CrackSolver&)>& afterStep,
           Context& context)
      : mSolver(solver),
        mState(solver.ramp()),
        mGiven(given),
        mSites(sites),
        mVolume(volume),
        mOptions(options),
        mAfterStep(afterStep),
        mContext(context) {
    if (mState.closed.size() != sites.sites().size()) mState.closed.assign(sites.sites().size(), 0);
    if (mState.traction.empty()) mState.traction = given.traction;
  }

  RampEnd run(std::optional<CrackStart> first) {
    mDone = mSolver.isLoose();
    if (mState.begun) hold();  // go on with a run that was stopped
    if (!mState.begun && (!first || !mSolver.cracks().empty())) {
      mSolver.solveNow(mContext);
      first.reset();
    }
    while (!mDone && mSolver.stepsLeft() > 0) {
      const double front = mState.factor * mSolver.frontFactor();
      std::optional<CrackStart> start;
      if (mState.started < mOptions.cracks) {
        // Nothing is solved yet if there was no room for the first start.
        if (!first && mSolver.solution().u.size() == 0) mSolver.solveNow(mContext);
        start = first ? first : nextStart();
      }
      first.reset();
      const double site = start ? mState.factor * start->factor : kInfinite;
      const double next = std::min(front, site);
      if (!(next < kInfinite)) break;
      if (next > mOptions.most) {
        mEnd.next = next;
        break;
      }
      if (site <= front && !begin(*start, next)) continue;
      const double wanted = site <= front ? site : std::min(kBeyond * front, mOptions.most);
      setFactor(mState.begun ? std::max(mState.factor, wanted) : wanted);
      hold();
    }
    mEnd.reached = mState.begun ? mState.factor : 0;
    return mEnd;
  }

 private:
  void setFactor(double factor) {
    const bool same = mState.begun && factor == mState.factor;
    const double times = factor / mState.factor;
    mState.factor = factor;
    mState.begun = true;
    if (!same) mSolver.scaleValues(loadAt(mGiven, mState), times);
  }

  /// The next start, away from fronts.
  std::optional<CrackStart> nextStart() const {
    std::vector<uint8_t> closed = mState.closed;
    for (const auto& crack : mSolver.cracks())
      for (const FineFront& front : crack->fronts())
        for (size_t k = 0; k < front.markers().size(); k += std::max<size_t>(1, front.perEdge() / 2))
          for (size_t i = 0; i < closed.size(); ++i) {
            const StartSite& site = mSites.sites()[i];
            const double reach = std::max(mSolver.options().coarse, kNearFront * site.radius);
            if ((front.markers()[k].inner - site.place).squaredNorm() < reach * reach) closed[i] = 1;
          }
    return mSites.firstStart(mSolver.system(), mSolver.solution(), closed, mContext);
  }

  /// Starts a crack; false if there is no room.
  bool begin(const CrackStart& start, double factor) {
    const StartSite& site = mSites.sites()[start.site];
    for (size_t i = 0; i < mState.closed.size(); ++i)
      if ((mSites.sites()[i].place - site.place).norm() < site.radius) mState.closed[i] = 1;
    if (!startCrackAt(mSolver, site, start, start.notched ? 0 : kPopIn, mContext)) return false;
    if (!mState.firstStart) {
      mState.firstStart = factor;
      mState.firstPlace = site.place;
      mState.firstRadius = start.radius;
      mState.firstThickness = site.thickness;
    }
    ++mState.started;
    return true;
  }

  /// Steps at the present load until nothing moves.
  void hold() {
    while (!mDone) {
      if (mState.stepped) {
        mState.stepped = false;
        const bool moves = mSolver.moves();
        const double length = mSolver.activeLength();
        // Parts can only come off when a front comes to its end.
        const bool ends = !moves || length < 0.5 * mState.longest;
        mState.longest = ends ? length : std::max(mState.longest, length);
        const bool apart = ends && cameApart();
        mDone = mDone || mSolver.isLoose();
        if (apart || !moves) return;
      }
      if (mSolver.stepsLeft() == 0) return;
      mSolver.step(mContext);
      mState.stepped = true;
      mContext.advance(1 - static_cast<double>(mSolver.stepsLeft()) / std::max(1, mSolver.options().steps));
      if (mAfterStep) mAfterStep(mSolver);
    }
  }

  /// Counts the parts, and unloads those that nothing holds. True if there is one more than before.
  bool cameApart() {
    const std::vector<RecordedCrack> records = mSolver.records();
    if (records.empty()) return false;
    CrackCutOptions cut;
    cut.ligament = mOptions.ligament * mSolver.options().coarse;
    cut.minVolume = mOptions.leastPart * mVolume;
    const CrackPartition partition(mSolver.surfaceTree(), records, cut, mContext);
    const size_t parts = partition.whole() ? 1 : partition.partCount();
    if (parts <= mState.parts) return false;
    mState.parts = parts;
    mState.breaks.push_back(mState.factor);
    mDone = mOptions.firstBreak || mSolver.isLoose();
    if (!mDone) release(partition);
    return true;
  }

  void release(const CrackPartition& partition) {
    const BemSurface& body = mSolver.system().body();
    const double skin = 0.02 * mSolver.options().coarse;
    std::vector<uint8_t> held(partition.partCount(), 0);
    std::vector<int32_t> part(body.triangleCount(), -1);
    for (size_t t = 0; t < body.triangleCount(); ++t) {
      part[t] = partition.partAt(body.centroid(t) - skin * body.normal(t));
      if (part[t] >= 0 && mGiven.fixed[t] != std::array<uint8_t, 3>{0, 0, 0}) held[part[t]] = 1;
    }
    const auto isFree = [&](int32_t p) { return p >= 0 && !held[p]; };
    bool loaded = std::any_of(mGiven.displacement.begin(), mGiven.displacement.end(),
                              [](const Vec3& u) { return !u.isZero(0); });
    for (size_t t = 0; t < body.triangleCount(); ++t) {
      if (isFree(part[t])) mState.traction[t].setZero();
      loaded = loaded || !mState.traction[t].isZero(0);
    }
    for (size_t i = 0; i < mState.closed.size(); ++i) {
      const StartSite& site = mSites.sites()[i];
      if (isFree(partition.partAt(site.place - skin * site.normal))) mState.closed[i] = 1;
    }
    mSolver.stopFronts([&](const Vec3& p) { return isFree(partition.partAt(p)); });
    // The force on a part that has come off cannot be taken out of that on the
    // whole: the run ends.
    mDone = mEnd.released = !loaded || !mGiven.force.isZero();
    if (mDone) return;
    mSolver.setValues(loadAt(mGiven, mState), mContext, true);
    mSolver.solveNow(mContext);
  }

  CrackSolver& mSolver;
  CrackSolver::Ramp& mState;
  const BoundaryData& mGiven;
  const StartSites& mSites;
  double mVolume;
  const RampOptions& mOptions;
  const std::function<void(const CrackSolver&)>& mAfterStep;
  Context& mContext;
  RampEnd mEnd;
  bool mDone = false;
};

}  // namespace

bool startCrackAt(CrackSolver& solver, const StartSite& site, const CrackStart& start, int popIn,
                  Context& context) {
  const double coarse = solver.options().coarse;
  const double across = start.normal.dot(site.normal), rise = std::sqrt(std::max(0.0, 1 - across * across));
  double radius = std::min(std::max(start.radius, kLeastSeed * coarse), kOfWall * site.thickness);
  const double depth = std::min(radius * rise + kClearance * coarse, 0.5 * site.thickness);
  const Vec3 centre = site.place - depth * site.normal;
  radius = std::min(radius, kOfClearance * solver.clearance(centre, start.normal));
  if (!(radius > kSmallest * coarse)) return false;
  if (radius > kHexagon * coarse) {
    InitialSheet disc = ellipseCrack(centre, start.normal, Vec3::Zero(), radius, radius, coarse);
    solver.startCrack(std::move(disc.points), std::move(disc.triangles), popIn, context);
  } else {
    const CrackGrowth hexagon = hexagonCrack(centre, start.normal, radius, 0);
    solver.startCrack(hexagon.points, hexagon.triangles, popIn, context);
  }
  return true;
}

RampEnd raiseLoad(CrackSolver& solver, const BoundaryData& given, const StartSites& sites,
                  std::optional<CrackStart> first, double volume, const RampOptions& options,
                  const std::function<void(const CrackSolver&)>& afterStep, Context& context) {
  const Context::Stage stage(context, "cracks", 0.7);
  return LoadRamp(solver, given, sites, volume, options, afterStep, context).run(first);
}

}  // namespace hackle
