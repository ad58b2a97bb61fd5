// Nearest sites to a position.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <memory>
#include <vector>

namespace hackle {

/// A k-d tree over sites, which must outlive it and be at least one. Distances are rounded: ties and near
/// ties come in any, but always the same, order.
class SiteTree {
 public:
  explicit SiteTree(Span<const Vec3> sites);
  ~SiteTree();
  int32_t nearest(const Vec3& position) const;
  /// The `count` nearest (at most all), nearest first, with squared distances.
  void nearest(const Vec3& position, size_t count, std::vector<uint32_t>& sites,
               std::vector<double>& squared) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> mTree;
};

}  // namespace hackle
