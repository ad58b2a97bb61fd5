#include <hackle/core/parallel.h>
#include <hackle/fracture/mott.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/material.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

enum class PieceMode { Auto, Name, Connection, Whole };

struct MeasureOptions {
  PieceMode pieces = PieceMode::Auto;
  bool attributes = false;
  int bins = 12;
  int list = 10;
  MaterialOptions material;
};

struct PieceMeasure {
  MassProperties mass;
  double size = 0.0;  // m, greatest distance between two of its points
};

Pieces chosenPieces(const Geometry& geometry, PieceMode mode) {
  switch (mode) {
    case PieceMode::Name:
      return piecesByName(geometry);
    case PieceMode::Connection:
      return piecesByConnection(geometry);
    case PieceMode::Whole: {
      Pieces whole;
      if (geometry.primitiveCount() == 0) return whole;
      whole.names = {"whole"};
      whole.ofPrimitive.assign(geometry.primitiveCount(), 0);
      whole.primitives.resize(geometry.primitiveCount());
      std::iota(whole.primitives.begin(), whole.primitives.end(), 0);
      whole.starts = {0, static_cast<int32_t>(geometry.primitiveCount())};
      return whole;
    }
    default:
      return findPieces(geometry);
  }
}

/// Triangles or tetrahedra sorted by piece: those of piece i are cells[starts[i]] to starts[i + 1].
template <class Cell>
struct CellsOfPieces {
  std::vector<size_t> starts;
  std::vector<Cell> cells;

  CellsOfPieces(const CowArray<Cell>& all, const CowArray<int32_t>& primitives, const Pieces& pieces)
      : starts(pieces.count() + 1, 0), cells(all.size()) {
    const auto pieceOf = [&](size_t c) { return static_cast<size_t>(pieces.ofPrimitive[primitives[c]]); };
    for (size_t c = 0; c < all.size(); ++c) ++starts[pieceOf(c) + 1];
    for (size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
    std::vector<size_t> place(starts.begin(), starts.end() - 1);
    for (size_t c = 0; c < all.size(); ++c) cells[place[pieceOf(c)]++] = all[c];
  }
  Span<const Cell> of(size_t piece) const {
    return Span<const Cell>(cells.data() + starts[piece], starts[piece + 1] - starts[piece]);
  }
};

double sizeOf(const Geometry& geometry, Span<const int32_t> primitives) {
  std::vector<int32_t> points;
  for (const int32_t p : primitives)
    for (const int32_t c : geometry.corners(static_cast<size_t>(p))) points.push_back(c);
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  std::vector<Vec3> positions;
  positions.reserve(points.size());
  for (const int32_t p : points) positions.push_back(geometry.position(static_cast<size_t>(p)));
  return diameter(positions);
}

std::vector<PieceMeasure> measurePieces(const Geometry& geometry, const Pieces& pieces, Context& context) {
  const TriangleMesh triangles = triangleMesh(geometry, context);
  const TetrahedronMesh tetrahedra = tetrahedronMesh(geometry);
  const CellsOfPieces<Triangle> faces(triangles.triangles, triangles.primitives, pieces);
  const CellsOfPieces<Tetrahedron> solids(tetrahedra.tetrahedra, tetrahedra.primitives, pieces);
  std::vector<PieceMeasure> measures(pieces.count());
  parallelFor(context, pieces.count(), 1, [&](size_t i) {
    PieceMeasure& m = measures[i];
    m.mass = massProperties(geometry.positions(), faces.of(i), context);
    if (!solids.of(i).empty()) {
      const double area = m.mass.area;
      m.mass = massProperties(geometry.positions(), solids.of(i), context);
      m.mass.area = area;
    }
    m.size = sizeOf(geometry, pieces.primitivesOf(i));
  });
  return measures;
}

/// Pieces whose polygons leave an edge open. Faces of different pieces do not close each other.
std::vector<uint8_t> findOpenPieces(const Geometry& geometry, const Pieces& pieces, Context& context) {
  const EdgeTable table = findEdges(geometry, context);
  std::vector<int32_t> pieceOfVertex(geometry.vertexCount());
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    for (size_t v = geometry.firstVertex(p); v < geometry.firstVertex(p + 1); ++v)
      pieceOfVertex[v] = pieces.ofPrimitive[p];
  std::vector<uint8_t> open(pieces.count(), 0);
  std::vector<int32_t> around;
  for (size_t e = 0; e < table.edges.size(); ++e) {
    around.clear();
    for (const int32_t v : table.halfEdgesOf(e)) around.push_back(pieceOfVertex[v]);
    std::sort(around.begin(), around.end());
    for (size_t i = 0; i < around.size();) {
      const size_t end = static_cast<size_t>(
          std::upper_bound(around.begin() + static_cast<std::ptrdiff_t>(i), around.end(), around[i]) -
          around.begin());
      if ((end - i) % 2 == 1) open[around[i]] = 1;
      i = end;
    }
  }
  return open;
}

void writeAttributes(Geometry& geometry, const Pieces& pieces, const std::vector<PieceMeasure>& measures,
                     double density) {
  const auto write = [&](const char* name, int width, const char* qualifier, const auto& valueOf) {
    std::vector<double> values(geometry.primitiveCount() * static_cast<size_t>(width));
    for (size_t p = 0; p < geometry.primitiveCount(); ++p)
      for (int c = 0; c < width; ++c)
        values[p * static_cast<size_t>(width) + static_cast<size_t>(c)] =
            valueOf(measures[pieces.ofPrimitive[p]], c);
    Attribute attribute(name, Storage::Float64, width, 0, qualifier);
    attribute.assign(CowArray<double>(std::move(values)));
    geometry.addAttribute(Owner::Primitive, std::move(attribute));
  };
  using M = PieceMeasure;
  write("volume", 1, "", [](const M& m, int) { return m.mass.volume; });
  write("area", 1, "", [](const M& m, int) { return m.mass.area; });
  write("mass", 1, "", [&](const M& m, int) { return density * m.mass.volume; });
  write("size", 1, "", [](const M& m, int) { return m.size; });
  write("centre", 3, "point", [](const M& m, int c) { return m.mass.centre[c]; });
  write("inertia", 9, "", [&](const M& m, int c) { return density * m.mass.inertia(c / 3, c % 3); });
}

Value matrixValue(const Mat3& m) {
  Value::List rows;
  for (int r = 0; r < 3; ++r) rows.push_back(Value::List{m(r, 0), m(r, 1), m(r, 2)});
  return rows;
}

/// All pieces as one rigid body.
MassProperties combined(const std::vector<PieceMeasure>& measures) {
  MassProperties whole;
  Vec3 first = Vec3::Zero();
  for (const PieceMeasure& m : measures) {
    whole.volume += m.mass.volume;
    whole.area += m.mass.area;
    first += m.mass.volume * m.mass.centre;
  }
  if (!(std::abs(whole.volume) > 0)) return whole;
  whole.centre = first / whole.volume;
  for (const PieceMeasure& m : measures) {
    const Vec3 r = m.mass.centre - whole.centre;
    whole.inertia +=
        m.mass.inertia + m.mass.volume * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  }
  return whole;
}

/// Bins of equal width in log(volume) between the least and the greatest.
Value histogram(const std::vector<double>& volumes, int bins) {
  std::vector<double> positive;
  for (const double v : volumes)
    if (v > 0) positive.push_back(v);
  if (positive.empty()) return Value::List();
  const auto range = std::minmax_element(positive.begin(), positive.end());
  const double least = *range.first, greatest = *range.second;
  const double low = std::log(least), width = std::log(greatest) - low;
  if (!(width > 0)) bins = 1;
  std::vector<size_t> counts(static_cast<size_t>(bins), 0);
  for (const double v : positive) {
    const double place = width > 0 ? (std::log(v) - low) / width * bins : 0.0;
    ++counts[std::clamp(static_cast<int>(place), 0, bins - 1)];
  }
  Value::List list;
  const auto edge = [&](int i) {
    return i == 0 ? least : i == bins ? greatest : std::exp(low + width * i / bins);
  };
  for (int i = 0; i < bins; ++i)
    list.push_back(Value::Map{{"from", edge(i)}, {"to", edge(i + 1)}, {"count", counts[i]}});
  return list;
}

Value largestPieces(const Pieces& pieces, const std::vector<PieceMeasure>& measures, double density,
                    int count) {
  std::vector<size_t> order(pieces.count());
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return measures[a].mass.volume > measures[b].mass.volume; });
  order.resize(std::min(order.size(), static_cast<size_t>(count)));
  Value::List list;
  for (const size_t i : order) {
    const MassProperties& m = measures[i].mass;
    list.push_back(Value::Map{{"name", pieces.names[i]},
                              {"primitives", pieces.primitivesOf(i).size()},
                              {"volume", m.volume},
                              {"area", m.area},
                              {"mass", density * m.volume},
                              {"size", measures[i].size},
                              {"centre", Value::numbers(m.centre)},
                              {"inertia", matrixValue(density * m.inertia)}});
  }
  return list;
}

Value statistics(const std::vector<double>& volumes) {
  Value result;
  const double total = std::accumulate(volumes.begin(), volumes.end(), 0.0);
  result.set("total", total);
  if (volumes.empty()) return result;
  const auto [least, greatest] = std::minmax_element(volumes.begin(), volumes.end());
  result.set("min", *least);
  result.set("max", *greatest);
  result.set("mean", total / static_cast<double>(volumes.size()));
  return result;
}

void warnAboutPieces(const Pieces& pieces, const std::vector<uint8_t>& open,
                     const std::vector<PieceMeasure>& measures, Context& context) {
  const auto warnOf = [&](const auto& isBad, const char* what) {
    size_t count = 0, first = 0;
    for (size_t i = pieces.count(); i-- > 0;)
      if (isBad(i)) {
        ++count;
        first = i;
      }
    if (count > 0)
      context.warn(fmt::format("{} of {} pieces ({}{}) {}", count, pieces.count(), pieces.names[first],
                               count > 1 ? ", ..." : "", what));
  };
  warnOf([&](size_t i) { return open[i] != 0; }, "are not closed: their volumes are estimates");
  warnOf([&](size_t i) { return measures[i].mass.volume < 0; },
         "have negative volumes: they are inside out; the normals operator can flip faces");
}

Outputs measure(const Inputs& inputs, const MeasureOptions& options, Context& context) {
  Geometry geometry = inputs.geometry(0);
  const Pieces pieces = chosenPieces(geometry, options.pieces);
  const std::vector<PieceMeasure> measures = measurePieces(geometry, pieces, context);
  const std::vector<uint8_t> open = findOpenPieces(geometry, pieces, context);
  warnAboutPieces(pieces, open, measures, context);
  const double density = options.material.density;
  if (options.attributes) writeAttributes(geometry, pieces, measures, density);

  std::vector<double> volumes;
  for (const PieceMeasure& m : measures) volumes.push_back(m.mass.volume);
  const MassProperties whole = combined(measures);
  const MottFit mott = fitMott(volumes);
  Value result;
  result.set("pieces", pieces.count());
  result.set("open_pieces", static_cast<size_t>(std::count(open.begin(), open.end(), uint8_t(1))));
  result.set("volume", statistics(volumes));
  result.set("area", whole.area);
  result.set("density", density);
  result.set("mass", density * whole.volume);
  result.set("centre", Value::numbers(whole.centre));
  result.set("inertia", matrixValue(density * whole.inertia));
  result.set("histogram", histogram(volumes, options.bins));
  result.set("mott", Value::Map{{"samples", mott.samples},
                                {"mean_volume", mott.meanVolume},
                                {"ks_distance", mott.distance}});
  result.set("largest", largestPieces(pieces, measures, density, options.list));
  return Outputs({std::move(geometry)}, std::move(result));
}

ParameterTable<MeasureOptions> measureTable() {
  ParameterTable<MeasureOptions> table;
  using O = MeasureOptions;
  table.add(&O::pieces, "pieces", "Pieces")
      .menu({{"auto", "Name, or Connection"},
             {"name", "Name"},
             {"connection", "Connection"},
             {"whole", "Whole"}})
      .help(
          "What a piece is: primitives of equal name, primitives that share points, or everything. The first "
          "choice goes by name where there is a primitive attribute name, else by connection.");
  table.add(&O::attributes, "attributes", "Write Attributes")
      .help(
          "Give every primitive the figures of its piece, as attributes volume (m^3), area (m^2), mass (kg), "
          "size (m), centre (m) and inertia (9 numbers, kg m^2).");
  table.add(&O::bins, "bins", "Histogram Bins")
      .unit("none")
      .hard(1, 10000)
      .soft(4, 40)
      .help("Number of bins of the histogram of volumes, equally wide in the logarithm.");
  table.add(&O::list, "list", "Listed Pieces")
      .unit("none")
      .hard(0, 1e9)
      .soft(0, 100)
      .help("How many pieces to list with all their figures, largest first.");
  table.include(&O::material, densityTable());
  return table;
}

}  // namespace

Operator measureOperator() {
  Operator op;
  op.id = "measure";
  op.label = "Measure";
  op.summary = "Volume, mass, centre and inertia of every piece, and their statistics";
  op.help =
      "Computes volume, surface area, mass, centre of mass, inertia tensor about that centre, and size (the "
      "greatest distance between two points) of every piece, by exact integrals over its faces, or over its "
      "tetrahedra where it has any. The geometry passes through; with attributes on, every primitive carries "
      "the figures of its piece.\n\n"
      "The report gives totals, the least, greatest and mean volume, a histogram of volumes in logarithmic "
      "bins, the largest pieces one by one, and the fit of Mott's law: the fraction of pieces with a volume "
      "above v is exp(-(6 v / m)^(1/3)). m is the mean volume of greatest likelihood; ks_distance "
      "(Kolmogorov-Smirnov) is the greatest difference between the law and the pieces, 0 for a perfect fit. "
      "Brittle debris follows the law well, a plain Voronoi fracture does not.\n\n"
      "Volumes need closed pieces; open ones are counted and warned about.";
  op.category = "Geometry";
  op.examples = {"measure pieces.bgeo --preset concrete",
                 "measure pieces.bgeo --attributes -o measured.bgeo --json report.json"};
  op.inputs = {{"geometry", "Geometry", "Closed pieces, by name or by connection."}};
  op.outputs = {
      {"geometry", "Geometry", "The same geometry, with attributes if asked for.", PortType::Geometry, true}};
  op.bind(measureTable(), measure);
  return op;
}

}  // namespace hackle
