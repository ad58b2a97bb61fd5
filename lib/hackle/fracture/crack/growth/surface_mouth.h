// Where growing cracks open the surface of the body, and other cracks.
#pragma once

#include <hackle/fracture/crack/growth/crack_sheet.h>

#include <map>
#include <memory>

namespace hackle {

/// A sheet that ends just below the surface is held shut there, by a rim that carries what the whole section
/// should: intensities come out too small by 2 to 6. So where a front has left the body, its sheet goes on to
/// nodes of the body's mesh, and the mouth runs along edges between these, as near to the true line as they
/// are: half an edge of that mesh at most. There bem/mouth.h applies: on one side the jump runs out over a
/// strip that doubles the body's triangles. A mouth is opened node by node as it grows. Where a front has met
/// another crack it is the same with that crack's sheet: its jump then differs on both sides of the line.
///
/// Nodes belong to one mouth; another crack that comes there stays shut. So does the mouth of a crack
/// none of whose markers is active: what has come apart would be free to move.
class SurfaceMouths {
 public:
  /// Of a step that has added `growth` so far. `body` is the tree of the system's body, `opened` are nodes of
  /// cracks whose jumps are known or unknowns. Mouths keep off
  /// triangles with given displacements, and off sheets more than r_c / 2 (`coarse`, m) from where fronts met
  /// the crack.
  SurfaceMouths(const BemSystem& system, const TriangleBvh& body, double coarse, Span<const int32_t> opened,
                Span<const std::unique_ptr<CrackSheet>> cracks, const CrackGrowth& growth);

  /// Goes on with the mouths of a crack, in its loops and in `growth`, whose points are numbered from
  /// `firstNode`.
  void open(CrackSheet& crack, int32_t number, CrackGrowth& growth, size_t firstNode);

 private:
  friend class LoopOpening;
  bool doubled(size_t triangle) const;
  bool usable(int32_t node) const;
  int32_t nearestTriangle(const FrontMarker& marker, int32_t ownPart) const;
  int32_t nearestUsable(const FrontMarker& marker, int32_t ownPart) const;
  std::vector<int32_t> way(int32_t from, int32_t to, const Vec3& a, const Vec3& b) const;
  std::vector<int32_t> fan(int32_t node, int32_t previous, int32_t next, int32_t crack) const;

  const BemSystem& mSystem;
  const BemSurface& mSurface;  // the system's
  const TriangleBvh& mTree;
  double mReach;                      // m
  std::vector<int32_t> mPart;         // by node: 0 of the body, else a name of the crack
  std::vector<char> mClosed;          // by node: no mouth can be there
  std::vector<int32_t> mNodeOwner;    // by node: the crack whose mouth is there, or -1
  std::vector<int32_t> mOwner;        // by triangle: the crack that doubles it, or -1
  std::vector<char> mOpened;          // by node
  std::map<Edge, int32_t> mTriangle;  // with a directed edge
};

}  // namespace hackle
