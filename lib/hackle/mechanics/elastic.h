// Linear, isotropic elasticity: a material's numbers and what follows from them.
#pragma once

#include <hackle/geometry/vec.h>

namespace hackle {

struct ElasticMaterial {
  double young = 70e9;      // Pa
  double poisson = 0.22;    // none; above -1 and below 0.5
  double density = 2500.0;  // kg/m^3
};

/// Error(Usage) that names the number which no elastic solid has: E <= 0, nu outside (-1, 0.5), density <= 0,
/// or not finite.
void checkMaterial(const ElasticMaterial& material);

/// Pa, mu = E / (2 (1 + nu)).
double shearModulus(const ElasticMaterial& material);
/// Pa, lambda = E nu / ((1 + nu) (1 - 2 nu)), Lame's first parameter.
double lameParameter(const ElasticMaterial& material);
/// m/s, sqrt((lambda + 2 mu) / density).
double pressureWaveSpeed(const ElasticMaterial& material);
/// m/s, sqrt(mu / density).
double shearWaveSpeed(const ElasticMaterial& material);
/// m/s, of waves along a free surface: the root of Rayleigh's equation, about 0.87 to 0.96 of the shear
/// wave's. Cracks do not run faster.
double rayleighWaveSpeed(const ElasticMaterial& material);

/// Pa, the stress of a strain (or of a displacement gradient, whose rotation is left out):
/// lambda tr(e) I + 2 mu e.
Mat3 stressOf(const ElasticMaterial& material, const Mat3& gradient);

}  // namespace hackle
