// Sheets against exact solutions and against themselves at other resolutions: plates, cracks, tears.
#include "sheet_scenes.h"
#include "validation/table.h"

#include <hackle/fracture/sheet/crack_tip.h>
#include <hackle/fracture/sheet/sheet_cut.h>

#include <cmath>

namespace {

using namespace hackle;
constexpr double kPi = 3.14159265358979323846;

SheetOptions panelOptions(double fine) {
  SheetOptions options;
  options.material = {1e9, 0.3, 1000, 0, 0};
  options.thickness = 1e-2;
  options.fine = fine;
  options.coarse = 0.08;
  options.births = false;
  options.gravity.setZero();
  options.quasistatic = true;
  options.step = 1;
  options.toughness = 1e5;
  return options;
}

SheetPin grip(const Vec3& centre, const Vec3& half) {
  SheetPin pin;
  pin.centre = centre;
  pin.half = half;
  return pin;
}

/// Pulls a panel with a centre crack until the crack grows; gives the stress intensity that the grips' force
/// says.
double criticalIntensity(double fine, Context& context) {
  SheetOptions options = panelOptions(fine);
  const double width = 1, height = 2;
  options.pins = {grip({0, -height / 2, 0}, {1, 1e-6, 1}), grip({0, height / 2, 0}, {1, 1e-6, 1})};
  options.pins[1].keys = {{0, Vec3::Zero(), Vec3::Zero()}, {1000, Vec3(0, 1e-2, 0), Vec3::Zero()}};
  options.increments = 1;
  SheetSimulation sheet(sheets::centredRectangle(width, height, options.thickness), options, context);
  sheet.addCrack({-0.1, 0, 0}, {0.1, 0, 0}, context);
  const SheetMesh& mesh = sheet.mesh();
  const double a = 0.5 * (mesh.rest[sheet.tips()[0].vertex] - mesh.rest[sheet.tips()[1].vertex]).norm();
  double force = 0;
  while (sheet.crackLength() == 0 && sheet.time() < 1000) {
    force = sheet.pinForce(1).y();
    sheet.step(1000, context);
  }
  const double stress = force / (width * options.thickness);
  return stress * std::sqrt(kPi * a / std::cos(kPi * a / width));
}

/// Root mean square distance of an edge crack from the straight line, in fine edges; the panel is turned by
/// an angle.
double straightness(double fine, double degrees, Context& context) {
  const double angle = degrees * kPi / 180;
  const auto turn = [&](const Vec3& p) {
    return Vec3(std::cos(angle) * p.x() - std::sin(angle) * p.y(),
                std::sin(angle) * p.x() + std::cos(angle) * p.y(), 0);
  };
  SheetOptions options = panelOptions(fine);
  const Vec3 up = turn({0, 1, 0});
  options.pins = {grip(-0.5 * up, Vec3::Constant(0.06)), grip(0.5 * up, Vec3::Constant(0.06))};
  options.pins[1].keys = {{0, Vec3::Zero(), Vec3::Zero()}, {20, 2e-2 * up, Vec3::Zero()}};
  // The mesh is made before the panel is turned, but refined and flipped as it comes.
  SheetMesh mesh = sheets::centredRectangle(1, 1, options.thickness);
  for (std::vector<Vec3>* values : mesh.vertexArrays())
    if (values != &mesh.v && values != &mesh.vBefore)
      for (Vec3& p : *values) p = turn(p);
  SheetSimulation sheet(mesh, options, context);
  sheet.addCrack(turn({-0.5, 0, 0}), turn({-0.3, 0, 0}), context);
  double sum = 0;
  int count = 0;
  while (sheet.time() < 20 && sheet.tips()[0].active && sheet.crackLength() < 0.5) {
    const double before = sheet.crackLength();
    sheet.step(20, context);
    if (sheet.crackLength() == before) continue;
    sum += std::pow(sheet.mesh().rest[sheet.tips()[0].vertex].dot(up), 2);
    ++count;
  }
  return count > 0 ? std::sqrt(sum / count) / fine : INFINITY;
}

/// Length at which a crack in a panel that is pulled by a fixed amount stops, with inertia, by the length of
/// steps.
double arrestLength(double step, Context& context) {
  SheetOptions options = panelOptions(0.015);
  options.quasistatic = false;
  options.material.damping = 1e-5;
  options.step = step;
  const Vec3 up(0, 1, 0);
  options.pins = {grip(-0.5 * up, Vec3::Constant(0.06)), grip(0.5 * up, Vec3::Constant(0.06))};
  options.pins[1].keys = {{0, Vec3::Zero(), Vec3::Zero()}, {0.05, 6e-4 * up, Vec3::Zero()}};
  SheetSimulation sheet(sheets::centredRectangle(1, 1, options.thickness), options, context);
  sheet.addCrack({-0.5, 0, 0}, {-0.3, 0, 0}, context);
  sheet.advance(0.08, context);
  return 0.2 + sheet.crackLength();
}

}  // namespace

int main(int argc, char** argv) {
  ValidationTable table(argc, argv, "validate_sheet.tsv");
  for (const double fine : {0.04, 0.02, 0.01}) {
    Context context;
    table.row("K at which a centre crack grows, against K_c", fmt::format("fine {}", fine), 1e5,
              criticalIntensity(fine, context), 0.05);
  }
  for (const double fine : {0.03, 0.02, 0.014})
    for (const double degrees : {0.0, 15.0, 30.0, 45.0}) {
      Context context;
      table.bound("mode I path, rms off the line in fine edges",
                  fmt::format("fine {} turned {}", fine, degrees), straightness(fine, degrees, context), 0.3);
    }
  Context context;
  const double a = arrestLength(2e-4, context), b = arrestLength(1e-4, context);
  table.row("length at arrest, half the step", "0.2 and 0.1 ms", a, b, 0.05);
  return table.finish();
}
