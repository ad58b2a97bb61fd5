// Mott's law for the sizes of fragments [Mott47].
#pragma once

#include <hackle/core/span.h>

#include <cstddef>
#include <vector>

namespace hackle {

/// Mott: the part of all fragments with a volume above v is P(V > v) = exp(-(6 v / m)^(1/3)), m their mean
/// volume. It is a Weibull distribution of shape 1/3 and scale m / 6.
struct MottFit {
  size_t samples = 0;
  double meanVolume = 0.0;  // the m of greatest likelihood, 6 (mean of v^(1/3))^3; 0 without samples
  double distance = 0.0;    // Kolmogorov-Smirnov: greatest difference to the samples' own distribution
};

/// Fits the law to volumes; those that are not positive and finite are left out.
MottFit fitMott(Span<const double> volumes);

/// P(V > v) for mean volume m.
double mottSurvival(double v, double meanVolume);

}  // namespace hackle
