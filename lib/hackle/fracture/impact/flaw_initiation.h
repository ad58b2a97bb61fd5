// Which flaws fail, and when: the search over places and times, with bounds that skip most of both.
#pragma once

#include <hackle/fracture/impact/flaws.h>
#include <hackle/fracture/impact/motion.h>

#include <optional>
#include <vector>

namespace hackle {

/// Flaws with their places in the lattice and the stresses of the modes there.
struct FlawRows {
  std::vector<Flaw> flaws;
  std::vector<LatticePlace> places;
  std::vector<int32_t> tetrahedra;  // that hold them
  ModalBody::Rows rows;             // 6 per flaw x modes, Pa per unit of a mode
  /// Pa / J^1/2, one per flaw: its stress is at most this times the root of the sum of (omega q)^2.
  std::vector<float> bounds;

  size_t bytes() const;
};
FlawRows flawRows(const ModalBody& body, std::vector<Flaw> flaws, Context& context);

/// Flaws of one strength (Pa, times paint) at all points of the lattice, moved to the surface where they are
/// outside: for materials without scatter.
std::vector<Flaw> uniformFlaws(const ModalBody& body, const Solid& solid, double strength,
                               const PaintedFactor& paint, Context& context);

/// The tensor that decides where cracks start and run: stress, weaker or stronger along a grain.
struct Grain {
  Vec3 direction = Vec3::UnitY();
  double bias = 0;  // -1 to 1: above 0 the material splits along the grain, below 0 across it
  Mat3 apply(const Mat3& stress) const;
  /// The vector v with v . stress v = n . apply(stress) n.
  Vec3 apply(const Vec3& normal) const;
};

struct Failure {
  int32_t flaw = -1;
  double time = 0;  // s, at which its strength is first reached
};

struct Failures {
  std::vector<Failure> first;  // by time, then flaw; each flaw once
  /// Largest stress over strength of all flaws and times if none fails.
  double largestLoad = 0;
  size_t tested = 0;  // flaws x samples that no bound could skip
};

/// `factor` multiplies all stresses. Every flaw's first failure within the window.
Failures findFailures(const FlawRows& flaws, const Motion& motion, const Grain& grain, double factor,
                      Context& context);

}  // namespace hackle
