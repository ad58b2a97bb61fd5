#include <hackle/core/archive.h>
#include <hackle/core/random.h>
#include <hackle/fracture/refracture.h>
#include <hackle/fracture/rough_voronoi.h>
#include <hackle/fracture/voronoi/radial_sites.h>
#include <hackle/fracture/voronoi/voronoi_engine.h>
#include <hackle/geometry/geometry_archive.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/winding_number.h>
#include <hackle/meshing/cut/cutter.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
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
struct CutBody {
  const Geometry& geometry;
  const TriangleMesh& mesh;
  const TriangleBvh& bvh;
  double volume;  // m^3
};

/// One that sites are scattered in, too.
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
      FracturePieces parts =
          breakBody({piece, mesh, bvh, inside, volume}, count, mSeed ^ stream, share, prefix);
      return parts.names.size() > 1 ? parts : wholePiece(piece, parents.names[index], mContext);
    };
    return breakEach(parents, breaker, mOptions.cut.pieces.insideGroup, mContext);
  }

  /// All levels but the first.
  FracturePieces breakFurther(FracturePieces pieces, size_t most) {
    for (int level = 1; level < mOptions.levels && 2 * pieces.names.size() <= most; ++level)
      pieces = breakAll(pieces, mOptions.levelPieces, level, most);
    return pieces;
  }

  /// Chips off the rims of all pieces, of a solid of this diagonal (m).
  FracturePieces chip(FracturePieces pieces, double diagonal) {
    if (mOptions.chips.amount <= 0) return pieces;
    const Context::Stage stage(mContext, "chips", 0.2);
    const double size = mOptions.chips.size * diagonal;
    const auto breaker = [&](const Geometry& piece, size_t index, const std::string& prefix) {
      const std::string& inside = mOptions.cut.pieces.insideGroup;
      RoughVoronoi partition = chipPartition(piece, inside, mOptions.chips.amount, size,
                                             nearness(mOptions.reach), mixBits(mSeed + 101) ^ mixBits(index));
      if (partition.sites.empty()) return wholePiece(piece, pieces.names[index], mContext);
      if (mOptions.edges.amount > 0) partition.rough = roughness(size, mSeed + index);
      const TriangleMesh mesh = triangleMesh(piece);
      const TriangleBvh bvh(mesh, mContext);
      FracturePieces parts = cutBy(partition, {piece, mesh, bvh, pieces.volume[index]}, prefix);
      mChips += parts.names.size() - 1;
      return parts.names.size() > 1 ? parts : wholePiece(piece, pieces.names[index], mContext);
    };
    return breakEach(pieces, breaker, mOptions.cut.pieces.insideGroup, mContext);
  }

  const std::vector<SiteCluster>& clusters() const { return mClusters; }
  size_t sites() const { return mSites; }
  size_t chips() const { return mChips; }
  /// Mean share of the displacement of edges that could be applied.
  double applied() const { return mCuts > 0 ? mApplied / static_cast<double>(mCuts) : 1; }

 private:
  std::vector<Vec3> placeSites(const Body& body, size_t count, uint64_t seed) {
    const Context::Stage stage(mContext, "sites", 0.1);
    if (!mOptions.sites.empty()) return distinct(mOptions.sites, mContext);
    if (mOptions.pattern == SitePattern::Radial && seed == mSeed)
      return distinct(radialSites(body.mesh, body.bvh, hits(), count, seed), mContext);
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

  std::vector<Vec3> hits() const {
    std::vector<Vec3> places;
    for (const SiteCluster& cluster : mClusters) places.push_back(cluster.at);
    return places;
  }

  /// 1 at clusters, 0 at `reach` (m) from them; empty for 0.
  std::function<double(const Vec3&)> nearness(double reach) const {
    if (reach <= 0) return {};
    return [places = hits(), reach](const Vec3& p) {
      double nearest = reach;
      for (const Vec3& at : places) nearest = std::min(nearest, (p - at).norm());
      return 1 - nearest / reach;
    };
  }

  /// The displacement of faces between pieces of that mean size (m).
  RoughFaces roughness(double size, uint64_t seed) const {
    const EdgeOptions& edges = mOptions.edges;
    RoughFaces rough;
    rough.amount = edges.amount * size;
    rough.size = edges.size * size;
    rough.roughness = edges.roughness;
    rough.ridges = edges.ridges;
    rough.seed = mixBits(seed + 7);
    rough.strength = nearness(edges.reach);
    return rough;
  }

  /// Of the cells of sites, those that are out of reach of all clusters are one.
  std::vector<int32_t> labelsOf(const std::vector<Vec3>& sites) const {
    std::vector<int32_t> labels;
    if (mOptions.reach <= 0) return labels;
    const auto near = nearness(mOptions.reach);
    int32_t far = -1;
    for (size_t s = 0; s < sites.size(); ++s) {
      const bool isFar = near(sites[s]) <= 0;
      if (isFar && far < 0) far = static_cast<int32_t>(s);
      labels.push_back(isFar ? far : static_cast<int32_t>(s));
    }
    return labels;
  }

  /// From the space in which cells are those of their sites.
  Mat3 stretchOf(const Box3& box) const {
    Mat3 stretch = mOptions.stretch.asDiagonal();
    if (mOptions.splinter == 1) return stretch;
    Vec3 grain = mOptions.grain;
    if (grain.isZero(0)) {
      Eigen::Index longest = 0;
      box.size().maxCoeff(&longest);
      grain = Vec3::Unit(longest);
    }
    grain.normalize();
    return (Mat3::Identity() + (mOptions.splinter - 1) * grain * grain.transpose()) * stretch;
  }

  FracturePieces cutBody(const Body& body, std::vector<Vec3> sites, const std::string& prefix) {
    const CutBody own{body.geometry, body.mesh, body.bvh, body.volume};
    RoughVoronoi partition;
    partition.labels = labelsOf(sites);
    partition.stretch = stretchOf(body.bvh.bounds());
    if (mOptions.edges.amount > 0) {
      const double volume = body.volume / std::abs(partition.stretch.determinant());
      partition.rough = roughness(meanPieceSize(volume, sites.size()), mSeed);
      if (mOptions.edges.depth > 0) fadeBelow(body.bvh, partition.rough);
    }
    partition.sites = std::move(sites);
    if (partition.rough.amount > 0 || !partition.labels.empty()) return cutBy(partition, own, prefix);
    return finish(own, cutFlat(body, partition), prefix);
  }

  FracturePieces finish(const CutBody& body, Cut cut, const std::string& prefix) const {
    CutPieceOptions options = mOptions.cut;
    options.pieces.prefix = prefix;
    return unfinishedPiecesOfCut(body.geometry, body.mesh, body.volume, std::move(cut), options, mContext);
  }

  FracturePieces cutBy(const RoughVoronoi& partition, const CutBody& body, const std::string& prefix) {
    double applied = 1;
    Cut cut = cutByRoughVoronoi(body.geometry, body.mesh, body.bvh, partition, &applied, mContext);
    mApplied += applied;
    ++mCuts;
    return finish(body, std::move(cut), prefix);
  }

  void fadeBelow(const TriangleBvh& surface, RoughFaces& rough) const {
    const double depth = mOptions.edges.depth;
    rough.strength = [&surface, depth, other = rough.strength](const Vec3& p) {
      const ClosestPoint closest = surface.closestPoint(p, depth);
      const double share = closest.triangle >= 0 ? 1 - std::sqrt(closest.squaredDistance) / depth : 0;
      return other && share > 0 ? share * other(p) : share;
    };
  }

  Cut cutFlat(const Body& body, const RoughVoronoi& partition) const {
    // Stretched cells are round ones in a space that is shrunk by the stretch.
    if (partition.stretch.isIdentity(0))
      return cutByVoronoi(body.geometry, body.mesh, partition.sites, mContext);
    const Mat3 shrink = partition.stretch.inverse();
    TriangleMesh metric = body.mesh;
    for (Vec3& p : metric.points.edit()) p = shrink * p;
    std::vector<Vec3> sites;
    for (const Vec3& p : partition.sites) sites.push_back(shrink * p);
    Cut cut = cutByVoronoi(body.geometry, metric, sites, mContext);
    for (CutVertex& v : cut.vertices)
      v.position = v.point >= 0 ? body.mesh.points[v.point] : Vec3(partition.stretch * v.position);
    return cut;
  }

  const VoronoiOptions& mOptions;
  std::vector<SiteCluster> mClusters;
  uint64_t mSeed;
  Context& mContext;
  size_t mSites = 0, mChips = 0, mCuts = 0;
  double mApplied = 0;  // summed over cuts
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
  return first > 1 || (options.levels > 1 && options.levelPieces > 1) || options.chips.amount > 0;
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
  result.report.set("chips", breaker.chips());
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

double meanPieceSize(double volume, size_t pieces) {
  return std::cbrt(std::abs(volume) / static_cast<double>(std::max<size_t>(1, pieces)));
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
  if (breaker.clusters().empty() && (mOptions.reach > 0 || mOptions.edges.reach > 0))
    throw Error(ErrorCode::Usage, "a reach is a distance from clusters or impacts, and there are none",
                "give a cluster where the solid is hit, or leave the reach at 0");
  const Body body{solid.geometry, solid.mesh, solid.bvh, own.inside(), solid.mass.volume};
  FracturePieces pieces =
      breaker.breakBody(body, mOptions.pieces, load.seed, most, mOptions.cut.pieces.prefix);
  pieces = breaker.breakFurther(std::move(pieces), most);
  if (!load.maxPieces) pieces = breaker.chip(std::move(pieces), solid.bvh.bounds().diagonal());
  constexpr double kFew = 0.5;
  if (breaker.applied() < kFew)
    context.warn(fmt::format(
        "edges could be displaced by {:.0f} % of their amount only: pieces are smaller than that; "
        "lower the amount of edges, or ask for fewer pieces",
        100 * breaker.applied()));
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
