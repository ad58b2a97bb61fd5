// Where the sites of a Voronoi fracture come from.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/voronoi/interior_boxes.h>
#include <hackle/geometry/vec.h>
#include <hackle/geometry/winding_number.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace hackle {

/// Sites crowd around `at`: a normal distribution of this radius (its standard deviation).
struct SiteCluster {
  Vec3 at = Vec3::Zero();  // m
  double radius = 0.1;     // m
  double weight = 1;       // of the sites in clusters, a cluster gets its share of the weights
};

/// How many sites per volume a place should have, up to a factor; none where it is not positive. Called from
/// several threads at once.
using SiteDensity = std::function<double(const Vec3&)>;

struct SiteOptions {
  size_t count = 20;
  uint64_t seed = 0;
  std::vector<SiteCluster> clusters;
  double clustered = 0.7;  // share of the sites that go to the clusters, if there are any
  int relaxation = 0;      // Lloyd steps towards the centroids of the cells
  SiteDensity density;     // even if there is none
};

/// Distinct points inside a closed surface, by volume and density or in clusters; `inside` is its winding
/// number, `boxes` cover it. Error(Failed) if the surface has no inside or a cluster is far from it,
/// Error(BadInput) if the density is not positive in enough places.
std::vector<Vec3> scatterSites(const InteriorBoxes& boxes, const WindingNumber& inside,
                               const SiteOptions& options, Context& context);

}  // namespace hackle
