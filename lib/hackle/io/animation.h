// Rigid bodies over time, and the files that carry them: .usda and .glb.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hackle {

/// A body and where it is in each frame of its life. The place x of its geometry is at
/// orientation * (x - pivot) + position.
struct AnimatedBody {
  std::string name;
  Geometry geometry;
  Vec3 pivot = Vec3::Zero();  // m
  int first = 1;              // frame of positions[0]; it is not seen before, nor after the last
  std::vector<Vec3> positions;
  std::vector<Eigen::Quaterniond> orientations;

  int last() const { return first + static_cast<int>(positions.size()) - 1; }
};

struct Animation {
  double rate = 24;  // frames per second
  int first = 1, last = 1;
  std::vector<AnimatedBody> bodies;
};

/// Meshes of bodies as prims of a .usda file: points, faces, extent, N and uv (as `st`).
std::string usdaGeometry(const std::vector<AnimatedBody>& bodies, Context& context);

/// The animation as a .usda file: one Xform per body with time samples and visibility, whose mesh is a
/// reference to file geometryFiles[i] (a path relative to this one, as `usdaGeometry` wrote it).
std::string usdaAnimation(const Animation& animation, const std::vector<std::string>& geometryFiles,
                          Context& context);

/// The name of a body as a USD prim: letters, digits and underscores.
std::string usdName(const std::string& name);

/// The whole animation in one .glb file. Bodies that are not there have scale 0 (STEP); readers that know
/// KHR_node_visibility do not need that, but all others do. Rotations and places are LINEAR.
std::string glbAnimation(const Animation& animation, Context& context);

}  // namespace hackle
