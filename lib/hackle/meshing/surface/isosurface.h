// The surface f = 0 of an implicit solid f < 0, as a closed 2-manifold of good quads.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/meshing/surface/solid_field.h>

#include <functional>
#include <optional>

namespace hackle {

struct IsosurfaceOptions {
  Box3 bounds;            // m, must hold the whole solid; f is asked up to one spacing beyond
  double spacing = 0.01;  // m, of the grid; edges come out about as long
  /// A bound of |grad f|, if known (1 for distances): lets the extraction skip the space far from the
  /// surface, so that time goes with the number of faces and not with the volume.
  std::optional<double> lipschitz;
  /// If set, asked first: false says that f has one sign in the whole box. For functions that know where
  /// their surface is, such as sparse grids.
  std::function<bool(const Box3&)> mayCross;
  /// Rounds that even out the faces along the surface, each with a step back to f = 0.
  int smoothing = 6;
};

/// Dual marching cubes: one point for each sheet of the surface in a grid cell, one quad around each grid
/// edge that the surface crosses. Every edge has exactly two faces and every point one fan of faces, for any
/// f: a sign is all that is asked of a value (f = 0 counts as outside), and where two sheets would share an
/// edge it is split; the few faces that gain corners by that come as triangles. Two inside corners of a
/// cell's side that are not neighbours are taken as separate, so parts closer than a spacing come apart
/// rather than touch. Points lie on f = 0 as far as Newton's method finds it there: to about 1e-6 spacings
/// for smooth f; creases are rounded to a spacing.
///
/// Empty if f has no inside on the grid. Error(BadInput) if the solid reaches the bounds or f is not finite;
/// Error(Usage) for a spacing that is not positive or wants more than 2^31 grid nodes without a Lipschitz
/// bound or `mayCross`; Error(Failed) if either turns out to be wrong.
Geometry isosurface(const ImplicitFunction& f, const IsosurfaceOptions& options, Context& context);

}  // namespace hackle
