#include <hackle/fracture/voronoi/lloyd.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hackle {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The nodes that come first in an exponential race with the energies as rates [Efraimidis06].
std::vector<int32_t> drawSeeds(Span<const double> energies, size_t count, uint64_t seed, Context& context) {
  std::vector<std::pair<double, int32_t>> race(energies.size());
  // Rates are shares of the largest: energies of 1e-300 must not overflow.
  const double largest = *std::max_element(energies.begin(), energies.end());
  parallelFor(context, energies.size(), 4096, [&](size_t n) {
    const double late = -std::log1p(-Random(seed, n).uniform());
    const double rate = largest > 0 ? energies[n] / largest : 1.0;
    race[n] = {rate > 0 ? late / rate : 1e300 * (1 + late), static_cast<int32_t>(n)};
  });
  const auto end = race.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(race.begin(), end, race.end());
  std::vector<int32_t> seeds;
  for (auto it = race.begin(); it != end; ++it) seeds.push_back(it->second);
  return seeds;
}

class Lloyd {
 public:
  Lloyd(const Embedding& embedding, const NodeGraph& graph, Span<const double> energies, Context& context)
      : mEmbedding(embedding),
        mGraph(graph),
        mEnergies(energies),
        mContext(context),
        mDistance(embedding.size(), kInfinity) {
    mCells.dimensions = embedding.dimensions;
    mCells.labels.assign(embedding.size(), -1);
  }

  CentroidalCells run(const std::vector<int32_t>& seeds, const LloydOptions& options) {
    for (const int32_t node : seeds) {
      const double* row = mEmbedding.of(static_cast<size_t>(node));
      mCells.sites.insert(mCells.sites.end(), row, row + mEmbedding.dimensions);
    }
    flood(seeds);
    assign();
    while (mCells.iterations < options.iterations) {
      const double before = mCells.energies.back();
      if (!(before > 0)) break;
      const std::vector<double> sites = mCells.sites;
      const std::vector<int32_t> labels = mCells.labels;
      moveSites();
      assign();
      // At the end of the road, rounding may turn upwards: stay where it was.
      if (mCells.energies.back() >= before) {
        mCells.sites = sites;
        mCells.labels = labels;
        mCells.energies.pop_back();
        break;
      }
      ++mCells.iterations;
      if (before - mCells.energies.back() < options.tolerance * before) break;
    }
    return std::move(mCells);
  }

 private:
  double distance(size_t node, size_t site) const {
    return squaredDistance(mEmbedding.of(node), mCells.site(site), mCells.dimensions);
  }

  /// Cells grow from the seeds along edges, over nodes that they are nearer to. Nearly the diagram.
  void flood(const std::vector<int32_t>& seeds) {
    std::vector<int32_t> queue = seeds;
    for (size_t s = 0; s < seeds.size(); ++s) {
      mCells.labels[seeds[s]] = static_cast<int32_t>(s);
      mDistance[seeds[s]] = 0;
    }
    for (size_t head = 0; head < queue.size(); ++head) {
      if (head % 4096 == 0) mContext.checkCancel();
      const int32_t label = mCells.labels[queue[head]];
      for (const int32_t next : mGraph.neighbours(static_cast<size_t>(queue[head]))) {
        const auto n = static_cast<size_t>(next);
        if (mCells.labels[n] == label) continue;
        const double d = distance(n, static_cast<size_t>(label));
        if (d >= mDistance[n]) continue;
        mDistance[n] = d;
        mCells.labels[n] = label;
        queue.push_back(next);
      }
    }
  }

  /// Of each site, the sites around it by distance.
  struct Near {
    double squared;
    int32_t site;
    bool operator<(const Near& o) const { return squared != o.squared ? squared < o.squared : site < o.site; }
  };
  void findNear() {
    const size_t count = mCells.count();
    mNearCount = std::min<size_t>(count - 1, 40);
    mNear.resize(count * mNearCount);
    parallelRanges(mContext, count, 16, [&](size_t begin, size_t end) {
      std::vector<Near> all;
      for (size_t s = begin; s < end; ++s) {
        all.clear();
        for (size_t o = 0; o < count; ++o)
          if (o != s)
            all.push_back({squaredDistance(mCells.site(s), mCells.site(o), mCells.dimensions),
                           static_cast<int32_t>(o)});
        const auto last = all.begin() + static_cast<std::ptrdiff_t>(mNearCount);
        std::partial_sort(all.begin(), last, all.end());
        std::copy(all.begin(), last, mNear.begin() + static_cast<std::ptrdiff_t>(s * mNearCount));
      }
    });
  }

  /// Labels every node with its nearest site, and adds the energy.
  void assign() {
    findNear();
    const double energy = parallelReduce(
        mContext, mEmbedding.size(), 512, 0.0,
        [&](size_t begin, size_t end) {
          double sum = 0;
          for (size_t n = begin; n < end; ++n) {
            findSite(n);
            sum += mEnergies[n] * mDistance[n];
          }
          return sum;
        },
        [](double a, double b) { return a + b; });
    mCells.energies.push_back(energy);
  }

  void findSite(size_t node) {
    if (mCells.labels[node] < 0) return findAmongAll(node);
    const auto old = static_cast<size_t>(mCells.labels[node]);
    const double own = distance(node, old);
    int32_t best = mCells.labels[node];
    double nearest = own;
    // |s - old| >= 2 |x - old| puts s no nearer to x than old is; a hair of slack is for rounding.
    const double reach = 4 * own * (1 + 1e-9);
    const Near* near = mNear.data() + old * mNearCount;
    for (size_t k = 0; k < mNearCount; ++k) {
      if (near[k].squared > reach) {
        mCells.labels[node] = best;
        mDistance[node] = nearest;
        return;
      }
      const double d = distance(node, static_cast<size_t>(near[k].site));
      if (d < nearest || (d == nearest && near[k].site < best)) {
        nearest = d;
        best = near[k].site;
      }
    }
    if (mNearCount + 1 < mCells.count()) return findAmongAll(node);
    mCells.labels[node] = best;
    mDistance[node] = nearest;
  }

  void findAmongAll(size_t node) {
    double nearest = kInfinity;
    int32_t best = 0;
    for (size_t s = 0; s < mCells.count(); ++s) {
      const double d = distance(node, s);
      if (d < nearest) {
        nearest = d;
        best = static_cast<int32_t>(s);
      }
    }
    mCells.labels[node] = best;
    mDistance[node] = nearest;
  }

  /// To the weighted means of their cells; a site whose cell has no energy stays.
  void moveSites() {
    const size_t count = mCells.count(), dimensions = mCells.dimensions;
    std::vector<size_t> starts(count + 1, 0), members(mCells.labels.size());
    for (const int32_t label : mCells.labels) ++starts[label + 1];
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    std::vector<size_t> next(starts.begin(), starts.end() - 1);
    for (size_t n = 0; n < mCells.labels.size(); ++n) members[next[mCells.labels[n]]++] = n;
    parallelRanges(mContext, count, 8, [&](size_t begin, size_t end) {
      std::vector<double> sum(dimensions);
      for (size_t s = begin; s < end; ++s) {
        std::fill(sum.begin(), sum.end(), 0.0);
        double total = 0;
        for (size_t m = starts[s]; m < starts[s + 1]; ++m) {
          const double weight = mEnergies[members[m]];
          const double* row = mEmbedding.of(members[m]);
          total += weight;
          for (size_t k = 0; k < dimensions; ++k) sum[k] += weight * row[k];
        }
        if (total > 0)
          for (size_t k = 0; k < dimensions; ++k) mCells.sites[s * dimensions + k] = sum[k] / total;
      }
    });
  }

  const Embedding& mEmbedding;
  const NodeGraph& mGraph;
  Span<const double> mEnergies;
  Context& mContext;
  std::vector<double> mDistance;  // squared, of every node from its site
  std::vector<Near> mNear;
  size_t mNearCount = 0;
  CentroidalCells mCells;
};

}  // namespace

CentroidalCells centroidalCells(const Embedding& embedding, const NodeGraph& graph,
                                Span<const double> energies, size_t count, const LloydOptions& options,
                                Context& context) {
  HACKLE_ASSERT(embedding.size() > 0 && energies.size() == embedding.size() &&
                graph.size() == embedding.size());
  count = std::clamp<size_t>(count, 1, embedding.size());
  return Lloyd(embedding, graph, energies, context)
      .run(drawSeeds(energies, count, options.seed, context), options);
}

}  // namespace hackle
