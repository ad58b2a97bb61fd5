#include <hackle/bem/evaluation.h>
#include <hackle/bem/system.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/surface_conditions.h>
#include <hackle/geometry/bodies.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/mechanics/stress.h>
#include <hackle/ops/boundary_conditions.h>
#include <hackle/ops/catalogue.h>
#include <hackle/ops/material.h>

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

namespace hackle {

namespace {

struct StressOptions {
  MaterialOptions material;
  std::vector<ConditionRecord> conditions;
  size_t triangles = 2000;
  double magnification = 0;
};

/// Values on the mesh that is solved on.
struct Fields {
  std::vector<Vec3> displacement;  // m, per node
  std::vector<Vec3> traction;      // Pa, per triangle
  std::vector<Mat3> stress;        // Pa, per node: mean over the triangles around
  size_t unknowns = 0, bodies = 0;
  size_t bytes = 0;
  NetLoad removed;
  std::vector<AppliedCondition> applied;
};

/// A body's matrix and factor, which serve all loads on it. One run at a time may use it: it takes the lock.
struct KeptSystem {
  KeptSystem(BemSurface body, const ElasticMaterial& material, const BoundaryData& data, Context& context)
      : system(std::move(body), material, data, {}, context) {}
  size_t bytes() const { return system.bytes(); }

  mutable std::mutex mutex;
  mutable BemSystem system;
  mutable bool asMade = true;  // it has the values that it was made with
};

class Solver {
 public:
  Solver(const SolveMesh& mesh, const ElasticMaterial& material,
         const std::vector<BoundaryCondition>& conditions, Context& context)
      : mMaterial(material), mContext(context), mMesh(mesh), mSurface(mesh.solved) {
    SurfaceConditions on = conditionsOn(mesh, mSurface, conditions, context);
    warnOfSupports(on.applied, context);
    mData = std::move(on.data);
    mFields.applied = std::move(on.applied);
  }

  Fields solve() {
    mFields.displacement.assign(mSurface.nodeCount(), Vec3::Zero());
    mFields.traction.assign(mSurface.triangleCount(), Vec3::Zero());
    mFields.stress.assign(mSurface.nodeCount(), Mat3::Zero());
    const auto bodies = findBodies(mMesh.solved.points, mMesh.solved.triangles);
    mFields.bodies = bodies.size();
    for (size_t b = 0; b < bodies.size(); ++b)
      inBody(bodies.size() > 1 ? fmt::format("body {}", b + 1) : "",
             [&] { solveBody(bodies[b], 0.7 / static_cast<double>(bodies.size())); });
    return std::move(mFields);
  }

 private:
  void solveBody(const std::vector<int32_t>& triangles, double share) {
    const Context::Stage stage(mContext, "solve", share);
    std::vector<int32_t> nodes, local(mSurface.nodeCount(), -1);
    std::vector<Vec3> points;
    std::vector<Triangle> faces;
    for (const int32_t t : triangles) {
      Triangle face = mSurface.triangle(static_cast<size_t>(t));
      for (int32_t& c : face) {
        int32_t& l = local[c];
        if (l < 0) {
          l = static_cast<int32_t>(nodes.size());
          nodes.push_back(c);
          points.push_back(mSurface.point(static_cast<size_t>(c)));
        }
        c = l;
      }
      faces.push_back(face);
    }
    BoundaryData data(nodes.size(), triangles.size());
    bool any = false;
    for (size_t i = 0; i < triangles.size(); ++i) {
      const size_t t = static_cast<size_t>(triangles[i]);
      data.fixed[i] = mData.fixed[t];
      data.traction[i] = mData.traction[t];
      any = any || data.traction[i] != Vec3(0, 0, 0) || data.fixed[i] != std::array<uint8_t, 3>{0, 0, 0};
    }
    if (!any) return;
    for (size_t n = 0; n < nodes.size(); ++n) data.displacement[n] = mData.displacement[nodes[n]];
    MemoKey key("stress.system");
    key.add(Span<const Vec3>(points)).add(Span<const Triangle>(faces));
    key.add(Span<const std::array<uint8_t, 3>>(data.fixed)).add(mMaterial.young).add(mMaterial.poisson);
    bool made = false;
    const auto kept = remembered<KeptSystem>(mContext, key, [&] {
      made = true;
      return std::make_shared<const KeptSystem>(BemSurface(points, faces), mMaterial, data, mContext);
    });
    const std::lock_guard<std::mutex> lock(kept->mutex);
    if (!made || !kept->asMade) {
      kept->asMade = false;
      kept->system.setValues(std::move(data), mContext);
    }
    keep(kept->system, kept->system.solve(mContext), nodes, triangles);
  }

  void keep(const BemSystem& system, const BemSolution& solution, const std::vector<int32_t>& nodes,
            const std::vector<int32_t>& triangles) {
    const BemSurface& body = system.body();
    for (size_t n = 0; n < nodes.size(); ++n) mFields.displacement[nodes[n]] = solution.displacement(n);
    for (size_t t = 0; t < triangles.size(); ++t) mFields.traction[triangles[t]] = solution.traction(t);
    const std::vector<Mat3> stress = surfaceStresses(body, mMaterial, solution.u, solution.q);
    for (size_t n = 0; n < nodes.size(); ++n) {
      Mat3 sum = Mat3::Zero();
      double area = 0;
      for (const BemCorner& c : body.corners(n)) {
        sum += body.area(static_cast<size_t>(c.triangle)) * stress[c.triangle];
        area += body.area(static_cast<size_t>(c.triangle));
      }
      mFields.stress[nodes[n]] = sum / area;
    }
    mFields.unknowns += system.unknowns();
    mFields.bytes = std::max(mFields.bytes, system.bytes());
    mFields.removed.force += solution.removed.force;
    mFields.removed.torque += solution.removed.torque;
  }

  ElasticMaterial mMaterial;
  Context& mContext;
  const SolveMesh& mMesh;
  BemSurface mSurface;
  BoundaryData mData;
  Fields mFields;
};

/// Fields at the solid's own points and polygons.
struct CarriedFields {
  std::vector<Vec3> displacement, traction;
  std::vector<Mat3> stress;
};

/// The nearest places of a coarse copy.
struct NearPlaces {
  std::vector<ClosestPoint> ofPoints;  // per point of the solid
  std::vector<int32_t> ofTriangles;    // per triangle of the solid, by its middle
  size_t bytes() const { return bytesOf(ofPoints) + bytesOf(ofTriangles); }
};

const char* const kTooThin =
    "make its walls thicker than 1/10,000 of its size, mesh it anew, or break thin sheets with sheet";

/// Neither a mesh of such a solid nor its stress can be had in double precision.
void refuseSlivers(const TriangleMesh& mesh) {
  constexpr double kThinnest = 1e-6;  // mean thickness over size
  Box3 box;
  for (const Vec3& p : mesh.points) box.add(p);
  double area = 0, volume = 0;
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.points[t[0]] - box.min, b = mesh.points[t[1]] - box.min,
               c = mesh.points[t[2]] - box.min;
    area += 0.5 * (b - a).cross(c - a).norm();
    volume += a.dot(b.cross(c)) / 6;
  }
  const double thickness = 2 * std::abs(volume) / area;
  if (thickness >= kThinnest * box.diagonal()) return;
  throw Error(
      ErrorCode::BadInput,
      fmt::format("stress: the solid is {:.3g} m thick on average and {:.3g} m long, too thin for boundary "
                  "elements",
                  thickness, box.diagonal()),
      kTooThin);
}

/// Integrals over such triangles take for ever, and nothing of their sum is left.
void refuseNeedles(const TriangleMesh& mesh) {
  constexpr double kNarrowest = 1e-6;  // height over length
  for (size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& c = mesh.triangles[t];
    const Vec3 a = mesh.points[c[1]] - mesh.points[c[0]], b = mesh.points[c[2]] - mesh.points[c[0]];
    const double length = std::max({a.norm(), b.norm(), (b - a).norm()}), height = a.cross(b).norm() / length;
    if (height >= kNarrowest * length) continue;
    throw Error(
        ErrorCode::BadInput,
        fmt::format("stress: a triangle of the surface is {:.3g} m long and {:.3g} m high, too narrow "
                    "for boundary elements",
                    length, height),
        kTooThin);
  }
}

Fields solved(const SolveMesh& mesh, const ElasticMaterial& material,
              const std::vector<BoundaryCondition>& conditions, Context& context) {
  try {
    return Solver(mesh, material, conditions, context).solve();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::Failed || !e.remedy().empty()) throw;
    throw Error(ErrorCode::Failed, fmt::format("stress: the solid cannot be solved for: {}", e.what()),
                kTooThin);
  }
}

std::shared_ptr<const NearPlaces> placesOn(const SolveMesh& m, Context& context) {
  MemoKey key("stress.places");
  addToKey(key, m.solved);
  addToKey(key, m.solid->mesh);
  return remembered<NearPlaces>(context, key, [&] {
    auto near = std::make_shared<NearPlaces>();
    near->ofPoints.resize(m.solid->geometry.pointCount());
    near->ofTriangles.resize(m.solid->mesh.triangles.size());
    const TriangleBvh bvh(m.solved, context);
    parallelFor(context, near->ofPoints.size(), 256,
                [&](size_t p) { near->ofPoints[p] = bvh.closestPoint(m.solid->geometry.position(p)); });
    parallelFor(context, near->ofTriangles.size(), 256, [&](size_t t) {
      near->ofTriangles[t] = bvh.closestPoint(middleOf(m.solid->mesh, t)).triangle;
    });
    return near;
  });
}

CarriedFields carried(const SolveMesh& m, const Fields& fields, Context& context) {
  CarriedFields result;
  const size_t points = m.solid->geometry.pointCount();
  result.displacement = fields.displacement;
  result.stress = fields.stress;
  result.displacement.resize(points, Vec3::Zero());
  result.stress.resize(points, Mat3::Zero());
  std::vector<Vec3> traction = fields.traction;
  if (m.coarse) {
    const auto near = placesOn(m, context);
    parallelFor(context, points, 256, [&](size_t p) {
      const ClosestPoint& at = near->ofPoints[p];
      result.displacement[p].setZero();
      result.stress[p].setZero();
      for (size_t c = 0; c < 3; ++c) {
        const size_t n = static_cast<size_t>(m.solved.triangles[at.triangle][c]);
        const double weight = at.barycentric[c];
        result.displacement[p] += weight * fields.displacement[n];
        result.stress[p] += weight * fields.stress[n];
      }
    });
    traction.resize(near->ofTriangles.size());
    for (size_t t = 0; t < traction.size(); ++t) traction[t] = fields.traction[near->ofTriangles[t]];
  }
  // A polygon has the mean over its triangles.
  result.traction.assign(m.solid->geometry.primitiveCount(), Vec3::Zero());
  std::vector<double> area(m.solid->geometry.primitiveCount(), 0);
  for (size_t t = 0; t < m.solid->mesh.triangles.size(); ++t) {
    const Triangle& c = m.solid->mesh.triangles[t];
    const Vec3& a = m.solid->mesh.points[c[0]];
    const double size = (m.solid->mesh.points[c[1]] - a).cross(m.solid->mesh.points[c[2]] - a).norm();
    const size_t p = static_cast<size_t>(m.solid->mesh.primitives[t]);
    result.traction[p] += size * traction[t];
    area[p] += size;
  }
  for (size_t p = 0; p < area.size(); ++p)
    if (area[p] > 0) result.traction[p] /= area[p];
  return result;
}

void addVectors(Geometry& geometry, Owner owner, const std::string& name, const std::vector<Vec3>& values,
                const std::string& qualifier) {
  Attribute attribute(name, Storage::Float32, 3, values.size(), qualifier);
  std::vector<float>& data = attribute.edit<float>();
  for (size_t i = 0; i < values.size(); ++i)
    for (size_t c = 0; c < 3; ++c) data[3 * i + c] = static_cast<float>(values[i][c]);
  geometry.addAttribute(owner, std::move(attribute));
}

/// Writes the attributes; gives the largest von Mises and principal stress.
std::array<double, 2> addFields(Geometry& geometry, const CarriedFields& fields) {
  const size_t points = geometry.pointCount();
  Attribute misesAttribute("von_mises", Storage::Float32, 1, points);
  std::vector<float>& mises = misesAttribute.edit<float>();
  std::vector<Vec3> principal(points), directions[3];
  for (auto& d : directions) d.resize(points);
  std::array<double, 2> largest{0, 0};
  for (size_t p = 0; p < points; ++p) {
    const double value = vonMises(fields.stress[p]);
    const PrincipalStress stress = principalStress(fields.stress[p]);
    mises[p] = static_cast<float>(value);
    principal[p] = stress.values;
    for (Eigen::Index c = 0; c < 3; ++c) directions[c][p] = stress.directions.col(c);
    largest = {std::max(largest[0], value), std::max(largest[1], stress.values[0])};
  }
  addVectors(geometry, Owner::Point, "displacement", fields.displacement, "vector");
  geometry.addAttribute(Owner::Point, std::move(misesAttribute));
  addVectors(geometry, Owner::Point, "principal_stress", principal, "");
  for (size_t c = 0; c < 3; ++c)
    addVectors(geometry, Owner::Point, fmt::format("principal_direction{}", c + 1), directions[c], "vector");
  addVectors(geometry, Owner::Primitive, "traction", fields.traction, "vector");
  return largest;
}

Value valueOf(const Vec3& v) { return Value::List{v.x(), v.y(), v.z()}; }

Outputs computeStress(const Inputs& inputs, const StressOptions& options, Context& context) {
  if (options.conditions.empty())
    throw Error(ErrorCode::Usage, "there is no condition",
                "give at least one, such as a pressure on a group");
  ElasticMaterial material;
  material.young = options.material.young;
  material.poisson = options.material.poisson;
  std::vector<BoundaryCondition> conditions;
  for (const ConditionRecord& record : options.conditions) conditions.push_back(conditionOf(record));

  const SolidPtr solid = solidOf(inputs.geometry(0), context);
  checkConditions(*solid, nullptr, conditions, evenEdge(solid->mesh, options.triangles), context);
  refuseSlivers(solid->mesh);
  const SolveMesh mesh = solveMesh(solid, {options.triangles, false}, context);
  refuseNeedles(mesh.solved);
  const Fields fields = solved(mesh, material, conditions, context);
  const Context::Stage stage(context, "attributes", 0.1);
  const CarriedFields onSolid = carried(mesh, fields, context);
  Geometry result = mesh.solid->geometry;
  const auto [mises, principal] = addFields(result, onSolid);

  double largest = 0;
  for (const Vec3& u : onSolid.displacement) largest = std::max(largest, u.norm());
  double magnification = options.magnification;
  if (magnification == 0) magnification = largest > 0 ? 0.05 * result.bounds().diagonal() / largest : 1;
  Geometry deformed = result;
  std::vector<Vec3>& positions = deformed.editPositions();
  for (size_t p = 0; p < positions.size(); ++p) positions[p] += magnification * onSolid.displacement[p];

  Value figures;
  figures.set("triangles_in", mesh.solid->mesh.triangles.size());
  figures.set("triangles_solved", mesh.solved.triangles.size());
  figures.set("bodies", fields.bodies);
  figures.set("unknowns", fields.unknowns);
  figures.set("factor_mb", static_cast<double>(fields.bytes) * 1e-6);
  figures.set("max_displacement", largest);
  figures.set("max_von_mises", mises);
  figures.set("max_principal_stress", principal);
  figures.set("removed_force", valueOf(fields.removed.force));
  figures.set("removed_torque", valueOf(fields.removed.torque));
  figures.set("magnification", magnification);
  figures.set("conditions", conditionReport(fields.applied));
  return Outputs({std::move(result), std::move(deformed)}, std::move(figures));
}

ParameterTable<StressOptions> parameters() {
  ParameterTable<StressOptions> table;
  table.section("Conditions");
  table.addList(&StressOptions::conditions, "condition", "Conditions", conditionTable())
      .fromPoints("conditions")
      .help("What holds the body and what acts on it, each on a region of its surface. Loads add up.");
  ParameterTable<MaterialOptions> material;
  material.section("Material");
  std::vector<MenuItem> presets{{"custom", "Custom"}};
  for (const MaterialPreset& p : materialPresets()) presets.push_back({p.name, p.name});
  material.add(&MaterialOptions::preset, "preset", "Preset")
      .menu(presets)
      .fills(presetValues)
      .help("Fills the material parameters that are not set themselves with sourced values.");
  material.add(&MaterialOptions::young, "young", "Young's Modulus")
      .unit("Pa")
      .hard(1, 1e13)
      .soft(1e8, 3e11)
      .help("Stiffness: stress per strain in tension.");
  material.add(&MaterialOptions::poisson, "poisson", "Poisson's Ratio")
      .unit("none")
      .hard(-0.99, 0.499)
      .soft(0, 0.45)
      .help("Sideways contraction per lengthwise stretch.");
  table.include(&StressOptions::material, material);
  table.section("Accuracy");
  table.add(&StressOptions::triangles, "triangles", "Triangles")
      .unit("none")
      .hard(50, 20000)
      .soft(500, 5000)
      .help(
          "Surfaces with more triangles are solved on a coarse copy of about this many, and the results are "
          "carried over. Time grows with the third power, memory with the second.");
  table.section("Output");
  table.add(&StressOptions::magnification, "magnification", "Magnification")
      .unit("none")
      .hard(0, 1e12)
      .soft(0, 1000)
      .help(
          "Displacements in the deformed copy are this many times larger. With 0 the largest becomes a "
          "twentieth of the diagonal of the bounding box.");
  return table;
}

}  // namespace

Operator stressOperator() {
  Operator op;
  op.id = "stress";
  op.label = "Stress";
  op.summary = "Compute how a solid deforms and what stress it is under";
  op.help =
      "Solves linear elasticity for a closed surface, by boundary elements: no mesh of the inside is needed. "
      "Regions of the surface are held or moved (displacement), or loaded (traction, total force, pressure). "
      "Without any displacement the body is in flight: net force and torque are taken out of the loads and "
      "reported.\n\n"
      "Attributes of points: displacement (m), von_mises (Pa), principal_stress (Pa, the largest tension "
      "first), principal_direction1 to principal_direction3 (unit vectors). Of primitives: traction (Pa, "
      "force per area from outside). Stress is that of the surface, averaged over the faces around a point; "
      "compare principal_stress with the tensile strength to see where cracks start.\n\n"
      "A region is what meets all that is given: groups, an attribute's value, a box, a ball. Conditions can "
      "also come as points with the same attributes, whose positions are centres of balls.\n\n"
      "Refused: surfaces that are open or cross themselves, faces without area, a displacement and a load on "
      "the same component of a face, different displacements where regions meet, and displacements that let "
      "the body slide or turn. Separate bodies are solved one by one.";
  op.category = "Fracture";
  op.examples = {
      "stress bar.bgeo -o stress.bgeo --condition kind=displacement group=left --condition kind=force "
      "force=0,-1000,0 group=right --preset steel",
      "stress figure.bgeo -o stress.bgeo -o bent.bgeo --condition kind=force force=0,-500,0 at=0,1.8,0 "
      "radius=0.1 --magnification 200"};
  op.inputs = {
      {"geometry", "Solid", "A closed surface. What can be repaired with certainty is, with a warning."},
      {"conditions", "Conditions",
       "Points with attributes kind, displacement, axes, traction, force, pressure, group, attribute, match, "
       "low, high, radius.",
       PortType::Geometry, true}};
  op.outputs = {
      {"geometry", "Stress", "The solid with its displacement, traction and stress."},
      {"deformed", "Deformed", "The same, moved by the magnified displacement.", PortType::Geometry, true}};
  op.bind(parameters(), computeStress);
  return op;
}

}  // namespace hackle
