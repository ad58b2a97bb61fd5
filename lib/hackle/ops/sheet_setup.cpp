#include <hackle/core/error.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/mechanics/elastic.h>
#include <hackle/ops/sheet_setup.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

/// The sheet as it was given, to look up what is painted on it.
struct PaintedSheet {
  Geometry geometry;
  TriangleMesh mesh;
  TriangleBvh tree;

  PaintedSheet(const Geometry& g, Context& context)
      : geometry(g), mesh(triangleMesh(g, context)), tree(mesh, context) {}

  double number(const Attribute& attribute, const Vec3& place) const {
    const ClosestPoint at = tree.closestPoint(place);
    double sum = 0;
    for (int k = 0; k < 3; ++k)
      sum += at.barycentric[k] * attribute.number(static_cast<size_t>(mesh.triangles[at.triangle][k]));
    return sum;
  }
  /// Points: all corners of the triangle that count at the place; primitives: its polygon.
  bool member(const Group& group, Owner owner, const Vec3& place) const {
    const ClosestPoint at = tree.closestPoint(place);
    if (owner == Owner::Primitive) return group.bits[mesh.primitives[at.triangle]] != 0;
    for (int k = 0; k < 3; ++k)
      if (at.barycentric[k] > 1e-6 && !group.bits[mesh.triangles[at.triangle][k]]) return false;
    return true;
  }
};
using PaintedSheetPtr = std::shared_ptr<const PaintedSheet>;

std::function<double(const Vec3&)> paintedNumber(const PaintedSheetPtr& sheet, const std::string& name,
                                                 double low) {
  const Attribute* attribute = sheet->geometry.findAttribute(Owner::Point, name);
  if (!attribute) return nullptr;
  if (attribute->isString())
    throw Error(ErrorCode::BadInput, fmt::format("the point attribute {} of the sheet is text", name),
                "paint numbers: 1 is the value of the parameter, 2 twice as much");
  for (size_t p = 0; p < attribute->elementCount(); ++p) {
    const double value = attribute->number(p);
    if (!std::isfinite(value) || value < low)
      throw Error(ErrorCode::BadInput,
                  fmt::format("the point attribute {} is {} at point {}", name, value, p),
                  fmt::format("paint numbers of at least {}", low));
  }
  return [sheet, attribute](const Vec3& place) { return sheet->number(*attribute, place); };
}

std::function<bool(const Vec3&)> paintedGroup(const PaintedSheetPtr& sheet, const std::string& name) {
  if (name.empty()) return nullptr;
  for (const Owner owner : {Owner::Point, Owner::Primitive})
    if (const Group* group = sheet->geometry.findGroup(owner, name))
      return [sheet, group, owner](const Vec3& place) { return sheet->member(*group, owner, place); };
  return nullptr;
}

void checkSheet(const Geometry& sheet, Context& context) {
  const Topology topology = analyseTopology(sheet, context);
  if (topology.faces == 0)
    throw Error(ErrorCode::BadInput, "the sheet has no polygons", "give it an open surface");
  for (size_t p = 0; p < sheet.pointCount(); ++p)
    if (!sheet.position(p).allFinite())
      throw Error(ErrorCode::BadInput, fmt::format("the position of point {} of the sheet is not finite", p),
                  "remove or mend the point");
  if (topology.nonManifoldEdges > 0 || topology.nonManifoldPoints > 0)
    throw Error(
        ErrorCode::BadInput,
        fmt::format(
            "the sheet is not manifold: {} edges with three or more faces, {} points where parts touch",
            topology.nonManifoldEdges, topology.nonManifoldPoints),
        "run repair, or separate the parts");
  if (topology.closed)
    context.warn(
        "the sheet is closed and taken for a hollow shell; solids are broken by voronoi, cvd, modes and "
        "crack");
  if (!topology.oriented)
    throw Error(
        ErrorCode::BadInput,
        fmt::format("{} edges of the sheet have faces turned against each other", topology.misorientedEdges),
        "run repair, which turns faces to one side");
}

/// Segments of polylines (and of open polygons' outlines) on an input.
std::vector<SheetCrackRecord> segments(const Geometry& lines) {
  std::vector<SheetCrackRecord> result;
  for (size_t p = 0; p < lines.primitiveCount(); ++p) {
    const Span<const int32_t> c = lines.corners(p);
    const bool closed = lines.primitiveType(p) == PrimitiveType::Polygon;
    for (size_t k = 0; k + (closed ? 0 : 1) < c.size(); ++k)
      result.push_back({lines.position(static_cast<size_t>(c[k])),
                        lines.position(static_cast<size_t>(c[(k + 1) % c.size()]))});
  }
  return result;
}

std::vector<SheetPin> makePins(const SheetOperatorOptions& options, const Box3& box) {
  std::vector<SheetPin> pins;
  for (size_t i = 0; i < options.pins.size(); ++i) {
    const SheetPinRecord& record = options.pins[i];
    SheetPin pin;
    pin.centre = record.at;
    pin.half = 0.5 * record.size + Vec3::Constant(1e-9 + 1e-9 * box.diagonal());
    pin.clamp = record.clamp;
    pin.stiffness = record.stiffness;
    if (record.release > 0) pin.release = record.release;
    const Vec3 off = (record.at - box.centre()).cwiseAbs() - pin.half - 0.5 * box.size();
    if (off.maxCoeff() > 0)
      throw Error(ErrorCode::BadInput, fmt::format("pin {} does not reach the sheet", i),
                  "move it onto the sheet or make it larger");
    pins.push_back(pin);
  }
  for (const SheetKeyRecord& key : options.keys) {
    if (key.pin < 0 || key.pin >= static_cast<int>(pins.size()))
      throw Error(ErrorCode::Usage,
                  fmt::format("a key moves pin {}, and there are {} pins", key.pin, pins.size()),
                  "pins count from 0");
    pins[static_cast<size_t>(key.pin)].keys.push_back({key.time, key.move, kDegree * key.turn});
  }
  for (SheetPin& pin : pins) {
    if (pin.keys.empty()) continue;
    pin.keys.push_back({0, Vec3::Zero(), Vec3::Zero()});
    std::stable_sort(pin.keys.begin(), pin.keys.end(),
                     [](const SheetKey& a, const SheetKey& b) { return a.time < b.time; });
    if (pin.keys.size() > 1 && pin.keys[1].time == 0) pin.keys.erase(pin.keys.begin());
  }
  return pins;
}

std::vector<SheetObstacle> makeObstacles(const Inputs& inputs, const SheetOperatorOptions& options,
                                         Context& context) {
  std::vector<SheetObstacle> obstacles;
  for (const SheetObstacleRecord& record : options.obstacles) {
    SheetObstacle o;
    o.shape =
        record.shape == SheetObstacleShape::Ball ? SheetObstacle::Shape::Ball : SheetObstacle::Shape::Plane;
    o.position = record.at;
    if (!(record.normal.norm() > 0))
      throw Error(ErrorCode::Usage, "an obstacle's normal is zero", "give it a direction");
    o.normal = record.normal.normalized();
    o.radius = record.radius;
    o.velocity = record.velocity;
    o.mass = record.mass;
    obstacles.push_back(o);
  }
  if (inputs.has(SheetInput::Colliders) && inputs.geometry(SheetInput::Colliders).primitiveCount() > 0) {
    const Geometry& colliders = inputs.geometry(SheetInput::Colliders);
    if (!analyseTopology(colliders, context).closed)
      throw Error(ErrorCode::BadInput, "the colliders are not closed",
                  "close them, or use obstacles that are planes");
    SheetObstacle o;
    o.shape = SheetObstacle::Shape::Mesh;
    const TriangleMesh mesh = triangleMesh(colliders, context);
    o.points.assign(mesh.points.begin(), mesh.points.end());
    o.triangles.assign(mesh.triangles.begin(), mesh.triangles.end());
    o.surface = std::make_shared<TriangleBvh>(mesh, context);
    o.velocity = options.colliderVelocity;
    o.mass = options.colliderMass;
    obstacles.push_back(o);
  }
  return obstacles;
}

/// Does an edge of the triangles pass through the surface?
bool edgesCross(const TriangleMesh& mesh, const TriangleBvh& surface) {
  for (const Triangle& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      Ray ray;
      ray.origin = mesh.points[t[k]];
      ray.direction = mesh.points[t[(k + 1) % 3]] - ray.origin;
      ray.tMax = 1;
      if (surface.anyHit(ray)) return true;
    }
  return false;
}

/// Distance (m) of an obstacle from the middle of the sheet; negative where one passes through the other.
double gapOf(const SheetObstacle& obstacle, const PaintedSheet& sheet, const TriangleMesh& colliders) {
  if (obstacle.shape == SheetObstacle::Shape::Ball)
    return std::sqrt(sheet.tree.closestPoint(obstacle.position).squaredDistance) - obstacle.radius;
  double gap = std::numeric_limits<double>::infinity();
  for (const Triangle& t : sheet.mesh.triangles)
    for (const int32_t p : t) {
      Vec3 away;
      gap = std::min(gap, obstacleDistance(obstacle, sheet.mesh.points[p], gap, away));
    }
  if (obstacle.shape == SheetObstacle::Shape::Plane) return gap;
  for (const Vec3& p : colliders.points)
    gap = std::min(gap, std::sqrt(sheet.tree.closestPoint(p).squaredDistance));
  const bool crossing = edgesCross(sheet.mesh, *obstacle.surface) || edgesCross(colliders, sheet.tree);
  return crossing ? -1 : gap;
}

/// Distance (m) of the nearest obstacle from the face of the sheet. Error(BadInput) that names one that meets
/// the sheet.
double freeGap(const Inputs& inputs, const PaintedSheet& sheet, const std::vector<SheetObstacle>& obstacles,
               double thickness, Context& context) {
  double free = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < obstacles.size(); ++i) {
    const bool mesh = obstacles[i].shape == SheetObstacle::Shape::Mesh;
    const TriangleMesh colliders =
        mesh ? triangleMesh(inputs.geometry(SheetInput::Colliders), context) : TriangleMesh();
    const double gap = gapOf(obstacles[i], sheet, colliders) - 0.5 * thickness;
    if (!(gap > 0))
      throw Error(ErrorCode::BadInput,
                  fmt::format("{} the sheet at the start",
                              mesh ? std::string("the colliders meet") : fmt::format("obstacle {} meets", i)),
                  fmt::format("move it away by more than half the thickness, {} m", 0.5 * thickness));
    free = std::min(free, gap);
  }
  return free;
}

}  // namespace

std::unique_ptr<SheetSimulation> setUpSheet(const Inputs& inputs, const SheetOperatorOptions& options,
                                            bool resumed, Context& context) {
  const Geometry& sheet = inputs.geometry(SheetInput::Sheet);
  checkSheet(sheet, context);
  const SheetMaterialOptions& m = options.material;
  checkMaterial({m.young, m.poisson, m.density});
  const auto painted = std::make_shared<const PaintedSheet>(sheet, context);
  const Box3 box = sheet.bounds();

  SheetOptions out;
  out.material = {m.young, m.poisson, m.density, m.damping, m.yield};
  out.thickness = m.thickness;
  out.strength = m.strength;
  out.toughness = m.toughness;
  out.elongation = m.elongation;
  out.interlayer = m.interlayer;
  out.interlayerTear = m.interlayerTear;
  out.branching = m.branching;
  out.stored = m.stored;
  out.births = options.births && m.strength > 0;
  out.weibull = options.weibull;
  out.flawSpacing = options.flawSpacing > 0 ? options.flawSpacing : box.diagonal() / 50;
  out.seed = static_cast<uint64_t>(options.seed);
  out.grain = options.grain;
  out.grainRatio = m.grainRatio;
  out.fine = options.fine > 0 ? options.fine : box.diagonal() / 100;
  out.coarse = std::max(out.fine, options.coarse > 0 ? options.coarse : box.diagonal() / 15);
  out.refineAngle = options.refineAngle;
  out.step = std::min(options.step, options.frameTime);
  if (options.step > options.frameTime)
    context.warn(fmt::format("the step is longer than a frame: {} s are used", out.step));
  out.quasistatic = options.quasistatic;
  out.cracks = static_cast<size_t>(options.cracks);
  out.gravity = options.gravity;
  out.pressure = options.pressure;
  out.pins = makePins(options, box);
  out.obstacles = makeObstacles(inputs, options, context);
  out.thicknessScale = paintedNumber(painted, "thickness", 1e-6);
  const Attribute* thickness = sheet.findAttribute(Owner::Point, "thickness");
  double thickest = thickness ? 0.0 : 1.0;
  for (size_t p = 0; thickness && p < thickness->elementCount(); ++p)
    thickest = std::max(thickest, thickness->number(p));
  // The barrier reaches a part of the finest edge, no obstacle at the start, and is about as stiff as the
  // sheet is there.
  out.contact.reach = std::min(
      0.2 * out.fine, 0.9 * freeGap(inputs, *painted, out.obstacles, thickest * m.thickness, context));
  out.contact.stiffness = 0.1 * m.young * m.thickness;
  out.contact.friction = options.friction;
  out.selfContact = options.selfContact;
  if (inputs.has(SheetInput::Guides))
    for (const SheetCrackRecord& s : segments(inputs.geometry(SheetInput::Guides)))
      out.guides.push_back({s.from, s.to, options.guideFactor});
  out.strengthScale = paintedNumber(painted, "strength", 0.0);
  out.toughnessScale = paintedNumber(painted, "toughness", 0.0);
  out.pinned = paintedGroup(painted, options.pinGroup);
  out.unbreakable = paintedGroup(painted, options.solidGroup);

  std::vector<Vec3> points(painted->mesh.points.begin(), painted->mesh.points.end());
  std::vector<Triangle> triangles(painted->mesh.triangles.begin(), painted->mesh.triangles.end());
  SheetMesh mesh = SheetMesh::make(points, triangles, m.thickness);
  mesh.compact();  // without points that no face uses
  // A sheet whose faces all lie in one plane needs no way back to it.
  double off = 0;
  const Vec3 n = mesh.restNormal(0);
  for (const Vec3& p : mesh.rest) off = std::max(off, std::abs((p - mesh.rest[0]).dot(n)));
  if (off > 1e-6 * box.diagonal())
    out.project = [painted](const Vec3& p) { return painted->tree.closestPoint(p).point; };

  auto simulation = std::make_unique<SheetSimulation>(std::move(mesh), out, context);
  for (size_t i = 0; i < out.pins.size(); ++i) {
    const auto held = [&](const Vec3& p) {
      return ((p - out.pins[i].centre).cwiseAbs() - out.pins[i].half).maxCoeff() <= 0;
    };
    const std::vector<Vec3>& rest = simulation->mesh().rest;
    if (std::none_of(rest.begin(), rest.end(), held))
      throw Error(ErrorCode::BadInput, fmt::format("pin {} holds no point of the sheet", i),
                  "move it onto the sheet, make it larger, or lower the parameter coarse");
  }
  std::vector<SheetCrackRecord> cracks = options.initial;
  if (inputs.has(SheetInput::Cracks))
    for (const SheetCrackRecord& s : segments(inputs.geometry(SheetInput::Cracks))) cracks.push_back(s);
  if (!resumed)
    for (const SheetCrackRecord& c : cracks) simulation->addCrack(c.from, c.to, context);
  return simulation;
}

}  // namespace hackle
