// Cracks that meet: which cuts a tetrahedron has, and on which side of them another crack comes in.
#pragma once

#include <hackle/fracture/impact/growth.h>
#include <hackle/fracture/impact/pair_table.h>

#include <utility>

namespace hackle {

/// A crack ends on earlier ones: in their tetrahedra it cuts only edges between corners of the side from
/// which it comes, and goes on only across faces with such an edge. So it neither leaks past its end nor goes
/// on behind an earlier crack.
class CutSides {
 public:
  using Weights = std::array<double, 4>;  // of a tetrahedron's corners

  /// Both must outlive this; cuts are added to the vector by the owner.
  CutSides(const ModalBody& body, const std::vector<CrackCut>& cuts)
      : mBody(body), mCuts(cuts), mFirst(body.tetrahedra().size(), -1) {}

  /// Cuts must be added in the order of the vector.
  void add(int32_t cut);
  int count(int32_t tetrahedron) const;

  Weights weightsIn(int32_t tetrahedron, const Vec3& place) const;
  /// Corners that a crack can cut apart when it comes in from its cut `from` next door: those of the edges
  /// that it cuts on the shared face, and what edges that no other crack cuts connect with them. Bits.
  uint8_t cornersReachedFrom(int32_t tetrahedron, int32_t from) const;
  /// Corners on the same side as a place of all cuts that the tetrahedron has, where a crack starts: bits.
  /// `side`, a cut and a sign, gives the side of one of them.
  uint8_t nearCorners(int32_t tetrahedron, const Weights& place,
                      const std::optional<std::pair<int32_t, int>>& side) const;

 private:
  bool cutByAnother(int32_t a, int32_t b, int32_t crack) const;

  const ModalBody& mBody;
  const std::vector<CrackCut>& mCuts;
  std::vector<int32_t> mFirst;  // cut of each tetrahedron, the newest
  std::vector<int32_t> mNext;   // cut of the same tetrahedron, one per cut
  PairTable<int32_t> mEdges;    // points of an edge, lower first: the crack that cuts it, -2 if several do
};

}  // namespace hackle
