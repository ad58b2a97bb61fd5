// Boundary elements against exact solutions: the table of theory in lib/hackle/bem/README.md.
#include <hackle/bem/mouth.h>
#include <hackle/bem/stress_intensity.h>
#include <hackle/fracture/crack/growth/propagation.h>

#include "bem/elastic_bodies.h"
#include "validation/table.h"

namespace hackle {
namespace {

using namespace bodies;
using Fixed = std::array<uint8_t, 3>;

LinearField stretch() {
  Mat3 g;
  g << 0.3, 0.1, -0.2, 0.4, -0.5, 0.2, 0.1, 0.6, 0.7;
  return {1e-3 * g, {70e9, 0.3, 2500}};
}

/// V q = (½ + K) u and D u = (½ − Kᵀ) q for a linear field, on a sphere with uneven triangles.
void patch(ValidationTable& table, const QuadratureOptions& quadrature, const std::string& rules,
           double asked) {
  Context context;
  Mesh mesh = sphere(6, 1);
  for (Vec3& p : mesh.points) p = Vec3(p.x() * 1.5, p.y(), p.z() * (0.6 + 0.3 * p.x()));
  const BemSurface body = surfaceOf(mesh);
  const LinearField field = stretch();
  OperatorProducts products;
  products.q.resize(3 * static_cast<Eigen::Index>(body.triangleCount()), 1);
  products.u.resize(3 * static_cast<Eigen::Index>(body.nodeCount()), 1);
  for (size_t t = 0; t < body.triangleCount(); ++t)
    products.q.block<3, 1>(3 * static_cast<Eigen::Index>(t), 0) = field.q(body.normal(t));
  for (size_t n = 0; n < body.nodeCount(); ++n)
    products.u.block<3, 1>(3 * static_cast<Eigen::Index>(n), 0) = field.u(body.point(n));
  assemble(body, field.material, quadrature, {}, {&products, 1}, context);
  const HatSpace hats = nodeSpace(body);
  const Eigen::MatrixXd uSide = 0.5 * massTimesHats(body, hats, products.u) + products.Ku;
  const Eigen::MatrixXd qSide = 0.5 * massTimesTriangles(body, hats, products.q) - products.KTq;
  const std::string size = fmt::format("{} triangles, {}", body.triangleCount(), rules);
  table.bound("linear field: V q = (1/2 + K) u", size, (products.Vq - uSide).norm() / uSide.norm(), asked);
  table.bound("linear field: D u = (1/2 - K') q", size, (products.Du - qSide).norm() / qSide.norm(), asked);
}

void rigidMotions(ValidationTable& table) {
  Context context;
  const BemSurface body = surfaceOf(sphere(6, 1));
  const Eigen::MatrixXd d = assembleOperator(BemOperator::D, body, {70e9, 0.3, 2500}, {}, context);
  Eigen::VectorXd shift(d.rows()), turn(d.rows());
  for (size_t n = 0; n < body.nodeCount(); ++n) {
    shift.segment<3>(3 * static_cast<Eigen::Index>(n)) = Vec3(1, 2, 3);
    turn.segment<3>(3 * static_cast<Eigen::Index>(n)) = Vec3(1, -2, 0.5).cross(body.point(n));
  }
  const std::string size = fmt::format("{} triangles", body.triangleCount());
  table.bound("D of a translation, share of |D||u|", size, (d * shift).norm() / (d.norm() * shift.norm()),
              1e-12);
  table.bound("D of a rotation, share of |D||u|", size, (d * turn).norm() / (d.norm() * turn.norm()), 1e-4);
}

/// Largest error of displacement, free body under tractions of a field, as a share of the largest value.
double neumannError(const BemSurface& body, const ElasticMaterial& material,
                    const std::function<Vec3(const Vec3&)>& u,
                    const std::function<Vec3(const Vec3&, const Vec3&)>& q) {
  Context context;
  BoundaryData data(body.nodeCount(), body.triangleCount());
  for (size_t t = 0; t < body.triangleCount(); ++t) data.traction[t] = q(body.centroid(t), body.normal(t));
  const BemSolution solution = BemSystem(body, material, data, {}, context).solve(context);
  Eigen::VectorXd expected(3 * static_cast<Eigen::Index>(body.nodeCount()));
  for (size_t n = 0; n < body.nodeCount(); ++n)
    expected.segment<3>(3 * static_cast<Eigen::Index>(n)) = u(body.point(n));
  removeMeanMotion(body, expected);
  return (solution.u - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

void solvedPatch(ValidationTable& table) {
  const LinearField field = stretch();
  for (const int cells : {2, 4}) {
    const BemSurface body = surfaceOf(box({0, 0, 0}, {1, 2, 1}, {cells, 2 * cells, cells}));
    const double error = neumannError(
        body, field.material, [&](const Vec3& x) { return field.u(x); },
        [&](const Vec3&, const Vec3& n) { return field.q(n); });
    table.bound("bar in uniform stress, free body: displacement",
                fmt::format("{} triangles", body.triangleCount()), error, 1e-4);
  }
}

/// Logarithm of the ratio of two errors by that of the mesh sizes.
double order(double coarse, double fine, double ratio) { return std::log(coarse / fine) / std::log(ratio); }

/// A bar held on three symmetry planes and pulled: u = s (−ν x, y, −ν z) / E.
void barInTension(ValidationTable& table) {
  Context context;
  const ElasticMaterial material{70e9, 0.3, 2500};
  const BemSurface body = surfaceOf(box({0, 0, 0}, {1, 5, 1}, {2, 8, 2}));
  BoundaryData data(body.nodeCount(), body.triangleCount());
  for (size_t t = 0; t < body.triangleCount(); ++t)
    for (size_t c = 0; c < 3; ++c) {
      const double n = body.normal(t)[c];
      if (n < -0.9) data.fixed[t][c] = 1;
      if (c == 1 && n > 0.9) data.traction[t] = Vec3(0, 1e6, 0);
    }
  const BemSolution solution = BemSystem(body, material, data, {}, context).solve(context);
  double end = 0, side = 0;
  for (size_t n = 0; n < body.nodeCount(); ++n) {
    end = std::max(end, solution.displacement(n).y());
    side = std::min(side, solution.displacement(n).x());
  }
  const std::string size = fmt::format("{} triangles", body.triangleCount());
  table.row("bar in tension: lengthening", size, 5e6 / 70e9, end, 0.02);
  table.row("bar in tension: contraction", size, -0.3 * 1e6 / 70e9, side, 0.02);
}

/// Pure bending: u = κ (x y, −(x² + ν (y² − z²)) / 2, −ν y z), σ_xx = E κ y.
void bentBar(ValidationTable& table) {
  const ElasticMaterial material{70e9, 0.3, 2500};
  const double nu = material.poisson;
  std::vector<double> errors;
  for (const int cells : {2, 4, 8}) {
    const BemSurface body = surfaceOf(box({-1.5, -0.5, -0.5}, {1.5, 0.5, 0.5}, {3 * cells, cells, cells}));
    errors.push_back(neumannError(
        body, material,
        [&](const Vec3& x) -> Vec3 {
          return Vec3(x.x() * x.y(), -0.5 * (x.x() * x.x() + nu * (x.y() * x.y() - x.z() * x.z())),
                      -nu * x.y() * x.z());
        },
        [&](const Vec3& x, const Vec3& n) -> Vec3 { return Vec3(material.young * x.y() * n.x(), 0, 0); }));
    table.bound("bar in pure bending: displacement", fmt::format("{} triangles", body.triangleCount()),
                errors.back(), cells < 8 ? 0 : 0.05);
  }
  table.figure("bar in pure bending: order", "from the last two", order(errors[1], errors[2], 2));
}

/// Lamé: radii 1 and 2, pressure inside.
void hollowSphere(ValidationTable& table) {
  const ElasticMaterial material{70e9, 0.3, 2500};
  const double a = 1, b = 2, p = 1e6, nu = material.poisson;
  const double k = p * a * a * a / (b * b * b - a * a * a);
  const auto exact = [&](double r) {
    return k / material.young * ((1 - 2 * nu) * r + (1 + nu) * b * b * b / (2 * r * r));
  };
  std::vector<double> errors;
  for (const int cuts : {4, 6, 9}) {
    Context context;
    Mesh mesh = sphere(cuts, b);
    append(mesh, sphere(cuts, a), true);
    const BemSurface body = surfaceOf(mesh);
    BoundaryData data(body.nodeCount(), body.triangleCount());
    for (size_t t = body.triangleCount() / 2; t < body.triangleCount(); ++t)
      data.traction[t] = -p * body.normal(t);
    const BemSolution solution = BemSystem(body, material, data, {}, context).solve(context);
    double inner = 0, outer = 0;
    const size_t half = body.nodeCount() / 2;
    for (size_t n = 0; n < half; ++n) {
      outer += solution.displacement(n).dot(body.point(n)) / b / static_cast<double>(half);
      inner += solution.displacement(half + n).dot(body.point(half + n)) / a / static_cast<double>(half);
    }
    const std::string size = fmt::format("{} triangles", body.triangleCount());
    table.row("hollow sphere under inner pressure: inner radius", size, exact(a), inner, cuts > 6 ? 0.02 : 0);
    table.row("hollow sphere under inner pressure: outer radius", size, exact(b), outer, cuts > 6 ? 0.02 : 0);
    errors.push_back(std::abs(inner / exact(a) - 1));
  }
  table.figure("hollow sphere: order", "from the last two", order(errors[1], errors[2], 1.5));
}

struct Factors {
  double mean = 0;            // of K_I
  Vec3 error = Vec3::Zero();  // largest of each mode, as a share of the mode's largest
};

/// A penny crack of radius 1 against tension `s` and shear `t` along the first axis of the frame.
Factors factorsOf(const BemSystem& system, const BemSolution& solution, double s, double t, const Mat3& frame,
                  SifMethod method = SifMethod::Fit) {
  const double nu = system.material().poisson, root = std::sqrt(1 / kPi);
  const Vec3 scale(2 * s * root, 4 * t * root / (2 - nu), 4 * (1 - nu) * t * root / (2 - nu));
  const std::vector<FrontNode> front = stressIntensity(system, solution, method);
  Factors result;
  for (const FrontNode& f : front) {
    const Vec3 x = frame.transpose() * system.surface().point(static_cast<size_t>(f.node));
    const Vec3 exact(scale[0], scale[1] * x.x(), scale[2] * x.y());
    result.mean += f.k[0] / static_cast<double>(front.size());
    for (int c = 0; c < 3; ++c)
      if (scale[c] > 0) result.error[c] = std::max(result.error[c], std::abs(f.k[c] - exact[c]) / scale[c]);
  }
  return result;
}

void penny(ValidationTable& table) {
  Context context;
  const ElasticMaterial material{70e9, 0.3, 2500};
  BemSystemOptions options;
  options.crackStress = Vec3(0, 0, 1e6).asDiagonal();
  std::vector<double> errors;
  for (const int rings : {4, 8, 16}) {
    BemSystem system({}, material, {}, options, context);
    system.growCracks(crackOf(disk(rings, 1), 0), context);
    const BemSolution solution = system.solve(context);
    const std::string size = fmt::format("{} triangles", system.surface().triangleCount());
    const Factors fit = factorsOf(system, solution, 1e6, 0, Mat3::Identity());
    const Factors correlation = factorsOf(system, solution, 1e6, 0, Mat3::Identity(), SifMethod::Correlation);
    const double asked = rings == 4 ? 0.05 : 0.02;
    table.row("penny in tension: K_I, mean", size, 2e6 / std::sqrt(kPi), fit.mean, asked);
    table.bound("penny in tension: K_I, worst node", size, fit.error[0], asked);
    table.bound("penny in tension: K_I by correlation, worst node", size, correlation.error[0], 0);
    table.row("penny in tension: opening in the middle", size, 8 * (1 - 0.09) * 1e6 / (kPi * material.young),
              solution.opening(0).z(), 0.05);
    errors.push_back(fit.error[0]);
  }
  table.figure("penny in tension: order of K_I", "from the last two", order(errors[1], errors[2], 2));
}

/// Degrees by which a crack turns at the node of its front where it slides most.
double greatestSlideKink(const std::vector<FrontNode>& front, double poisson) {
  const auto most = std::max_element(front.begin(), front.end(), [](const FrontNode& a, const FrontNode& b) {
    return std::abs(a.k[1]) < std::abs(b.k[1]);
  });
  return std::abs(kinkAngle(forwardIntensity(most->k, poisson), most->k[1])) * 180 / kPi;
}

void mixedPenny(ValidationTable& table) {
  Context context;
  const ElasticMaterial material{70e9, 0.3, 2500};
  for (const int rings : {4, 8}) {
    BemSystemOptions options;
    options.crackStress(0, 2) = options.crackStress(2, 0) = 1e6;
    BemSystem sheared({}, material, {}, options, context);
    sheared.growCracks(crackOf(disk(rings, 1), 0), context);
    const BemSolution slid = sheared.solve(context);
    Factors f = factorsOf(sheared, slid, 0, 1e6, Mat3::Identity());
    const std::string size = fmt::format("{} triangles", sheared.surface().triangleCount());
    table.row("penny in shear: kink in degrees where K_II is greatest", size, std::acos(1.0 / 3) * 180 / kPi,
              greatestSlideKink(stressIntensity(sheared, slid), material.poisson), 1 / 70.5);
    table.bound("penny in shear: K_II, worst node", size, f.error[1], 0.08);
    table.bound("penny in shear: K_III, worst node", size, f.error[2], 0.08);
    for (const double degrees : {30.0, 60.0}) {
      const double beta = degrees * kPi / 180;
      const Mat3 frame = Eigen::AngleAxisd(beta, Vec3::UnitY()).toRotationMatrix();
      options.crackStress = Vec3(0, 0, 1e6).asDiagonal();
      BemSystem inclined({}, material, {}, options, context);
      inclined.growCracks(crackOf(disk(rings, 1, frame), 0), context);
      Mat3 turned = frame;  // shear acts along -x of the frame
      turned.leftCols<2>() *= -1;
      f = factorsOf(inclined, inclined.solve(context), 1e6 * std::cos(beta) * std::cos(beta),
                    1e6 * std::sin(beta) * std::cos(beta), turned);
      table.bound(fmt::format("penny inclined by {:g} deg: worst node and mode", degrees), size,
                  f.error.maxCoeff(), 0.08);
    }
  }
}

/// Mean K_I of a penny (radius 1) across the z axis of a body, over the exact one of an unbounded body.
double pennyInside(const BemSurface& body, const Vec3& half, bool byDisplacement, double nu, int rings) {
  Context context;
  const ElasticMaterial material{1, nu, 1};
  const double stretch = 1e-3;
  BoundaryData data(body.nodeCount(), body.triangleCount());
  for (size_t t = 0; t < body.triangleCount(); ++t) {
    const Vec3& n = body.normal(t);
    if (!byDisplacement) {
      if (std::abs(n.z()) > 0.9) data.traction[t] = Vec3(0, 0, stretch * n.z());
      continue;
    }
    data.fixed[t] = Fixed{n.x() < -0.9, n.y() < -0.9, std::abs(n.z()) > 0.9};
  }
  // The uncracked body would be in uniform tension.
  for (size_t n = 0; n < body.nodeCount(); ++n)
    data.displacement[n] = stretch * Vec3(nu * half.x(), nu * half.y(), body.point(n).z());
  BemSystem system(body, material, data, {}, context);
  system.growCracks(crackOf(disk(rings, 1), body.nodeCount()), context);
  return factorsOf(system, system.solve(context), stretch, 0, Mat3::Identity()).mean /
         (2 * stretch / std::sqrt(kPi));
}

void finiteBodies(ValidationTable& table) {
  struct Case {
    const char* name;
    Vec3 half;
    std::array<int, 3> cells;
  };
  const Case cases[] = {{"cube, sides 5a away", {5, 5, 5}, {6, 6, 6}},
                        {"plate, sides 6a and 3a away", {6, 6, 3}, {8, 8, 4}},
                        {"long bar, sides 5a and 15a away", {5, 5, 15}, {5, 5, 14}}};
  for (const Case& c : cases)
    for (const double nu : {0.0, 0.3})
      for (const bool byDisplacement : {false, true}) {
        const BemSurface body = surfaceOf(box(-c.half, c.half, c.cells));
        table.row(fmt::format("penny in a {}, by {}, nu {:g}: K_I over unbounded", c.name,
                              byDisplacement ? "displacement" : "traction", nu),
                  fmt::format("{} + 384 triangles", body.triangleCount()), 1,
                  pennyInside(body, c.half, byDisplacement, nu, 8), 0.05);
      }
}

/// A round bar of radius b = 2.5 a. Exact: [Tada00], to within 1 %.
void roundBar(ValidationTable& table) {
  const double b = 2.5, half = 10, lambda = 1 / b;
  Mesh mesh;
  const int around = 20, along = 20;
  addGrid(mesh, around, along, [&](double u, double v) {
    return Vec3(b * std::cos(2 * kPi * u), b * std::sin(2 * kPi * u), half * (2 * v - 1));
  });
  for (const bool top : {false, true})
    addGrid(mesh, around, 4, [&](double u, double v) {
      const double r = b * (top ? 1 - v : v), angle = 2 * kPi * u;
      return Vec3(r * std::cos(angle), r * std::sin(angle), top ? half : -half);
    });
  Mesh clean;
  clean.points = mesh.points;
  for (const Triangle& t : mesh.triangles)
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) clean.triangles.push_back(t);
  const double exact = (1 + lambda / 2 - 5 * lambda * lambda / 8 + 0.421 * std::pow(lambda, 3)) *
                       std::sqrt(1 - lambda) / (1 - lambda * lambda);
  for (const double nu : {0.0, 0.3})
    table.row(fmt::format("penny in a round bar, a/b = 0.4, nu {:g}: K_I over unbounded", nu),
              fmt::format("{} + 384 triangles", clean.triangles.size()), exact,
              pennyInside(surfaceOf(clean), {b, b, half}, false, nu, 8), 0.05);
}

/// A crack of depth a through the whole width of a block; all its edges but the front are on the surface.
/// Strip: [Brown66].
void edgeCrack(ValidationTable& table) {
  Context context;
  const double a = 1, length = 10, height = 8, depth = 6;
  const std::array<int, 3> cells{12, 14, 8};
  const int deep = 4;
  // Cells of a/4 at the mouth and near the plane of the crack, growing away from it.
  const auto grade = [](double s, double fine, double end) {
    const double x = s * fine;
    return x + (end - fine) * std::pow(s, 4);
  };
  const auto place = [&](const Vec3& p) {
    const double x =
        p.x() <= deep ? p.x() * a / deep : a + grade((p.x() - deep) / (cells[0] - deep), 3, length - a);
    const double side = p.y() < 0 ? -1 : 1;
    return Vec3(x, side * grade(std::abs(p.y()) / (0.5 * cells[1]), 2.5, height), p.z() * depth / cells[2]);
  };
  Mesh mesh = box({0, -0.5 * cells[1], 0}, {double(cells[0]), 0.5 * cells[1], double(cells[2])}, cells);
  for (Vec3& p : mesh.points) p = place(p);
  Mesh sheet;
  addGrid(sheet, cells[2], deep, [&](double u, double v) { return place({v * deep, 0, u * cells[2]}); });
  const BemSurface body = surfaceOf(mesh);
  BoundaryData data(body.nodeCount(), body.triangleCount());
  for (size_t t = 0; t < body.triangleCount(); ++t)
    if (std::abs(body.normal(t).y()) > 0.9) data.traction[t] = Vec3(0, body.normal(t).y(), 0);
  for (const double nu : {0.0, 0.3}) {
    BemSystem system(body, {1, nu, 1}, data, {}, context);
    system.growCracks(crackWithMouth(body, body.triangleCount(), sheet.points, sheet.triangles), context);
    double mean = 0, count = 0;
    for (const FrontNode& f : stressIntensity(system, system.solve(context)))
      if (std::abs(system.surface().point(static_cast<size_t>(f.node)).z() - 0.5 * depth) < 0.2 * depth) {
        mean += f.k[0];
        count += 1;
      }
    mean /= count;
    const double r = a / length;
    const double strip = 1.12 - 0.231 * r + 10.55 * r * r - 21.72 * std::pow(r, 3) + 30.39 * std::pow(r, 4);
    const std::string size = fmt::format("{} + {} triangles", body.triangleCount(), sheet.triangles.size());
    table.row(fmt::format("edge crack, nu {:g}: K_I over s sqrt(pi a), half-space", nu), size, 1.1215,
              mean / std::sqrt(kPi * a), 0.15);
    table.row(fmt::format("edge crack, nu {:g}: the same, strip of width 10 a", nu), size, strip,
              mean / std::sqrt(kPi * a), 0.15);
  }
}

}  // namespace
}  // namespace hackle

int main(int argc, char** argv) {
  using namespace hackle;
  ValidationTable table(argc, argv, "validate_bem.tsv");
  patch(table, {}, "default rules", 1e-4);
  patch(table, QuadratureOptions::high(), "high rules", 1e-8);
  rigidMotions(table);
  solvedPatch(table);
  barInTension(table);
  bentBar(table);
  hollowSphere(table);
  penny(table);
  mixedPenny(table);
  finiteBodies(table);
  roundBar(table);
  edgeCrack(table);
  return table.finish();
}
