#include "penny_cube.h"

#include <gtest/gtest.h>
#include <hackle/core/error.h>
#include <hackle/fracture/crack/growth/crack_state.h>
#include <hackle/fracture/crack/growth/initial_crack.h>

namespace hackle {
namespace {

/// A cube with a tilted penny, and places where cracks start by themselves.
PennyCube scene(CrackMethod method) {
  PennyCube cube;
  cube.tilt = 0.4;
  cube.options.method = method;
  cube.options.hybridElements = 190;
  cube.options.steps = 5;
  cube.options.cracks = 1;
  cube.material.strength = ScalarField::linear(1e6, Vec3(0, 0, 2e7), Vec3(0, 0, 0.17)).clamped(2.9e6, {});
  return cube;
}

void expectSame(const CrackSolver& a, const CrackSolver& b) {
  ASSERT_EQ(a.cracks().size(), b.cracks().size());
  ASSERT_EQ(a.log().size(), b.log().size());
  EXPECT_EQ(a.simulatedSeconds(), b.simulatedSeconds());
  for (size_t i = 0; i < a.log().size(); ++i) {
    EXPECT_EQ(a.log()[i].moved, b.log()[i].moved) << i;
    EXPECT_EQ(a.log()[i].intensity, b.log()[i].intensity) << i;
    EXPECT_EQ(a.log()[i].area, b.log()[i].area) << i;
  }
  for (size_t c = 0; c < a.cracks().size(); ++c) {
    const SheetBand &x = a.cracks()[c]->band(), &y = b.cracks()[c]->band();
    ASSERT_EQ(x.triangleCount(), y.triangleCount());
    for (size_t t = 0; t < x.triangleCount(); ++t) EXPECT_EQ(x.triangle(t), y.triangle(t));
    EXPECT_EQ(a.cracks()[c]->times(), b.cracks()[c]->times());
    size_t voxels = 0;
    x.forEach([&](const Voxel& v, const SheetBand::Entry& e) {
      voxels += y.at(v).distance == e.distance && y.at(v).triangle == e.triangle;
    });
    size_t all = 0;
    y.forEach([&](const Voxel&, const SheetBand::Entry&) { ++all; });
    EXPECT_EQ(voxels, all);
  }
  EXPECT_EQ(a.solution().u, b.solution().u);
  EXPECT_EQ(a.solution().q, b.solution().q);
}

std::unique_ptr<CrackSolver> empty(PennyCube cube, Context& context) {
  cube.radius = 0;  // no penny: it is in the state
  return cube.solver(context);
}

class CrackStateOf : public testing::TestWithParam<CrackMethod> {};
INSTANTIATE_TEST_SUITE_P(Methods, CrackStateOf,
                         testing::Values(CrackMethod::Full, CrackMethod::Fast, CrackMethod::Hybrid));

TEST_P(CrackStateOf, AKilledRunGoesOnToTheSameEnd) {
  Context context;
  const PennyCube cube = scene(GetParam());
  const auto whole = cube.solver(context);
  std::vector<std::string> states;
  whole->run(context, [&](const CrackSolver& s) { states.push_back(saveCrackState(s)); });
  ASSERT_GE(states.size(), 4u);
  for (const size_t step : {size_t{0}, size_t{2}, states.size() - 1}) {
    const auto resumed = empty(cube, context);
    resumeCracks(*resumed, states[step], context);
    EXPECT_EQ(resumed->log().size(), step + 1);
    EXPECT_EQ(saveCrackState(*resumed), states[step]);
    resumed->run(context);
    expectSame(*whole, *resumed);
  }
}

TEST_P(CrackStateOf, ALaterLoadGoesOnWhereTheFirstHeld) {
  Context context;
  PennyCube cube = scene(GetParam());
  cube.options.cracks = 0;
  const auto first = cube.solver(context);
  first->step(context);
  first->step(context);
  // Too little to go on.
  PennyCube weak = cube;
  weak.stress *= 0.2;
  const auto idle = empty(weak, context);
  resumeCracks(*idle, saveCrackState(*first), context);
  EXPECT_FALSE(idle->step(context));
  EXPECT_GT(idle->log().back().intensity, 0);
  const std::string held = saveCrackState(*idle);

  // The first load again, in another solver and in the same one: both go on, alike.
  const auto later = empty(cube, context);
  resumeCracks(*later, held, context);
  const size_t before = later->cracks()[0]->band().triangleCount();
  EXPECT_TRUE(later->step(context));
  EXPECT_GT(later->cracks()[0]->band().triangleCount(), before);
  const BemSurface& body = idle->system().body();
  BoundaryData data(body.nodeCount(), body.triangleCount());
  for (size_t t = 0; t < body.triangleCount(); ++t) data.traction[t] = cube.stress * body.normal(t);
  idle->setValues(data, context);
  EXPECT_TRUE(idle->step(context));
  EXPECT_NEAR(idle->log().back().intensity / later->log().back().intensity, 1, 1e-6);
  // And as if nothing had happened in between.
  first->step(context);
  EXPECT_NEAR(later->log().back().intensity / first->log().back().intensity, 1, 0.1);
}

TEST(CrackState, FacesOnWhichBranchesWereTriedAreRemembered) {
  // A crack just below the top: what it leaves above is bent and pressed the most where it is thinnest, too
  // thin for a new crack. One place is tried a step, the worst one first.
  Context context;
  PennyCube cube;
  cube.radius = 0;
  cube.cells = 4;
  cube.options.coarse = 0.1;
  cube.options.fine = 0.02;
  cube.options.branching = true;
  cube.options.cracks = 1;
  cube.material.toughness = ScalarField::constant(1e12);
  std::vector<double> strengths(20, 1e12);
  strengths[0] = 8e6;  // around the crack only
  cube.material.strength = ScalarField::layers(strengths, 0.06, Vec3(0, 0, 1), Vec3(0, 0, 0.435));
  const auto whole = cube.solver(context);
  const InitialSheet sheet =
      ellipseCrack(Vec3(0, 0, 0.472), Vec3(-0.15, 0, -1), Vec3(1, 0, 0), 0.25, 0.25, 0.08);
  whole->addCrack(sheet.points, sheet.triangles, context);
  size_t tried = 0;
  std::string state;
  for (; tried < 10 && whole->cracks().size() == 1; ++tried) {
    whole->step(context);
    if (tried == 0) state = saveCrackState(*whole);
  }
  ASSERT_EQ(whole->cracks().size(), 2u);
  ASSERT_GT(tried, 1u);
  const auto resumed = cube.solver(context);
  resumeCracks(*resumed, state, context);
  for (size_t s = 1; s < tried; ++s) resumed->step(context);
  expectSame(*whole, *resumed);
}

TEST(CrackState, DamagedBytesAreRefusedAndChangeNothing) {
  Context context;
  const PennyCube cube = scene(CrackMethod::Full);
  const auto solver = cube.solver(context);
  solver->step(context);
  const std::string state = saveCrackState(*solver);
  EXPECT_TRUE(isCrackState(state));
  EXPECT_FALSE(isCrackState("solid cube"));
  const auto fresh = empty(cube, context);
  for (const size_t at : {size_t{3}, size_t{20}, state.size() / 2, state.size() - 1}) {
    std::string bad = state;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    EXPECT_THROW(resumeCracks(*fresh, bad, context), Error) << at;
    EXPECT_THROW(resumeCracks(*fresh, std::string_view(state).substr(0, at), context), Error) << at;
  }
  EXPECT_THROW(resumeCracks(*fresh, "", context), Error);
  resumeCracks(*fresh, state, context);
  expectSame(*solver, *fresh);
  EXPECT_THROW(resumeCracks(*fresh, state, context), Error);
}

TEST(CrackState, NamesWhatDoesNotFit) {
  Context context;
  const PennyCube cube = scene(CrackMethod::Full);
  const auto solver = cube.solver(context);
  solver->step(context);
  const std::string state = saveCrackState(*solver);
  const auto messageOf = [&](const PennyCube& other) -> std::string {
    const auto fresh = empty(other, context);
    try {
      resumeCracks(*fresh, state, context);
    } catch (const Error& e) {
      EXPECT_TRUE(fresh->cracks().empty());
      return e.what();
    }
    return "";
  };
  PennyCube other = cube;
  other.options.fine *= 2;
  EXPECT_NE(messageOf(other).find("voxels of 0.01 m, not 0.02 m"), std::string::npos);
  other = cube;
  other.side = 2;
  EXPECT_NE(messageOf(other).find("another surface"), std::string::npos);
  other = cube;
  other.options.coarse *= 2;
  EXPECT_NE(messageOf(other).find("coarse resolution"), std::string::npos);
  other = cube;
  other.material.elastic.young *= 2;
  EXPECT_NE(messageOf(other).find("elastic material"), std::string::npos);
}

}  // namespace
}  // namespace hackle
