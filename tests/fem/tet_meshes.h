// Bodies of tetrahedra with exact solutions.
#pragma once

#include <hackle/core/random.h>
#include <hackle/fem/elastic_mesh.h>
#include <hackle/meshing/lattice/lattice.h>

#include <array>
#include <cmath>
#include <vector>

namespace hackle::bodies {

/// A box from the origin, six tetrahedra a cell; point (i, j, k) has number (i (ny + 1) + j) (nz + 1) + k.
inline ElasticMesh box(int nx, int ny, int nz, const Vec3& size, const ElasticMaterial& material) {
  ElasticMesh mesh;
  mesh.materials = {material};
  const auto point = [&](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
  for (int i = 0; i <= nx; ++i)
    for (int j = 0; j <= ny; ++j)
      for (int k = 0; k <= nz; ++k)
        mesh.points.push_back({size.x() * i / nx, size.y() * j / ny, size.z() * k / nz});
  // One tetrahedron for each order in which a path from corner to corner takes the axes.
  const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k)
        for (int o = 0; o < 6; ++o) {
          std::array<int, 3> at{i, j, k};
          Tetrahedron t;
          t[0] = point(i, j, k);
          for (size_t s = 0; s < 3; ++s) {
            ++at[orders[o][s]];
            t[s + 1] = point(at[0], at[1], at[2]);
          }
          if (o >= 3) std::swap(t[1], t[2]);
          mesh.tetrahedra.push_back(t);
        }
  return mesh;
}

/// The beam-like box as the house's own lattice makes it.
inline ElasticMesh latticeBox(const Vec3& size, double cell, const ElasticMaterial& material,
                              Context& context) {
  SolidField solid;
  solid.value = [size](const Vec3& p) {
    const Vec3 d = (p - 0.5 * size).cwiseAbs() - 0.5 * size;
    return d.cwiseMax(0.0).norm() + std::min(d.maxCoeff(), 0.0);
  };
  solid.lipschitz = 1.0;
  solid.bounds.add(Vec3::Zero());
  solid.bounds.add(size);
  LatticeOptions options;
  options.cellSize = cell;
  const TetLattice lattice = stuffLattice(solid, options, context);
  return {lattice.points, lattice.tetrahedra, {material}};
}

/// Moves points that lie inside the box by up to `amount` along each axis.
inline void jitter(ElasticMesh& mesh, const Vec3& size, double amount) {
  Random random(3, 1);
  for (Vec3& p : mesh.points) {
    const Vec3 by(random.uniform(-amount, amount), random.uniform(-amount, amount),
                  random.uniform(-amount, amount));
    if ((p.array() > 1e-9).all() && (p.array() < size.array() - 1e-9).all()) p += by;
  }
}

inline Eigen::VectorXd field(const ElasticMesh& mesh, const Mat3& gradient, const Vec3& constant) {
  Eigen::VectorXd u(static_cast<Eigen::Index>(3 * mesh.points.size()));
  for (size_t p = 0; p < mesh.points.size(); ++p)
    u.segment<3>(static_cast<Eigen::Index>(3 * p)) = gradient * mesh.points[p] + constant;
  return u;
}

/// Forces on points that follow no pattern, the same every time.
inline Eigen::VectorXd someLoad(const ElasticMesh& mesh, uint64_t seed, double size = 1e4) {
  Random random(seed, 5);
  Eigen::VectorXd f(static_cast<Eigen::Index>(3 * mesh.points.size()));
  for (double& x : f) x = size * random.uniform(-1, 1);
  return f;
}

/// Boundary faces whose corners all lie at x = value, and a traction on each.
inline std::vector<Triangle> facesAt(const ElasticMesh& mesh, double x, Context& context) {
  std::vector<Triangle> faces;
  for (const Triangle& t : boundaryFaces(mesh.tetrahedra, {}, context)) {
    bool there = true;
    for (const int32_t p : t) there = there && std::abs(mesh.points[p].x() - x) < 1e-9;
    if (there) faces.push_back(t);
  }
  return faces;
}

}  // namespace hackle::bodies
