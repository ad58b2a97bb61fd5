// From modes on a lattice to closed pieces, and pieces glued from smaller ones.
#include "modes_support.h"

#include <gtest/gtest.h>
#include <hackle/fracture/gluing.h>
#include <hackle/fracture/modes/implicit_step.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/topology.h>
#include <hackle/meshing/shapes/shapes.h>

#include <numeric>

namespace hackle {
namespace {

using namespace modes_support;

void expectSound(const Geometry& solid, const FracturePieces& pieces, double tolerance = 1e-9) {
  Context context;
  const Value report = pieceReport(solid, pieces, context);
  EXPECT_TRUE(report.find("closed")->asBool());
  EXPECT_TRUE(report.find("manifold")->asBool());
  EXPECT_LE(report.find("volume_error")->asNumber(), tolerance);
  pieces.geometry.checkInvariants();
  // Volumes of the faces themselves, piece by piece; the corners of a face lie in a plane but for rounding.
  for (size_t p = 0; p < pieces.names.size(); ++p) {
    std::vector<int32_t> faces;
    for (size_t f = 0; f < pieces.primitivePiece.size(); ++f)
      if (pieces.primitivePiece[f] == static_cast<int32_t>(p)) faces.push_back(static_cast<int32_t>(f));
    const Geometry piece = pieces.geometry.extract(faces);
    EXPECT_NEAR(massProperties(triangleMesh(piece), context).volume, pieces.volume[p],
                1e-6 * report.find("volume_in")->asNumber());
  }
}

/// A torus cut by three planes: parts that ring around.
Body cutTorus() {
  Body setup = enclosed(shapes::torus(24, 12), 18);
  addModes(setup, {beyond({1, 0, 0}, 0.05), beyond({0, 0, 1}, -0.07), beyond({0, 1, 0}, 0.02),
                   beyond(Vec3(1, 0, 1).normalized(), 0.4)});
  return setup;
}

TEST(ModesPieces, AreComponentsOfElementsThatAgree) {
  Context context;
  const Body setup = slicedBar();
  const ElementPieces pieces =
      elementPieces(setup.modes.faces, setup.modes.masses, setup.modes.values, 0, context);
  ASSERT_EQ(pieces.count(), 4u);
  for (size_t e = 0; e < setup.centres.size(); ++e)
    for (size_t other = 0; other < e; other += 37) {
      const bool same = setup.modes.values.row(static_cast<Eigen::Index>(e)) ==
                        setup.modes.values.row(static_cast<Eigen::Index>(other));
      EXPECT_EQ(same, pieces.pieceOf[e] == pieces.pieceOf[other]);
    }
  // Modes on pieces are as orthonormal as those on elements.
  const Eigen::Map<const Eigen::VectorXd> mass(pieces.masses.data(), 4);
  const Eigen::MatrixXd gram = pieces.values.transpose() * mass.asDiagonal() * pieces.values;
  EXPECT_LT((gram - Eigen::MatrixXd::Identity(3, 3)).norm(), 1e-12);
}

TEST(ModesPieces, RaisingSigmaOnlyJoins) {
  Context context;
  const Body setup = cutTorus();
  std::vector<int32_t> before;
  size_t count = 1000;
  for (const double sigma : {0.0, 0.1, 0.3, 0.6, 0.9, 1.0}) {
    const ElementPieces pieces =
        elementPieces(setup.modes.faces, setup.modes.masses, setup.modes.values, sigma, context);
    EXPECT_LE(pieces.count(), count);
    count = pieces.count();
    if (!before.empty())  // what was together stays together
      for (const auto& [a, b] : setup.modes.faces)
        if (before[a] == before[b]) {
          EXPECT_EQ(pieces.pieceOf[a], pieces.pieceOf[b]);
        }
    before = pieces.pieceOf;
  }
  EXPECT_EQ(count, 1u);
}

TEST(ModesPieces, FieldsOfAnImplicitStepAreShares) {
  Context context;
  const Body setup = slicedBar();
  const ElementPieces pieces =
      elementPieces(setup.modes.faces, setup.modes.masses, setup.modes.values, 0, context);
  for (const double length : {0.0, 0.05, 0.3}) {
    const ImplicitStep step(setup.lattice.points, setup.lattice.tetrahedra, setup.modes.masses, length,
                            context);
    const Eigen::MatrixXd fields = step.fields(pieces.pieceOf, 0, pieces.count(), context);
    EXPECT_LT((fields.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-10);
    EXPECT_GT(fields.minCoeff(), -0.05);
    EXPECT_LT(fields.maxCoeff(), 1.05);
  }
}

// Diffusion along a bar: the share of the far side falls off as exp(-x / length).
TEST(ModesPieces, AnImplicitStepDecaysOverItsLength) {
  Context context;
  Body setup = enclosed(shapes::box({-1, -0.1, -0.1}, {1, 0.1, 0.1}), 40);
  addModes(setup, {beyond({1, 0, 0}, 0.0)});
  const ElementPieces pieces =
      elementPieces(setup.modes.faces, setup.modes.masses, setup.modes.values, 0, context);
  const double length = 0.15;
  const ImplicitStep step(setup.lattice.points, setup.lattice.tetrahedra, setup.modes.masses, length,
                          context);
  const Eigen::MatrixXd fields = step.fields(pieces.pieceOf, 0, 2, context);
  const int32_t right = setup.centres[0].x() > 0 ? 0 : 1;
  for (size_t p = 0; p < setup.lattice.points.size(); ++p) {
    const double x = setup.lattice.points[p].x();
    if (std::abs(x) > 0.5 || std::abs(x) < 0.1) continue;
    const double tail = 0.5 * std::exp(-std::abs(x) / length);
    EXPECT_NEAR(fields(static_cast<Eigen::Index>(p), right), x > 0 ? 1 - tail : tail, 0.03) << x;
  }
}

TEST(ModesPieces, AreClosedAndFillTheSolid) {
  for (const double smoothing : {0.0, 0.08}) {
    const Body setup = cutTorus();
    PrefractureOptions options;
    options.smoothing = smoothing;
    const Prefracture result = broken(setup, options);
    EXPECT_GT(result.cache.parts.names.size(), 8u);
    expectSound(setup.solid, result.cache.parts);
    double mass = 0;
    for (const double m : result.cache.masses) mass += m;
    EXPECT_NEAR(mass, 1000 * result.cache.volume, 1e-9 * mass);
  }
}

TEST(ModesPieces, SmoothingFlattensFaults) {
  // A slanted plane through the lattice: smooth faults are smaller.
  Body setup = enclosed(shapes::box({-1, -0.3, -0.3}, {1, 0.3, 0.3}), 14);
  const Vec3 normal = Vec3(1, 0.4, 0.2).normalized();
  addModes(setup, {beyond(normal, 0.03)});
  double area[2];
  for (int i = 0; i < 2; ++i) {
    PrefractureOptions options;
    options.smoothing = i * 1.5 * setup.cellSize;
    const Prefracture result = broken(setup, options);
    ASSERT_EQ(result.cache.parts.contacts.size(), 1u);
    area[i] = result.cache.parts.contacts[0].area;
  }
  // The Laplacian shortens a fault towards the least section, 0.36 m^2, and never beyond.
  EXPECT_LT(area[1], area[0]);
  EXPECT_LT(area[1], 0.36 / normal.x());
  EXPECT_GT(area[1], 0.36 * 0.999);
}

TEST(Gluing, TwinsAreTheOtherSides) {
  Context context;
  const Prefracture result = broken(cutTorus());
  const FracturePieces& parts = result.cache.parts;
  const Group* inside = parts.geometry.findGroup(Owner::Primitive, "inside");
  for (size_t f = 0; f < result.cache.twins.size(); ++f) {
    const int32_t twin = result.cache.twins[f];
    EXPECT_EQ(twin >= 0, inside->bits[f] != 0);
    if (twin < 0) continue;
    EXPECT_EQ(result.cache.twins[twin], static_cast<int32_t>(f));
    EXPECT_NE(parts.primitivePiece[f], parts.primitivePiece[twin]);
  }
}

TEST(Gluing, AllTogetherIsTheSolidAgain) {
  Context context;
  const Body setup = cutTorus();
  const Prefracture result = broken(setup);
  const FracturePieces& parts = result.cache.parts;
  const Gluing gluing = glueContacts(parts, std::vector<uint8_t>(parts.contacts.size(), 1), "piece");
  ASSERT_EQ(gluing.names.size(), 1u);
  const FracturePieces whole = gluePieces(parts, result.cache.twins, gluing, context);
  expectSound(setup.solid, whole);
  const Topology topology = analyseTopology(whole.geometry, context);
  EXPECT_EQ(topology.euler(), 0);  // of a torus
  EXPECT_EQ(whole.geometry.findGroup(Owner::Primitive, "inside")->count(), 0u);
}

// Whatever is glued, pieces are closed, 2-manifold and fill the solid, also where parts of one piece touch in
// an edge or a point only.
TEST(Gluing, AnyGroupsGiveSoundPieces) {
  Context context;
  const Body setup = cutTorus();
  const Prefracture result = broken(setup);
  const FracturePieces& parts = result.cache.parts;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    Random random(seed);
    std::vector<uint8_t> glued(parts.contacts.size());
    for (uint8_t& g : glued) g = random.uniform() < 0.08 * static_cast<double>(seed);
    const FracturePieces pieces =
        gluePieces(parts, result.cache.twins, glueContacts(parts, glued, "piece"), context);
    expectSound(setup.solid, pieces);
  }
}

TEST(Gluing, PartsThatMeetInAnEdgeOnlyStayManifold) {
  // Four quarters around an axis; opposite ones are one piece.
  Context context;
  Body setup = enclosed(shapes::box({-1, -1, -1}, {1, 1, 1}), 8);
  addModes(setup, {beyond({1, 0, 0}, 0.01), beyond({0, 1, 0}, 0.02)});
  PrefractureOptions options;
  options.smoothing = setup.cellSize;
  const Prefracture result = broken(setup, options);
  const FracturePieces& parts = result.cache.parts;
  ASSERT_EQ(parts.names.size(), 4u);
  Gluing gluing;
  for (size_t p = 0; p < 4; ++p)
    gluing.groupOf.push_back(parts.centre[p].x() * parts.centre[p].y() > 0 ? 0 : 1);
  gluing.names = {"a", "b"};
  expectSound(setup.solid, gluePieces(parts, result.cache.twins, gluing, context));
}

}  // namespace
}  // namespace hackle
