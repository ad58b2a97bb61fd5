// Stress in a body over time, as cracks ask for it.
#pragma once

#include <hackle/fracture/impact/flaw_rows.h>

#include <optional>

namespace hackle {

class StressHistory {
 public:
  virtual ~StressHistory() = default;
  /// Pa, at a place of the lattice and a time (s). May be asked from several threads.
  virtual Mat3 stressAt(const LatticePlace& place, double time) const = 0;
  /// At a flaw; at the surface what acts within it.
  virtual Mat3 stressAtFlaw(const FlawRows& flaws, size_t flaw, double time) const {
    return stressWithin(stressAt(flaws.places[flaw], time), flaws.flaws[flaw].normal);
  }
  /// The first time from `from` to `until` (s), in whole steps, at which v . stress v is at least `needed`
  /// (Pa) at a place; not set if there is none.
  virtual std::optional<double> firstTension(const LatticePlace& place, const Vec3& v, double needed,
                                             double from, double until) const {
    return firstTime([&](double t) { return v.dot(stressAt(place, t) * v) >= needed; }, from, until);
  }
  virtual std::optional<double> firstTensionAtFlaw(const FlawRows& flaws, size_t flaw, const Vec3& v,
                                                   double needed, double from, double until) const {
    return firstTime([&](double t) { return v.dot(stressAtFlaw(flaws, flaw, t) * v) >= needed; }, from,
                     until);
  }
  /// J that is there for cracks at a time.
  virtual double energyAt(double time) const = 0;
  virtual double largestEnergy() const = 0;
  /// s until which cracks may start, and the step (s) in which stress changes little.
  virtual double window() const = 0;
  virtual double step() const = 0;

 private:
  template <class Asked>
  std::optional<double> firstTime(const Asked& asked, double from, double until) const {
    for (double t = from; t < until; t += step())
      if (asked(t)) return t;
    return {};
  }
};

}  // namespace hackle
