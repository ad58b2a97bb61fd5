#include <hackle/fracture/impact/solid_parts.h>

#include <hackle/core/parallel.h>
#include <hackle/meshing/surface/surface_distance.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

constexpr int kLines = 6;  // across a tetrahedron, either way

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

/// The nearest moments that some part can have.
PartMoments nonNegative(const PartMoments& moments) {
  const Eigen::SelfAdjointEigenSolver<PartMoments> eigen(moments);
  if (eigen.eigenvalues()[0] >= 0) return moments;
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

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

  PartMoments find() {
    const Vec3 across = mAlong.unitOrthogonal(), other = mAlong.cross(across);
    Eigen::Vector2d low = Eigen::Vector2d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const Vec3& c : mCorners) {
      const Eigen::Vector2d at(across.dot(c - mCorners[0]), other.dot(c - mCorners[0]));
      low = low.cwiseMin(at);
      high = high.cwiseMax(at);
    }
    for (int i = 0; i < kLines; ++i)
      for (int n = 0; n < kLines; ++n) {
        // There and back, so that lines follow each other.
        const int j = i % 2 ? kLines - 1 - n : n;
        const Eigen::Vector2d at = low + (high - low).cwiseProduct(Eigen::Vector2d(i + 0.5, j + 0.5)) / kLines;
        addLine(mCorners[0] + at[0] * across + at[1] * other);
      }
    const double scale = mAll.sum();
    if (!(scale > 0)) return PartMoments::Zero();
    // Lines do not quite have the moments of the whole: what is not solid is subtracted where that is less.
    if (mInside.sum() > 0.5 * scale) return nonNegative(wholeMoments() - (mAll - mInside) / scale);
    return mInside / scale;
  }

 private:
  void addLine(const Vec3& origin) {
    // The part of the line in the tetrahedron.
    const Eigen::Vector4d rate = mGradients * mAlong;
    Eigen::Vector4d start = mGradients * (origin - mCorners[0]);
    start[0] += 1;
    double first = -std::numeric_limits<double>::infinity(), last = -first;
    for (int c = 0; c < 4; ++c) {
      if (rate[c] > 0) first = std::max(first, -start[c] / rate[c]);
      if (rate[c] < 0) last = std::min(last, -start[c] / rate[c]);
      if (rate[c] == 0 && start[c] < 0) return;
    }
    if (!(last > first)) return;
    const auto moments = [&](double a, double b) -> PartMoments {
      const Eigen::Vector4d middle = start + 0.5 * (a + b) * rate;
      const double length = b - a;
      return length * (middle * middle.transpose() + length * length / 12 * rate * rate.transpose());
    };
    mAll += moments(first, last);
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
      const double a = k == 0 ? first : first + hits[k - 1].t, b = k == hits.size() ? last : first + hits[k].t;
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
  PartMoments mInside = PartMoments::Zero(), mAll = PartMoments::Zero();
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
    const Vec3 normal = (surface.points[c[1]] - surface.points[c[0]])
                            .cross(surface.points[c[2]] - surface.points[c[0]]);
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

}  // namespace hackle
