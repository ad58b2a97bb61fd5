#include <hackle/linalg/elimination_order.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace hackle {

namespace {

constexpr size_t kLeaf = 12;

class Dissection {
 public:
  Dissection(const std::vector<Eigen::Vector3d>& places, const std::vector<CoupledUnknowns>& coupled)
      : mPlaces(places), mCoupled(coupled), mSide(places.size(), Side::None) {
    mOrder.reserve(places.size());
  }

  std::vector<int32_t> run() {
    std::vector<int32_t> members(mPlaces.size()), groups(mCoupled.size());
    std::iota(members.begin(), members.end(), 0);
    std::iota(groups.begin(), groups.end(), 0);
    dissect(members, groups);
    return std::move(mOrder);
  }

 private:
  enum class Side : uint8_t { None, Left, Right, Separator };  // separators are on the left

  int longestAxis(const std::vector<int32_t>& members) const {
    Eigen::Vector3d low = Eigen::Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const int32_t m : members) {
      low = low.cwiseMin(mPlaces[m]);
      high = high.cwiseMax(mPlaces[m]);
    }
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    return static_cast<int>(axis);
  }

  /// Gives each member its side; those of the left half that are coupled to the right half separate them.
  void label(std::vector<int32_t>& members, const std::vector<int32_t>& groups) {
    const int axis = longestAxis(members);
    const auto half = members.begin() + static_cast<std::ptrdiff_t>(members.size() / 2);
    std::nth_element(members.begin(), half, members.end(), [&](int32_t a, int32_t b) {
      const double x = mPlaces[a][axis], y = mPlaces[b][axis];
      return x != y ? x < y : a < b;
    });
    for (auto m = members.begin(); m != members.end(); ++m) mSide[*m] = m < half ? Side::Left : Side::Right;
    for (const int32_t g : groups) {
      const CoupledUnknowns& group = mCoupled[g];
      const auto right = [&](int32_t m) { return m >= 0 && mSide[m] == Side::Right; };
      if (std::none_of(group.begin(), group.end(), right)) continue;
      for (const int32_t m : group)
        if (m >= 0 && mSide[m] == Side::Left) mSide[m] = Side::Separator;
    }
  }

  void dissect(std::vector<int32_t>& members, const std::vector<int32_t>& groups) {
    if (members.size() <= kLeaf) {
      std::sort(members.begin(), members.end());
      mOrder.insert(mOrder.end(), members.begin(), members.end());
      return;
    }
    label(members, groups);
    std::vector<int32_t> part[2], partGroups[2], separator;
    std::sort(members.begin(), members.end());
    for (const int32_t m : members)
      (mSide[m] == Side::Separator ? separator : part[mSide[m] == Side::Right]).push_back(m);
    for (const int32_t g : groups)
      for (const Side side : {Side::Left, Side::Right})
        if (std::any_of(mCoupled[g].begin(), mCoupled[g].end(),
                        [&](int32_t m) { return m >= 0 && mSide[m] == side; }))
          partGroups[side == Side::Right].push_back(g);
    for (const int32_t m : members) mSide[m] = Side::None;
    for (const int i : {0, 1}) dissect(part[i], partGroups[i]);
    mOrder.insert(mOrder.end(), separator.begin(), separator.end());
  }

  const std::vector<Eigen::Vector3d>& mPlaces;
  const std::vector<CoupledUnknowns>& mCoupled;
  std::vector<Side> mSide;
  std::vector<int32_t> mOrder;
};

}  // namespace

std::vector<int32_t> eliminationOrder(const std::vector<Eigen::Vector3d>& places,
                                      const std::vector<CoupledUnknowns>& coupled) {
  return Dissection(places, coupled).run();
}

}  // namespace hackle
