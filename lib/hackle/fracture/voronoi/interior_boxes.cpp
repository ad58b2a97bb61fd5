#include <hackle/fracture/voronoi/interior_boxes.h>

#include <algorithm>
#include <queue>

namespace hackle {

namespace {

constexpr double kSparse = 0.01;        // of the bounding box: above it points are found soon enough
constexpr double kEnough = 8;           // volumes of the solid that the boxes may have
constexpr size_t kMostBoxes = 1 << 15;  // sets a bound on the work; points are found more slowly then

double volumeOf(const Box3& box) { return box.size().prod(); }

/// A box that the surface may run through.
struct Cell {
  Box3 box;
  double volume;
  bool operator<(const Cell& other) const { return volume < other.volume; }
};

}  // namespace

InteriorBoxes::InteriorBoxes(const TriangleBvh& bvh, const WindingNumber& inside, double volume,
                             Context& context) {
  const Box3 all = bvh.bounds();
  std::priority_queue<Cell> cells;  // that the surface runs through, the largest first
  double covered = volumeOf(all);
  cells.push({all, covered});
  const bool sparse = volume < kSparse * covered;

  // Halve the largest box, and drop what is outside.
  const auto keep = [&](const Box3& box) {
    const double nearest = std::sqrt(bvh.closestPoint(box.centre()).squaredDistance);
    const bool crossed = !(nearest > 0.5 * box.diagonal());
    if (!crossed && !(inside(box.centre()) > 0.5)) return;
    const double size = volumeOf(box);
    covered += size;
    if (crossed)
      cells.push({box, size});
    else
      mBoxes.push_back(box);
  };
  while (sparse && covered > kEnough * volume && !cells.empty() &&
         cells.size() + mBoxes.size() < kMostBoxes) {
    context.checkCancel();
    const Cell cell = cells.top();
    cells.pop();
    covered -= cell.volume;
    Eigen::Index axis;
    cell.box.size().maxCoeff(&axis);
    Box3 low = cell.box, high = cell.box;
    low.max[axis] = high.min[axis] = cell.box.centre()[axis];
    keep(low);
    keep(high);
  }
  for (; !cells.empty(); cells.pop()) mBoxes.push_back(cells.top().box);
  if (mBoxes.empty()) mBoxes.push_back(all);  // nothing seems to be inside
  for (const Box3& box : mBoxes) mSums.push_back(volumeOf(box) + (mSums.empty() ? 0 : mSums.back()));
}

Vec3 InteriorBoxes::point(Random& random) const {
  const double at = mBoxes.size() == 1 ? 0 : random.uniform() * mSums.back();
  const auto found = std::upper_bound(mSums.begin(), mSums.end() - 1, at);
  const Box3& box = mBoxes[static_cast<size_t>(found - mSums.begin())];
  const Vec3 u(random.uniform(), random.uniform(), random.uniform());
  return box.min + u.cwiseProduct(box.size());
}

}  // namespace hackle
