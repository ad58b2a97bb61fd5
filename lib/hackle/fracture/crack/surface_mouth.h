// Where growing cracks open the surface of the body.
#pragma once

#include <hackle/fracture/crack/crack_sheet.h>

#include <map>
#include <memory>

namespace hackle {

/// A sheet that ends just below the surface is held shut there, by a rim that carries what the whole section
/// should: intensities come out too small by 2 to 6. So where a front has left the body, its sheet goes on to
/// nodes of the body's mesh, and the mouth runs along edges between these, as near to the true line as they
/// are: half an edge of that mesh at most. There bem/mouth.h applies: on one side the jump runs out over a
/// strip that doubles the body's triangles. A mouth is opened node by node as it grows.
///
/// Nodes of the body belong to one crack; another that comes there stays shut. So does the mouth of a crack
/// none of whose markers is active: what has come apart would be free to move.
class SurfaceMouths {
 public:
  /// Of a step. `body` is the tree of the system's body. Mouths keep off triangles with given displacements.
  SurfaceMouths(const BemSystem& system, const TriangleBvh& body,
                Span<const std::unique_ptr<CrackSheet>> cracks);

  /// Goes on with the mouths of a crack, in its loops and in `growth`, whose points are numbered from
  /// `firstNode`.
  void open(CrackSheet& crack, int32_t number, CrackGrowth& growth, size_t firstNode);

 private:
  friend class LoopOpening;
  bool usable(int32_t node) const;
  int32_t nearestUsable(const Vec3& p) const;
  std::vector<int32_t> way(int32_t from, int32_t to, const Vec3& a, const Vec3& b) const;
  std::vector<int32_t> fan(int32_t node, int32_t previous, int32_t next, int32_t crack) const;

  const BemSystem& mSystem;
  const TriangleBvh& mTree;
  std::vector<char> mFixed;           // by triangle of the body
  std::vector<char> mHeld;            // by node of the body: of a fixed triangle
  std::vector<int32_t> mNodeOwner;    // by node of the body: the crack, or -1
  std::vector<int32_t> mOwner;        // by triangle of the body
  std::vector<char> mOpened;          // by node of the system
  std::map<Edge, int32_t> mTriangle;  // of the body with a directed edge
};

}  // namespace hackle
