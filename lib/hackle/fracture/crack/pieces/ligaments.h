// Thin bridges between cracks that the boundary elements cannot resolve.
#pragma once

#include <hackle/fracture/crack/pieces/fragments.h>
#include <hackle/fracture/crack/pieces/sample_tree.h>

namespace hackle {

struct LigamentOptions {
  double width = 16.0;  // voxels: bridges narrower than about this break
  double wall = 1.4;    // voxels around a sheet that belong to no part
};

/// Divides parts at ligaments: places where cracks have left less than about `width` between each other, or
/// half of that up to the surface. Boundary elements do not resolve the stress there, which is far above that
/// of the whole section.
///
/// On a coarse grid of about width / 4 all cells are taken away that have a crack in them or beside them.
/// What is left of a part and larger than (2 width)^3 grows again over the voxels of the part, all at the
/// same pace; where such regions meet the part is divided. What is left of the cells there is smoothed away
/// by diffusion, and voxels next to the smooth face become a wall.
struct BrokenLigaments {
  size_t parts = 0;                  // how many there are more than before
  std::vector<CrackSample> samples;  // of the smooth faces; of no crack
};
BrokenLigaments breakLigaments(Fragments& fragments, Span<const SheetBand* const> cracks,
                               const LigamentOptions& options, Context& context);

}  // namespace hackle
