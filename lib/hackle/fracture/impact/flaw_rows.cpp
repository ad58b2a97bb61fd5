#include <hackle/fracture/impact/flaw_rows.h>

#include <hackle/core/memo.h>
#include <hackle/core/parallel.h>
#include <hackle/meshing/lattice/tet_locator.h>
#include <hackle/meshing/surface/surface_distance.h>

#include <cmath>

namespace hackle {

namespace {

/// Two axes of the surface at a flaw.
struct SurfaceAxes {
  explicit SurfaceAxes(const Vec3& normal) : a(normal.unitOrthogonal()), b(normal.cross(a)) {}
  Vec3 a, b;
};

}  // namespace

double StressComponents::squaredNorm() const {
  const size_t shears = count == 3 ? 2 : 3;
  double sum = 0;
  for (size_t k = 0; k < count; ++k) {
    const double s = static_cast<double>(values[k]);
    sum += (k < shears ? 1 : 2) * s * s;
  }
  return sum;
}

StressComponents FlawRows::componentsOf(size_t flaw, const StressVector& stress) const {
  StressComponents result;
  if (componentCount(flaw) == 6) {
    for (int k = 0; k < 6; ++k) result.values[static_cast<size_t>(k)] = static_cast<float>(stress[k]);
    return result;
  }
  const SurfaceAxes axes(flaws[flaw].normal);
  const Mat3 tensor = stressTensor(stress);
  result.count = 3;
  result.values[0] = static_cast<float>(axes.a.dot(tensor * axes.a));
  result.values[1] = static_cast<float>(axes.b.dot(tensor * axes.b));
  result.values[2] = static_cast<float>(axes.a.dot(tensor * axes.b));
  return result;
}

Mat3 FlawRows::tensorOf(size_t flaw, const float* components) const {
  const auto part = [&](int k) { return static_cast<double>(components[k]); };
  if (componentCount(flaw) == 6) {
    StressVector stress;
    for (int k = 0; k < 6; ++k) stress[k] = part(k);
    return stressTensor(stress);
  }
  const SurfaceAxes axes(flaws[flaw].normal);
  return part(0) * axes.a * axes.a.transpose() + part(1) * axes.b * axes.b.transpose() +
         part(2) * (axes.a * axes.b.transpose() + axes.b * axes.a.transpose());
}

StressComponents FlawRows::pullsOf(size_t flaw, const Vec3& v) const {
  StressVector products;
  products << v.x() * v.x(), v.y() * v.y(), v.z() * v.z(), v.y() * v.z(), v.x() * v.z(), v.x() * v.y();
  StressComponents pulls = componentsOf(flaw, products);
  for (size_t k = pulls.count == 3 ? 2 : 3; k < pulls.count; ++k) pulls.values[k] *= 2;
  return pulls;
}

size_t FlawRows::bytes() const {
  return bytesOf(flaws) + bytesOf(places) + bytesOf(tetrahedra) + bytesOf(rows) + bytesOf(starts) +
         sizeof(float) * static_cast<size_t>(norms.size());
}

FlawRows flawRows(const ModalBody& body, std::vector<Flaw> flaws, Context& context) {
  FlawRows result;
  result.flaws = std::move(flaws);
  const size_t count = result.flaws.size(), modes = body.modes();
  result.places.resize(count);
  result.tetrahedra.assign(count, -1);
  result.norms.setZero(static_cast<Eigen::Index>(modes), static_cast<Eigen::Index>(count));
  int64_t size = 0;
  for (size_t i = 0; i < count; ++i) {
    result.starts.push_back(size);
    size += static_cast<int64_t>(modes * result.componentCount(i));
  }
  result.rows.assign(static_cast<size_t>(size), 0);
  const TetLocator locator(body.points(), body.tetrahedra(), context);
  parallelFor(context, count, 32, [&](size_t i) {
    const std::optional<TetPlace> at = locator.find(result.flaws[i].position);
    if (!at) return;  // rounding at the cage
    result.tetrahedra[i] = at->tetrahedron;
    result.places[i] = {body.tetrahedra()[at->tetrahedron], at->weights};
    float* row = result.rows.data() + result.starts[i];
    for (Eigen::Index m = 0; m < static_cast<Eigen::Index>(modes); ++m) {
      const StressComponents components =
          result.componentsOf(i, atPlace(body.stressRows(), result.places[i], m));
      row = std::copy_n(components.values.begin(), components.count, row);
      const double frequency = body.frequencies()[m];
      result.norms(m, static_cast<Eigen::Index>(i)) =
          static_cast<float>(components.squaredNorm() / (frequency * frequency));
    }
  });
  return result;
}

std::vector<Flaw> uniformFlaws(const ModalBody& body, const Solid& solid, double strength,
                               const PaintedFactor& paint, Context& context) {
  std::vector<uint8_t> filled(body.points().size(), 0);
  for (size_t t = 0; t < body.tetrahedra().size(); ++t)
    if (body.parts()[t].share > 0)
      for (const int32_t p : body.tetrahedra()[t]) filled[p] = 1;
  const SurfaceDistance distance(solid.mesh, context);
  std::vector<Flaw> all(body.points().size());
  parallelFor(context, all.size(), 64, [&](size_t p) {
    const Vec3& x = body.points()[p];
    if (!filled[p]) return;
    all[p].position = distance.inside(x) ? x : solid.bvh.closestPoint(x).point;
    all[p].strength = strength * (paint ? paint(all[p].position) : 1.0);
  });
  std::vector<Flaw> flaws;
  for (const Flaw& flaw : all)
    if (flaw.strength > 0) flaws.push_back(flaw);
  return flaws;
}

Mat3 stressWithin(const Mat3& stress, const Vec3& normal) {
  if (normal.isZero()) return stress;
  const Mat3 within = Mat3::Identity() - normal * normal.transpose();
  return within * stress * within;
}

}  // namespace hackle
