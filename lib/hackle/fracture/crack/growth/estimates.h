// Stress intensity and opening of a crack from the stress of the body without it ([Hahn17] ch. 5).
#pragma once

#include <hackle/bem/stress_intensity.h>

namespace hackle {

/// What an estimate knows of a crack's shape.
struct CrackExtent {
  double area = 0.0;   // m^2
  double front = 0.0;  // m, length of the rim inside of the body
  double free = 0.0;   // m, length of the rim that opens at the surface (bem/mouth.h)
  double held = 0.0;  // m, length of the rim that has met the surface or another crack and is held shut there
};

/// A crack's size as its intensity sees it.
struct CrackShape {
  double factor = 0.0;   // m^(1/2), K_I of a uniform tension of 1 Pa across it
  double opening = 0.0;  // m^(1/2), the same for its opening, which a held rim limits as well
  double radius = 0.0;   // m, of a penny with the same ratio of area to front
  double surface = 0.0;  // 0 for a crack within the body, 1 for one with a straight front across it
};

/// K_I = c √(π A / ℓ) with the area A and the front's length ℓ. Exact shapes differ in c only: 2 √2 / π for a
/// penny, 1 for a straight crack within a plate. c grows from the first to the second with the part of the
/// rim that is free. What a free surface adds (1.1215 for a straight crack at an edge) is in the stress of
/// the body whose mouth is open. [Hahn17] eq. 5.1 has a circle of the same area and 1.1215 for all. Zero
/// without area or front.
CrackShape crackShape(const CrackExtent& extent);

/// K_I, K_II, K_III (Pa m^(1/2)) at a place of the front, whose frame is `frame` (its k is not read), of a
/// crack in a uniform stress (Pa): exact for a penny in any tension, shear or mixture as K_eff goes. The
/// ratio of K_II is such that the front turns into the principal plane ([Hahn17] eqs. 5.2 to 5.4), which
/// keeps paths from oscillating. Under compression that outweighs tension times f_c K_I is negative.
Vec3 estimatedIntensity(const Mat3& stress, const FrontNode& frame, const CrackShape& shape, double poisson,
                        double compressionRatio);

/// How much the stress where a front was counts for the present K_I, when the crack had ascending parts (0 to
/// 1, the last is the front) of its area then: exact for a penny with a stress that depends on the radius and
/// is constant between the middles of these parts. They add up to 1.
std::vector<double> ringWeights(Span<const double> parts);

/// K_II over K of a front that turns by an angle of at most 70.5 degrees, eq. 5.2: kinkAngle of (1, ratio) is
/// the angle.
double slidingRatio(double angle);

/// m, the opening at a distance (m) behind a front with intensities k, as a vector; eqs. 5.5 and 5.6, where
/// eq. 5.5 is too small by 2.
Vec3 estimatedOpening(const Vec3& k, const FrontNode& frame, double distance,
                      const ElasticMaterial& material);

/// The opening at a distance (m) behind the front of a penny over that of the formula near the front, which
/// goes on as √d: √(1 - d / 2a), never below √½. Where a crack has a mouth, what is left of the section (b,
/// m) is a hinge, about which the rest turns: times √(1 + 1.5 d `hinge`), with 1/b for `hinge`. Tada's
/// openings of edge cracks have 0.8 to 1.75 in place of 1.5, for b/W from 0.2 to 0.5 in tension and bending.
double openingProfile(double distance, double radius, double hinge);

}  // namespace hackle
