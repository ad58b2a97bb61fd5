// The keys of a scene file, declared once: what may be written where, with units, ranges and help.
#pragma once

#include <hackle/ops/material.h>
#include <hackle/sim/cache.h>
#include <hackle/sim/scene.h>

namespace hackle {

struct SceneOptions {
  int frames = 48;
  double rate = 24;
  int substeps = 10;
  int iterations = 10;
  int seed = 0;
  Vec3 gravity{0, -9.81, 0};
  int restart = 24;
  std::optional<int> maxBodies;
  bool separate = false;
};

struct SurfaceOptions {
  double friction = 0.5;
  double restitution = 0.1;
};

struct GroundOptions {
  double height = 0;
  MaterialOptions material;
  SurfaceOptions surface;
};

enum class BodyMotion { Dynamic, Static, Animated };

struct BodyOptions {
  std::string name;
  std::string file;
  BodyMotion motion = BodyMotion::Dynamic;
  std::string motionFile;
  Vec3 position = Vec3::Zero();
  Vec3 rotation = Vec3::Zero();  // degrees
  double scale = 1;
  Vec3 velocity = Vec3::Zero();
  Vec3 spin = Vec3::Zero();
  double start = 0;
  ShapeChoice shape = ShapeChoice::Automatic;
  MaterialOptions material;
  SurfaceOptions surface;
  std::string engine;
  std::optional<double> breakImpulse, breakForce;
  double delay = 0.02;
  double minVolume = 0;
  bool contactTime = true;
  bool resting = false;
  bool glued = false;
  double glueStrength = 1000;
  double gluePropagation = 0.5;
};

struct KeyOptions {
  double time = 0;
  Vec3 position = Vec3::Zero();
  Vec3 rotation = Vec3::Zero();
};

ParameterTable<SceneOptions> sceneTable();
ParameterTable<GroundOptions> groundTable();
ParameterTable<BodyOptions> bodyTable();
ParameterTable<KeyOptions> keyTable();
ParameterTable<SceneField> fieldTable();
ParameterTable<CacheOptions> outputTable();

/// The tables that a scene is made of, for reference pages and tests.
struct SceneTable {
  std::string name;  // "body"; "" for the keys at the top
  std::string help;
  std::vector<Parameter> parameters;
};
std::vector<SceneTable> sceneTables();

}  // namespace hackle
