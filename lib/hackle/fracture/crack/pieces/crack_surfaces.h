// Recorded cracks as open geometry: sheets whose triangles share points, and their fronts at any time.
#pragma once

#include <hackle/fracture/crack/pieces/crack_pieces.h>

#include <optional>

namespace hackle {

struct CrackSurfaceOptions {
  std::optional<double> until;  // s: only what fronts had passed by then
  bool clip = true;             // at the surface of the body
  double tolerance = 0.1;       // voxels by which flat parts may move when they are coarsened; 0 keeps all
};

/// All cracks, through or not, as triangles with the primitive int `crack` and the point float `crack_time`
/// (s). Corners of recorded triangles within 0.1 voxels are one point, and edges are split at points of their
/// neighbours within 0.3. Points on the surface of the body and on rims stay where they are when flat parts
/// are coarsened. Empty if there are none, or none by then.
Geometry crackSurfaces(Span<const RecordedCrack> cracks, const TriangleBvh& body,
                       const CrackSurfaceOptions& options, Context& context);

/// Cracks while they grow.
struct CrackFronts {
  Geometry lines;     // polylines with the primitive int `crack`: where fronts pass at that time
  double area = 0.0;  // m^2, cracked by then
};

/// Inside of the body. Fronts that have stopped are not there any more.
CrackFronts crackFrontsAt(Span<const RecordedCrack> cracks, const TriangleBvh& body, double time,
                          Context& context);

}  // namespace hackle
