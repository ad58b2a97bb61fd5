#include <hackle/fem/impact_response.h>
#include <hackle/meshing/lattice/enclosing_lattice.h>

#include <gtest/gtest.h>
#include <shapes.h>

#include "fem/tet_meshes.h"

namespace hackle {
namespace {

const ElasticMaterial kGlass{70e9, 0.22, 2500};

/// A sphere of radius 0.1 m in its cage.
struct Ball {
  Context context;
  TriangleMesh surface = triangleMesh(shapes::sphere(40, 0.1));
  TriangleBvh bvh{surface, context};
  TetLattice lattice;
  Ball() {
    EnclosingOptions options;
    options.cells = 12;
    lattice = enclosingLattice(surface, options, context).lattice;
  }
  ElasticMesh mesh() const { return {lattice.points, lattice.tetrahedra, {kGlass}}; }
};

TEST(SurfaceEmbedding, LinearFieldsComeOutExactly) {
  Ball ball;
  const SurfaceEmbedding embedding(ball.lattice.points, ball.lattice.tetrahedra, ball.context);
  const Mat3 gradient = (Mat3() << 1, 2, 3, 4, 5, 6, 7, 8, 9).finished();
  const Eigen::VectorXd u = bodies::field(ball.mesh(), gradient, {1, 2, 3});
  const auto places = embedding.places(ball.surface.points, ball.context);
  const auto out = displacementsAt(places, u);
  for (size_t p = 0; p < out.size(); ++p)
    EXPECT_LT((out[p] - gradient * ball.surface.points[p] - Vec3(1, 2, 3)).norm(), 1e-12);
  std::vector<double> heights;
  for (const Vec3& p : ball.lattice.points) heights.push_back(p.y());
  EXPECT_NEAR(valuesAt(places, heights)[7], ball.surface.points[7].y(), 1e-14);
}

TEST(SurfaceEmbedding, LoadsKeepTheirForceAndTorque) {
  Ball ball;
  const SurfaceEmbedding embedding(ball.lattice.points, ball.lattice.tetrahedra, ball.context);
  const std::vector<PointForce> forces{{0, {0.1, 0, 0}, {1, 2, 3}}, {0, {0, 0.06, 0.08}, {-4, 0, 5}}};
  const Eigen::VectorXd nodal = embedding.nodalForces(forces);
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero(), expected = Vec3::Zero();
  for (size_t p = 0; p < ball.lattice.points.size(); ++p) {
    const Vec3 f = nodal.segment<3>(static_cast<Eigen::Index>(3 * p));
    force += f;
    torque += ball.lattice.points[p].cross(f);
  }
  for (const PointForce& f : forces) expected += f.position.cross(f.force);
  EXPECT_LT((force - Vec3(-3, 2, 8)).norm(), 1e-12);
  EXPECT_LT((torque - expected).norm(), 1e-12);
}

TEST(SurfaceEmbedding, PlacesOutsideGoToTheNearestOfTheBoundary) {
  Context context;
  const ElasticMesh box = bodies::box(3, 3, 3, {1, 1, 1}, kGlass);
  const SurfaceEmbedding embedding(box.points, box.tetrahedra, context);
  const LatticePlace place = embedding.place({0.4, 1.7, 0.3});
  Vec3 at = Vec3::Zero();
  double sum = 0;
  for (size_t k = 0; k < 4; ++k) {
    at += place.weights[k] * box.points[place.points[k]];
    sum += place.weights[k];
  }
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_LT((at - Vec3(0.4, 1, 0.3)).norm(), 1e-12);
}

TEST(ImpactResponse, FollowsHertz) {
  // Peak force goes with J^(6/5) for an elastic impact, energy with its square, where the patch stays.
  Ball ball;
  const FreeBody body(ball.mesh(), ball.context);
  const SurfaceEmbedding embedding(body.mesh().points, body.mesh().tetrahedra, ball.context);
  Impact impact;
  impact.position = {0, 0.1, 0};
  impact.impulse = 0.5;
  ContactOptions options;
  options.minPatchRadius = 0.03;
  const auto respond = [&](const Impact& hit) {
    return impactResponse(body, embedding, ball.surface, ball.bvh, Span<const Impact>(&hit, 1), {}, options,
                          ball.context);
  };
  const ImpactResponse one = respond(impact);
  impact.impulse *= 2;
  const ImpactResponse two = respond(impact);
  EXPECT_NEAR(two.contacts[0].peakForce / one.contacts[0].peakForce, std::pow(2, 1.2), 1e-9);
  EXPECT_NEAR(two.energy / one.energy, std::pow(2, 2.4), 1e-6);
  EXPECT_NEAR(one.contacts[0].mass,
              body.effectiveMass(
                  embedding.nodalForces(std::vector<PointForce>{{0, impact.position, impact.direction}})),
              1e-12);
}

TEST(ImpactResponse, IsStrongestAtTheHitAndTurnsWithIt) {
  Ball ball;
  const FreeBody body(ball.mesh(), ball.context);
  const SurfaceEmbedding embedding(body.mesh().points, body.mesh().tetrahedra, ball.context);
  ContactOptions options;
  options.minPatchRadius = 0.02;
  std::vector<double> energies;
  for (const Vec3& axis : {Vec3(0, 1, 0), Vec3(1, 0, 0), Vec3(0, 0, -1), Vec3(-1, 0, 0)}) {
    Impact impact;
    impact.position = 0.1 * axis;
    impact.direction = -axis;
    impact.impulse = 0.5;
    const ImpactResponse r = impactResponse(body, embedding, ball.surface, ball.bvh,
                                            Span<const Impact>(&impact, 1), {}, options, ball.context);
    energies.push_back(r.energy);
    const auto top = static_cast<size_t>(
        std::max_element(r.energyDensities.begin(), r.energyDensities.end()) - r.energyDensities.begin());
    Vec3 middle = Vec3::Zero();
    for (const int32_t p : body.mesh().tetrahedra[top]) middle += 0.25 * body.mesh().points[p];
    EXPECT_LT((middle - 0.1 * axis).norm(), 0.04);
  }
  for (const double e : energies) EXPECT_NEAR(e / energies[0], 1, 0.1);
}

}  // namespace
}  // namespace hackle
