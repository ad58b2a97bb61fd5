#include <hackle/mechanics/body_force.h>

namespace hackle {

namespace {

/// [v]×, the matrix of v × r.
Mat3 crossMatrix(const Vec3& v) {
  Mat3 m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

/// Pa, of waves of pressure: λ + 2 μ.
double pressureModulus(const ElasticMaterial& material) {
  return lameParameter(material) + 2 * shearModulus(material);
}

}  // namespace

bool operator==(const BodyForce& a, const BodyForce& b) {
  return a.centre == b.centre && a.density == b.density && a.gradient == b.gradient;
}

BodyForce inertiaForce(double density, const RigidAcceleration& motion) {
  const Mat3 spin = crossMatrix(motion.spin);
  return {motion.centre, -density * motion.linear, -density * (crossMatrix(motion.angular) + spin * spin)};
}

BodyForceField::BodyForceField(const BodyForce& force, const ElasticMaterial& material)
    : mForce(force), mMaterial(material), mPull(0.5 * (force.gradient + force.gradient.transpose())) {
  const Mat3 turn = 0.5 * (force.gradient - force.gradient.transpose());
  mTurn = {turn(2, 1), turn(0, 2), turn(1, 0)};
}

// Three fields, with r from the centre:
// - of a constant force f along e, the stress -|f| z e eᵀ, z = e·r;
// - of b = S r, S symmetric, u = ∇χ with ∇²χ = -(r·S r) / 2 (λ + 2μ): χ = k
// (|r|² r·S r - tr S |r|⁴ / 10),
//   k = -1 / 28 (λ + 2μ);
// - of b = w × r, u = c |r|² w × r, c = -1 / 10 μ, which is free of divergence.
Vec3 BodyForceField::displacement(const Vec3& x) const {
  const Vec3 r = x - mForce.centre;
  const double square = r.squaredNorm();
  Vec3 u = -square / (10 * shearModulus(mMaterial)) * mTurn.cross(r);
  const Vec3 pulled = mPull * r;
  const double k = -1 / (28 * pressureModulus(mMaterial));
  u += k * (2 * r.dot(pulled) * r + 2 * square * pulled - 0.4 * mPull.trace() * square * r);
  if (const double f = mForce.density.norm(); f > 0) {
    const Vec3 e = mForce.density / f;
    const double z = e.dot(r);
    const Vec3 across = r - z * e;
    u += f / mMaterial.young *
         (mMaterial.poisson * z * across - 0.5 * (z * z + mMaterial.poisson * across.squaredNorm()) * e);
  }
  return u;
}

Mat3 BodyForceField::stress(const Vec3& x) const {
  const Vec3 r = x - mForce.centre;
  const double square = r.squaredNorm();
  const Vec3 turned = mTurn.cross(r), pulled = mPull * r;
  Mat3 gradient = -1 / (5 * shearModulus(mMaterial)) * turned * r.transpose();
  const double k = -1 / (28 * pressureModulus(mMaterial));
  gradient += k * (2 * r.dot(pulled) * Mat3::Identity() + 4 * r * pulled.transpose() +
                   4 * pulled * r.transpose() + 2 * square * mPull);
  gradient -= 0.4 * k * mPull.trace() * (square * Mat3::Identity() + 2 * r * r.transpose());
  Mat3 stress = stressOf(mMaterial, gradient);
  if (const double f = mForce.density.norm(); f > 0) {
    const Vec3 e = mForce.density / f;
    stress -= f * e.dot(r) * e * e.transpose();
  }
  return stress;
}

Vec3 BodyForceField::traction(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& normal) const {
  // Exact for polynomials of second degree, which the stress is.
  return (stress(0.5 * (a + b)) + stress(0.5 * (b + c)) + stress(0.5 * (c + a))) * normal / 3;
}

}  // namespace hackle
