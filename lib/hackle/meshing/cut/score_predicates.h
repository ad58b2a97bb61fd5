// Exact decisions about points, sites and a triangle mesh.
//
// A site i with position p_i has the score s_i(x) = 2 p_i.x - |p_i|^2, linear in x; the site of largest score
// is the nearest one. All questions are about signs of score differences L_ij(x) = s_i(x) - s_j(x) at points
// that are known only by what they are intersections of [Levy10]: a mesh point, a mesh edge with a bisector,
// a triangle with two bisectors, three bisectors. Every sign is exact. Ties are broken by a symbolic
// perturbation of the scores [Edelsbrunner90], s_i + e_i with e_0 >> e_1 >> ... > 0, so no answer is ever
// zero and all answers belong to one diagram in general position.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>
#include <hackle/meshing/cut/exact_number.h>

#include <array>

namespace hackle {

class ScorePredicates {
 public:
  /// The spans must outlive this. Coordinates must be finite, sites distinct. Site indices from sites.size()
  /// on, six of them, stand for the planes of `box`, which must hold all sites strictly inside: -x, +x, -y,
  /// +y, -z, +z.
  ScorePredicates(Span<const Vec3> points, Span<const Vec3> sites, const Box3& box);

  /// Sign of L_ij at a mesh point: 1 if site i's score is larger.
  int atPoint(int32_t point, int32_t i, int32_t j) const;
  /// Sign of L_ik where L_ij vanishes on the edge (a, b), which must cross that bisector.
  int atEdge(int32_t a, int32_t b, int32_t i, int32_t j, int32_t k) const;
  /// Sign of L_il where L_ij and L_ik vanish on the triangle, which must cross that line.
  int atTriangle(const Triangle& t, int32_t i, int32_t j, int32_t k, int32_t l) const;
  /// Sign of L_im where L_ij, L_ik and L_il vanish; j, k, l, m may be planes of the box.
  int atVertex(int32_t i, int32_t j, int32_t k, int32_t l, int32_t m) const;
  /// The vertex of i, j, k, l relative to p_i, as numerators and a common denominator; the plane of i and m
  /// relative to p_i, as normal and offset. `atVertex` from these, where their error bounds decide it.
  using Form = std::array<Bounded, 4>;
  Form vertexForm(int32_t i, int32_t j, int32_t k, int32_t l) const;
  Form planeForm(int32_t i, int32_t m) const;
  /// The sign, or 2 if it is open.
  static int sign(const Form& vertex, const Form& plane);
  /// Along the line L_ij = L_ik = 0 in the direction (p_j - p_i) x (p_k - p_i): -1 if it meets triangle s
  /// before t, 1 if after, 0 if both lie in one plane. It must cross both.
  int orderAlong(int32_t i, int32_t j, int32_t k, const Triangle& s, const Triangle& t) const;

  /// Where the edge (a, b) meets the bisector of i and j: the part of b, 0 to 1. Rounded once, the same for
  /// (b, a) up to 1 - x.
  double edgeParameter(int32_t a, int32_t b, int32_t i, int32_t j) const;
  /// Barycentric coordinates of the point where the triangle meets the line of i, j, k.
  Vec3 triangleParameter(const Triangle& t, int32_t i, int32_t j, int32_t k) const;
  /// The vertex of i, j, k, l. Depends on the set alone.
  Vec3 vertexPosition(int32_t i, int32_t j, int32_t k, int32_t l) const;

  size_t siteCount() const { return mSites.size(); }
  bool isBoxPlane(int32_t site) const { return static_cast<size_t>(site) >= mSites.size(); }

 private:
  template <class T>
  T coordinate(const Vec3& p, int c) const;
  template <class T>
  T difference(int32_t i, int32_t j, int32_t point) const;
  template <class T>
  void plane(int32_t i, int32_t m, T (&normalAndOffset)[4]) const;
  template <class T>
  T volume(const Triangle& t, int32_t point) const;

  Span<const Vec3> mPoints;
  Span<const Vec3> mSites;
  Box3 mBox;
  ExactCoordinates mExact;
};

}  // namespace hackle
