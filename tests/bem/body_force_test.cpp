// Weight and inertia: exact solutions of bodies that hang, fly and spin.
#include "elastic_bodies.h"

#include <hackle/bem/evaluation.h>
#include <hackle/bem/mouth.h>
#include <hackle/bem/stress_intensity.h>
#include <hackle/bem/system.h>

#include <gtest/gtest.h>

#include <cmath>

namespace hackle {
namespace {

using namespace bodies;

const ElasticMaterial kMaterial{30e9, 0.3, 2400};

std::vector<Mat3> stressesIn(const BemSystem& system, const std::vector<Vec3>& places) {
  Context context;
  const BemSolution s = system.solve(context);
  const BemSurface& all = system.surface();
  std::vector<Mat3> stresses =
      BoundaryField(all, system.material(), nodeSpace(all), s.u, s.q).stresses(places, context);
  for (size_t i = 0; i < places.size(); ++i) stresses[i] += s.carriedStress(places[i]);
  return stresses;
}

BodyForce spinning(double spin, const Vec3& axis) {
  RigidAcceleration motion;
  motion.spin = spin * axis;
  return inertiaForce(kMaterial.density, motion);
}

TEST(BodyForceSystem, AHangingBarCarriesItsWeight) {
  // Held at its upper end as it would hang: the field is exact on any mesh.
  Context context;
  const double weight = kMaterial.density * 9.81, length = 2;
  const BemSurface body = surfaceOf(box({-0.1, 0, -0.1}, {0.1, length, 0.1}, {2, 6, 2}));
  BoundaryData data(body.nodeCount(), body.triangleCount());
  RigidAcceleration rest;
  rest.centre = {0, 0.5 * length, 0};
  rest.linear = {0, 9.81, 0};
  data.force = inertiaForce(kMaterial.density, rest);
  const double e = kMaterial.young, nu = kMaterial.poisson;
  const auto exact = [&](const Vec3& x) {
    const double across = x.x() * x.x() + x.z() * x.z();
    return Vec3(weight / e *
                Vec3(-nu * x.y() * x.x(), 0.5 * (x.y() * x.y() + nu * across), -nu * x.y() * x.z()));
  };
  for (size_t n = 0; n < body.nodeCount(); ++n) data.displacement[n] = exact(body.point(n));
  for (size_t t = 0; t < body.triangleCount(); ++t)
    if (body.normal(t).y() > 0.5) data.fixed[t] = {1, 1, 1};
  const BemSystem system(body, kMaterial, data, {}, context);
  const BemSolution solution = system.solve(context);
  const double largest = exact({0, length, 0}).norm();
  for (size_t n = 0; n < body.nodeCount(); ++n) {
    const Vec3 u = solution.displacement(n) + solution.carriedDisplacement(body.point(n));
    EXPECT_LT((u - exact(body.point(n))).norm(), 1e-4 * largest);
  }
  const std::vector<Vec3> places = {{0, 0.2, 0}, {0.05, 1, 0.02}, {0, 1.9, -0.08}};
  const std::vector<Mat3> stress = stressesIn(system, places);
  for (size_t i = 0; i < places.size(); ++i) {
    Mat3 pulled = Mat3::Zero();
    pulled(1, 1) = weight * places[i].y();
    EXPECT_LT((stress[i] - pulled).norm(), 2e-4 * weight * length);
  }
}

TEST(BodyForceSystem, AHeldBodyPassesItsWeightToWhatHoldsIt) {
  // As exactly as it passes a load on its far end: 0.02 and 0.03 on this mesh.
  Context context;
  const BemSurface body = surfaceOf(box({0, 0, 0}, {1, 0.3, 0.2}, {16, 6, 4}));
  BoundaryData data(body.nodeCount(), body.triangleCount());
  data.force.density = {300, -2000, 900};
  for (size_t t = 0; t < body.triangleCount(); ++t)
    if (body.normal(t).x() < -0.5) data.fixed[t] = {1, 1, 1};
  const BemSolution solution = BemSystem(body, kMaterial, data, {}, context).solve(context);
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  const Vec3 middle(0.5, 0.15, 0.1);
  for (size_t t = 0; t < body.triangleCount(); ++t) {
    if (data.fixed[t][0] == 0) continue;
    const Vec3 q = solution.traction(t) + solution.carriedStress(body.centroid(t)) * body.normal(t);
    force += body.area(t) * q;
    moment += body.area(t) * (body.centroid(t) - middle).cross(q);
  }
  const Vec3 weight = 0.06 * data.force.density;
  EXPECT_LT((force + weight).norm(), 0.01 * weight.norm());
  EXPECT_LT(moment.norm(), 0.03 * weight.norm());
}

TEST(BodyForceSystem, ASpinningCylinderIsPulledAsInTextbooks) {
  // A long one about its axis, far from its ends, where no axial force is left.
  Context context;
  const double radius = 0.5, half = 1.5, spin = 100, nu = kMaterial.poisson;
  const int around = 24;
  Mesh mesh;
  // The ring of equal volume.
  const double corner = radius * std::sqrt(2 * kPi / around / std::sin(2 * kPi / around));
  const auto rim = [&](double s, double r, double y) {
    return Vec3(r * std::cos(2 * kPi * s), y, -r * std::sin(2 * kPi * s));
  };
  addGrid(mesh, around, 12, [&](double s, double t) { return rim(s, corner, half * (2 * t - 1)); });
  for (const double side : {-1.0, 1.0})
    for (int ring = 0; ring < 3; ++ring)
      addGrid(mesh, around, 1, [&](double s, double t) {
        const double r = corner * (ring + t) / 3;
        return rim(side > 0 ? -s : s, std::max(r, 1e-9), side * half);
      });
  Mesh clean{mesh.points, {}};
  for (const Triangle& t : mesh.triangles) {
    const Vec3 a = mesh.points[t[0]], n = (mesh.points[t[1]] - a).cross(mesh.points[t[2]] - a);
    if (n.norm() > 1e-9) clean.triangles.push_back(t);
  }
  double volume = 0;
  for (const Triangle& t : clean.triangles)
    volume += clean.points[t[0]].dot(clean.points[t[1]].cross(clean.points[t[2]])) / 6;
  if (volume < 0)
    for (Triangle& t : clean.triangles) std::swap(t[1], t[2]);
  EXPECT_NEAR(std::abs(volume), 2 * half * kPi * radius * radius, 1e-9);
  const BemSurface body = surfaceOf(clean);
  BoundaryData data(body.nodeCount(), body.triangleCount());
  data.force = spinning(spin, Vec3::UnitY());
  const BemSystem system(body, kMaterial, data, {}, context);
  const double unit = kMaterial.density * spin * spin / (8 * (1 - nu));
  std::vector<Vec3> places;
  for (const double r : {0.0, 0.2, 0.35}) places.push_back({r, 0, 0});
  const std::vector<Mat3> stress = stressesIn(system, places);
  const double scale = unit * (3 - 2 * nu) * radius * radius;
  for (size_t i = 0; i < places.size(); ++i) {
    const double r = places[i].x();
    EXPECT_NEAR(stress[i](0, 0), unit * (3 - 2 * nu) * (radius * radius - r * r), 0.02 * scale) << r;
    EXPECT_NEAR(stress[i](2, 2), unit * ((3 - 2 * nu) * radius * radius - (1 + 2 * nu) * r * r), 0.02 * scale)
        << r;
    EXPECT_NEAR(stress[i](1, 1), unit * 2 * nu * (radius * radius - 2 * r * r), 0.02 * scale) << r;
  }
}

TEST(BodyForceSystem, ASpinningBarConverges) {
  // Slender, about an axis across it: half of the density times the square of
  // the speed of its ends.
  Context context;
  const double half = 1, spin = 50, top = 0.5 * kMaterial.density * spin * spin * half * half;
  for (const int cells : {10, 20}) {
    const BemSurface body =
        surfaceOf(box({-half, -0.1, -0.1}, {half, 0.1, 0.1}, {cells, cells / 10, cells / 10}));
    BoundaryData data(body.nodeCount(), body.triangleCount());
    data.force = spinning(spin, Vec3::UnitY());
    const BemSystem system(body, kMaterial, data, {}, context);
    const std::vector<Mat3> stress = stressesIn(system, {Vec3(0, 0, 0), Vec3(0.5, 0, 0)});
    EXPECT_NEAR(stress[0](0, 0), top, 0.02 * top) << cells;
    EXPECT_NEAR(stress[1](0, 0), 0.75 * top, 0.02 * top) << cells;
    EXPECT_LT(system.solve(context).removed.force.norm(), 1e-9 * top);
  }
}

TEST(BodyForceSystem, CracksFeelTheForceAsTheyFeelALoad) {
  // A penny crack in the middle of a long bar, once the bar spins and once its
  // ends are pulled as hard. The stress of the first falls along the bar: the
  // crack is small.
  Context context;
  const double spin = 50, half = 1.5, top = 0.5 * kMaterial.density * spin * spin * half * half;
  const Mesh bar = box({-half, -0.3, -0.3}, {half, 0.3, 0.3}, {12, 3, 3});
  const BemSurface body = surfaceOf(bar);
  const Vec3 place(0.6, 0.02, -0.03);
  Mat3 frame;
  frame << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  const auto intensity = [&](const BoundaryData& data) {
    BemSystem system(body, kMaterial, data, {}, context);
    const Mesh sheet = disk(5, 0.06, frame, place);
    system.growCracks(crackOf(sheet, body.nodeCount()), context);
    double mean = 0;
    const std::vector<FrontNode> nodes = stressIntensity(system, system.solve(context));
    for (const FrontNode& node : nodes) mean += node.k[0] / static_cast<double>(nodes.size());
    return mean;
  };
  BoundaryData spun(body.nodeCount(), body.triangleCount()), pulled = spun;
  spun.force = spinning(spin, Vec3::UnitY());
  const BemSystem whole(body, kMaterial, spun, {}, context);
  const double there = stressesIn(whole, {place})[0](0, 0), along = place.x() / half;
  EXPECT_NEAR(there, (1 - along * along) * top, 0.02 * top);
  for (size_t t = 0; t < body.triangleCount(); ++t)
    pulled.traction[t] =
        std::abs(body.normal(t).x()) > 0.5 ? Vec3(there * body.normal(t)) : Vec3(Vec3::Zero());
  const double a = intensity(spun), b = intensity(pulled);
  EXPECT_NEAR(b, 2 * there * std::sqrt(0.06 / kPi), 0.03 * b);
  EXPECT_NEAR(a, b, 5e-3 * b);
}

}  // namespace
}  // namespace hackle
