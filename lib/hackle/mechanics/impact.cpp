#include <hackle/core/error.h>
#include <hackle/mechanics/impact.h>

#include <fmt/format.h>

#include <cmath>

namespace hackle {

std::vector<Impact> impactsOnSurface(Span<const Impact> impacts, const TriangleBvh& surface) {
  constexpr double kReach = 0.1;  // of the diagonal: a hit farther off is a mistake
  const double reach = kReach * surface.bounds().diagonal();
  std::vector<Impact> result(impacts.begin(), impacts.end());
  for (size_t i = 0; i < result.size(); ++i) {
    Impact& impact = result[i];
    const std::string name = fmt::format("impact {}", i + 1);
    if (!(impact.direction.norm() > 0) || !impact.direction.allFinite())
      throw Error(ErrorCode::Usage, name + " has no direction", "give dir a length above 0, such as 0,-1,0");
    if (!(impact.impulse >= 0))
      throw Error(ErrorCode::Usage, fmt::format("{} has an impulse of {:.4g} N s", name, impact.impulse),
                  "give 0 or more and turn dir instead");
    const ClosestPoint closest = surface.closestPoint(impact.position);
    const double distance = std::sqrt(closest.squaredDistance);
    if (!(distance <= reach))
      throw Error(ErrorCode::BadInput,
                  fmt::format("{} at ({:.4g}, {:.4g}, {:.4g}) is {:.4g} m from the surface", name,
                              impact.position.x(), impact.position.y(), impact.position.z(), distance),
                  fmt::format("move it to within {:.4g} m", reach));
    impact.position = closest.point;
    impact.direction.normalize();
  }
  return result;
}

}  // namespace hackle
