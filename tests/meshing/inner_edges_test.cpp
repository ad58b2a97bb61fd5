// innerStretches on its own: a network through boxes whose crossings are known by arithmetic.
#include "../shapes.h"

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/meshing/cut/inner_edges.h>

#include <algorithm>
#include <map>

namespace hackle {
namespace {

/// A row of boxes along x, [k, k + 0.5] x [0, 1]^2, and a network of random edges through it.
struct Network {
  std::vector<Vec3> nodes;
  std::vector<PartitionEdge> edges;
  std::vector<EdgeCrossing> crossings;
  std::vector<uint8_t> outside;
  TriangleMesh mesh;
  int32_t vertices = 1000;  // of crossings, from here on

  InnerEdgesInput input() const {
    InnerEdgesInput input;
    input.edges = edges;
    input.crossings = crossings;
    input.outside = outside;
    input.firstNodeVertex = 100;
    input.nodePosition = [this](int32_t n) { return nodes[n]; };
    return input;
  }
};

constexpr int kBoxes = 4;

bool isInside(const Vec3& p) {
  for (int k = 0; k < kBoxes; ++k)
    if (p.x() > k && p.x() < k + 0.5 && p.y() > 0 && p.y() < 1 && p.z() > 0 && p.z() < 1) return true;
  return false;
}

/// Where an edge runs inside, as pairs of parameters.
std::vector<std::array<double, 2>> intervals(const Vec3& a, const Vec3& b) {
  std::vector<std::array<double, 2>> result;
  for (int k = 0; k < kBoxes; ++k) {
    const Vec3 low(k, 0, 0), high(k + 0.5, 1, 1);
    double from = 0, to = 1;
    for (int c = 0; c < 3; ++c) {
      const double d = b[c] - a[c];
      const double s = (low[c] - a[c]) / d, t = (high[c] - a[c]) / d;
      from = std::max(from, std::min(s, t));
      to = std::min(to, std::max(s, t));
    }
    if (from < to) result.push_back({from, to});
  }
  std::sort(result.begin(), result.end());
  return result;
}

void addCrossings(Network& network, size_t e) {
  const PartitionEdge& edge = network.edges[e];
  for (const auto& [from, to] : intervals(network.nodes[edge.start], network.nodes[edge.end]))
    for (const auto& [t, leaves] : {std::pair<double, bool>{from, false}, {to, true}})
      if (t > 0 && t < 1)
        network.crossings.push_back({static_cast<int32_t>(e), 0, network.vertices++, leaves});
}

/// `joined` edges between random nodes; the last nodes have none.
Network network(uint64_t seed, size_t count, size_t joined, bool known = false) {
  Network result;
  Random random(seed);
  Geometry boxes;
  for (int k = 0; k < kBoxes; ++k) boxes.append(shapes::box(Vec3(k, 0, 0), Vec3(k + 0.5, 1, 1)));
  result.mesh = triangleMesh(boxes);
  for (size_t n = 0; n < count; ++n) {
    result.nodes.emplace_back(random.uniform(-0.5, kBoxes), random.uniform(-0.4, 1.4),
                              random.uniform(-0.4, 1.4));
    result.outside.push_back(known && !isInside(result.nodes.back()) && random.below(2));
  }
  for (size_t e = 0; e < joined; ++e) {
    const int32_t a = static_cast<int32_t>(random.below(count - count / 4));
    const int32_t b = static_cast<int32_t>(random.below(count - count / 4));
    if (a == b) continue;
    result.edges.push_back({a, b});
    addCrossings(result, result.edges.size() - 1);
  }
  return result;
}

/// Stretches by arithmetic.
std::vector<InnerStretch> expected(const Network& n) {
  std::vector<InnerStretch> result;
  size_t c = 0;
  for (size_t e = 0; e < n.edges.size(); ++e)
    for (const auto& [from, to] : intervals(n.nodes[n.edges[e].start], n.nodes[n.edges[e].end])) {
      InnerStretch stretch{static_cast<int32_t>(e), 100 + n.edges[e].start, 100 + n.edges[e].end};
      if (from > 0) stretch.from = n.crossings[c++].vertex;
      if (to < 1) stretch.to = n.crossings[c++].vertex;
      result.push_back(stretch);
    }
  return result;
}

bool same(const std::vector<InnerStretch>& a, const std::vector<InnerStretch>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](const auto& s, const auto& t) {
           return s.edge == t.edge && s.from == t.from && s.to == t.to;
         });
}

TEST(InnerStretches, AreWhereEdgesRunInside) {
  for (const uint64_t seed : {1u, 2u, 3u, 4u})
    for (const size_t joined : {3u, 20u, 200u})
      for (const bool known : {false, true}) {
        const Network n = network(seed, 40, joined, known);
        Context context;
        const std::vector<InnerStretch> found = innerStretches(n.mesh, n.input(), context);
        EXPECT_TRUE(same(found, expected(n))) << seed << " " << joined;
      }
}

TEST(InnerStretches, NetworksThatTheSurfaceDoesNotTouchGoByTheWindingNumber) {
  Network n;
  n.mesh = triangleMesh(shapes::box({-10, -10, -10}, {10, 10, 10}));
  n.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {20, 0, 0}, {21, 0, 0}};
  n.edges = {{0, 1}, {1, 2}, {4, 3}};
  n.outside.assign(5, 0);
  Context context;
  const std::vector<InnerStretch> found = innerStretches(n.mesh, n.input(), context);
  EXPECT_TRUE(same(found, {{0, 100, 101}, {1, 101, 102}}));
  // What is known to be outside is, whatever the winding number says.
  n.outside[2] = 1;
  EXPECT_TRUE(innerStretches(n.mesh, n.input(), context).empty());
}

TEST(InnerStretches, TurnWithTheirEdges) {
  Network n = network(5, 30, 60);
  Context context;
  const std::vector<InnerStretch> before = innerStretches(n.mesh, n.input(), context);
  for (PartitionEdge& edge : n.edges) std::swap(edge.start, edge.end);
  std::map<int32_t, std::vector<EdgeCrossing>> byEdge;
  for (const EdgeCrossing& c : n.crossings) byEdge[c.edge].push_back(c);
  n.crossings.clear();
  for (auto& [edge, list] : byEdge) {
    std::reverse(list.begin(), list.end());
    for (EdgeCrossing& c : list) c.leaves = !c.leaves, n.crossings.push_back(c);
  }
  std::vector<InnerStretch> after = innerStretches(n.mesh, n.input(), context);
  ASSERT_EQ(before.size(), after.size());
  for (InnerStretch& s : after) std::swap(s.from, s.to);
  const auto order = [](const InnerStretch& s, const InnerStretch& t) {
    return std::tie(s.edge, s.from, s.to) < std::tie(t.edge, t.from, t.to);
  };
  std::vector<InnerStretch> first = before;
  std::sort(first.begin(), first.end(), order);
  std::sort(after.begin(), after.end(), order);
  EXPECT_TRUE(same(first, after));
}

TEST(InnerStretches, CrossingsThatContradictEachOtherAreRefused) {
  const Network good = network(7, 30, 200);
  ASSERT_GT(good.crossings.size(), 100u);
  Context context;
  for (size_t c = 0; c < good.crossings.size(); c += 7)
    for (const bool remove : {true, false}) {
      Network bad = good;
      if (remove)
        bad.crossings.erase(bad.crossings.begin() + static_cast<int64_t>(c));
      else
        bad.crossings[c].leaves = !bad.crossings[c].leaves;
      try {
        innerStretches(bad.mesh, bad.input(), context);
        ADD_FAILURE() << "crossing " << c << " of " << bad.crossings.size();
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::BadInput);
        EXPECT_NE(std::string(e.what()).find("crosses itself or is not closed"), std::string::npos);
        EXPECT_FALSE(e.remedy().empty());
      }
    }
}

}  // namespace
}  // namespace hackle
