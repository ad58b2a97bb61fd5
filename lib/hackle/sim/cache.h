// The folder that a simulation writes: frames, geometry of events, logs, checkpoints, animations.
//
//   frames/frame.0001.bgeo.sc   one point per body (`framePoints`)
//   baked/frame.0001.bgeo.sc    polygons in place, if asked for
//   vdb/frame.0001.vdb          a level set of all bodies in place, if asked for
//   geo/start.bgeo.sc           geometry of bodies at the start, in their rest frames
//   geo/event.0001.bgeo.sc      pieces of the first event, in the rest frame of what broke
//   geo/constraints.0001.bgeo.sc  the network between them, if asked for
//   events.jsonl                one line per body that was asked to break
//   sim.usda, geo/*.usda, sim.glb   the whole animation, at the end
//   checkpoint.0025.bin         the state from which a run goes on
//   manifest.json               all files with size and checksum; what it lists is complete
#pragma once

#include <hackle/io/animation.h>
#include <hackle/sim/simulation.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace hackle {

struct CacheOptions {
  bool points = true;
  bool baked = false;
  bool constraints = false;
  bool vdb = false;
  double voxelSize = 0;  // m, of the VDBs; 0: a fiftieth of a typical body
  bool usda = true;
  bool glb = true;
};

class SimCache {
 public:
  /// Makes the folder. Error(Io) if that fails.
  SimCache(std::filesystem::path folder, const CacheOptions& options);

  /// Reads the manifest of an earlier run of the same scene and takes the simulation to its last checkpoint.
  /// False where there is none; a warning says if what is there does not fit and the run starts anew.
  bool resume(Simulation& simulation, Context& context);
  /// Forgets what an earlier run left. Call either `resume` or this.
  void startAnew(const Simulation& simulation, Context& context);

  /// Writes the simulation's present frame and what belongs to it.
  void addFrame(const Simulation& simulation, Context& context);
  /// Writes the animations.
  void finish(const Simulation& simulation, Context& context);

  size_t files() const { return mFiles.size(); }

 private:
  struct FileEntry {
    size_t bytes = 0;
    std::string checksum;
    int frame = 0;  // that it was written in
  };
  void put(const std::string& name, std::string_view bytes, int frame, Context& context);
  void put(const std::string& name, const Geometry& geometry, int frame, Context& context);
  void note(const std::string& name, int frame);
  double voxelSize(const Simulation& simulation) const;
  void writeManifest(const Simulation& simulation, Context& context);
  bool readManifest(const Simulation& simulation, std::string& why);

  std::filesystem::path mFolder;
  CacheOptions mOptions;
  std::map<std::string, FileEntry> mFiles;
  std::string mEventLines;
  int mFrame = 0;       // last complete one
  int mCheckpoint = 0;  // frame of the last checkpoint
  size_t mLinesAtCheckpoint = 0;
  int mLastEvent = 0;
};

/// Frames that a folder holds, ascending. Error(BadInput) if it is not one of a simulation.
std::vector<int> cachedFrames(const std::filesystem::path& folder);

/// A frame of a folder with the polygons of all bodies in place.
class CachedFrames {
 public:
  explicit CachedFrames(std::filesystem::path folder) : mFolder(std::move(folder)) {}
  Geometry points(int frame, Context& context) const;
  Geometry placed(int frame, Context& context);
  /// All frames given, as an animation.
  Animation animation(const std::vector<int>& frames, double rate, Context& context);

 private:
  void loadGeometry(const Geometry& points, Context& context);
  std::filesystem::path mFolder;
  std::map<int, Geometry> mGeometries;
};

}  // namespace hackle
