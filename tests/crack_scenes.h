// Scenes of [Hahn17] ch. 8 (tables 1 and 2) for benchmarks, validation and tests: bodies, loads, materials,
// resolutions.
#pragma once

#include <hackle/fracture/crack/growth/crack_solver.h>
#include <hackle/fracture/pieces.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace hackle::scenes {

/// A sheet that is there from the beginning.
struct InitialCrack {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
};

struct CrackScene {
  Geometry solid;        // what is broken
  TriangleMesh surface;  // of it
  TriangleMesh body;     // boundary elements
  BoundaryData data;
  CrackMaterial material;
  CrackOptions options;
  std::vector<InitialCrack> initial;
  double extent = 0.0;  // m, longest side of the solid's box

  std::unique_ptr<CrackSolver> solver(Context& context) const;
};

/// A row of table 1: thesis figures were measured on a 3.2 GHz quad core in the years before 2017.
struct Published {
  std::string figure;  // of the thesis; "run file" for the examples that came with the published code
  char method;         // B: full, E: fast estimators, H: hybrid
  size_t before = 0, after = 0, voxels = 0, steps = 0;
  double seconds = 0;    // thesis; 0: not given
  double processor = 0;  // CPU seconds of the published code on this kind of machine; 0: not measured
  size_t cracks = 0;     // that started by themselves
};

struct SceneRow {
  std::string name;
  std::string note;  // what of the scene is ours because the thesis does not say
  Published published;
  /// Nothing if a file it needs is missing. `meshes` is the folder with the raw meshes of the published code.
  std::function<std::optional<CrackScene>(const std::filesystem::path& meshes, Context&)> make;
};

/// All scenes; the order of table 1.
const std::vector<SceneRow>& crackScenes();
/// The row of a name; throws Error(Usage) if there is none.
const SceneRow& crackScene(const std::string& name);

/// Raw meshes on the machines that develop this, seen from the source tree.
std::filesystem::path publishedMeshes();

/// What a scene came to. CPU seconds are of the whole process.
struct SceneResult {
  bool finished = false;
  std::string stopped;  // why not
  size_t before = 0, after = 0, voxels = 0, steps = 0, cracks = 0, pieces = 0, mainPieces = 0;
  size_t faces = 0;                                         // of the pieces
  double setup = 0, run = 0, cut = 0, output = 0;           // CPU s: assembly, all steps, pieces, file
  double solve = 0, propagate = 0, initiate = 0, grow = 0;  // s on the clock, parts of the run
  double volumeError = 0;
  bool closed = false;
  double total() const { return setup + run + cut + output; }
};

/// Runs a scene to its pieces in a file, on one thread, for at most `limit` CPU seconds. The file is removed
/// unless it is given a name. `look` sees the solver and the pieces.
SceneResult runCrackScene(const CrackScene& scene, double limit, const std::filesystem::path& file = {},
                          const std::function<void(const CrackSolver&, const FracturePieces&)>& look = {});

}  // namespace hackle::scenes
