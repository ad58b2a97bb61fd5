// Scenes of sheets that benchmarks and validations share.
#pragma once

#include <hackle/fracture/sheet/sheet_simulation.h>

#include <cmath>
#include <memory>
#include <vector>

namespace hackle::sheets {

/// A rectangle about the origin in the plane z = 0.
inline SheetMesh centredRectangle(double width, double height, double thickness) {
  const double w = width / 2, h = height / 2;
  return SheetMesh::make({{-w, -h, 0}, {w, -h, 0}, {w, h, 0}, {-w, h, 0}}, {{0, 1, 2}, {0, 2, 3}}, thickness);
}

/// ARCSim's paper tearing with its own numbers: a notch of 8 mm at the top, four patches that turn by 10
/// degrees about the middle within the first second, then move apart by 0.06 m each. Toughness by K_c = 0.74
/// tau sqrt(x_min).
inline std::unique_ptr<SheetSimulation> paperTearing(Context& context) {
  SheetOptions options;
  options.material = {4e9, 0.0, 800, 1e-4, 0};
  options.thickness = 1e-4;
  options.fine = 2e-3;
  options.coarse = 20e-3;
  options.strength = 9e7;
  options.toughness = 0.74 * 9e7 * std::sqrt(2e-3);
  options.births = false;
  options.step = 1e-3;
  options.gravity = Vec3(0, -9.8, 0);
  for (const double x : {-0.08, 0.08})
    for (const double y : {-0.08, 0.08}) {
      SheetPin pin;
      pin.centre = Vec3(x, y, 0);
      pin.half = Vec3::Constant(5e-3);
      const double side = x < 0 ? 1 : -1;
      for (int i = 0; i <= 20; ++i) {
        const double angle = side * i / 20.0 * 10 * 3.14159265358979323846 / 180;
        const Vec3 to(std::cos(angle) * x - std::sin(angle) * y, std::sin(angle) * x + std::cos(angle) * y,
                      0);
        pin.keys.push_back({i / 20.0, to - pin.centre, Vec3(0, 0, angle)});
      }
      SheetKey last = pin.keys.back();
      last.time = 2;
      last.move.x() += x < 0 ? -0.06 : 0.06;
      pin.keys.push_back(last);
      options.pins.push_back(pin);
    }
  auto simulation =
      std::make_unique<SheetSimulation>(centredRectangle(0.2, 0.2, options.thickness), options, context);
  simulation->addCrack({0, 0.1, 0}, {0, 0.092, 0}, context);
  return simulation;
}

/// A pane of window glass, 4 mm thick and 0.6 m wide, held at its border and hit by a steel ball.
inline std::unique_ptr<SheetSimulation> windowPane(double fine, double speed, Context& context) {
  SheetOptions options;
  options.material = {70e9, 0.22, 2500, 1e-7, 0};
  options.thickness = 4e-3;
  options.fine = fine;
  options.coarse = 0.05;
  options.strength = 45e6;
  options.toughness = 0.75e6;
  options.step = 1e-5;
  options.gravity.setZero();
  for (int side = 0; side < 4; ++side) {
    SheetPin pin;
    const double angle = side * 0.5 * 3.14159265358979323846;
    pin.centre = 0.3 * Vec3(std::round(std::cos(angle)), std::round(std::sin(angle)), 0);
    pin.half = side % 2 == 0 ? Vec3(1e-3, 0.31, 0.1) : Vec3(0.31, 1e-3, 0.1);
    options.pins.push_back(pin);
  }
  SheetObstacle ball;
  ball.shape = SheetObstacle::Shape::Ball;
  ball.radius = 0.025;
  ball.mass = 0.5;
  ball.position = Vec3(0.03, 0.02, ball.radius + 0.6 * options.thickness + 2e-3);
  ball.velocity = Vec3(0, 0, -speed);
  options.obstacles = {ball};
  options.contact.reach = 1e-3;
  options.contact.stiffness = 1e7;
  return std::make_unique<SheetSimulation>(centredRectangle(0.6, 0.6, options.thickness), options, context);
}

}  // namespace hackle::sheets
