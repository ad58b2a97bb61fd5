#include <hackle/fracture/crack/growth/surface_mouth.h>
#include <hackle/geometry/segment.h>
#include <hackle/geometry/union_find.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <set>

namespace hackle {

namespace {

constexpr int32_t kNobody = -1, kFixed = -2;
constexpr double kReach = 0.5;       // r_c, of the coarse sheet of a crack that a front met
constexpr size_t kLeastMouth = 3;    // nodes: the middle one opens
constexpr double kDetour = 3.0;      // of the way between two nodes over their distance
constexpr double kStray = 4.0;       // what a way costs more for being off the true line, per distance
constexpr double kLeastArea = 1e-4;  // of new triangles, over the square of their longest edge

bool flat(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
  return (b - a).cross(c - a).norm() < 2 * kLeastArea * longest;
}

}  // namespace

/// One loop of a crack while its mouth is extended.
class LoopOpening {
 public:
  LoopOpening(SurfaceMouths& mouths, const FineFront& front, const std::vector<int32_t>& nodes,
              std::vector<std::array<int32_t, 4>>& lips, int32_t crack, CrackGrowth& growth, size_t firstNode)
      : mMouths(mouths),
        mSurface(mouths.mSurface),
        mFront(front),
        mNodes(nodes),
        mLips(lips),
        mCrack(crack),
        mGrowth(growth),
        mFirst(firstNode) {}

  /// False if the loop stays as it is; the mouth may be open further on even so.
  bool run() {
    findSurfacing();
    const size_t count = mNodes.size();
    const size_t start = static_cast<size_t>(std::find(mHosts.begin(), mHosts.end(), -1) - mHosts.begin());
    if (start == count) return false;
    bool changed = false;
    for (size_t i = 0; i < count; ++i) {
      const size_t e = (start + i) % count;
      if (mHosts[e] < 0) {
        push(mNodes[e], e * mFront.perEdge());
        continue;
      }
      std::vector<size_t> group;
      while (i < count && mHosts[(start + i) % count] >= 0) group.push_back((start + i++) % count);
      --i;
      changed |= surface(group);
    }
    openNodes();
    // From the first marker on again.
    for (size_t i = 1; i < markers.size(); ++i) {
      if (markers[i] >= markers[i - 1]) continue;
      std::rotate(loop.begin(), loop.begin() + static_cast<std::ptrdiff_t>(i), loop.end());
      std::rotate(markers.begin(), markers.begin() + static_cast<std::ptrdiff_t>(i), markers.end());
      break;
    }
    return changed;
  }
  std::vector<int32_t> loop;
  std::vector<size_t> markers;

 private:
  Vec3 place(int32_t node) const {
    const size_t n = static_cast<size_t>(node);
    return n < mFirst ? mSurface.point(n) : mGrowth.points[n - mFirst];
  }
  /// The node of the body or of another crack on which one of this crack sits, or -1.
  int32_t hostOf(int32_t node) const {
    const size_t n = static_cast<size_t>(node);
    if (n < mFirst) return mSurface.site(n) != node ? mSurface.site(n) : -1;
    const auto found = mHostOf.find(node);
    return found != mHostOf.end() ? found->second : -1;
  }
  int32_t partOf(int32_t node) const { return mMouths.mPart[node]; }
  void push(int32_t node, size_t marker) {
    loop.push_back(node);
    markers.push_back(marker);
  }
  int32_t addNode(int32_t host) {
    mGrowth.points.push_back(mSurface.point(static_cast<size_t>(host)));
    const int32_t node = static_cast<int32_t>(mFirst + mGrowth.points.size() - 1);
    mHostOf.emplace(node, host);
    mMouths.mNodeOwner[host] = mCrack;
    return node;
  }

  /// Nodes that left the body or met another crack where a node of its mesh is free, and have no active
  /// marker on either edge.
  void findSurfacing() {
    const size_t count = mNodes.size(), n = mFront.perEdge();
    std::vector<char> still(count, 1);
    for (size_t i = 0; i < mFront.markers().size(); ++i)
      if (mFront.markers()[i].state == MarkerState::Active) still[i / n] = 0;
    const int32_t own = partOf(mNodes[0]);
    mHosts.assign(count, -1);
    for (size_t e = 0; e < count; ++e)
      if (still[e] && still[(e + count - 1) % count] && hostOf(mNodes[e]) < 0)
        mHosts[e] = mMouths.nearestUsable(mFront.nodeMarker(e), own);
    // One node stays behind where a mouth would go over from the body to a crack, or from one to another.
    for (size_t e = 0; e < count; ++e) {
      int32_t &host = mHosts[e], before = mHosts[(e + count - 1) % count];
      if (host >= 0 && before >= 0 && partOf(host) != partOf(before)) host = -1;
    }
  }

  /// The way from node to node of a group, with its neighbours if these are on the same surface already.
  std::vector<int32_t> wayOf(const std::vector<size_t>& group, int32_t before, int32_t after) const {
    std::vector<int32_t> path;
    Vec3 last = Vec3::Zero();
    const auto goTo = [&](int32_t node, const Vec3& at) {
      if (path.empty()) {
        path.push_back(node);
      } else if (node != path.back()) {
        const std::vector<int32_t> way = mMouths.way(path.back(), node, last, at);
        if (way.empty()) return false;
        for (const int32_t n : way) {
          const auto known = std::find(path.begin(), path.end(), n);
          path.erase(known == path.end() ? known : known + 1, path.end());
          if (path.back() != n) path.push_back(n);
        }
      }
      last = at;
      return true;
    };
    if (before >= 0) goTo(before, mSurface.point(static_cast<size_t>(before)));
    for (const size_t e : group)
      if (!goTo(mHosts[e], mFront.nodeMarker(e).inner)) return {};
    if (after >= 0 && !goTo(after, mSurface.point(static_cast<size_t>(after)))) return {};
    return path;
  }

  /// Takes a group of nodes to the surface.
  bool surface(const std::vector<size_t>& group) {
    const size_t count = mNodes.size();
    const int32_t before = mNodes[(group.front() + count - 1) % count];
    const int32_t after = mNodes[(group.back() + 1) % count];
    std::vector<int32_t> path;
    const auto onSame = [&](int32_t node) {
      const int32_t host = hostOf(node);
      return host >= 0 && partOf(host) == partOf(mHosts[group[0]]) ? host : -1;
    };
    const int32_t from = onSame(before), to = onSame(after);
    if (before != after) path = wayOf(group, from, to);
    std::vector<Vec3> inner{place(before)}, outer{place(before)};
    for (const size_t e : group) inner.push_back(place(mNodes[e]));
    const size_t skip = from >= 0 ? 1 : 0, drop = to >= 0 ? 1 : 0;
    const bool found = path.size() >= kLeastMouth;
    for (size_t i = skip; found && i + drop < path.size(); ++i)
      outer.push_back(mSurface.point(static_cast<size_t>(path[i])));
    inner.push_back(place(after));
    outer.push_back(place(after));
    std::vector<std::array<size_t, 3>> triangles;
    if (found) triangles = fill(inner, outer);
    if (triangles.empty()) {
      for (const size_t e : group) push(mNodes[e], e * mFront.perEdge());
      return false;
    }
    std::vector<int32_t> nodes{before};
    for (const size_t e : group) nodes.push_back(mNodes[e]);
    nodes.push_back(after);
    const size_t added = outer.size() - 2;
    for (size_t i = 0; i < added; ++i) {
      const size_t e = group[added > 1 ? i * (group.size() - 1) / (added - 1) : 0];
      nodes.push_back(addNode(path[skip + i]));
      push(nodes.back(), e * mFront.perEdge());
    }
    for (const auto& t : triangles) mGrowth.triangles.push_back({nodes[t[0]], nodes[t[1]], nodes[t[2]]});
    for (const size_t e : group) mGrowth.opened.push_back(mNodes[e]);
    return true;
  }

  /// Triangles between two chains with common ends; the inner one is numbered first, the outer one goes on
  /// with its own points. None if one would be flat.
  static std::vector<std::array<size_t, 3>> fill(const std::vector<Vec3>& inner,
                                                 const std::vector<Vec3>& outer) {
    std::vector<std::array<size_t, 3>> triangles;
    const size_t n = inner.size(), m = outer.size();
    bool fits = true;
    const auto number = [&](size_t j) { return j == 0 ? 0 : j == m - 1 ? n - 1 : n + j - 1; };
    const auto place = [&](size_t k) { return k < n ? inner[k] : outer[k - n + 1]; };
    const auto add = [&](size_t a, size_t b, size_t c) {
      fits &= !flat(place(a), place(b), place(c));
      triangles.push_back({a, b, c});
    };
    size_t i = 1, j = 1;
    add(0, number(1), 1);
    if (m == 2) {
      for (; i + 2 < n; ++i) add(i, n - 1, i + 1);
    } else {
      while (i + 2 < n || j + 2 < m) {
        const bool along = j + 2 >= m || (i + 2 < n && (inner[i + 1] - outer[j]).squaredNorm() <
                                                           (inner[i] - outer[j + 1]).squaredNorm());
        if (along) {
          add(i, number(j), i + 1);
          ++i;
        } else {
          add(i, number(j), number(j + 1));
          ++j;
        }
      }
      add(i, number(j), n - 1);
    }
    if (!fits) triangles.clear();
    return triangles;
  }

  /// Opens nodes of the mouth whose both edges are there, with the strip beside them.
  void openNodes() {
    std::map<int32_t, int32_t> sheetNode;  // of nodes of the host
    for (const auto& lip : mLips)
      for (size_t c = 0; c < 3; ++c)
        sheetNode.emplace(mSurface.triangle(static_cast<size_t>(lip[3]))[c], lip[c]);
    for (const int32_t node : loop)
      if (hostOf(node) >= 0) sheetNode.emplace(hostOf(node), node);
    for (size_t i = 0; i < loop.size(); ++i) {
      const int32_t node = hostOf(loop[i]);
      const int32_t previous = hostOf(loop[(i + loop.size() - 1) % loop.size()]);
      const int32_t next = hostOf(loop[(i + 1) % loop.size()]);
      if (node < 0 || previous < 0 || next < 0 || sheetNode.at(node) != loop[i]) continue;
      if (static_cast<size_t>(loop[i]) < mMouths.mOpened.size() && mMouths.mOpened[loop[i]]) continue;
      const std::vector<int32_t> fan = mMouths.fan(node, previous, next, mCrack);
      if (fan.empty()) continue;
      for (const int32_t t : fan) addLip(t, sheetNode);
      mGrowth.opened.push_back(loop[i]);
    }
  }
  void addLip(int32_t triangle, std::map<int32_t, int32_t>& sheetNode) {
    int32_t& owner = mMouths.mOwner[triangle];
    if (owner == mCrack) return;
    owner = mCrack;
    std::array<int32_t, 4> lip{0, 0, 0, triangle};
    for (size_t c = 0; c < 3; ++c) {
      const int32_t node = mSurface.triangle(static_cast<size_t>(triangle))[c];
      auto found = sheetNode.find(node);
      if (found == sheetNode.end()) found = sheetNode.emplace(node, addNode(node)).first;
      lip[c] = found->second;
    }
    mLips.push_back(lip);
    mGrowth.onto.resize(mGrowth.triangles.size(), -1);
    mGrowth.triangles.push_back({lip[0], lip[1], lip[2]});
    mGrowth.onto.push_back(triangle);
  }

  SurfaceMouths& mMouths;
  const BemSurface& mSurface;
  const FineFront& mFront;
  const std::vector<int32_t>& mNodes;
  std::vector<std::array<int32_t, 4>>& mLips;
  int32_t mCrack;
  CrackGrowth& mGrowth;
  size_t mFirst;
  std::vector<int32_t> mHosts;         // by node of the loop: where it comes to the surface, or -1
  std::map<int32_t, int32_t> mHostOf;  // of nodes that are new
};

SurfaceMouths::SurfaceMouths(const BemSystem& system, const TriangleBvh& body, double coarse,
                             Span<const int32_t> opened, Span<const std::unique_ptr<CrackSheet>> cracks,
                             const CrackGrowth& growth)
    : mSystem(system),
      mSurface(system.surface()),
      mTree(body),
      mReach(kReach * coarse),
      mPart(mSurface.nodeCount() + growth.points.size()),
      mClosed(mSurface.nodeCount(), 0),
      mNodeOwner(mSurface.nodeCount(), kNobody),
      mOwner(mSurface.triangleCount(), kNobody),
      mOpened(mSurface.nodeCount(), 0) {
  for (const int32_t n : opened) mOpened[n] = 1;
  const size_t bodyNodes = system.body().nodeCount(), bodyTriangles = system.body().triangleCount();
  UnionFind parts(mPart.size());
  for (const Triangle& t : growth.triangles)
    for (size_t k = 1; k < 3; ++k) parts.unite(t[0], t[k]);
  for (size_t t = 0; t < mSurface.triangleCount(); ++t) {
    if (doubled(t)) continue;
    const Triangle& corners = mSurface.triangle(t);
    const bool fixed = t < bodyTriangles && system.data().fixed[t] != std::array<uint8_t, 3>{};
    for (size_t k = 0; k < 3; ++k) {
      parts.unite(corners[0], corners[k]);
      mTriangle[{corners[k], corners[(k + 1) % 3]}] = static_cast<int32_t>(t);
      if (fixed) mClosed[corners[k]] = 1;
    }
    if (fixed) mOwner[t] = kFixed;
  }
  for (size_t n = 0; n < mPart.size(); ++n) {
    mPart[n] = n < bodyNodes ? 0 : parts.find(static_cast<int32_t>(n));
    if (n >= bodyNodes && n < mSurface.nodeCount() &&
        (!mOpened[n] || static_cast<size_t>(mSurface.site(n)) != n))
      mClosed[n] = 1;
  }
  const auto take = [&](int32_t node, size_t crack) {
    const size_t site = static_cast<size_t>(mSurface.site(static_cast<size_t>(node)));
    if (site != static_cast<size_t>(node)) mNodeOwner[site] = static_cast<int32_t>(crack);
  };
  for (size_t c = 0; c < cracks.size(); ++c) {
    for (size_t l = 0; l < cracks[c]->fronts().size(); ++l)
      for (const int32_t node : cracks[c]->frontNodes(l))
        if (static_cast<size_t>(node) < mSurface.nodeCount()) take(node, c);
    for (const auto& lip : cracks[c]->lips()) {
      mOwner[lip[3]] = static_cast<int32_t>(c);
      for (size_t k = 0; k < 3; ++k) take(lip[k], c);
    }
  }
}

bool SurfaceMouths::doubled(size_t triangle) const {
  const size_t first = mSystem.body().triangleCount();
  return triangle >= first && mSystem.crackOnto()[triangle - first] >= 0;
}

void SurfaceMouths::open(CrackSheet& crack, int32_t number, CrackGrowth& growth, size_t firstNode) {
  for (size_t l = 0; l < crack.fronts().size(); ++l) {
    if (!crack.fronts()[l].active()) continue;
    LoopOpening opening(*this, crack.fronts()[l], crack.frontNodes(l), crack.mLips, number, growth,
                        firstNode);
    if (opening.run()) crack.setLoop(l, std::move(opening.loop), opening.markers);
  }
}

bool SurfaceMouths::usable(int32_t node) const { return mNodeOwner[node] == kNobody && !mClosed[node]; }

/// The triangle of the body at a marker that has left it, or that of another crack that it met; -1 if there
/// is none.
int32_t SurfaceMouths::nearestTriangle(const FrontMarker& marker, int32_t ownPart) const {
  if (marker.state == MarkerState::Left) return mTree.closestPoint(marker.inner).triangle;
  int32_t best = -1;
  double nearest = mReach * mReach;
  for (size_t t = mSystem.body().triangleCount(); t < mSurface.triangleCount(); ++t) {
    const Triangle& corners = mSurface.triangle(t);
    if (doubled(t) || mPart[corners[0]] == ownPart) continue;
    const auto at = [&](size_t k) -> const Vec3& { return mSurface.point(static_cast<size_t>(corners[k])); };
    if ((mSurface.centroid(t) - marker.inner).norm() > mReach + mSurface.size(t)) continue;
    const double d = closestPointOnTriangle(marker.inner, at(0), at(1), at(2)).squaredDistance;
    if (d >= nearest) continue;
    nearest = d;
    best = static_cast<int32_t>(t);
  }
  return best;
}

int32_t SurfaceMouths::nearestUsable(const FrontMarker& marker, int32_t ownPart) const {
  const int32_t triangle = nearestTriangle(marker, ownPart);
  if (triangle < 0) return -1;
  int32_t best = -1;
  double nearest = std::numeric_limits<double>::infinity();
  for (const int32_t node : mSurface.triangle(static_cast<size_t>(triangle))) {
    const double d = (mSurface.point(static_cast<size_t>(node)) - marker.inner).squaredNorm();
    if (!usable(node) || d >= nearest) continue;
    best = node;
    nearest = d;
  }
  return best;
}

/// The shortest way along edges between two nodes, the first left out, that keeps to the line from a to b.
std::vector<int32_t> SurfaceMouths::way(int32_t from, int32_t to, const Vec3& a, const Vec3& b) const {
  const auto at = [&](int32_t n) -> const Vec3& { return mSurface.point(static_cast<size_t>(n)); };
  std::map<int32_t, std::pair<double, int32_t>> known;  // cost, node before
  std::set<int32_t> done;
  std::priority_queue<std::pair<double, int32_t>, std::vector<std::pair<double, int32_t>>, std::greater<>>
      open;
  const double limit =
      kDetour * (1 + kStray) * ((at(to) - at(from)).norm() + (a - at(from)).norm() + (b - at(to)).norm());
  known[from] = {0.0, -1};
  open.push({0.0, from});
  while (!open.empty()) {
    const auto [cost, node] = open.top();
    open.pop();
    if (cost > limit || !done.insert(node).second) continue;
    if (node == to) {
      std::vector<int32_t> way;
      for (int32_t n = to; n != from; n = known.at(n).second) way.push_back(n);
      std::reverse(way.begin(), way.end());
      return way;
    }
    for (const BemCorner& corner : mSurface.corners(static_cast<size_t>(node)))
      for (const int32_t next : mSurface.triangle(static_cast<size_t>(corner.triangle))) {
        if (next == node || (next != to && !usable(next))) continue;
        const double there = cost + (at(next) - at(node)).norm() + kStray * distanceToSegment(at(next), a, b);
        const auto found = known.find(next);
        if (found != known.end() && found->second.first <= there) continue;
        known[next] = {there, node};
        open.push({there, next});
      }
  }
  return {};
}

/// Triangles around a node of a mouth, from the edge to the previous node on to that to the next,
/// on the side on which the crack's sheet goes on with its orientation. None if they are not free.
std::vector<int32_t> SurfaceMouths::fan(int32_t node, int32_t previous, int32_t next, int32_t crack) const {
  std::vector<int32_t> triangles;
  const size_t most = mSurface.corners(static_cast<size_t>(node)).size();
  for (int32_t at = previous; at != next;) {
    const auto found = mTriangle.find({node, at});
    if (found == mTriangle.end() || triangles.size() >= most) return {};
    const size_t t = static_cast<size_t>(found->second);
    if (mOwner[t] != kNobody && mOwner[t] != crack) return {};
    const Triangle& corners = mSurface.triangle(t);
    at = *std::find_if(corners.begin(), corners.end(), [&](int32_t c) { return c != node && c != at; });
    const int32_t owner = mNodeOwner[at];
    if (owner != kNobody && owner != crack) return {};
    triangles.push_back(found->second);
  }
  return triangles;
}

}  // namespace hackle
