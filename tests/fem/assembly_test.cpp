#include <hackle/core/error.h>
#include <hackle/fem/assembly.h>
#include <hackle/fem/fields.h>
#include <hackle/fem/rigid_motions.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/linalg/symmetric_matrix.h>

#include <gtest/gtest.h>

#include "fem/tet_meshes.h"

namespace hackle {
namespace {

const ElasticMaterial kSteel{210e9, 0.3, 7800};

/// A jittered box of mixed materials.
ElasticMesh mixedBox() {
  const Vec3 size(1, 0.7, 0.5);
  ElasticMesh mesh = bodies::box(5, 4, 3, size, kSteel);
  bodies::jitter(mesh, size, 0.03);
  mesh.materials.resize(mesh.tetrahedra.size(), kSteel);
  for (size_t t = 0; t < mesh.materials.size(); t += 3) mesh.materials[t] = {3e9, 0.4, 1200};
  return mesh;
}

TEST(Assembly, EnergyOfTheMatrixIsThatOfTheField) {
  Context context;
  const ElasticMesh mesh = mixedBox();
  const SymmetricMatrix K(stiffnessMatrix(mesh, context));
  const Eigen::VectorXd u = bodies::someLoad(mesh, 1, 1e-4);
  const double byMatrix = 0.5 * u.dot(Eigen::VectorXd(K.times(u, context)));
  const double byField = strainEnergy(mesh, energyDensities(mesh, u, context), context);
  EXPECT_NEAR(byMatrix / byField, 1, 1e-12);
  EXPECT_GT(byField, 0);
}

TEST(Assembly, ForcesAreTheDerivativeOfTheEnergy) {
  Context context;
  const ElasticMesh mesh = mixedBox();
  const SymmetricMatrix K(stiffnessMatrix(mesh, context));
  const Eigen::VectorXd u = bodies::someLoad(mesh, 1, 1e-4), v = bodies::someLoad(mesh, 2, 1e-4);
  const auto energy = [&](double step) {
    return strainEnergy(mesh, energyDensities(mesh, u + step * v, context), context);
  };
  const double slope = (energy(0.5) - energy(-0.5));
  EXPECT_NEAR(v.dot(Eigen::VectorXd(K.times(u, context))) / slope, 1, 1e-9);
}

TEST(Assembly, RigidMotionsCostNothing) {
  Context context;
  const ElasticMesh mesh = mixedBox();
  const SymmetricMatrix K(stiffnessMatrix(mesh, context));
  const RigidMotions rigid(mesh, massMatrix(mesh, MassKind::Consistent, context), context);
  EXPECT_EQ(rigid.count(), 6u);
  EXPECT_LT(K.times(rigid.basis(), context).norm(), 1e-12 * K.full().norm() * rigid.basis().norm());
  const Eigen::MatrixXd twist =
      bodies::field(mesh, (Mat3() << 0, -1, 2, 1, 0, -3, -2, 3, 0).finished(), {1, 2, 3});
  Eigen::MatrixXd rest = twist;
  rigid.removeFromDisplacements(rest);
  EXPECT_LT(rest.norm(), 1e-13 * twist.norm());
}

TEST(Assembly, MassIsThatOfTheBody) {
  Context context;
  const ElasticMesh mesh = bodies::box(4, 3, 2, {2, 1, 0.5}, kSteel);
  const MassProperties body = massProperties(mesh.points, mesh.tetrahedra, context);
  const SymmetricMatrix consistent(massMatrix(mesh, MassKind::Consistent, context)),
      lumped(massMatrix(mesh, MassKind::Lumped, context));
  const Vec3 axis = Vec3(1, -2, 0.5).normalized();
  Mat3 spin;
  spin << 0, -axis.z(), axis.y(), axis.z(), 0, -axis.x(), -axis.y(), axis.x(), 0;
  const Eigen::VectorXd turn = bodies::field(mesh, spin, -spin * body.centre);
  EXPECT_NEAR(turn.dot(Eigen::VectorXd(consistent.times(turn, context))),
              7800 * axis.dot(body.inertia * axis), 1e-9);
  for (const SymmetricMatrix* M : {&consistent, &lumped}) {
    const Eigen::VectorXd move = bodies::field(mesh, Mat3::Zero(), axis);
    EXPECT_NEAR(move.dot(Eigen::VectorXd(M->times(move, context))), 7800 * body.volume, 1e-9);
  }
  const Eigen::VectorXd weight = bodyForces(mesh, {0, -9.81, 0});
  EXPECT_NEAR(weight.sum(), -9.81 * 7800 * 1.0, 1e-8);
}

TEST(Assembly, IsTheSameBytesOnAnyNumberOfThreads) {
  const ElasticMesh mesh = mixedBox();
  Context one, four;
  one.setThreads(1);
  four.setThreads(4);
  const SparseMatrix a = stiffnessMatrix(mesh, one), b = stiffnessMatrix(mesh, four);
  ASSERT_EQ(a.nonZeros(), b.nonZeros());
  EXPECT_TRUE(std::equal(a.valuePtr(), a.valuePtr() + a.nonZeros(), b.valuePtr()));
}

TEST(Assembly, TractionsOnAClosedSurfaceOfConstantPressureBalance) {
  Context context;
  const ElasticMesh mesh = mixedBox();
  const auto faces = boundaryFaces(mesh.tetrahedra, {}, context);
  std::vector<Vec3> pressure;
  for (const Triangle& t : faces) {
    const auto at = [&](size_t k) { return mesh.points[t[k]]; };
    pressure.push_back(-1e5 * (at(1) - at(0)).cross(at(2) - at(0)).normalized());
  }
  const Eigen::VectorXd f = tractionForces(mesh.points, faces, pressure);
  const RigidMotions rigid(mesh, massMatrix(mesh, MassKind::Consistent, context), context);
  EXPECT_LT(rigid.accelerations(f).norm(), 1e-12 * f.norm());
}

TEST(ElasticMesh, ReadsMaterialsFromAttributes) {
  TetLattice lattice;
  lattice.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  lattice.tetrahedra = {{0, 1, 2, 3}, {1, 2, 3, 4}};
  lattice.onSurface.assign(5, 1);
  Geometry g = latticeGeometry(lattice);
  g.addPoint({9, 9, 9});
  Attribute& young = g.addAttribute(Owner::Primitive, Attribute("young", Storage::Float64, 1, 2));
  young.setNumber(0, 0, 210e9);
  young.setNumber(1, 0, 5e9);
  const ElasticMesh mesh = elasticMesh(g, kSteel);
  EXPECT_EQ(mesh.points.size(), 5u);
  ASSERT_EQ(mesh.materials.size(), 2u);
  EXPECT_EQ(mesh.materials[1].young, 5e9);
  EXPECT_EQ(mesh.materials[1].density, 7800);
}

TEST(ElasticMesh, NamesWhatIsWrong) {
  ElasticMesh mesh = bodies::box(1, 1, 1, {1, 1, 1}, kSteel);
  EXPECT_NO_THROW(checkElasticMesh(mesh));
  ElasticMesh bad = mesh;
  std::swap(bad.tetrahedra[3][0], bad.tetrahedra[3][1]);
  EXPECT_THROW(checkElasticMesh(bad), Error);
  bad = mesh;
  bad.points.push_back({5, 5, 5});
  EXPECT_THROW(checkElasticMesh(bad), Error);
  bad = mesh;
  bad.materials.resize(2, kSteel);
  EXPECT_THROW(checkElasticMesh(bad), Error);
  bad = mesh;
  bad.materials[0].poisson = 0.5;
  EXPECT_THROW(checkElasticMesh(bad), Error);
  EXPECT_THROW(checkElasticMesh(ElasticMesh()), Error);
}

}  // namespace
}  // namespace hackle
