#include <hackle/bem/evaluation.h>
#include <hackle/bem/mouth.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace hackle {

namespace {

using DirectedEdge = std::array<int32_t, 2>;

/// Finds the node of the body at a place.
class NodeFinder {
 public:
  NodeFinder(const BemSurface& surface, size_t bodyTriangles) {
    Box3 bounds;
    for (size_t t = 0; t < bodyTriangles; ++t)
      for (size_t c = 0; c < 3; ++c) bounds.add(surface.corner(t, c));
    mCell = std::max(1e-9 * bounds.diagonal(), 1e-300);
    for (size_t t = 0; t < bodyTriangles; ++t)
      for (const int32_t n : surface.triangle(t))
        mNodes.emplace(key(surface.point(static_cast<size_t>(n))), n);
  }

  /// -1 if there is none.
  int32_t at(const Vec3& p) const {
    const std::array<int64_t, 3> centre = key(p);
    for (int64_t x = -1; x <= 1; ++x)
      for (int64_t y = -1; y <= 1; ++y)
        for (int64_t z = -1; z <= 1; ++z) {
          const auto found = mNodes.find({centre[0] + x, centre[1] + y, centre[2] + z});
          if (found != mNodes.end()) return found->second;
        }
    return -1;
  }

 private:
  std::array<int64_t, 3> key(const Vec3& p) const {
    return {std::llround(p.x() / mCell), std::llround(p.y() / mCell), std::llround(p.z() / mCell)};
  }
  double mCell;
  std::map<std::array<int64_t, 3>, int32_t> mNodes;
};

/// Directed edges of triangles that have no partner in the other direction.
std::vector<DirectedEdge> rimOf(const std::vector<Triangle>& triangles) {
  std::set<DirectedEdge> edges;
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k) edges.insert({t[k], t[(k + 1) % 3]});
  std::vector<DirectedEdge> rim;
  for (const DirectedEdge& e : edges)
    if (!edges.count({e[1], e[0]})) rim.push_back(e);
  return rim;
}

class MouthBuilder {
 public:
  MouthBuilder(const BemSurface& surface, size_t bodyTriangles, std::vector<Vec3> points,
               std::vector<Triangle> triangles)
      : mSurface(surface), mSheet(std::move(triangles)), mBodyNode(points.size(), -1) {
    mGrowth.points = std::move(points);
    for (size_t t = 0; t < bodyTriangles; ++t)
      for (size_t k = 0; k < 3; ++k)
        mBodyEdges[{surface.triangle(t)[k], surface.triangle(t)[(k + 1) % 3]}] = static_cast<int32_t>(t);
    if (bodyTriangles > 0) snap(NodeFinder(surface, bodyTriangles));
  }

  CrackGrowth build() {
    const int32_t first = static_cast<int32_t>(mSurface.nodeCount());
    std::vector<bool> closed(mGrowth.points.size(), false);
    std::vector<DirectedEdge> mouth;
    for (const DirectedEdge& e : rimOf(mSheet)) {
      const DirectedEdge onBody{bodyNode(e[0]), bodyNode(e[1])};
      if (onBody[0] >= 0 && onBody[1] >= 0 && mBodyEdges.count(onBody)) {
        mouth.push_back(e);
      } else {
        closed[e[0]] = closed[e[1]] = true;
      }
    }
    for (const Triangle& t : mSheet) {
      mGrowth.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
      mGrowth.onto.push_back(-1);
    }
    for (size_t n = 0; n < closed.size(); ++n)
      if (!closed[n]) mGrowth.opened.push_back(first + static_cast<int32_t>(n));
    addStrip(mouth, closed, first);
    return std::move(mGrowth);
  }

 private:
  int32_t bodyNode(int32_t sheetNode) const { return mBodyNode[sheetNode]; }

  void snap(const NodeFinder& finder) {
    for (size_t n = 0; n < mGrowth.points.size(); ++n) {
      mBodyNode[n] = finder.at(mGrowth.points[n]);
      if (mBodyNode[n] >= 0) mGrowth.points[n] = mSurface.point(static_cast<size_t>(mBodyNode[n]));
    }
  }

  /// Body triangles around opened mouth nodes, from the one across each mouth edge on to the next mouth edge.
  void addStrip(const std::vector<DirectedEdge>& mouth, const std::vector<bool>& closed, int32_t first) {
    std::map<int32_t, int32_t> sheetNode;  // of body nodes on the mouth
    std::set<DirectedEdge> mouthEdges;     // of the body, both ways
    for (const DirectedEdge& e : mouth) {
      const int32_t a = bodyNode(e[0]), b = bodyNode(e[1]);
      sheetNode[a] = e[0] + first;
      sheetNode[b] = e[1] + first;
      mouthEdges.insert({a, b});
      mouthEdges.insert({b, a});
    }
    std::set<int32_t> strip;
    for (const DirectedEdge& e : mouth) {
      // The sheet's neighbour across a → b runs b → a.
      const int32_t start = mBodyEdges.at({bodyNode(e[1]), bodyNode(e[0])});
      for (const int32_t end : {e[0], e[1]})
        if (!closed[end]) addFan(start, bodyNode(end), mouthEdges, strip);
    }
    for (const int32_t t : strip) {
      Triangle doubled{};
      for (size_t c = 0; c < 3; ++c) {
        const int32_t node = mSurface.triangle(static_cast<size_t>(t))[c];
        const auto [found, isNew] =
            sheetNode.emplace(node, first + static_cast<int32_t>(mGrowth.points.size()));
        if (isNew) mGrowth.points.push_back(mSurface.point(static_cast<size_t>(node)));
        doubled[c] = found->second;
      }
      mGrowth.triangles.push_back(doubled);
      mGrowth.onto.push_back(t);
    }
  }

  /// Triangles around a node, in both directions up to mouth edges.
  void addFan(int32_t start, int32_t node, const std::set<DirectedEdge>& mouthEdges,
              std::set<int32_t>& strip) {
    std::vector<int32_t> open{start};
    std::set<int32_t> seen{start};
    while (!open.empty()) {
      const int32_t t = open.back();
      open.pop_back();
      strip.insert(t);
      const Triangle& corners = mSurface.triangle(static_cast<size_t>(t));
      for (size_t k = 0; k < 3; ++k) {
        const DirectedEdge across{corners[(k + 1) % 3], corners[k]};
        if ((across[0] != node && across[1] != node) || mouthEdges.count(across)) continue;
        const auto found = mBodyEdges.find(across);
        if (found != mBodyEdges.end() && seen.insert(found->second).second) open.push_back(found->second);
      }
    }
  }

  const BemSurface& mSurface;
  std::vector<Triangle> mSheet;
  std::vector<int32_t> mBodyNode;  // per node of the sheet, or -1
  std::map<DirectedEdge, int32_t> mBodyEdges;
  CrackGrowth mGrowth;
};

}  // namespace

CrackGrowth crackWithMouth(const BemSurface& surface, size_t bodyTriangles, std::vector<Vec3> points,
                           std::vector<Triangle> triangles) {
  return MouthBuilder(surface, bodyTriangles, std::move(points), std::move(triangles)).build();
}

std::vector<std::pair<int32_t, std::array<Vec3, 3>>> mouthJumps(const BemSystem& system,
                                                                const BemSolution& solution) {
  std::vector<std::pair<int32_t, std::array<Vec3, 3>>> jumps;
  const size_t first = system.body().triangleCount();
  // Cracks may have grown since: nodes that were not solved for are shut.
  const size_t solved = static_cast<size_t>(solution.u.size() / 3);
  for (size_t i = 0; i < system.crackOnto().size(); ++i) {
    const int32_t on = system.crackOnto()[i];
    if (on < 0 || static_cast<size_t>(on) >= first) continue;
    const Triangle& corners = system.surface().triangle(first + i);
    std::array<Vec3, 3> jump;
    for (size_t c = 0; c < 3; ++c) {
      const size_t node = static_cast<size_t>(corners[c]);
      jump[c] = node < solved ? solution.displacement(node) : Vec3(Vec3::Zero());
    }
    jumps.emplace_back(on, jump);
  }
  return jumps;
}

std::vector<Mat3> bodyStresses(const BemSystem& system, const BemSolution& solution) {
  std::vector<Mat3> stresses = surfaceStresses(system.body(), system.material(), solution.u, solution.q);
  for (const auto& [triangle, jump] : mouthJumps(system, solution)) {
    const size_t t = static_cast<size_t>(triangle);
    stresses[t] += surfaceStress(system.body(), t, system.material(), jump, Vec3::Zero());
  }
  for (size_t t = 0; solution.carried && t < stresses.size(); ++t)
    stresses[t] += solution.carried->stress(system.body().centroid(t));
  return stresses;
}

}  // namespace hackle
