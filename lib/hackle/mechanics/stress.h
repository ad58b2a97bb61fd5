// What one asks of a stress tensor.
#pragma once

#include <hackle/geometry/vec.h>

namespace hackle {

struct PrincipalStress {
  Vec3 values;      // Pa, descending: tension first
  Mat3 directions;  // columns, unit, right-handed
};

/// Of a symmetric tensor (the lower triangle is read). The sign of each direction is fixed: its largest
/// component is positive, the third completes a right-handed frame. Where values are equal any frame of
/// their plane may come out.
PrincipalStress principalStress(const Mat3& stress);

/// Pa, descending, in closed form: about ten times as quick, and to 1e-7 of the largest where two are alike.
Vec3 principalValues(const Mat3& stress);

/// Pa, sqrt(3/2) times the norm of the deviator; |s| for uniaxial s.
double vonMises(const Mat3& stress);

}  // namespace hackle
