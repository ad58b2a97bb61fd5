// From the record of cracks to pieces: which part of the body a place belongs to, and the cut between parts.
#pragma once

#include <hackle/fracture/crack/fragments.h>
#include <hackle/fracture/pieces.h>
#include <hackle/meshing/cut.h>
#include <hackle/meshing/lattice_envelope.h>

namespace hackle {

/// A crack as it was recorded.
struct RecordedCrack {
  const SheetBand* band = nullptr;
  Span<const std::array<float, 3>> times;  // s, at the corners of the band's triangles
};

struct CrackCutOptions {
  /// Threshold s of [Hahn17] ch. 6.3 in voxels, 0 to 1: gaps between sheets up to about twice as wide count
  /// as cracked.
  double threshold = 0.5;
};

/// Parts of a body between cracks as scores on the tetrahedra around the cracks (six in each voxel cell that
/// has several parts at its corners). At a grid point at a distance d from the nearest sheet, its own part
/// scores d and the others -d, so that faces lie on the sheets: on flat ones exactly, elsewhere to second
/// order. Points within a wall belong to the part on their side of the sheet.
class CrackPartition {
 public:
  /// All cracks have bands of one voxel size. `body` must outlive this, as must the bands.
  CrackPartition(const TriangleBvh& body, Span<const RecordedCrack> cracks, const CrackCutOptions& options,
                 Context& context);

  size_t partCount() const { return mFragments.count(); }
  const Fragments& fragments() const { return mFragments; }
  /// True if no crack goes through: there is nothing to cut.
  bool whole() const { return mTetrahedra.empty(); }

  /// The solid along the sheets. `mesh` is that of the body.
  Cut cut(const Geometry& solid, const TriangleMesh& mesh, Context& context) const;
  /// The part that a place belongs to.
  int32_t partAt(const Vec3& p) const;

  /// The nearest place of a crack: its number and when the front passed (s); -1 away from cracks.
  struct Passage {
    int32_t crack = -1;
    float time = 0.0f;
  };
  Passage passageAt(const Vec3& p) const;

 private:
  struct Node {
    Voxel voxel;
    float distance;
    int32_t crack, triangle;
    int32_t part;
  };
  struct VoxelHash {
    size_t operator()(const Voxel& v) const;
  };
  void collectNodes();
  void findSides();
  void spreadParts();
  void completeCells(Context& context);
  void addCorner(const Voxel& v);
  bool nearBody(const Voxel& cell) const;
  int32_t partOfNeighbours(const Voxel& v, Node& node) const;
  void makeTetrahedra();
  void makeScores();
  Vec3 place(const Voxel& v) const { return Vec3(v[0], v[1], v[2]) * mVoxel; }
  const std::array<Vec3, 3>& triangleOf(const Node& node) const {
    return mCracks[static_cast<size_t>(node.crack)].band->triangle(static_cast<size_t>(node.triangle));
  }
  bool sameSide(const Node& a, const Vec3& p) const;
  int32_t nodeAt(const Voxel& v) const;

  std::vector<RecordedCrack> mCracks;
  double mVoxel, mWall;
  Fragments mFragments;
  std::vector<Node> mNodes;
  std::unordered_map<Voxel, int32_t, VoxelHash> mNodeOf;
  std::vector<Vec3> mPoints;  // of the lattice
  std::vector<Tetrahedron> mTetrahedra;
  LatticeScores mScores;
  std::vector<int32_t> mPointNode;  // the node of each of its points
};

/// Point float `crack_time` (s, when the front passed; outside faces too, at their nearest crack, else 0) and
/// primitive int `crack` on inside faces (-1 on the others).
void addCrackAttributes(FracturePieces& pieces, const CrackPartition& partition, const std::string& inside,
                        Context& context);

}  // namespace hackle
