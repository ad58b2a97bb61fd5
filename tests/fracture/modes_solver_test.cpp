#include <fracture/mode_lattices.h>
#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/fracture/modes/mode_solver.h>

#include <ctime>

namespace hackle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::boxOfCubes;
using test::dumbbell;
using test::stuffed;
using test::Tets;

FractureModes solve(const ElementGraph& graph, size_t count, size_t starts = 4, int threads = 0) {
  Context context;
  context.setThreads(threads);
  ModeOptions options;
  options.count = count;
  options.starts = starts;
  return fractureModes(graph, options, context);
}

VectorXd masses(const ElementGraph& graph) {
  return Eigen::Map<const VectorXd>(graph.masses.data(), static_cast<Eigen::Index>(graph.size()));
}

/// Faces over which a mode jumps.
std::vector<uint8_t> jumpSet(const ElementGraph& graph, const VectorXd& mode) {
  std::vector<uint8_t> jumps;
  for (const auto& [a, b] : graph.faces) jumps.push_back(mode[a] != mode[b]);
  return jumps;
}

/// Mean place of the faces over which a mode jumps, by area times jump.
Vec3 placeOfCut(const Tets& tets, const ElementGraph& graph, const VectorXd& mode) {
  Vec3 sum(0, 0, 0);
  double weight = 0;
  for (size_t f = 0; f < graph.faces.size(); ++f) {
    const auto [a, b] = graph.faces[f];
    const double w = graph.areas[f] * std::abs(mode[a] - mode[b]);
    sum += 0.5 * w * (tets.centre(static_cast<size_t>(a)) + tets.centre(static_cast<size_t>(b)));
    weight += w;
  }
  return sum / weight;
}

TEST(FractureModes, AreOrthonormalPiecewiseConstantAndOfFewPieces) {
  const Tets tets = stuffed(dumbbell, 0.13, Vec3(1.2, 0.6, 0.6));
  ElementPaint paint;
  Random random(3);
  for (size_t t = 0; t < tets.tetrahedra.size(); ++t) paint.density.push_back(500 * (1 + random.uniform()));
  const ElementGraph graph = tets.graph(paint);
  const FractureModes modes = solve(graph, 8);
  ASSERT_EQ(modes.values.cols(), 8);
  const VectorXd m = masses(graph);
  const MatrixXd gram = modes.values.transpose() * m.asDiagonal() * modes.values;
  EXPECT_LT((gram - MatrixXd::Identity(8, 8)).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((m.transpose() * modes.values).cwiseAbs().maxCoeff(), 1e-10 * std::sqrt(m.sum()));
  for (Eigen::Index k = 0; k < 8; ++k) {
    const FractureMode& mode = modes.modes[k];
    EXPECT_TRUE(mode.converged);
    EXPECT_LE(mode.gap, 1e-6);
    EXPECT_GE(mode.pieces, 2u);
    EXPECT_LE(mode.pieces, static_cast<size_t>(k) + 2);
    double energy = 0, smallest = 1e300;
    for (size_t f = 0; f < graph.faces.size(); ++f) {
      const double jump = std::abs(modes.values(graph.faces[f][0], k) - modes.values(graph.faces[f][1], k));
      energy += graph.costs(static_cast<Eigen::Index>(f), 0) * jump;
      if (jump != 0) smallest = std::min(smallest, jump);
    }
    EXPECT_NEAR(energy, mode.energy, 1e-9 * energy);
    EXPECT_NEAR(smallest, mode.smallestJump, 1e-12 * smallest);
    // Jumps are nothing or clear of rounding.
    EXPECT_GT(smallest, 1e-9 * modes.values.col(k).cwiseAbs().maxCoeff());
  }
}

TEST(FractureModes, ADumbbellBreaksAtItsNeck) {
  const Tets tets = stuffed(dumbbell, 0.11, Vec3(1.2, 0.6, 0.6));
  const ElementGraph graph = tets.graph();
  const FractureModes modes = solve(graph, 1);
  EXPECT_EQ(modes.modes[0].pieces, 2u);
  EXPECT_NEAR(placeOfCut(tets, graph, modes.values.col(0)).x(), 0.1, 0.1);
}

TEST(FractureModes, ALongBoneBreaksMidShaft) {
  const auto bone = [](const Vec3& p) {
    const double shaft =
        std::max(std::hypot(p.y(), p.z()) - 0.11 - 0.03 * p.x() * p.x(), std::abs(p.x()) - 1.0);
    const double head = (p - Vec3(1.0, 0.08, 0)).norm() - 0.22, condyle = (p - Vec3(-1.0, 0, 0)).norm() - 0.2;
    return std::min({shaft, head, condyle});
  };
  const Tets tets = stuffed(bone, 0.1, Vec3(1.4, 0.5, 0.5));
  const ElementGraph graph = tets.graph();
  const FractureModes modes = solve(graph, 1);
  EXPECT_EQ(modes.modes[0].pieces, 2u);
  EXPECT_LT(std::abs(placeOfCut(tets, graph, modes.values.col(0)).x()), 0.3);
}

TEST(FractureModes, ANotchedBlockBreaksAtItsNotch) {
  const auto block = [](const Vec3& p) {
    const Vec3 q = p.cwiseAbs() - Vec3(0.8, 0.25, 0.25);
    const double notch = 0.25 - std::abs(p.x() - 0.25) - (0.25 - p.y());
    return std::max(q.maxCoeff(), notch);
  };
  const Tets tets = stuffed(block, 0.09, Vec3(1, 0.4, 0.4));
  const ElementGraph graph = tets.graph();
  const FractureModes modes = solve(graph, 1);
  EXPECT_NEAR(placeOfCut(tets, graph, modes.values.col(0)).x(), 0.25, 0.09);
}

TEST(FractureModes, ASymmetricBarBreaksSymmetrically) {
  const Tets tets = boxOfCubes({8, 2, 2}, 0.1);
  const ElementGraph graph = tets.graph();
  const FractureModes modes = solve(graph, 3, 1);
  std::map<std::array<int64_t, 3>, int32_t> places;
  const auto place = [](const Vec3& p) {
    return std::array<int64_t, 3>{std::llround(1e6 * p.x()), std::llround(1e6 * p.y()),
                                  std::llround(1e6 * p.z())};
  };
  for (size_t t = 0; t < graph.size(); ++t) places[place(tets.centre(t))] = static_cast<int32_t>(t);
  VectorXd mirrored(modes.values.rows());
  // The middle cut is its own mirror image, with the sign turned.
  for (size_t t = 0; t < graph.size(); ++t)
    mirrored[t] = modes.values(places.at(place(tets.centre(t).cwiseProduct(Vec3(-1, 1, 1)))), 0);
  EXPECT_NEAR(mirrored.cwiseProduct(masses(graph)).dot(modes.values.col(0)), -1, 1e-9);
  // Its energy is that of the cross section: area times 2 / sqrt(mass).
  EXPECT_NEAR(modes.modes[0].energy, 0.04 * 2 / std::sqrt(masses(graph).sum()), 1e-9);
}

TEST(FractureModes, MovedAndScaledLatticesHaveTheSameModes) {
  Tets tets = stuffed(dumbbell, 0.15, Vec3(1.2, 0.6, 0.6));
  const ElementGraph graph = tets.graph();
  const FractureModes modes = solve(graph, 4);
  const Mat3 turn = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  constexpr double kScale = 3;
  for (Vec3& p : tets.points) p = kScale * (turn * p) + Vec3(5, -2, 1);
  const ElementGraph moved = tets.graph();
  const FractureModes others = solve(moved, 4);
  for (Eigen::Index k = 0; k < 4; ++k) {
    EXPECT_EQ(jumpSet(graph, modes.values.col(k)), jumpSet(moved, others.values.col(k))) << k;
    // Areas grow as the square, values fall with the root of the mass.
    EXPECT_NEAR(others.modes[k].energy / modes.modes[k].energy, std::sqrt(kScale), 1e-8);
  }
}

TEST(FractureModes, RefiningOrGradingDoesNotMoveTheCut) {
  std::vector<double> energies;
  for (const auto& [cell, interior] :
       std::vector<std::array<double, 2>>{{0.13, 0}, {0.085, 0}, {0.085, 0.34}}) {
    const Tets tets = stuffed(dumbbell, cell, Vec3(1.2, 0.6, 0.6), interior);
    const ElementGraph graph = tets.graph();
    const FractureModes modes = solve(graph, 1);
    EXPECT_NEAR(placeOfCut(tets, graph, modes.values.col(0)).x(), 0.1, 0.1) << cell << " " << interior;
    energies.push_back(modes.modes[0].energy);
  }
  EXPECT_NEAR(energies[1] / energies[0], 1, 0.15);
  EXPECT_NEAR(energies[2] / energies[1], 1, 0.1);
}

TEST(FractureModes, ToughRegionsStayWhole) {
  const Tets tets = stuffed(dumbbell, 0.13, Vec3(1.2, 0.6, 0.6));
  ElementPaint paint;
  const auto tough = [&](size_t t) { return std::abs(tets.centre(t).x() - 0.1) < 0.4; };
  for (size_t t = 0; t < tets.tetrahedra.size(); ++t) paint.toughness.push_back(tough(t) ? 1e4 : 1.0);
  const ElementGraph graph = tets.graph(paint);
  const FractureModes modes = solve(graph, 6);
  for (Eigen::Index k = 0; k < 6; ++k)
    for (const auto& [a, b] : graph.faces)
      if (tough(static_cast<size_t>(a)) && tough(static_cast<size_t>(b))) {
        ASSERT_EQ(modes.values(a, k), modes.values(b, k)) << k;
      }
}

TEST(FractureModes, WeightsPerAxisDecouple) {
  const Tets tets = stuffed(dumbbell, 0.15, Vec3(1.2, 0.6, 0.6));
  ElementPaint paint;
  paint.axisToughness.assign(tets.tetrahedra.size(), Vec3(10, 4, 1));
  const ElementGraph graph = tets.graph(paint);
  ASSERT_FALSE(graph.isotropic());
  const FractureModes modes = solve(graph, 2), isotropic = solve(tets.graph(), 2);
  ASSERT_EQ(modes.modes.size(), 6u);
  for (size_t m = 0; m < 6; ++m) {
    EXPECT_EQ(modes.modes[m].axes, 1 << (m / 2));
    const double eta = std::array<double, 3>{10, 4, 1}[m / 2];
    EXPECT_NEAR(modes.modes[m].energy / isotropic.modes[m % 2].energy, eta, 1e-6 * eta);
  }
}

TEST(FractureModes, SameBytesOnAnyNumberOfThreads) {
  const Tets tets = stuffed(dumbbell, 0.13, Vec3(1.2, 0.6, 0.6));
  const ElementGraph graph = tets.graph();
  const FractureModes one = solve(graph, 5, 3, 1), many = solve(graph, 5, 3, 4);
  EXPECT_TRUE(one.values == many.values);
  EXPECT_EQ(one.cuts, many.cuts);
}

TEST(FractureModes, StopWithinATenthOfASecond) {
  const Tets tets = stuffed(dumbbell, 0.05, Vec3(1.2, 0.6, 0.6));
  const ElementGraph graph = tets.graph();
  ASSERT_GT(graph.size(), 20000u);
  for (const double delay : {0.01, 0.3, 0.8}) {
    // In processor time of one thread, so that other programs do not count.
    Context context;
    context.setThreads(1);
    const std::clock_t start = std::clock();
    const auto seconds = [&] { return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC; };
    context.setCancelPoll([&] { return seconds() > delay; });
    EXPECT_THROW(fractureModes(graph, ModeOptions(), context), Error);
    EXPECT_LT(seconds(), delay + 0.1);
  }
}

TEST(FractureModes, BadInputIsNamed) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::BadInput);
      EXPECT_FALSE(e.remedy().empty());
      return e.what();
    }
    return "nothing";
  };
  Tets tets = boxOfCubes({2, 1, 1}, 1.0);
  EXPECT_EQ(message([&] { solve(tets.graph(), 48); }), "48 modes are asked of a lattice of 48 elements");
  ElementPaint paint;
  paint.toughness.assign(3, 1.0);
  EXPECT_EQ(message([&] { tets.graph(paint); }), "toughness is given for 3 of 48 tetrahedra");
  paint.toughness.assign(48, 1.0);
  paint.toughness[7] = -2;
  EXPECT_EQ(message([&] { tets.graph(paint); }), "toughness of tetrahedron 7 is -2");

  Tets apart = tets;
  for (const Vec3& p : tets.points) apart.points.push_back(p + Vec3(10, 0, 0));
  for (Tetrahedron t : tets.tetrahedra) {
    for (int32_t& p : t) p += static_cast<int32_t>(tets.points.size());
    apart.tetrahedra.push_back(t);
  }
  EXPECT_EQ(message([&] { solve(apart.graph(), 2); }),
            "the lattice is in 2 parts, the largest of 48 of its 96 elements");
  EXPECT_EQ(message([&] { solve(ElementGraph(), 2); }), "the lattice has no elements");
  tets.tetrahedra.push_back(tets.tetrahedra[0]);
  EXPECT_EQ(message([&] { tets.graph(); }).substr(0, 11), "tetrahedra ");
  tets.tetrahedra.back() = {0, 0, 1, 2};
  EXPECT_EQ(message([&] { tets.graph(); }), "tetrahedron 48 has no volume");
}

TEST(FractureModes, FewElementsGiveAllTheirModes) {
  const Tets tets = boxOfCubes({1, 1, 1}, 1.0);
  const ElementGraph graph = tets.graph();
  const FractureModes modes = solve(graph, 23);
  const MatrixXd gram = modes.values.transpose() * masses(graph).asDiagonal() * modes.values;
  EXPECT_LT((gram - MatrixXd::Identity(23, 23)).cwiseAbs().maxCoeff(), 1e-8);
}

}  // namespace
}  // namespace hackle
