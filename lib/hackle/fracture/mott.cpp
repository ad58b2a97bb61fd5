#include <hackle/fracture/mott.h>

#include <algorithm>
#include <cmath>

namespace hackle {

double mottSurvival(double v, double meanVolume) {
  return v <= 0 ? 1.0 : std::exp(-std::cbrt(6.0 * v / meanVolume));
}

MottFit fitMott(Span<const double> volumes) {
  std::vector<double> sorted;
  for (const double v : volumes)
    if (v > 0 && std::isfinite(v)) sorted.push_back(v);
  std::sort(sorted.begin(), sorted.end());
  MottFit fit;
  fit.samples = sorted.size();
  if (sorted.empty()) return fit;

  // For a Weibull distribution of known shape k, the likeliest scale is (mean of v^k)^(1/k).
  const double count = static_cast<double>(sorted.size());
  double sum = 0.0;
  for (const double v : sorted) sum += std::cbrt(v);
  const double mean = sum / count;
  fit.meanVolume = 6.0 * mean * mean * mean;

  for (size_t i = 0; i < sorted.size(); ++i) {
    const double expected = 1.0 - mottSurvival(sorted[i], fit.meanVolume);
    const double below = static_cast<double>(i) / count, upTo = static_cast<double>(i + 1) / count;
    fit.distance = std::max({fit.distance, std::abs(expected - below), std::abs(upTo - expected)});
  }
  return fit;
}

}  // namespace hackle
