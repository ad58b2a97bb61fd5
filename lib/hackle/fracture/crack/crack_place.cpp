#include <hackle/fracture/crack/crack_place.h>
#include <hackle/geometry/transform.h>

#include <cmath>

namespace hackle {

Vec3 localOrigin(const Box3& bounds) {
  constexpr double kNear = 64;  // sizes from the origin up to which a solid keeps its frame
  if (bounds.empty()) return Vec3::Zero();
  const double size = bounds.size().maxCoeff();
  const Vec3 centre = bounds.centre();
  if (!(size > 0) || !(centre.cwiseAbs().maxCoeff() > kNear * size)) return Vec3::Zero();
  const double grid = std::exp2(std::ceil(std::log2(size)));
  return grid * (centre / grid).array().round().matrix();
}

void moveBack(const Vec3& origin, Geometry& geometry, Context& context) {
  if (!origin.isZero(0)) transformGeometry(geometry, Mat3::Identity(), origin, context);
}

void moveBack(const Vec3& origin, FracturePieces& pieces, Context& context) {
  moveBack(origin, pieces.geometry, context);
  for (Vec3& centre : pieces.centre) centre += origin;
}

SolidPtr movedTo(const Vec3& origin, const SolidPtr& solid, Context& context) {
  if (origin.isZero(0)) return solid;
  Geometry geometry = solid->geometry;
  moveBack(-origin, geometry, context);
  return Solid::ofChecked(std::move(geometry), context);
}

CrackEngineOptions movedTo(const Vec3& origin, CrackEngineOptions options, Context& context) {
  // Fields stay in the world: they are asked there.
  options.origin = origin;
  for (BoundaryCondition& condition : options.conditions)
    for (Vec3* place : {&condition.region.low, &condition.region.high, &condition.region.at})
      *place -= origin;
  for (InitialCrack& crack : options.initial) crack.at -= origin;
  if (options.sheets) moveBack(-origin, *options.sheets, context);
  if (options.mesh) moveBack(-origin, *options.mesh, context);
  return options;
}

LoadCase movedTo(const Vec3& origin, LoadCase load) {
  for (Impact& impact : load.impacts) impact.position -= origin;
  for (SteadyForce& force : load.steady) force.position -= origin;
  return load;
}

}  // namespace hackle
