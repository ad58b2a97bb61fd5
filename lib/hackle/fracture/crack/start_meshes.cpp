#include <hackle/fracture/crack/growth/start_sites.h>
#include <hackle/fracture/crack/start_meshes.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

// Stress within this factor of that which starts the first crack: an element as long as a limb is thick gives
// half of it.
constexpr double kLikely = 3.0;
// Edges over thickness that are asked for, and with which a mesh is left as it is.
constexpr double kWanted = 0.5, kEnough = 0.6;
// How fast edges grow away from a place that is resolved, beyond its thickness.
constexpr double kGrowth = 0.5;

struct LikelyStart {
  Vec3 place;
  double thickness;
};

/// Places where the first crack may start once the mesh resolves them.
std::vector<LikelyStart> likelyStarts(const SolveMesh& mesh, const BemSystem& system,
                                      const CrackMaterial& material, Context& context) {
  StartOptions options;
  options.compressionRatio = material.compressionRatio;
  const StartSites sites(mesh.solid->mesh, mesh.solid->bvh, system.body(), system.data(), material.strength,
                         material.toughness, options, context);
  const std::vector<double> factors = sites.strengthFactors(system, system.solve(context));
  if (factors.empty()) return {};
  const double least = *std::min_element(factors.begin(), factors.end());
  std::vector<LikelyStart> likely;
  for (size_t i = 0; i < factors.size(); ++i)
    if (std::isfinite(factors[i]) && factors[i] <= kLikely * least)
      likely.push_back({sites.sites()[i].place, sites.sites()[i].thickness});
  return likely;
}

/// Whether edges are too long at any of these places.
bool isCoarseAt(const std::vector<LikelyStart>& places, const SolveMesh& mesh, Context& context) {
  const TriangleBvh tree(mesh.solved, context);
  const BemSurface surface(mesh.solved);
  return std::any_of(places.begin(), places.end(), [&](const LikelyStart& at) {
    const auto t = static_cast<size_t>(tree.closestPoint(at.place).triangle);
    const double edge = std::sqrt(4 / std::sqrt(3.0) * surface.area(t));
    return edge > kEnough * at.thickness;
  });
}

}  // namespace

SolveMesh resolvingStarts(const SolveMesh& mesh, const BoundaryData& data, const CrackMaterial& material,
                          size_t triangles, Context& context) {
  const Context::Stage stage(context, "starts", 0.1);
  const BemSystem system(BemSurface(mesh.solved), material.elastic, data, BemSystemOptions(), context);
  const std::vector<LikelyStart> likely = likelyStarts(mesh, system, material, context);
  if (!isCoarseAt(likely, mesh, context)) return mesh;
  const auto limit = [&](const Vec3& p) {
    double edge = std::numeric_limits<double>::infinity();
    for (const LikelyStart& at : likely) {
      const double beyond = std::max(0.0, (p - at.place).norm() - at.thickness);
      edge = std::min(edge, kWanted * at.thickness + kGrowth * beyond);
    }
    return edge;
  };
  return refinedMesh(mesh, triangles, limit, context);
}

}  // namespace hackle
