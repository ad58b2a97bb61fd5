// Stress intensity factors along the fronts of cracks.
#pragma once

#include <hackle/bem/system.h>

namespace hackle {

/// A node of a crack front with its local frame, right-handed in the order outward, normal, tangent.
struct FrontNode {
  int32_t node = 0;             // of the system's surface
  Vec3 outward = Vec3::Zero();  // in the crack's plane, where the crack would grow
  Vec3 normal = Vec3::Zero();   // of the crack
  Vec3 tangent = Vec3::Zero();  // along the front
  Vec3 k = Vec3::Zero();        // Pa m^(1/2): K_I (opening), K_II (sliding), K_III (tearing)
};

enum class SifMethod {
  Correlation,  // nodes next to the front
  Fit,          // nodes of the second and third row behind the front, extrapolated to it
};

/// K_I, K_II = μ √π w / (2 (1−ν) √(2d)), K_III = μ √π w / (2 √(2d)) with the opening w at a distance d behind
/// the front ([Hahn17] eq. 2.39 is too large by 2), as a mean over nodes of one row. The first row carries an
/// error of 2 to 5 % that no refinement removes; the fit converges (README.md, stress intensity). Where a
/// crack has fewer than three rows of opened nodes the fit is the correlation. Fronts are the edges of crack
/// sheets without opened nodes, except where these double the body's surface. Nodes come in ascending order;
/// one without an opened neighbour gets the mean of its neighbours on the front, or zeros. K_I may be
/// negative: faces of cracks may pass through each other.
std::vector<FrontNode> stressIntensity(const BemSystem& system, const BemSolution& solution,
                                       SifMethod method = SifMethod::Fit);

}  // namespace hackle
