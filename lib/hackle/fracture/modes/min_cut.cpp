#include <hackle/fracture/modes/min_cut.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hackle::detail {

CutNetwork::CutNetwork(const ElementGraph& graph, Eigen::Index axis) {
  mStarts.assign(graph.size() + 1, 0);
  for (const auto& [a, b] : graph.faces) {
    ++mStarts[a + 1];
    ++mStarts[b + 1];
  }
  std::partial_sum(mStarts.begin(), mStarts.end(), mStarts.begin());
  const size_t arcs = 2 * graph.faces.size();
  mHead.resize(arcs);
  mReverse.resize(arcs);
  mCapacity.resize(arcs);
  mCost.resize(arcs);
  double sum = 0;
  for (size_t f = 0; f < graph.faces.size(); ++f) sum += graph.costs(static_cast<Eigen::Index>(f), axis);
  mScale = sum > 0 ? 0x1p60 / sum : 1;
  std::vector<int32_t> next(mStarts.begin(), mStarts.end() - 1);
  for (size_t f = 0; f < graph.faces.size(); ++f) {
    const auto [a, b] = graph.faces[f];
    const int32_t forth = next[a]++, back = next[b]++;
    mHead[forth] = b;
    mHead[back] = a;
    mReverse[forth] = back;
    mReverse[back] = forth;
    mCost[forth] = mCost[back] = graph.costs(static_cast<Eigen::Index>(f), axis);
    mCapacity[forth] = mCapacity[back] = std::llround(mCost[forth] * mScale);
  }
}

double CutNetwork::perimeter(const std::vector<uint8_t>& inside) const {
  double sum = 0;
  for (int32_t v = 0; v < size(); ++v)
    if (inside[v])
      for (int32_t a = mStarts[v]; a < mStarts[v + 1]; ++a)
        if (!inside[mHead[a]]) sum += mCost[a];
  return sum;
}

/// Push–relabel [Goldberg88] from elements with too much to elements with too little, highest labels first.
/// Labels are distances to an element with too little, found anew by a search whenever about as much work was
/// done as that costs.
class CutNetwork::Push {
 public:
  Push(const CutNetwork& network, const Eigen::VectorXd& supply, Flow& flow, Context& context)
      : mN(network),
        mResidual(flow.residual),
        mContext(context),
        mExcess(static_cast<size_t>(network.size())),
        mLabel(mExcess.size()),
        mNext(mExcess.size()) {
    for (int32_t v = 0; v < mN.size(); ++v) {
      int64_t through = 0, out = 0;
      for (int32_t a = mN.mStarts[v]; a < mN.mStarts[v + 1]; ++a) {
        through += mN.mCapacity[a];
        out += mN.mCapacity[a] - mResidual[a];
      }
      // What is more than all pipes carry makes no difference to the set.
      const double limit = 1.125 * static_cast<double>(through) + 16, wanted = supply[v] * mN.mScale;
      const double taken = std::clamp(wanted, -limit, limit);
      mExcess[v] = std::llround(taken) - out;
      if (wanted > taken) mLeftOut += wanted - taken;
    }
  }

  void run() {
    while (searchLabels()) pushAll();
  }
  /// Elements that reach no element with too little are the source's side.
  std::vector<uint8_t> sourceSide() const {
    std::vector<uint8_t> inside(mLabel.size());
    for (size_t v = 0; v < inside.size(); ++v) inside[v] = mLabel[v] == kFar;
    return inside;
  }
  double excess() const {
    double sum = mLeftOut;
    for (const int64_t e : mExcess)
      if (e > 0) sum += static_cast<double>(e);
    return sum;
  }

 private:
  static constexpr int32_t kFar = std::numeric_limits<int32_t>::max();

  /// Labels all by distance; false if no element with too much reaches one with too little.
  bool searchLabels() {
    mContext.checkCancel();
    std::fill(mLabel.begin(), mLabel.end(), kFar);
    mQueue.clear();
    for (int32_t v = 0; v < mN.size(); ++v)
      if (mExcess[v] < 0) {
        mLabel[v] = 0;
        mQueue.push_back(v);
      }
    bool active = false;
    for (size_t head = 0; head < mQueue.size(); ++head) {
      const int32_t v = mQueue[head];
      active |= mExcess[v] > 0;
      for (int32_t a = mN.mStarts[v]; a < mN.mStarts[v + 1]; ++a) {
        const int32_t u = mN.mHead[a];
        if (mLabel[u] != kFar || mResidual[mN.mReverse[a]] <= 0) continue;
        mLabel[u] = mLabel[v] + 1;
        mQueue.push_back(u);
      }
    }
    return active;
  }

  void activate(int32_t v) {
    const auto label = static_cast<size_t>(mLabel[v]);
    if (label >= mFirst.size()) mFirst.resize(label + 1, -1);
    mNext[v] = mFirst[label];
    mFirst[label] = v;
    mHighest = std::max(mHighest, mLabel[v]);
  }

  void pushAll() {
    mFirst.assign(static_cast<size_t>(mLabel[mQueue.back()]) + 1, -1);
    mHighest = 0;
    for (const int32_t v : mQueue)
      if (mExcess[v] > 0) activate(v);
    mWork = 0;
    const int64_t limit = 2 * static_cast<int64_t>(mN.size());
    while (mHighest > 0 && mWork < limit) {
      const int32_t v = mFirst[mHighest];
      if (v < 0) {
        --mHighest;
        continue;
      }
      mFirst[mHighest] = mNext[v];
      discharge(v);
    }
  }

  void discharge(int32_t v) {
    for (;;) {
      for (int32_t a = mN.mStarts[v]; a < mN.mStarts[v + 1]; ++a) {
        ++mWork;
        if (mResidual[a] <= 0) continue;
        const int32_t u = mN.mHead[a];
        if (mLabel[u] != mLabel[v] - 1) continue;
        const int64_t amount = std::min(mExcess[v], mResidual[a]);
        mResidual[a] -= amount;
        mResidual[mN.mReverse[a]] += amount;
        mExcess[v] -= amount;
        const bool wasIdle = mExcess[u] <= 0;
        mExcess[u] += amount;
        if (wasIdle && mExcess[u] > 0) {
          mLabel[u] = std::max(mLabel[u], 1);  // it has enough now
          activate(u);
        }
        if (mExcess[v] == 0) return;
      }
      // Cut off, or far up: leave it to the next search.
      int32_t relabelled = kFar;
      for (int32_t a = mN.mStarts[v]; a < mN.mStarts[v + 1]; ++a)
        if (mResidual[a] > 0) relabelled = std::min(relabelled, mLabel[mN.mHead[a]]);
      if (relabelled == kFar || relabelled >= mN.size()) {
        mLabel[v] = kFar;
        return;
      }
      mLabel[v] = relabelled + 1;
    }
  }

  const CutNetwork& mN;
  std::vector<int64_t>& mResidual;
  Context& mContext;
  std::vector<int64_t> mExcess;
  std::vector<int32_t> mLabel, mNext, mQueue, mFirst;
  int32_t mHighest = 0;
  int64_t mWork = 0;
  double mLeftOut = 0;  // of supplies above what pipes carry
};

CutNetwork::Cut CutNetwork::largestExcess(const Eigen::VectorXd& supply, Flow& flow, Context& context) const {
  Push push(*this, supply, flow, context);
  push.run();
  Cut cut;
  cut.inside = push.sourceSide();
  cut.excess = push.excess() / mScale;
  return cut;
}

}  // namespace hackle::detail
