#include <hackle/core/error.h>
#include <hackle/fracture/load_transfer.h>
#include <hackle/fracture/surface_conditions.h>
#include <hackle/geometry/bvh.h>
#include <hackle/meshing/surface/bisect_edges.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

namespace hackle {

namespace {

// Faces of the solid are split for the choice of regions until edges are this part of those solved on, and no
// more than this many.
constexpr double kRegionEdge = 0.5;
constexpr size_t kRegionTriangles = 60000;

/// Whether a region names groups or attributes, all of which a geometry has.
bool isNamedIn(const Geometry& geometry, const SurfaceRegion& region) {
  if (region.group.empty() && region.attribute.empty()) return false;
  std::istringstream names(region.group);
  for (std::string name; names >> name;)
    if (!geometry.findGroup(Owner::Primitive, name) && !geometry.findGroup(Owner::Point, name)) return false;
  return region.attribute.empty() || geometry.findAttribute(Owner::Primitive, region.attribute) ||
         geometry.findAttribute(Owner::Point, region.attribute);
}

double meanEdge(const BemSurface& surface) {
  double sum = 0;
  for (size_t t = 0; t < surface.triangleCount(); ++t) sum += surface.area(t);
  return std::sqrt(4 / std::sqrt(3.0) * sum / static_cast<double>(surface.triangleCount()));
}

/// The solid's own faces, long ones split, and the triangles of each condition's region: of these, or of the
/// given mesh that is solved on.
struct ChosenRegions {
  TriangleMesh mesh, given;
  std::vector<std::vector<int32_t>> triangles;
  std::vector<uint8_t> onGiven;  // per condition

  const TriangleMesh& meshOf(size_t condition) const { return onGiven[condition] ? given : mesh; }
};

/// Error(BadInput) for conditions that contradict each other on the solid. Only triangles that some region
/// has are looked at.
void checkTogether(const ChosenRegions& chosen, const std::vector<BoundaryCondition>& conditions) {
  std::vector<int32_t> number(chosen.mesh.triangles.size(), -1), node(chosen.mesh.points.size(), -1);
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  std::vector<std::vector<int32_t>> regions(chosen.triangles.size());
  for (size_t i = 0; i < regions.size(); ++i)
    for (const int32_t t : chosen.onGiven[i] ? std::vector<int32_t>() : chosen.triangles[i]) {
      const Triangle& c = chosen.mesh.triangles[t];
      const Vec3& a = chosen.mesh.points[c[0]];
      const Vec3 u = chosen.mesh.points[c[1]] - a, v = chosen.mesh.points[c[2]] - a;
      if (!(u.cross(v).norm() > 1e-12 * std::max(u.squaredNorm(), v.squaredNorm()))) continue;
      if (number[t] < 0) {
        number[t] = static_cast<int32_t>(triangles.size());
        Triangle own = c;
        for (int32_t& p : own) {
          if (node[p] < 0) {
            node[p] = static_cast<int32_t>(points.size());
            points.push_back(chosen.mesh.points[p]);
          }
          p = node[p];
        }
        triangles.push_back(own);
      }
      regions[i].push_back(number[t]);
    }
  boundaryData(BemSurface(points, triangles), conditions, regions);
}

ChosenRegions chooseRegions(const Solid& solid, const Geometry* given, const TriangleMesh* givenMesh,
                            const std::vector<BoundaryCondition>& conditions, double edge, Context& context) {
  ChosenRegions chosen;
  if (conditions.empty()) return chosen;
  if (givenMesh) chosen.given = *givenMesh;
  BisectedMesh fine = bisectEdges(solid.mesh, kRegionEdge * edge,
                                  std::max(kRegionTriangles, solid.mesh.triangles.size()), context);
  std::vector<int32_t> same(chosen.given.triangles.size());
  std::iota(same.begin(), same.end(), 0);
  for (size_t i = 0; i < conditions.size(); ++i) {
    const SurfaceRegion& region = conditions[i].region;
    const std::string name = conditionName(conditions[i], i);
    const bool onGiven = given && isNamedIn(*given, region);
    chosen.onGiven.push_back(onGiven);
    chosen.triangles.push_back(
        onGiven ? trianglesIn(region, name, *given, chosen.given, chosen.given, same)
                : trianglesIn(region, name, solid.geometry, solid.mesh, fine.mesh, fine.source));
  }
  chosen.mesh = std::move(fine.mesh);
  checkTogether(chosen, conditions);
  return chosen;
}

/// Conditions on a mesh whose faces are not those of the solid.
class Carrier {
 public:
  Carrier(const BemSurface& surface, const TriangleBvh& tree,
          const std::vector<BoundaryCondition>& conditions, Context& context)
      : mSurface(surface),
        mTree(tree),
        mConditions(conditions),
        mContext(context),
        mHeldBy(surface.triangleCount(), {-1, -1, -1}),
        mShare(surface.triangleCount(), {0, 0, 0}) {
    mResult.data = BoundaryData(surface.nodeCount(), surface.triangleCount());
    mResult.applied.resize(conditions.size());
  }

  SurfaceConditions carry(const ChosenRegions& chosen) {
    for (size_t i = 0; i < mConditions.size(); ++i)
      if (mConditions[i].kind == ConditionKind::Displacement) hold(i, chosen);
    settleNodes();
    for (size_t i = 0; i < mConditions.size(); ++i) {
      if (mConditions[i].kind == ConditionKind::Displacement)
        finishSupport(i);
      else
        load(i, chosen);
    }
    return std::move(mResult);
  }

 private:
  AppliedCondition& begin(size_t index, const CarriedRegion& region) {
    AppliedCondition& applied = mResult.applied[index];
    applied.name = conditionName(mConditions[index], index);
    applied.support = mConditions[index].kind == ConditionKind::Displacement;
    applied.area = region.area;
    applied.centre = region.centre;
    return applied;
  }

  /// Where two supports want the same component of a triangle, the one that covers more of it has it.
  void hold(size_t index, const ChosenRegions& chosen) {
    const CarriedRegion region = carriedRegion(
        chosen.meshOf(index), chosen.triangles[index], mSurface, mTree, [](size_t) { return true; },
        mContext);
    begin(index, region);
    const std::vector<int32_t> held = carriedSupport(region, mSurface);
    addBorders(region, held);
    for (const int32_t t : held) {
      const double share = region.covered[t] / mSurface.area(static_cast<size_t>(t));
      for (size_t c = 0; c < 3; ++c) {
        if (!mConditions[index].axes[c] || share <= mShare[t][c]) continue;
        mShare[t][c] = share;
        mHeldBy[t][c] = static_cast<int32_t>(index);
      }
    }
  }

  void addBorders(const CarriedRegion& region, const std::vector<int32_t>& held) {
    constexpr double kMisplaced = 0.1;  // of a support's area
    constexpr double kLeast = 0.25;     // of the edge there
    constexpr double kPart = 0.1;       // of a triangle that counts as part of it
    double misplaced = 0;
    std::vector<std::pair<size_t, double>> partly;
    auto next = held.begin();
    for (size_t t = 0; t < region.covered.size(); ++t) {
      const bool isHeld = next != held.end() && static_cast<size_t>(*next) == t;
      if (isHeld) ++next;
      const double area = mSurface.area(t), wrong = isHeld ? area - region.covered[t] : region.covered[t];
      misplaced += std::max(0.0, wrong);
      if (wrong > kPart * area) partly.push_back({t, std::sqrt(4 / std::sqrt(3.0) * area)});
    }
    if (misplaced <= kMisplaced * region.area) return;
    const double finer = std::max(kLeast, kMisplaced * region.area / misplaced);
    for (const auto& [t, edge] : partly) mResult.borders.push_back({mSurface.centroid(t), finer * edge});
  }

  /// Regions that do not touch on the solid may do so on the mesh: where they give a node different
  /// displacements, the triangle that is covered less becomes free.
  void settleNodes() {
    for (size_t n = 0; n < mSurface.nodeCount(); ++n)
      for (size_t c = 0; c < 3; ++c) {
        int32_t best = -1;
        for (const BemCorner& corner : mSurface.corners(n))
          if (mHeldBy[corner.triangle][c] >= 0 && (best < 0 || mShare[corner.triangle][c] > mShare[best][c]))
            best = corner.triangle;
        if (best < 0) continue;
        const double value = mConditions[mHeldBy[best][c]].value[static_cast<Eigen::Index>(c)];
        for (const BemCorner& corner : mSurface.corners(n)) {
          int32_t& by = mHeldBy[corner.triangle][c];
          if (by >= 0 && mConditions[by].value[static_cast<Eigen::Index>(c)] != value) by = -1;
        }
      }
  }

  void finishSupport(size_t index) {
    AppliedCondition& applied = mResult.applied[index];
    const int32_t own = static_cast<int32_t>(index);
    for (size_t t = 0; t < mHeldBy.size(); ++t) {
      bool any = false;
      for (size_t c = 0; c < 3; ++c) {
        if (mHeldBy[t][c] != own) continue;
        any = true;
        mResult.data.fixed[t][c] = 1;
        for (const int32_t n : mSurface.triangle(t))
          mResult.data.displacement[n][static_cast<Eigen::Index>(c)] =
              mConditions[index].value[static_cast<Eigen::Index>(c)];
      }
      if (any) applied.meshArea += mSurface.area(t);
    }
    if (applied.meshArea == 0)
      throw Error(ErrorCode::BadInput,
                  fmt::format("{} finds no face of the mesh that is solved on: others are held all around it",
                              applied.name),
                  "use more triangles, or move the regions apart");
  }

  void load(size_t index, const ChosenRegions& chosen) {
    const BoundaryCondition& condition = mConditions[index];
    const bool pressure = condition.kind == ConditionKind::Pressure;
    const auto acts = [&](size_t c) {
      return pressure || condition.value[static_cast<Eigen::Index>(c)] != 0;
    };
    // Where the displacement is given a load has no effect: it goes to the faces beside.
    const auto allowed = [&](size_t t) {
      for (size_t c = 0; c < 3; ++c)
        if (mHeldBy[t][c] >= 0 && acts(c)) return false;
      return true;
    };
    const CarriedRegion region =
        carriedRegion(chosen.meshOf(index), chosen.triangles[index], mSurface, mTree, allowed, mContext);
    AppliedCondition& applied = begin(index, region);
    const auto traction = [&](const Vec3& normal) -> Vec3 {
      if (pressure) return -condition.value.x() * normal;
      return condition.kind == ConditionKind::Force ? Vec3(condition.value / region.area) : condition.value;
    };
    for (const CarriedRegion::Sample& s : region.samples) applied.asked += s.area * traction(s.normal);
    const std::vector<Vec3> tractions = carriedTractions(region, mSurface, traction);
    for (size_t t = 0; t < tractions.size(); ++t) {
      if (tractions[t].isZero(0)) continue;
      mResult.data.traction[t] += tractions[t];
      const Vec3 force = mSurface.area(t) * tractions[t];
      applied.meshArea += mSurface.area(t);
      applied.force += force;
      applied.moment += (mSurface.centroid(t) - region.centre).cross(force);
    }
  }

  const BemSurface& mSurface;
  const TriangleBvh& mTree;
  const std::vector<BoundaryCondition>& mConditions;
  Context& mContext;
  std::vector<std::array<int32_t, 3>> mHeldBy;  // per triangle and axis: the condition, or -1
  std::vector<std::array<double, 3>> mShare;    // of the triangle that it covers
  SurfaceConditions mResult;
};

/// Conditions on faces of the mesh itself.
SurfaceConditions directConditions(const BemSurface& surface,
                                   const std::vector<BoundaryCondition>& conditions,
                                   const std::vector<std::vector<int32_t>>& regions) {
  SurfaceConditions result;
  result.data = boundaryData(surface, conditions, regions);
  for (size_t i = 0; i < conditions.size(); ++i) {
    AppliedCondition& applied = result.applied.emplace_back();
    applied.name = conditionName(conditions[i], i);
    applied.support = conditions[i].kind == ConditionKind::Displacement;
    for (const int32_t triangle : regions[i]) {
      const size_t t = static_cast<size_t>(triangle);
      applied.area += surface.area(t);
      applied.centre += surface.area(t) * surface.centroid(t);
    }
    applied.meshArea = applied.area;
    applied.centre /= applied.area;
    if (applied.support) continue;
    for (const int32_t triangle : regions[i]) {
      const size_t t = static_cast<size_t>(triangle);
      const Vec3 traction =
          conditions[i].kind == ConditionKind::Pressure ? Vec3(-conditions[i].value.x() * surface.normal(t))
          : conditions[i].kind == ConditionKind::Force  ? Vec3(conditions[i].value / applied.area)
                                                        : conditions[i].value;
      applied.force += surface.area(t) * traction;
      applied.moment += surface.area(t) * (surface.centroid(t) - applied.centre).cross(traction);
    }
    applied.asked = applied.force;
  }
  return result;
}

}  // namespace

void checkConditions(const Solid& solid, const Geometry* given,
                     const std::vector<BoundaryCondition>& conditions, double edge, Context& context) {
  const TriangleMesh mesh = given ? triangleMesh(*given, context) : TriangleMesh();
  chooseRegions(solid, given, given ? &mesh : nullptr, conditions, edge, context);
}

SurfaceConditions conditionsOn(const SolveMesh& mesh, const BemSurface& surface,
                               const std::vector<BoundaryCondition>& conditions, Context& context) {
  if (!mesh.coarse) {
    std::vector<std::vector<int32_t>> regions;
    for (size_t i = 0; i < conditions.size(); ++i)
      regions.push_back(trianglesIn(conditions[i].region, conditionName(conditions[i], i),
                                    mesh.solid->geometry, mesh.solid->mesh, mesh.solved, mesh.source));
    return directConditions(surface, conditions, regions);
  }
  const ChosenRegions chosen = chooseRegions(*mesh.solid, mesh.given ? &*mesh.given : nullptr, &mesh.solved,
                                             conditions, meanEdge(surface), context);
  const TriangleBvh tree(mesh.solved, context);
  return Carrier(surface, tree, conditions, context).carry(chosen);
}

void warnOfSupports(const std::vector<AppliedCondition>& applied, Context& context) {
  constexpr double kLeast = 0.75, kMost = 1.33;  // of the area
  for (const AppliedCondition& one : applied) {
    const double share = one.meshArea / one.area;
    if (!one.support || (share >= kLeast && share <= kMost)) continue;
    context.warn(
        fmt::format("{} holds {:.2g} times its area on the mesh that is solved on, whose triangles are "
                    "too long for it: use more triangles, or a wider region",
                    one.name, share));
  }
}

Value conditionReport(const std::vector<AppliedCondition>& applied) {
  const auto vector = [](const Vec3& v) { return Value::List{v.x(), v.y(), v.z()}; };
  Value::List list;
  for (const AppliedCondition& one : applied) {
    Value value;
    value.set("name", one.name);
    value.set("area", one.area);
    value.set("mesh_area", one.meshArea);
    if (!one.support) {
      value.set("asked", vector(one.asked));
      value.set("force", vector(one.force));
      value.set("centre", vector(one.centre));
      value.set("moment", vector(one.moment));
    }
    list.push_back(std::move(value));
  }
  return list;
}

}  // namespace hackle
