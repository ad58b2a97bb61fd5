// One crack: its coarse sheet for the boundary elements, its fine front, and the record of where it went.
#pragma once

#include <hackle/bem/surface.h>
#include <hackle/bem/system.h>
#include <hackle/fracture/crack/growth/fine_front.h>

namespace hackle {

/// Where coarse nodes may be: cracks in the boundary element mesh keep off the body's surface there.
struct CoarseWorld {
  const TriangleBvh* tree = nullptr;   // of the boundary element mesh of the body
  const BemSurface* system = nullptr;  // with all cracks so far
  double coarse = 0.0;                 // r_c, m

  /// Whether a coarse node can be at p: inside, 0.1 r_c or more below the surface.
  bool isClear(const Vec3& p) const;
  /// The last clear place on the way from `from` to `to`.
  Vec3 lastClear(const Vec3& from, const Vec3& to) const;
};

/// Triangles of the sheet use the numbers of the system's nodes. The sheet only ever grows.
class CrackSheet {
 public:
  /// `growth` is the initial sheet as the system got it, its nodes numbered from `firstNode`: connected,
  /// manifold and oriented. Its rims are fronts, except at its mouth. Error(BadInput) if it is not such a
  /// sheet.
  CrackSheet(const CrackGrowth& growth, size_t firstNode, size_t perEdge, const FrontWorld& world);

  /// Loops of the front and the system's nodes on them.
  const std::vector<FineFront>& fronts() const { return mFronts; }
  const std::vector<int32_t>& frontNodes(size_t loop) const { return mFrontNodes[loop]; }
  bool active() const;
  const SheetBand& band() const { return mBand; }
  /// s since the beginning at each corner of each triangle of the band.
  const std::vector<std::array<float, 3>>& times() const { return mTimes; }
  const std::vector<FrontTrace>& traces() const { return mTraces; }
  double coarseArea() const { return mArea; }  // m^2
  /// Triangles of strips that double the body's surface (bem/mouth.h): three nodes and the body's triangle.
  const std::vector<std::array<int32_t, 4>>& lips() const { return mLips; }

  /// Sets frames at front nodes; `frames` is by the system's node.
  void setFrames(const std::vector<FrontFrame>& frames, const FrontWorld& world);
  /// One sub step of the front; its strip is kept until `record`. Returns how many markers moved.
  size_t subStep(double weight, double timeBefore, double timeAfter, const FrontWorld& world,
                 Context& context);
  /// Stops the parts of fronts that are at such places.
  void stop(const std::function<bool(const Vec3&)>& where) {
    for (FineFront& front : mFronts) front.stop(where);
  }
  /// Adds the last strip to the band, once all cracks have made their sub step.
  void record();

  /// The strip of coarse triangles that the last step of the front spans ([Hahn17] fig. 16), appended to
  /// `growth`, whose points are numbered from `firstNode`. Edges stay within 0.2 to 1.4 r_c by splitting and
  /// contracting; nodes that came less than 0.2 r_c forward wait.
  void extend(CrackGrowth& growth, size_t firstNode, const CoarseWorld& world);

 private:
  friend struct CrackStateAccess;  // crack_state.cpp saves all members
  friend class SurfaceMouths;      // goes on with loops and lips
  explicit CrackSheet(double fine) : mBand(fine, 2.0) {}
  void setLoop(size_t loop, std::vector<int32_t> nodes, const std::vector<size_t>& markers);
  void addRecord(const Vec3& a, const Vec3& b, const Vec3& c);
  void recordMouth(const std::vector<Vec3>& nodes, const std::vector<char>& mouth, const Vec3& normal,
                   const FrontWorld& world);

  std::vector<FineFront> mFronts;
  std::vector<std::vector<int32_t>> mFrontNodes;
  SheetBand mBand;      // the initial triangles, then quads
  size_t mInitial = 0;  // of its triangles
  std::vector<std::array<float, 3>> mTimes;
  std::vector<FrontTrace> mTraces;
  double mArea = 0.0;
  std::vector<std::array<int32_t, 4>> mLips;
  struct Strip {
    std::vector<Vec3> before;
    std::vector<Vec3> after;
    std::vector<char> ended;         // markers that were not active before
    std::vector<FrontTrace> traces;  // of the markers
    double timeBefore = 0.0, timeAfter = 0.0;
  };
  std::vector<Strip> mStrips;  // of each loop
};

/// A planar hexagon of six triangles around a centre, which is opened.
CrackGrowth hexagonCrack(const Vec3& centre, const Vec3& normal, double radius, size_t firstNode);

}  // namespace hackle
