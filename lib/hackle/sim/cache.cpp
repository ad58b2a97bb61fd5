#include <hackle/sim/cache.h>

#include <hackle/core/version.h>
#include <hackle/io/bytes.h>
#include <hackle/io/file.h>
#include <hackle/sim/frame.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/level_set.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace hackle {

namespace fs = std::filesystem;

namespace {

constexpr const char* kManifest = "manifest.json";
constexpr const char* kEvents = "events.jsonl";

std::string frameName(const char* folder, int frame) {
  return fmt::format("{}/frame.{:04}.bgeo.sc", folder, frame);
}
std::string volumeName(int frame) { return fmt::format("vdb/frame.{:04}.vdb", frame); }
std::string eventName(int event) {
  return event == 0 ? "geo/start.bgeo.sc" : fmt::format("geo/event.{:04}.bgeo.sc", event);
}
std::string checkpointName(int frame) { return fmt::format("checkpoint.{:04}.bin", frame); }
std::string sum(std::string_view bytes) { return fmt::format("{:016x}", checksum64(bytes)); }

void makeFolder(const fs::path& folder) {
  std::error_code failure;
  fs::create_directories(folder, failure);
  if (failure)
    throw Error(ErrorCode::Io,
                fmt::format("cannot make the folder {}: {}", folder.string(), failure.message()),
                "choose another folder for the results");
}

/// A level set of all polygons together.
Geometry frameVolume(const Geometry& polygons, double voxelSize, Context& context) {
  Geometry volume;
  if (polygons.primitiveCount() == 0) return volume;
  LevelSetOptions options;
  options.voxelSize = voxelSize;
  const VolumePtr grid = signedDistance(triangleMesh(polygons, context), options, context);
  volume.addVolume(grid, gridOrigin(*grid));
  return volume;
}

size_t countLines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string firstLines(const std::string& text, size_t count) {
  size_t end = 0;
  for (size_t i = 0; i < count && end != std::string::npos; ++i) {
    end = text.find('\n', end);
    if (end != std::string::npos) ++end;
  }
  return end == std::string::npos ? text : text.substr(0, end);
}

}  // namespace

SimCache::SimCache(fs::path folder, const CacheOptions& options)
    : mFolder(std::move(folder)), mOptions(options) {
  makeFolder(mFolder / "geo");
  if (options.points) makeFolder(mFolder / "frames");
  if (options.baked) makeFolder(mFolder / "baked");
  if (options.vdb) makeFolder(mFolder / "vdb");
}

void SimCache::note(const std::string& name, int frame) {
  const FileBytes file(mFolder / name);
  mFiles[name] = {file.bytes().size(), sum(file.bytes()), frame};
}

void SimCache::put(const std::string& name, std::string_view bytes, int frame, Context& context) {
  writeBytes(mFolder / name, bytes, context);
  mFiles[name] = {bytes.size(), sum(bytes), frame};
}

void SimCache::put(const std::string& name, const Geometry& geometry, int frame, Context& context) {
  writeGeometry(mFolder / name, geometry, context);
  note(name, frame);
}

void SimCache::startAnew(const Simulation& simulation, Context& context) {
  std::error_code ignored;
  fs::remove(mFolder / kManifest, ignored);  // first, so that nothing of before counts as complete
  for (const fs::directory_entry& entry : fs::directory_iterator(mFolder))
    if (entry.path().filename().string().rfind("checkpoint.", 0) == 0) fs::remove(entry.path(), ignored);
  for (const char* name : {"frames", "baked", "vdb", "geo"})
    if (fs::is_directory(mFolder / name, ignored))
      for (const fs::directory_entry& entry : fs::directory_iterator(mFolder / name)) {
        const std::string file = entry.path().filename().string();
        const bool ours = file.rfind("frame.", 0) == 0 || file.rfind("event.", 0) == 0 ||
                          file.rfind("constraints.", 0) == 0 || file.rfind("start.", 0) == 0;
        if (ours) fs::remove(entry.path(), ignored);
      }
  mFiles.clear();
  mEventLines.clear();
  put(kEvents, mEventLines, 0, context);
  put(eventName(0), startGeometry(simulation), 1, context);
}

double SimCache::voxelSize(const Simulation& simulation) const {
  constexpr double kVoxelsPerBody = 50;
  return mOptions.voxelSize > 0 ? mOptions.voxelSize
                                : typicalLength(simulation.scene().bodies) / kVoxelsPerBody;
}

void SimCache::addFrame(const Simulation& simulation, Context& context) {
  const int frame = simulation.frame();
  // Geometry before the frame that needs it.
  for (const SimEvent& event : simulation.events()) {
    mEventLines += event.toJson() + "\n";
    if (event.number == 0) continue;
    put(eventName(event.number), event.geometry, frame, context);
    if (mOptions.constraints)
      put(fmt::format("geo/constraints.{:04}.bgeo.sc", event.number), event.constraints, frame, context);
    mLastEvent = event.number;
  }
  if (!simulation.events().empty()) put(kEvents, mEventLines, 0, context);
  if (mOptions.points) put(frameName("frames", frame), framePoints(simulation), frame, context);
  if (mOptions.baked) put(frameName("baked", frame), bakedFrame(simulation, context), frame, context);
  if (mOptions.vdb)
    put(volumeName(frame), frameVolume(bakedFrame(simulation, context), voxelSize(simulation), context),
        frame, context);
  if (simulation.atRestart() && !simulation.done()) {
    put(checkpointName(frame), simulation.save(), frame, context);
    mLinesAtCheckpoint = countLines(mEventLines);
  }
  mFrame = frame;
  // The manifest names the new checkpoint before the old one goes.
  const std::string old = checkpointName(mCheckpoint);
  if (mFiles.count(checkpointName(frame))) {
    if (frame != mCheckpoint) mFiles.erase(old);
    mCheckpoint = frame;
  }
  writeManifest(simulation, context);
  std::error_code ignored;
  if (old != checkpointName(mCheckpoint)) fs::remove(mFolder / old, ignored);
}

void SimCache::writeManifest(const Simulation& simulation, Context& context) {
  nlohmann::ordered_json files = nlohmann::ordered_json::array();
  for (const auto& [name, entry] : mFiles)
    files.push_back(
        {{"path", name}, {"bytes", entry.bytes}, {"checksum", entry.checksum}, {"frame", entry.frame}});
  nlohmann::ordered_json root;
  root["hackle"] = version();
  root["scene"] = sum(simulation.scene().key);
  root["frames"] = simulation.scene().frames;
  root["rate"] = simulation.scene().rate;
  root["done"] = mFrame;
  root["checkpoint"] = mCheckpoint;
  root["events_at_checkpoint"] = mLinesAtCheckpoint;
  root["files"] = std::move(files);
  writeBytes(mFolder / kManifest, root.dump(1) + "\n", context);
}

/// False, and why, if the folder has no manifest of this scene.
bool SimCache::readManifest(const Simulation& simulation, std::string& why) {
  if (!fs::exists(mFolder / kManifest)) return false;
  try {
    const FileBytes file(mFolder / kManifest);
    const auto root = nlohmann::json::parse(file.bytes().begin(), file.bytes().end());
    if (root.at("scene") != sum(simulation.scene().key)) {
      why = "the scene has changed since";
      return false;
    }
    mCheckpoint = root.at("checkpoint");
    mLinesAtCheckpoint = root.at("events_at_checkpoint");
    for (const auto& entry : root.at("files")) {
      const FileEntry read{entry.at("bytes"), entry.at("checksum"), entry.at("frame")};
      mFiles[entry.at("path")] = read;
    }
  } catch (const std::exception& e) {
    why = fmt::format("its manifest is damaged ({})", e.what());
    return false;
  }
  return true;
}

bool SimCache::resume(Simulation& simulation, Context& context) {
  std::string why;
  const auto refuse = [&] {
    if (!why.empty())
      context.warn(fmt::format("cannot go on in {}: {}; starting anew", mFolder.string(), why));
    mFiles.clear();
    return false;
  };
  if (!readManifest(simulation, why) || mCheckpoint == 0) return refuse();
  // Keep what was complete at the checkpoint; later files are written again, with the same bytes.
  for (auto it = mFiles.begin(); it != mFiles.end();)
    it = it->second.frame > mCheckpoint ? mFiles.erase(it) : std::next(it);
  for (const auto& [name, entry] : mFiles) {
    std::error_code failure;
    if (name != kEvents && fs::file_size(mFolder / name, failure) != entry.bytes)
      why = name + " is not as it was";
  }
  if (!why.empty()) return refuse();
  const FileBytes state(mFolder / checkpointName(mCheckpoint)), lines(mFolder / kEvents);
  if (sum(state.bytes()) != mFiles[checkpointName(mCheckpoint)].checksum) {
    why = "the checkpoint is damaged";
    return refuse();
  }
  mEventLines = firstLines(std::string(lines.bytes()), mLinesAtCheckpoint);
  const auto pieces = [&](int event) { return readGeometry(mFolder / eventName(event), context); };
  simulation.restore(state.bytes(), pieces, context);
  put(kEvents, mEventLines, 0, context);
  mFrame = simulation.frame();
  writeManifest(simulation, context);
  return true;
}

void SimCache::finish(const Simulation& simulation, Context& context) {
  if (!mOptions.points || (!mOptions.usda && !mOptions.glb)) return;
  CachedFrames cached(mFolder);
  std::vector<int> frames;
  for (int f = 1; f <= mFrame; ++f) frames.push_back(f);
  const Animation animation = cached.animation(frames, simulation.scene().rate, context);
  if (mOptions.usda) {
    std::map<std::string, std::vector<AnimatedBody>> files;
    std::vector<std::string> names;
    for (const AnimatedBody& body : animation.bodies) {
      names.push_back(body.first == 1 ? "geo/start.usda" : fmt::format("geo/frame.{:04}.usda", body.first));
      files[names.back()].push_back(body);
    }
    for (const auto& [name, bodies] : files) put(name, usdaGeometry(bodies, context), mFrame, context);
    put("sim.usda", usdaAnimation(animation, names, context), mFrame, context);
  }
  if (mOptions.glb && !animation.bodies.empty())
    put("sim.glb", glbAnimation(animation, context), mFrame, context);
  writeManifest(simulation, context);
}

std::vector<int> cachedFrames(const fs::path& folder) {
  std::vector<int> frames;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "frames", failure)) {
    int frame = 0;
    if (std::sscanf(entry.path().filename().c_str(), "frame.%d.bgeo.sc", &frame) == 1)
      frames.push_back(frame);
  }
  if (frames.empty())
    throw Error(ErrorCode::BadInput, fmt::format("{} has no frames of a simulation", folder.string()),
                "give the folder that sim wrote, with frames of points");
  std::sort(frames.begin(), frames.end());
  return frames;
}

Geometry CachedFrames::points(int frame, Context& context) const {
  return readGeometry(mFolder / frameName("frames", frame), context);
}

void CachedFrames::loadGeometry(const Geometry& points, Context& context) {
  const Attribute* event = points.findAttribute(Owner::Point, "event");
  if (!event) return;
  std::set<int> wanted;
  for (size_t i = 0; i < points.pointCount(); ++i) wanted.insert(static_cast<int>(event->number(i)));
  for (const int number : wanted)
    if (!mGeometries.count(number))
      mGeometries.emplace(number, readGeometry(mFolder / eventName(number), context));
}

Geometry CachedFrames::placed(int frame, Context& context) {
  const Geometry bodies = points(frame, context);
  loadGeometry(bodies, context);
  return placedFrame(bodies, mGeometries, context);
}

Animation CachedFrames::animation(const std::vector<int>& frames, double rate, Context& context) {
  Animation animation;
  animation.rate = rate;
  for (const int frame : frames) {
    const Geometry bodies = points(frame, context);
    loadGeometry(bodies, context);
    hackle::addFrame(animation, frame, bodies, mGeometries);
  }
  return animation;
}

}  // namespace hackle
