// The builders behind makeShape, at natural size. Internal.
#pragma once

#include <hackle/core/error.h>
#include <hackle/core/pi.h>
#include <hackle/meshing/shapes/profile.h>
#include <hackle/meshing/shapes/shapes.h>
#include <hackle/meshing/shapes/surface_builder.h>

#include <cmath>

namespace hackle::detail {

/// Length of edges that gives a surface of that area its number of faces.
inline double spacingFor(double area, const ShapeOptions& options) {
  return std::sqrt(area / 6.0) / options.resolution;
}

// Each stands upright over the origin; makeShape puts it on the ground.
void buildSphere(const ShapeOptions&, SurfaceBuilder&);
void buildBox(const ShapeOptions&, SurfaceBuilder&);
void buildPane(const ShapeOptions&, SurfaceBuilder&);
void buildBrick(const ShapeOptions&, SurfaceBuilder&);
void buildStairs(const ShapeOptions&, SurfaceBuilder&);
void buildNotchedBar(const ShapeOptions&, SurfaceBuilder&);
void buildGear(const ShapeOptions&, SurfaceBuilder&);

void buildTorus(const ShapeOptions&, SurfaceBuilder&);
void buildLink(const ShapeOptions&, SurfaceBuilder&);
void buildKnot(const ShapeOptions&, SurfaceBuilder&);

void buildBowl(const ShapeOptions&, SurfaceBuilder&);
void buildGoblet(const ShapeOptions&, SurfaceBuilder&);
void buildPlate(const ShapeOptions&, SurfaceBuilder&);
void buildVase(const ShapeOptions&, SurfaceBuilder&);
void buildBottle(const ShapeOptions&, SurfaceBuilder&);
void buildDumbbell(const ShapeOptions&, SurfaceBuilder&);
void buildColumn(const ShapeOptions&, SurfaceBuilder&);

Geometry buildFigure(const ShapeOptions&, Context&);
Geometry buildBunny(const ShapeOptions&, Context&);
Geometry buildBone(const ShapeOptions&, Context&);

}  // namespace hackle::detail
