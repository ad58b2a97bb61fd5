#include <hackle/fracture/sheet/plasticity.h>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

using Mat2 = Eigen::Matrix2d;
using Eigen2 = Eigen::SelfAdjointEigenSolver<Mat2>;

/// Membrane: the stretched rest shape follows the part of the strain that flowed. J per m^2 of rest shape.
double flowInPlane(SheetHistory& past, const ShellFace& face, const Sym2& strain,
                   const ShellMaterial& material) {
  const Eigen2 eigen(Mat2(Mat2::Identity() + 2 * fromSym2(strain)));
  const Vec2 elastic = 0.5 * eigen.eigenvalues().cwiseMax(1e-12).array().log();
  const PlasticReturn flow = returnToYield(elastic, material.young, material.poisson, material.yield);
  if (flow.plastic.isZero(0)) return 0;
  const Mat2 N = eigen.eigenvectors();
  const Mat2 U = face.frame.transpose() * past.stretch * face.frame;
  const Mat2 metric =
      U * N * Mat2((2 * flow.plastic).array().exp().matrix().asDiagonal()) * N.transpose() * U;
  const Eigen2 root(Mat2(0.5 * (metric + metric.transpose())));
  const Mat2 stretch = root.eigenvectors() * Mat2(root.eigenvalues().cwiseSqrt().asDiagonal()) *
                       root.eigenvectors().transpose();
  const Vec3 n = face.frame.col(0).cross(face.frame.col(1));
  past.stretch = face.frame * stretch * face.frame.transpose() + n * n.transpose();
  const double work = flow.stress.dot(flow.plastic) * past.thickness * face.plasticArea / face.area;
  past.thickness *= std::exp(-flow.plastic.sum());
  return work;
}

/// Bending: the rest curvature follows what is beyond the curvature at which the surface yields.
double flowInBending(SheetHistory& past, const ShellFace& face, const Sym2& curvature,
                     const ShellMaterial& material) {
  const double half = 0.5 * face.thickness;
  const Eigen2 eigen(Mat2(half * fromSym2(curvature)));
  const PlasticReturn flow =
      returnToYield(eigen.eigenvalues(), material.young, material.poisson, material.yield);
  if (flow.plastic.isZero(0)) return 0;
  const Mat2 N = eigen.eigenvectors();
  const Mat2 change = N * Mat2((flow.plastic / half).asDiagonal()) * N.transpose();
  past.curvature += face.frame * change * face.frame.transpose();
  return flow.stress.dot(flow.plastic) * face.thickness / 3;  // moment sigma h^2/6 times curvature 2 e/h
}

}  // namespace

PlasticReturn returnToYield(const Vec2& elastic, double young, double poisson, double yield) {
  // Sum and difference of the principal values decouple: README eq. (14).
  const double s = (elastic[0] + elastic[1]) * M_SQRT1_2, d = (elastic[0] - elastic[1]) * M_SQRT1_2;
  const double cs = (1 - poisson) / young, cd = (1 + poisson) / young;
  const auto stressAt = [&](double g) { return Vec2(s / (cs + 0.5 * g), d / (cd + 1.5 * g)); };
  const auto excess = [&](const Vec2& t) { return 0.5 * t[0] * t[0] + 1.5 * t[1] * t[1] - yield * yield; };
  Vec2 t = stressAt(0);
  if (excess(t) > 0) {
    // The excess is convex and falls with g, so Newton's method from 0 never overshoots.
    double g = 0;
    for (int i = 0; i < 100; ++i) {
      const double slope = -0.5 * t[0] * t[0] / (cs + 0.5 * g) - 4.5 * t[1] * t[1] / (cd + 1.5 * g);
      const double change = -excess(t) / slope;
      g += change;
      t = stressAt(g);
      if (change <= 1e-15 * g) break;
    }
  } else {
    PlasticReturn result;
    result.stress = Vec2((t[0] + t[1]), (t[0] - t[1])) * M_SQRT1_2;
    return result;
  }
  PlasticReturn result;
  result.stress = Vec2((t[0] + t[1]), (t[0] - t[1])) * M_SQRT1_2;
  const Vec2 kept((result.stress[0] - poisson * result.stress[1]) / young,
                  (result.stress[1] - poisson * result.stress[0]) / young);
  result.plastic = elastic - kept;
  return result;
}

double flowPlastically(SheetMesh& mesh, const std::vector<ShellFace>& faces,
                       const std::vector<ShellStrain>& strains, const ShellMaterial& material) {
  if (!(material.yield > 0)) return 0;
  double total = 0;
  for (size_t f = 0; f < mesh.faceCount(); ++f) {
    SheetHistory& past = mesh.history[f];
    const double bending = flowInBending(past, faces[f], strains[f].curvature, material);
    const double work = flowInPlane(past, faces[f], strains[f].membrane, material) + bending;
    past.work += work;
    total += work * faces[f].area;
  }
  return total;
}

}  // namespace hackle
