// Scenes of simulations as TOML files.
#pragma once

#include <hackle/sim/cache.h>
#include <hackle/sim/scene.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hackle {

/// A scene and what to write of it.
struct SceneFile {
  Scene scene;
  CacheOptions output;
};

/// Reads a scene. Files that it names are relative to `folder`; `name` stands for it in messages. Errors tell
/// the line, the key and the nearest one that there is.
SceneFile readScene(const std::string& text, const std::string& name, const std::filesystem::path& folder,
                    Context& context);
SceneFile readSceneFile(const std::filesystem::path& path, Context& context);

}  // namespace hackle
