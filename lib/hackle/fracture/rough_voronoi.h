// Cuts along Voronoi cells whose faces are not flat, and along cells that are put together from several.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/cut/cut.h>

#include <functional>
#include <vector>

namespace hackle {

/// A smooth random displacement of the faces between cells, in the space in which these are not stretched.
struct RoughFaces {
  double amount = 0;       // m, of the displacement at most; 0: faces stay flat
  double size = 0;         // m, of the largest bumps; above 0 where there is an amount
  double roughness = 0.5;  // strength of each octave relative to the one before
  bool ridges = false;     // sharp ridges instead of round bumps
  uint64_t seed = 0;
  /// Factor on the amount at a place, 0 to 1; may be empty.
  std::function<double(const Vec3&)> strength;
};

struct RoughVoronoi {
  std::vector<Vec3> sites;          // m, distinct
  std::vector<int32_t> labels;      // of sites; sites of one label make one cell. Empty: each its own
  Mat3 stretch = Mat3::Identity();  // cells are those of sites in a space before this map
  RoughFaces rough;
};

/// Space is divided into the cells of the sites, whose faces are triangles of about a quarter of the size of
/// bumps near the surface and larger ones inside; their corners are displaced; cells of one label are joined;
/// and the solid is cut along that, exactly. So both sides of a face and its rim on the surface follow one
/// line, and pieces fill the solid. The corners of a cell never move so far that it is not seen as a whole
/// from its site any more: then no two faces can cross. `applied`, if given, becomes the mean share of the
/// displacement that this leaves. `surface` is the tree of the mesh.
Cut cutByRoughVoronoi(const Geometry& solid, const TriangleMesh& mesh, const TriangleBvh& surface,
                      const RoughVoronoi& partition, double* applied, Context& context);

}  // namespace hackle
