// The flaws at which cracks can start: scattered at random, each with a strength of its own.
#pragma once

#include <hackle/fracture/solid.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace hackle {

/// A number that an artist painted; empty: 1 everywhere. Asked from several threads.
using PaintedFactor = std::function<double(const Vec3&)>;

struct FlawOptions {
  double strength = 45e6;      // Pa: with probability 1 - 1/e the weakest flaw of the surface is weaker
  double modulus = 8;          // Weibull's: the larger, the more alike flaws are
  std::optional<double> area;  // m^2 to which `strength` belongs; not set: the surface of the solid
  double interior = 1.5;       // flaws inside are this many times as strong as those of the surface
  size_t count = 4096;         // the weakest flaws of the surface; a quarter as many inside
  uint64_t seed = 0;
  PaintedFactor strengthPaint;  // multiplies strengths
  PaintedFactor densityPaint;   // multiplies the number of flaws per area and volume
};

struct Flaw {
  Vec3 position = Vec3::Zero();  // m
  double strength = 0;           // Pa, tensile stress at which a crack starts here
  Vec3 normal = Vec3::Zero();  // of the surface, of flaws in it: only what pulls along the surface opens them
};

/// A Poisson process in space and strength: on the surface the expected number of flaws weaker than s is
/// (s / strength)^modulus times the area. Flaw k has the strength s0 (Gamma_k)^(1/modulus), where Gamma_k is
/// a sum of k numbers of the exponential distribution. Places are where random lines through the solid meet
/// its surface (uniform per area, by Crofton's formula), and random places along them inside (uniform per
/// volume): they depend on the seed and the shape, not on its triangles and not on any lattice.
std::vector<Flaw> flawPopulation(const Solid& solid, const FlawOptions& options, Context& context);

}  // namespace hackle
