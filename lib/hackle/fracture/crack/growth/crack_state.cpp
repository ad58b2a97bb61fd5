#include <hackle/core/archive.h>
#include <hackle/fracture/crack/growth/crack_state.h>
#include <hackle/fracture/crack/growth/state_stream.h>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace hackle {

namespace {

constexpr const char* kKind = "crack";
constexpr uint32_t kVersion = 9;

[[noreturn]] void refuse(const std::string& what, const std::string& remedy) {
  throw Error(ErrorCode::BadInput, "the saved state of cracks " + what, remedy);
}

}  // namespace

/// Reads and writes what the classes of a run hold. Whoever adds a member to them adds it here.
struct CrackStateAccess {
  static void exchange(StateStream& s, FrontMarker& m) {
    s.all(m.position, m.inner, m.direction, m.path, m.state, m.valid.low, m.valid.high, m.normal, m.outward,
          m.forward, m.sliding, m.effective, m.before);
  }
  static void exchange(StateStream& s, FineFront& front) {
    s.value(front.mPerEdge);
    s.list(front.mMarkers, [&](FrontMarker& m) { exchange(s, m); });
  }
  static void exchange(StateStream& s, CrackSheet& sheet) {
    s.list(sheet.mFronts, [&](FineFront& front) { exchange(s, front); });
    s.all(sheet.mFrontNodes, sheet.mTimes, sheet.mArea, sheet.mLips, sheet.mInitial);
    s.list(sheet.mTraces, [&](FrontTrace& trace) { s.all(trace.path, trace.direction); });
    // The record is made again from its triangles.
    std::vector<std::array<Vec3, 3>> triangles;
    for (size_t t = 0; t < sheet.mBand.triangleCount(); ++t) triangles.push_back(sheet.mBand.triangle(t));
    s.value(triangles);
    if (!s.reading()) return;
    if (sheet.mInitial > triangles.size() || (triangles.size() - sheet.mInitial) % 2 != 0)
      refuse("has a record that does not fit together", "start the run anew");
    for (size_t t = 0; t < sheet.mInitial; ++t)
      sheet.mBand.add(triangles[t][0], triangles[t][1], triangles[t][2]);
    for (size_t t = sheet.mInitial; t < triangles.size(); t += 2)
      sheet.mBand.addQuad(triangles[t][0], triangles[t][1], triangles[t][2], triangles[t + 1][2]);
    sheet.mStrips.resize(sheet.mFronts.size());
  }
  static void exchange(StateStream& s, CrackGrowth& growth) {
    s.all(growth.points, growth.triangles, growth.opened, growth.onto);
  }
  static void exchange(StateStream& s, EstimatedCrack& crack) {
    s.list(crack.layers, [&](EstimatedLayer& layer) {
      s.all(layer.nodes, layer.jumps, layer.area, layer.advance, layer.travelled, layer.intensity,
            layer.growth);
    });
    s.all(crack.waiting, crack.calibration, crack.travelled, crack.amplitude, crack.stress, crack.intensity,
          crack.area, crack.radius, crack.hinge, crack.deepStress);
  }
  /// What it did, not how long it took: equal runs have equal states.
  static void exchange(StateStream& s, CrackStep& step) {
    s.all(step.elements, step.started, step.moved, step.frontLength, step.intensity, step.area, step.stress,
          step.fast, step.markers, step.recorded);
  }
  static void exchange(StateStream& s, CrackSolver::Ramp& ramp) {
    bool started = ramp.firstStart.has_value();
    double first = ramp.firstStart.value_or(0);
    s.all(ramp.begun, ramp.factor, ramp.traction, ramp.closed, ramp.started, ramp.parts, ramp.longest,
          ramp.stepped, started, first, ramp.firstPlace, ramp.firstRadius, ramp.firstThickness, ramp.breaks);
    ramp.firstStart = started ? std::optional<double>(first) : std::nullopt;
  }
  static void exchange(StateStream& s, CrackSolver& solver) {
    size_t cracks = solver.mCracks.size();
    s.value(cracks);
    for (size_t c = 0; c < cracks; ++c) {
      if (s.reading())
        solver.mCracks.push_back(std::unique_ptr<CrackSheet>(new CrackSheet(solver.mOptions.fine)));
      exchange(s, *solver.mCracks[c]);
    }
    s.all(solver.mStarted, solver.mBranched[0], solver.mBranched[1], solver.mSelfStarted, solver.mTime,
          solver.mSolution.u, solver.mSolution.q, solver.mSolution.bodyNodes, solver.mSolution.removed.force,
          solver.mSolution.removed.torque, solver.mLoadBegin, solver.mHolds, solver.mNewLoad,
          solver.mGrowthsSolved);
    BodyForce force = solver.mSolution.carried ? solver.mSolution.carried->force() : BodyForce();
    s.all(force.centre, force.density, force.gradient);
    if (s.reading() && !force.isZero()) solver.mSolution.carried.emplace(force, solver.mSystem->material());
    exchange(s, solver.mRamp);
    s.value(solver.mPopIn);
    s.list(solver.mIntensities, [&](FrontNode& f) { s.all(f.node, f.outward, f.normal, f.tangent, f.k); });
    s.list(solver.mLog, [&](CrackStep& step) { exchange(s, step); });
    s.list(solver.mGrowths, [&](CrackGrowth& growth) { exchange(s, growth); });
    bool fast = solver.mFast != nullptr;
    s.value(fast);
    if (!fast) return;
    if (s.reading())
      solver.mFast =
          std::make_unique<FastCracks>(*solver.mSystem, solver.mBodyTree, solver.mMaterial.compressionRatio);
    s.list(solver.mFast->mCracks, [&](EstimatedCrack& crack) { exchange(s, crack); });
  }

  /// What a state belongs to, with names for messages.
  static void exchangeIdentity(StateStream& s, CrackIdentity& identity) {
    s.all(identity.surface, identity.body, identity.fixed, identity.load, identity.strength,
          identity.toughness, identity.initial, identity.coarse, identity.fine, identity.young,
          identity.poisson, identity.density);
  }
  static void check(const CrackIdentity& saved, const CrackIdentity& now) {
    const char* remedy = "resume with the input of the run that saved it, or start anew without it";
    if (saved.surface != now.surface) refuse("is of another surface", remedy);
    if (saved.fine != now.fine)
      refuse(fmt::format("has voxels of {} m, not {} m", saved.fine, now.fine),
             "resume with the same resolution");
    if (saved.coarse != now.coarse)
      refuse(fmt::format("has a coarse resolution of {} m, not {} m", saved.coarse, now.coarse),
             "resume with the same resolution");
    if (saved.body != now.body) refuse("is of another boundary element mesh", remedy);
    if (saved.fixed != now.fixed)
      refuse("holds the body at other places",
             "a later load may change values only, not where they are fixed");
    if (saved.young != now.young || saved.poisson != now.poisson || saved.density != now.density)
      refuse("is of another elastic material", remedy);
  }

  /// Into a solver that may be left half done.
  static void restore(CrackSolver& solver, StateStream& s, bool sameLoad, Eigen::VectorXd rhs,
                      Context& context) {
    exchange(s, solver);
    if (!s.atEnd()) refuse("has more in it than it should", "start the run anew");
    if (solver.mFast && solver.mOptions.method == CrackMethod::Full)
      refuse("was made by the fast method", "resume with the fast or the hybrid method");
    if (!sameLoad) solver.mRamp = {};
    if (solver.mRamp.begun) {
      // The load that was in force is a part of the given one.
      if (solver.mRamp.traction.size() != solver.mSystem->data().traction.size())
        refuse("has a load that does not fit", "start the run anew");
      solver.mSystem->setValues(loadAt(solver.mSystem->data(), solver.mRamp), context);
    }
    for (size_t i = 0; i < solver.mGrowths.size(); ++i) {
      if (i < solver.mGrowthsSolved)
        solver.mSystem->growCracks(solver.mGrowths[i], context);
      else if (solver.mFast)
        solver.mFast->replay(solver.mGrowths[i], i, context);
      else
        solver.mSystem->addSheets(solver.mGrowths[i]);
    }
    solver.mLoose = sameLoad && !solver.mFast && solver.mGrowthsSolved < solver.mGrowths.size();
    if (solver.mFast) solver.mFast->setOpenings();
    if (sameLoad) {
      solver.mSystem->setLoad(std::move(rhs));
      if (solver.mFast) solver.mFast->newLoad(context);
      return;
    }
    solver.mLoadBegin = solver.mLog.size();
    solver.mHolds = false;
    solver.mNewLoad = true;
  }

  static std::string save(const CrackSolver& constant) {
    // Streams read and write by one code; nothing is changed here.
    CrackSolver& solver = const_cast<CrackSolver&>(constant);
    StateStream identity, state, load;
    exchangeIdentity(identity, solver.mIdentity);
    exchange(state, solver);
    Eigen::VectorXd rhs = solver.mSystem->load();
    load.value(rhs);
    ArchiveWriter writer(kKind, kVersion);
    const auto add = [&](const char* name, const std::string& bytes) {
      writer.add(name, Span<const uint8_t>(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
    };
    add("identity", identity.bytes());
    add("state", state.bytes());
    add("load", load.bytes());
    return writer.finish();
  }

  static void resume(CrackSolver& solver, std::string_view bytes, Context& context) {
    if (!solver.mCracks.empty() || !solver.mLog.empty())
      throw Error(ErrorCode::Usage, "cracks are resumed in a solver that has some already",
                  "resume before adding initial cracks: they are in the saved state");
    const ArchiveReader reader(bytes, kKind, kVersion);
    const auto view = [](const std::vector<uint8_t>& v) {
      return std::string_view(reinterpret_cast<const char*>(v.data()), v.size());
    };
    const std::vector<uint8_t> identityBytes = reader.bytes("identity"), stateBytes = reader.bytes("state"),
                               loadBytes = reader.bytes("load");
    StateStream identity(view(identityBytes)), state(view(stateBytes)), load(view(loadBytes));
    CrackIdentity saved;
    exchangeIdentity(identity, saved);
    check(saved, solver.mIdentity);
    for (const auto& [before, now, name] :
         {std::tuple(saved.strength, solver.mIdentity.strength, "strength"),
          std::tuple(saved.toughness, solver.mIdentity.toughness, "toughness")})
      if (before != now)
        context.warn(
            fmt::format("the state is of a run with another {}; cracks go on with the present one", name));
    Eigen::VectorXd rhs;
    load.value(rhs);
    const BemSystem before = *solver.mSystem;
    try {
      restore(solver, state, saved.load == solver.mIdentity.load, std::move(rhs), context);
      solver.mIdentity.initial = saved.initial;
    } catch (...) {
      *solver.mSystem = before;
      solver.forget();
      throw;
    }
  }
};

std::string saveCrackState(const CrackSolver& solver) { return CrackStateAccess::save(solver); }

void resumeCracks(CrackSolver& solver, std::string_view state, Context& context) {
  const Context::Stage stage(context, "resume");
  CrackStateAccess::resume(solver, state, context);
}

bool isCrackState(std::string_view bytes) { return isArchive(bytes, kKind); }

}  // namespace hackle
