#include <hackle/geometry/topology.h>

#include <hackle/geometry/piece_names.h>
#include <shapes.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace hackle {
namespace {

Topology analyse(const Geometry& g) {
  Context context;
  return analyseTopology(g, context);
}

TEST(Topology, ClosedSurfacesHaveTheirEulerCharacteristic) {
  for (const auto& [geometry, euler] :
       {std::pair(shapes::box(), 2), std::pair(shapes::sphere(9), 2), std::pair(shapes::torus(12, 7), 0)}) {
    const Topology t = analyse(geometry);
    EXPECT_TRUE(t.closed && t.manifold && t.oriented);
    EXPECT_EQ(t.euler(), euler);
    EXPECT_EQ(t.components, 1u);
    EXPECT_EQ(t.boundaryEdges + t.nonManifoldEdges + t.nonManifoldPoints + t.misorientedEdges, 0u);
  }
  Geometry both = shapes::box();
  both.append(shapes::torus(5, 5));
  EXPECT_EQ(analyse(both).euler(), 2);
  EXPECT_EQ(analyse(both).components, 2u);
}

TEST(Topology, FindsHolesAndTheirEdges) {
  Geometry cube = shapes::box();
  const std::vector<int32_t> kept{1, 2, 3, 4, 5};
  const Geometry open = cube.extract(kept, true);
  const Topology t = analyse(open);
  EXPECT_FALSE(t.closed);
  EXPECT_TRUE(t.manifold && t.oriented);
  EXPECT_EQ(t.boundaryEdges, 4u);
  EXPECT_EQ(t.euler(), 1);
  // The hole's edges run round the missing face 0 2 3 1 the other way.
  Context context;
  const std::vector<Edge> expected{{0, 1}, {2, 0}, {1, 3}, {3, 2}};
  EXPECT_EQ(boundaryEdges(open, context), expected);
}

TEST(Topology, FindsFacesThatDisagree) {
  Geometry cube = shapes::box();
  std::vector<int32_t> order(cube.vertexCount());
  for (size_t v = 0; v < order.size(); ++v) order[v] = static_cast<int32_t>(v);
  std::reverse(order.begin(), order.begin() + 4);  // turns the first face over
  cube.reorderVertices(order);
  const Topology t = analyse(cube);
  EXPECT_TRUE(t.closed && t.manifold);
  EXPECT_FALSE(t.oriented);
  EXPECT_EQ(t.misorientedEdges, 4u);
}

TEST(Topology, FindsNonManifoldEdgesAndPoints) {
  // Two cubes that share an edge: closed and oriented, not manifold.
  Geometry edge = shapes::box();
  edge.append(shapes::box({1, 1, 0}, {2, 2, 1}));
  std::vector<int32_t> points(edge.vertexPoints().begin(), edge.vertexPoints().end()), all(16);
  for (int32_t i = 0; i < 16; ++i) all[i] = i;
  for (int32_t& p : points) p = p == 8 ? 3 : p == 12 ? 7 : p;
  edge.replacePoints(all, points);
  const Topology shared = analyse(edge);
  EXPECT_TRUE(shared.closed && shared.oriented);
  EXPECT_FALSE(shared.manifold);
  EXPECT_EQ(shared.nonManifoldEdges, 1u);
  EXPECT_EQ(shared.components, 1u);
  EXPECT_EQ(shared.points, 14u);

  // Two that share a point only.
  Geometry point = shapes::box();
  point.append(shapes::box({1, 1, 1}, {2, 2, 2}));
  points.assign(point.vertexPoints().begin(), point.vertexPoints().end());
  for (int32_t& p : points) p = p == 8 ? 7 : p;
  point.replacePoints(all, points);
  const Topology touching = analyse(point);
  EXPECT_TRUE(touching.closed && touching.oriented);
  EXPECT_FALSE(touching.manifold);
  EXPECT_EQ(touching.nonManifoldEdges, 0u);
  EXPECT_EQ(touching.nonManifoldPoints, 1u);
}

TEST(Topology, TakesDegenerateInput) {
  EXPECT_FALSE(analyse(Geometry()).closed);
  Geometry g;
  for (int i = 0; i < 4; ++i) g.addPoint({double(i), 0, 0});
  g.addPolygon({});
  g.addPolygon({0});
  g.addPolygon({0, 1});
  g.addPolygon({2, 2, 2});
  g.addPolygon({0, 1, 0, 1});
  const Topology t = analyse(g);
  EXPECT_EQ(t.faces, 2u);
  EXPECT_EQ(t.degenerateFaces, 2u);
  EXPECT_EQ(t.edges, 1u);
}

TEST(Topology, EdgesAgreeWithBruteForce) {
  Random random(11);
  Geometry g;
  g.addPoints(40);
  for (int f = 0; f < 60; ++f) {
    std::vector<int32_t> corners;
    for (uint64_t c = 3 + random.below(4); c > 0; --c)
      corners.push_back(static_cast<int32_t>(random.below(40)));
    g.addPrimitive(PrimitiveType::Polygon, corners);
  }
  std::map<Edge, std::vector<int32_t>> expected;
  for (size_t p = 0; p < g.primitiveCount(); ++p)
    for (size_t c = 0; c < g.vertexCount(p); ++c) {
      const int32_t a = g.corners(p)[c], b = g.corners(p)[(c + 1) % g.vertexCount(p)];
      if (a != b)
        expected[{std::min(a, b), std::max(a, b)}].push_back(static_cast<int32_t>(g.firstVertex(p) + c));
    }
  Context context;
  const EdgeTable table = findEdges(g, context);
  ASSERT_EQ(table.edges.size(), expected.size());
  size_t e = 0;
  for (const auto& [edge, halfEdges] : expected) {
    EXPECT_EQ(table.edges[e], edge);
    EXPECT_EQ(std::vector<int32_t>(table.halfEdgesOf(e).begin(), table.halfEdgesOf(e).end()), halfEdges);
    ++e;
  }
}

TEST(Components, AreNumberedByFirstAppearance) {
  Geometry g;
  g.addPoints(8);
  g.addPolygon({5, 6, 7});
  g.addPolygon({0, 1, 2});
  const std::vector<int32_t> line{2, 3};
  g.addPrimitive(PrimitiveType::Polyline, line);
  g.addPolygon({});
  const Components c = findComponents(g);
  EXPECT_EQ(c.count, 2u);
  EXPECT_EQ(c.ofPrimitive, (std::vector<int32_t>{0, 1, 1, -1}));
  EXPECT_EQ(c.ofPoint, (std::vector<int32_t>{1, 1, 1, 1, -1, 0, 0, 0}));
}

TEST(Pieces, FollowNamesInOrderOfFirstAppearance) {
  Geometry g = shapes::box();
  shapes::setNames(g, [](size_t p) { return p % 3 == 0 ? "b" : p % 3 == 1 ? "a" : ""; });
  const Pieces pieces = findPieces(g);
  EXPECT_EQ(pieces.names, (std::vector<std::string>{"b", "a", ""}));
  EXPECT_EQ(pieces.ofPrimitive, (std::vector<int32_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(pieces.primitives, (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(pieces.starts, (std::vector<int32_t>{0, 2, 4, 6}));
}

TEST(Pieces, ATextThatIsTwiceInTheTableIsOnePiece) {
  Geometry g = shapes::box();
  Attribute name("name", Storage::String, 1);
  name.assignStrings({CowArray<std::string>{"x", "x", "", "y"}, CowArray<int32_t>{0, 1, 2, -1, 3, 99}});
  g.addAttribute(Owner::Primitive, name);
  EXPECT_EQ(findPieces(g).names, (std::vector<std::string>{"x", "", "y"}));
}

TEST(Pieces, WithoutNamesGoByConnection) {
  Geometry g = shapes::box();
  g.append(shapes::torus(4, 4));
  const Pieces pieces = findPieces(g);
  EXPECT_EQ(pieces.names, (std::vector<std::string>{"piece0", "piece1"}));
  EXPECT_EQ(pieces.primitivesOf(1).size(), 16u);
  EXPECT_THROW(piecesByName(g), Error);
}

TEST(Pieces, SplittingGivesEachItsOwnPoints) {
  Geometry g = shapes::box();
  g.addAttribute(Owner::Point, Attribute("id", Storage::Int32, 1));
  for (size_t p = 0; p < 8; ++p) g.findAttribute(Owner::Point, "id")->setNumber(p, 0, static_cast<double>(p));
  g.addEdgeGroup("seam").edges = CowArray<Edge>{{0, 1}};
  shapes::setNames(g, [](size_t p) { return p == 0 ? "bottom" : "rest"; });
  const Geometry before = g;
  const std::vector<int32_t> pieceOf = splitPieces(g, findPieces(g));
  g.checkInvariants();
  EXPECT_EQ(g.pointCount(), 12u);
  EXPECT_EQ(pieceOf.size(), 12u);
  for (size_t v = 0; v < g.vertexCount(); ++v) {
    const size_t old = static_cast<size_t>(before.vertexPoint(v)),
                 now = static_cast<size_t>(g.vertexPoint(v));
    EXPECT_EQ(g.position(now), before.position(old));
    EXPECT_EQ(g.findAttribute(Owner::Point, "id")->number(now), static_cast<double>(old));
  }
  EXPECT_EQ(findComponents(g).count, 2u);
  EXPECT_EQ(g.edgeGroups()[0].edges.size(), 2u);  // the edge is on both sides of the cut now
}

}  // namespace
}  // namespace hackle
