// Stress intensities at the tip of a crack in a sheet, and where and whether it grows.
#pragma once

#include <hackle/fracture/sheet/shell_element.h>

#include <functional>
#include <vector>

namespace hackle {

/// A tip: the last vertex of a crack, and where it is heading.
struct CrackTip {
  int32_t corner = -1;            // any corner at the vertex
  Vec3 direction = Vec3::Zero();  // unit, tangent to the rest shape
};

/// Membrane (K) and bending (k, surface stress) intensities, Pa m^(1/2). README eq. (9)-(11).
struct TipIntensity {
  double K1 = 0, K2 = 0, k1 = 0, k2 = 0;
  int faces = 0;       // that the fit used
  bool valid = false;  // false: too few faces round the tip
};

/// Least squares of the stresses of faces between the two radii (m) round the tip against Williams' terms.
TipIntensity fitTip(const SheetMesh& mesh, const std::vector<ShellFace>& faces,
                    const std::vector<ShellStrain>& strains, const ShellMaterial& material,
                    const CrackTip& tip, double innerRadius, double outerRadius);

/// J/m^2 that a straight extension releases.
double energyRelease(const TipIntensity& intensity, const ShellMaterial& material);

struct Kink {
  double angle = 0;      // rad, against the direction of the tip, counter-clockwise about the normal
  double release = 0;    // J/m^2 in that direction
  double toughness = 0;  // J/m^2 that it takes there
};

/// The direction in which release exceeds toughness(angle) by most. Each face of the sheet opens by its own
/// mode I and II; sides under pressure do not count.
Kink chooseKink(const TipIntensity& intensity, const ShellMaterial& material,
                const std::function<double(double)>& toughness);

}  // namespace hackle
