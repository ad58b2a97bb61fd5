#include <hackle/meshing/cut/site_tree.h>

#include <algorithm>
#include <nanoflann.hpp>

namespace hackle {

namespace {
struct Cloud {
  Span<const Vec3> sites;
  size_t kdtree_get_point_count() const { return sites.size(); }
  double kdtree_get_pt(size_t i, size_t c) const { return sites[i][c]; }
  template <class B>
  bool kdtree_get_bbox(B&) const {
    return false;
  }
};
using Index =
    nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<double, Cloud>, Cloud, 3, uint32_t>;
}  // namespace

struct SiteTree::Tree {
  explicit Tree(Span<const Vec3> sites)
      : cloud{sites}, index(3, cloud, nanoflann::KDTreeSingleIndexAdaptorParams(10)) {}
  Cloud cloud;
  Index index;
};

SiteTree::SiteTree(Span<const Vec3> sites) : mTree(std::make_unique<Tree>(sites)) {}
SiteTree::~SiteTree() = default;

int32_t SiteTree::nearest(const Vec3& position) const {
  uint32_t site = 0;
  double squared = 0;
  mTree->index.knnSearch(position.data(), 1, &site, &squared);
  return static_cast<int32_t>(site);
}

void SiteTree::nearest(const Vec3& position, size_t count, std::vector<uint32_t>& sites,
                       std::vector<double>& squared) const {
  count = std::min(count, mTree->cloud.sites.size());
  sites.resize(count);
  squared.resize(count);
  mTree->index.knnSearch(position.data(), count, sites.data(), squared.data());
}

}  // namespace hackle
