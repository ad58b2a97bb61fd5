#include <hackle/bem/evaluation.h>
#include <hackle/bem/mouth.h>
#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/branching.h>
#include <hackle/fracture/crack/growth/crack_solver.h>
#include <hackle/fracture/crack/growth/surface_mouth.h>
#include <hackle/mechanics/stress.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

TriangleBvh treeOf(const BemSurface& surface, Context& context) {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (size_t i = 0; i < surface.nodeCount(); ++i) points.push_back(surface.point(i));
  for (size_t t = 0; t < surface.triangleCount(); ++t) triangles.push_back(surface.triangle(t));
  return TriangleBvh(points, triangles, context);
}

/// Of the triangles from `begin` on.
TriangleBvh treeOf(const SheetBand& band, size_t begin, Context& context) {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (size_t t = begin; t < band.triangleCount(); ++t) {
    const int32_t first = static_cast<int32_t>(points.size());
    for (const Vec3& p : band.triangle(t)) points.push_back(p);
    triangles.push_back({first, first + 1, first + 2});
  }
  return TriangleBvh(points, triangles, context);
}

const CrackOptions& checked(const CrackOptions& options) {
  if (!(options.fine > 0) || !(options.fine <= options.coarse) || !std::isfinite(options.coarse))
    throw Error(ErrorCode::Usage,
                fmt::format("a fine resolution of {} m does not fit to a coarse one of {} m", options.fine,
                            options.coarse),
                "give a fine resolution above 0 that is at most the coarse one");
  return options;
}

template <class T>
uint64_t hashOf(Span<const T> values, uint64_t seed) {
  return checksum64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)}, seed);
}

uint64_t loadHash(const BoundaryData& data) {
  const BodyForce& force = data.force;
  const std::array<Vec3, 5> body = {force.centre, force.density, force.gradient.col(0), force.gradient.col(1),
                                    force.gradient.col(2)};
  const uint64_t seed = force.isZero() ? 0 : hashOf<Vec3>({body.data(), body.size()}, 0);
  return hashOf<Vec3>(data.traction, hashOf<Vec3>(data.displacement, seed));
}

CrackIdentity identityOf(const TriangleMesh& surface, const BemSurface& body, const BoundaryData& data,
                         const CrackMaterial& material, const CrackOptions& options) {
  CrackIdentity id;
  id.surface = hashOf<Triangle>(surface.triangles, hashOf<Vec3>(surface.points, 0));
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (size_t i = 0; i < body.nodeCount(); ++i) points.push_back(body.point(i));
  for (size_t t = 0; t < body.triangleCount(); ++t) triangles.push_back(body.triangle(t));
  id.body = hashOf<Triangle>(triangles, hashOf<Vec3>(points, 0));
  id.fixed = hashOf<std::array<uint8_t, 3>>(data.fixed, 0);
  id.load = loadHash(data);
  std::vector<double> strength, toughness;
  for (size_t t = 0; t < body.triangleCount(); ++t) {
    strength.push_back(material.strength.at(body.centroid(t)));
    toughness.push_back(material.toughness.at(body.centroid(t)));
  }
  id.strength = hashOf<double>(strength, 0);
  id.toughness = hashOf<double>(toughness, 0);
  id.coarse = options.coarse;
  id.fine = options.fine;
  id.young = material.elastic.young;
  id.poisson = material.elastic.poisson;
  id.density = material.elastic.density;
  return id;
}

std::unique_ptr<BemSystem> assembled(BemSurface body, BoundaryData data, const ElasticMaterial& elastic,
                                     const CrackOptions& options, Context& context) {
  const Context::Stage stage(context, "assemble", 0.1);
  BemSystemOptions systemOptions;
  systemOptions.quadrature = options.quadrature;
  return std::make_unique<BemSystem>(std::move(body), elastic, std::move(data), systemOptions, context);
}

}  // namespace

CrackSolver::CrackSolver(const TriangleMesh& surface, BemSurface body, BoundaryData data,
                         CrackMaterial material, const CrackOptions& options, Context& context)
    : CrackSolver(surface,
                  assembled(std::move(body), std::move(data), material.elastic, checked(options), context),
                  material, options, context) {}

CrackSolver::CrackSolver(const TriangleMesh& surface, std::unique_ptr<BemSystem> system,
                         CrackMaterial material, const CrackOptions& options, Context& context)
    : mSurfaceTree(surface, context),
      mMaterial(std::move(material)),
      mOptions(checked(options)),
      mSubSteps(static_cast<size_t>(std::ceil(options.coarse / options.fine - 1e-9))),
      mPerEdge(std::max<size_t>(2, mSubSteps)),
      mRayleigh(rayleighWaveSpeed(mMaterial.elastic)),
      mSystem(std::move(system)),
      mBodyTree(treeOf(mSystem->body(), context)),
      mStarted(mSystem->body().triangleCount(), 0),
      mIdentity(identityOf(surface, mSystem->body(), mSystem->data(), mMaterial, options)) {}

void CrackSolver::addCrack(std::vector<Vec3> points, std::vector<Triangle> triangles, Context& context) {
  mIdentity.initial = addedCrack(mIdentity.initial, points, triangles);
  const size_t first = mSystem->surface().nodeCount();
  const CrackGrowth growth = crackWithMouth(mSystem->surface(), mSystem->body().triangleCount(),
                                            std::move(points), std::move(triangles));
  mCracks.push_back(std::make_unique<CrackSheet>(growth, first, mPerEdge, worldOf(mCracks.size())));
  grow(growth, context);
}

void CrackSolver::startCrack(std::vector<Vec3> points, std::vector<Triangle> triangles, int popIn,
                             Context& context) {
  const size_t first = mSystem->surface().nodeCount();
  const CrackGrowth growth = crackWithMouth(mSystem->surface(), mSystem->body().triangleCount(),
                                            std::move(points), std::move(triangles));
  mCracks.push_back(std::make_unique<CrackSheet>(growth, first, mPerEdge, worldOf(mCracks.size())));
  mPopIn.resize(mCracks.size(), 0);
  mPopIn.back() = popIn;
  grow(growth, context);
  ++mSelfStarted;
  mHolds = false;
}

double CrackSolver::clearance(const Vec3& place, const Vec3& normal) const {
  constexpr int kRays = 24;
  if (!insideSurface(mSurfaceTree, place) || !insideSurface(mBodyTree, place)) return 0;
  const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kRays; ++k) {
    const double a = 2 * 3.14159265358979323846 * k / kRays;
    const Vec3 ray = std::cos(a) * u + std::sin(a) * v;
    for (const TriangleBvh* tree : {&mSurfaceTree, &mBodyTree})
      if (const auto hit = tree->firstHit({place, ray})) least = std::min(least, hit->t);
  }
  return least;
}

void CrackSolver::solveNow(Context& context) {
  const Context::Stage stage(context, "solve");
  mSolution = mSystem->solve(context);
  findIntensities(false, context);
  setFrames();
}

double CrackSolver::frontFactor() const {
  double factor = std::numeric_limits<double>::infinity();
  for (const auto& crack : mCracks)
    for (const FineFront& front : crack->fronts())
      for (const FrontMarker& m : front.markers())
        if (m.state == MarkerState::Active && m.effective > 0)
          factor = std::min(factor, mMaterial.toughness.at(m.position) / m.effective);
  return factor;
}

void CrackSolver::stopFronts(const std::function<bool(const Vec3&)>& where) {
  for (const auto& crack : mCracks) crack->stop(where);
}

size_t CrackSolver::stepsLeft() const {
  const size_t steps = static_cast<size_t>(std::max(mOptions.steps, 0)), done = mLog.size() - mLoadBegin;
  return steps > done ? steps - done : 0;
}

uint64_t CrackSolver::addedCrack(uint64_t before, Span<const Vec3> points, Span<const Triangle> triangles) {
  return hashOf<Triangle>(triangles, hashOf<Vec3>(points, before));
}

FrontWorld CrackSolver::worldOf(size_t crack) const {
  FrontWorld world;
  world.body = &mSurfaceTree;
  world.toughness = &mMaterial.toughness;
  world.rayleighSpeed = mRayleigh;
  world.poisson = mMaterial.elastic.poisson;
  world.compressionRatio = mMaterial.compressionRatio;
  world.fine = mOptions.fine;
  world.coarse = mOptions.coarse;
  for (size_t c = 0; c < mCracks.size(); ++c)
    (c == crack ? world.own : world.others.emplace_back()) = &mCracks[c]->band();
  world.capture = mOptions.capture;
  for (size_t c = 0; c < mTrees.size(); ++c)
    if (c != crack) world.otherTrees.push_back(&mTrees[c]);
  if (crack < mCracks.size()) world.traces = &mCracks[crack]->traces();
  return world;
}

CoarseWorld CrackSolver::coarseWorld() const { return {&mBodyTree, &mSystem->surface(), mOptions.coarse}; }

double CrackSolver::activeLength() const {
  double length = 0;
  for (const auto& crack : mCracks)
    for (const FineFront& front : crack->fronts()) {
      const std::vector<FrontMarker>& markers = front.markers();
      for (size_t i = 0; i < markers.size(); ++i)
        if (markers[i].state == MarkerState::Active)
          length += (markers[(i + 1) % markers.size()].inner - markers[i].inner).norm();
    }
  return length;
}

/// Pa m^(1/2), greatest at markers that can still move.
double CrackSolver::drivenIntensity() const {
  double most = 0;
  for (const auto& crack : mCracks)
    for (const FineFront& front : crack->fronts())
      for (const FrontMarker& marker : front.markers())
        if (marker.state == MarkerState::Active) most = std::max(most, marker.effective);
  return most;
}

/// Gives all fronts their intensities.
std::vector<FrontWorld> CrackSolver::setFrames() {
  std::vector<FrontFrame> frames(mSystem->surface().nodeCount());
  for (const FrontNode& node : mIntensities) frames[node.node] = {node.normal, node.outward, node.k};
  mPopIn.resize(mCracks.size(), 0);
  for (size_t c = 0; c < mCracks.size(); ++c) {
    if (mPopIn[c] <= 0) continue;
    // A new crack runs whatever its intensity.
    constexpr double kDriven = 1.3;
    double most = 0;
    const auto forNodes = [&](const auto& visit) {
      for (size_t l = 0; l < mCracks[c]->fronts().size(); ++l)
        for (const int32_t n : mCracks[c]->frontNodes(l)) visit(n);
    };
    forNodes([&](int32_t n) {
      const double k = effectiveIntensity(frames[n].k, mMaterial.elastic.poisson);
      most = std::max(most, k / mMaterial.toughness.at(mSystem->surface().point(static_cast<size_t>(n))));
    });
    if (!(most > 0) || most >= kDriven) continue;
    std::vector<int32_t> nodes;
    forNodes([&](int32_t n) { nodes.push_back(n); });
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    for (const int32_t n : nodes) frames[n].k *= kDriven / most;
  }
  std::vector<FrontWorld> worlds;
  for (size_t c = 0; c < mCracks.size(); ++c) {
    worlds.push_back(worldOf(c));
    mCracks[c]->setFrames(frames, worlds.back());
  }
  return worlds;
}

/// By how much the fastest place of a front is slower than a Rayleigh wave.
double CrackSolver::paceOf() const {
  if (!mOptions.quasiStatic) return 1.0;
  double fastest = 0;
  for (const auto& crack : mCracks)
    for (const FineFront& front : crack->fronts())
      for (const FrontMarker& m : front.markers())
        if (m.state == MarkerState::Active)
          fastest = std::max(fastest, frontSpeed(m.effective, mMaterial.toughness.at(m.position), mRayleigh));
  return fastest > 0 ? mRayleigh / fastest : 1.0;
}

size_t CrackSolver::moveFronts(double& intensity, Context& context) {
  mTrees.clear();
  const bool capture = mOptions.capture > 0 && mCracks.size() > 1;
  if (capture)
    for (const auto& crack : mCracks) mTrees.push_back(treeOf(crack->band(), 0, context));
  std::vector<FrontWorld> worlds = setFrames();
  // What is recorded in this step has trees of its own: two fronts that come towards each other would not see
  // each other else.
  std::vector<size_t> before;
  std::vector<TriangleBvh> fresh;
  for (const auto& crack : mCracks) {
    before.push_back(crack->band().triangleCount());
    if (capture) fresh.push_back(treeOf(crack->band(), before.back(), context));
  }
  for (size_t c = 0; c < mCracks.size(); ++c)
    for (size_t other = 0; other < fresh.size(); ++other)
      if (other != c) worlds[c].otherTrees.push_back(&fresh[other]);
  for (int32_t& steps : mPopIn) steps = std::max(steps - 1, 0);
  intensity = drivenIntensity();
  const double pace = paceOf(), dt = pace * mOptions.fine / mRayleigh;
  for (FrontWorld& world : worlds) world.pace = pace;
  size_t moved = 0;
  for (size_t s = 0; s < mSubSteps; ++s) {
    const double weight = mSubSteps > 1 ? static_cast<double>(s) / static_cast<double>(mSubSteps - 1) : 1.0;
    if (s > 0)
      for (size_t c = 0; c < fresh.size(); ++c) fresh[c] = treeOf(mCracks[c]->band(), before[c], context);
    size_t now = 0;
    for (size_t c = 0; c < mCracks.size(); ++c)
      now += mCracks[c]->subStep(weight, mTime, mTime + dt, worlds[c], context);
    for (const auto& crack : mCracks) crack->record();
    mTime += dt;
    moved += now;
    if (now == 0) break;
    context.checkCancel();
  }
  return moved;
}

void CrackSolver::openMouths(CrackGrowth& growth) {
  const std::vector<int32_t> opened = mFast ? mFast->openedNodes() : mSystem->openedNodes();
  SurfaceMouths mouths(*mSystem, mBodyTree, mOptions.coarse, opened, mCracks, growth);
  for (size_t c = 0; c < mCracks.size(); ++c)
    mouths.open(*mCracks[c], static_cast<int32_t>(c), growth, mSystem->surface().nodeCount());
}

size_t CrackSolver::startCracks(CrackGrowth& growth, CrackStep& report, Context& context) {
  const std::vector<Mat3> stress = bodyStresses(*mSystem, mSolution);
  for (size_t t = 0; t < stress.size(); ++t) {
    const PrincipalStress principal = principalStress(stress[t]);
    const double strength = mMaterial.strength.at(mSystem->body().centroid(t));
    report.stress = std::max({report.stress, principal.values[0] / strength,
                              -principal.values[2] / (mMaterial.compressionRatio * strength)});
  }
  std::vector<Vec3> fronts;
  for (const auto& crack : mCracks)
    for (const FineFront& front : crack->fronts())
      for (const FrontMarker& marker : front.markers()) fronts.push_back(marker.inner);
  const size_t onSurface =
      mOptions.quasiStatic ? 0 : startOn(mSystem->body(), stress, fronts, mStarted, growth);
  if (!mOptions.branching || mFast) return onSurface;
  return onSurface + branch(fronts, growth, context);
}

/// Starts cracks where the stress of a surface exceeds the strength.
size_t CrackSolver::startOn(const BemSurface& surface, Span<const Mat3> stress, Span<const Vec3> fronts,
                            std::vector<uint8_t>& started, CrackGrowth& growth) {
  InitiationOptions options;
  options.compressionRatio = mMaterial.compressionRatio;
  options.coarse = mOptions.coarse;
  options.limit = mOptions.cracks - std::min(mOptions.cracks, mSelfStarted);
  const std::vector<CrackSeed> seeds =
      findCrackSeeds(surface, mBodyTree, stress, mMaterial.strength, started, fronts, options);
  const size_t first = mSystem->surface().nodeCount();
  size_t count = 0;
  for (const CrackSeed& seed : seeds) {
    started[seed.triangle] = 1;
    const bool tooSmall = seed.radius < 0.5 * std::min(mOptions.fine, kSeedRadius * mOptions.coarse);
    if (tooSmall || !insideSurface(mSurfaceTree, seed.centre) || !insideSurface(mBodyTree, seed.centre))
      continue;
    const size_t firstNode = first + growth.points.size();
    const CrackGrowth hexagon = hexagonCrack(seed.centre, seed.normal, seed.radius, firstNode);
    mCracks.push_back(std::make_unique<CrackSheet>(hexagon, firstNode, mPerEdge, worldOf(mCracks.size())));
    growth.points.insert(growth.points.end(), hexagon.points.begin(), hexagon.points.end());
    growth.triangles.insert(growth.triangles.end(), hexagon.triangles.begin(), hexagon.triangles.end());
    growth.opened.insert(growth.opened.end(), hexagon.opened.begin(), hexagon.opened.end());
    ++count;
  }
  mSelfStarted += count;
  return count;
}

/// Starts cracks on either face of those that there are.
size_t CrackSolver::branch(Span<const Vec3> fronts, CrackGrowth& growth, Context& context) {
  if (mSelfStarted >= mOptions.cracks) return 0;
  const std::array<CrackFaces, 2> faces = crackFaces(*mSystem, mSolution, context);
  size_t count = 0;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const CrackFaces& face = faces[side];
    mBranched[side].resize(mSystem->surface().triangleCount() - mSystem->body().triangleCount(), 0);
    std::vector<uint8_t> started(face.triangles.size());
    const auto flag = [&](size_t i) -> uint8_t& {
      return mBranched[side][static_cast<size_t>(face.triangles[i]) - mSystem->body().triangleCount()];
    };
    for (size_t i = 0; i < started.size(); ++i) started[i] = flag(i);
    count += startOn(face.surface, face.stress, fronts, started, growth);
    for (size_t i = 0; i < started.size(); ++i) flag(i) = started[i];
  }
  return count;
}

void CrackSolver::findIntensities(bool fast, Context& context) {
  if (mFast) {
    // Openings of an earlier load become those of the present one, each step nearer than the last.
    constexpr int kSettle = 4;
    if (mNewLoad) mFast->newLoad(context);
    for (int i = 0; mNewLoad && i < kSettle; ++i) {
      mFast->intensities(mSolution, mCracks, context);
      mFast->rescale(mCracks);
      mSolution = mSystem->solve(context);
    }
    mIntensities = mFast->intensities(mSolution, mCracks, context);
    return;
  }
  mIntensities = stressIntensity(*mSystem, mSolution);
  if (!fast) return;
  mFast = std::make_unique<FastCracks>(*mSystem, mBodyTree, mMaterial.compressionRatio);
  mFast->newLoad(context);
  mFast->calibrate(mIntensities, mSolution, mCracks, context);
}

bool CrackSolver::step(Context& context) {
  const double begin = context.seconds();
  CrackStep report;
  report.frontLength = activeLength();
  report.elements = mSystem->surface().triangleCount();
  report.fast = mOptions.method == CrackMethod::Fast ||
                (mOptions.method == CrackMethod::Hybrid && report.elements > mOptions.hybridElements);
  double mark = begin;
  const auto lap = [&] {
    const double now = context.seconds(), took = now - mark;
    mark = now;
    return took;
  };
  {
    const Context::Stage stage(context, "solve");
    mSolution = mSystem->solve(context);
    findIntensities(report.fast, context);
  }
  report.solve = lap();
  CrackGrowth growth;
  {
    const Context::Stage stage(context, "propagate");
    report.moved = moveFronts(report.intensity, context);
    const size_t first = mSystem->surface().nodeCount();
    for (const auto& crack : mCracks) crack->extend(growth, first, coarseWorld());
    openMouths(growth);
  }
  report.propagate = lap();
  {
    const Context::Stage stage(context, "initiate");
    report.started = startCracks(growth, report, context);
  }
  report.initiate = lap();
  if (!growth.triangles.empty()) {
    const Context::Stage stage(context, "grow");
    try {
      grow(growth, context);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::Failed || mFast) throw;
      // A part has come off that nothing holds. Its cracks are recorded; they just cannot be opened.
      mSystem->addSheets(growth);
      mGrowths.push_back(std::move(growth));
      mLoose = true;
    }
  }
  report.grow = lap();
  for (const auto& crack : mCracks) {
    report.area += crack->coarseArea();
    report.recorded += crack->band().triangleCount();
    for (const FineFront& front : crack->fronts()) report.markers += front.markers().size();
  }
  report.wallSeconds = context.seconds() - begin;
  mLog.push_back(report);
  mNewLoad = false;
  mHolds = mLoose || (report.moved == 0 && report.started == 0);
  return !mHolds;
}

void CrackSolver::grow(CrackGrowth growth, Context& context) {
  if (mFast) {
    mFast->grow(growth, mGrowths.size(), mCracks, context);
  } else {
    mSystem->growCracks(growth, context);
    ++mGrowthsSolved;
  }
  mGrowths.push_back(std::move(growth));
}

void CrackSolver::run(Context& context, const std::function<void(const CrackSolver&)>& afterStep,
                      std::optional<double> duration) {
  const Context::Stage stage(context, "cracks", 0.7);
  const size_t steps = static_cast<size_t>(std::max(mOptions.steps, 0));
  const double end = duration ? mTime + *duration : std::numeric_limits<double>::infinity();
  while (!mHolds && mLog.size() - mLoadBegin < steps && mTime < end) {
    step(context);
    if (afterStep) afterStep(*this);
    context.advance(static_cast<double>(mLog.size() - mLoadBegin) / mOptions.steps);
  }
}

void CrackSolver::setValues(BoundaryData data, Context& context, bool sameLoad) {
  mSystem->setValues(std::move(data), context);
  if (!sameLoad) {
    mIdentity.load = loadHash(mSystem->data());
    mLoadBegin = mLog.size();
  }
  mHolds = false;
  mNewLoad = true;
}

void CrackSolver::scaleValues(BoundaryData data, double factor) {
  mSystem->scaleValues(std::move(data), factor);
  mHolds = false;
  mNewLoad = true;
}

/// As before any crack; the system is put back by whoever asks.
void CrackSolver::forget() {
  mCracks.clear();
  mStarted.assign(mSystem->body().triangleCount(), 0);
  mBranched = {};
  mSelfStarted = 0;
  mTime = 0.0;
  mSolution = {};
  mIntensities.clear();
  mLog.clear();
  mFast.reset();
  mGrowths.clear();
  mGrowthsSolved = mLoadBegin = 0;
  mHolds = mLoose = mNewLoad = false;
  mPopIn.clear();
  mRamp = {};
}

std::vector<RecordedCrack> CrackSolver::records() const {
  std::vector<RecordedCrack> records;
  for (const auto& crack : mCracks) records.push_back({&crack->band(), crack->times()});
  return records;
}

BoundaryData loadAt(const BoundaryData& given, const CrackSolver::Ramp& ramp) {
  BoundaryData data = given;
  for (size_t t = 0; t < data.traction.size(); ++t) data.traction[t] = ramp.factor * ramp.traction[t];
  for (Vec3& u : data.displacement) u *= ramp.factor;
  data.force = data.force.times(ramp.factor);
  return data;
}

}  // namespace hackle
