// Roughness of the faces between pieces.
#pragma once

#include <hackle/core/context.h>
#include <hackle/meshing/cut/cut.h>

#include <cstdint>

namespace hackle {

struct DetailOptions {
  double size = 0.0;       // m, length of edges on rough faces; 0: faces stay flat
  double amount = 0.0;     // m, greatest height
  double scale = 0.0;      // m, size of the largest features; 0: eight times `size`
  double roughness = 0.5;  // strength of each octave relative to the one before
  uint64_t seed = 0;
};

/// Gives the inside faces a fine mesh, raised along their normal by a fractal noise. Both sides of a face get
/// the same one. Heights are at most a quarter of the distance to any other face and so vanish at the rim: no
/// two faces come to cross. Error(Usage) if `size` wants more points than memory holds.
void addInteriorDetail(Cut& cut, const DetailOptions& options, Context& context);

}  // namespace hackle
