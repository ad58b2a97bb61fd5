// Meshes of strips and panels for tests of sheets.
#pragma once

#include <hackle/core/random.h>
#include <hackle/fracture/sheet/sheet_mesh.h>
#include <hackle/fracture/sheet/sheet_simulation.h>

#include <cmath>
#include <vector>

namespace hackle::sheets {

struct Grid {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
};

/// Of a square metre, 1 kg, that neither falls nor breaks.
inline SheetOptions softSheet() {
  SheetOptions options;
  options.material = {1e6, 0.0, 100, 0, 0};
  options.thickness = 0.01;
  options.fine = options.coarse = 0.15;
  options.births = false;
  options.gravity.setZero();
  return options;
}

/// A rectangle from the origin in the plane z = 0, nx by ny quads, diagonals alternating, inner points
/// jittered by a part of the spacing.
inline Grid rectangle(double width, double height, int nx, int ny, double jitter = 0.0, uint64_t seed = 1) {
  Grid grid;
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) {
      Random random(seed, static_cast<uint64_t>(j * (nx + 1) + i));
      const double dx = i > 0 && i < nx ? jitter * random.uniform(-1, 1) : 0;
      const double dy = j > 0 && j < ny ? jitter * random.uniform(-1, 1) : 0;
      grid.points.emplace_back(width * (i + dx) / nx, height * (j + dy) / ny, 0.0);
    }
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int32_t a = j * (nx + 1) + i, b = a + 1, c = a + nx + 1, d = c + 1;
      if ((i + j) % 2 == 0) {
        grid.triangles.push_back({a, b, d});
        grid.triangles.push_back({a, d, c});
      } else {
        grid.triangles.push_back({a, b, c});
        grid.triangles.push_back({b, d, c});
      }
    }
  return grid;
}

inline SheetMesh rectangleSheet(double width, double height, int nx, int ny, double thickness,
                                double jitter = 0.0) {
  const Grid grid = rectangle(width, height, nx, ny, jitter);
  return SheetMesh::make(grid.points, grid.triangles, thickness);
}

/// Moves vertices by a map of the rest shape; directors become the normals that the map gives.
template <class Map>
void deform(SheetMesh& mesh, const Map& map) {
  for (size_t p = 0; p < mesh.vertexCount(); ++p) mesh.x[p] = map(mesh.rest[p]);
  for (int32_t f = 0; f < static_cast<int32_t>(mesh.faceCount()); ++f)
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t other = mesh.across[f][k];
      Vec3 n = mesh.normal(f);
      if (other >= 0) n += mesh.normal(other / 3);
      const Vec3 e = (mesh.x[mesh.faces[f][(k + 2) % 3]] - mesh.x[mesh.faces[f][(k + 1) % 3]]).normalized();
      mesh.director[mesh.edges[f][k]] = (n - e.dot(n) * e).normalized();
    }
}

}  // namespace hackle::sheets
