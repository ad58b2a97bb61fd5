#include <hackle/fracture/crack/growth/start_sites.h>
#include <hackle/fracture/crack/start_meshes.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

// Stress within this factor of that which starts the first crack: an element as long as a limb is thick gives
// half of it.
constexpr double kLikely = 3.0;
// Edges over thickness that are asked for, and over the averaging radius at notches; down to the second of
// these at roots that are rounder than sharp, whose depth depends on where edges end.
constexpr double kWanted = 0.5, kWantedAtNotch = 0.35, kWantedAtRoot = 0.15;
// Edges over those asked for with which a mesh is left as it is.
constexpr double kEnough = 1.2;
// How fast edges grow away from a place that is resolved, beyond its thickness; from a notch, and from the
// border of a support.
constexpr double kGrowth = 0.5, kGrowthAtNotch = 0.25;

/// A place that the mesh has to resolve.
struct Resolved {
  Vec3 place;
  double edge;    // m, that resolves it
  double around;  // m, within which edges are no longer
  double growth;
};

double edgeAtNotch(const StartSite& site) {
  const double sharp = kWantedAtNotch * site.radius, root = site.notch->rootRadius;
  return root > 0 ? std::clamp(root, kWantedAtRoot * site.radius, sharp) : sharp;
}

/// Places where the first crack may start once the mesh resolves them.
std::vector<Resolved> likelyStarts(const SolveMesh& mesh, const BemSystem& system, const BoundaryData& data,
                                   const CrackMaterial& material, Context& context) {
  StartOptions options;
  options.compressionRatio = material.compressionRatio;
  options.onAnyMesh = true;  // a guess is enough to tell where to look closely
  const StartSites sites(mesh.solid->mesh, mesh.solid->bvh, system.body(), data, material.strength,
                         material.toughness, options, context);
  const std::vector<double> factors = sites.strengthFactors(system, system.solve(context), context);
  if (factors.empty()) return {};
  const double least = *std::min_element(factors.begin(), factors.end());
  std::vector<Resolved> likely;
  for (size_t i = 0; i < factors.size(); ++i)
    if (std::isfinite(factors[i]) && factors[i] <= kLikely * least) {
      const StartSite& site = sites.sites()[i];
      if (site.notch)
        likely.push_back({site.place, edgeAtNotch(site), 0.5 * site.radius, kGrowthAtNotch});
      else
        likely.push_back({site.place, kWanted * site.thickness, site.thickness, kGrowth});
    }
  return likely;
}

/// Whether edges are too long at any of these places.
bool isCoarseAt(const std::vector<Resolved>& places, const SolveMesh& mesh, Context& context) {
  const TriangleBvh tree(mesh.solved, context);
  const BemSurface surface(mesh.solved);
  return std::any_of(places.begin(), places.end(), [&](const Resolved& at) {
    const auto t = static_cast<size_t>(tree.closestPoint(at.place).triangle);
    const double edge = std::sqrt(4 / std::sqrt(3.0) * surface.area(t));
    return edge > kEnough * at.edge;
  });
}

}  // namespace

StartMesh resolvingStarts(const SolveMesh& mesh, const BoundaryData& data, Span<const WantedEdge> borders,
                          const CrackMaterial& material, size_t triangles, Context& context) {
  const Context::Stage stage(context, "starts", 0.1);
  std::shared_ptr<const FirstSystem> first =
      firstSystem(BemSurface(mesh.solved), material.elastic, data, context);
  std::vector<Resolved> resolved =
      likelyStarts(mesh, loadedSystem(*first, data, context), data, material, context);
  for (const WantedEdge& border : borders)
    resolved.push_back({border.place, border.edge, border.edge, kGrowth});
  if (!isCoarseAt(resolved, mesh, context)) return {mesh, std::move(first)};
  first.reset();  // a large one, and another one comes
  const auto limit = [&](const Vec3& p) {
    double edge = std::numeric_limits<double>::infinity();
    for (const Resolved& at : resolved)
      edge = std::min(edge, at.edge + at.growth * std::max(0.0, (p - at.place).norm() - at.around));
    return edge;
  };
  return {refinedMesh(mesh, triangles, limit, context), {}};
}

}  // namespace hackle
