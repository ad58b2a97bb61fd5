#include <hackle/meshing/cut/label_complex.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace hackle {

namespace {

/// Twice the area times the unit normal, from the corners relative to the first.
Vec3 areaVector(const LabelComplex& complex, size_t facet) {
  const Span<const int32_t> corners = complex.cornersOf(facet);
  const Vec3& origin = complex.nodes[corners[0]];
  Vec3 sum = Vec3::Zero();
  for (size_t k = 1; k + 1 < corners.size(); ++k)
    sum += (complex.nodes[corners[k]] - origin).cross(complex.nodes[corners[k + 1]] - origin);
  return sum;
}

struct FacetEdge {
  int32_t back, front, low, high, facet;
  auto key() const { return std::tie(back, front, low, high); }
};

/// Facets of one pair of labels on either side of an edge.
std::vector<std::vector<int32_t>> facetNeighbours(const LabelComplex& complex) {
  std::vector<FacetEdge> edges;
  for (size_t f = 0; f < complex.facets.size(); ++f) {
    const Span<const int32_t> corners = complex.cornersOf(f);
    for (size_t k = 0; k < corners.size(); ++k) {
      const int32_t a = corners[k], b = corners[(k + 1) % corners.size()];
      edges.push_back({complex.facets[f].back, complex.facets[f].front, std::min(a, b), std::max(a, b),
                       static_cast<int32_t>(f)});
    }
  }
  std::sort(edges.begin(), edges.end(), [](const FacetEdge& a, const FacetEdge& b) {
    return std::make_tuple(a.key(), a.facet) < std::make_tuple(b.key(), b.facet);
  });
  std::vector<std::vector<int32_t>> neighbours(complex.facets.size());
  for (size_t e = 0; e + 1 < edges.size(); ++e) {
    if (edges[e].key() != edges[e + 1].key()) continue;
    neighbours[edges[e].facet].push_back(edges[e + 1].facet);
    neighbours[edges[e + 1].facet].push_back(edges[e].facet);
  }
  return neighbours;
}

}  // namespace

std::vector<int32_t> coplanarFacets(const LabelComplex& complex, double tolerance) {
  const std::vector<std::vector<int32_t>> neighbours = facetNeighbours(complex);
  std::vector<int32_t> group(complex.facets.size(), -1);
  int32_t groups = 0;
  std::vector<int32_t> reached;
  for (size_t seed = 0; seed < group.size(); ++seed) {
    if (group[seed] >= 0) continue;
    group[seed] = groups;
    const Vec3 area = areaVector(complex, seed);
    const double length = area.norm();
    const Vec3 origin = complex.nodes[complex.cornersOf(seed)[0]];
    const auto inPlane = [&](size_t facet) {
      if (areaVector(complex, facet).dot(area) < 0) return false;
      const Span<const int32_t> corners = complex.cornersOf(facet);
      return std::all_of(corners.begin(), corners.end(), [&](int32_t node) {
        return std::abs(area.dot(complex.nodes[node] - origin)) <= tolerance * length;
      });
    };
    reached.assign(1, static_cast<int32_t>(seed));
    // A facet of next to no area has no plane to speak of and takes nobody along.
    while (!reached.empty() && length > tolerance * tolerance) {
      const int32_t facet = reached.back();
      reached.pop_back();
      for (const int32_t next : neighbours[facet]) {
        if (group[next] >= 0 || !inPlane(static_cast<size_t>(next))) continue;
        group[next] = groups;
        reached.push_back(next);
      }
    }
    ++groups;
  }
  return group;
}

}  // namespace hackle
