// The background of a lattice: an octree of cubes and the tetrahedra between their centres and corners.
// Private to lattice.cpp.
#pragma once

#include <hackle/meshing/lattice/lattice.h>

#include <array>

namespace hackle::detail {

/// Whole numbers in halves of the finest cube's edge: corners of the finest cubes are even, centres odd.
using GridPlace = std::array<int32_t, 3>;

constexpr int kPlaceBits = 20;

/// Ascending keys go by z, then y, then x.
inline uint64_t placeKey(const GridPlace& p) {
  return static_cast<uint64_t>(p[0]) | static_cast<uint64_t>(p[1]) << kPlaceBits |
         static_cast<uint64_t>(p[2]) << (2 * kPlaceBits);
}
inline GridPlace keyPlace(uint64_t key) {
  constexpr uint64_t kMask = (uint64_t{1} << kPlaceBits) - 1;
  return {static_cast<int32_t>(key & kMask), static_cast<int32_t>(key >> kPlaceBits & kMask),
          static_cast<int32_t>(key >> (2 * kPlaceBits))};
}

/// Where a key is in a list of different keys.
class KeyTable {
 public:
  KeyTable() = default;
  explicit KeyTable(Span<const uint64_t> keys);
  /// -1 if it is not there.
  int32_t find(uint64_t key) const;

 private:
  struct Slot {
    uint64_t key = 0;
    int32_t index = -1;
  };
  std::vector<Slot> mSlots;
  uint64_t mMask = 0;
};

struct LatticeBackground {
  Vec3 origin = Vec3::Zero();
  double unit = 0;             // m, half of the finest cube's edge
  GridPlace last{};            // opposite corner of the box that the cubes could fill; the first is 0, 0, 0
  std::vector<uint64_t> keys;  // of the vertices, ascending
  /// 1: the surface may pass near, and all tetrahedra around are of the finest cubes. 0: deep inside.
  std::vector<uint8_t> nearSurface;
  std::vector<uint8_t> filled;          // 1: in a cavity that counts as inside; empty if there is none
  std::vector<Tetrahedron> tetrahedra;  // positive volume

  GridPlace place(int32_t vertex) const { return keyPlace(keys[vertex]); }
  Vec3 position(int32_t vertex) const {
    const GridPlace p = place(vertex);
    return origin + unit * Vec3(p[0], p[1], p[2]);
  }
};

/// Covers the solid and two cubes around its surface. Cubes that share an edge differ by a factor of two at
/// most. A tetrahedron joins the centres of two equal cubes to an edge of their common face; its edges are 1
/// and sqrt(3)/2 cubes long. Where an edge has a middle point because of smaller cubes it is halved, towards
/// a face of smaller cubes quartered; towards a larger cube the pyramid over the face is halved.
LatticeBackground makeBackground(const SolidField& solid, const LatticeOptions& options, Context& context);

/// The function's value; Error(BadInput) if it is not finite.
double checkedValue(const SolidField& solid, const Vec3& p);

}  // namespace hackle::detail
