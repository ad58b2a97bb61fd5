#include <hackle/core/error.h>
#include <hackle/fracture/sheet/plasticity.h>
#include <hackle/fracture/sheet/sheet_cut.h>
#include <hackle/fracture/sheet/sheet_remesh.h>
#include <hackle/fracture/sheet/sheet_simulation.h>
#include <hackle/geometry/union_find.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

bool anyMesh(const std::vector<SheetObstacle>& obstacles) {
  return std::any_of(obstacles.begin(), obstacles.end(),
                     [](const SheetObstacle& o) { return o.shape == SheetObstacle::Shape::Mesh; });
}

Mat3 rotation(const Vec3& turn) {
  const double angle = turn.norm();
  if (!(angle > 0)) return Mat3::Identity();
  return Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
}

SheetKey keyAt(const std::vector<SheetKey>& keys, double time) {
  if (keys.empty()) return {};
  if (time <= keys.front().time) return keys.front();
  for (size_t i = 1; i < keys.size(); ++i) {
    if (time > keys[i].time) continue;
    const double t = (time - keys[i - 1].time) / std::max(keys[i].time - keys[i - 1].time, 1e-300);
    SheetKey key;
    key.time = time;
    key.move = (1 - t) * keys[i - 1].move + t * keys[i].move;
    key.turn = (1 - t) * keys[i - 1].turn + t * keys[i].turn;
    return key;
  }
  return keys.back();
}

}  // namespace

SheetSimulation::SheetSimulation(SheetMesh mesh, SheetOptions options, Context& context)
    : mOptions(std::move(options)), mMesh(std::move(mesh)), mSystem(mOptions.material) {
  if (mOptions.thicknessScale)
    for (size_t f = 0; f < mMesh.faceCount(); ++f) {
      const Triangle& t = mMesh.faces[f];
      mMesh.history[f].thickness *=
          mOptions.thicknessScale((mMesh.rest[t[0]] + mMesh.rest[t[1]] + mMesh.rest[t[2]]) / 3);
    }
  double length = 0;
  for (int32_t c = 0; c < 3 * static_cast<int32_t>(mMesh.faceCount()); ++c) length += mMesh.restLength(c);
  mRestDetail = 0.5 * length / (3 * static_cast<double>(mMesh.faceCount()));
  mNextStep = mOptions.step;
  mPinForces.assign(mOptions.pins.size(), Vec3::Zero());
  adapt(mSystem.strains(mMesh, context), context, true);
  accountEnergy(0, {});
}

void SheetSimulation::addCrack(const Vec3& from, const Vec3& to, Context& context) {
  // First as fine as tips will need it, along the whole line.
  const size_t before = mTips.size();
  const double length = (to - from).norm();
  const int samples = std::max(1, static_cast<int>(std::ceil(length / (4 * mOptions.fine))));
  for (int pass = 0; pass < 2; ++pass) {
    mTips.resize(before);
    for (int s = 0; s <= samples; ++s) {
      SheetTip tip;
      const Vec3 p = from + (to - from) * (static_cast<double>(s) / samples);
      for (int32_t q = 0; q < static_cast<int32_t>(mMesh.vertexCount()); ++q)
        if (tip.vertex < 0 || (mMesh.rest[q] - p).squaredNorm() < (mMesh.rest[tip.vertex] - p).squaredNorm())
          tip.vertex = q;
      mTips.push_back(tip);
    }
    adapt(mSystem.strains(mMesh, context), context, true);
  }
  mTips.resize(before);
  const size_t edges = mMesh.edgeCount();
  const std::vector<int32_t> ends = cutLine(mMesh, from, to, movableVertices(), mTime);
  if (mMesh.edgeCount() == edges)
    throw Error(ErrorCode::BadInput, "an initial crack does not lie in the sheet", "move it onto the sheet");
  for (const int32_t vertex : ends) {
    SheetTip tip;
    tip.vertex = vertex;
    tip.direction = ((vertex == ends.back() ? to - from : from - to)).normalized();
    tip.crack = mCracks;
    mTips.push_back(tip);
  }
  ++mCracks;
  mSystem.topologyChanged();
  adapt(mSystem.strains(mMesh, context), context, false);
}

double SheetSimulation::shortestStep() const {
  if (mOptions.shortestStep > 0) return std::min(mOptions.shortestStep, mOptions.step);
  const ShellMaterial& m = mOptions.material;
  const double shear = std::sqrt(m.young / (2 * (1 + m.poisson)) / m.density);
  return std::min(mOptions.step, 2 * mOptions.fine / (0.9 * shear));
}

double SheetSimulation::contactStep() const {
  constexpr double kPart = 0.1;  // of its radius that a ball may go on in a step when it touches the sheet
  double sheetSpeed = 0, limit = std::numeric_limits<double>::infinity();
  for (const Vec3& v : mMesh.v) sheetSpeed = std::max(sheetSpeed, v.norm());
  for (const SheetObstacle& o : mOptions.obstacles) {
    if (o.shape != SheetObstacle::Shape::Ball) continue;
    double gap = std::numeric_limits<double>::infinity();
    for (const Vec3& x : mMesh.x) gap = std::min(gap, (x - o.position).norm() - o.radius);
    const double speed = std::max(sheetSpeed + o.velocity.norm(), 1e-300);
    limit = std::min(limit, (std::max(gap, 0.0) + kPart * o.radius) / speed);
  }
  return limit;
}

int SheetSimulation::pinOf(const Vec3& rest) const {
  for (size_t i = 0; i < mOptions.pins.size(); ++i) {
    const SheetPin& pin = mOptions.pins[i];
    if (((rest - pin.centre).cwiseAbs() - pin.half).maxCoeff() <= 0) return static_cast<int>(i);
  }
  return -1;
}

void SheetSimulation::holdPins(double time) {
  mLoads.held.assign(mMesh.vertexCount(), 0);
  mLoads.clamped.assign(mMesh.edgeCount(), 0);
  mLoads.springs.clear();
  std::vector<int> pins(mMesh.vertexCount(), -1);
  std::vector<Vec3> x = mMesh.x;
  bool any = false;
  std::vector<double> held(mOptions.pins.size(), 0.0);  // vertices of each pin
  for (const Vec3& p : mMesh.rest)
    if (const int pin = pinOf(p); pin >= 0) held[static_cast<size_t>(pin)] += 1;
  for (size_t p = 0; p < mMesh.vertexCount(); ++p) {
    const int pin = pinOf(mMesh.rest[p]);
    const bool painted = pin < 0 && mOptions.pinned && mOptions.pinned(mMesh.rest[p]);
    if (painted) {
      mLoads.held[p] = 1;
      x[p] = mMesh.rest[p];
      any = true;
    }
    if (pin < 0 || time > mOptions.pins[static_cast<size_t>(pin)].release) continue;
    const SheetPin& hold = mOptions.pins[static_cast<size_t>(pin)];
    const SheetKey key = keyAt(hold.keys, time);
    const Vec3 place = hold.centre + key.move + rotation(key.turn) * (mMesh.rest[p] - hold.centre);
    if (hold.stiffness > 0) {
      mLoads.springs.push_back(
          {static_cast<int32_t>(p), -1, hold.stiffness / held[static_cast<size_t>(pin)], place});
      continue;
    }
    x[p] = place;
    mLoads.held[p] = 1;
    if (hold.clamp) pins[p] = pin;
    any = true;
  }
  if (!any) return;
  moveSheet(mMesh, x);
  for (int32_t f = 0; f < static_cast<int32_t>(mMesh.faceCount()); ++f)
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t a = mMesh.faces[f][(k + 1) % 3], b = mMesh.faces[f][(k + 2) % 3];
      if (pins[a] < 0 || pins[a] != pins[b]) continue;
      const SheetPin& hold = mOptions.pins[static_cast<size_t>(pins[a])];
      Vec3 n = mMesh.restNormal(f);
      if (const int32_t other = mMesh.across[f][k]; other >= 0) n += mMesh.restNormal(other / 3);
      const Vec3 e = (mMesh.x[b] - mMesh.x[a]).normalized();
      n = rotation(keyAt(hold.keys, time).turn) * n;
      mMesh.director[mMesh.edges[f][k]] = (n - e.dot(n) * e).normalized();
      mLoads.clamped[mMesh.edges[f][k]] = 1;
    }
}

/// Springs between the sides of cracks, each for the length of crack at its vertex; those that are too long
/// are gone.
void SheetSimulation::bridgeCracks() {
  if (!(mOptions.interlayer > 0)) return;
  std::vector<double> length(mMesh.vertexCount(), 0.0);
  for (size_t f = 0; f < mMesh.faceCount(); ++f)
    for (int k = 0; k < 3; ++k) {
      if (mMesh.kind[mMesh.edges[f][k]] != SheetEdgeKind::Crack) continue;
      const int32_t a = mMesh.faces[f][(k + 1) % 3], b = mMesh.faces[f][(k + 2) % 3];
      const double half = 0.5 * (mMesh.rest[a] - mMesh.rest[b]).norm();
      length[a] += half;
      length[b] += half;
    }
  size_t kept = 0;
  for (const Edge& pair : mMesh.twins) {
    const double open = (mMesh.xBefore[pair[0]] - mMesh.xBefore[pair[1]]).norm();
    if (open > mOptions.interlayerTear) continue;
    mMesh.twins[kept++] = pair;
    const double share = std::min(length[pair[0]], length[pair[1]]);
    mLoads.springs.push_back({pair[0], pair[1], mOptions.interlayer * share, Vec3::Zero()});
  }
  if (kept != mMesh.twins.size()) {
    mMesh.twins.resize(kept);
    mSystem.topologyChanged();
  }
}

/// README eq. (8): variable-step BDF2; the first step is backward Euler.
void SheetSimulation::beginStep(double dt, Context& context) {
  mDt = dt;
  mFirstSolve = true;
  double a1 = 1, a2 = 0;
  mA0 = 1;
  if (mDtBefore > 0 && !mOptions.quasistatic) {
    const double w = std::min(dt / mDtBefore, 2.0);  // stable below 1 + sqrt(2)
    mA0 = (1 + 2 * w) / (1 + w);
    a1 = 1 + w;
    a2 = w * w / (1 + w);
  }
  // Damping counts from here.
  const std::vector<ShellStrain> strains = mSystem.strains(mMesh, context);
  if (mOptions.material.damping > 0) {
    const std::vector<ShellFace>& faces = mSystem.elements(mMesh, context);
    for (size_t f = 0; f < mMesh.faceCount(); ++f) {
      const auto tensor = [&](const Sym2& a) {
        return Mat3(faces[f].frame * fromSym2(a) * faces[f].frame.transpose());
      };
      mMesh.history[f].strainBefore = tensor(strains[f].membrane);
      mMesh.history[f].curvatureBefore = tensor(strains[f].curvature);
    }
    mSystem.elementsChanged();
  }
  std::vector<Vec3> guess(mMesh.vertexCount());
  for (size_t p = 0; p < mMesh.vertexCount(); ++p) {
    mMesh.coast[p] = (a1 * mMesh.x[p] - a2 * mMesh.xBefore[p]) / mA0;
    mMesh.inertial[p] = mMesh.coast[p] + dt / (mA0 * mA0) * (a1 * mMesh.v[p] - a2 * mMesh.vBefore[p]);
    guess[p] = mMesh.x[p] + dt * mMesh.v[p];
  }
  mMesh.xBefore = mMesh.x;
  mMesh.vBefore = mMesh.v;
  for (SheetObstacle& o : mOptions.obstacles) o.position += dt * o.velocity;
  moveSheet(mMesh, guess);
}

bool SheetSimulation::solve(Context& context, SheetStepReport& report) {
  mLoads.gravity = mOptions.gravity;
  mLoads.pressure = mOptions.pressure;
  mLoads.obstacles = mOptions.obstacles;
  mLoads.contact = mOptions.contact;
  const std::vector<Vec3> from = mFirstSolve ? mMesh.xBefore : mMesh.x;  // nothing crosses there
  holdPins(mTime + mDt);
  bridgeCracks();
  // Vertices that an obstacle has moved onto start just outside of it.
  if (!mLoads.obstacles.empty()) {
    std::vector<Vec3> x = mMesh.x;
    std::vector<double> half(mMesh.vertexCount(), 0.0);
    for (size_t f = 0; f < mMesh.faceCount(); ++f)
      for (const int32_t p : mMesh.faces[f]) half[p] = std::max(half[p], 0.5 * mMesh.history[f].thickness);
    for (size_t p = 0; p < x.size(); ++p) {
      if (mLoads.held[p]) continue;
      for (const SheetObstacle& o : mLoads.obstacles) {
        if (o.shape == SheetObstacle::Shape::Mesh) continue;
        Vec3 away;
        const double room = half[p] + 0.1 * mLoads.contact.reach;
        const double d = obstacleDistance(o, x[p], 2 * room, away);
        if (d < room) x[p] += (room - d) * away;
      }
    }
    moveSheet(mMesh, x);
  }
  ShellSolveOptions options;
  options.tolerance =
      1e-3 * mOptions.fine * std::min(1e-2, std::max(mOptions.strength, 1.0) / mOptions.material.young);
  options.energyTolerance = 1e-6;
  if (!mOptions.quasistatic) options.patience = 3;
  if (const bool meets = mOptions.selfContact || anyMesh(mOptions.obstacles); meets)
    return solveInContact(from, options, context, report);
  mLast = mSystem.solve(mMesh, mLoads, mA0 * mA0 / (mDt * mDt), mDt, options, context);
  tally(mLast, report);
  return mLast.converged;
}

void SheetSimulation::tally(const ShellSolveResult& result, SheetStepReport& report) {
  ++report.solves;
  report.iterations += result.iterations;
  report.factorisations += result.factorisations;
}

/// From positions where nothing crosses to where pins and obstacles want to be (mesh.x, obstacles), as far as
/// there is room, then to equilibrium, and on.
bool SheetSimulation::solveInContact(const std::vector<Vec3>& from, const ShellSolveOptions& options,
                                     Context& context, SheetStepReport& report) {
  constexpr int kPasses = 40;
  SheetContact& contact = mSystem.contact();
  std::vector<SheetObstacle> start = mOptions.obstacles;
  if (mFirstSolve)
    for (SheetObstacle& o : start) o.position -= mDt * o.velocity;
  contact.begin(mMesh, mSystem.halfThickness(mMesh, context), start, mOptions.contact, mOptions.selfContact,
                mMesh.parted);
  std::vector<Vec3> shift, began = contact.obstaclePoints();
  for (const SheetObstacle& o : mOptions.obstacles)
    if (o.shape == SheetObstacle::Shape::Mesh) shift.insert(shift.end(), o.points.size(), mDt * o.velocity);
  for (size_t p = 0; p < began.size() && !mFirstSolve; ++p) began[p] -= shift[p];
  contact.stepBeganAt(began);
  if (!mFirstSolve) std::fill(shift.begin(), shift.end(), Vec3::Zero());
  mFirstSolve = false;

  const std::vector<Vec3> target = mMesh.x;
  moveSheet(mMesh, from);
  const auto go = [&](bool all) {
    std::vector<Vec3> move(from.size(), Vec3::Zero());
    for (size_t p = 0; p < move.size(); ++p)
      if (all || mLoads.held[p]) move[p] = target[p] - mMesh.x[p];
    contact.collect(mMesh.x, move, shift, context);
    const double part = contact.freeMove(mMesh.x, move, shift);
    if (all && part < 1) return part;  // rather only what must move
    std::vector<Vec3> x = mMesh.x, points = contact.obstaclePoints();
    for (size_t p = 0; p < x.size(); ++p) x[p] += part * move[p];
    for (size_t p = 0; p < points.size(); ++p) points[p] += part * shift[p];
    for (Vec3& s : shift) s *= 1 - part;
    moveSheet(mMesh, x);
    contact.moveObstacles(points);
    return part;
  };
  bool arrived = go(true) >= 1;
  for (int pass = 0; pass < kPasses; ++pass) {
    if (!arrived) arrived = go(false) >= 1;
    mLast = mSystem.solve(mMesh, mLoads, mA0 * mA0 / (mDt * mDt), mDt, options, context);
    tally(mLast, report);
    if (arrived || !mLast.converged) break;
  }
  return arrived && mLast.converged;
}

/// The two sides of a crack may not pass through each other once they have been apart.
void SheetSimulation::noteParted() {
  if (!mOptions.selfContact) return;
  for (const Edge& pair : mMesh.twins) {
    const double thickness = mMesh.history[cornerAt(mMesh, pair[0]) / 3].thickness;
    if ((mMesh.x[pair[0]] - mMesh.x[pair[1]]).norm() < 2 * (thickness + mOptions.contact.reach)) continue;
    mMesh.parted[pair[0]] = mMesh.parted[pair[1]] = 1;
  }
}

struct SheetSimulation::Backup {
  SheetMesh mesh;
  std::vector<SheetObstacle> obstacles;
  std::vector<SheetTip> tips;
};

SheetStepReport SheetSimulation::step(double until, Context& context) {
  SheetStepReport report;
  context.checkCancel();
  const Backup backup{mMesh, mOptions.obstacles, mTips};
  const double ratioBefore = mStressRatio;
  const double contact = contactStep();
  if (contact < mNextStep && !mToldOfContact) {
    mToldOfContact = true;
    context.warn(fmt::format(
        "an obstacle is too fast for the step of {:.3g} s: steps are reduced while it is near the sheet, now to "
        "{:.3g} s",
        mNextStep, contact));
  }
  double dt = std::min({mNextStep, contact, until - mTime});
  dt = (until - mTime) / std::ceil((until - mTime) / dt - 1e-9);
  for (;;) {
    beginStep(dt, context);
    const bool converged = solve(context, report);
    const bool shortest = dt <= 1.001 * shortestStep() * (converged ? 1.0 : 1e-3);
    const std::vector<double> stress = surfaceStress(mSystem.strains(mMesh, context), nullptr, context);
    mStressRatio = stress.empty() ? 0 : *std::max_element(stress.begin(), stress.end());
    // A stress that jumps past the strength would give birth to cracks late, all at once and too far apart.
    const bool jump =
        mOptions.births && mTips.empty() && mStressRatio > 1.1 && mStressRatio - ratioBefore > 0.3;
    if ((converged && !jump) || shortest) {
      if (!converged) context.warn("a time step did not converge: motion there may be off; lower the step");
      break;
    }
    mMesh = backup.mesh;
    mOptions.obstacles = backup.obstacles;
    mTips = backup.tips;
    mSystem.topologyChanged();
    dt *= 0.25;
    ++mRejections;
    report.rejected = true;
  }
  report.dt = dt;
  crackStep(context, report);
  endStep(context);
  // Long steps while all is quiet, short ones while cracks run.
  const bool running = report.increments > 4 || report.births > 0;
  mQuiet = running || report.rejected ? 0 : mQuiet + 1;
  if (running)
    mNextStep = std::max(shortestStep(), 0.25 * dt);
  else
    mNextStep = mQuiet > 8 ? std::min(mOptions.step, 1.5 * dt) : dt;
  if (mQuiet > 8 && mNextStep > dt) mQuiet = 4;
  return report;
}

void SheetSimulation::endStep(Context& context) {
  for (size_t p = 0; p < mMesh.vertexCount(); ++p) mMesh.v[p] = mA0 / mDt * (mMesh.x[p] - mMesh.coast[p]);
  if (mOptions.quasistatic) std::fill(mMesh.v.begin(), mMesh.v.end(), Vec3::Zero());
  for (size_t o = 0; o < mOptions.obstacles.size(); ++o) {
    SheetObstacle& striker = mOptions.obstacles[o];
    if (striker.mass > 0 && o < mLast.obstacleForce.size())
      striker.velocity += mDt * (mLast.obstacleForce[o] / striker.mass + mOptions.gravity);
  }
  noteParted();
  accountEnergy(mDt, mLast);
  mTime += mDt;
  mDtBefore = mDt;
  ++mSteps;
  const std::vector<ShellStrain> strains = mSystem.strains(mMesh, context);
  const double work = flowPlastically(mMesh, mSystem.elements(mMesh, context), strains, mOptions.material);
  mEnergy.plastic += work;
  if (work > 0) mSystem.elementsChanged();
  adapt(mSystem.strains(mMesh, context), context, false);
}

void SheetSimulation::accountEnergy(double dt, const ShellSolveResult& result) {
  const std::vector<double> mass = mMesh.masses(mOptions.material.density);
  mEnergy.kinetic = mEnergy.weight = mEnergy.strikers = 0;
  for (size_t p = 0; p < mMesh.vertexCount(); ++p) {
    mEnergy.kinetic += 0.5 * mass[p] * mMesh.v[p].squaredNorm();
    mEnergy.weight -= mass[p] * mOptions.gravity.dot(mMesh.x[p]);
  }
  for (const SheetObstacle& o : mOptions.obstacles)
    mEnergy.strikers += 0.5 * o.mass * o.velocity.squaredNorm();
  mEnergy.elastic = result.elastic;
  if (!(dt > 0)) return;
  mEnergy.damped += result.damped;
  mPinForces.assign(mOptions.pins.size(), Vec3::Zero());
  for (size_t p = 0; p < result.reaction.size() && p < mMesh.vertexCount(); ++p) {
    mEnergy.pins += result.reaction[p].dot(mMesh.x[p] - mMesh.xBefore[p]);
    const int pin = mLoads.held[p] ? pinOf(mMesh.rest[p]) : -1;
    if (pin >= 0) mPinForces[static_cast<size_t>(pin)] += result.reaction[p];
  }
}

void SheetSimulation::advance(double until, Context& context) {
  while (mTime < until * (1 - 1e-12) - 1e-15) step(until, context);
}

std::vector<double> SheetSimulation::sizes(const std::vector<ShellStrain>& strains, Context& context) {
  const std::vector<ShellFace>& faces = mSystem.elements(mMesh, context);
  const double grading = SheetRemeshOptions().grading;
  std::vector<double> size(mMesh.vertexCount(), mOptions.coarse);
  for (size_t f = 0; f < mMesh.faceCount(); ++f) {
    // Bent faces: the angle to their neighbours stays small. Folds that the rest shape has anyway are not
    // resolved beyond the mesh that was given, whose edges would stay sharp.
    const Mat3& flowed = mMesh.history[f].curvature;
    const Sym2 plastic = toSym2(faces[f].frame.transpose() * flowed * faces[f].frame);
    const double bent = (strains[f].curvature + plastic).norm();
    const double rest = (faces[f].curvature0 - plastic).norm();
    const double limit = std::max(
        mOptions.fine, std::min(mOptions.refineAngle / std::max(bent, 1e-12),
                                std::max(mRestDetail, mOptions.refineAngle / std::max(rest, 1e-12))));
    for (const int32_t p : mMesh.faces[f]) size[p] = std::min(size[p], limit);
  }
  if (mOptions.births) {
    const std::vector<double> ratio = surfaceStress(strains, nullptr, context);
    for (size_t p = 0; p < size.size(); ++p)
      if (ratio[p] > 0.5) size[p] = std::min(size[p], std::max(mOptions.fine, mOptions.fine / ratio[p]));
  }
  for (const SheetObstacle& o : mOptions.obstacles) {
    if (o.shape != SheetObstacle::Shape::Ball) continue;
    const double limit = std::max(mOptions.fine, 0.25 * o.radius);
    for (size_t p = 0; p < size.size(); ++p) {
      const double away = std::max(0.0, (mMesh.x[p] - o.position).norm() - 1.5 * o.radius);
      size[p] = std::min(size[p], limit + grading * away);
    }
  }
  // Pins: several vertices in each, whatever its shape (a box that is thin in one direction is meant to hold
  // a line).
  for (const SheetPin& pin : mOptions.pins) {
    std::array<double, 3> extent{pin.half.x(), pin.half.y(), pin.half.z()};
    std::sort(extent.begin(), extent.end());
    const double limit = std::max(0.6 * extent[1], 0.5 * mOptions.fine);
    if (limit >= mOptions.coarse) continue;
    for (size_t p = 0; p < size.size(); ++p) {
      const double away = ((mMesh.rest[p] - pin.centre).cwiseAbs() - pin.half).cwiseMax(0.0).norm();
      size[p] = std::min(size[p], limit + grading * away);
    }
  }
  const double zone = 6 * mOptions.fine;
  for (const SheetTip& tip : mTips) {
    if (!tip.active || tip.vertex < 0) continue;
    for (size_t p = 0; p < size.size(); ++p)
      if ((mMesh.rest[p] - mMesh.rest[tip.vertex]).norm() < zone) size[p] = mOptions.fine;
  }
  gradeSizes(mMesh, grading, size);
  return size;
}

void SheetSimulation::adapt(const std::vector<ShellStrain>& first, Context& context, bool smooth) {
  std::vector<ShellStrain> strains = first;
  for (int round = 0; round < (smooth ? 6 : 1); ++round) {
    SheetRemeshOptions options;
    options.smooth = smooth;
    options.project = mOptions.project;
    std::vector<uint8_t> keep(mMesh.vertexCount(), 0);
    for (const SheetTip& tip : mTips)
      if (tip.vertex >= 0) keep[tip.vertex] = 1;
    if (!smooth && !mSystem.contact().empty()) {
      const std::vector<uint8_t> touched = mSystem.contact().touched(mMesh.x);
      for (size_t p = 0; p < keep.size(); ++p)
        if (touched[p]) keep[p] |= kTouched;
    }
    const SheetRemeshResult result = remesh(mMesh, sizes(strains, context), keep, options);
    if (!result.changed() && !smooth) return;
    if (result.changed()) remap(result.vertexMap);
    mSystem.topologyChanged();
    if (smooth) {
      // Nothing has happened yet: directors are those of the rest shape.
      std::vector<Triangle> faces = mMesh.faces;
      for (int32_t f = 0; f < static_cast<int32_t>(mMesh.faceCount()); ++f)
        for (int32_t k = 0; k < 3; ++k) {
          Vec3 n = mMesh.normal(f);
          if (const int32_t other = mMesh.across[f][k]; other >= 0) n += mMesh.normal(other / 3);
          const Vec3 e = (mMesh.x[faces[f][(k + 2) % 3]] - mMesh.x[faces[f][(k + 1) % 3]]).normalized();
          mMesh.director[mMesh.edges[f][k]] = (n - e.dot(n) * e).normalized();
        }
    }
    if (!result.changed()) return;
    strains = mSystem.strains(mMesh, context);
  }
}

void SheetSimulation::remap(const std::vector<int32_t>& vertexMap) {
  for (SheetTip& tip : mTips)
    if (tip.vertex >= 0) tip.vertex = vertexMap[tip.vertex];
}

std::vector<double> SheetSimulation::pieceAreas() const {
  UnionFind parts(mMesh.faceCount());
  for (size_t f = 0; f < mMesh.faceCount(); ++f)
    for (const int32_t other : mMesh.across[f])
      if (other >= 0) parts.unite(static_cast<int32_t>(f), other / 3);
  std::vector<double> ofRoot(mMesh.faceCount(), 0.0), areas;
  for (int32_t f = 0; f < static_cast<int32_t>(mMesh.faceCount()); ++f)
    ofRoot[parts.find(f)] += mMesh.restArea(f);
  for (const double area : ofRoot)
    if (area > 0) areas.push_back(area);
  return areas;
}

SheetFrame SheetSimulation::frame(Context& context) {
  SheetFrame frame;
  frame.time = mTime;
  frame.rest = mMesh.rest;
  frame.x = mMesh.x;
  frame.v = mMesh.v;
  frame.faces = mMesh.faces;
  const std::vector<ShellStrain> strains = mSystem.strains(mMesh, context);
  const ShellMaterial& m = mOptions.material;
  for (size_t f = 0; f < mMesh.faceCount(); ++f) {
    const SheetHistory& past = mMesh.history[f];
    frame.thickness.push_back(past.thickness);
    frame.plastic.push_back((past.stretch - Mat3::Identity()).norm() +
                            0.5 * past.thickness * past.curvature.norm());
    double largest = 0;
    for (const double side : {0.5, -0.5}) {
      const Sym2 s =
          m.young / (1 - m.poisson * m.poisson) *
          (planeStress(m.poisson) * (strains[f].membrane + side * past.thickness * strains[f].curvature));
      const double mean = 0.5 * (s[0] + s[1]);
      largest = std::max(largest, mean + std::sqrt(0.25 * (s[0] - s[1]) * (s[0] - s[1]) + 0.5 * s[2] * s[2]));
    }
    frame.stress.push_back(largest);
  }
  return frame;
}

}  // namespace hackle
