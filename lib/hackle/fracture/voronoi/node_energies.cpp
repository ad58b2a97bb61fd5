#include <hackle/fracture/voronoi/node_energies.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/meshing/surface/surface_distance.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hackle {

namespace {

/// Six times the volume.
double sixfoldVolume(Span<const Vec3> points, const Tetrahedron& t) {
  const auto at = [&](size_t k) -> const Vec3& { return points[t[k]]; };
  return std::abs((at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0))));
}

}  // namespace

std::vector<double> nodeVolumes(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra) {
  return nodeEnergies(points, tetrahedra, std::vector<double>(tetrahedra.size(), 1.0));
}

std::vector<double> nodeEnergies(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                 Span<const double> densities) {
  HACKLE_ASSERT(densities.size() == tetrahedra.size());
  std::vector<double> energies(points.size(), 0.0);
  for (size_t t = 0; t < tetrahedra.size(); ++t) {
    const double quarter = densities[t] * sixfoldVolume(points, tetrahedra[t]) / 24.0;
    for (const int32_t p : tetrahedra[t]) energies[p] += quarter;
  }
  return energies;
}

std::vector<double> solidShares(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                const TriangleMesh& surface, Context& context) {
  const SurfaceDistance distance(surface, context);
  const auto at = [&](int32_t p) -> const Vec3& { return points[p]; };
  // One bit a corner: whether the place nearest to it is inside.
  std::vector<uint8_t> inside(tetrahedra.size());
  parallelFor(context, tetrahedra.size(), 256, [&](size_t t) {
    Vec3 middle = Vec3::Zero();
    for (const int32_t p : tetrahedra[t]) middle += 0.25 * at(p);
    double radius = 0;
    for (const int32_t p : tetrahedra[t]) radius = std::max(radius, (at(p) - middle).norm());
    if (distance.tree().closestPoint(middle, radius).triangle < 0) {
      inside[t] = distance.inside(middle) ? 15 : 0;
      return;
    }
    for (size_t k = 0; k < 4; ++k) {
      const Vec3 place = middle + 0.36 * (at(tetrahedra[t][k]) - middle);
      if (distance.inside(place)) inside[t] = static_cast<uint8_t>(inside[t] | (1u << k));
    }
  });
  std::vector<double> shares(points.size(), 0.0), whole(points.size(), 0.0);
  for (size_t t = 0; t < tetrahedra.size(); ++t) {
    const double six = sixfoldVolume(points, tetrahedra[t]);
    for (size_t k = 0; k < 4; ++k) {
      const auto p = static_cast<size_t>(tetrahedra[t][k]);
      whole[p] += six;
      if (inside[t] & (1u << k)) shares[p] += six;
    }
  }
  for (size_t p = 0; p < shares.size(); ++p)
    if (whole[p] > 0) shares[p] /= whole[p];
  return shares;
}

std::vector<double> shapedEnergies(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                   Span<const double> energies, const NodeEnergyOptions& options,
                                   Context& context) {
  HACKLE_ASSERT(energies.size() == points.size());
  for (size_t n = 0; n < energies.size(); ++n)
    if (!(energies[n] >= 0) || !std::isfinite(energies[n]))
      throw Error(
          ErrorCode::BadInput,
          fmt::format("the strain energy of node {} is {}, not a number of 0 or more", n, energies[n]));
  std::vector<double> shaped(energies.begin(), energies.end());
  const double total = std::accumulate(shaped.begin(), shaped.end(), 0.0);
  if (options.granularity != 1.0 && total > 0) {
    const std::vector<double> volumes = nodeVolumes(points, tetrahedra);
    const double volume = std::accumulate(volumes.begin(), volumes.end(), 0.0);
    // Densities in multiples of the mean one, so that powers stay within bounds.
    const double mean = total / volume;
    for (size_t n = 0; n < shaped.size(); ++n)
      shaped[n] =
          volumes[n] > 0 ? volumes[n] * std::pow(energies[n] / volumes[n] / mean, options.granularity) : 0.0;
    const double sum = std::accumulate(shaped.begin(), shaped.end(), 0.0);
    for (double& energy : shaped) energy *= total / sum;
  }
  if (options.fragility)
    parallelFor(context, shaped.size(), 256, [&](size_t n) {
      const double beta = options.fragility(points[n]);
      if (!(beta >= 0) || !std::isfinite(beta))
        throw Error(ErrorCode::BadInput,
                    fmt::format("the fragility at ({:.4g}, {:.4g}, {:.4g}) is {}", points[n].x(),
                                points[n].y(), points[n].z(), beta),
                    "paint values of 0 or more; 1 changes nothing");
      shaped[n] *= beta;
    });
  return shaped;
}

}  // namespace hackle
