#include <hackle/fracture/sheet/crack_tip.h>

#include <hackle/core/pi.h>
#include <hackle/linalg/dense.h>

#include <cmath>
#include <complex>
#include <set>

namespace hackle {

namespace {

constexpr int kMembraneTerms = 5;  // Williams: symmetric 1, 2, 3; antisymmetric 1, 3 (2 has no stress)
constexpr int kBendingTerms = 4;   // k1, k2 and the two uniform curvatures that leave the crack free
using Stress = Eigen::Vector3d;    // xx, yy, xy

/// Stress of Williams' term n with unit coefficient, symmetric or antisymmetric about the crack.
Stress williams(double r, double t, int n, bool symmetric) {
  const double p = 0.5 * n, sign = n % 2 == 0 ? 1 : -1;
  const double c = p * std::pow(r, p - 1);
  const double c1 = std::cos((p - 1) * t), c3 = std::cos((p - 3) * t);
  const double s1 = std::sin((p - 1) * t), s3 = std::sin((p - 3) * t);
  if (symmetric)
    return c * Stress((2 + sign + p) * c1 - (p - 1) * c3, (2 - sign - p) * c1 + (p - 1) * c3,
                      (p - 1) * s3 - (p + sign) * s1);
  return -c * Stress((2 - sign + p) * s1 - (p - 1) * s3, (2 + sign - p) * s1 + (p - 1) * s3,
                     -(p - 1) * c3 + (p - sign) * c1);
}

/// Curvature (w_xx, w_yy, w_xy) of unit k1 or k2: second derivatives of README eq. (10) by complex variables.
Stress plateField(double x, double y, double poisson, bool first) {
  const std::complex<double> z(x, y), zc = std::conj(z), i(0, 1);
  const std::complex<double> g = 0.75 / std::sqrt(z);  // of z^(3/2), twice by z
  const std::complex<double> a = 1.0 / std::sqrt(zc),
                             b = 0.25 * z / (zc * std::sqrt(zc));  // of z conj(z)^(1/2)
  const double weight = first ? (7 + poisson) / (3 * (1 - poisson)) : (5 + 3 * poisson) / (3 * (1 - poisson));
  const std::complex<double> xx = weight * g - (a - b), yy = -weight * g - (a + b),
                             xy = weight * i * g - i * b;
  const auto part = [&](const std::complex<double>& v) { return first ? v.real() : v.imag(); };
  return {part(xx), part(yy), part(xy)};
}

/// Faces connected to the tip's whose middle is nearer than the radius.
std::vector<int32_t> facesAround(const SheetMesh& mesh, int32_t corner, double radius) {
  const Vec3 centre = mesh.rest[mesh.cornerVertex(corner)];
  std::vector<int32_t> list;
  std::set<int32_t> seen;
  for (const int32_t c : mesh.fan(corner))
    if (seen.insert(c / 3).second) list.push_back(c / 3);
  for (size_t i = 0; i < list.size(); ++i)
    for (int k = 0; k < 3; ++k) {
      const int32_t other = mesh.across[list[i]][k];
      if (other < 0 || seen.count(other / 3)) continue;
      const Triangle& t = mesh.faces[other / 3];
      if (((mesh.rest[t[0]] + mesh.rest[t[1]] + mesh.rest[t[2]]) / 3 - centre).norm() > radius) continue;
      seen.insert(other / 3);
      list.push_back(other / 3);
    }
  return list;
}

/// Solves a small least-squares problem with columns scaled to one.
Eigen::VectorXd scaledLeastSquares(Eigen::MatrixXd A, const Eigen::VectorXd& b) {
  const Eigen::VectorXd scale = A.colwise().norm().cwiseMax(1e-300);
  A = A * scale.cwiseInverse().asDiagonal();
  return leastSquares(A, b).cwiseQuotient(scale);
}

}  // namespace

TipIntensity fitTip(const SheetMesh& mesh, const std::vector<ShellFace>& faces,
                    const std::vector<ShellStrain>& strains, const ShellMaterial& material,
                    const CrackTip& tip, double innerRadius, double outerRadius) {
  const double nu = material.poisson, Y = material.young;
  const Vec3 centre = mesh.rest[mesh.cornerVertex(tip.corner)];
  Vec3 normal = Vec3::Zero();
  for (const int32_t c : mesh.fan(tip.corner)) normal += mesh.restNormal(c / 3);
  const Vec3 ahead =
      (tip.direction - normal.normalized().dot(tip.direction) * normal.normalized()).normalized();
  Eigen::Matrix<double, 2, 3> frame;
  frame.row(0) = ahead.transpose();
  frame.row(1) = normal.normalized().cross(ahead).transpose();

  struct Row {
    Eigen::Matrix<double, 3, kMembraneTerms> membrane;
    Eigen::Matrix<double, 3, kBendingTerms> bending;
    Stress stress, curvature;
  };
  std::vector<Row> rows;
  double thickness = 0;
  for (const int32_t f : facesAround(mesh, tip.corner, outerRadius)) {
    const Triangle& t = mesh.faces[f];
    const Vec3 middle = (mesh.rest[t[0]] + mesh.rest[t[1]] + mesh.rest[t[2]]) / 3 - centre;
    const double r = middle.norm();
    if (r < innerRadius || r > outerRadius) continue;
    const Vec2 flat = frame * middle;
    if (std::abs(std::atan2(flat.y(), flat.x())) > 2.8)
      continue;  // beside the crack: sides may be taken for each other
    Row row;
    row.membrane.setZero();
    row.bending.setZero();
    for (int g = 0; g < 3; ++g) {
      const Vec2 p =
          frame * ((mesh.rest[t[0]] + mesh.rest[t[1]] + mesh.rest[t[2]] + 3 * mesh.rest[t[g]]) / 6 - centre);
      const double rho = p.norm(), angle = std::atan2(p.y(), p.x());
      for (int n = 1; n <= 3; ++n) row.membrane.col(n - 1) += williams(rho, angle, n, true) / 3;
      row.membrane.col(3) += williams(rho, angle, 1, false) / 3;
      row.membrane.col(4) += williams(rho, angle, 3, false) / 3;
      row.bending.col(0) += plateField(p.x(), p.y(), nu, true) / 3;
      row.bending.col(1) += plateField(p.x(), p.y(), nu, false) / 3;
    }
    row.bending.col(2) = Stress(1, -nu, 0);
    row.bending.col(3) = Stress(0, 0, 1);
    // Stress and curvature in the frame of the tip.
    const Eigen::Matrix2d turn = frame * faces[f].frame;
    const auto inFrame = [&](const Sym2& a) {
      const Eigen::Matrix2d m = turn * fromSym2(a) * turn.transpose();
      return Stress(m(0, 0), m(1, 1), m(0, 1));
    };
    row.stress = inFrame(Y / (1 - nu * nu) * (planeStress(nu) * strains[f].membrane));
    row.curvature = inFrame(strains[f].curvature);
    const double weight = std::sqrt(faces[f].area / r);
    row.membrane *= weight;
    row.bending *= weight;
    row.stress *= weight;
    row.curvature *= weight;
    rows.push_back(row);
    thickness += faces[f].thickness;
  }
  TipIntensity result;
  result.faces = static_cast<int>(rows.size());
  if (rows.size() < 6) return result;
  thickness /= static_cast<double>(rows.size());

  const auto n = static_cast<Eigen::Index>(3 * rows.size());
  Eigen::MatrixXd A(n, kMembraneTerms), B(n, kBendingTerms);
  Eigen::VectorXd s(n), c(n);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(3 * i);
    A.middleRows<3>(at) = rows[i].membrane;
    B.middleRows<3>(at) = rows[i].bending;
    s.segment<3>(at) = rows[i].stress;
    c.segment<3>(at) = rows[i].curvature;
  }
  const Eigen::VectorXd membrane = scaledLeastSquares(A, s), bending = scaledLeastSquares(B, c);
  result.K1 = std::sqrt(2 * kPi) * membrane[0];
  result.K2 = -std::sqrt(2 * kPi) * membrane[3];
  const double unit = 2 * M_SQRT2 * (1 - nu * nu) / (2 * Y * thickness * (3 + nu));
  result.k1 = bending[0] / unit;
  result.k2 = bending[1] / unit;
  result.valid = true;
  return result;
}

double energyRelease(const TipIntensity& i, const ShellMaterial& material) {
  const double nu = material.poisson;
  return ((i.K1 * i.K1 + i.K2 * i.K2) + kPi * (1 + nu) / (3 * (3 + nu)) * (i.k1 * i.k1 + i.k2 * i.k2)) /
         material.young;
}

Kink chooseKink(const TipIntensity& i, const ShellMaterial& material,
                const std::function<double(double)>& toughness) {
  // Bending intensities as membrane intensities of equal release, opening one face and closing the other.
  const double c = std::sqrt(kPi * (1 + material.poisson) / (3 * (3 + material.poisson)));
  const auto release = [&](double angle) {
    const double h = std::cos(0.5 * angle);
    double sum = 0;
    for (const double side : {1.0, -1.0}) {
      const double K1 = i.K1 + side * c * i.k1;
      const double hoop = h * (K1 * h * h - 1.5 * i.K2 * std::sin(angle));
      sum += 0.5 * std::pow(std::max(hoop, 0.0), 2) / material.young;
    }
    // Tearing (k2) pulls the faces of the crack past each other and has no better direction than straight on.
    return sum + std::pow(c * i.k2 * h * h, 2) / material.young;
  };
  Kink best;
  double bestRatio = -1;
  constexpr int kSamples = 37;  // every 4 degrees to 72 on either side: straight on first, then outwards
  for (int s = 0; s < kSamples; ++s) {
    const double angle = (s % 2 == 0 ? 1 : -1) * ((s + 1) / 2) * (kPi / 45);
    const double G = release(angle), Gc = toughness(angle);
    if (G > bestRatio * Gc * (1 + 1e-9)) {
      bestRatio = G / Gc;
      best = {angle, G, Gc};
    }
  }
  // Refine between the samples: golden section on the ratio.
  double low = best.angle - kPi / 45, high = best.angle + kPi / 45;
  constexpr double kGolden = 0.6180339887498949;
  for (int s = 0; s < 24; ++s) {
    const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
    if (release(a) / toughness(a) > release(b) / toughness(b))
      high = b;
    else
      low = a;
  }
  const double angle = 0.5 * (low + high);
  if (release(angle) / toughness(angle) > bestRatio) best = {angle, release(angle), toughness(angle)};
  return best;
}

}  // namespace hackle
