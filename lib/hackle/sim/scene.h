// What a simulation starts from: bodies, ground, forces, times. Plain data, complete and checked.
#pragma once

#include <hackle/coupling/body.h>
#include <hackle/rigid/world.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hackle {

/// Where an animated body is at a time.
struct SceneKey {
  double time = 0;                   // s
  Vec3 position = Vec3::Zero();      // m, of the origin of its rest frame
  Mat3 rotation = Mat3::Identity();  // about that origin
};

enum class ShapeChoice {
  Automatic,  // hulls for what moves, the surface for what does not
  Hull,       // one hull
  Hulls,      // as many as the shape needs
  Surface,    // the triangles themselves; for bodies that no force moves
};

struct SceneBody {
  std::string name;
  BodyKind kind = BodyKind::Dynamic;
  Geometry geometry;                 // closed polygons, in its own frame
  Vec3 position = Vec3::Zero();      // m, of the origin of that frame
  Mat3 rotation = Mat3::Identity();  // about that origin
  Vec3 velocity = Vec3::Zero();      // m/s, of the centre of mass
  Vec3 spin = Vec3::Zero();          // rad/s
  double start = 0;                  // s; a dynamic body stands still until then
  std::vector<SceneKey> keys;        // of an animated body, by time
  ElasticMaterial material;
  double friction = 0.5;
  double restitution = 0.1;
  ShapeChoice shape = ShapeChoice::Automatic;
  std::shared_ptr<const FractureEngine> engine;  // null: it never breaks
  FractureLimits limits;
};

/// The half space below a height.
struct SceneGround {
  double height = 0;  // m
  ElasticMaterial material;
  double friction = 0.5;
  double restitution = 0.1;
};

/// An acceleration on all dynamic bodies (m/s^2), or a drag.
struct SceneField {
  enum class Kind { Uniform, Point, Drag };
  Kind kind = Kind::Uniform;
  Vec3 direction = Vec3::Zero();  // m/s^2, Uniform
  Vec3 centre = Vec3::Zero();     // m, Point
  double strength = 0;            // m/s^2 away from the centre at distance 0 (Point); 1/s (Drag)
  double radius = 1;              // m, at which it is zero (Point)
  double from = 0, until = 1e30;  // s
};

struct Scene {
  std::vector<SceneBody> bodies;
  std::optional<SceneGround> ground;
  std::vector<SceneField> fields;
  Vec3 gravity{0, -9.81, 0};  // m/s^2
  int frames = 48;            // the first is the start
  double rate = 24;           // frames per second
  int substeps = 10;          // per frame
  int iterations = 10;        // of the contact solver
  uint64_t seed = 0;
  int restart = 24;                 // frames between cold restarts, where a run can be resumed
  std::optional<size_t> maxBodies;  // not set: no limit
  bool separate = false;            // push bodies apart that overlap at the start
  std::string key;                  // text that tells this scene from others, for resuming
};

/// m, about the size of bodies: the median diagonal of those that move; 1 if none does.
double typicalLength(const std::vector<SceneBody>& bodies);

/// Seconds of one step of the world.
double stepSeconds(const Scene& scene);

}  // namespace hackle
