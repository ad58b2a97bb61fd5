// Plastic flow of sheets: plane-stress J2 with thinning, and bending beyond the yield curvature.
#pragma once

#include <hackle/fracture/sheet/shell_element.h>

#include <vector>

namespace hackle {

struct PlasticReturn {
  Vec2 stress = Vec2::Zero();   // Pa, principal, on or inside the yield surface
  Vec2 plastic = Vec2::Zero();  // log strain that flowed, principal
};

/// Brings principal elastic strains back to the yield surface (von Mises, plane stress, backward Euler). The
/// sum of plastic strains is minus the thickening: volume stays.
PlasticReturn returnToYield(const Vec2& elastic, double young, double poisson, double yield);

/// Lets every face flow whose strain or surface curvature is beyond yield; thickness follows. Gives the
/// plastic work, J, never negative; 0 means that nothing changed.
double flowPlastically(SheetMesh& mesh, const std::vector<ShellFace>& faces,
                       const std::vector<ShellStrain>& strains, const ShellMaterial& material);

}  // namespace hackle
