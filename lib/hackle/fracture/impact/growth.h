// Cracks that run through a lattice: from flaws that fail, across the largest tension, until the stress or
// the energy is spent.
#pragma once

#include <hackle/fracture/impact/cut_geometry.h>
#include <hackle/fracture/impact/flaw_initiation.h>

#include <array>
#include <optional>
#include <vector>

namespace hackle {

enum class GrowthShape {
  Curved,  // follows the principal direction of the stress as the front passes
  Flat,    // [Glondu12]: a plane with noise, and the energy rule of that paper
};

struct GrowthOptions {
  GrowthShape shape = GrowthShape::Curved;
  double toughness = 0.75e6;  // Pa m^1/2
  PaintedFactor toughnessPaint;
  double energyShare = 1;   // of what is there that cracks may use
  double speedLimit = 0.6;  // of the Rayleigh wave
  double branching = 4;     // times the toughness at which a crack branches; 0: never
  double roughness = 2.5;   // times the toughness from which faces become rough
  double noise = 0.1;       // height of waves on cracks, in cells
  double noiseScale = 4;    // size of the waves, in cells
  double gamma = 0.05;      // m, Flat only: energy per volume to energy per area
  double ligament = 0.3;    // ligaments shorter than this part of the crack before them break
  size_t maxCracks = 400;
  double factor = 1;               // multiplies all stresses
  std::optional<double> duration;  // s after which nothing grows
  Grain grain;
  uint64_t seed = 0;
};

/// One tetrahedron that a crack cuts.
struct CrackCut {
  int32_t tetrahedron = -1;
  int32_t crack = -1;
  CornerHeights heights{};  // m, of its corners above the crack
  double time = 0;          // s, when the front passed
  float stress = 0;         // Pa, across the crack
  float area = 0;           // m^2 inside the solid
  Vec3 normal = Vec3::Zero();
  uint8_t edges = 0;      // that are cut: bit e is kTetEdges[e]
  bool ligament = false;  // broken at the end, by the ligament rule
};

struct Crack {
  Vec3 start = Vec3::Zero();   // m
  Vec3 normal = Vec3::Zero();  // where it starts
  double time = 0;             // s
  double stress = 0;           // Pa, at the failure
  int32_t flaw = -1;           // -1: a branch
  int32_t parent = -1;         // of a branch
  double radius = 0;           // m, farthest from the start
  double area = 0;             // m^2
};

struct CrackSet {
  std::vector<Crack> cracks;
  std::vector<CrackCut> cuts;  // in the order in which they were made
  double area = 0;             // m^2
  double spent = 0;            // J
  double available = 0;        // J, the most that there was at any time
  double leastLeft = 0;        // J, the smallest difference of both when a cut was made; never below 0
  bool outOfEnergy = false;    // some front stopped for lack of energy
  bool limited = false;        // maxCracks was reached
};

/// Grows all cracks together, in the order of time. README section 5.
CrackSet growCracks(const ModalBody& body, const StressHistory& stress, const FlawRows& flaws,
                    const Failures& failures, const GrowthOptions& options, Context& context);

/// What a penny-shaped crack of radius a leaves of the tension across it at a distance z above its middle:
/// 1 - (2/pi) [atan(a/z) - a z/(a^2+z^2) + 2 a^3 z/(a^2+z^2)^2], README eq. 6. 0 on the crack, 1 far away.
double shieldedShare(double a, double z);

/// Toughness as energy: J/m^2, K^2 (1 - nu^2) / E.
double crackEnergy(const ElasticMaterial& material, double toughness);

}  // namespace hackle
