// What a tetrahedral lattice must be, checked the plain way: independent of the library's own code.
#pragma once

#include <gtest/gtest.h>
#include <hackle/meshing/lattice/lattice.h>
#include <meshing/surface_checks.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace hackle::test {

struct TetFacts {
  double minAngle = 180, maxAngle = 0;  // degrees, between faces
  double volume = 0;
  size_t inverted = 0;        // of no or negative volume
  size_t badFaces = 0;        // with more than two tetrahedra, or two on the same side
  size_t boundaryFaces = 0;   // with one
  bool boundaryFits = false;  // the lattice's boundary is just those faces, seen from outside
};

/// The angles at the six edges of a tetrahedron, in degrees.
inline std::array<double, 6> dihedralAngles(const Vec3 (&p)[4]) {
  std::array<double, 6> angles{};
  size_t edge = 0;
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) {
      // The edge between corners i and j; angle between the two others seen along it.
      const Vec3 axis = (p[j] - p[i]).normalized();
      Vec3 side[2];
      int n = 0;
      for (int k = 0; k < 4; ++k)
        if (k != i && k != j) {
          const Vec3 d = p[k] - p[i];
          side[n++] = d - d.dot(axis) * axis;
        }
      angles[edge++] = std::atan2(side[0].cross(side[1]).norm(), side[0].dot(side[1])) * 57.29577951308232;
    }
  return angles;
}

inline TetFacts tetFacts(const TetLattice& lattice) {
  TetFacts facts;
  const auto at = [&](int32_t p) -> const Vec3& { return lattice.points[p]; };
  // Faces as the tetrahedron turns them, in a cycle that starts with the lowest point.
  const auto cycle = [](int32_t a, int32_t b, int32_t c) -> Triangle {
    if (b < a && b < c) return {b, c, a};
    if (c < a && c < b) return {c, a, b};
    return {a, b, c};
  };
  std::vector<Triangle> faces;
  for (const Tetrahedron& t : lattice.tetrahedra) {
    const Vec3 p[4] = {at(t[0]), at(t[1]), at(t[2]), at(t[3])};
    const double volume = (p[1] - p[0]).dot((p[2] - p[0]).cross(p[3] - p[0])) / 6.0;
    facts.inverted += !(volume > 0);
    facts.volume += volume;
    for (const double angle : dihedralAngles(p)) {
      facts.minAngle = std::min(facts.minAngle, angle);
      facts.maxAngle = std::max(facts.maxAngle, angle);
    }
    faces.push_back(cycle(t[0], t[2], t[1]));
    faces.push_back(cycle(t[0], t[1], t[3]));
    faces.push_back(cycle(t[0], t[3], t[2]));
    faces.push_back(cycle(t[1], t[2], t[3]));
  }
  std::sort(faces.begin(), faces.end());
  std::vector<Triangle> single;
  for (size_t f = 0; f < faces.size(); ++f) {
    facts.badFaces += f > 0 && faces[f] == faces[f - 1];
    const Triangle turned{faces[f][0], faces[f][2], faces[f][1]};
    if (!std::binary_search(faces.begin(), faces.end(), turned)) single.push_back(faces[f]);
  }
  facts.boundaryFaces = single.size();
  std::vector<Triangle> boundary;
  for (const Triangle& t : lattice.boundary) boundary.push_back(cycle(t[0], t[1], t[2]));
  std::sort(boundary.begin(), boundary.end());
  facts.boundaryFits = boundary == single;
  return facts;
}

/// All that must hold of any lattice.
inline void expectSound(const TetLattice& lattice) {
  const TetFacts facts = tetFacts(lattice);
  EXPECT_EQ(facts.inverted, 0u);
  EXPECT_EQ(facts.badFaces, 0u);
  EXPECT_TRUE(facts.boundaryFits);
  EXPECT_GE(facts.minAngle, kLatticeMinDihedral);
  EXPECT_LE(facts.maxAngle, kLatticeMaxDihedral);
  const SurfaceFacts surface = surfaceFacts(latticeBoundary(lattice));
  EXPECT_EQ(surface.badEdges, 0u);
  EXPECT_EQ(surface.badPoints, 0u);
  EXPECT_EQ(surface.repeatedFaces, 0u);
  EXPECT_NEAR(surface.volume, facts.volume, 1e-9 * facts.volume);
  std::vector<uint8_t> used(lattice.points.size(), 0), onBoundary = used;
  for (const Tetrahedron& t : lattice.tetrahedra)
    for (const int32_t p : t) used[p] = 1;
  for (const Triangle& t : lattice.boundary)
    for (const int32_t p : t) onBoundary[p] = 1;
  EXPECT_EQ(std::count(used.begin(), used.end(), 0), 0);
  EXPECT_EQ(onBoundary, lattice.onSurface);
}

}  // namespace hackle::test
