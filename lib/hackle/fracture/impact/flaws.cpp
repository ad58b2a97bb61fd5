#include <hackle/fracture/impact/flaws.h>

#include <hackle/core/error.h>
#include <hackle/core/random.h>

#include <fmt/format.h>

#include <cmath>

namespace hackle {

namespace {

constexpr double kTurn = 6.283185307179586;

/// A line through a ball, uniform among all that meet it.
Ray randomLine(const Vec3& centre, double radius, Random& random) {
  const double z = random.uniform(-1, 1), turn = kTurn * random.uniform(), ring = std::sqrt(1 - z * z);
  const Vec3 along(ring * std::cos(turn), ring * std::sin(turn), z);
  const Vec3 side = along.unitOrthogonal();
  const double off = radius * std::sqrt(random.uniform()), around = kTurn * random.uniform();
  Ray ray;
  ray.direction = along;
  ray.origin =
      centre + off * (std::cos(around) * side + std::sin(around) * along.cross(side)) - 2 * radius * along;
  return ray;
}

/// Hits of a line by pairs: where it enters and leaves the solid. Hits on shared edges that come twice are
/// one.
std::vector<RayHit> crossings(const TriangleBvh& bvh, const Ray& line) {
  std::vector<RayHit> result;
  for (const RayHit& hit : bvh.allHits(line)) {
    const bool wanted = result.size() % 2 == 0;
    if (hit.front == wanted) result.push_back(hit);
  }
  return result;
}

Vec3 normalOf(const TriangleMesh& mesh, int32_t triangle) {
  const Triangle& c = mesh.triangles[triangle];
  const Vec3& p = mesh.points[c[0]];
  return (mesh.points[c[1]] - p).cross(mesh.points[c[2]] - p).normalized();
}

double paint(const PaintedFactor& factor, const Vec3& x, const char* what) {
  if (!factor) return 1;
  const double value = factor(x);
  if (!(value >= 0) || !std::isfinite(value))
    throw Error(
        ErrorCode::BadInput,
        fmt::format("the painted {} is {} at ({:.4g}, {:.4g}, {:.4g})", what, value, x.x(), x.y(), x.z()),
        "paint numbers of 0 or more, 1 where nothing is special");
  return value;
}

void addFlaws(std::vector<Flaw>& flaws, const std::vector<Flaw>& places, double characteristic,
              const FlawOptions& options, uint64_t stream) {
  Random random(options.seed, stream);
  double sum = 0;
  for (const Flaw& place : places) {
    sum += -std::log(1 - random.uniform());
    const double density = paint(options.densityPaint, place.position, "flaw density");
    if (!(density > 0)) continue;
    // Many times as many flaws are flaws that are weaker by the same factor to the power of -1/modulus.
    const double strength = characteristic * std::pow(sum / density, 1 / options.modulus) *
                            paint(options.strengthPaint, place.position, "strength");
    flaws.push_back({place.position, strength, place.normal});
  }
}

}  // namespace

std::vector<Flaw> flawPopulation(const Solid& solid, const FlawOptions& options, Context& context) {
  if (!(options.strength > 0))
    throw Error(ErrorCode::Usage, "strength is 0: everything would break", "give one above 0, or a preset");
  const Box3 box = solid.bvh.bounds();
  const Vec3 centre = box.centre();
  const double radius = 0.5 * box.diagonal() * (1 + 1e-9);
  const size_t inner = options.count / 4;
  std::vector<Flaw> surface, inside;
  // A line meets a thin body seldom: stop at some number of lines rather than never.
  const size_t most = 400 * (options.count + 16);
  for (size_t line = 0; line < most && (surface.size() < options.count || inside.size() < inner); ++line) {
    if (line % 256 == 0) context.checkCancel();
    Random random(options.seed, line + 16);
    const Ray ray = randomLine(centre, radius, random);
    const std::vector<RayHit> hits = crossings(solid.bvh, ray);
    for (const RayHit& hit : hits)
      if (surface.size() < options.count)
        surface.push_back({ray.origin + hit.t * ray.direction, 0, normalOf(solid.mesh, hit.triangle)});
    // A place of the chord for every stretch of it as long as the ball's radius, on average.
    for (size_t i = 0; i + 1 < hits.size(); i += 2) {
      const double length = hits[i + 1].t - hits[i].t;
      for (double left = length / radius; left > 0; left -= 1)
        if (random.uniform() < left && inside.size() < inner)
          inside.push_back(
              {ray.origin + (hits[i].t + length * random.uniform()) * ray.direction, 0, Vec3::Zero()});
    }
  }
  std::vector<Flaw> flaws;
  const double size = options.area ? *options.area / solid.mass.area : 1.0;
  const double characteristic = options.strength * std::pow(size, 1 / options.modulus);
  addFlaws(flaws, surface, characteristic, options, 1);
  addFlaws(flaws, inside, characteristic * options.interior, options, 2);
  return flaws;
}

}  // namespace hackle
