#include <hackle/core/error.h>
#include <hackle/mechanics/elastic.h>

#include <fmt/format.h>

#include <cmath>

namespace hackle {

void checkMaterial(const ElasticMaterial& material) {
  const auto refuse = [](const char* name, double value, const char* remedy) {
    throw Error(ErrorCode::Usage, fmt::format("{} is {}", name, value), remedy);
  };
  if (!(material.young > 0) || !std::isfinite(material.young))
    refuse("Young's modulus", material.young, "give a positive number of pascals, 70e9 for glass");
  if (!(material.poisson > -1) || !(material.poisson < 0.5))
    refuse("Poisson's ratio", material.poisson,
           "it has to be above -1 and below 0.5 (0.5 would be incompressible; 0.499 is as close as is "
           "sensible)");
  if (!(material.density > 0) || !std::isfinite(material.density))
    refuse("the density", material.density, "give a positive number of kg/m^3, 2500 for glass");
}

double shearModulus(const ElasticMaterial& material) { return material.young / (2 * (1 + material.poisson)); }

double lameParameter(const ElasticMaterial& material) {
  return material.young * material.poisson / ((1 + material.poisson) * (1 - 2 * material.poisson));
}

double pressureWaveSpeed(const ElasticMaterial& material) {
  return std::sqrt((lameParameter(material) + 2 * shearModulus(material)) / material.density);
}

double shearWaveSpeed(const ElasticMaterial& material) {
  return std::sqrt(shearModulus(material) / material.density);
}

double rayleighWaveSpeed(const ElasticMaterial& material) {
  // With x = (c / c_s)^2 and k = (c_s / c_p)^2: x^3 - 8 x^2 + (24 - 16 k) x - 16 (1 - k) = 0, which rises
  // from -16 (1 - k) at 0 to 1 at 1 and has one root between.
  const double k = (1 - 2 * material.poisson) / (2 * (1 - material.poisson));
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double x = 0.5 * (low + high);
    const double value = ((x - 8) * x + 24 - 16 * k) * x - 16 * (1 - k);
    (value < 0 ? low : high) = x;
  }
  return std::sqrt(low) * shearWaveSpeed(material);
}

Mat3 stressOf(const ElasticMaterial& material, const Mat3& gradient) {
  const double mu = shearModulus(material);
  return lameParameter(material) * gradient.trace() * Mat3::Identity() +
         mu * (gradient + gradient.transpose());
}

}  // namespace hackle
