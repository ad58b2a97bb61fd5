#include <hackle/meshing/cut/score_predicates.h>

#include <hackle/core/error.h>
#include <hackle/meshing/cut/exact_number.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace hackle {

namespace {

/// Sign of an infinitesimal sum: `terms` are (site, coefficient) of its perturbation e_site, e_0 >> e_1 >>
/// ...
template <size_t N>
int signOfPerturbation(std::array<std::pair<int32_t, ExactInt>, N> terms) {
  std::sort(terms.begin(), terms.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [site, coefficient] : terms)
    if (coefficient.sign() != 0) return coefficient.sign();
  HACKLE_ASSERT(!"the perturbation leaves a tie");
}

}  // namespace

ScorePredicates::ScorePredicates(Span<const Vec3> points, Span<const Vec3> sites, const Box3& box)
    : mPoints(points), mSites(sites), mBox(box) {
  for (const Vec3& p : points) mExact.include(p);
  for (const Vec3& p : sites) mExact.include(p);
  mExact.include(box.min);
  mExact.include(box.max);
}

template <class T>
T ScorePredicates::coordinate(const Vec3& p, int c) const {
  return mExact.get<T>(p[c]);
}

/// L_ij at a mesh point, as (p_i - p_j) . ((x - p_i) + (x - p_j)).
template <class T>
T ScorePredicates::difference(int32_t i, int32_t j, int32_t point) const {
  const Vec3& x = mPoints[point];
  const Vec3& p = mSites[i];
  const Vec3& q = mSites[j];
  T sum = T(0);
  for (int c = 0; c < 3; ++c) {
    const T xc = coordinate<T>(x, c), pc = coordinate<T>(p, c), qc = coordinate<T>(q, c);
    sum = sum + (pc - qc) * ((xc - pc) + (xc - qc));
  }
  return sum;
}

/// L_im(p_i + y) = normal . y + offset.
template <class T>
void ScorePredicates::plane(int32_t i, int32_t m, T (&row)[4]) const {
  const Vec3& p = mSites[i];
  if (isBoxPlane(m)) {
    const int side = m - static_cast<int32_t>(mSites.size());
    const int axis = side / 2;
    for (int c = 0; c < 3; ++c) row[c] = T(c != axis ? 0 : side % 2 == 0 ? 1 : -1);
    row[3] = side % 2 == 0 ? T(coordinate<T>(p, axis) - coordinate<T>(mBox.min, axis))
                           : T(coordinate<T>(mBox.max, axis) - coordinate<T>(p, axis));
    return;
  }
  const Vec3& q = mSites[m];
  row[3] = T(0);
  for (int c = 0; c < 3; ++c) {
    const T d = coordinate<T>(p, c) - coordinate<T>(q, c);
    row[c] = d + d;
    row[3] = row[3] + d * d;
  }
}

/// Six times the signed volume of (triangle, point): positive on the side of the triangle's normal.
template <class T>
T ScorePredicates::volume(const Triangle& t, int32_t point) const {
  T rows[3][3];
  const Vec3& origin = mPoints[t[0]];
  const int32_t ends[3] = {t[1], t[2], point};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) rows[r][c] = coordinate<T>(mPoints[ends[r]], c) - coordinate<T>(origin, c);
  return determinant3(rows[0], rows[1], rows[2]);
}

int ScorePredicates::atPoint(int32_t point, int32_t i, int32_t j) const {
  int sign = difference<Bounded>(i, j, point).sign();
  if (sign == 2) sign = difference<ExactInt>(i, j, point).sign();
  return sign != 0 ? sign : i < j ? 1 : -1;
}

int ScorePredicates::atEdge(int32_t a, int32_t b, int32_t i, int32_t j, int32_t k) const {
  // With A, B = L_ij and C, D = L_ik at a and b, the point has L_ik = (A D - B C) / (A - B).
  const auto signs = [&](auto tag) {
    using T = decltype(tag);
    const T A = difference<T>(i, j, a), B = difference<T>(i, j, b);
    const T C = difference<T>(i, k, a), D = difference<T>(i, k, b);
    return std::make_pair(T(A * D - B * C), T(A - B));
  };
  const auto bounded = signs(Bounded());
  const int top = bounded.first.sign(), bottom = bounded.second.sign();
  if (std::abs(top) == 1 && std::abs(bottom) == 1) return top * bottom;
  const auto exact = signs(ExactInt());
  HACKLE_ASSERT(exact.second.sign() != 0);
  if (exact.first.sign() != 0) return exact.first.sign() * exact.second.sign();
  // Perturbed: + (e_i - e_j)(D - C) + (e_i - e_k)(A - B).
  const ExactInt u = difference<ExactInt>(i, k, b) - difference<ExactInt>(i, k, a), w = exact.second;
  return exact.second.sign() * signOfPerturbation<3>({{{i, u + w}, {j, -u}, {k, -w}}});
}

int ScorePredicates::atTriangle(const Triangle& t, int32_t i, int32_t j, int32_t k, int32_t l) const {
  const auto row = [&](auto tag, int32_t q, auto& r) {
    using T = decltype(tag);
    for (int c = 0; c < 3; ++c) r[c] = difference<T>(i, q, t[c]);
  };
  {
    Bounded rj[3], rk[3], rl[3];
    const Bounded ones[3] = {1.0, 1.0, 1.0};
    row(Bounded(), j, rj), row(Bounded(), k, rk), row(Bounded(), l, rl);
    const int top = determinant3(rj, rk, rl).sign(), bottom = determinant3(rj, rk, ones).sign();
    if (std::abs(top) == 1 && std::abs(bottom) == 1) return top * bottom;
  }
  ExactInt rj[3], rk[3], rl[3];
  const ExactInt ones[3] = {1, 1, 1};
  row(ExactInt(), j, rj), row(ExactInt(), k, rk), row(ExactInt(), l, rl);
  const ExactInt bottom = determinant3(rj, rk, ones);
  HACKLE_ASSERT(bottom.sign() != 0);
  const int top = determinant3(rj, rk, rl).sign();
  if (top != 0) return top * bottom.sign();
  const ExactInt cj = determinant3(ones, rk, rl), ck = determinant3(rj, ones, rl);
  return bottom.sign() * signOfPerturbation<4>({{{i, cj + ck + bottom}, {j, -cj}, {k, -ck}, {l, -bottom}}});
}

int ScorePredicates::atVertex(int32_t i, int32_t j, int32_t k, int32_t l, int32_t m) const {
  const int certain = sign(vertexForm(i, j, k, l), planeForm(i, m));
  if (certain != 2) return certain;
  // Cofactors of the offsets in the 4 x 4 determinant of the planes; the last is that of the vertex itself.
  ExactInt rows[4][4], n[4][3];
  const int32_t sites[4] = {j, k, l, m};
  for (int r = 0; r < 4; ++r) {
    plane(i, sites[r], rows[r]);
    for (int e = 0; e < 3; ++e) n[r][e] = rows[r][e];
  }
  const ExactInt c[4] = {-determinant3(n[1], n[2], n[3]), determinant3(n[0], n[2], n[3]),
                         -determinant3(n[0], n[1], n[3]), determinant3(n[0], n[1], n[2])};
  const int bottom = c[3].sign();
  HACKLE_ASSERT(bottom != 0);
  const ExactInt sum = c[0] * rows[0][3] + c[1] * rows[1][3] + c[2] * rows[2][3] + c[3] * rows[3][3];
  const int top = sum.sign();
  if (top != 0) return top * bottom;
  const ExactInt all = c[0] + c[1] + c[2] + c[3];
  return bottom * signOfPerturbation<5>({{{i, all}, {j, -c[0]}, {k, -c[1]}, {l, -c[2]}, {m, -c[3]}}});
}

ScorePredicates::Form ScorePredicates::planeForm(int32_t i, int32_t m) const {
  Bounded row[4];
  plane(i, m, row);
  return {row[0], row[1], row[2], row[3]};
}

ScorePredicates::Form ScorePredicates::vertexForm(int32_t i, int32_t j, int32_t k, int32_t l) const {
  // Cramer's rule for normal . y = -offset: y = -(d_j n_k x n_l + d_k n_l x n_j + d_l n_j x n_k) / n_j . n_k
  // x n_l.
  Bounded rows[3][4];
  plane(i, j, rows[0]), plane(i, k, rows[1]), plane(i, l, rows[2]);
  Form form;
  for (size_t c = 0; c < 3; ++c) {
    const size_t u = (c + 1) % 3, v = (c + 2) % 3;
    Bounded minors[3];
    for (size_t r = 0; r < 3; ++r) {
      const auto& p = rows[(r + 1) % 3];
      const auto& q = rows[(r + 2) % 3];
      minors[r] = p[u] * q[v] - p[v] * q[u];
    }
    form[c] = -(rows[0][3] * minors[0] + rows[1][3] * minors[1] + rows[2][3] * minors[2]);
    if (c == 0) form[3] = rows[0][0] * minors[0] + rows[1][0] * minors[1] + rows[2][0] * minors[2];
  }
  return form;
}

int ScorePredicates::sign(const Form& vertex, const Form& plane) {
  const int bottom = vertex[3].sign();
  if (std::abs(bottom) != 1) return 2;
  const int top =
      (plane[0] * vertex[0] + plane[1] * vertex[1] + plane[2] * vertex[2] + plane[3] * vertex[3]).sign();
  return std::abs(top) == 1 ? top * bottom : 2;
}

int ScorePredicates::orderAlong(int32_t i, int32_t j, int32_t k, const Triangle& s, const Triangle& t) const {
  // The crossing with s has barycentric coordinates r_j x r_k / D_s; its height over t is their product with
  // the heights of the corners of s. The line runs to the side of t's normal if D_t > 0.
  const auto rows = [&](auto tag, const Triangle& of, auto& rj, auto& rk) {
    using T = decltype(tag);
    for (int c = 0; c < 3; ++c) {
      rj[c] = difference<T>(i, j, of[c]);
      rk[c] = difference<T>(i, k, of[c]);
    }
  };
  {
    Bounded rj[3], rk[3], tj[3], tk[3], height[3];
    const Bounded ones[3] = {1.0, 1.0, 1.0};
    rows(Bounded(), s, rj, rk), rows(Bounded(), t, tj, tk);
    for (int c = 0; c < 3; ++c) height[c] = volume<Bounded>(t, s[c]);
    const int signs[3] = {determinant3(rj, rk, height).sign(), determinant3(rj, rk, ones).sign(),
                          determinant3(tj, tk, ones).sign()};
    if (std::abs(signs[0]) == 1 && std::abs(signs[1]) == 1 && std::abs(signs[2]) == 1)
      return signs[0] * signs[1] * signs[2];
  }
  ExactInt rj[3], rk[3], tj[3], tk[3], height[3];
  const ExactInt ones[3] = {1, 1, 1};
  rows(ExactInt(), s, rj, rk), rows(ExactInt(), t, tj, tk);
  for (int c = 0; c < 3; ++c) height[c] = volume<ExactInt>(t, s[c]);
  const int directions = determinant3(rj, rk, ones).sign() * determinant3(tj, tk, ones).sign();
  HACKLE_ASSERT(directions != 0);
  const int top = determinant3(rj, rk, height).sign();
  if (top != 0) return top * directions;
  const ExactInt cj = determinant3(ones, rk, height), ck = determinant3(rj, ones, height);
  if (cj.sign() == 0 && ck.sign() == 0) return 0;
  return directions * signOfPerturbation<3>({{{i, cj + ck}, {j, -cj}, {k, -ck}}});
}

double ScorePredicates::edgeParameter(int32_t a, int32_t b, int32_t i, int32_t j) const {
  if (a > b) return 1.0 - edgeParameter(b, a, i, j);
  if (i > j) std::swap(i, j);
  const double A = difference<Bounded>(i, j, a).value, B = difference<Bounded>(i, j, b).value;
  const double width = A - B;
  return width != 0.0 ? std::clamp(A / width, 0.0, 1.0) : 0.5;
}

Vec3 ScorePredicates::triangleParameter(const Triangle& t, int32_t i, int32_t j, int32_t k) const {
  std::array<int32_t, 3> sites{i, j, k};
  std::sort(sites.begin(), sites.end());
  Vec3 r, q;
  for (int c = 0; c < 3; ++c) {
    r[c] = difference<Bounded>(sites[0], sites[1], t[c]).value;
    q[c] = difference<Bounded>(sites[0], sites[2], t[c]).value;
  }
  Vec3 weights = r.cross(q);
  const double total = weights.sum();
  if (total == 0.0 || !std::isfinite(1.0 / total)) return Vec3::Constant(1.0 / 3);
  weights = (weights / total).cwiseMax(0.0);
  return weights / weights.sum();
}

Vec3 ScorePredicates::vertexPosition(int32_t i, int32_t j, int32_t k, int32_t l) const {
  // Seen from each of the sites in turn, the same vertex; the one with the least rounding counts. (From afar,
  // the bisectors with a tight cluster are all but parallel; from inside the cluster they are not.)
  std::array<int32_t, 4> sites{i, j, k, l};
  std::sort(sites.begin(), sites.end());
  Vec3 x = mBox.centre();
  double least = std::numeric_limits<double>::infinity();
  for (size_t base = 0; base < 4 && !isBoxPlane(sites[base]); ++base) {
    const Form form =
        vertexForm(sites[base], sites[(base + 1) % 4], sites[(base + 2) % 4], sites[(base + 3) % 4]);
    const double error = form[3].error / std::abs(form[3].value);
    if (!(error < least)) continue;
    least = error;
    x = mSites[sites[base]] + Vec3(form[0].value, form[1].value, form[2].value) / form[3].value;
  }
  if (!x.allFinite()) return mBox.centre();
  return x.cwiseMax(mBox.min).cwiseMin(mBox.max);
}

}  // namespace hackle
