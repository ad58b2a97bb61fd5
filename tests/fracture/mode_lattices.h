// Lattices for tests of fracture modes.
#pragma once

#include <hackle/core/random.h>
#include <hackle/fracture/modes/element_graph.h>
#include <hackle/meshing/lattice/lattice.h>

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

namespace hackle::test {

struct Tets {
  std::vector<Vec3> points;
  std::vector<Tetrahedron> tetrahedra;

  Vec3 centre(size_t t) const {
    Vec3 sum(0, 0, 0);
    for (const int32_t p : tetrahedra[t]) sum += points[p];
    return sum / 4;
  }
  ElementGraph graph(const ElementPaint& paint = {}) const {
    Context context;
    return elementGraph(points, tetrahedra, paint, context);
  }
};

/// A box of cubes around the origin, each of 24 tetrahedra: as symmetric as a cube.
inline Tets boxOfCubes(const std::array<int, 3>& cubes, double size) {
  Tets tets;
  std::map<std::array<int, 3>, int32_t> index;  // in halves of a cube
  const auto point = [&](const std::array<int, 3>& at) {
    const auto [it, isNew] = index.try_emplace(at, static_cast<int32_t>(tets.points.size()));
    if (isNew) tets.points.push_back(0.5 * size * Vec3(at[0] - cubes[0], at[1] - cubes[1], at[2] - cubes[2]));
    return it->second;
  };
  for (int z = 0; z < cubes[2]; ++z)
    for (int y = 0; y < cubes[1]; ++y)
      for (int x = 0; x < cubes[0]; ++x)
        for (int axis = 0; axis < 3; ++axis)
          for (const int side : {-1, 1}) {
            const std::array<int, 3> middle{2 * x + 1, 2 * y + 1, 2 * z + 1};
            auto face = middle;
            face[axis] += side;
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            constexpr int kTurn[5][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}};
            for (int k = 0; k < 4; ++k) {
              auto a = face, b = face;
              a[u] += kTurn[k][0], a[v] += kTurn[k][1];
              b[u] += kTurn[k + 1][0], b[v] += kTurn[k + 1][1];
              tets.tetrahedra.push_back({point(middle), point(face), point(a), point(b)});
            }
          }
  return tets;
}

/// The lattice of a solid within |x|, |y|, |z| < reach.
inline Tets stuffed(const std::function<double(const Vec3&)>& value, double cellSize, const Vec3& reach,
                    double interior = 0) {
  Context context;
  SolidField solid;
  solid.value = value;
  solid.bounds.add(-reach);
  solid.bounds.add(reach);
  LatticeOptions options;
  options.cellSize = cellSize;
  if (interior > 0) options.interiorSize = interior;
  const TetLattice lattice = stuffLattice(solid, options, context);
  return {lattice.points, lattice.tetrahedra};
}

/// Two balls of different size joined by a neck that is thinnest at x = 0.1.
inline double dumbbell(const Vec3& p) {
  const double a = (p - Vec3(-0.6, 0, 0)).norm() - 0.42, b = (p - Vec3(0.65, 0, 0)).norm() - 0.36;
  const double radius = 0.14 + 0.6 * (p.x() - 0.1) * (p.x() - 0.1);
  const double neck = std::max(std::hypot(p.y(), p.z()) - radius, std::abs(p.x()) - 0.5);
  return std::min({a, b, neck});
}

/// A bar of uneven material, which has no ties, and initial guesses for four modes: the problem that
/// modes_ecos.txt holds the answer to.
struct UnevenBar {
  Tets tets = boxOfCubes({6, 2, 2}, 0.1);
  ElementGraph graph;
  Eigen::MatrixXd guesses;  // #elements × 4

  UnevenBar() : guesses(static_cast<Eigen::Index>(tets.tetrahedra.size()), 4) {
    ElementPaint paint;
    Random random(2022);
    for (size_t t = 0; t < tets.tetrahedra.size(); ++t) {
      paint.density.push_back(random.uniform(800, 1200));
      paint.toughness.push_back(random.uniform(0.7, 1.3));
      const Vec3 p = tets.centre(t) / 0.1;
      guesses.row(static_cast<Eigen::Index>(t)) << p.x(), p.x() * p.x() + p.y(), p.y() + 0.1 * p.z(),
          p.z() + p.x() * p.y();
    }
    graph = tets.graph(paint);
    const Eigen::VectorXd masses = Eigen::Map<const Eigen::VectorXd>(graph.masses.data(), guesses.rows());
    for (Eigen::Index k = 0; k < 4; ++k) {
      guesses.col(k).array() -= guesses.col(k).dot(masses) / masses.sum();
      guesses.col(k) /= std::sqrt(guesses.col(k).cwiseAbs2().dot(masses));
    }
  }
};

}  // namespace hackle::test
