// A partition of space into labelled regions, as the facets between them.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <cstdint>
#include <vector>

namespace hackle {

/// Facets are convex and planar up to rounding, and meet only in common edges: two facets of one pair of
/// labels, or three of three labels. They end only at the boundary of the space that is partitioned.
struct LabelComplex {
  struct Facet {
    int32_t back, front;  // labels on either side; the front sees the corners counter-clockwise
    int32_t first, count;
  };
  std::vector<Vec3> nodes;       // m
  std::vector<Facet> facets;     // sorted by back, front
  std::vector<int32_t> corners;  // indices of nodes
  bool joinFlat = true;          // facets in one plane become one face when a solid is cut

  Span<const int32_t> cornersOf(size_t facet) const {
    return Span<const int32_t>(corners.data() + facets[facet].first,
                               static_cast<size_t>(facets[facet].count));
  }
};

/// A group for each facet: facets of one pair of labels that are connected by edges and lie in one plane, to
/// within `tolerance` (m), are in one group. Groups are numbered by their first facet.
std::vector<int32_t> coplanarFacets(const LabelComplex& complex, double tolerance);

}  // namespace hackle
