// From a solid and options to bodies that are ready for any load: what cracks need before something acts.
#pragma once

#include <hackle/bem/conditions.h>
#include <hackle/fracture/crack/first_system.h>
#include <hackle/fracture/crack/growth/crack_solver.h>
#include <hackle/fracture/crack/growth/initial_crack.h>
#include <hackle/fracture/crack/pieces/cut_along_cracks.h>
#include <hackle/fracture/solve_mesh.h>
#include <hackle/fracture/surface_conditions.h>
#include <hackle/volume/material_pattern.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hackle {

struct CrackMaterialOptions {
  ElasticMaterial elastic{70e9, 0.22, 2500};
  double strength = 45e6;         // Pa, tensile
  double toughness = 0.75e6;      // Pa m^(1/2)
  double compressionRatio = 3.0;  // f_c: of both in compression to those in tension
  PatternOptions strengthPattern, toughnessPattern;
  std::optional<Geometry> fields;  // VDBs that the patterns name
};

/// How the load comes.
enum class CrackLoading {
  Rising,  // from zero, slowly: one crack after the other, each at the load that starts it
  Sudden,  // all at once, as [Hahn17]: cracks start wherever the stress exceeds the strength
};
/// Where a rising load ends.
enum class LoadEnd {
  Full,        // at the given load
  FirstBreak,  // when the first part comes off, at the given load at the latest
  Breaking,    // when the first part comes off, whatever load that takes: the given one is only its pattern
};

struct CrackEngineOptions {
  CrackMaterialOptions material;
  std::vector<BoundaryCondition> conditions;  // what holds the solid and what always acts on it
  std::vector<InitialCrack> initial;
  std::optional<Geometry> sheets;  // open surfaces, each a crack that is there from the beginning
  std::optional<Geometry> mesh;    // to solve on, instead of one made here
  size_t triangles = 800;          // of the mesh that is made
  std::optional<double> coarse;    // m, r_c; not set: the mean edge of the mesh, or less in thin walls
  std::optional<double> fine;      // m, r_f; not set: r_c / ratio
  double ratio = 10.0;             // of r_c to r_f
  double meshOffset = 0.0;         // voxels by which corners of a coarse mesh move outwards
  int steps = 20;                  // at most, each moves fronts by up to r_c
  size_t cracks = 10;              // at most this many start by themselves
  bool branching = false;
  CrackMethod method = CrackMethod::Full;
  size_t hybridElements = 3000;
  CrackPieceOptions pieces;
  CrackLoading loading = CrackLoading::Rising;  // a load with a duration always acts at once
  LoadEnd loadEnd = LoadEnd::Full;              // where a rising load ends
  std::optional<double> modulus = 10.0;  // Weibull's, of the strength from place to place; not set: none
  uint64_t seed = 0;                     // of the strength's variation
  /// s in which a rising load comes to the given one; not set: so slowly that each crack unloads the body
  /// before the next one starts. Else cracks start until waves from earlier ones have passed, and run under
  /// the whole load.
  std::optional<double> loadTime;
  Vec3 origin = Vec3::Zero();  // m: of the solid's frame in the world, where fields are (crack_place.h)
  bool piece = false;          // of a solid that broke: its surface may cross itself, and units are known
};

/// One body of the solid, ready for any load. Never changes.
struct CrackBody {
  std::string name;  // for messages; empty if there is only one body
  SolveMesh mesh;
  CrackOptions options;
  CrackMaterial material;
  double toughness = 0.0;                     // Pa m^(1/2), of the material without its pattern
  BemSurface surface;                         // boundary elements: the mesh, opened along initial cracks
  BoundaryData data;                          // conditions on it
  std::vector<InitialSheet> cracks;           // initial ones, ended at the surface
  Vec3 origin = Vec3::Zero();                 // m: of its frame in the world
  bool conditioned = false;                   // a condition acts on it, or an initial crack is in it
  std::shared_ptr<const FirstSystem> system;  // null if there are several bodies and nothing acts on this one

  size_t bytes() const;
};

/// All bodies of a solid, and what the conditions came to on them.
struct CrackBodies {
  std::vector<CrackBody> bodies;
  std::vector<AppliedCondition> applied;
};

/// Checks everything, makes the boundary element mesh unless it is given, ends initial cracks at the surface
/// and factorises. Conditions act on all bodies that their regions are on: a force is spread over them.
/// Errors name the body (if there are several), the condition, crack or option and a remedy. Systems are kept
/// in the run's memo.
CrackBodies crackBodies(const SolidPtr& solid, const CrackEngineOptions& options, Context& context);
/// By body, or null.
using CrackSystems = std::vector<std::shared_ptr<const FirstSystem>>;
/// The same with meshes to solve on that were made before by `crackBodies`, body by body, and systems of
/// these meshes where they are known. A system whose fixed triangles are others is not used.
CrackBodies crackBodies(std::vector<SolveMesh> meshes, const CrackSystems& systems,
                        const CrackEngineOptions& options, Context& context);
CrackBodies crackBodies(std::vector<SolveMesh> meshes, const CrackEngineOptions& options, Context& context);

/// Whether these values can stress a body: a load, or a displacement other than zero.
bool carriesLoad(const BoundaryData& data);

}  // namespace hackle
