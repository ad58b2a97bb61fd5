#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/crack_sheet.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace hackle {

namespace {

constexpr double kShortest = 0.2, kLongest = 1.4;  // of edges of the front, in r_c
constexpr double kLeastAdvance = 0.2;              // in r_c, of nodes that get a new one in front of them
constexpr double kBeyond = 2.0;                    // voxels that the record goes on outside of the body
constexpr double kClearance = 0.1;                 // in r_c, of nodes from the surface of the body

/// Rims of a sheet as loops of nodes, each with the sheet to its left.
std::vector<std::vector<int32_t>> rimLoops(const std::vector<Triangle>& triangles) {
  std::set<Edge> edges;
  for (const Triangle& t : triangles)
    for (size_t k = 0; k < 3; ++k)
      if (!edges.insert({t[k], t[(k + 1) % 3]}).second)
        throw Error(ErrorCode::BadInput, "the faces of an initial crack do not have one orientation",
                    "give each crack as a sheet of which every edge has one or two faces");
  std::map<int32_t, int32_t> next;
  for (const Edge& e : edges)
    if (!edges.count({e[1], e[0]}) && !next.emplace(e[0], e[1]).second)
      throw Error(ErrorCode::BadInput, "the rim of an initial crack touches itself",
                  "give each crack as a sheet with a simple rim");
  if (next.empty()) throw Error(ErrorCode::BadInput, "an initial crack has no rim", "give an open sheet");
  std::vector<std::vector<int32_t>> loops;
  while (!next.empty()) {
    std::vector<int32_t> loop;
    for (auto at = next.begin(); at != next.end();) {
      loop.push_back(at->first);
      const int32_t to = at->second;
      next.erase(at);
      at = next.find(to);
    }
    loops.push_back(std::move(loop));
  }
  return loops;
}

template <class Place>
Vec3 sheetNormal(const std::vector<Triangle>& triangles, const Place& place) {
  Vec3 sum = Vec3::Zero();
  for (const Triangle& t : triangles) sum += (place(t[1]) - place(t[0])).cross(place(t[2]) - place(t[0]));
  return sum.normalized();
}

double triangleArea(const Vec3& a, const Vec3& b, const Vec3& c) { return 0.5 * (b - a).cross(c - a).norm(); }

/// A loop of the coarse front while it is moved forward.
class FrontExtension {
 public:
  FrontExtension(const FineFront& front, const std::vector<int32_t>& nodes, CrackGrowth& growth,
                 size_t firstNode, const CoarseWorld& world)
      : mFront(front), mNodes(nodes), mGrowth(growth), mFirst(firstNode), mWorld(world) {}

  /// False if nothing moved.
  bool run() {
    findTargets();
    bool any = false;
    for (size_t e = 0; e < mNodes.size() && !any; ++e) any = mMoved[e] || bulge(e);
    if (!any) return false;
    makeNodes();
    for (size_t e = 0; e < mNodes.size(); ++e) fillEdge(e);
    for (size_t e = 0; e < mNodes.size(); ++e)
      if (mMoved[e]) mGrowth.opened.push_back(mNodes[e]);
    return true;
  }
  std::vector<int32_t> loop;    // the new nodes ...
  std::vector<size_t> markers;  // ... and the markers they sit on
  double area = 0.0;

 private:
  Vec3 place(int32_t node) const {
    const size_t n = static_cast<size_t>(node);
    return n < mFirst ? mWorld.system->point(n) : mGrowth.points[n - mFirst];
  }
  void findTargets() {
    const size_t count = mNodes.size();
    mTargets.resize(count);
    mMoved.assign(count, 0);
    for (size_t e = 0; e < count; ++e) {
      const FrontMarker& marker = mFront.nodeMarker(e);
      const Vec3 from = place(mNodes[e]);
      mTargets[e] = mWorld.lastClear(from, levelled(e));
      mMoved[e] =
          !atMouth(mNodes[e]) && (mTargets[e] - from).dot(marker.outward) >= kLeastAdvance * mWorld.coarse;
      if (!mMoved[e]) mTargets[e] = from;
    }
  }
  /// On a node of the body or of another crack: it stays where it is.
  bool atMouth(int32_t node) const { return mWorld.system->site(static_cast<size_t>(node)) != node; }
  /// A node's marker at the mean height of the markers around it, up to half an edge to both sides: roughness
  /// is not for the coarse sheet.
  Vec3 levelled(size_t e) const {
    const std::vector<FrontMarker>& markers = mFront.markers();
    const size_t count = markers.size(), at = e * mFront.perEdge();
    const FrontMarker& marker = markers[at];
    double height = 0, seen = 1;
    for (size_t k = 1; k <= mFront.perEdge() / 2; ++k) {
      const FrontMarker &left = markers[(at + count - k) % count], &right = markers[(at + k) % count];
      if (left.state != MarkerState::Active || right.state != MarkerState::Active) break;
      height +=
          (left.inner - marker.inner).dot(marker.normal) + (right.inner - marker.inner).dot(marker.normal);
      seen += 2;
    }
    // Where it met a crack its own sheet ends a little before that.
    const double back = marker.state == MarkerState::Blocked ? kClearance * mWorld.coarse : 0.0;
    return marker.inner + height / seen * marker.normal - back * marker.outward;
  }
  int32_t addNode(const Vec3& at) {
    mGrowth.points.push_back(at);
    return static_cast<int32_t>(mFirst + mGrowth.points.size() - 1);
  }
  void makeNodes() {
    const size_t count = mNodes.size();
    mAhead = mNodes;
    mMarkerOf.resize(count);
    size_t left = count;
    for (size_t e = 0; e < count; ++e) {
      mMarkerOf[e] = e * mFront.perEdge();
      if (!mMoved[e] || mAhead[e] != mNodes[e]) continue;
      const size_t next = (e + 1) % count;
      const bool contract = left > 4 && next != 0 && mMoved[next] &&
                            (mTargets[e] - mTargets[next]).norm() < kShortest * mWorld.coarse;
      if (contract) {
        const Vec3 middle = 0.5 * (mTargets[e] + mTargets[next]);
        mTargets[e] = mTargets[next] = middle;
        mAhead[e] = mAhead[next] = addNode(middle);
        mMarkerOf[e] = mMarkerOf[next] = e * mFront.perEdge() + mFront.perEdge() / 2;
        ++e;
        --left;
      } else {
        mAhead[e] = addNode(mTargets[e]);
      }
    }
  }
  /// Fills the gap between an edge of the old front and the new one, and continues the new loop.
  void fillEdge(size_t e) {
    const size_t next = (e + 1) % mNodes.size();
    const int32_t i = mNodes[e], j = mNodes[next], to = mAhead[e], onto = mAhead[next];
    if (loop.empty() || loop.back() != to) {
      loop.push_back(to);
      markers.push_back(mMarkerOf[e]);
    }
    if (to == i && onto == j) {
      const std::optional<size_t> marker = bulge(e);
      if (!marker) return;
      const int32_t node = addNode(mWorld.lastClear(edgeMiddle(e), mFront.markers()[*marker].inner));
      addTriangle(i, node, j);
      loop.push_back(node);
      markers.push_back(*marker);
      return;
    }
    if (to == onto) return addTriangle(i, to, j);
    int32_t middle = -1;
    if ((mTargets[next] - mTargets[e]).norm() > kLongest * mWorld.coarse) middle = middleNode(e);
    if (middle >= 0) {
      addTriangle(i, middle, j);
      if (to != i) addTriangle(i, to, middle);
      if (onto != j) addTriangle(j, middle, onto);
      loop.push_back(middle);
      markers.push_back(e * mFront.perEdge() + mFront.perEdge() / 2);
    } else if (to == i) {
      addTriangle(i, onto, j);
    } else if (onto == j) {
      addTriangle(i, to, j);
    } else if ((mTargets[next] - place(i)).norm() < (mTargets[e] - place(j)).norm()) {
      addTriangle(i, to, onto);
      addTriangle(i, onto, j);
    } else {
      addTriangle(i, to, j);
      addTriangle(to, onto, j);
    }
  }
  Vec3 edgeMiddle(size_t e) const {
    return 0.5 * (place(mNodes[e]) + place(mNodes[(e + 1) % mNodes.size()]));
  }
  /// The active marker that got farthest ahead of an edge whose nodes both stay, if it is far enough.
  std::optional<size_t> bulge(size_t e) const {
    const size_t next = (e + 1) % mNodes.size(), count = mFront.perEdge();
    if (mMoved[e] || mMoved[next] || count < 4) return {};
    const Vec3 from = edgeMiddle(e);
    std::optional<size_t> best;
    double most = kLeastAdvance * mWorld.coarse;
    for (size_t k = count / 4; k <= count - count / 4; ++k) {
      const FrontMarker& marker = mFront.markers()[e * count + k];
      if (marker.state != MarkerState::Active) continue;
      const double ahead = (mWorld.lastClear(from, marker.inner) - from).dot(marker.outward);
      if (ahead <= most) continue;
      most = ahead;
      best = e * count + k;
    }
    return best;
  }
  /// A node in the middle of a new edge, if the front got ahead of the old edge there; -1 otherwise.
  int32_t middleNode(size_t e) {
    const size_t next = (e + 1) % mNodes.size();
    const FrontMarker& marker = mFront.markers()[e * mFront.perEdge() + mFront.perEdge() / 2];
    const Vec3 from = 0.5 * (place(mNodes[e]) + place(mNodes[next]));
    const Vec3 to = mWorld.lastClear(from, marker.inner);
    if ((to - from).dot(marker.outward) < kLeastAdvance * mWorld.coarse) return -1;
    return addNode(to);
  }
  void addTriangle(int32_t a, int32_t b, int32_t c) {
    mGrowth.triangles.push_back({a, b, c});
    area += triangleArea(place(a), place(b), place(c));
  }

  const FineFront& mFront;
  const std::vector<int32_t>& mNodes;
  CrackGrowth& mGrowth;
  size_t mFirst;
  const CoarseWorld& mWorld;
  std::vector<Vec3> mTargets;
  std::vector<char> mMoved;
  std::vector<int32_t> mAhead;
  std::vector<size_t> mMarkerOf;
};

}  // namespace

bool CoarseWorld::isClear(const Vec3& p) const {
  const ClosestPoint closest = tree->closestPoint(p);
  if (closest.triangle < 0) return true;
  if (closest.squaredDistance < kClearance * kClearance * coarse * coarse) return false;
  return insideSurface(*tree, p);
}

Vec3 CoarseWorld::lastClear(const Vec3& from, const Vec3& to) const {
  if (isClear(to)) return to;
  double low = 0, high = 1;
  for (int i = 0; i < 10; ++i) {
    const double middle = 0.5 * (low + high);
    (isClear((1 - middle) * from + middle * to) ? low : high) = middle;
  }
  return (1 - low) * from + low * to;
}

CrackSheet::CrackSheet(const CrackGrowth& growth, size_t firstNode, size_t perEdge, const FrontWorld& world)
    : mBand(world.fine, 2.0) {
  const auto place = [&](int32_t node) { return growth.points[node - firstNode]; };
  // The strips that double the body's surface are no part of the crack itself; they tell where its mouth is.
  std::vector<Triangle> sheet;
  std::set<Edge> strips;
  for (size_t i = 0; i < growth.triangles.size(); ++i) {
    const Triangle& t = growth.triangles[i];
    if (growth.onto.empty() || growth.onto[i] < 0) {
      sheet.push_back(t);
      addRecord(place(t[0]), place(t[1]), place(t[2]));
      mArea += triangleArea(place(t[0]), place(t[1]), place(t[2]));
    } else {
      for (size_t k = 0; k < 3; ++k) strips.insert({t[(k + 1) % 3], t[k]});
      mLips.push_back({t[0], t[1], t[2], growth.onto[i]});
    }
  }
  mFrontNodes = rimLoops(sheet);
  for (const std::vector<int32_t>& loop : mFrontNodes) {
    std::vector<Vec3> nodes;
    std::vector<char> mouth;
    for (size_t e = 0; e < loop.size(); ++e) {
      nodes.push_back(place(loop[e]));
      mouth.push_back(strips.count({loop[e], loop[(e + 1) % loop.size()]}) > 0);
    }
    mFronts.emplace_back(nodes, mouth, perEdge, world);
    recordMouth(nodes, mouth, sheetNormal(sheet, place), world);
  }
  mStrips.resize(mFronts.size());
}

void CrackSheet::addRecord(const Vec3& a, const Vec3& b, const Vec3& c) {
  mBand.add(a, b, c);
  ++mInitial;
  mTimes.push_back({0, 0, 0});
  mTraces.emplace_back();
}

/// The boundary element mesh may end inside of the artist's surface: the record goes on through that.
void CrackSheet::recordMouth(const std::vector<Vec3>& nodes, const std::vector<char>& mouth,
                             const Vec3& normal, const FrontWorld& world) {
  const size_t count = nodes.size();
  std::vector<Vec3> beyond(nodes);
  for (size_t i = 0; i < count; ++i) {
    Vec3 along = Vec3::Zero();
    if (mouth[i]) along += (nodes[(i + 1) % count] - nodes[i]).normalized();
    if (mouth[(i + count - 1) % count]) along += (nodes[i] - nodes[(i + count - 1) % count]).normalized();
    const Vec3 outward = along.cross(normal).normalized();
    if (!outward.allFinite() || outward.isZero()) continue;
    const Vec3 from = nodes[i] - world.fine * outward;
    const auto hit = world.body->firstHit({from, outward, 0.0, world.coarse});
    beyond[i] =
        nodes[i] + (kBeyond * world.fine + (hit ? std::max(0.0, hit->t - world.fine) : 0.0)) * outward;
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t j = (i + 1) % count;
    if (!mouth[i]) continue;
    addRecord(nodes[i], beyond[i], beyond[j]);
    addRecord(nodes[i], beyond[j], nodes[j]);
  }
}

bool CrackSheet::active() const {
  return std::any_of(mFronts.begin(), mFronts.end(), [](const FineFront& f) { return f.active(); });
}

void CrackSheet::setFrames(const std::vector<FrontFrame>& frames, const FrontWorld& world) {
  std::vector<FrontFrame> local;
  for (size_t l = 0; l < mFronts.size(); ++l) {
    local.clear();
    for (const int32_t n : mFrontNodes[l]) local.push_back(frames[n]);
    mFronts[l].setFrames(local, world);
  }
}

size_t CrackSheet::subStep(double weight, double timeBefore, double timeAfter, const FrontWorld& world,
                           Context& context) {
  size_t moved = 0;
  for (size_t l = 0; l < mFronts.size(); ++l) {
    Strip& strip = mStrips[l];
    strip.ended.clear();
    for (const FrontMarker& m : mFronts[l].markers()) strip.ended.push_back(m.state != MarkerState::Active);
    moved += mFronts[l].subStep(weight, world, strip.before, context);
    strip.after.clear();
    strip.traces.clear();
    for (const FrontMarker& m : mFronts[l].markers()) {
      strip.after.push_back(m.position);
      strip.traces.push_back(traceOf(m));
    }
    strip.timeBefore = timeBefore;
    strip.timeAfter = timeAfter;
    mFronts[l].spread();
  }
  return moved;
}

void CrackSheet::record() {
  for (Strip& strip : mStrips) {
    const size_t count = strip.before.size();
    const float t0 = static_cast<float>(strip.timeBefore), t1 = static_cast<float>(strip.timeAfter);
    for (size_t i = 0; i < count; ++i) {
      const size_t j = (i + 1) % count;
      const Vec3 &a = strip.before[i], &b = strip.before[j], &c = strip.after[j], &d = strip.after[i];
      // Ends slide along outside of the body: nothing is between them and what ended earlier.
      const bool between = !strip.ended[i] || !strip.ended[j];
      if (between && (d != a || c != b)) {
        mBand.addQuad(a, d, c, b);
        mTimes.push_back({t0, t1, t1});
        mTimes.push_back({t0, t1, t0});
        const FrontTrace& ahead =
            strip.traces[i].path < strip.traces[j].path ? strip.traces[j] : strip.traces[i];
        mTraces.insert(mTraces.end(), 2, ahead);
      }
    }
    strip.before.clear();
    strip.after.clear();
    strip.traces.clear();
  }
}

void CrackSheet::extend(CrackGrowth& growth, size_t firstNode, const CoarseWorld& world) {
  for (size_t l = 0; l < mFronts.size(); ++l) {
    FrontExtension extension(mFronts[l], mFrontNodes[l], growth, firstNode, world);
    if (!extension.run()) continue;
    setLoop(l, std::move(extension.loop), extension.markers);
    mArea += extension.area;
  }
}

void CrackSheet::setLoop(size_t loop, std::vector<int32_t> nodes, const std::vector<size_t>& markers) {
  mFronts[loop].resample(markers);
  mFrontNodes[loop] = std::move(nodes);
}

CrackGrowth hexagonCrack(const Vec3& centre, const Vec3& normal, double radius, size_t firstNode) {
  const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
  CrackGrowth crack;
  crack.points.push_back(centre);
  const int32_t first = static_cast<int32_t>(firstNode);
  for (int k = 0; k < 6; ++k) {
    const double angle = k * 1.0471975511965976;
    crack.points.push_back(centre + radius * (std::cos(angle) * u + std::sin(angle) * v));
    crack.triangles.push_back({first, first + 1 + k, first + 1 + (k + 1) % 6});
  }
  crack.opened = {first};
  return crack;
}

}  // namespace hackle
