// Laws of the shell element: derivatives, constant states, invariance.
#include "sheet_meshes.h"

#include <hackle/core/random.h>
#include <hackle/fracture/sheet/shell_element.h>

#include <gtest/gtest.h>

namespace hackle {
namespace {

const ShellMaterial kMaterial{2.0, 0.3, 1.0, 0.7, 0.0};

/// A face with a rest shape, plastic parts and a state that are all out of the ordinary.
struct OddFace {
  SheetMesh mesh;
  ShellFace face;
  ShellState state;
  Vec3 sign{1, -1, 1};

  explicit OddFace(uint64_t seed) {
    Random random(seed);
    mesh = SheetMesh::make({{0, 0, 0}, {1.1, 0.1, 0.2}, {0.3, 0.9, -0.1}}, {{0, 1, 2}}, 0.4);
    SheetHistory& past = mesh.history[0];
    past.stretch = Vec3(1.05, 0.97, 1.0).asDiagonal();
    past.curvature = 0.1 * Mat3::Identity();
    past.strainBefore = 0.02 * Mat3::Identity();
    past.curvatureBefore = -0.03 * Mat3::Identity();
    face = makeShellFace(mesh, 0, Vec3(0.1, -0.2, 0.05));
    const auto noise = [&] { return Vec3(random.normal(), random.normal(), random.normal()); };
    for (int i = 0; i < 3; ++i) state.x[i] = mesh.rest[i] + 0.2 * noise();
    const Vec3 n = (state.x[1] - state.x[0]).cross(state.x[2] - state.x[0]).normalized();
    for (int i = 0; i < 3; ++i) {
      const Vec3 e = (state.x[(i + 2) % 3] - state.x[(i + 1) % 3]).normalized();
      const double turn = 0.3 * random.normal();
      state.director[i] = std::cos(turn) * n + std::sin(turn) * e.cross(n);
    }
  }

  /// The state moved along the unknowns, as Newton's method moves it.
  ShellState moved(const Eigen::Matrix<double, 12, 1>& step) const {
    ShellState s = state;
    for (int i = 0; i < 3; ++i) s.x[i] += step.segment<3>(3 * i);
    for (int i = 0; i < 3; ++i) {
      const int a = (i + 1) % 3, b = (i + 2) % 3;
      const Vec3 from = (state.x[b] - state.x[a]).normalized(), to = (s.x[b] - s.x[a]).normalized();
      const Vec3 d = parallelTransport(state.director[i], from, to);
      const double turn = sign[i] * step[9 + i];
      s.director[i] = std::cos(turn) * d + std::sin(turn) * to.cross(d);
    }
    return s;
  }

  ShellResponse at(const Eigen::Matrix<double, 12, 1>& step, ShellOrder order) const {
    ShellResponse r;
    evaluateShell(face, kMaterial, 0.5, moved(step), sign, order, r);
    return r;
  }
};

TEST(SheetElement, GradientIsTheDerivativeOfTheEnergy) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const OddFace odd(seed);
    const ShellResponse r = odd.at(Eigen::Matrix<double, 12, 1>::Zero(), ShellOrder::Gradient);
    const double h = 1e-5;
    for (int i = 0; i < 12; ++i) {
      Eigen::Matrix<double, 12, 1> step = Eigen::Matrix<double, 12, 1>::Zero();
      const auto slope = [&](double d) {
        step[i] = d;
        const double up = odd.at(step, ShellOrder::Energy).potential;
        step[i] = -d;
        return (up - odd.at(step, ShellOrder::Energy).potential) / (2 * d);
      };
      const double exact = (4 * slope(h) - slope(2 * h)) / 3;
      EXPECT_NEAR(r.gradient[i], exact, 1e-8 * (1 + r.gradient.norm())) << seed << " " << i;
    }
  }
}

TEST(SheetElement, HessianIsTheDerivativeOfTheGradient) {
  for (uint64_t seed = 1; seed <= 5; ++seed) {
    const OddFace odd(seed);
    const ShellResponse r = odd.at(Eigen::Matrix<double, 12, 1>::Zero(), ShellOrder::Hessian);
    Eigen::Matrix<double, 12, 12> H;
    const double h = 1e-5;
    for (int i = 0; i < 12; ++i) {
      Eigen::Matrix<double, 12, 1> step = Eigen::Matrix<double, 12, 1>::Zero();
      const auto slope = [&](double d) -> Eigen::Matrix<double, 12, 1> {
        step[i] = d;
        const Eigen::Matrix<double, 12, 1> up = odd.at(step, ShellOrder::Gradient).gradient;
        step[i] = -d;
        return (up - odd.at(step, ShellOrder::Gradient).gradient) / (2 * d);
      };
      H.col(i) = (4 * slope(h) - slope(2 * h)) / 3;
    }
    // Angles measured from transported directors have a skew part (holonomy) that cancels between neighbours.
    const Eigen::Matrix<double, 12, 12> symmetric = 0.5 * (H + H.transpose());
    EXPECT_LT((r.hessian - symmetric).norm(), 1e-7 * symmetric.norm()) << seed;
  }
}

TEST(SheetElement, PositiveHessianIsPositive) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const OddFace odd(seed);
    const ShellResponse r = odd.at(Eigen::Matrix<double, 12, 1>::Zero(), ShellOrder::PositiveHessian);
    Random random(seed, 7);
    for (int i = 0; i < 50; ++i) {
      Eigen::Matrix<double, 12, 1> y;
      for (int j = 0; j < 12; ++j) y[j] = random.normal();
      EXPECT_GE(y.dot(r.hessian * y), -1e-12 * r.hessian.norm() * y.squaredNorm());
    }
  }
}

TEST(SheetElement, RigidMotionStoresNothing) {
  SheetMesh mesh = sheets::rectangleSheet(1, 1, 4, 4, 0.01, 0.3);
  const Mat3 turn = Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  sheets::deform(mesh, [&](const Vec3& p) { return Vec3(turn * p + Vec3(100, -50, 3)); });
  const std::vector<Vec3> turns = restTurns(mesh);
  for (int32_t f = 0; f < static_cast<int32_t>(mesh.faceCount()); ++f) {
    const ShellFace face = makeShellFace(mesh, f, turns[f]);
    const Triangle& t = mesh.faces[f];
    const auto& e = mesh.edges[f];
    const ShellStrain s =
        shellStrain(face, {{mesh.x[t[0]], mesh.x[t[1]], mesh.x[t[2]]},
                           {mesh.director[e[0]], mesh.director[e[1]], mesh.director[e[2]]}});
    EXPECT_LT(s.membrane.norm(), 1e-11);
    EXPECT_LT(s.curvature.norm(), 1e-9);
  }
}

/// Constant strain on any mesh: G = (F^T F - I) / 2 in every face, exactly.
TEST(SheetElement, ConstantStrainIsExact) {
  SheetMesh mesh = sheets::rectangleSheet(2, 1, 6, 5, 0.01, 0.3);
  Mat3 F;
  F << 1.1, 0.2, 0, -0.1, 0.9, 0, 0.3, 0.1, 1;
  sheets::deform(mesh, [&](const Vec3& p) { return Vec3(F * p); });
  const Eigen::Matrix2d exact = (0.5 * (F.transpose() * F - Mat3::Identity())).topLeftCorner<2, 2>();
  const std::vector<Vec3> turns = restTurns(mesh);
  for (int32_t f = 0; f < static_cast<int32_t>(mesh.faceCount()); ++f) {
    const ShellFace face = makeShellFace(mesh, f, turns[f]);
    const Triangle& t = mesh.faces[f];
    const auto& e = mesh.edges[f];
    const ShellStrain s =
        shellStrain(face, {{mesh.x[t[0]], mesh.x[t[1]], mesh.x[t[2]]},
                           {mesh.director[e[0]], mesh.director[e[1]], mesh.director[e[2]]}});
    const Eigen::Matrix2d turn = face.frame.topRows<2>();  // face frame in the plane z = 0
    EXPECT_LT((turn * fromSym2(s.membrane) * turn.transpose() - exact).norm(), 1e-10);
  }
}

/// A small constant curvature w = (a x^2 + 2 c x y + b y^2) / 2 with the exact normals as directors: Morley's
/// element has S = -(w_xx, w_yy, w_xy) in every face of any mesh, to first order.
TEST(SheetElement, ConstantCurvatureIsExact) {
  SheetMesh mesh = sheets::rectangleSheet(2, 1, 6, 5, 0.01, 0.3);
  const double a = 1e-6, b = -2e-6, c = 0.7e-6;
  sheets::deform(mesh, [&](const Vec3& p) {
    return Vec3(p.x(), p.y(), 0.5 * (a * p.x() * p.x() + 2 * c * p.x() * p.y() + b * p.y() * p.y()));
  });
  for (size_t f = 0; f < mesh.faceCount(); ++f)
    for (int k = 0; k < 3; ++k) {
      const Vec3& p = mesh.rest[mesh.faces[f][(k + 1) % 3]];
      const Vec3& q = mesh.rest[mesh.faces[f][(k + 2) % 3]];
      const Vec3 middle = 0.5 * (p + q),
                 e = (mesh.x[mesh.faces[f][(k + 2) % 3]] - mesh.x[mesh.faces[f][(k + 1) % 3]]).normalized();
      const Vec3 n(-a * middle.x() - c * middle.y(), -c * middle.x() - b * middle.y(), 1.0);
      mesh.director[mesh.edges[f][k]] = (n - e.dot(n) * e).normalized();
    }
  const std::vector<Vec3> turns = restTurns(mesh);
  Eigen::Matrix2d exact;
  exact << a, c, c, b;
  for (int32_t f = 0; f < static_cast<int32_t>(mesh.faceCount()); ++f) {
    const ShellFace face = makeShellFace(mesh, f, turns[f]);
    const Triangle& t = mesh.faces[f];
    const auto& e = mesh.edges[f];
    const ShellStrain s =
        shellStrain(face, {{mesh.x[t[0]], mesh.x[t[1]], mesh.x[t[2]]},
                           {mesh.director[e[0]], mesh.director[e[1]], mesh.director[e[2]]}});
    const Eigen::Matrix2d turn = face.frame.topRows<2>();
    const Eigen::Matrix2d S = turn * fromSym2(s.curvature) * turn.transpose();
    EXPECT_LT(std::min((S - exact).norm(), (S + exact).norm()), 1e-10 + 1e-5 * exact.norm());
  }
}

}  // namespace
}  // namespace hackle
