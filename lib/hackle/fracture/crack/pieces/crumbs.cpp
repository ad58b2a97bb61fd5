#include <hackle/fracture/crack/pieces/crumbs.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <map>
#include <set>

namespace hackle {

namespace {

constexpr double kBeside = 4.0;  // voxels
constexpr double kAlike = 0.3;   // of the largest border: about as large

class CrumbJoiner {
 public:
  CrumbJoiner(const Fragments& fragments, const CrackSamples& samples, const CrumbOptions& options)
      : mFragments(fragments),
        mSamples(samples),
        mOptions(options),
        mParts(fragments.count()),
        mNames(fragments.count()) {
    for (size_t p = 0; p < mParts.size(); ++p) mParts[p].voxels = static_cast<double>(fragments.voxels()[p]);
    for (const CrackSample& s : samples.dividing()) {
      const Border border{static_cast<double>(s.area), s.crack * static_cast<double>(s.area)};
      part(s.front).border[s.back] += border;
      part(s.back).border[s.front] += border;
    }
  }

  std::vector<int32_t> run() {
    joinBesideSheets();
    joinUndivided();
    std::set<std::pair<double, int32_t>> crumbs;  // by size
    for (size_t p = 0; p < mParts.size(); ++p) enlist(static_cast<int32_t>(p), crumbs);
    while (!crumbs.empty()) {
      const int32_t crumb = crumbs.begin()->second;
      crumbs.erase(crumbs.begin());
      const int32_t into = mostShared(crumb);
      if (into < 0) continue;
      crumbs.erase({volume(into), into});
      enlist(unite(into, crumb), crumbs);
    }
    joinBeyondMost();
    std::vector<int32_t> names(mParts.size(), -1), number(mParts.size(), -1);
    int32_t count = 0;
    for (size_t p = 0; p < mParts.size(); ++p) {
      int32_t& of = number[mNames.find(static_cast<int32_t>(p))];
      if (of < 0) of = count++;
      names[p] = of;
    }
    return names;
  }

 private:
  struct Border {
    double area = 0;   // of sheets, voxels^2
    double crack = 0;  // their number, times the area
    void operator+=(const Border& other) {
      area += other.area;
      crack += other.crack;
    }
  };
  struct Part {
    double voxels = 0;
    std::map<int32_t, Border> border;  // with each neighbour
  };
  Part& part(int32_t p) { return mParts[p]; }
  double borderOf(int32_t p) {
    double sum = 0;
    for (const auto& [other, border] : part(p).border) sum += border.area;
    return sum;
  }
  /// With its share of the walls.
  double volume(int32_t p) { return part(p).voxels + mOptions.wall * borderOf(p); }

  void enlist(int32_t p, std::set<std::pair<double, int32_t>>& crumbs) {
    if (mNames.find(p) != p || part(p).border.empty()) return;
    if (volume(p) < mOptions.smallest || 2 * part(p).voxels < borderOf(p)) crumbs.insert({volume(p), p});
  }

  /// The neighbour that a crumb shares most with. Of two that share about the same, as on both sides of a
  /// thin flake, that across the later crack: the earlier one counts (crack_samples.h).
  int32_t mostShared(int32_t p) {
    double most = 0, latest = -1;
    for (const auto& [other, border] : part(p).border) most = std::max(most, border.area);
    int32_t best = -1;
    for (const auto& [other, border] : part(p).border) {
      if (!(border.area > 0) || border.area < kAlike * most || border.crack / border.area <= latest) continue;
      latest = border.crack / border.area;
      best = other;
    }
    return best;
  }

  /// Joins b to a; returns the name of both.
  int32_t unite(int32_t a, int32_t b) {
    mNames.unite(a, b);
    const int32_t to = mNames.find(a), from = to == a ? b : a;
    const auto shared = part(from).border.find(to);
    if (shared != part(from).border.end()) part(to).voxels += 2 * mOptions.wall * shared->second.area;
    part(to).voxels += part(from).voxels;
    for (const auto& [other, border] : part(from).border) {
      part(other).border.erase(from);
      if (other == to) continue;
      part(to).border[other] += border;
      part(other).border[to] += border;
    }
    part(from).border.clear();
    return to;
  }

  /// The smallest parts join others until there are no more than wanted.
  void joinBeyondMost() {
    std::set<std::pair<double, int32_t>> bySize;
    size_t count = 0;
    for (size_t p = 0; p < mParts.size(); ++p) {
      const int32_t name = static_cast<int32_t>(p);
      if (mNames.find(name) != name) continue;
      ++count;
      if (!part(name).border.empty()) bySize.insert({volume(name), name});
    }
    while (count > mOptions.most && !bySize.empty()) {
      const int32_t smallest = bySize.begin()->second;
      bySize.erase(bySize.begin());
      const int32_t into = mostShared(smallest);
      if (into < 0) continue;
      bySize.erase({volume(into), into});
      const int32_t both = unite(into, smallest);
      if (!part(both).border.empty()) bySize.insert({volume(both), both});
      --count;
    }
  }

  /// Parts without any sheet between them and others.
  std::vector<uint8_t> undivided() {
    std::vector<uint8_t> alone(mParts.size());
    for (size_t p = 0; p < mParts.size(); ++p)
      alone[p] = mParts[p].border.empty() && mNames.find(static_cast<int32_t>(p)) == static_cast<int32_t>(p);
    return alone;
  }

  /// What is left between sheets that run side by side belongs to one side of that which counts.
  void joinBesideSheets() {
    std::vector<uint8_t> alone = undivided();
    if (std::count(alone.begin(), alone.end(), 1) == 0 || mSamples.dividing().empty()) return;
    const SampleTree tree(mSamples.dividing());
    Voxel v;
    const size_t u = mFragments.axis(0), w = mFragments.axis(1), along = mFragments.axis(2);
    int32_t guess = -1;
    for (v[w] = mFragments.low()[w]; v[w] <= mFragments.high()[w]; ++v[w])
      for (v[u] = mFragments.low()[u]; v[u] <= mFragments.high()[u]; ++v[u])
        for (const Fragments::Run& run : mFragments.runs(v[u], v[w])) {
          if (!alone[run.part]) continue;
          // By its first voxel: it is small, or it would have samples of its own.
          alone[run.part] = 0;
          v[along] = run.first;
          const Vec3 place(v[0], v[1], v[2]);
          guess = tree.nearest(place, SampleTree::Which::Any, guess, kBeside);
          if (guess < 0) continue;
          const int32_t side = mNames.find(tree.samples()[guess].sideOf(place));
          if (side != run.part) unite(side, run.part);
        }
  }

  /// Others join what is next to them, or across a longer neck.
  void joinUndivided() {
    for (const auto& [reach, stride] : {std::pair<int32_t, int32_t>{4, 1}, {32, 4}}) {
      const std::vector<uint8_t> alone = undivided();
      if (std::count(alone.begin(), alone.end(), 1) == 0) return;
      const std::vector<int32_t> nearest = mFragments.nearestOthers(alone, reach, stride);
      for (size_t p = 0; p < mParts.size(); ++p) {
        if (nearest[p] < 0) continue;
        const int32_t a = mNames.find(nearest[p]), b = mNames.find(static_cast<int32_t>(p));
        if (a != b) unite(a, b);
      }
    }
  }

  const Fragments& mFragments;
  const CrackSamples& mSamples;
  CrumbOptions mOptions;
  std::vector<Part> mParts;
  UnionFind mNames;
};

}  // namespace

std::vector<int32_t> joinCrumbs(const Fragments& fragments, const CrackSamples& samples,
                                const CrumbOptions& options) {
  return CrumbJoiner(fragments, samples, options).run();
}

}  // namespace hackle
