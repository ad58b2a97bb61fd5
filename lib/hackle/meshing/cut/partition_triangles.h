// The facets of a label complex as triangles with their edges, as the cutter wants them.
#pragma once

#include <hackle/meshing/cut/crossing_predicates.h>
#include <hackle/meshing/cut/inner_edges.h>
#include <hackle/meshing/cut/label_complex.h>

#include <array>
#include <vector>

namespace hackle {

class PartitionTriangles {
 public:
  struct Triangle3 {
    Triangle nodes;
    std::array<int32_t, 3> edges;  // of nodes 0-1, 1-2, 2-0
    std::array<bool, 3> along;     // the edge runs from start to end here
    int32_t facet, group;
    bool hasArea;
  };
  /// Coplanar facets that become one face.
  struct Group {
    int32_t back, front;
    Vec3 normal;  // to the front, of any length
  };
  struct EdgeSide {
    int32_t triangle;
    bool along;
  };

  /// Facets within 1e-12 of `extent` (m) of a plane count as coplanar.
  PartitionTriangles(const LabelComplex& complex, const CrossingPredicates& predicates, double extent);

  /// Between two triangles of one group: no border of a face.
  bool isInner(int32_t edge) const { return mInner[edge] != 0; }
  /// At the end of the partition: one triangle only.
  bool isRim(int32_t edge) const { return sidesOf(edge).size() == 1; }
  Span<const EdgeSide> sidesOf(int32_t edge) const {
    const size_t e = static_cast<size_t>(edge);
    return Span<const EdgeSide>(mSides.data() + mFirstSide[e],
                                static_cast<size_t>(mFirstSide[e + 1] - mFirstSide[e]));
  }

  std::vector<Triangle3> triangles;
  std::vector<PartitionEdge> edges;  // start < end
  std::vector<Group> groups;

 private:
  void triangulate(const LabelComplex& complex, const CrossingPredicates& predicates,
                   const std::vector<int32_t>& groupOf);
  void collectEdges();

  std::vector<EdgeSide> mSides;
  std::vector<int32_t> mFirstSide;
  std::vector<uint8_t> mInner;
};

}  // namespace hackle
