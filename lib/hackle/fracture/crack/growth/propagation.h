// How fast a crack front moves and where to: laws for one place of the front.
#pragma once

#include <hackle/geometry/vec.h>

namespace hackle {

// Stress intensities k = (K_I, K_II, K_III) in Pa m^(1/2). Angles turn from straight ahead (0) towards the
// crack's normal (positive), radians: the front moves along sin(angle) normal + cos(angle) outward. K_II is
// positive where the face that the normal points to slides outwards. [Hahn17] ch. 4.5.

/// K_eff = sqrt(K_I^2 + K_II^2 + K_III^2 / (1 - nu)), eq. 4.7; so G = (1 - nu^2) K_eff^2 / E.
double effectiveIntensity(const Vec3& k, double poisson);

/// J/m^2, the energy that a unit of new crack area releases straight ahead.
double energyReleaseRate(const Vec3& k, double young, double poisson);

/// m/s, c_R (1 - K_c^2 / K_eff^2) above the toughness, 0 otherwise; eq. 4.8. Never above c_R.
double frontSpeed(double effective, double toughness, double rayleighSpeed);

/// K_I and K_III together, which both drive a crack straight on: sqrt(K_I^2 + K_III^2 / (1 - nu)).
double forwardIntensity(const Vec3& k, double poisson);

/// Mode I of a crack that is turned by an angle, eq. 4.13: K cos^3(a/2) - 3 K_II cos^2(a/2) sin(a/2).
double turnedIntensity(double forward, double sliding, double angle);

/// The angle at which that is greatest, eq. 4.10: at most 70.53 degrees, against the sign of K_II.
double kinkAngle(double forward, double sliding);

/// What drives the front: k itself under tension. Where compression is the greater of the two once it is
/// divided by `compressionRatio` (f_c: toughness in compression over that in tension), -k / f_c instead.
Vec3 drivingIntensity(const Vec3& k, double compressionRatio);

/// The angles around the kink angle at which the turned intensity is at least the toughness; both the kink
/// angle if it is nowhere.
struct AngleRange {
  double low = 0.0, high = 0.0;
};
AngleRange validAngles(double forward, double sliding, double toughness);

/// The kink angle drawn towards lower toughness, eq. 4.14: w best + (1 - w) nearest, with `nearest` the valid
/// angle next to that of the falling toughness and w = 1 / (1 + r length / K_c), r the gradient's part across
/// the front. `along` and `across` are the parts of the gradient (Pa m^(1/2) / m) along outward and normal.
double steeredAngle(double best, const AngleRange& valid, double along, double across, double toughness,
                    double length);

}  // namespace hackle
