#include <hackle/core/pi.h>
#include <hackle/fracture/impact/growth.h>

#include <cmath>

namespace hackle {

double shieldedShare(double a, double z) {
  if (!(a > 0)) return 1;
  const double sum = a * a + z * z;
  return 1 - 2 / kPi * (std::atan2(a, z) - a * z / sum + 2 * a * a * a * z / (sum * sum));
}

double crackEnergy(const ElasticMaterial& material, double toughness) {
  return toughness * toughness * (1 - material.poisson * material.poisson) / material.young;
}

}  // namespace hackle
