#include <hackle/fracture/impact/solid_parts.h>

#include <hackle/core/parallel.h>
#include <hackle/fem/elastic_mesh.h>
#include <hackle/meshing/surface/surface_distance.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <utility>

namespace hackle {

namespace {

/// Places in a triangle and their weights, exact for polynomials of degree 6 [Dunavant85].
struct TrianglePlace {
  double a, b, weight;
};
constexpr std::array<TrianglePlace, 12> kPlaces{{{0.873821971016996, 0.063089014491502, 0.050844906370207},
                                                 {0.063089014491502, 0.873821971016996, 0.050844906370207},
                                                 {0.063089014491502, 0.063089014491502, 0.050844906370207},
                                                 {0.501426509658179, 0.249286745170910, 0.116786275726379},
                                                 {0.249286745170910, 0.501426509658179, 0.116786275726379},
                                                 {0.249286745170910, 0.249286745170910, 0.116786275726379},
                                                 {0.053145049844817, 0.310352451033784, 0.082851075618374},
                                                 {0.053145049844817, 0.636502499121399, 0.082851075618374},
                                                 {0.310352451033784, 0.053145049844817, 0.082851075618374},
                                                 {0.310352451033784, 0.636502499121399, 0.082851075618374},
                                                 {0.636502499121399, 0.053145049844817, 0.082851075618374},
                                                 {0.636502499121399, 0.310352451033784, 0.082851075618374}}};

/// Signed distances of places that follow each other: the sign is asked for only where it may have changed.
class SignedDistances {
 public:
  explicit SignedDistances(const SurfaceDistance& distance) : mDistance(distance) {}

  double at(const Vec3& x) {
    const double size = mDistance.distance(x);
    // Balls that the surface does not enter and that overlap are on one side of it.
    if (!mAny || !((x - mLast).norm() < 0.999 * (size + mLastSize))) mInside = mDistance.inside(x);
    mAny = true;
    mLast = x;
    mLastSize = size;
    return mInside ? -size : size;
  }

 private:
  const SurfaceDistance& mDistance;
  Vec3 mLast = Vec3::Zero();
  double mLastSize = 0;
  bool mAny = false, mInside = false;
};

/// Lines across the surface through a tetrahedron: along them what is inside is exact, also in walls that are
/// much thinner than the tetrahedron.
class LineMoments {
 public:
  LineMoments(const std::array<Vec3, 4>& corners, const Vec3& along, const SurfaceDistance& surface)
      : mCorners(corners), mAlong(along), mSurface(surface), mSigns(surface) {
    Mat3 edges;
    edges << corners[1] - corners[0], corners[2] - corners[0], corners[3] - corners[0];
    const Mat3 inverse = edges.inverse();
    mGradients.bottomRows<3>() = inverse;
    mGradients.row(0) = -inverse.colwise().sum();
  }

  /// Seen along the lines a tetrahedron is three or four triangles in which lines enter and leave it by the
  /// same faces: there moments are polynomials, and exact for what is solid as a whole.
  PartMoments find() {
    const Eigen::Vector4d rate = mGradients * mAlong;
    std::array<int, 4> entered, left;
    int enters = 0, leaves = 0;
    for (int c = 0; c < 4; ++c) (rate[c] > 0 ? entered[enters++] : left[leaves++]) = c;
    if (enters == 2) {
      // Two edges cross.
      const auto [a, b] = std::pair(entered[0], entered[1]);
      const Vec3 crossing = (rate[a] * mCorners[a] + rate[b] * mCorners[b]) / (rate[a] + rate[b]);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) addTriangle(crossing, mCorners[entered[i]], mCorners[left[j]]);
    } else {
      // One corner lies within the triangle of the others.
      const int top = enters == 1 ? entered[0] : left[0];
      for (int k = 0; k < 3; ++k) {
        const auto& others = enters == 1 ? left : entered;
        addTriangle(mCorners[top], mCorners[others[k]], mCorners[others[(k + 1) % 3]]);
      }
    }
    // Rounding made it a little unsymmetric.
    return (mInside + mInside.transpose()) / (2 * mAll);
  }

 private:
  void addTriangle(const Vec3& p, const Vec3& q, const Vec3& r) {
    const double area = 0.5 * std::abs(mAlong.dot((q - p).cross(r - p)));
    for (const TrianglePlace& at : kPlaces)
      addLine(at.a * p + at.b * q + (1 - at.a - at.b) * r, at.weight * area);
  }

  void addLine(const Vec3& origin, double weight) {
    // The part of the line in the tetrahedron.
    const Eigen::Vector4d rate = mGradients * mAlong;
    Eigen::Vector4d start = mGradients * (origin - mCorners[0]);
    start[0] += 1;
    double first = -std::numeric_limits<double>::infinity(), last = -first;
    for (int c = 0; c < 4; ++c) {
      if (rate[c] > 0) first = std::max(first, -start[c] / rate[c]);
      if (rate[c] < 0) last = std::min(last, -start[c] / rate[c]);
    }
    if (!(last > first)) return;
    const auto moments = [&](double a, double b) -> PartMoments {
      const Eigen::Vector4d middle = start + 0.5 * (a + b) * rate;
      const double length = b - a;
      return weight * length * (middle * middle.transpose() + length * length / 12 * rate * rate.transpose());
    };
    mAll += weight * (last - first);
    Ray ray;
    ray.origin = origin + first * mAlong;
    ray.direction = mAlong;
    ray.tMax = last - first;
    const std::vector<RayHit> hits = mSurface.tree().allHits(ray);
    if (hits.empty()) {
      if (mSigns.at(origin + 0.5 * (first + last) * mAlong) < 0) mInside += moments(first, last);
      return;
    }
    for (size_t k = 0; k <= hits.size(); ++k) {
      const double a = k == 0 ? first : first + hits[k - 1].t,
                   b = k == hits.size() ? last : first + hits[k].t;
      if (!(b > a)) continue;
      const bool entered = k == 0 ? !hits[0].front : hits[k - 1].front;
      const bool leaves = k == hits.size() ? hits[k - 1].front : !hits[k].front;
      // Where sheets overlap, or the line passes an edge, the winding number decides.
      if (entered == leaves ? entered : mSurface.inside(origin + 0.5 * (a + b) * mAlong))
        mInside += moments(a, b);
    }
  }

  const std::array<Vec3, 4>& mCorners;
  const Vec3 mAlong;
  const SurfaceDistance& mSurface;
  SignedDistances mSigns;
  Eigen::Matrix<double, 4, 3> mGradients;
  PartMoments mInside = PartMoments::Zero();
  double mAll = 0;
};

}  // namespace

std::vector<PartMoments> solidMoments(Span<const Vec3> points, Span<const Tetrahedron> tetrahedra,
                                      const TriangleMesh& surface, Context& context) {
  const SurfaceDistance distance(surface, context);
  std::vector<PartMoments> moments(tetrahedra.size());
  parallelFor(context, moments.size(), 64, [&](size_t t) {
    std::array<Vec3, 4> corners;
    for (size_t k = 0; k < 4; ++k) corners[k] = points[tetrahedra[t][k]];
    const Vec3 middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
    double radius = 0;
    for (const Vec3& c : corners) radius = std::max(radius, (c - middle).norm());
    const ClosestPoint nearest = distance.tree().closestPoint(middle, radius);
    if (nearest.triangle < 0) {
      moments[t] = distance.inside(middle) ? wholeMoments() : PartMoments(PartMoments::Zero());
      return;
    }
    const Triangle& c = surface.triangles[nearest.triangle];
    const Vec3 normal =
        (surface.points[c[1]] - surface.points[c[0]]).cross(surface.points[c[2]] - surface.points[c[0]]);
    const Vec3 along = normal.norm() > 0 ? Vec3(normal.normalized()) : Vec3::UnitY();
    moments[t] = LineMoments(corners, along, distance).find();
  });
  return moments;
}

SolidPart partOf(const PartMoments& moments, const std::array<Vec3, 4>& corners) {
  const double share = std::clamp(moments.sum(), 0.0, 1.0);
  Eigen::Vector4d weights = Eigen::Vector4d::Constant(0.25);
  if (share > 0) weights = moments.rowwise().sum().cwiseMax(0.0);
  weights /= weights.sum();
  return {share, weights[0] * corners[0] + weights[1] * corners[1] + weights[2] * corners[2] +
                     weights[3] * corners[3]};
}

PartEnds endsOf(const PartMoments& moments, const std::array<Vec3, 4>& corners) {
  Eigen::Vector4d middle = moments.rowwise().sum();
  const double share = moments.sum();
  if (!(share > 0)) return {Eigen::Vector4d::Constant(0.25), Eigen::Vector4d::Constant(0.25)};
  middle /= share;
  const PartMoments spread = moments / share - middle * middle.transpose();
  Eigen::Matrix<double, 3, 4> places;
  places << corners[0], corners[1], corners[2], corners[3];
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(Mat3(places * spread * places.transpose()));
  // An even layer reaches root 3 times its deviation to either side.
  const Vec3 reach = std::sqrt(3 * std::max(0.0, eigen.eigenvalues()[0])) * eigen.eigenvectors().col(0);
  const TetShape shape = tetShape(corners[0], corners[1], corners[2], corners[3]);
  Eigen::Vector4d step;
  for (int c = 0; c < 4; ++c) step[c] = shape.gradients[c].dot(reach);
  return {middle + step, middle - step};
}

}  // namespace hackle
