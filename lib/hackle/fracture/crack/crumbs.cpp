#include <hackle/fracture/crack/crumbs.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <map>
#include <set>

namespace hackle {

namespace {

class CrumbJoiner {
 public:
  CrumbJoiner(const Fragments& fragments, const CrackSamples& samples, const CrumbOptions& options)
      : mFragments(fragments), mOptions(options), mParts(fragments.count()), mNames(fragments.count()) {
    for (size_t p = 0; p < mParts.size(); ++p) mParts[p].voxels = static_cast<double>(fragments.voxels()[p]);
    for (const CrackSample& s : samples.dividing()) {
      part(s.front).border[s.back] += static_cast<double>(s.area);
      part(s.back).border[s.front] += static_cast<double>(s.area);
    }
  }

  std::vector<int32_t> run() {
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
    std::vector<int32_t> names(mParts.size(), -1), number(mParts.size(), -1);
    int32_t count = 0;
    for (size_t p = 0; p < mParts.size(); ++p) {
      int32_t& of = number[static_cast<size_t>(mNames.find(static_cast<int32_t>(p)))];
      if (of < 0) of = count++;
      names[p] = of;
    }
    return names;
  }

 private:
  struct Part {
    double voxels = 0;
    std::map<int32_t, double> border;  // area of sheets shared with each neighbour, voxels^2
  };
  Part& part(int32_t p) { return mParts[static_cast<size_t>(p)]; }
  double borderOf(int32_t p) {
    double sum = 0;
    for (const auto& [other, area] : part(p).border) sum += area;
    return sum;
  }
  /// With its share of the walls.
  double volume(int32_t p) { return part(p).voxels + mOptions.wall * borderOf(p); }

  void enlist(int32_t p, std::set<std::pair<double, int32_t>>& crumbs) {
    if (mNames.find(p) != p || part(p).border.empty()) return;
    if (volume(p) < mOptions.smallest || 2 * part(p).voxels < borderOf(p)) crumbs.insert({volume(p), p});
  }

  int32_t mostShared(int32_t p) {
    int32_t best = -1;
    double most = 0;
    for (const auto& [other, area] : part(p).border)
      if (area > most) {
        most = area;
        best = other;
      }
    return best;
  }

  /// Joins b to a; returns the name of both.
  int32_t unite(int32_t a, int32_t b) {
    mNames.unite(a, b);
    const int32_t to = mNames.find(a), from = to == a ? b : a;
    const auto shared = part(from).border.find(to);
    if (shared != part(from).border.end()) part(to).voxels += 2 * mOptions.wall * shared->second;
    part(to).voxels += part(from).voxels;
    for (const auto& [other, area] : part(from).border) {
      part(other).border.erase(from);
      if (other == to) continue;
      part(to).border[other] += area;
      part(other).border[to] += area;
    }
    part(from).border.clear();
    return to;
  }

  /// Parts without any sheet between them and others: next to them, else across a longer neck.
  void joinUndivided() {
    for (const auto& [reach, stride] : {std::pair<int32_t, int32_t>{4, 1}, {32, 4}}) {
      std::vector<uint8_t> alone(mParts.size());
      for (size_t p = 0; p < mParts.size(); ++p)
        alone[p] =
            mParts[p].border.empty() && mNames.find(static_cast<int32_t>(p)) == static_cast<int32_t>(p);
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
