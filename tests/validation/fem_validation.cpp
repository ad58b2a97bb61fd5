// Finite elements on the house's own lattice against exact solutions.
#include <hackle/fem/fields.h>
#include <hackle/fem/fixed_body.h>
#include <hackle/fem/free_body.h>
#include <hackle/fem/vibration.h>
#include <hackle/meshing/lattice/lattice.h>

#include "fem/tet_meshes.h"
#include "validation/table.h"

namespace hackle {
namespace {

constexpr double kPi = 3.14159265358979323846;
const ElasticMaterial kMaterial{70e9, 0.25, 2500};

ElasticMesh shell(double inner, double outer, double cell, Context& context) {
  SolidField solid;
  solid.value = [=](const Vec3& p) { return std::max(p.norm() - outer, inner - p.norm()); };
  solid.lipschitz = 1.0;
  solid.bounds.add(Vec3::Constant(-outer));
  solid.bounds.add(Vec3::Constant(outer));
  LatticeOptions options;
  options.cellSize = cell;
  const TetLattice lattice = stuffLattice(solid, options, context);
  return {lattice.points, lattice.tetrahedra, {kMaterial}};
}

std::string size(const ElasticMesh& mesh, const std::string& what) {
  return fmt::format("{}, {} tets", what, mesh.tetrahedra.size());
}

/// Euler and Bernoulli's free-free beam of square section: (beta L)^2 / L^2 sqrt(E I / (rho A)); bending
/// comes in pairs. The section is off the lattice's planes by what the surface's points are.
void freeBeam(ValidationTable& table, int across, bool judge) {
  Context context;
  const double length = 1, height = 1.0 / 40;
  const ElasticMesh mesh = bodies::latticeBox({length, height, height}, height / across, kMaterial, context);
  VibrationOptions options;
  options.count = 6;
  const VibrationModes modes = vibrationModes(mesh, options, context);
  const double base =
      std::sqrt(kMaterial.young / kMaterial.density) * height / std::sqrt(12.0) / (length * length);
  const double betas[3] = {4.7300, 7.8532, 10.9956};
  for (int mode = 0; mode < 3; ++mode) {
    const double mean = 0.5 * (modes.frequencies[6 + 2 * mode] + modes.frequencies[7 + 2 * mode]);
    table.row(fmt::format("free-free beam, L/h = 40, bending {}", mode + 1),
              size(mesh, fmt::format("{} cells across", across)), betas[mode] * betas[mode] * base, mean,
              judge ? 0.03 : 0);
  }
}

/// Timoshenko's cantilever under a force at its end, clamped at x = 0.
void cantilever(ValidationTable& table, int across, double asked) {
  Context context;
  const double length = 1, height = 0.1;
  const ElasticMesh mesh = bodies::latticeBox({length, height, height}, height / across, kMaterial, context);
  std::vector<Support> supports;
  for (size_t p = 0; p < mesh.points.size(); ++p)
    if (mesh.points[p].x() < 1e-6)
      supports.push_back({static_cast<int32_t>(p), {true, true, true}, Vec3::Zero()});
  // A force along y, spread over the end by a traction of its faces.
  std::vector<Triangle> faces;
  double area = 0;
  for (const Triangle& t : boundaryFaces(mesh.tetrahedra, {}, context)) {
    const auto at = [&](size_t k) { return mesh.points[t[k]]; };
    if (std::min({at(0).x(), at(1).x(), at(2).x()}) < length - 1e-6) continue;
    faces.push_back(t);
    area += 0.5 * (at(1) - at(0)).cross(at(2) - at(0)).norm();
  }
  const double force = 1000, inertia = std::pow(height, 4) / 12;
  const Eigen::VectorXd f =
      tractionForces(mesh.points, faces, std::vector<Vec3>(faces.size(), Vec3(0, force / area, 0)));
  const Eigen::VectorXd u = FixedBody(mesh, supports, context).solve(f, context);
  const double exact = force * std::pow(length, 3) / (3 * kMaterial.young * inertia) +
                       force * length / (shearModulus(kMaterial) * height * height * 5 / 6);
  table.row("cantilever, L/h = 10, end deflection", size(mesh, fmt::format("{} cells across", across)), exact,
            f.dot(u) / force, asked);
}

/// Lame's hollow sphere under inner pressure: radial displacement of the inner surface; free in space.
void hollowSphere(ValidationTable& table, double cell) {
  Context context;
  const double a = 0.5, b = 1.0, pressure = 1e6;
  const ElasticMesh mesh = shell(a, b, cell, context);
  std::vector<Triangle> faces;
  std::vector<Vec3> tractions;
  std::vector<int32_t> inner;
  for (const Triangle& t : boundaryFaces(mesh.tetrahedra, {}, context)) {
    const auto at = [&](size_t k) { return mesh.points[t[k]]; };
    if (at(0).norm() > 0.75) continue;
    faces.push_back(t);
    tractions.push_back(-pressure * (at(1) - at(0)).cross(at(2) - at(0)).normalized());
    inner.push_back(t[0]);
  }
  const Eigen::VectorXd u = solveFreeBody(mesh, tractionForces(mesh.points, faces, tractions), context);
  double radial = 0;
  for (const int32_t p : inner)
    radial += mesh.points[p].normalized().dot(u.segment<3>(3 * p)) / static_cast<double>(inner.size());
  const double k = pressure * a * a * a / (b * b * b - a * a * a);
  const double exact = k * a / kMaterial.young *
                       (1 - 2 * kMaterial.poisson + (1 + kMaterial.poisson) * b * b * b / (2 * a * a * a));
  table.row("hollow sphere under inner pressure, radial", size(mesh, fmt::format("cell {}", cell)), exact,
            radial, 0.02);
}

/// Lamb's free sphere, nu = 1/4: omega R / c_s is 2.501 (five twists) and 2.640 (five ellipsoids).
void freeSphere(ValidationTable& table, double cell, double asked) {
  Context context;
  const ElasticMesh mesh = shell(0, 1, cell, context);
  VibrationOptions options;
  options.count = 10;
  const VibrationModes modes = vibrationModes(mesh, options, context);
  const double speed = shearWaveSpeed(kMaterial);
  table.row("free sphere, twist 0T2 (mean of 5)", size(mesh, fmt::format("cell {}", cell)), 2.501 * speed,
            modes.frequencies.segment<5>(6).mean(), asked);
  table.row("free sphere, ellipsoid 0S2 (mean of 5)", size(mesh, fmt::format("cell {}", cell)), 2.640 * speed,
            modes.frequencies.segment<5>(11).mean(), asked);
}

}  // namespace
}  // namespace hackle

int main(int argc, char** argv) {
  using namespace hackle;
  ValidationTable table(argc, argv, "validate_fem.tsv");
  freeBeam(table, 2, false);
  freeBeam(table, 4, true);
  freeBeam(table, 6, true);
  for (const int across : {2, 4}) cantilever(table, across, 0);
  cantilever(table, 6, 0.05);
  hollowSphere(table, 0.1);
  freeSphere(table, 0.25, 0.05);
  freeSphere(table, 0.125, 0.02);
  return table.finish();
}
