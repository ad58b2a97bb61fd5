#include <hackle/ops/catalogue.h>

#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace hackle {

namespace {

struct InfoOptions {
  bool topology = true;
  int samples = 4;
};

Value vectorValue(const Vec3& v) { return Value::numbers(v); }

Value boxValue(const Box3& box) {
  if (box.empty()) return Value();
  return Value::Map{
      {"min", vectorValue(box.min)}, {"max", vectorValue(box.max)}, {"size", vectorValue(box.size())}};
}

/// The box of all finite points and volumes: Geometry::bounds would pass NaN on or hide it.
Box3 finiteBounds(const Geometry& geometry, size_t& nonFinite) {
  Box3 box;
  for (const Vec3& p : geometry.positions()) {
    if (p.allFinite())
      box.add(p);
    else
      ++nonFinite;
  }
  for (size_t p = 0; p < geometry.primitiveCount(); ++p)
    if (geometry.primitiveType(p) == PrimitiveType::Volume && !geometry.volume(p)->bounds().empty())
      box.add(geometry.volume(p)->bounds());
  return box;
}

/// Least and greatest value of each component over the finite ones; how many are not finite.
void addRange(const Attribute& attribute, Value& entry) {
  const size_t width = static_cast<size_t>(attribute.tupleSize());
  size_t nonFinite = 0;
  const auto rangeOf = [&](auto values) {
    using T = std::remove_const_t<std::remove_reference_t<decltype(values[0])>>;
    std::vector<T> low(width, std::numeric_limits<T>::max()), high(width, std::numeric_limits<T>::lowest());
    for (size_t i = 0; i < values.size(); ++i) {
      const T v = values[i];
      if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(v)) {
          ++nonFinite;
          continue;
        }
      }
      low[i % width] = std::min(low[i % width], v);
      high[i % width] = std::max(high[i % width], v);
    }
    Value::List least, greatest;
    for (size_t c = 0; c < width; ++c) {
      const bool any = low[c] <= high[c];
      if constexpr (std::is_floating_point_v<T>) {
        least.push_back(any ? Value(static_cast<double>(low[c])) : Value());
        greatest.push_back(any ? Value(static_cast<double>(high[c])) : Value());
      } else {
        least.push_back(any ? Value(static_cast<int64_t>(low[c])) : Value());
        greatest.push_back(any ? Value(static_cast<int64_t>(high[c])) : Value());
      }
    }
    entry.set("min", std::move(least));
    entry.set("max", std::move(greatest));
  };
  if (attribute.elementCount() > 0) attribute.visitNumbers(rangeOf);
  if (nonFinite > 0) entry.set("non_finite", nonFinite);
}

/// Number of different texts, and the first few in order of appearance.
void addTexts(const Attribute& attribute, int samples, Value& entry) {
  std::unordered_set<std::string> seen;
  std::vector<uint8_t> known(attribute.strings().table.size() + 1, 0);
  Value::List sample;
  for (size_t i = 0; i < attribute.strings().indices.size(); ++i) {
    const int32_t index = attribute.strings().indices[i];
    const size_t slot = index < 0 || static_cast<size_t>(index) + 1 >= known.size()
                            ? known.size() - 1
                            : static_cast<size_t>(index);
    if (known[slot]) continue;
    known[slot] = 1;
    const std::string text = slot + 1 == known.size() ? std::string() : attribute.strings().table[slot];
    if (!seen.insert(text).second) continue;
    if (static_cast<int>(sample.size()) < samples) sample.push_back(text);
  }
  entry.set("distinct", seen.size());
  entry.set("sample", std::move(sample));
}

Value attributesOf(const Geometry& geometry, Owner owner, int samples) {
  Value::List list;
  for (const Attribute& attribute : geometry.attributes(owner)) {
    Value entry;
    entry.set("name", attribute.name());
    entry.set("type", storageName(attribute.storage()));
    entry.set("size", attribute.tupleSize());
    if (!attribute.qualifier.empty()) entry.set("qualifier", attribute.qualifier);
    if (attribute.isString())
      addTexts(attribute, samples, entry);
    else if (attribute.tupleSize() > 0)
      addRange(attribute, entry);
    list.push_back(std::move(entry));
  }
  return list;
}

Value groupsOf(const Geometry& geometry) {
  Value::List list;
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive})
    for (const Group& group : geometry.groups(owner)) {
      Value entry = Value::Map{{"name", group.name}, {"owner", ownerName(owner)}, {"count", group.count()}};
      if (!group.order.empty()) entry.set("ordered", true);
      list.push_back(std::move(entry));
    }
  for (const EdgeGroup& group : geometry.edgeGroups())
    list.push_back(Value::Map{{"name", group.name}, {"owner", "edge"}, {"count", group.edges.size()}});
  return list;
}

Value volumesOf(const Geometry& geometry) {
  Value::List list;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Volume) continue;
    const VolumeGrid& grid = *geometry.volume(p);
    list.push_back(Value::Map{{"primitive", p},
                              {"name", grid.name()},
                              {"type", grid.valueType()},
                              {"class", grid.gridClass()},
                              {"active_voxels", static_cast<int64_t>(grid.activeVoxelCount())},
                              {"voxel_size", vectorValue(grid.voxelSize())},
                              {"bounds", boxValue(grid.bounds())}});
  }
  return list;
}

Value packedOf(const Geometry& geometry) {
  Value::List list;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Packed) continue;
    const PackedPrimitive& packed = geometry.packed(p);
    Value entry = Value::Map{{"primitive", p}};
    switch (packed.kind) {
      case PackedPrimitive::Kind::Geometry:
        entry.set("kind", "geometry");
        break;
      case PackedPrimitive::Kind::Fragment:
        entry.set("kind", "fragment");
        entry.set("attribute", packed.fragmentAttribute);
        entry.set("name", packed.fragmentName);
        break;
      case PackedPrimitive::Kind::Disk:
        entry.set("kind", "disk");
        entry.set("file", packed.fileName);
        break;
    }
    if (packed.source) {
      entry.set("points", packed.source->pointCount());
      entry.set("primitives", packed.source->primitiveCount());
    }
    list.push_back(std::move(entry));
  }
  return list;
}

void addTopology(const Geometry& geometry, bool finite, Context& context, Value& result) {
  const Topology topology = analyseTopology(geometry, context);
  if (topology.faces > 0) {
    result.set("closed", topology.closed);
    result.set("manifold", topology.manifold);
    result.set("oriented", topology.oriented);
    result.set("components", topology.components);
    result.set("euler", topology.euler());
    result.set("edges", topology.edges);
    result.set("boundary_edges", topology.boundaryEdges);
    result.set("non_manifold_edges", topology.nonManifoldEdges);
    result.set("non_manifold_points", topology.nonManifoldPoints);
    result.set("misoriented_edges", topology.misorientedEdges);
    result.set("degenerate_faces", topology.degenerateFaces);
  }
  if (!finite) return;
  if (topology.faces > 0) {
    const MassProperties mass = massProperties(triangleMesh(geometry, context), context);
    result.set("area", mass.area);
    // The inside of an open surface is not defined.
    result.set("volume", topology.closed && topology.oriented ? Value(mass.volume) : Value());
    if (topology.closed && topology.oriented) result.set("centre_of_mass", vectorValue(mass.centre));
  }
  if (geometry.countOf(PrimitiveType::Tetrahedron) > 0)
    result.set("tetrahedra_volume", massProperties(tetrahedronMesh(geometry), context).volume);
}

Outputs info(const Inputs& inputs, const InfoOptions& options, Context& context) {
  const Geometry& geometry = inputs.geometry(0);
  Value result;
  result.set("points", geometry.pointCount());
  result.set("vertices", geometry.vertexCount());
  result.set("primitives", geometry.primitiveCount());
  Value types = Value::Map();
  for (const PrimitiveType type : {PrimitiveType::Polygon, PrimitiveType::Polyline,
                                   PrimitiveType::Tetrahedron, PrimitiveType::Volume, PrimitiveType::Packed})
    if (const size_t count = geometry.countOf(type)) types.set(primitiveTypeName(type), count);
  result.set("primitive_types", std::move(types));
  if (hasPieceNames(geometry)) result.set("pieces", piecesByName(geometry).count());

  size_t nonFinite = 0;
  result.set("bounds", boxValue(finiteBounds(geometry, nonFinite)));
  result.set("non_finite_points", nonFinite);
  if (options.topology) addTopology(geometry, nonFinite == 0, context, result);

  result.set("position_storage", storageName(geometry.positionFileStorage));
  Value attributes = Value::Map();
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail})
    attributes.set(ownerName(owner), attributesOf(geometry, owner, options.samples));
  result.set("attributes", std::move(attributes));
  result.set("groups", groupsOf(geometry));
  result.set("volumes", volumesOf(geometry));
  result.set("packed", packedOf(geometry));
  return Outputs({}, std::move(result));
}

}  // namespace

Operator infoOperator() {
  Operator op;
  op.id = "info";
  op.label = "Info";
  op.summary = "Describe a geometry: counts, attributes, groups, closedness, volume";
  op.help =
      "Counts points, vertices and primitives by type, and lists every attribute with its type and range, "
      "every group with its size, every volume grid and every packed primitive. Packed primitives are "
      "described, not opened; convert with unpack on first to see what is in them.\n\n"
      "For polygons it says whether they are fit to be fractured. closed: every edge has two faces (or an "
      "even number of them), so there is an inside. manifold: no edge has more than two faces and no point "
      "joins faces that do not meet at an edge. oriented: neighbouring faces agree about which side is "
      "outside. euler is points - edges + faces: 2 for each closed component without a handle, 2 less for "
      "each handle.\n\n"
      "volume is given for closed and oriented surfaces only, in cubic metres; it is negative when the "
      "surface is inside out. Geometry with NaN or infinite points is described too: non_finite_points "
      "counts them, ranges and bounds leave them out.";
  op.category = "Geometry";
  op.examples = {"info bunny.obj", "info bunny.obj --json -"};
  op.inputs = {{"geometry", "Geometry", "The geometry to describe."}};
  op.keepsPacked = true;
  op.takesNonFinite = true;
  ParameterTable<InfoOptions> table;
  table.add(&InfoOptions::topology, "topology", "Topology")
      .help("Examine edges and compute area and volume. Off, only counts, ranges and lists are given.");
  table.add(&InfoOptions::samples, "samples", "Text Samples")
      .unit("none")
      .hard(0, 1e9)
      .soft(0, 20)
      .help("How many different values of a text attribute to show.");
  op.bind(table, info);
  return op;
}

}  // namespace hackle
