#include <hackle/fracture/voronoi/sites.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/meshing/cut/site_tree.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace hackle {

namespace {

/// Draws points inside the mesh; point k of a draw depends on (seed, stream, k) alone.
class InteriorSampler {
 public:
  InteriorSampler(const InteriorBoxes& boxes, const WindingNumber& winding, uint64_t seed, Context& context)
      : mBoxes(boxes), mWinding(winding), mSeed(seed), mContext(context) {}

  /// `count` points, each proposed by `propose(Random&)` until one is inside; `remedy` is for where none is.
  template <class Propose>
  std::vector<Vec3> draw(size_t count, uint64_t stream, const char* remedy, const Propose& propose) {
    constexpr int kTries = 20000;
    std::vector<Vec3> points(count);
    std::vector<uint8_t> found(count, 0);
    parallelFor(mContext, count, 16, [&](size_t p) {
      Random random(mixBits(mSeed + stream), p);
      for (int attempt = 0; attempt < kTries && !found[p]; ++attempt) {
        points[p] = propose(random);
        found[p] = mWinding(points[p]) > 0.5;
        if (attempt % 64 == 63) mContext.checkCancel();
      }
    });
    if (std::find(found.begin(), found.end(), 0) != found.end())
      throw Error(ErrorCode::Failed, "found no room for sites inside the solid", remedy);
    return points;
  }

  /// `count` points anywhere inside.
  std::vector<Vec3> drawAnywhere(size_t count, uint64_t stream) {
    return draw(count, stream,
                "repair the surface, whose inside is hard to tell, or give sites on the second input",
                [&](Random& random) { return mBoxes.point(random); });
  }

 private:
  const InteriorBoxes& mBoxes;
  const WindingNumber& mWinding;
  uint64_t mSeed;
  Context& mContext;
};

/// Lloyd's method on a fixed sample of the interior: each site moves to the mean of the samples nearest to
/// it.
void relax(std::vector<Vec3>& sites, const std::vector<Vec3>& samples, int steps, Context& context) {
  std::vector<int32_t> nearest(samples.size());
  for (int step = 0; step < steps; ++step) {
    const SiteTree tree(sites);
    parallelFor(context, samples.size(), 256, [&](size_t s) { nearest[s] = tree.nearest(samples[s]); });
    std::vector<Vec3> sums(sites.size(), Vec3::Zero());
    std::vector<int> counts(sites.size(), 0);
    for (size_t s = 0; s < samples.size(); ++s) {
      sums[nearest[s]] += samples[s];
      ++counts[nearest[s]];
    }
    for (size_t i = 0; i < sites.size(); ++i)
      if (counts[i] > 0) sites[i] = sums[i] / counts[i];
  }
}

/// The `count` of many even samples that come first in an exponential race with the density as rates: a draw
/// without replacement whose chances go with the density [Efraimidis06].
std::vector<Vec3> drawByDensity(InteriorSampler& sampler, size_t count, const SiteOptions& options,
                                Context& context) {
  constexpr size_t kCandidates = 32;  // per site
  const std::vector<Vec3> candidates = sampler.drawAnywhere(std::max<size_t>(kCandidates * count, 4096), 3);
  std::vector<std::pair<double, uint32_t>> race(candidates.size());
  parallelFor(context, candidates.size(), 256, [&](size_t c) {
    const double rate = options.density(candidates[c]);
    const double u = Random(mixBits(options.seed + 4), c).uniform();
    race[c] = {rate > 0 ? -std::log1p(-u) / rate : std::numeric_limits<double>::infinity(),
               static_cast<uint32_t>(c)};
  });
  std::sort(race.begin(), race.end());
  if (count > race.size() || (count > 0 && !std::isfinite(race[count - 1].first)))
    throw Error(ErrorCode::BadInput,
                "the density of sites is not positive anywhere inside, or almost nowhere",
                "give a density that is positive in a part of the solid");
  std::vector<Vec3> sites;
  for (size_t k = 0; k < count; ++k) sites.push_back(candidates[race[k].second]);
  return sites;
}

const SiteCluster& drawCluster(const std::vector<SiteCluster>& clusters, Random& random) {
  double total = 0;
  for (const SiteCluster& cluster : clusters) total += cluster.weight;
  double left = total * random.uniform();
  for (const SiteCluster& cluster : clusters) {
    if (left < cluster.weight) return cluster;
    left -= cluster.weight;
  }
  return clusters.back();
}

}  // namespace

std::vector<Vec3> scatterSites(const InteriorBoxes& boxes, const WindingNumber& inside,
                               const SiteOptions& options, Context& context) {
  InteriorSampler sampler(boxes, inside, options.seed, context);
  const size_t clustered =
      options.clusters.empty()
          ? 0
          : static_cast<size_t>(std::llround(options.clustered * static_cast<double>(options.count)));
  std::vector<Vec3> sites = options.density
                                ? drawByDensity(sampler, options.count - clustered, options, context)
                                : sampler.drawAnywhere(options.count - clustered, 0);
  const std::vector<Vec3> crowd =
      sampler.draw(clustered, 1, "move the clusters into the solid", [&](Random& random) -> Vec3 {
        const SiteCluster& cluster = drawCluster(options.clusters, random);
        return cluster.at + cluster.radius * Vec3(random.normal(), random.normal(), random.normal());
      });
  sites.insert(sites.end(), crowd.begin(), crowd.end());
  if (options.relaxation > 0) {
    constexpr size_t kSamplesPerSite = 64;
    relax(sites, sampler.drawAnywhere(kSamplesPerSite * options.count, 2), options.relaxation, context);
  }
  return sites;
}

}  // namespace hackle
