// From the inputs and parameters of the operator crack to a solver that is ready to step.
#pragma once

#include <hackle/fracture/crack/growth/crack_solver.h>
#include <hackle/ops/boundary_conditions.h>
#include <hackle/ops/fracture_output.h>
#include <hackle/ops/material.h>
#include <hackle/ops/material_pattern.h>

namespace hackle {

enum class InitialShape { Disc, Ellipse, Rectangle };

/// A crack that is there from the beginning.
struct InitialCrackRecord {
  InitialShape shape = InitialShape::Disc;
  Vec3 at = Vec3::Zero();
  Vec3 normal{0, 1, 0};
  Vec3 along = Vec3::Zero();
  double radius = 0.1;  // m, of a disc; half the extent along `along`
  double across = 0.1;  // m, half the extent across it
};

/// What the sequence of files shows, and how often.
enum class SequenceContent { Cracks, Elements, Volumes };
enum class SequenceRate { Step, SubStep };

struct CrackOperatorOptions {
  std::vector<ConditionRecord> conditions;
  MaterialOptions material;
  double compressionRatio = 3.0;
  PatternOptions toughness, strength;
  std::vector<InitialCrackRecord> initial;
  int cracks = 10;
  bool branching = false;
  int steps = 20;
  CrackMethod method = CrackMethod::Full;
  size_t hybridElements = 3000;
  size_t triangles = 800;
  double coarse = 0.0;  // m; 0: the mean edge of the boundary element mesh
  double ratio = 10.0;
  double fine = 0.0;        // m; 0: coarse / ratio
  double meshOffset = 0.0;  // voxels
  double threshold = 0.5;
  double smallest = 0.5;   // coarse resolutions
  double ligament = 0.5;   // coarse resolutions
  double tolerance = 0.1;  // voxels
  std::string state;
  bool resume = false;
  std::string sequence;
  SequenceContent sequenceOf = SequenceContent::Cracks;
  SequenceRate sequenceBy = SequenceRate::Step;
  bool giveCracks = true, giveElements = false, giveVolumes = false, giveSurfaces = false;
  bool closeGaps = true, addDisplacement = false, addOpening = false;
  double displacementScale = 1.0;
  FractureOutputOptions output;

  CrackOperatorOptions() { output.cut.minVolumeShare = 1e-5; }  // crumbs go to a neighbour
};

struct CrackInput {
  enum Index : size_t { Solid, Mesh, Conditions, Initial, Sheets, Fields };
};

/// One body of the solid.
struct CrackSetup {
  SolveMesh mesh;
  CrackOptions options;
  std::unique_ptr<CrackSolver> solver;  // none if nothing acts on the body and no crack is in it
  std::string name;                     // for messages; empty if there is one body only
  std::string state, sequence;          // files of this body
};

/// Checks everything, makes the boundary element mesh unless it is given, ends initial cracks at the surface.
/// Conditions act on all bodies that their regions are on: a force is spread over them. Errors name the body
/// (if there are several), the condition, crack or parameter and a remedy.
std::vector<CrackSetup> setUpCracks(const Inputs& inputs, const CrackOperatorOptions& options,
                                    Context& context);

}  // namespace hackle
