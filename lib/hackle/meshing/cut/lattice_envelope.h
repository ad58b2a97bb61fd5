// The regions of largest score on a lattice of tetrahedra.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>
#include <hackle/meshing/cut/label_complex.h>

#include <vector>

namespace hackle {

/// Scores of candidate labels at the points of a lattice, linear inside each tetrahedron: a place belongs to
/// the label of the largest score. Point p has the entries starts[p] to starts[p + 1], by ascending label;
/// every label without an entry there has the score `missing`. So whatever a caller leaves out, neighbouring
/// tetrahedra agree.
struct LatticeScores {
  std::vector<int32_t> starts{0};
  std::vector<int32_t> labels;  // >= 0
  std::vector<double> values;
  double missing = 0.0;

  void add(int32_t label, double value) {
    labels.push_back(label);
    values.push_back(value);
  }
  /// Ends the list of a point.
  void finishPoint() { starts.push_back(static_cast<int32_t>(labels.size())); }
};

/// The scores, moved at random by 2^-34 of the largest: ties come apart, and regions of no thickness get one.
LatticeScores withoutTies(const LatticeScores& scores, uint64_t seed);

/// The upper envelope of scores. Decisions are exact (on scores rounded to 51 bits of the largest), ties go
/// to the lower label, and a node is named by the simplex of the lattice that holds it and its labels, and
/// placed from those alone: facets of neighbouring tetrahedra fit together by construction.
class LatticeEnvelope {
 public:
  /// The spans must outlive this. Error(BadInput) for a point without labels, scores that are not finite, or
  /// a tetrahedron without volume.
  LatticeEnvelope(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra, const LatticeScores& scores,
                  Context& context);

  LabelComplex facets(Context& context) const;
  /// The label at a place, or that of the lattice's nearest point if it lies outside.
  int32_t labelAt(const Vec3& position) const;

 private:
  friend class TetrahedronEnvelope;
  struct FacetChunk;
  int64_t score(int32_t point, int32_t label) const;
  bool hasTwoLabels(const Tetrahedron& corners, std::array<int32_t, 2>& labels) const;
  void addTwoLabelFacet(Tetrahedron corners, const std::array<int32_t, 2>& labels, FacetChunk& chunk) const;
  void addFacets(const Tetrahedron& corners, FacetChunk& chunk) const;
  LabelComplex joined(const std::vector<FacetChunk>& chunks, Context& context) const;

  Span<const Vec3> mPoints;
  Span<const Tetrahedron> mTetrahedra;
  std::vector<int32_t> mStarts, mLabels;
  std::vector<int64_t> mScores;  // in units of 2^-51 of the largest
  int64_t mMissing = 0;
  std::vector<int32_t> mWinner;  // the label of each point
};

}  // namespace hackle
