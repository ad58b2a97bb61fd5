#include <hackle/core/random.h>
#include <hackle/fracture/refracture.h>
#include <hackle/fracture/voronoi/sites.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/cut/cutter.h>
#include <hackle/meshing/repair/checked_solid.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/volume/grid.h>

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

namespace hackle {

namespace {

struct VoronoiOptions {
  int pieces = 20;
  int seed = 0;
  std::vector<SiteCluster> clusters;
  double clustered = 0.7;
  std::string density;
  int relaxation = 0;
  Vec3 stretch = Vec3::Ones();
  bool each = true;
  int levels = 1;
  int levelPieces = 5;
  FractureOutputOptions output;
};

enum InputIndex : size_t { kSolid, kSites, kClusters, kDensity };

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

/// The density of sites, from a volume or from the nearest place of the surface. The solid and the mesh must
/// outlive it.
SiteDensity siteDensity(const Inputs& inputs, const VoronoiOptions& options, const Geometry& solid,
                        const TriangleMesh& mesh, Context& context) {
  if (inputs.has(kDensity)) {
    const Geometry& volumes = inputs.geometry(kDensity);
    for (size_t p = 0; p < volumes.primitiveCount(); ++p)
      if (volumes.primitiveType(p) == PrimitiveType::Volume) {
        const VolumePtr grid = volumes.volume(p);
        return [grid](const Vec3& x) { return sampleGrid(*grid, x); };
      }
    throw Error(ErrorCode::BadInput, "there is no VDB on the input of densities", "give a VDB file");
  }
  if (options.density.empty()) return {};
  const Attribute* values = solid.findAttribute(Owner::Point, options.density);
  if (!values || values->isString())
    throw Error(ErrorCode::BadInput,
                fmt::format("the solid has no numbers '{}' on its points", options.density),
                "name a point attribute, or give a VDB on the input of densities");
  const auto bvh = std::make_shared<const TriangleBvh>(mesh, context);
  return [values, &mesh, bvh](const Vec3& x) {
    const ClosestPoint at = bvh->closestPoint(x);
    const Triangle& t = mesh.triangles[at.triangle];
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) sum += at.barycentric[k] * values->number(static_cast<size_t>(t[k]));
    return sum;
  };
}

/// True for named pieces that are bodies of their own; names of patches on one surface do not count.
bool hasSeveralPieces(const Geometry& geometry) {
  if (!hasPieceNames(geometry)) return false;
  const Pieces pieces = piecesByName(geometry);
  std::vector<int32_t> owner(geometry.pointCount(), -1);
  for (size_t f = 0; f < geometry.primitiveCount(); ++f)
    for (const int32_t p : geometry.corners(f)) {
      int32_t& of = owner[p];
      if (of >= 0 && of != pieces.ofPrimitive[f]) return false;
      of = pieces.ofPrimitive[f];
    }
  return pieces.count() > 1;
}

bool isSolid(const Geometry& geometry, Context& context) {
  const Topology topology = analyseTopology(geometry, context);
  return topology.faces > 0 && topology.closed && topology.manifold && topology.oriented;
}

/// Every piece by itself as a solid; one that cannot be repaired comes as it is, to stay whole.
Geometry checkedPieces(const Geometry& input, Context& context) {
  const Pieces pieces = piecesByName(input);
  Geometry result;
  for (size_t p = 0; p < pieces.count(); ++p) {
    Geometry piece = input.extract(pieces.primitivesOf(p));
    try {
      piece = checkedSolid(piece, context);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::BadInput) throw;
      context.warn(fmt::format("{}: {}", pieces.names[p], e.what()));
    }
    result.append(piece);
  }
  return result;
}

class Breaker {
 public:
  Breaker(const Inputs& inputs, const VoronoiOptions& options, Context& context)
      : mInputs(inputs), mOptions(options), mContext(context) {}

  /// `each`: the solid consists of pieces that are broken one by one.
  FracturePieces run(const Geometry& solid, bool each) {
    FracturePieces pieces;
    if (each) {
      pieces = breakAll(piecesOf(solid, mContext), mOptions.pieces, 0);
    } else {
      pieces = breakOne(solid, mOptions.pieces, static_cast<uint64_t>(mOptions.seed),
                        mOptions.output.cut.pieces.prefix);
    }
    for (int level = 1; level < mOptions.levels; ++level)
      pieces = breakAll(pieces, mOptions.levelPieces, level);
    return pieces;
  }

  size_t sites() const { return mSites; }

 private:
  FracturePieces breakAll(const FracturePieces& parents, int count, int level) {
    const auto breaker = [&](const Geometry& piece, size_t index, const std::string& prefix) {
      if (!isSolid(piece, mContext)) throw Error(ErrorCode::BadInput, "it is not a closed surface");
      const uint64_t stream = mixBits((static_cast<uint64_t>(level) << 32) + index + 1);
      return breakOne(piece, count, static_cast<uint64_t>(mOptions.seed) ^ stream, prefix);
    };
    return breakEach(parents, breaker, mOptions.output.cut.pieces.insideGroup, mContext);
  }

  FracturePieces breakOne(const Geometry& solid, int count, uint64_t seed, const std::string& prefix) {
    const TriangleMesh mesh = triangleMesh(solid);
    std::vector<Vec3> sites = placeSites(solid, mesh, count, seed);
    mSites += sites.size();

    // Stretched cells are round ones in a space that is shrunk by the stretch.
    const bool stretched = mOptions.stretch != Vec3::Ones();
    const Vec3 shrink = mOptions.stretch.cwiseInverse();
    TriangleMesh metric = mesh;
    if (stretched) {
      for (Vec3& p : metric.points.edit()) p = p.cwiseProduct(shrink);
      for (Vec3& p : sites) p = p.cwiseProduct(shrink);
    }
    Cut cut = cutByVoronoi(solid, metric, sites, mContext);
    if (stretched)
      for (CutVertex& v : cut.vertices)
        v.position = v.point >= 0 ? mesh.points[v.point] : Vec3(v.position.cwiseProduct(mOptions.stretch));
    CutPieceOptions options = mOptions.output.cut;
    options.pieces.prefix = prefix;
    return unfinishedPiecesOfCut(solid, mesh, massProperties(mesh, mContext).volume, std::move(cut), options,
                                 mContext);
  }

  std::vector<Vec3> placeSites(const Geometry& solid, const TriangleMesh& mesh, int count, uint64_t seed) {
    const Context::Stage stage(mContext, "sites", 0.1);
    if (mInputs.has(kSites)) {
      std::vector<Vec3> sites = distinct(mInputs.geometry(kSites).positions(), mContext);
      if (sites.empty()) throw Error(ErrorCode::BadInput, "there are no points on the input of sites");
      return sites;
    }
    SiteOptions scatter;
    scatter.count = static_cast<size_t>(count);
    scatter.seed = seed;
    scatter.clusters = mOptions.clusters;
    scatter.clustered = mOptions.clustered;
    scatter.relaxation = mOptions.relaxation;
    scatter.density = siteDensity(mInputs, mOptions, solid, mesh, mContext);
    return distinct(scatterSites(mesh, scatter, mContext), mContext);
  }

  const Inputs& mInputs;
  const VoronoiOptions& mOptions;
  Context& mContext;
  size_t mSites = 0;
};

Outputs fracture(const Inputs& inputs, const VoronoiOptions& options, Context& context) {
  const Geometry& input = inputs.geometry(kSolid);
  const bool each = options.each && hasSeveralPieces(input);
  const Geometry solid = each ? checkedPieces(input, context) : checkedSolid(input, context);
  Breaker breaker(inputs, options, context);
  FracturePieces pieces = breaker.run(solid, each);
  const std::string& inside = options.output.cut.pieces.insideGroup;
  addDepth(pieces.geometry, solid, inside, context);
  Outputs outputs = fractureOutputs(massProperties(triangleMesh(solid), context).volume, std::move(pieces),
                                    options.output, inside, context);
  outputs.result.set("sites", breaker.sites());
  return outputs;
}

ParameterTable<SiteCluster> clusterTable() {
  ParameterTable<SiteCluster> table;
  table.add(&SiteCluster::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .fromAttribute("P")
      .help("Centre of the cluster.");
  table.add(&SiteCluster::radius, "radius", "Radius")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .fromAttribute("radius")
      .help("Standard deviation of the distance along each axis.");
  return table;
}

ParameterTable<VoronoiOptions> parameters() {
  ParameterTable<VoronoiOptions> table;
  table.section("Sites");
  table.add(&VoronoiOptions::pieces, "pieces", "Pieces")
      .unit("none")
      .hard(1, 1000000)
      .soft(1, 1000)
      .help(
          "Number of sites to scatter. A cell that meets the solid in several places gives several pieces.");
  table.add(&VoronoiOptions::seed, "seed", "Seed")
      .unit("none")
      .hard(0, 2147483647)
      .soft(0, 100)
      .help("Another seed gives another pattern.");
  table.addList(&VoronoiOptions::clusters, "cluster", "Clusters", clusterTable())
      .fromPoints("clusters")
      .help("Places where sites crowd, such as points of impact.");
  table.add(&VoronoiOptions::clustered, "clustered", "Clustered Share")
      .unit("none")
      .range(0, 1)
      .help("Share of the sites that go to the clusters; the others are scattered evenly.");
  table.add(&VoronoiOptions::density, "density", "Density Attribute")
      .as(ParameterType::Attribute)
      .help(
          "Point attribute of the solid: places get sites in proportion to its value at the nearest place of "
          "the surface. A VDB on the input of densities goes first.");
  table.add(&VoronoiOptions::relaxation, "relaxation", "Relaxation")
      .unit("none")
      .hard(0, 1000)
      .soft(0, 20)
      .help("Steps that move each site to the middle of its cell: pieces become more equal and rounder.");
  table.add(&VoronoiOptions::stretch, "stretch", "Stretch")
      .unit("none")
      .hard(1e-3, 1e3)
      .soft(0.1, 10)
      .help("Lengthens pieces along each axis, for wood or layered rock.");
  table.section("Levels");
  table.add(&VoronoiOptions::each, "each", "Break Each Piece")
      .help(
          "If the input has several named pieces, break each by itself and append to its name (piece3-1). "
          "Otherwise, all are cut by the same cells and get new names.");
  table.add(&VoronoiOptions::levels, "levels", "Levels")
      .unit("none")
      .hard(1, 8)
      .soft(1, 4)
      .help("Break the pieces again, this many times in all.");
  table.add(&VoronoiOptions::levelPieces, "level_pieces", "Pieces Per Piece")
      .unit("none")
      .hard(1, 100000)
      .soft(1, 50)
      .help("Sites in each piece, from the second level on.");
  table.include(&VoronoiOptions::output, fractureOutputTable());
  return table;
}

}  // namespace

Operator voronoiOperator() {
  Operator op;
  op.id = "voronoi";
  op.label = "Voronoi Fracture";
  op.summary = "Break a solid along the cells of a Voronoi diagram";
  op.help =
      "Cuts a closed surface into the parts nearest to each of many sites. Sites are scattered evenly inside "
      "the "
      "solid or by a density, crowd around clusters, or come as points on the second input.\n\n"
      "Every piece is closed and keeps the attributes of the input on its outside faces; each face between "
      "two "
      "pieces is one planar polygon with the same corners on both sides. Pieces are named by the primitive "
      "attribute name, new faces are in the primitive group inside, the others in outside. Parts of a cell "
      "that "
      "do not hang together become pieces of their own.\n\n"
      "Fractures add up: a broken input is broken further, piece by piece, and its inside faces stay in "
      "their "
      "group.";
  op.category = "Fracture";
  op.examples = {"voronoi bunny.obj -o broken.bgeo --pieces 200",
                 "voronoi wall.bgeo -o broken.bgeo --cluster at=0,1,0 radius=0.2 --levels 2",
                 "voronoi bunny.obj -o broken.bgeo -o glue.bgeo -o hulls.bgeo --proxy-shrink 0.001"};
  op.inputs = {
      {"geometry", "Solid", "A closed surface. What can be repaired with certainty is, with a warning."},
      {"sites", "Sites", "Points to use as sites instead of scattering them.", PortType::Geometry, true},
      {"clusters", "Clusters", "Points where sites crowd; their radius attribute, if they have one.",
       PortType::Geometry, true},
      {"density", "Density", "A VDB with the density of sites.", PortType::Geometry, true}};
  op.outputs = fractureOutputPorts();
  op.bind(parameters(), fracture);
  return op;
}

}  // namespace hackle
