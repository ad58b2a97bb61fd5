#include <hackle/coupling/replace.h>

#include <hackle/core/parallel.h>
#include <hackle/fracture/piece_lists.h>

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>

namespace hackle {

namespace {

// Pieces of a smaller share of the volume are rounding.
constexpr double kLeastShare = 1e-9;

using Vec6 = Eigen::Matrix<double, 6, 1>;
using Mat6 = Eigen::Matrix<double, 6, 6>;

Mat3 crossMatrix(const Vec3& a) {
  Mat3 m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}

void nameAll(Geometry& geometry, const std::string& name) {
  Attribute names("name", Storage::String, 1, geometry.primitiveCount());
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) names.setString(p, name);
  geometry.addAttribute(Owner::Primitive, std::move(names));
}

/// The motion of the parent's material around its own centre of mass.
RigidMotion carried(const CouplingBody& parent, const Vec3& centre, const Vec3& velocity, const Vec3& spin) {
  RigidMotion motion = parent.motion;
  motion.position = toWorld(parent.motion, parent.mass.centre, centre);
  motion.velocity = velocity + spin.cross(motion.position - parent.motion.position);
  motion.spin = spin;
  return motion;
}

/// Velocity and spin, about the parent's centre of mass, with which the fragments have its momentum.
Vec6 balancedMotion(const CouplingBody& parent, const std::vector<Fragment>& fragments) {
  const Mat3& turn = parent.motion.rotation;
  Mat6 inertia = Mat6::Zero();
  for (const Fragment& f : fragments) {
    const Mat3 arm = crossMatrix(turn * (f.mass.centre - parent.mass.centre));
    inertia.topLeftCorner<3, 3>() += f.mass.mass * Mat3::Identity();
    inertia.topRightCorner<3, 3>() -= f.mass.mass * arm;
    inertia.bottomLeftCorner<3, 3>() += f.mass.mass * arm;
    inertia.bottomRightCorner<3, 3>() += turn * f.mass.inertia * turn.transpose() - f.mass.mass * arm * arm;
  }
  Vec6 motion, wanted;
  motion << parent.motion.velocity, parent.motion.spin;
  wanted << parent.mass.mass * parent.motion.velocity,
      turn * parent.mass.inertia * turn.transpose() * parent.motion.spin;
  // Solve for the correction, so that an exact partition and a body at rest keep their motion to the bit.
  const Vec6 missing = wanted - inertia * motion;
  if (missing.norm() <= 1e-14 * wanted.norm()) return motion;
  // Lengths of about 1 m and 1 mm go into one matrix: scale rotations by the body's own size.
  const double size = std::sqrt(parent.mass.inertia.trace() / parent.mass.mass);
  Vec6 scale;
  scale << 1, 1, 1, 1 / size, 1 / size, 1 / size;
  const Mat6 scaled = scale.asDiagonal() * inertia * scale.asDiagonal();
  const Vec6 correction = scale.asDiagonal() * scaled.fullPivLu().solve(scale.asDiagonal() * missing);
  return motion + correction;
}

}  // namespace

Replacement replaceBody(const CouplingBody& parent, const FractureResult& result, Context& context) {
  const FracturePieces& pieces = result.pieces;
  const size_t count = pieces.names.size();
  const std::vector<std::vector<int32_t>> primitives = primitivesOfPieces(pieces);
  Replacement replacement;
  replacement.fragments.resize(count);
  std::vector<double> volumes(count);
  double parentVolume = 0;

  // Geometry and mass of every piece.
  parallelFor(context, count, 1, [&](size_t i) {
    Fragment& f = replacement.fragments[i];
    f.name = fmt::format("{}-{}", parent.name, i);
    f.piece = i;
    f.geometry = pieces.geometry.extract(primitives[i]);
    nameAll(f.geometry, f.name);
    Context quiet;
    quiet.setThreads(1);
    const MassProperties mass = massProperties(triangleMesh(f.geometry), quiet);
    volumes[i] = mass.volume;
    f.mass = rigidMass(mass, parent.material.density);
  });
  for (const double volume : volumes) parentVolume += volume;
  std::vector<Fragment>& fragments = replacement.fragments;
  const auto isCrumb = [&](const Fragment& f) { return !(volumes[f.piece] > kLeastShare * parentVolume); };
  fragments.erase(std::remove_if(fragments.begin(), fragments.end(), isCrumb), fragments.end());
  double sum = 0;
  for (const Fragment& f : fragments) sum += f.mass.mass;
  replacement.massScale = parent.mass.mass / sum;
  for (Fragment& f : fragments) {
    f.mass.mass *= replacement.massScale;
    f.mass.inertia *= replacement.massScale;
    f.kind = fragmentClass(volumes[f.piece], parentVolume, parent.originalVolume);
    f.breakable = f.kind >= FragmentClass::Large && volumes[f.piece] >= parent.limits.minVolume;
    if (f.breakable && f.piece < result.states.size()) f.state = result.states[f.piece];
  }

  // Motion.
  replacement.before = momentumOf(parent.mass, parent.motion);
  const Vec6 motion = balancedMotion(parent, replacement.fragments);
  for (Fragment& f : replacement.fragments) {
    f.motion = carried(parent, f.mass.centre, motion.head<3>(), motion.tail<3>());
    replacement.after += momentumOf(f.mass, f.motion);
  }
  return replacement;
}

}  // namespace hackle
