// How TriangleBvh makes its tree. Private to bvh.cpp and its builder.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>

#include <vector>

namespace hackle {

/// A triangle while the tree is built: its box, rounded outwards, and its number.
struct BvhItem {
  float min[3];
  float max[3];
  int32_t triangle;

  /// Twice the middle of the box.
  float doubledCentre(int axis) const { return min[axis] + max[axis]; }
};

/// Deeper than this no tree gets: traversal stacks have room for one entry a level.
constexpr int kMaxBvhDepth = 96;

/// Sorts the items into leaf order and returns the nodes over them; none for no items.
std::vector<TriangleBvh::Node> buildBvhNodes(std::vector<BvhItem>& items, Context& context);

/// Four children at once, side by side for vector instructions. Child i is a leaf with triangles first[i] to
/// first[i] + count[i], or, with count[i] = 0, the wide node first[i]; -1 for none.
struct BvhWideNode {
  float min[3][4];
  float max[3][4];
  int32_t first[4];
  int32_t count[4];
};

/// The same tree with up to four children a node: each node takes in its largest children's children. Never
/// empty unless `nodes` is; a root that is a leaf becomes its only child.
std::vector<BvhWideNode> widenBvh(const std::vector<TriangleBvh::Node>& nodes);

}  // namespace hackle
