// Which cubes of a lattice the surface may pass. Private to lattice_octree.cpp.
#pragma once

#include <hackle/meshing/lattice/lattice.h>

#include <array>
#include <vector>

namespace hackle::detail {

/// What is known of a cube: all of it is deep inside or far outside, or the surface is near.
enum class CubeState : uint8_t { Inside, Outside, Near };

/// The finest cubes fill a box; `cubes` along each axis, the lowest corner of the first one at `origin`.
struct CubeGrid {
  Vec3 origin = Vec3::Zero();
  double cellSize = 0;
  std::array<int32_t, 3> cubes{};
};

/// A finest cube is Near if its vertices or those of its neighbours belong to an edge of the lattice that the
/// surface may cross. Larger cubes are Near if one of the finest in them is.
class CubeClassifier {
 public:
  /// Without a Lipschitz bound, or to fill cavities, it asks for the signs at all vertices of the finest
  /// lattice.
  CubeClassifier(const SolidField& solid, const CubeGrid& grid, int levels, bool fillCavities,
                 Context& context);

  /// The cube of 2^level finest ones along an edge whose lowest one is `first`.
  CubeState operator()(const std::array<int32_t, 3>& first, int level) const;

  /// Whether a vertex, in halves of a finest cube, lies in a cavity that was filled.
  bool isFilled(const std::array<int32_t, 3>& place) const;

 private:
  size_t index(const std::array<int32_t, 3>& at, int level) const;
  void sampleSigns(bool fillCavities, Context& context);
  void fillCavities(Context& context);
  std::vector<uint8_t> signsAt(const std::array<int32_t, 3>& count, double shift, Context& context) const;

  const SolidField& mSolid;
  CubeGrid mGrid;
  int mLevels;
  bool mDense;                              // signs were asked everywhere
  std::vector<uint8_t> mInside, mCorners;   // 1 inside, 2 filled: centres and corners of the finest cubes
  std::vector<std::vector<uint8_t>> mNear;  // a level each
};

}  // namespace hackle::detail
