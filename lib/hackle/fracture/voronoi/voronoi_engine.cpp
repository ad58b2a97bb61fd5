#include <hackle/core/archive.h>
#include <hackle/core/random.h>
#include <hackle/fracture/refracture.h>
#include <hackle/fracture/voronoi/voronoi_engine.h>
#include <hackle/geometry/geometry_archive.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/winding_number.h>
#include <hackle/meshing/cut/cutter.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace hackle {

namespace {

constexpr const char* kArchive = "voronoi";
constexpr uint32_t kVersion = 1;

/// What scattering wants to know of a solid.
class VoronoiState : public EngineState {
 public:
  VoronoiState(SolidPtr solid, Context& context)
      : mSolid(std::move(solid)),
        mInside(mSolid->bvh, context),
        mFingerprint(geometryFingerprint(mSolid->geometry)) {}

  const WindingNumber& inside() const { return mInside; }
  uint64_t solidFingerprint() const { return mFingerprint; }
  size_t bytes() const override {
    // An expansion of 96 bytes for each node of the tree, two nodes per four triangles.
    return sizeof(*this) + mSolid->mesh.triangles.size() * 48;
  }

 private:
  SolidPtr mSolid;
  WindingNumber mInside;
  uint64_t mFingerprint;
};

/// Sites in the order given, without repetitions.
std::vector<Vec3> distinct(Span<const Vec3> points, Context& context) {
  const auto less = [](const Vec3& a, const Vec3& b) {
    return std::tie(a.x(), a.y(), a.z()) < std::tie(b.x(), b.y(), b.z());
  };
  std::set<Vec3, decltype(less)> known(less);
  std::vector<Vec3> sites;
  for (const Vec3& p : points)
    if (known.insert(p).second) sites.push_back(p);
  if (sites.size() < points.size())
    context.warn(fmt::format("{} sites at the place of another are left out", points.size() - sites.size()));
  return sites;
}

/// A solid, or a piece of one, that is cut.
struct Body {
  const Geometry& geometry;
  const TriangleMesh& mesh;
  const TriangleBvh& bvh;
  const WindingNumber& inside;
  double volume;  // m^3
};

/// One fracture, from sites to pieces without depth.
class Breaker {
 public:
  Breaker(const VoronoiOptions& options, std::vector<SiteCluster> clusters, uint64_t seed, Context& context)
      : mOptions(options), mClusters(std::move(clusters)), mSeed(seed), mContext(context) {}

  /// At most `most` pieces, where the solid has no more parts than that.
  FracturePieces breakBody(const Body& body, size_t count, uint64_t seed, size_t most,
                           const std::string& prefix) {
    std::vector<Vec3> sites = placeSites(body, std::min(count, most), seed);
    sites.resize(std::min(sites.size(), most));
    FracturePieces pieces = cutBody(body, sites, prefix);
    while (pieces.names.size() > most && sites.size() > 1) {
      // Cells meet the solid in several places; fewer cells give fewer pieces.
      sites.resize(std::max<size_t>(1, sites.size() * most / pieces.names.size()));
      pieces = cutBody(body, sites, prefix);
    }
    mSites += sites.size();
    return pieces;
  }

  /// Each of the pieces by itself.
  FracturePieces breakAll(const FracturePieces& parents, size_t count, int level, size_t most) {
    const size_t share = std::max<size_t>(1, most / std::max<size_t>(1, parents.names.size()));
    const auto breaker = [&](const Geometry& piece, size_t index, const std::string& prefix) {
      const Topology topology = analyseTopology(piece, mContext);
      if (topology.faces == 0 || !topology.closed || !topology.manifold || !topology.oriented)
        throw Error(ErrorCode::BadInput, "it is not a closed surface");
      const TriangleMesh mesh = triangleMesh(piece);
      const TriangleBvh bvh(mesh, mContext);
      const WindingNumber inside(bvh, mContext);
      const double volume = massProperties(mesh, mContext).volume;
      const uint64_t stream = mixBits((static_cast<uint64_t>(level) << 32) + index + 1);
      return breakBody({piece, mesh, bvh, inside, volume}, count, mSeed ^ stream, share, prefix);
    };
    return breakEach(parents, breaker, mOptions.cut.pieces.insideGroup, mContext);
  }

  /// All levels but the first.
  FracturePieces breakFurther(FracturePieces pieces, size_t most) {
    for (int level = 1; level < mOptions.levels && 2 * pieces.names.size() <= most; ++level)
      pieces = breakAll(pieces, mOptions.levelPieces, level, most);
    return pieces;
  }

  size_t sites() const { return mSites; }

 private:
  std::vector<Vec3> placeSites(const Body& body, size_t count, uint64_t seed) {
    const Context::Stage stage(mContext, "sites", 0.1);
    if (!mOptions.sites.empty()) return distinct(mOptions.sites, mContext);
    SiteOptions scatter;
    scatter.count = count;
    scatter.seed = seed;
    scatter.clusters = mClusters;
    scatter.clustered = mOptions.clustered;
    scatter.relaxation = mOptions.relaxation;
    const PaintedField density(mOptions.density, body.geometry, body.mesh, body.bvh, "densities");
    if (density) scatter.density = [&](const Vec3& x) { return density.number(x); };
    const InteriorBoxes boxes(body.bvh, body.inside, body.volume, mContext);
    return distinct(scatterSites(boxes, body.inside, scatter, mContext), mContext);
  }

  FracturePieces cutBody(const Body& body, std::vector<Vec3> sites, const std::string& prefix) {
    // Stretched cells are round ones in a space that is shrunk by the stretch.
    const bool stretched = mOptions.stretch != Vec3::Ones();
    const Vec3 shrink = mOptions.stretch.cwiseInverse();
    TriangleMesh metric = body.mesh;
    if (stretched) {
      for (Vec3& p : metric.points.edit()) p = p.cwiseProduct(shrink);
      for (Vec3& p : sites) p = p.cwiseProduct(shrink);
    }
    Cut cut = cutByVoronoi(body.geometry, metric, sites, mContext);
    if (stretched)
      for (CutVertex& v : cut.vertices)
        v.position =
            v.point >= 0 ? body.mesh.points[v.point] : Vec3(v.position.cwiseProduct(mOptions.stretch));
    CutPieceOptions options = mOptions.cut;
    options.pieces.prefix = prefix;
    return unfinishedPiecesOfCut(body.geometry, body.mesh, body.volume, std::move(cut), options, mContext);
  }

  const VoronoiOptions& mOptions;
  std::vector<SiteCluster> mClusters;
  uint64_t mSeed;
  Context& mContext;
  size_t mSites = 0;
};

/// Those of the options, then those of the impacts.
std::vector<SiteCluster> clustersOf(const VoronoiOptions& options, Span<const Impact> impacts,
                                    const TriangleBvh& surface) {
  std::vector<SiteCluster> clusters = options.clusters;
  for (const Impact& impact : impactsOnSurface(impacts, surface))
    clusters.push_back(impactCluster(impact, surface.bounds()));
  // Impacts without impulse are places like any other.
  const bool weightless =
      std::none_of(clusters.begin(), clusters.end(), [](const SiteCluster& c) { return c.weight > 0; });
  for (SiteCluster& cluster : clusters)
    if (weightless) cluster.weight = 1;
  return clusters;
}

bool severalCells(const VoronoiOptions& options) {
  const size_t first = options.sites.empty() ? options.pieces : options.sites.size();
  return first > 1 || (options.levels > 1 && options.levelPieces > 1);
}

size_t mostPieces(const LoadCase& load) {
  return std::max<size_t>(1, load.maxPieces.value_or(std::numeric_limits<size_t>::max()));
}

/// `severalCells`: more than one cell was asked for.
FractureResult finished(FracturePieces pieces, const Breaker& breaker, bool severalCells) {
  FractureResult result;
  result.area = crackArea(pieces);
  result.states.resize(pieces.names.size());
  if (pieces.contacts.empty())
    result.held =
        severalCells
            ? Held{HeldBy::Resolution, std::nullopt,
                   "the solid stays whole: all of it belongs to the cell of one site; move the sites"}
            : Held{HeldBy::Limit, std::nullopt,
                   "the solid stays whole: no more than one piece is asked for; raise the number of pieces"};
  result.pieces = std::move(pieces);
  result.report.set("sites", breaker.sites());
  return result;
}

}  // namespace

SiteCluster impactCluster(const Impact& impact, const Box3& bounds) {
  // Chosen by eye on walls, plates and figures: a crater that is seen, in a solid that stays recognisable.
  constexpr double kUsual = 0.1, kLeast = 0.01;  // of the diagonal
  constexpr double kStrikers = 2;                // radii
  const double diagonal = bounds.diagonal();
  SiteCluster cluster;
  cluster.at = impact.position;
  cluster.radius = kUsual * diagonal;
  if (impact.striker.radius)
    cluster.radius = std::clamp(kStrikers * *impact.striker.radius, kLeast * diagonal, cluster.radius);
  cluster.weight = impact.impulse;
  return cluster;
}

EngineStatePtr VoronoiEngine::prepare(const SolidPtr& solid, Context& context) const {
  return std::make_shared<const VoronoiState>(solid, context);
}

bool VoronoiEngine::mayBreak(const Solid&, const EngineState&, const LoadCase& load) const {
  return severalCells(mOptions) && mostPieces(load) > 1;
}

FractureResult VoronoiEngine::fracture(const Solid& solid, const EngineState& state, const LoadCase& load,
                                       Context& context) const {
  const VoronoiState& own = stateAs<VoronoiState>(state);
  const size_t most = mostPieces(load);
  Breaker breaker(mOptions, clustersOf(mOptions, load.impacts, solid.bvh), load.seed, context);
  const Body body{solid.geometry, solid.mesh, solid.bvh, own.inside(), solid.mass.volume};
  FracturePieces pieces =
      breaker.breakBody(body, mOptions.pieces, load.seed, most, mOptions.cut.pieces.prefix);
  pieces = breaker.breakFurther(std::move(pieces), most);
  addDepth(pieces.geometry, solid, mOptions.cut.pieces.insideGroup, context);
  return finished(std::move(pieces), breaker, severalCells(mOptions) && most > 1);
}

std::string VoronoiEngine::save(const EngineState& state) const {
  ArchiveWriter archive(kArchive, kVersion);
  const int64_t fingerprint = static_cast<int64_t>(stateAs<VoronoiState>(state).solidFingerprint());
  archive.add("solid", Span<const int64_t>(&fingerprint, 1));
  return archive.finish();
}

EngineStatePtr VoronoiEngine::load(const SolidPtr& solid, std::string_view bytes, Context& context) const {
  const ArchiveReader archive(bytes, kArchive, kVersion);
  if (archive.int64s("solid") !=
      std::vector<int64_t>{static_cast<int64_t>(geometryFingerprint(solid->geometry))})
    throw Error(ErrorCode::BadInput, "the state of voronoi is of another solid", "prepare it again");
  return prepare(solid, context);
}

}  // namespace hackle
