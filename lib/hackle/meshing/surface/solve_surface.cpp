#include <hackle/meshing/surface/solve_surface.h>

#include <hackle/core/parallel.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/meshing/surface/coarse_surface.h>
#include <hackle/meshing/surface/decimate.h>
#include <hackle/meshing/surface/fit_surface.h>
#include <hackle/meshing/surface/remesh.h>
#include <hackle/meshing/surface/self_intersections.h>
#include <hackle/meshing/surface/thickness.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

// Triangles that the surface is decimated to before it is meshed again, over those asked for.
constexpr size_t kSurplus = 3;
// Edges over thickness: bending of a limb is 18 % too stiff at 0.7 and 53 % at 1.4.
constexpr double kPerThickness = 0.5;
// Thin parts may take as many triangles again as asked for, or this many if these are fewer: the time to
// solve goes with the cube. Edges elsewhere may be this many times as long as if all were equal.
constexpr double kMore = 1500, kLongest = 2.0;
// How fast edges may grow along the surface.
constexpr double kGrowth = 0.5;
// Triangles of isotropic meshes are a little larger than the wanted edge says.
constexpr double kEdgeTrim = 0.97;
// Part of the volume that may be off: to be content with, and at most.
constexpr double kVolumeClose = 0.01, kVolumeLoss = 0.03;
// Meshes that cross themselves, or lose volume, are made again with more triangles.
constexpr int kAttempts = 4;
constexpr double kMoreAgain = 1.4;
constexpr double kEquilateral = 0.4330127018922193;  // area over squared edge

/// Wanted edges at the points of a mesh.
class Sizing {
 public:
  Sizing(const TriangleMesh& mesh, const TriangleBvh& solid, size_t triangles, const EdgeLimit& limit,
         Context& context)
      : mMesh(mesh), mTree(mesh, context), mArea(mesh.points.size(), 0.0) {
    std::vector<Vec3> normals(mesh.points.size(), Vec3::Zero());
    double area = 0;
    for (const Triangle& t : mesh.triangles) {
      const Vec3& a = mesh.points[t[0]];
      const Vec3 n = (mesh.points[t[1]] - a).cross(mesh.points[t[2]] - a);
      area += 0.5 * n.norm();
      for (const int32_t p : t) {
        normals[p] += n;
        mArea[p] += n.norm() / 6;
      }
    }
    mEven = std::sqrt(area / (kEquilateral * static_cast<double>(triangles)));
    mEdge.resize(mesh.points.size());
    const double size = solid.bounds().diagonal();
    parallelFor(context, mEdge.size(), 64, [&](size_t p) {
      mEdge[p] = kPerThickness * solidThickness(solid, size, mesh.points[p], normals[p].stableNormalized());
    });
    const double wanted = static_cast<double>(triangles), most = wanted + std::min(wanted, kMore);
    choose(wanted, limit ? wanted : most);
    if (limit) lower(limit, most);
    grade();
  }

  double at(const Vec3& place) const {
    const ClosestPoint closest = mTree.closestPoint(place);
    double edge = 0;
    for (size_t k = 0; k < 3; ++k)
      edge += closest.barycentric[k] * mEdge[mMesh.triangles[closest.triangle][k]];
    return kEdgeTrim * edge;
  }

 private:
  double count(double least, double most) const {
    double sum = 0;
    for (size_t p = 0; p < mEdge.size(); ++p) {
      const double h = std::clamp(mEdge[p], least, most);
      sum += mArea[p] / (kEquilateral * h * h);
    }
    return sum;
  }

  /// Bounds for the edges that give the wanted number of triangles: as small as the thickness asks, no
  /// smaller than fits.
  void choose(double triangles, double atMost) {
    double most = kLongest * mEven, least = 1e-3 * mEven, high = mEven;
    if (count(least, most) > atMost) {
      for (int i = 0; i < 40; ++i) {
        const double middle = std::sqrt(least * high);
        (count(middle, most) > atMost ? least : high) = middle;
      }
      least = high;
    } else if (count(least, most) < triangles) {
      double low = 1e-3 * mEven, top = most;
      for (int i = 0; i < 40; ++i) {
        const double middle = std::sqrt(low * top);
        (count(std::min(least, middle), middle) > triangles ? low : top) = middle;
      }
      most = top;
      least = std::min(least, most);
    }
    for (double& h : mEdge) h = std::clamp(h, least, most);
  }

  /// Edges no longer than `limit`, or as near to it as this many triangles allow.
  void lower(const EdgeLimit& limit, double triangles) {
    std::vector<double> limits;
    for (const Vec3& p : mMesh.points) limits.push_back(limit(p));
    const auto edgeAt = [&](size_t p, double least) {
      return std::min(mEdge[p], std::max(limits[p], least));
    };
    const auto number = [&](double least) {
      double sum = 0;
      for (size_t p = 0; p < mEdge.size(); ++p)
        sum += mArea[p] / (kEquilateral * edgeAt(p, least) * edgeAt(p, least));
      return sum;
    };
    double least = 1e-3 * mEven, high = kLongest * mEven;
    if (number(least) <= triangles) high = least;
    for (int i = 0; i < 40 && high > least; ++i) {
      const double middle = std::sqrt(least * high);
      (number(middle) > triangles ? least : high) = middle;
    }
    for (size_t p = 0; p < mEdge.size(); ++p) mEdge[p] = edgeAt(p, high);
  }

  /// Edges grow by at most kGrowth per length.
  void grade() {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Triangle& t : mMesh.triangles)
        for (size_t k = 0; k < 3; ++k) {
          const int32_t a = t[k], b = t[(k + 1) % 3];
          const double step = kGrowth * (mMesh.points[b] - mMesh.points[a]).norm();
          for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
            if (mEdge[to] <= (mEdge[from] + step) * (1 + 1e-12)) continue;
            mEdge[to] = mEdge[from] + step;
            changed = true;
          }
        }
    }
  }

  const TriangleMesh& mMesh;
  TriangleBvh mTree;
  std::vector<double> mArea, mEdge;  // m^2 and m, by point
  double mEven = 0;                  // m, edge of as many equal triangles
};

double volumeOf(const TriangleMesh& mesh, Context& context) { return massProperties(mesh, context).volume; }

/// The even mesh with the solid's volume. Points on sharp edges stay where they are, unless the edges are so
/// close together (flutes of a column) that what is between them is lost.
TriangleMesh fitted(const RemeshResult& even, const TriangleMesh& mesh, double volume, Context& context) {
  for (const uint8_t held : {uint8_t{1}, uint8_t{2}}) {
    std::vector<uint8_t> fixed;
    for (const uint8_t kind : even.onSharp) fixed.push_back(kind >= held);
    TriangleMesh result = even.mesh;
    fitSurface(result, fixed, mesh, context);
    if (held == 2 || std::abs(volumeOf(result, context) - volume) <= kVolumeClose * volume) return result;
  }
  return even.mesh;
}

/// Fewer triangles. Few surfaces come so close to themselves that decimating them makes faces cross: whether
/// they do is looked at in the end, and the test of each collapse is made only if they do.
TriangleMesh decimatedMesh(const TriangleMesh& mesh, size_t triangles, Context& context) {
  const Context::Stage stage(context, "decimate", 0.4);
  DecimateOptions options;
  options.triangles = triangles;
  options.mayCross = true;
  const TriangleMesh fast = triangleMesh(decimate(mesh, options, context).surface, context);
  if (selfIntersections(fast, context).empty()) return fast;
  options.mayCross = false;
  return triangleMesh(decimate(mesh, options, context).surface, context);
}

}  // namespace

bool isFlat(const TriangleMesh& mesh, size_t t, double part) {
  const Triangle& c = mesh.triangles[t];
  const Vec3& a = mesh.points[c[0]];
  const Vec3 e = mesh.points[c[1]] - a, f = mesh.points[c[2]] - a;
  const double longest = std::max({e.squaredNorm(), f.squaredNorm(), (e - f).squaredNorm()});
  return !(e.cross(f).norm() > part * longest);
}

int32_t flatTriangle(const TriangleMesh& mesh) {
  for (size_t t = 0; t < mesh.triangles.size(); ++t)
    if (isFlat(mesh, t, 1e-12)) return static_cast<int32_t>(t);
  return -1;
}

SolveSurface solveSurface(const TriangleMesh& mesh, const TriangleBvh& bvh, size_t triangles,
                          Context& context, const EdgeLimit& limit,
                          std::shared_ptr<const TriangleMesh> decimated) {
  const SharpEdges sharp(mesh, context);
  if (!decimated && mesh.triangles.size() > kSurplus * triangles)
    decimated = std::make_shared<const TriangleMesh>(decimatedMesh(mesh, kSurplus * triangles, context));
  const TriangleMesh& start = decimated ? *decimated : mesh;
  const Context::Stage stage(context, "remesh", 0.4);
  const double volume = volumeOf(mesh, context);
  double wanted = static_cast<double>(triangles);
  for (int attempt = 0; attempt < kAttempts; ++attempt, wanted *= kMoreAgain) {
    const Sizing sizing(start, bvh, static_cast<size_t>(wanted), limit, context);
    RemeshOptions options;
    options.edge = [&](const Vec3& p) { return sizing.at(p); };
    const RemeshResult even = remesh({start, mesh, bvh, sharp}, options, context);
    TriangleMesh result = fitted(even, mesh, volume, context);
    if (std::abs(volumeOf(result, context) - volume) > kVolumeLoss * volume) continue;
    if (flatTriangle(result) < 0 && selfIntersections(result, context).empty())
      return {std::move(result), false, std::move(decimated)};
  }
  context.warn(
      "the surface comes too close to itself for a mesh of its own with this many triangles; that of a level "
      "set is solved on, whose edges are round");
  return {triangleMesh(coarseSurface(mesh, triangles, context), context), true, std::move(decimated)};
}

}  // namespace hackle
