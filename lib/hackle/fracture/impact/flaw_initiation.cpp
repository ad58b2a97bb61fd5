#include <hackle/fracture/impact/flaw_initiation.h>

#include <hackle/core/parallel.h>
#include <hackle/fracture/impact/flaw_scan.h>

#include <algorithm>
#include <cmath>

namespace hackle {

namespace {

/// The parabola through three samples, and what it says of the time around the second.
struct SamplePeak {
  double value;  // at its top, or of the second sample if the top is not near it
  double at;     // of the top, in steps from the second sample
  double curve;  // half of the second difference, below 0 at a top
};

SamplePeak peakBetween(double before, double here, double after) {
  const double curve = 0.5 * (before + after) - here, slope = 0.5 * (after - before);
  if (!(curve < 0) || here < before || here < after) return {here, 0, 0};
  // Kinks are no parabolas: no more than a sine of 12 samples per period hides.
  return {std::min(here - 0.25 * slope * slope / curve, kBetweenSamples * here), -0.5 * slope / curve, curve};
}

/// Steps from the second sample at which the stress first reaches the strength; not set if it does not.
std::optional<double> firstReach(double before, double here, double after, double strength) {
  if (here >= strength) {
    if (before >= strength) return -1.0;
    return -(here - strength) / (here - before);
  }
  const SamplePeak peak = peakBetween(before, here, after);
  if (!(peak.value >= strength)) return {};
  return std::max(-1.0, peak.at - std::sqrt(std::max(0.0, (strength - peak.value) / peak.curve)));
}

/// Above 0: tension along the grain counts less. Below 0: tension across it does.
Mat3 grainWeight(const Grain& grain) {
  const Mat3 along = grain.direction * grain.direction.transpose();
  return grain.bias > 0 ? Mat3(Mat3::Identity() - grain.bias * along)
                        : Mat3((1 + grain.bias) * Mat3::Identity() - grain.bias * along);
}

/// What the search finds for one flaw.
struct Found {
  double time = -1;   // s, of the first failure
  size_t tested = 0;  // samples
};

/// The first time at which a flaw fails.
Found firstFailure(const FlawScan& scan, size_t flaw, double strength) {
  Found found;
  const FlawScan::Place place(scan, flaw);
  FlawScan::Row row;
  for (size_t b = 0; b < scan.blocks(); ++b) {
    if (place.bound(b) < strength) continue;
    found.tested += static_cast<size_t>(scan.ownOf(b));
    if (!place.evaluate(b, strength, row)) continue;
    for (size_t s = 1; s <= static_cast<size_t>(scan.ownOf(b)); ++s)
      if (const auto at = firstReach(row[s - 1], row[s], row[s + 1], strength)) {
        found.time = scan.timeOf(b, static_cast<double>(s) - 1 + *at);
        return found;
      }
  }
  return found;
}

/// The largest stress of a flaw over its strength, if it is above `least`.
double largestLoad(const FlawScan& scan, size_t flaw, double strength, double least) {
  const FlawScan::Place place(scan, flaw);
  FlawScan::Row row;
  for (size_t b = 0; b < scan.blocks(); ++b) {
    if (place.bound(b) <= least * strength || !place.evaluate(b, least * strength, row)) continue;
    for (size_t s = 1; s <= static_cast<size_t>(scan.ownOf(b)); ++s)
      least = std::max(least, peakBetween(row[s - 1], row[s], row[s + 1]).value / strength);
  }
  return least;
}

/// Largest stress over strength when no flaw fails: first of those with the largest bounds, then of what may
/// exceed that.
double largestLoad(const FlawScan& scan, const FlawRows& flaws, Context& context) {
  constexpr size_t kFirst = 64;
  struct Candidate {
    double bound = 0;
    size_t flaw = 0;
  };
  std::vector<Candidate> candidates(flaws.flaws.size());
  parallelFor(context, candidates.size(), 64, [&](size_t i) {
    candidates[i].flaw = i;
    if (flaws.tetrahedra[i] < 0) return;
    const FlawScan::Place place(scan, i);
    for (size_t b = 0; b < scan.blocks(); ++b)
      candidates[i].bound = std::max(candidates[i].bound, place.bound(b) / flaws.flaws[i].strength);
  });
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    return a.bound != b.bound ? a.bound > b.bound : a.flaw < b.flaw;
  });
  double largest = 0;
  const auto search = [&](size_t begin, size_t end) {
    std::vector<double> loads(end - begin, 0);
    parallelFor(context, loads.size(), 16, [&](size_t i) {
      const Candidate& c = candidates[begin + i];
      if (c.bound > largest) loads[i] = largestLoad(scan, c.flaw, flaws.flaws[c.flaw].strength, largest);
    });
    for (const double load : loads) largest = std::max(largest, load);
  };
  const size_t first = std::min(kFirst, candidates.size());
  search(0, first);
  search(first, candidates.size());
  return largest;
}

}  // namespace

Mat3 Grain::apply(const Mat3& stress) const {
  if (bias == 0) return stress;
  const Mat3 weight = grainWeight(*this);
  return weight * stress * weight;
}

Vec3 Grain::apply(const Vec3& normal) const { return bias == 0 ? normal : Vec3(grainWeight(*this) * normal); }

Failures findFailures(const FlawRows& flaws, const Motion& motion, const Grain& grain, double factor,
                      Context& context) {
  const FlawScan scan(flaws, motion, grain);
  const size_t count = flaws.flaws.size();
  std::vector<Found> found(count);
  parallelFor(context, count, 64, [&](size_t i) {
    if (flaws.tetrahedra[i] >= 0) found[i] = firstFailure(scan, i, flaws.flaws[i].strength / factor);
  });
  Failures failures;
  for (size_t i = 0; i < count; ++i) {
    failures.tested += found[i].tested;
    if (found[i].time >= 0) failures.first.push_back({static_cast<int32_t>(i), found[i].time});
  }
  std::sort(failures.first.begin(), failures.first.end(), [](const Failure& a, const Failure& b) {
    return a.time != b.time ? a.time < b.time : a.flaw < b.flaw;
  });
  if (failures.first.empty()) failures.largestLoad = factor * largestLoad(scan, flaws, context);
  return failures;
}

}  // namespace hackle
