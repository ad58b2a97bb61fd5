// Procedural closed shapes to break and to test on.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>

#include <optional>

namespace hackle {

enum class ShapeKind {
  Box,
  Sphere,
  Torus,
  Bowl,
  Goblet,
  Column,
  Link,
  NotchedBar,
  Pane,
  Plate,
  Gear,
  Stairs,
  Knot,
  Figure,
  Bunny,
  Vase,
  Bottle,
  Dumbbell,
  Bone,
  Brick
};

enum class NotchKind { V, U };

/// Lengths that belong to one kind of shape are ratios, so that they keep their meaning at any size.
struct ShapeOptions {
  ShapeKind shape = ShapeKind::Box;
  std::optional<double> size;  // m, largest dimension; not set: the shape's natural size
  double resolution =
      50;               // about 6 resolution^2 faces, however the shape looks; a cube gets this many per edge
  bool centre = false;  // bounding box around the origin instead of standing on y = 0

  Vec3 proportions{1, 1, 1};  // box: relative width, height, depth
  double tubeRatio = 0.4;     // torus: radius of the tube / radius of its centre line
  double wall = 0.05;         // bowl, goblet, plate, vase, bottle: thickness / largest radius
  double bowlDepth = 0.45;    // bowl: height / diameter
  double stem = 0.35;         // goblet: height of the stem / height
  double slenderness = 8.0;   // column: height / lower diameter of the shaft
  int flutes = 20;            // column
  double fluteDepth = 0.09;   // column: / radius of the shaft
  double linkWidth = 0.65;    // link: width / length
  double wire = 0.17;         // link: diameter of the wire / length
  double barHeight = 0.2;     // notched bar: / length
  double barDepth = 0.2;      // notched bar: / length
  NotchKind notch = NotchKind::V;
  double notchDepth = 0.35;      // notched bar: / height
  double notchWidth = 0.15;      // notched bar: at the mouth, / height
  double span = 0.8;             // notched bar: distance of the supports / length
  double paneWidth = 0.75;       // pane: / height
  double paneThickness = 0.005;  // pane: / height
  int teeth = 18;                // gear
  double toothDepth = 0.15;      // gear: / outer radius
  double bore = 0.25;            // gear: radius / outer radius
  double gearThickness = 0.3;    // gear: / outer radius
  int steps = 6;                 // stairs
  double stairsWidth = 1.0;      // m at natural size
  int knotP = 2;                 // knot: turns around the axis
  int knotQ = 3;                 // knot: turns around the ring
  double knotTube = 0.75;        // knot: radius of the tube / that of the thickest that does not touch itself
  double neck = 0.35;            // dumbbell: radius of the bar / radius of a ball
  int cores = 3;                 // brick: holes through it
};

/// A closed, outward-oriented 2-manifold with vertex `uv` (unique in the unit square, true to shape within
/// about a factor of two) and one primitive group per part. Error(Usage) if options do not fit together.
Geometry makeShape(const ShapeOptions& options, Context& context);

}  // namespace hackle
