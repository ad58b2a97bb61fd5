#include <hackle/bem/evaluation.h>
#include <hackle/bem/mouth.h>
#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/fracture/crack/growth/branching.h>
#include <hackle/fracture/crack/pieces/crack_outputs.h>
#include <hackle/geometry/union_find.h>
#include <hackle/meshing/surface/level_set_surface.h>
#include <hackle/volume/level_set.h>
#include <hackle/volume/segmentation.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr double kHalfDiagonal = 0.8660254037844386;  // of a voxel: a wall this thick has no leaks
constexpr double kBand = 3.0;  // voxels from a crack within which its opening acts, as [Hahn17] ch. 6.4

Attribute floats(const char* name, int size, std::vector<float> values) {
  Attribute attribute(name, Storage::Float32, size, values.size() / static_cast<size_t>(size));
  attribute.edit<float>() = std::move(values);
  return attribute;
}

Attribute integers(const char* name, std::vector<int32_t> values) {
  Attribute attribute(name, Storage::Int32, 1, values.size());
  attribute.edit<int32_t>() = std::move(values);
  return attribute;
}

void put(std::vector<float>& values, const Vec3& v) {
  for (int k = 0; k < 3; ++k) values.push_back(static_cast<float>(v[k]));
}

/// The last solution on all nodes that there are now: displacements of the body and means of both faces of
/// cracks, and openings.
class NodeMotion {
 public:
  NodeMotion(const CrackSolver& solver, Context& context) : mSystem(solver.system()) {
    const BemSurface& surface = mSystem.surface();
    mMean.assign(surface.nodeCount(), Vec3::Zero());
    mOpening.assign(surface.nodeCount(), Vec3::Zero());
    const BemSolution& solution = solver.solution();
    if (solution.u.size() == 0) return;
    const size_t bodyNodes = mSystem.body().nodeCount(), known = static_cast<size_t>(solution.u.size() / 3);
    std::vector<int32_t> inside;
    for (size_t n = 0; n < surface.nodeCount(); ++n) {
      if (n < bodyNodes)
        mMean[n] = solution.displacement(n) + solution.carriedDisplacement(surface.point(n));
      else if (surface.corners(n).size() > 0)
        inside.push_back(static_cast<int32_t>(n));
      if (n >= bodyNodes && n < known) mOpening[n] = solution.opening(n);
    }
    const std::vector<Vec3> means = faceMeans(mSystem, solution, inside, context);
    for (size_t i = 0; i < inside.size(); ++i) mMean[inside[i]] = means[i];
  }

  const std::vector<Vec3>& mean() const { return mMean; }
  const std::vector<Vec3>& opening() const { return mOpening; }
  Vec3 meanAt(const ClosestPoint& at, size_t firstTriangle) const { return mix(mMean, at, firstTriangle); }
  Vec3 openingAt(const ClosestPoint& at, size_t firstTriangle) const {
    return mix(mOpening, at, firstTriangle);
  }

 private:
  Vec3 mix(const std::vector<Vec3>& values, const ClosestPoint& at, size_t first) const {
    const Triangle& t = mSystem.surface().triangle(first + static_cast<size_t>(at.triangle));
    Vec3 sum = Vec3::Zero();
    for (size_t k = 0; k < 3; ++k) sum += at.barycentric[k] * values[t[k]];
    return sum;
  }
  const BemSystem& mSystem;
  std::vector<Vec3> mMean, mOpening;
};

/// The crack of each triangle of the system, -1 for the body's: connected parts, by whose front they
/// have, in the order of their first triangles otherwise.
std::vector<int32_t> crackOfTriangles(const CrackSolver& solver) {
  const BemSurface& surface = solver.system().surface();
  const size_t body = solver.system().body().triangleCount();
  UnionFind parts(surface.nodeCount());
  for (size_t t = body; t < surface.triangleCount(); ++t)
    for (size_t k = 1; k < 3; ++k) parts.unite(surface.triangle(t)[0], surface.triangle(t)[k]);
  std::vector<int32_t> crackOf(surface.nodeCount(), -1);
  for (size_t c = 0; c < solver.cracks().size(); ++c)
    for (size_t l = 0; l < solver.cracks()[c]->fronts().size(); ++l)
      for (const int32_t n : solver.cracks()[c]->frontNodes(l))
        crackOf[parts.find(n)] = static_cast<int32_t>(c);
  std::vector<int32_t> result(surface.triangleCount(), -1);
  for (size_t t = body; t < result.size(); ++t) result[t] = crackOf[parts.find(surface.triangle(t)[0])];
  return result;
}

void addIntensities(Geometry& geometry, const CrackSolver& solver) {
  const char* names[4] = {"K1", "K2", "K3", "Keff"};
  std::array<std::vector<float>, 4> values;
  for (auto& v : values) v.assign(geometry.pointCount(), 0.0f);
  const double poisson = solver.system().material().poisson;
  for (const FrontNode& front : solver.intensities()) {
    const size_t n = static_cast<size_t>(front.node);
    for (size_t k = 0; k < 3; ++k) values[k][n] = static_cast<float>(front.k[k]);
    values[3][n] = static_cast<float>(effectiveIntensity(front.k, poisson));
  }
  for (size_t k = 0; k < 4; ++k)
    geometry.addAttribute(Owner::Point, floats(names[k], 1, std::move(values[k])));
}

std::vector<Vec3> pointsOf(const BemSurface& surface) {
  std::vector<Vec3> points;
  for (size_t n = 0; n < surface.nodeCount(); ++n) points.push_back(surface.point(n));
  return points;
}

TriangleBvh treeOf(const BemSurface& surface, size_t begin, size_t end, Context& context) {
  std::vector<Triangle> triangles;
  for (size_t t = begin; t < end; ++t) triangles.push_back(surface.triangle(t));
  return TriangleBvh(pointsOf(surface), triangles, context);
}

/// A sheet as a level set that goes with those of signedDistance.
VolumePtr sheetLevelSet(Span<const RecordedCrack> cracks, double thickness, const LevelSetOptions& options,
                        Context& context) {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
  for (const RecordedCrack& crack : cracks)
    for (size_t t = 0; t < crack.band->triangleCount(); ++t) {
      const int32_t first = static_cast<int32_t>(points.size());
      const auto& corners = crack.band->triangle(t);
      points.insert(points.end(), corners.begin(), corners.end());
      triangles.push_back({first, first + 1, first + 2});
    }
  TriangleMesh mesh;
  mesh.points = std::move(points);
  mesh.triangles = std::move(triangles);
  return sheetDistance(mesh, thickness, options, context);
}

/// The nearest recorded triangle to a place, among those near the voxel that holds it.
struct NearSheet {
  int32_t crack = -1;
  Vec3 point = Vec3::Zero();
  double distance = 0.0, side = 1.0;
};

NearSheet nearSheet(Span<const RecordedCrack> cracks, const Vec3& p) {
  NearSheet best;
  for (size_t c = 0; c < cracks.size(); ++c) {
    const SheetBand& band = *cracks[c].band;
    const Vec3 q = p / band.voxelSize();
    for (int corner = 0; corner < 8; ++corner) {
      Voxel v;
      for (int k = 0; k < 3; ++k) v[k] = static_cast<int32_t>(std::floor(q[k])) + (corner >> k & 1);
      const SheetBand::Entry entry = band.at(v);
      if (entry.triangle < 0) continue;
      const auto& t = band.triangle(static_cast<size_t>(entry.triangle));
      const ClosestPoint closest = closestPointOnTriangle(p, t[0], t[1], t[2]);
      const double d = std::sqrt(closest.squaredDistance);
      if (best.crack >= 0 && d >= best.distance) continue;
      const Vec3 normal = (t[1] - t[0]).cross(t[2] - t[0]);
      best = {static_cast<int32_t>(c), closest.point, d, normal.dot(p - closest.point) < 0 ? -1.0 : 1.0};
    }
  }
  return best;
}

/// Displacements of a fine mesh from the coarse solution ([Hahn17] ch. 6.4).
class FineMotion {
 public:
  FineMotion(const CrackSolver& solver, const LevelSetSurfaceOptions& options, double voxel, Context& context)
      : mMotion(solver, context),
        mOptions(options),
        mVoxel(voxel),
        mFirstCrack(solver.system().body().triangleCount()),
        mBody(treeOf(solver.system().surface(), 0, mFirstCrack, context)),
        mCracks(treeOf(solver.system().surface(), mFirstCrack, solver.system().surface().triangleCount(),
                       context)) {}

  Vec3 at(const Vec3& x, double side) const {
    const ClosestPoint body = mBody.closestPoint(x), crack = mCracks.closestPoint(x);
    const bool onCrack = crack.squaredDistance < body.squaredDistance;
    Vec3 u = Vec3::Zero();
    if (mOptions.displacement) u = onCrack ? mMotion.meanAt(crack, mFirstCrack) : mMotion.meanAt(body, 0);
    if (mOptions.opening && crack.triangle >= 0) {
      const double reach = std::sqrt(crack.squaredDistance) / (kBand * mVoxel);
      const double weight = onCrack ? 0.5 : 0.5 * std::max(0.0, 1 - reach);
      u += side * weight * mMotion.openingAt(crack, mFirstCrack);
    }
    return mOptions.scale * u;
  }

 private:
  NodeMotion mMotion;
  LevelSetSurfaceOptions mOptions;
  double mVoxel;
  size_t mFirstCrack;
  TriangleBvh mBody, mCracks;
};

/// Moves the points of a fragment and says which cracks its faces lie along.
void finishFragment(Geometry& fragment, Span<const RecordedCrack> records, const FineMotion* motion,
                    const LevelSetSurfaceOptions& options, Context& context) {
  std::vector<Vec3>& positions = fragment.editPositions();
  std::vector<int32_t> crackOf(positions.size(), -1);
  parallelFor(context, positions.size(), 256, [&](size_t p) {
    const Vec3 x = positions[p];
    const NearSheet near = nearSheet(records, x);
    const double voxel = records.size() ? records[0].band->voxelSize() : 0.0;
    const bool along = near.crack >= 0 && near.distance <= (kHalfDiagonal + 0.5) * voxel;
    if (along) crackOf[p] = near.crack;
    if (motion) positions[p] += motion->at(x, near.side);
    if (along && options.closeGaps) positions[p] += near.point - x;
  });
  std::vector<int32_t> cracks(fragment.primitiveCount(), -1);
  for (size_t f = 0; f < cracks.size(); ++f) {
    int32_t least = std::numeric_limits<int32_t>::max();
    for (const int32_t p : fragment.corners(f)) least = std::min(least, crackOf[p]);
    cracks[f] = least;
  }
  fragment.addAttribute(Owner::Primitive, integers("crack", std::move(cracks)));
}

}  // namespace

Geometry crackVolumes(const TriangleMesh& body, Span<const RecordedCrack> cracks, double voxelSize,
                      double thickness, Context& context) {
  if (!(thickness >= 2 * kHalfDiagonal - 1e-9) || thickness > 3)
    throw Error(ErrorCode::Usage, fmt::format("level sets of cracks cannot be {} voxels thick", thickness),
                "give sqrt(3) to 3");
  Geometry geometry;
  LevelSetOptions options;
  options.voxelSize = cracks.empty() ? voxelSize : cracks[0].band->voxelSize();
  options.name = "body";
  geometry.addVolume(signedDistance(body, options, context));
  for (size_t c = 0; c < cracks.size(); ++c) {
    context.checkCancel();
    options.name = fmt::format("crack{}", c);
    geometry.addVolume(sheetLevelSet({&cracks[c], 1}, thickness * options.voxelSize, options, context));
  }
  return geometry;
}

Geometry crackElements(const CrackSolver& solver, Context& context) {
  const BemSurface& surface = solver.system().surface();
  const size_t bodyTriangles = solver.system().body().triangleCount();
  Geometry geometry;
  geometry.addPoints(surface.nodeCount());
  geometry.editPositions() = pointsOf(surface);
  std::vector<int32_t> corners;
  for (size_t t = 0; t < surface.triangleCount(); ++t)
    corners.insert(corners.end(), surface.triangle(t).begin(), surface.triangle(t).end());
  geometry.addPrimitives(PrimitiveType::Polygon, surface.triangleCount(), 3, corners);
  std::vector<int32_t> cracks = crackOfTriangles(solver);
  std::vector<float> stress(9 * bodyTriangles, 0.0f);
  if (solver.solution().u.size() > 0) {
    const std::vector<Mat3> of = bodyStresses(solver.system(), solver.solution());
    for (size_t t = 0; t < of.size(); ++t)
      for (size_t k = 0; k < 9; ++k) stress[9 * t + k] = static_cast<float>(of[t].data()[k]);
  }
  for (size_t c = 0; c < solver.cracks().size(); ++c)
    for (size_t l = 0; l < solver.cracks()[c]->fronts().size(); ++l) {
      std::vector<int32_t> loop = solver.cracks()[c]->frontNodes(l);
      loop.push_back(loop[0]);
      geometry.addPrimitives(PrimitiveType::Polyline, 1, static_cast<int>(loop.size()), loop);
      cracks.push_back(static_cast<int32_t>(c));
    }
  stress.resize(9 * geometry.primitiveCount(), 0.0f);
  geometry.addAttribute(Owner::Primitive, floats("stress", 9, std::move(stress)));
  geometry.addAttribute(Owner::Primitive, integers("crack", std::move(cracks)));
  std::vector<uint8_t>& fronts = geometry.addGroup(Owner::Primitive, "fronts").bits.edit();
  std::fill(fronts.begin() + static_cast<std::ptrdiff_t>(surface.triangleCount()), fronts.end(), uint8_t{1});

  const NodeMotion motion(solver, context);
  std::vector<float> displacement, opening;
  for (const Vec3& u : motion.mean()) put(displacement, u);
  for (const Vec3& w : motion.opening()) put(opening, w);
  geometry.addAttribute(Owner::Point, floats("displacement", 3, std::move(displacement)));
  geometry.addAttribute(Owner::Point, floats("opening", 3, std::move(opening)));
  addIntensities(geometry, solver);
  return geometry;
}

Geometry crackLevelSetSurfaces(const CrackSolver& solver, const TriangleMesh& body,
                               const LevelSetSurfaceOptions& options, Context& context) {
  const std::vector<RecordedCrack> records = solver.records();
  if (records.empty()) throw Error(ErrorCode::Usage, "there are no cracks to make level sets of");
  const double voxel = records[0].band->voxelSize();
  LevelSetOptions levelSet;
  levelSet.voxelSize = voxel;
  levelSet.name = "piece";
  VolumePtr grid = signedDistance(body, levelSet, context);
  grid = combinedLevelSets(*grid, *sheetLevelSet(records, 2 * kHalfDiagonal * voxel, levelSet, context),
                           SolidBoolean::Difference, context);
  SegmentOptions segment;
  segment.threshold = options.threshold * voxel;
  segment.leastVoxels = options.leastVoxels;
  const Segments segments = segmentLevelSet(*grid, segment, context);
  std::optional<FineMotion> motion;
  if (options.displacement || options.opening) motion.emplace(solver, options, voxel, context);
  std::vector<Geometry> parts;
  for (const VolumePtr& part : segments.grids) {
    Geometry fragment = levelSetSurface(*part, context);
    if (fragment.primitiveCount() == 0) continue;
    finishFragment(fragment, records, motion ? &*motion : nullptr, options, context);
    Attribute& name = fragment.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
    name.assignStrings({{fmt::format("piece{}", options.firstPiece + parts.size())},
                        std::vector<int32_t>(fragment.primitiveCount(), 0)});
    parts.push_back(std::move(fragment));
  }
  return merged(parts);
}

}  // namespace hackle
