#include <hackle/core/parallel.h>
#include <hackle/fracture/pieces.h>
#include <hackle/fracture/voronoi/sites.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/ops/catalogue.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace hackle {

namespace {

struct VoronoiOptions {
  int pieces = 20;
  int seed = 0;
  std::vector<SiteCluster> clusters;
  double clustered = 0.7;
  int relaxation = 0;
  Vec3 stretch = Vec3::Ones();
  bool triangulate = false;
  double uvScale = 1.0;
  std::string prefix = "piece";
};

void checkSolid(const Geometry& solid, Context& context) {
  const Topology topology = analyseTopology(solid, context);
  if (topology.faces == 0)
    throw Error(ErrorCode::BadInput, "the input has no polygons", "give a closed surface");
  if (topology.boundaryEdges > 0) {
    const Vec3 at = solid.position(static_cast<size_t>(boundaryEdges(solid, context)[0][0]));
    throw Error(ErrorCode::BadInput,
                fmt::format("{} open edges, the first at ({:.4g}, {:.4g}, {:.4g})", topology.boundaryEdges,
                            at.x(), at.y(), at.z()),
                "close the surface first");
  }
  if (!topology.manifold)
    throw Error(ErrorCode::BadInput,
                fmt::format("{} edges with more than two faces, {} points where surfaces touch",
                            topology.nonManifoldEdges, topology.nonManifoldPoints),
                "split them first");
  if (!topology.oriented)
    throw Error(
        ErrorCode::BadInput,
        fmt::format("neighbouring faces disagree about outside at {} edges", topology.misorientedEdges),
        "make the orientation consistent first");
}

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

Outputs fracture(const Inputs& inputs, const VoronoiOptions& options, Context& context) {
  Geometry solid = inputs.geometry(0);
  checkSolid(solid, context);
  if (solid.countOf(PrimitiveType::Polygon) < solid.primitiveCount()) {
    std::vector<int32_t> polygons;
    for (size_t p = 0; p < solid.primitiveCount(); ++p)
      if (solid.primitiveType(p) == PrimitiveType::Polygon) polygons.push_back(static_cast<int32_t>(p));
    context.warn(fmt::format("{} primitives that are no polygons are left out",
                             solid.primitiveCount() - polygons.size()));
    solid = solid.extract(polygons);
  }
  TriangleMesh mesh = triangleMesh(solid);
  if (massProperties(mesh, context).volume < 0) {
    context.warn("the surface is inside out; it was turned over");
    solid.flipWinding();
    mesh = triangleMesh(solid);
  }

  std::vector<Vec3> sites;
  {
    const Context::Stage stage(context, "sites", 0.1);
    if (inputs.has(1)) {
      sites = distinct(inputs.geometry(1).positions(), context);
      if (sites.empty()) throw Error(ErrorCode::BadInput, "there are no points on the input of sites");
    } else {
      SiteOptions scatter;
      scatter.count = static_cast<size_t>(options.pieces);
      scatter.seed = static_cast<uint64_t>(options.seed);
      scatter.clusters = options.clusters;
      scatter.clustered = options.clustered;
      scatter.relaxation = options.relaxation;
      sites = distinct(scatterSites(mesh, scatter, context), context);
    }
  }

  // Stretched cells are round ones in a space that is shrunk by the stretch.
  const Vec3 shrink = options.stretch.cwiseInverse();
  TriangleMesh metric = mesh;
  if (options.stretch != Vec3::Ones()) {
    for (Vec3& p : metric.points.edit()) p = p.cwiseProduct(shrink);
    for (Vec3& p : sites) p = p.cwiseProduct(shrink);
  }
  Cut cut = cutByVoronoi(solid, metric, sites, context);
  if (options.stretch != Vec3::Ones())
    for (CutVertex& v : cut.vertices)
      v.position = v.point >= 0 ? mesh.points[static_cast<size_t>(v.point)]
                                : Vec3(v.position.cwiseProduct(options.stretch));

  const Context::Stage stage(context, "pieces", 0.3);
  PieceOptions pieceOptions;
  pieceOptions.prefix = options.prefix;
  pieceOptions.triangulate = options.triangulate;
  pieceOptions.uvScale = options.uvScale;
  FracturePieces pieces = makePieces(solid, mesh, cut, pieceOptions, context);
  Value report = pieceReport(solid, pieces, context);
  report.set("sites", sites.size());
  return Outputs({std::move(pieces.geometry)}, std::move(report));
}

}  // namespace

Operator voronoiOperator() {
  Operator op;
  op.id = "voronoi";
  op.label = "Voronoi Fracture";
  op.summary = "Break a solid along the cells of a Voronoi diagram";
  op.help =
      "Cuts a closed surface into the parts nearest to each of many sites. Sites are scattered evenly inside "
      "the solid, "
      "crowd around clusters, or come as points on the second input.\n\n"
      "Every piece is closed and keeps the attributes of the input on its outside faces; each face between "
      "two pieces is one "
      "planar polygon with the same corners on both sides. Pieces are named by the primitive attribute name, "
      "new faces are in "
      "the primitive group inside, the others in outside. Parts of a cell that do not hang together become "
      "pieces of their own.";
  op.category = "Fracture";
  op.inputs = {
      {"geometry", "Solid", "A closed, consistently oriented surface."},
      {"sites", "Sites", "Points to use as sites instead of scattering them.", PortType::Geometry, true}};
  op.outputs = {{"geometry", "Pieces", "Closed pieces."}};

  ParameterTable<SiteCluster> cluster;
  cluster.add(&SiteCluster::at, "at", "Position")
      .unit("m")
      .soft(-10, 10)
      .fromAttribute("P")
      .help("Centre of the cluster.");
  cluster.add(&SiteCluster::radius, "radius", "Radius")
      .unit("m")
      .hard(0, 1e6)
      .soft(0, 1)
      .help("Standard deviation of the distance along each axis.");

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
  table.addList(&VoronoiOptions::clusters, "cluster", "Clusters", cluster)
      .help("Places where sites crowd, such as points of impact.");
  table.add(&VoronoiOptions::clustered, "clustered", "Clustered Share")
      .unit("none")
      .range(0, 1)
      .help("Share of the sites that go to the clusters; the others are scattered evenly.");
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
  table.section("Faces");
  table.add(&VoronoiOptions::triangulate, "triangulate", "Triangulate")
      .help("Cut all polygons of more than three corners into triangles.");
  table.add(&VoronoiOptions::uvScale, "uv_scale", "Inside UV Scale")
      .unit("1/m")
      .hard(1e-9, 1e9)
      .soft(0.01, 100)
      .help("Texture lengths per metre on inside faces.");
  table.add(&VoronoiOptions::prefix, "prefix", "Name Prefix").help("Pieces are named by this and a number.");
  op.bind(table, fracture);
  return op;
}

}  // namespace hackle
