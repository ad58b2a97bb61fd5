// Double integrals of the kernels over pairs of triangles.
#pragma once

#include <hackle/bem/surface.h>
#include <hackle/bem/triangle_potential.h>
#include <hackle/bem/triangle_rules.h>
#include <hackle/core/context.h>

#include <array>
#include <vector>

namespace hackle {

struct QuadratureOptions {
  /// Relative error of a pair of triangles; 1e-5 keeps the laws of the operators (patch test) to 1e-5 and
  /// better.
  double tolerance = 1e-5;
  /// For reference solutions: patch test to 1e-8.
  static QuadratureOptions high() { return {1e-11}; }
};

/// What V, K and D need of two triangles f (point x) and g (point y), d = x - y, r = |d|; independent of the
/// material. README eq. 2.
struct PairIntegrals {
  double L = 0;                 // 1 / (4π r), m^3
  std::array<double, 6> R{};    // d dᵀ / r³: xx, yy, zz, xy, yz, zx, m^3
  std::array<double, 3> Kfg{};  // d·n_g φ_v(y) / (4π r³), φ_v the hats of g, m^2
  std::array<double, 3> Kgf{};  // -d·n_f φ_v(x) / (4π r³), φ_v the hats of f, m^2
};
constexpr size_t kPairNumbers = 13;  // in the order above

/// Integrates pairs: those that touch by exact inner integrals and adaptive quadrature along an edge, near
/// ones by exact inner integrals and adaptive quadrature over the smaller triangle, the rest by products of
/// Gauss rules whose degree falls with distance, four pairs at a time. Threads may share it. The surface has
/// to outlive it; triangles added later are not seen.
class PairIntegrator {
 public:
  /// The context, if given, has to outlive it: pairs that take long then throw Error(Cancelled).
  PairIntegrator(const BemSurface& surface, const QuadratureOptions& options,
                 const Context* context = nullptr);

  /// One pair, by whatever method fits.
  PairIntegrals pair(size_t f, size_t g) const;

  /// All of `fs` against g: number k of pair (fs[i], g) goes to out[k * stride + i].
  void column(Span<const int32_t> fs, size_t g, double* out, size_t stride) const;

  size_t memoryBytes() const;

 private:
  struct FarRule {
    const TriangleRule* rule;
    double reach;                // (distance - other's radius) / radius from which it is exact enough
    std::vector<double> points;  // x, y, z of all points of all triangles
  };
  PairIntegrals touching(size_t f, size_t g, const SharedCorners& shared) const;
  PairIntegrals near(size_t f, size_t g) const;
  void far(const int32_t* fs, size_t count, size_t g, size_t ruleF, size_t ruleG, const size_t* places,
           double* out, size_t stride) const;
  /// Index into mFar for both triangles, f * 16 + g, or kNear.
  int method(size_t f, size_t g) const;
  TrianglePotential potential(size_t t) const;

  const BemSurface& mSurface;
  double mTolerance;
  const Context* mContext;
  std::vector<FarRule> mFar;  // falling degree
};

}  // namespace hackle
