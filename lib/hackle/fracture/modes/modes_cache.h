// Everything that breaking a solid by its fracture modes needs at the moment of an impact, and its file.
#pragma once

#include <hackle/core/context.h>
#include <hackle/fracture/modes/impulse_shares.h>
#include <hackle/fracture/pieces.h>

#include <string>
#include <string_view>
#include <vector>

namespace hackle {

struct CachedMode {
  uint8_t axes = 7;     // bit a: the mode moves along axis a; 7 stands for three vector modes
  int32_t rank = 0;     // which mode of its axis it is, from 0
  double energy = 0.0;  // m^2 kg^-1/2
};

/// A solid in its finest parts (all pieces of all modes, cut and smoothed), with the modes on the parts. The
/// lattice and the inside of modes are gone: a mode is one number per part.
struct ModesCache {
  FracturePieces parts;           // with `depth`; `cell` is the lattice's piece
  std::vector<int32_t> twins;     // findTwins(parts)
  std::vector<double> masses;     // kg, of each part as the modes see it
  Eigen::MatrixXd values;         // #parts x #modes, kg^-1/2
  std::vector<CachedMode> modes;  // of each column
  ImpulseShares shares;
  /// Corners of convex parts of each part, in which pieces collide; empty if nobody made them.
  std::vector<std::vector<std::vector<Vec3>>> hulls;
  double density = 0.0;        // kg/m^3, mean
  double volume = 0.0;         // m^3, of the solid that was cut
  double impulseLength = 0.0;  // m
  double cellSize = 0.0;       // m, of the lattice
  uint64_t fingerprint = 0;    // geometryFingerprint of the input
  std::string insideGroup = "inside";
};

constexpr uint32_t kModesVersion = 1;

/// The file: an archive of kind "modes". Equal caches give equal bytes.
std::string writeModes(const ModesCache& cache);

/// Error(BadInput) that says what is wrong for anything but a whole, undamaged file of this version.
ModesCache readModes(std::string_view bytes, Context& context);

}  // namespace hackle
