// A frame of a simulation as geometry, and an animation from frames.
#pragma once

#include <hackle/io/animation.h>
#include <hackle/sim/simulation.h>

namespace hackle {

/// One point per body (the ground is left out) with what Houdini's packed bodies have: name, P (where the
/// pivot is), orient (x, y, z, w), pivot (in the rest frame), v, w, mass, active, and event, the number of
/// the event whose geometry holds the body, 0 for that of the start; hackle_id tells bodies apart for good.
Geometry framePoints(const Simulation& simulation);

/// Polygons of all bodies in place, with primitive `name`, and velocities `v` on points.
Geometry bakedFrame(const Simulation& simulation, Context& context);

/// The polygons that points of `framePoints` place: each event's geometry, by its number. Error(BadInput)
/// names a body whose geometry is missing.
Geometry placedFrame(const Geometry& points, const std::map<int, Geometry>& geometries, Context& context);

/// Geometry of the bodies at the start, as for an event.
Geometry startGeometry(const Simulation& simulation);

/// Adds a frame of points; bodies that are new get their geometry.
void addFrame(Animation& animation, int frame, const Geometry& points,
              const std::map<int, Geometry>& geometries);

}  // namespace hackle
