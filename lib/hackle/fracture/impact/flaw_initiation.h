// Which flaws fail, and when: the search over places and times, with bounds that skip most of both.
#pragma once

#include <hackle/fracture/impact/flaw_rows.h>
#include <hackle/fracture/impact/motion.h>

#include <vector>

namespace hackle {

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
