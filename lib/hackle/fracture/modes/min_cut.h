// Minimum cuts of the element graph. Private to the solver of fracture modes.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/modes/element_graph.h>

#include <cstdint>
#include <vector>

namespace hackle::detail {

/// The element graph as a network of pipes: each face carries a flow of at most its cost, either way. Costs
/// are rounded to whole numbers (of 2^-60 of their sum), so that flows are exact and do not depend on the
/// order of sums.
class CutNetwork {
 public:
  CutNetwork(const ElementGraph& graph, Eigen::Index axis);

  int32_t size() const { return static_cast<int32_t>(mStarts.size()) - 1; }
  double scale() const { return mScale; }  // units per m^2

  /// What is kept from one cut to the next: the flow, which is a good guess for the next one.
  struct Flow {
    std::vector<int64_t> residual;  // of each arc
  };
  Flow emptyFlow() const { return {mCapacity}; }

  struct Cut {
    std::vector<uint8_t> inside;  // 1: in the set S
    double excess = 0;  // m^2: supply(S) − perimeter(S), the largest of all sets; 0: there is none above 0
  };
  /// The set S of elements with the largest supply(S) − perimeter(S); `supply` in m^2, of each element. All
  /// supplies should add up to 0. `flow` is brought up to date.
  Cut largestExcess(const Eigen::VectorXd& supply, Flow& flow, Context& context) const;

  /// Perimeter of a set, in m^2, from costs that are not rounded.
  double perimeter(const std::vector<uint8_t>& inside) const;
  /// Neighbours of an element.
  template <class Body>
  void forNeighbours(int32_t element, const Body& body) const {
    for (int32_t a = mStarts[element]; a < mStarts[element + 1]; ++a) body(mHead[a], mCost[a]);
  }

 private:
  class Push;
  std::vector<int32_t> mStarts, mHead, mReverse;
  std::vector<int64_t> mCapacity;
  std::vector<double> mCost;
  double mScale = 1;
};

}  // namespace hackle::detail
