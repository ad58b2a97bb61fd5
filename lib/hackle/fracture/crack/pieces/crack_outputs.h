// What a run of cracks can give besides pieces: grids, boundary elements, level-set surfaces.
#pragma once

#include <hackle/fracture/crack/growth/crack_solver.h>

namespace hackle {

/// The body as a level set named `body` and each crack as one of `thickness` voxels, named `crack0`, ..., all
/// with the cracks' voxels; `body` only if there are no cracks, of voxels of `voxelSize`.
Geometry crackVolumes(const TriangleMesh& body, Span<const RecordedCrack> cracks, double voxelSize,
                      double thickness, Context& context);

/// The boundary elements of the last solution. Triangles have the primitive int `crack` (-1 on the body) and
/// `stress` (Pa, 9 floats, of the body), points `displacement` (m, of cracks the mean of both faces),
/// `opening` (m), and K1, K2, K3, Keff (Pa m^(1/2), zero off fronts). Fronts are closed polylines in the
/// group `fronts`. Parts that grew after the last solution have zeros.
Geometry crackElements(const CrackSolver& solver, Context& context);

struct LevelSetSurfaceOptions {
  double threshold = 0.5;     // voxels: as CrackCutOptions
  bool closeGaps = true;      // moves both faces of a crack onto its recorded sheet
  bool displacement = false;  // adds the continuous displacement
  bool opening = false;       // adds the opening of cracks
  double scale = 1.0;         // of displacements
  size_t leastVoxels = 8;     // smaller fragments are left out
  size_t firstPiece = 0;      // number of the first fragment
};

/// Fragments as [Hahn17] ch. 6.3 and 6.4 have them: the level set of the body less those of the cracks, in
/// its connected parts, each as a closed mesh with the primitive string `name` and the int `crack` (-1 on
/// faces that are not along a crack). For pieces that keep the artist's own faces see crack_pieces.h.
Geometry crackLevelSetSurfaces(const CrackSolver& solver, const TriangleMesh& body,
                               const LevelSetSurfaceOptions& options, Context& context);

}  // namespace hackle
