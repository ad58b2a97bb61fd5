#include <hackle/core/archive.h>
#include <hackle/core/error.h>
#include <hackle/core/memory.h>
#include <hackle/core/parallel.h>
#include <hackle/fem/vibration.h>
#include <hackle/fracture/voronoi/cvd_state.h>
#include <hackle/geometry/geometry_archive.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr const char* kArchive = "cvd";
constexpr uint32_t kVersion = 1;
constexpr double kReach = 0.1;        // of the diagonal, as for impacts: a force farther off is a mistake
constexpr double kEigenMargin = 0.9;  // an eigenvalue is taken to be as much smaller as no solver errs

Vec3 unitDirection(const Vec3& v, const char* name) {
  if (!(v.norm() > 0))
    throw Error(ErrorCode::Usage, fmt::format("{} has no length", name), "give a direction such as 0,1,0");
  return v.normalized();
}

Error notOurs(const char* what) {
  return Error(ErrorCode::BadInput, fmt::format("the state of cvd {}", what), "prepare it again");
}

/// Centrifugal forces of a body that spins about its centre of mass, at the nodes of its lattice. All of the
/// lattice has mass, also what is outside the surface, as it has stiffness: stresses do not depend on how
/// much thicker than the body it is.
void addSpin(const CvdBody& body, double density, const Vec3& spin, Eigen::VectorXd& load) {
  if (spin.isZero(0)) return;
  std::vector<double> masses = nodeVolumes(body.points, body.tetrahedra);
  double total = 0;
  Vec3 centre = Vec3::Zero();
  for (size_t n = 0; n < masses.size(); ++n) {
    masses[n] *= density;
    total += masses[n];
    centre += masses[n] * body.points[n];
  }
  if (!(total > 0)) return;
  centre /= total;
  for (size_t n = 0; n < masses.size(); ++n)
    load.segment<3>(static_cast<Eigen::Index>(3 * n)) -=
        masses[n] * spin.cross(spin.cross(body.points[n] - centre));
}

/// Refuses lattices that cannot fit, before one is made; the solver refuses what it cannot factorise.
void checkMemory(const Solid& solid, double cells) {
  constexpr double kPerNode = 4e3;  // bytes, of lattice and matrix without its factor
  const double cell = solid.bvh.bounds().size().maxCoeff() / cells;
  const double nodes = 2 * (solid.mass.volume + solid.mass.area * cell) / (cell * cell * cell);
  if (kPerNode * nodes <= availableMemory()) return;
  throw Error(
      ErrorCode::BadInput,
      fmt::format("a lattice of {:.4g} cells along the solid has about {:.2g} nodes and would take more "
                  "than {:.2g} GB; there are {:.2g}",
                  cells, nodes, kPerNode * nodes * 1e-9, availableMemory() * 1e-9),
      "use fewer cells");
}

}  // namespace

size_t CvdLattice::bytes() const {
  // A point of a lattice has about 14 neighbours and is in 24 tetrahedra.
  return bytesOf(body.points) + bytesOf(body.tetrahedra) +
         body.points.size() * (14 + 24 + 2) * sizeof(int32_t) + bytesOf(body.embedding.coordinates) +
         bytesOf(body.shares);
}

CvdElastic::CvdElastic(std::shared_ptr<const CvdLattice> within, const ElasticMaterial& material,
                       Context& context)
    : lattice(std::move(within)),
      body({lattice->body.points, lattice->body.tetrahedra, {material}}, context),
      embedding(lattice->body.points, lattice->body.tetrahedra, context) {}

size_t CvdElastic::bytes() const {
  // The embedding: where each tetrahedron is found.
  return body.bytes() + lattice->body.tetrahedra.size() * 32;
}

// Loads ---------------------------------------------------------------------------------------------------

bool CvdLoad::isNothing() const {
  const auto still = [](const Impact& impact) { return impact.impulse == 0; };
  const auto weak = [](const PointForce& force) { return force.force.isZero(0); };
  return std::all_of(impacts.begin(), impacts.end(), still) &&
         std::all_of(forces.begin(), forces.end(), weak) && spin.isZero(0);
}

CvdLoad placedLoad(const Solid& solid, const LoadCase& load) {
  CvdLoad placed;
  placed.impacts = impactsOnSurface(load.impacts, solid.bvh);
  const double reach = kReach * solid.bvh.bounds().diagonal();
  for (size_t i = 0; i < load.steady.size(); ++i) {
    const SteadyForce& steady = load.steady[i];
    const ClosestPoint closest = solid.bvh.closestPoint(steady.position);
    const double distance = std::sqrt(closest.squaredDistance);
    if (!(distance <= reach) || !steady.force.allFinite())
      throw Error(
          ErrorCode::BadInput,
          fmt::format("steady force {} at ({:.4g}, {:.4g}, {:.4g}) is {:.4g} m from the surface or not "
                      "finite",
                      i + 1, steady.position.x(), steady.position.y(), steady.position.z(), distance),
          fmt::format("move it to within {:.4g} m", reach));
    placed.forces.push_back({closest.triangle, closest.point, steady.force});
  }
  placed.spin = load.spin;
  return placed;
}

// State ---------------------------------------------------------------------------------------------------

CvdState::CvdState(SolidPtr solid, const CvdShape& shape, bool bounded, Context& context)
    : mSolid(std::move(solid)),
      mShape(shape),
      mFragility(shape.fragility, mSolid->geometry, mSolid->mesh, mSolid->bvh, "fragilities"),
      mWarp(shape.warp, mSolid->geometry, mSolid->mesh, mSolid->bvh, "warps") {
  {
    const Context::Stage stage(context, "metric", 0.2);
    mLattice = remembered<CvdLattice>(
        context, latticeKey(), [&] { return std::make_shared<const CvdLattice>(makeLattice(context)); });
  }
  if (bounded) mBound = makeBound(context);
}

CvdLattice CvdState::makeLattice(Context& context) const {
  EnclosingOptions cage;
  cage.cells = mShape.cells;
  cage.fillCavities = false;
  checkMemory(*mSolid, mShape.cells);
  const EnclosingLattice lattice = enclosingLattice(mSolid->mesh, cage, context);
  CvdBodyOptions options;
  options.metric = mShape.metric;
  options.reference = reference();
  return {prepareCvd(lattice.lattice, mSolid->mesh, options, context), lattice.cellSize};
}

/// The surface's shape, and all that shapes the lattice and distances in it.
MemoKey CvdState::latticeKey() const {
  MemoKey key("cvd.lattice");
  addToKey(key, mSolid->mesh);
  key.add(mShape.cells).add(mShape.metric).add(mShape.waveAmount).add(mShape.waveLength);
  for (const Vec3& v : {mShape.stretch, mShape.waveAlong, mShape.waveDirection}) addToKey(key, v);
  addToKey(key, mShape.warp, mSolid->geometry);
  return key;
}

CvdState::Move CvdState::reference() const {
  std::vector<Move> moves;
  const Vec3 direction = unitDirection(mShape.waveDirection, "wave_direction");
  if (mShape.waveAmount != 0) {
    const Vec3 along = unitDirection(mShape.waveAlong, "wave_along");
    const double amount = mShape.waveAmount, turn = 2 * 3.14159265358979323846 / mShape.waveLength;
    moves.push_back([=](const Vec3& p) { return Vec3(amount * std::sin(turn * along.dot(p)) * direction); });
  }
  if (mWarp && mWarp.isVector())
    moves.push_back([this](const Vec3& p) { return mWarp.vector(p); });
  else if (mWarp)
    moves.push_back([this, direction](const Vec3& p) { return Vec3(mWarp.number(p) * direction); });
  if (moves.empty() && mShape.stretch == Vec3::Ones()) return {};
  return [moves, shrink = Vec3(mShape.stretch.cwiseInverse())](const Vec3& p) {
    Vec3 moved = p;
    for (const Move& move : moves) moved += move(p);
    return Vec3(moved.cwiseProduct(shrink));
  };
}

std::shared_ptr<const CvdElastic> CvdState::madeElastic() const {
  const std::lock_guard<std::mutex> lock(mMutex);
  return mElastic;
}

std::shared_ptr<const CvdElastic> CvdState::elastic(Context& context) const {
  if (std::shared_ptr<const CvdElastic> made = madeElastic()) return made;
  // Not under the lock: making runs on many threads, which may ask for the same state.
  const ElasticMaterial& material = mShape.material;
  MemoKey key("cvd.elastic");
  key.add(latticeKey()).add(material.young).add(material.poisson).add(material.density);
  std::shared_ptr<const CvdElastic> mine = remembered<CvdElastic>(
      context, key, [&] { return std::make_shared<const CvdElastic>(mLattice, material, context); });
  const std::lock_guard<std::mutex> lock(mMutex);
  if (!mElastic) mElastic = std::move(mine);
  return mElastic;
}

NodeEnergyOptions CvdState::energyOptions() const {
  NodeEnergyOptions options;
  options.granularity = mShape.granularity;
  if (mFragility) options.fragility = [this](const Vec3& p) { return mFragility.number(p); };
  return options;
}

size_t CvdState::bytes() const {
  const std::shared_ptr<const CvdElastic> elastic = madeElastic();
  return sizeof(*this) + mLattice->bytes() + (elastic ? elastic->bytes() : 0);
}

// Strain --------------------------------------------------------------------------------------------------

ImpactLoad CvdState::nodalLoad(const CvdElastic& elastic, const CvdLoad& load, Context& context) const {
  ContactOptions contact;
  contact.minPatchRadius = mLattice->cellSize;
  ImpactLoad nodal = impactLoad(elastic.body, elastic.embedding, mSolid->mesh, mSolid->bvh, load.impacts,
                                density() * mSolid->mass.volume, contact, context);
  if (!load.forces.empty()) nodal.forces += elastic.embedding.nodalForces(load.forces);
  addSpin(body(), density(), load.spin, nodal.forces);
  return nodal;
}

CvdStrain CvdState::strain(const CvdLoad& load, Context& context) const {
  const std::shared_ptr<const CvdElastic> made = elastic(context);
  ImpactResponse response = impactResponse(made->body, nodalLoad(*made, load, context), context);
  return {nodeEnergies(body().points, body().tetrahedra, response.energyDensities),
          std::move(response.contacts)};
}

std::optional<CvdBound> CvdState::makeBound(Context& context) const {
  const Context::Stage stage(context, "bound", 0.1);
  VibrationOptions options;
  options.count = 1;
  const VibrationModes modes = vibrationModes(elastic(context)->body.mesh(), options, context);
  if (static_cast<size_t>(modes.frequencies.size()) <= modes.rigid) return std::nullopt;
  CvdBound bound;
  const double lowest = modes.frequencies[static_cast<Eigen::Index>(modes.rigid)];
  bound.eigenvalue = kEigenMargin * lowest * lowest;

  const Embedding& embedding = body().embedding;
  std::vector<double> mean(embedding.dimensions, 0.0);
  for (size_t n = 0; n < embedding.size(); ++n)
    for (size_t k = 0; k < mean.size(); ++k)
      mean[k] += embedding.of(n)[k] / static_cast<double>(embedding.size());
  for (size_t n = 0; n < embedding.size(); ++n) {
    if (!(body().shares[n] > 0)) continue;
    const double squared = squaredDistance(embedding.of(n), mean.data(), mean.size());
    bound.reach = std::max(bound.reach, std::sqrt(squared));
    if (mFragility) bound.fragility = std::max(bound.fragility, mFragility.number(body().points[n]));
  }
  return bound;
}

std::optional<double> CvdState::wholeEnergyBound(const CvdLoad& load) const {
  const std::shared_ptr<const CvdElastic> made = madeElastic();
  if (!mBound || !made) return std::nullopt;
  Context context;
  context.setThreads(1);
  const Eigen::VectorXd forces = nodalLoad(*made, load, context).forces;
  const std::vector<double> volumes = nodeVolumes(body().points, body().tetrahedra);
  double squares = 0;  // f . m^-1 f with lumped masses
  for (size_t n = 0; n < volumes.size(); ++n) {
    const double square = forces.segment<3>(static_cast<Eigen::Index>(3 * n)).squaredNorm();
    if (square > 0) squares += square / (density() * volumes[n]);
  }
  constexpr double kLumped = 5;  // M^-1 <= 5 m^-1
  return mBound->fragility * mBound->reach * mBound->reach * kLumped * squares / (2 * mBound->eigenvalue);
}

// Bytes ---------------------------------------------------------------------------------------------------

/// Of the solid, of the metric, and of the space in which the nodes' distances are measured.
std::vector<int64_t> CvdState::fingerprints(const std::vector<Vec3>& points, Context& context) const {
  std::vector<Vec3> places = points;
  if (const Move move = reference())
    parallelFor(context, places.size(), 256, [&](size_t n) { places[n] = move(points[n]); });
  const std::string_view bytes(reinterpret_cast<const char*>(places.data()), places.size() * sizeof(Vec3));
  return {static_cast<int64_t>(geometryFingerprint(mSolid->geometry)), static_cast<int64_t>(mShape.metric),
          static_cast<int64_t>(checksum64(bytes))};
}

std::string CvdState::save() const {
  Context context;
  ArchiveWriter archive(kArchive, kVersion);
  const CvdBody& b = body();
  const std::vector<int64_t> made = fingerprints(b.points, context);
  archive.add("made_for", Span<const int64_t>(made));
  std::vector<double> numbers{mShape.cells, mLattice->cellSize};
  if (mBound) numbers.insert(numbers.end(), {mBound->eigenvalue, mBound->fragility, mBound->reach});
  archive.add("numbers", Span<const double>(numbers));
  archive.add("points",
              Span<const double>(b.points.empty() ? nullptr : b.points[0].data(), 3 * b.points.size()));
  archive.add("tetrahedra", Span<const int32_t>(b.tetrahedra.empty() ? nullptr : b.tetrahedra[0].data(),
                                                4 * b.tetrahedra.size()));
  archive.add("coordinates", Span<const double>(b.embedding.coordinates));
  archive.add("shares", Span<const double>(b.shares));
  return archive.finish();
}

CvdState::CvdState(SolidPtr solid, const CvdShape& shape, std::string_view bytes, Context& context)
    : mSolid(std::move(solid)),
      mShape(shape),
      mFragility(shape.fragility, mSolid->geometry, mSolid->mesh, mSolid->bvh, "fragilities"),
      mWarp(shape.warp, mSolid->geometry, mSolid->mesh, mSolid->bvh, "warps") {
  const ArchiveReader archive(bytes, kArchive, kVersion);
  const std::vector<double> numbers = archive.float64s("numbers"), points = archive.float64s("points");
  const std::vector<int32_t> corners = archive.int32s("tetrahedra");
  CvdLattice lattice;
  CvdBody& b = lattice.body;
  b.shares = archive.float64s("shares");
  b.embedding.coordinates = archive.float64s("coordinates");

  // Check that sizes and numbers fit together.
  const size_t count = points.size() / 3;
  const auto good = [&](int32_t p) { return p >= 0 && static_cast<size_t>(p) < count; };
  if (count == 0 || points.size() % 3 != 0 || corners.size() % 4 != 0 || b.shares.size() != count ||
      b.embedding.coordinates.size() % count != 0 || (numbers.size() != 2 && numbers.size() != 5) ||
      !std::all_of(corners.begin(), corners.end(), good))
    throw notOurs("does not fit together");
  for (size_t p = 0; p < count; ++p)
    b.points.emplace_back(points[3 * p], points[3 * p + 1], points[3 * p + 2]);
  if (archive.int64s("made_for") != fingerprints(b.points, context) || numbers[0] != mShape.cells)
    throw notOurs("is of another solid, or was made with other options");

  for (size_t t = 0; t < corners.size(); t += 4)
    b.tetrahedra.push_back({corners[t], corners[t + 1], corners[t + 2], corners[t + 3]});
  b.embedding.dimensions = b.embedding.coordinates.size() / count;
  b.graph = NodeGraph(count, b.tetrahedra, context);
  lattice.cellSize = numbers[1];
  if (numbers.size() == 5) mBound = CvdBound{numbers[2], numbers[3], numbers[4]};
  mLattice = std::make_shared<const CvdLattice>(std::move(lattice));
}

}  // namespace hackle
