// What cracks leave of a body: the parts of its lattice, as labels that the cutter understands, and the
// cracks themselves as sheets.
#pragma once

#include <hackle/fracture/impact/growth.h>
#include <hackle/meshing/cut/lattice_envelope.h>

#include <vector>

namespace hackle {

struct LatticeFragments {
  std::vector<int32_t> labels;  // of every point of the lattice, 0 to count - 1
  std::vector<double> volumes;  // m^3 of the solid that has each label, about
  std::vector<uint8_t> opens;   // of every cut: it lies between two labels
  size_t count() const { return volumes.size(); }
  /// Labels with at least this share of the solid.
  size_t countAbove(double share) const;
};

/// Points of the lattice that edges connect which no crack cuts and which touch the solid.
LatticeFragments fragmentsOf(const ModalBody& body, const CrackSet& cracks);

/// Scores whose upper envelope has the labels as regions and the zero sets of heights as borders: a point
/// has 0 for its own label and minus its distance from the crack between for each other label around it.
LatticeScores fragmentScores(const ModalBody& body, const CrackSet& cracks,
                             const LatticeFragments& fragments);

/// Time of passage and stress of the cracks that open, at places of the lattice; README section 6.
class CrackPassage {
 public:
  CrackPassage(const ModalBody& body, const CrackSet& cracks, const LatticeFragments& fragments);

  struct Value {
    float time = 0;    // s; 0 where no crack is near
    float stress = 0;  // Pa
  };
  Value at(const Vec3& x) const;

 private:
  const ModalBody& mBody;
  std::vector<float> mTimes, mStresses, mWeights;  // of points
};

/// All cracks as triangles and quadrangles inside the solid, with the primitive ints `crack` and `open` (1:
/// between two pieces) and the point floats `crack_time` (s) and `stress` (Pa).
Geometry crackSheets(const ModalBody& body, const Solid& solid, const CrackSet& cracks,
                     const LatticeFragments& fragments, Context& context);

}  // namespace hackle
