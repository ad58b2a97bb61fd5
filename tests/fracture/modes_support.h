// A solid in a lattice with modes made by hand, for tests of what comes after the solver.
#pragma once

#include "../shapes.h"

#include <hackle/fracture/modes/prefracture.h>
#include <hackle/mechanics/impact.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>

#include <algorithm>
#include <functional>
#include <map>

namespace hackle::modes_support {

struct Body {
  Geometry solid;
  TetLattice lattice;
  double cellSize = 0;
  LatticeModes modes;
  std::vector<Vec3> centres;  // of elements
};

inline Body enclosed(Geometry solid, double cells, double density = 1000) {
  Context context;
  Body setup;
  EnclosingOptions options;
  options.cells = cells;
  EnclosingLattice cage = enclosingLattice(triangleMesh(solid), options, context);
  setup.solid = std::move(solid);
  setup.lattice = std::move(cage.lattice);
  setup.cellSize = cage.cellSize;
  std::map<std::array<int32_t, 3>, int32_t> open;
  for (size_t e = 0; e < setup.lattice.tetrahedra.size(); ++e) {
    const Tetrahedron& t = setup.lattice.tetrahedra[e];
    const auto at = [&](size_t i) { return setup.lattice.points[t[i]]; };
    setup.modes.masses.push_back(density * (at(1) - at(0)).dot((at(2) - at(0)).cross(at(3) - at(0))) / 6);
    setup.centres.push_back((at(0) + at(1) + at(2) + at(3)) / 4);
    for (size_t skip = 0; skip < 4; ++skip) {
      std::array<int32_t, 3> face{t[(skip + 1) % 4], t[(skip + 2) % 4], t[(skip + 3) % 4]};
      std::sort(face.begin(), face.end());
      const auto [known, isNew] = open.emplace(face, static_cast<int32_t>(e));
      if (!isNew) setup.modes.faces.push_back({known->second, static_cast<int32_t>(e)});
    }
  }
  return setup;
}

/// Makes modes of step functions of place: mean free and orthonormal by mass.
inline void addModes(Body& setup, const std::vector<std::function<double(const Vec3&)>>& steps,
                     uint8_t axes = 7) {
  LatticeModes& modes = setup.modes;
  const auto elements = static_cast<Eigen::Index>(modes.masses.size());
  const Eigen::Map<const Eigen::VectorXd> mass(modes.masses.data(), elements);
  std::vector<Eigen::VectorXd> earlier{Eigen::VectorXd::Ones(elements) / std::sqrt(mass.sum())};
  int32_t rank = 0;
  for (const auto& step : steps) {
    Eigen::VectorXd v(elements);
    for (Eigen::Index e = 0; e < elements; ++e) v[e] = step(setup.centres[e]);
    for (const Eigen::VectorXd& u : earlier) v -= u.dot(mass.cwiseProduct(v)) * u;
    v /= std::sqrt(v.dot(mass.cwiseProduct(v)));
    earlier.push_back(v);
    modes.values.conservativeResize(elements, modes.values.cols() + 1);
    modes.values.rightCols<1>() = v;
    modes.modes.push_back({axes, rank++, 1.0});
  }
}

/// 1 beyond a plane.
inline std::function<double(const Vec3&)> beyond(const Vec3& normal, double offset) {
  return [=](const Vec3& p) { return normal.dot(p) > offset ? 1.0 : 0.0; };
}

/// A bar along x, cut crosswise at -0.5, 0 and 0.5.
inline Body slicedBar(double cells = 16) {
  Body setup = enclosed(shapes::box({-1, -0.2, -0.2}, {1, 0.2, 0.2}), cells);
  addModes(setup, {beyond({1, 0, 0}, 0.0), beyond({1, 0, 0}, -0.5), beyond({1, 0, 0}, 0.5)});
  return setup;
}

/// An impact of an impulse (N s) with its direction.
inline Impact impactOf(const Vec3& at, const Vec3& impulse) {
  Impact impact;
  impact.position = at;
  impact.impulse = impulse.norm();
  impact.direction = impulse.normalized();
  return impact;
}

inline Prefracture broken(const Body& setup, PrefractureOptions options = {}) {
  Context context;
  options.impulse.length = options.impulse.length > 0 ? options.impulse.length : 0.1;
  Prefracture result = prefracture(Solid(setup.solid, context), setup.lattice, setup.modes, options, context);
  result.cache.cellSize = setup.cellSize;
  return result;
}

}  // namespace hackle::modes_support
