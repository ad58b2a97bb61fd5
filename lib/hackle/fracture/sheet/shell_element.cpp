#include <hackle/fracture/sheet/shell_element.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <cmath>
#include <limits>

namespace hackle {

namespace {

/// Angle of the turn about the unit vector `axis` that takes `from` to `to`, both perpendicular to it.
double turnAbout(const Vec3& axis, const Vec3& from, const Vec3& to) {
  return std::atan2(axis.dot(from.cross(to)), from.dot(to));
}

/// Where edge k of a triangle stands relative to its face: edge from a to b, apex o. README fig. 1.
struct EdgeFrame {
  Vec3 e, m;                    // unit: along the edge; in the plane, towards the apex
  double length, height, foot;  // foot: part of the edge below the apex
  EdgeFrame(const Vec3& a, const Vec3& b, const Vec3& o, const Vec3& n) {
    const Vec3 d = b - a;
    length = d.norm();
    e = d / length;
    m = n.cross(e);
    height = (o - a).dot(m);
    foot = (o - a).dot(e) / length;
  }
};

using Mat9 = Eigen::Matrix<double, 9, 9>;
using Mat3x9 = Eigen::Matrix<double, 3, 9>;

/// Second derivative of the turn psi of edge k by the corners; symmetric part. SHEETS hinge formula for one
/// side.
void addTurnHessian(const EdgeFrame& f, const Vec3& n, int k, double weight,
                    Eigen::Matrix<double, 12, 12>& hessian) {
  // Local order: a, b, o.
  const int corner[3] = {(k + 1) % 3, (k + 2) % 3, k};
  const double w[3] = {-(1 - f.foot), -f.foot, 1.0};
  const double c[3] = {1, -1, 0};
  const Vec3 q = n / f.height;
  const double r = f.height / f.length;
  const Vec3 ds[3] = {(-(1 - f.foot) * f.e - r * f.m) / f.length, (-f.foot * f.e + r * f.m) / f.length,
                      f.e / f.length};
  const Mat3 bend = (f.m * n.transpose() + n * f.m.transpose()) / (f.height * f.height);
  const Mat3 slide = f.e * n.transpose() / (f.length * f.height);
  const double dwSign[3] = {1, -1, 0};  // dw_a = ds, dw_b = -ds, dw_o = 0
  for (int j = 0; j < 3; ++j)
    for (int l = 0; l < 3; ++l) {
      const Mat3 dq = -w[l] * bend + c[l] * slide;
      const Mat3 block = -(w[j] * dq + dwSign[j] * q * ds[l].transpose());
      hessian.block<3, 3>(3 * corner[j], 3 * corner[l]) += 0.5 * weight * block;
      hessian.block<3, 3>(3 * corner[l], 3 * corner[j]) += 0.5 * weight * block.transpose();
    }
}

Mat3x9 strainGradient(const ShellFace& face, const Eigen::Matrix<double, 3, 2>& F) {
  Mat3x9 B;
  for (int i = 0; i < 3; ++i)
    for (int a = 0; a < 3; ++a) {
      const double g0 = face.gradients(i, 0), g1 = face.gradients(i, 1);
      B.col(3 * i + a) << F(a, 0) * g0, F(a, 1) * g1, (F(a, 0) * g1 + F(a, 1) * g0) * M_SQRT1_2;
    }
  return B;
}

/// Tension only: negative principal values become 0.
Eigen::Matrix2d positivePart(const Eigen::Matrix2d& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d> eigen(a);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

struct Kinematics {
  Eigen::Matrix<double, 3, 2> F;
  Vec3 normal;
  Vec3 psi;
  bool valid;
};

Kinematics kinematics(const ShellFace& face, const ShellState& s) {
  Kinematics k;
  k.F = s.x[0] * face.gradients.row(0) + s.x[1] * face.gradients.row(1) + s.x[2] * face.gradients.row(2);
  const Vec3 area = (s.x[1] - s.x[0]).cross(s.x[2] - s.x[0]);
  const double norm = area.norm();
  k.valid = norm > 1e-12 * face.area;
  if (!k.valid) return k;
  k.normal = area / norm;
  for (int i = 0; i < 3; ++i)
    k.psi[i] = turnAbout((s.x[(i + 2) % 3] - s.x[(i + 1) % 3]).normalized(), k.normal, s.director[i]);
  return k;
}

}  // namespace

Sym2 toSym2(const Eigen::Matrix2d& a) { return {a(0, 0), a(1, 1), M_SQRT2 * a(0, 1)}; }

Eigen::Matrix2d fromSym2(const Sym2& a) {
  Eigen::Matrix2d m;
  m << a[0], a[2] * M_SQRT1_2, a[2] * M_SQRT1_2, a[1];
  return m;
}

Eigen::Matrix3d planeStress(double poisson) {
  Eigen::Matrix3d c;
  c << 1, poisson, 0, poisson, 1, 0, 0, 0, 1 - poisson;
  return c;
}

Vec3 parallelTransport(const Vec3& vector, const Vec3& from, const Vec3& to) {
  const Vec3 axis = from.cross(to);
  const double c = from.dot(to);
  if (c < -0.999999) return vector - 2 * to.dot(vector) * to;  // turned right round: no smallest rotation
  return c * vector + axis.cross(vector) + axis * (axis.dot(vector) / (1 + c));
}

std::vector<Vec3> restTurns(const SheetMesh& mesh) {
  std::vector<Vec3> normals(mesh.faceCount(), Vec3::Zero());
  for (int32_t f = 0; f < static_cast<int32_t>(mesh.faceCount()); ++f)
    if (!mesh.dead(f)) normals[f] = mesh.restNormal(f);
  std::vector<Vec3> turns(mesh.faceCount(), Vec3::Zero());
  for (int32_t f = 0; f < static_cast<int32_t>(mesh.faceCount()); ++f) {
    if (mesh.dead(f)) continue;
    for (int32_t k = 0; k < 3; ++k) {
      const int32_t other = mesh.across[f][k];
      if (other < 0) continue;
      const Vec3 e = mesh.rest[mesh.faces[f][(k + 2) % 3]] - mesh.rest[mesh.faces[f][(k + 1) % 3]];
      turns[f][k] = 0.5 * turnAbout(e.normalized(), normals[f], normals[other / 3]);
    }
  }
  return turns;
}

ShellFace makeShellFace(const SheetMesh& mesh, int32_t f, const Vec3& restTurn) {
  ShellFace face;
  const Triangle& t = mesh.faces[f];
  const SheetHistory& past = mesh.history[f];
  const Vec3 e1 = mesh.rest[t[1]] - mesh.rest[t[0]], e2 = mesh.rest[t[2]] - mesh.rest[t[0]];
  const Vec3 n = e1.cross(e2).normalized();
  face.area = 0.5 * e1.cross(e2).norm();
  face.frame.col(0) = e1.normalized();
  face.frame.col(1) = n.cross(face.frame.col(0));
  face.thickness = past.thickness;

  Eigen::Matrix2d rest;
  rest.col(0) = face.frame.transpose() * e1;
  rest.col(1) = face.frame.transpose() * e2;
  const Eigen::Matrix2d stretch = face.frame.transpose() * past.stretch * face.frame;
  const Eigen::Matrix2d stretched = stretch * rest;
  face.plasticArea = 0.5 * std::abs(stretched.determinant());
  Eigen::Matrix<double, 3, 2> reference;
  reference << -1, -1, 1, 0, 0, 1;
  face.gradients = reference * stretched.inverse();

  const auto flat = [&](const Mat3& a) {
    return toSym2(Eigen::Matrix2d(face.frame.transpose() * a * face.frame));
  };
  for (int k = 0; k < 3; ++k) {
    const Vec3 edge = mesh.rest[t[(k + 2) % 3]] - mesh.rest[t[(k + 1) % 3]];
    const Eigen::Vector2d along = face.frame.transpose() * edge;
    const double l = along.norm();
    const Eigen::Vector2d out(along.y() / l, -along.x() / l);
    face.bend.col(k) = l / face.area * toSym2(out * out.transpose());
  }
  face.curvature0 = face.bend * restTurn + flat(past.curvature);
  face.strainBefore = flat(past.strainBefore);
  face.curvatureBefore = flat(past.curvatureBefore);
  return face;
}

ShellStrain shellStrain(const ShellFace& face, const ShellState& state) {
  const Kinematics k = kinematics(face, state);
  ShellStrain strain;
  if (!k.valid) return strain;
  strain.membrane = toSym2(0.5 * (k.F.transpose() * k.F - Eigen::Matrix2d::Identity()));
  strain.curvature = face.bend * k.psi - face.curvature0;
  return strain;
}

void evaluateShell(const ShellFace& face, const ShellMaterial& material, double viscosity,
                   const ShellState& state, const Vec3& sign, ShellOrder order, ShellResponse& out) {
  const Kinematics k = kinematics(face, state);
  if (!k.valid) {
    out.energy = out.potential = std::numeric_limits<double>::infinity();
    out.gradient.setZero();
    out.hessian.setZero();
    return;
  }
  const double nu = material.poisson;
  const double h = face.thickness;
  const double ks = material.young * h / (1 - nu * nu);  // N/m
  const double D = ks * h * h / 12;                      // N m
  const Eigen::Matrix3d C = planeStress(nu);

  // Strains, and what is stored and dissipated.
  const Sym2 G = toSym2(0.5 * (k.F.transpose() * k.F - Eigen::Matrix2d::Identity()));
  const Sym2 S = face.bend * k.psi - face.curvature0;
  const Sym2 dG = G - face.strainBefore, dS = S - face.curvatureBefore;
  const Sym2 N = ks * (C * (G + viscosity * dG));
  const Sym2 M = D * (C * (S + viscosity * dS));
  out.energy = 0.5 * (face.plasticArea * ks * G.dot(C * G) + face.area * D * S.dot(C * S));
  out.potential = out.energy +
                  0.5 * viscosity * (face.plasticArea * ks * dG.dot(C * dG) + face.area * D * dS.dot(C * dS));
  if (order == ShellOrder::Energy) return;

  // Membrane forces.
  const Mat3x9 B = strainGradient(face, k.F);
  out.gradient.head<9>() = face.plasticArea * (B.transpose() * N);

  // Turns of the directors against the face: psi_k changes by -w_j n / height with corner j.
  Eigen::Matrix<double, 3, 12> J = Eigen::Matrix<double, 3, 12>::Zero();
  std::array<EdgeFrame, 3> frames{EdgeFrame(state.x[1], state.x[2], state.x[0], k.normal),
                                  EdgeFrame(state.x[2], state.x[0], state.x[1], k.normal),
                                  EdgeFrame(state.x[0], state.x[1], state.x[2], k.normal)};
  for (int i = 0; i < 3; ++i) {
    const EdgeFrame& f = frames[i];
    const Vec3 q = k.normal / f.height;
    J.block<1, 3>(i, 3 * ((i + 1) % 3)) = (1 - f.foot) * q.transpose();
    J.block<1, 3>(i, 3 * ((i + 2) % 3)) = f.foot * q.transpose();
    J.block<1, 3>(i, 3 * i) = -q.transpose();
    J(i, 9 + i) = sign[i];
  }
  const Vec3 moments = face.area * (face.bend.transpose() * M);  // by psi
  out.gradient.tail<3>().setZero();
  out.gradient += J.transpose() * moments;
  if (order == ShellOrder::Gradient) return;

  // Stiffness.
  const Eigen::Matrix3d Cm = face.plasticArea * ks * (1 + viscosity) * C;
  out.hessian.setZero();
  out.hessian.topLeftCorner<9, 9>().noalias() = B.transpose() * Cm * B;
  Eigen::Matrix2d tension = fromSym2(N);
  if (order == ShellOrder::PositiveHessian) tension = positivePart(tension);
  const Eigen::Matrix3d geometric = face.plasticArea * face.gradients * tension * face.gradients.transpose();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int a = 0; a < 3; ++a) out.hessian(3 * i + a, 3 * j + a) += geometric(i, j);
  const Eigen::Matrix3d Kpsi = face.area * D * (1 + viscosity) * (face.bend.transpose() * C * face.bend);
  out.hessian.noalias() += J.transpose() * Kpsi * J;
  if (order == ShellOrder::Hessian)
    for (int i = 0; i < 3; ++i) addTurnHessian(frames[i], k.normal, i, moments[i], out.hessian);
}

}  // namespace hackle
