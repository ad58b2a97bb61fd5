#include <hackle/bem/evaluation.h>

#include <hackle/bem/triangle_potential.h>
#include <hackle/core/parallel.h>
#include <hackle/core/pi.h>

#include <cmath>

namespace hackle {

namespace {

Vec3 triple(const Eigen::VectorXd& values, size_t i) {
  return values.segment<3>(static_cast<Eigen::Index>(3 * i));
}

TrianglePotential potentialOf(const BemSurface& s, size_t t) {
  return {s.corner(t, 0), s.corner(t, 1), s.corner(t, 2), s.normal(t), s.area(t)};
}

/// First derivatives of the potentials of one triangle at a point; see TrianglePotential for the potentials.
class PotentialGradient {
 public:
  PotentialGradient(const BemSurface& surface, size_t t, const Vec3& x) : mNormal(surface.normal(t)) {
    // Corners and heights
    Vec3 a[3];
    double r[3];
    for (size_t v = 0; v < 3; ++v) {
      a[v] = surface.corner(t, v) - x;
      r[v] = a[v].norm();
    }
    mHeight = -mNormal.dot(a[0]);
    for (size_t v = 0; v < 3; ++v) setEdge(v, a[v], a[(v + 1) % 3], r[v], r[(v + 1) % 3]);

    // Solid angle and its gradient
    const double below =
        r[0] * r[1] * r[2] + a[0].dot(a[1]) * r[2] + a[0].dot(a[2]) * r[1] + a[1].dot(a[2]) * r[0];
    mAngle = 2 * std::atan2(2 * surface.area(t) * mHeight, below);
    mTangential.setZero();
    mAngleGradient.setZero();
    for (const Edge& e : mEdges) {
      mTangential += e.f * e.outward;
      mAngleGradient -= e.slope * (mHeight * e.outward + e.p * mNormal);
    }
  }

  /// d / r³, which is minus the gradient of 1 / r.
  Vec3 field() const { return mAngle * mNormal + mTangential; }

  /// Gradient of ∫ d·n φ / r³ for the linear φ with this value at x and this gradient in the plane.
  Vec3 layer(double phi, const Vec3& gradient) const {
    Vec3 g = mAngle * gradient + phi * mAngleGradient - gradient.dot(mTangential) * mNormal;
    for (const Edge& e : mEdges) g -= mHeight * gradient.dot(e.outward) * e.gradient;
    return g;
  }

  /// ∂_k of (∫ d dᵀ / r³ z)_i.
  Mat3 tensor(const Vec3& z) const {
    const double zn = mNormal.dot(z);
    const Vec3 f = field();
    Mat3 m = -z * f.transpose();
    m += zn * mNormal * (mAngle * mNormal + mHeight * mAngleGradient + f).transpose();
    m += (mTangential.dot(z) * mNormal + zn * mTangential) * mNormal.transpose();
    for (const Edge& e : mEdges) {
      const double zo = e.outward.dot(z), ze = e.along.dot(z);
      m += mHeight * (zo * mNormal + zn * e.outward) * e.gradient.transpose();
      m -= zo * e.outward * (e.p * e.gradient - e.f * e.outward).transpose();
      m -= (zo * e.along + ze * e.outward) * e.halfDifference.transpose();
    }
    return m;
  }

 private:
  struct Edge {
    Vec3 along, outward;
    Vec3 gradient;        // of f
    Vec3 halfDifference;  // gradient of (r2 - r1) / 2
    double p, f;          // distance from the line in the plane, ∫ 1 / r along the edge
    double slope;         // ∫ 1 / r³ along the edge
  };

  void setEdge(size_t v, const Vec3& a1, const Vec3& a2, double r1, double r2) {
    Edge& e = mEdges[v];
    e.along = (a2 - a1).normalized();
    e.outward = e.along.cross(mNormal);
    e.p = e.outward.dot(a1);
    const double s1 = e.along.dot(a1), s2 = e.along.dot(a2), off = e.p * e.p + mHeight * mHeight;
    if (s1 >= 0) {
      e.f = std::log((r2 + s2) / (r1 + s1));
      e.slope = 1 / (r1 * (r1 + s1)) - 1 / (r2 * (r2 + s2));
    } else if (s2 <= 0) {
      e.f = std::log((r1 - s1) / (r2 - s2));
      e.slope = 1 / (r2 * (r2 - s2)) - 1 / (r1 * (r1 - s1));
    } else {
      e.f = std::log((r2 + s2) * (r1 - s1) / off);
      e.slope = (s2 / r2 - s1 / r1) / off;
    }
    e.gradient = (1 / r1 - 1 / r2) * e.along + e.slope * (e.p * e.outward - mHeight * mNormal);
    e.halfDifference = 0.5 * (a1 / r1 - a2 / r2);
  }

  Vec3 mNormal, mTangential, mAngleGradient;
  double mHeight = 0, mAngle = 0;
  std::array<Edge, 3> mEdges;
};

}  // namespace

BoundaryField::BoundaryField(const BemSurface& surface, const ElasticMaterial& material, const HatSpace& hats,
                             const Eigen::VectorXd& u, const Eigen::VectorXd& q)
    : mSurface(surface), mMaterial(material), mSources(surface.triangleCount()) {
  for (size_t t = 0; t < mSources.size(); ++t) {
    for (Vec3& corner : mSources[t].corners) corner.setZero();
    mSources[t].curl.setZero();
    mSources[t].traction = triple(q, t);
  }
  add(hats, u);
}

void BoundaryField::add(const HatSpace& hats, const Eigen::VectorXd& u) {
  for (size_t i = 0; i < hats.triangles.size(); ++i) {
    const size_t t = static_cast<size_t>(hats.triangles[i]);
    for (size_t v = 0; v < 3; ++v) {
      if (hats.unknowns[i][v] < 0) continue;
      const Vec3 value = triple(u, static_cast<size_t>(hats.unknowns[i][v]));
      mSources[t].corners[v] += value;
      mSources[t].curl += mSurface.curls(t)[v].cross(value);
    }
  }
}

std::vector<Vec3> BoundaryField::displacements(Span<const Vec3> points, Context& context) const {
  const double mu = shearModulus(mMaterial), nu = mMaterial.poisson;
  const double tensor = 1 / (16 * kPi * mu * (1 - nu)), single = (3 - 4 * nu) * tensor,
               quarter = 1 / (4 * kPi);
  std::vector<Vec3> result(points.size());
  parallelRanges(context, points.size(), 4, [&](size_t begin, size_t end) {
    Lanes4 x[3], u[3] = {Lanes4::Zero(), Lanes4::Zero(), Lanes4::Zero()};
    for (size_t k = 0; k < 3; ++k)
      for (size_t lane = 0; lane < 4; ++lane) x[k][lane] = points[std::min(begin + lane, end - 1)][k];
    for (size_t t = 0; t < mSources.size(); ++t) {
      if (t % 4096 == 0) context.checkCancel();
      const Source& s = mSources[t];
      const PotentialLanes p = potentialOf(mSurface, t).at(x);
      const Vec3 z = tensor * (s.traction - 2 * mu * s.curl);
      const Vec3 diagonal = single * (s.traction - 2 * mu * s.curl) + quarter * s.curl;
      const Lanes4 full[3] = {p.tensor[0] * z[0] + p.tensor[3] * z[1] + p.tensor[5] * z[2],
                              p.tensor[3] * z[0] + p.tensor[1] * z[1] + p.tensor[4] * z[2],
                              p.tensor[5] * z[0] + p.tensor[4] * z[1] + p.tensor[2] * z[2]};
      for (Eigen::Index k = 0; k < 3; ++k)
        u[k] += full[k] + diagonal[k] * p.single -
                quarter * (s.corners[0][k] * p.layer[0] + s.corners[1][k] * p.layer[1] +
                           s.corners[2][k] * p.layer[2]);
    }
    for (size_t i = begin; i < end; ++i)
      for (Eigen::Index k = 0; k < 3; ++k) result[i][k] = u[k][static_cast<Eigen::Index>(i - begin)];
  });
  return result;
}

Mat3 BoundaryField::gradientAt(const Vec3& x) const {
  const double mu = shearModulus(mMaterial), nu = mMaterial.poisson;
  const double tensor = 1 / (16 * kPi * mu * (1 - nu)), single = (3 - 4 * nu) * tensor,
               quarter = 1 / (4 * kPi);
  Mat3 sum = Mat3::Zero();
  for (size_t t = 0; t < mSources.size(); ++t) {
    const Source& s = mSources[t];
    const PotentialGradient p(mSurface, t, x);
    const Vec3 z = s.traction - 2 * mu * s.curl;
    sum += tensor * p.tensor(z) - (single * z + quarter * s.curl) * p.field().transpose();
    const std::array<Vec3, 3> gradients = mSurface.gradients(t);
    for (size_t v = 0; v < 3; ++v) {
      const double phi = 1.0 / 3 + gradients[v].dot(x - mSurface.centroid(t));
      sum -= quarter * s.corners[v] * p.layer(phi, gradients[v]).transpose();
    }
  }
  return sum;
}

std::vector<Mat3> BoundaryField::gradients(Span<const Vec3> points, Context& context) const {
  std::vector<Mat3> result(points.size());
  parallelFor(context, points.size(), 1, [&](size_t i) { result[i] = gradientAt(points[i]); });
  return result;
}

std::vector<Mat3> BoundaryField::stresses(Span<const Vec3> points, Context& context) const {
  std::vector<Mat3> result = gradients(points, context);
  for (Mat3& m : result) m = stressOf(mMaterial, m);
  return result;
}

std::vector<Vec3> BoundaryField::sheetDisplacements(Span<const int32_t> nodes, Context& context) const {
  std::vector<Vec3> points;
  for (int32_t node : nodes) {
    Vec3 normal = Vec3::Zero();
    double size = 0;
    for (const BemCorner& c : mSurface.corners(static_cast<size_t>(node))) {
      const size_t t = static_cast<size_t>(c.triangle);
      normal += mSurface.area(t) * mSurface.normal(t);
      size = std::max(size, mSurface.size(t));
    }
    const Vec3 offset = 1e-4 * size * normal.normalized(), at = mSurface.point(static_cast<size_t>(node));
    points.push_back(at + offset);
    points.push_back(at - offset);
  }
  const std::vector<Vec3> sides = displacements(points, context);
  std::vector<Vec3> result(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) result[i] = 0.5 * (sides[2 * i] + sides[2 * i + 1]);
  return result;
}

Mat3 surfaceStress(const BemSurface& surface, size_t triangle, const ElasticMaterial& material,
                   const std::array<Vec3, 3>& u, const Vec3& traction) {
  const double nu = material.poisson, plane = material.young / (1 - nu * nu);
  // Tangential strain
  const Vec3& n = surface.normal(triangle);
  const std::array<Vec3, 3> gradients = surface.gradients(triangle);
  Mat3 gradient = Mat3::Zero();
  for (size_t v = 0; v < 3; ++v) gradient += u[v] * gradients[v].transpose();
  const Mat3 along = Mat3::Identity() - n * n.transpose();
  const Mat3 tangential = along * gradient;
  const Mat3 strain = 0.5 * (tangential + tangential.transpose());

  // Plane stress, then what the traction adds
  const double normal = traction.dot(n);
  const Vec3 shear = traction - normal * n;
  return plane * ((1 - nu) * strain + nu * strain.trace() * along) + (nu / (1 - nu) * normal) * along +
         normal * n * n.transpose() + shear * n.transpose() + n * shear.transpose();
}

std::vector<Mat3> surfaceStresses(const BemSurface& surface, const ElasticMaterial& material,
                                  const Eigen::VectorXd& u, const Eigen::VectorXd& q) {
  std::vector<Mat3> stresses(surface.triangleCount());
  for (size_t t = 0; t < stresses.size(); ++t) {
    std::array<Vec3, 3> corners;
    for (size_t v = 0; v < 3; ++v) corners[v] = triple(u, static_cast<size_t>(surface.triangle(t)[v]));
    stresses[t] = surfaceStress(surface, t, material, corners, triple(q, t));
  }
  return stresses;
}

}  // namespace hackle
