// Bodies that vibrate, and loads on them, for the tests of impact fracture.
#pragma once

#include <hackle/fracture/impact/motion.h>

#include <shapes.h>

#include <cmath>

namespace hackle::vibrating {

inline Geometry transformed(Geometry g, const Mat3& by, const Vec3& shift) {
  for (Vec3& p : g.editPositions()) p = by * p + shift;
  return g;
}

/// A strike by forces that are given, of unit sum.
inline Strike strike(const ModalBody& body, const std::vector<PointForce>& forces, const Pulse& pulse,
                     double impulse, Context& context) {
  Strike s;
  s.pulse = pulse;
  s.asked = s.impulse = impulse;
  s.load = body.embedding().nodalForces(forces);
  s.shares = (body.shapes().transpose() * s.load.cast<float>()).cast<double>();
  s.deformation = body.body().solve(s.load, context);
  return s;
}

/// Even pressure on the side x = 0 of a box, pushing to +x: n by n forces that add up to 1.
inline std::vector<PointForce> endPressure(double height, double depth, int n) {
  std::vector<PointForce> forces;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      forces.push_back(
          {-1, Vec3(0, height * (i + 0.5) / n, depth * (j + 0.5) / n), Vec3(1.0 / (n * n), 0, 0)});
  return forces;
}

inline ModalBodyOptions options(double cell, size_t modes, double poisson = 0.22) {
  ModalBodyOptions o;
  o.cellSize = cell;
  o.modes = modes;
  o.material = {70e9, poisson, 2500};
  return o;
}

/// Stress at a place of the body.
inline Mat3 stressAt(const ModalBody& body, const Motion& motion, const Vec3& x, double t) {
  return motion.stressAt(body.embedding().place(x), t);
}

}  // namespace hackle::vibrating
