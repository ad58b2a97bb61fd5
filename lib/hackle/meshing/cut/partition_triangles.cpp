#include <hackle/meshing/cut/partition_triangles.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace hackle {

PartitionTriangles::PartitionTriangles(const LabelComplex& complex, const CrossingPredicates& predicates,
                                       double extent) {
  constexpr double kCoplanar = 1e-12;
  std::vector<int32_t> groupOf(complex.facets.size());
  std::iota(groupOf.begin(), groupOf.end(), 0);
  if (complex.joinFlat) groupOf = coplanarFacets(complex, kCoplanar * extent);
  triangulate(complex, predicates, groupOf);
  collectEdges();
}

/// Fans from the lowest node.
void PartitionTriangles::triangulate(const LabelComplex& complex, const CrossingPredicates& predicates,
                                     const std::vector<int32_t>& groupOf) {
  for (size_t f = 0; f < complex.facets.size(); ++f) {
    const int32_t group = groupOf[f];
    if (static_cast<size_t>(group) >= groups.size())
      groups.resize(static_cast<size_t>(group) + 1, {-1, -1, Vec3::Zero()});
    Group& of = groups[group];
    of.back = complex.facets[f].back;
    of.front = complex.facets[f].front;
    const Span<const int32_t> corners = complex.cornersOf(f);
    const size_t low =
        static_cast<size_t>(std::min_element(corners.begin(), corners.end()) - corners.begin());
    const auto at = [&](size_t k) { return corners[(low + k) % corners.size()]; };
    for (size_t k = 1; k + 1 < corners.size(); ++k) {
      const Triangle nodes{at(0), at(k), at(k + 1)};
      triangles.push_back(
          {nodes, {}, {}, static_cast<int32_t>(f), group, predicates.partitionHasArea(nodes)});
      const auto place = [&](size_t c) -> const Vec3& { return complex.nodes[nodes[c]]; };
      of.normal += (place(1) - place(0)).cross(place(2) - place(0));
    }
  }
}

void PartitionTriangles::collectEdges() {
  struct HalfEdge {
    int32_t low, high, triangle, corner;
    bool along;
  };
  std::vector<HalfEdge> halves;
  for (size_t t = 0; t < triangles.size(); ++t)
    for (size_t k = 0; k < 3; ++k) {
      const int32_t a = triangles[t].nodes[k], b = triangles[t].nodes[(k + 1) % 3];
      halves.push_back(
          {std::min(a, b), std::max(a, b), static_cast<int32_t>(t), static_cast<int32_t>(k), a < b});
    }
  std::sort(halves.begin(), halves.end(), [](const HalfEdge& l, const HalfEdge& r) {
    return std::tie(l.low, l.high, l.triangle, l.corner) < std::tie(r.low, r.high, r.triangle, r.corner);
  });
  for (size_t begin = 0; begin < halves.size();) {
    size_t end = begin;
    const int32_t edge = static_cast<int32_t>(edges.size());
    edges.push_back({halves[begin].low, halves[begin].high});
    mFirstSide.push_back(static_cast<int32_t>(begin));
    for (; end < halves.size() && halves[end].low == halves[begin].low &&
           halves[end].high == halves[begin].high;
         ++end) {
      const HalfEdge& half = halves[end];
      Triangle3& t = triangles[half.triangle];
      t.edges[half.corner] = edge;
      t.along[half.corner] = half.along;
      mSides.push_back({half.triangle, half.along});
    }
    const auto groupAt = [&](size_t h) { return triangles[halves[h].triangle].group; };
    mInner.push_back(end == begin + 2 && groupAt(begin) == groupAt(begin + 1) &&
                             halves[begin].along != halves[begin + 1].along
                         ? 1
                         : 0);
    begin = end;
  }
  mFirstSide.push_back(static_cast<int32_t>(halves.size()));
}

}  // namespace hackle
