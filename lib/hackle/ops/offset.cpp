#include <hackle/ops/catalogue.h>

#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/level_set_surface.h>
#include <hackle/ops/solid_surface.h>

namespace hackle {

namespace {

struct OffsetOptions {
  double distance = 0.01;
  double voxelSize = 0.0;
};

Outputs offset(const Inputs& inputs, const OffsetOptions& options, Context& context) {
  const Geometry solid = solidSurface(inputs.geometry(0), "geometry", context);
  LevelSetOptions levelSet;
  levelSet.voxelSize = chosenVoxelSize(options.voxelSize, solid.bounds());
  levelSet.offset = options.distance;
  const VolumePtr grid = signedDistance(triangleMesh(solid, context), levelSet, context);
  Geometry surface = withoutLostParts(levelSetSurface(*grid, context), context);
  if (surface.empty()) context.warn("offset: nothing is left of the solid");
  Value result;
  result.set("voxel_size", levelSet.voxelSize);
  addSurfaceFigures(result, solid, "_in", context);
  addSurfaceFigures(result, surface, "", context);
  return Outputs({std::move(surface)}, std::move(result));
}

}  // namespace

Operator offsetOperator() {
  Operator op;
  op.id = "offset";
  op.label = "Offset";
  op.summary = "Grow or shrink a solid";
  op.help =
      "Moves the surface of a solid outwards or inwards by a distance, by way of a level set. Growing rounds "
      "convex edges, shrinking rounds concave ones; parts thinner than twice the distance vanish when they "
      "shrink, gaps close when they grow. Takes any surface, as sdf does; the result is closed and "
      "2-manifold and has no attributes.";
  op.category = "Solids";
  op.examples = {"offset bunny.obj --distance 0.005 -o padded.bgeo",
                 "offset statue.ply --distance -0.02 --voxel-size 0.01 -o core.bgeo"};
  op.inputs = {{"geometry", "Geometry", "A surface or a level set."}};
  op.outputs = {{"geometry", "Geometry", "The moved surface."}};
  ParameterTable<OffsetOptions> table;
  using O = OffsetOptions;
  table.add(&O::distance, "distance", "Distance")
      .unit("m")
      .soft(-0.1, 0.1)
      .help("How far the surface moves outwards; negative values move it inwards.");
  describeVoxelSize(table.add(&O::voxelSize, "voxel_size", "Voxel Size"));
  op.bind(table, offset);
  return op;
}

}  // namespace hackle
