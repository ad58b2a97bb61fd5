#include <hackle/meshing/surface/thickness.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace hackle {

double solidThickness(const TriangleBvh& surface, double size, const Vec3& place, const Vec3& normal) {
  constexpr double kTilt = 0.45;  // tangent of the angle between the rays and the normal
  constexpr double kSkin = 1e-6;  // of the solid's size: rays begin this far inside
  constexpr double kSixth = 1.0471975511965976;
  const Vec3 inwards = -normal, u = inwards.unitOrthogonal(), v = inwards.cross(u);
  const Vec3 from = place + kSkin * size * inwards;
  std::array<double, 7> lengths;
  for (size_t k = 0; k < lengths.size(); ++k) {
    const double a = kSixth * static_cast<double>(k);
    const Vec3 ray = k == 0 ? inwards : (inwards + kTilt * (std::cos(a) * u + std::sin(a) * v)).normalized();
    const std::optional<RayHit> hit = surface.firstHit({from, ray});
    lengths[k] = hit ? hit->t : std::numeric_limits<double>::infinity();
  }
  std::nth_element(lengths.begin(), lengths.begin() + 3, lengths.end());
  return lengths[3];
}

}  // namespace hackle
