#include <hackle/ops/catalogue.h>

#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/level_set_surface.h>
#include <hackle/ops/solid_surface.h>

namespace hackle {

namespace {

struct BooleanOptions {
  SolidBoolean operation = SolidBoolean::Union;
  double voxelSize = 0.0;
};

Outputs boolean(const Inputs& inputs, const BooleanOptions& options, Context& context) {
  const Geometry a = solidSurface(inputs.geometry(0), "a", context);
  const Geometry b = solidSurface(inputs.geometry(1), "b", context);
  LevelSetOptions levelSet;
  Box3 bounds = a.bounds();
  bounds.add(b.bounds());
  levelSet.voxelSize = chosenVoxelSize(options.voxelSize, bounds);
  const VolumePtr first = signedDistance(triangleMesh(a, context), levelSet, context);
  const VolumePtr second = signedDistance(triangleMesh(b, context), levelSet, context);
  const VolumePtr both = combinedLevelSets(*first, *second, options.operation, context);
  Geometry surface = withoutLostParts(levelSetSurface(*both, context), context);
  if (surface.empty()) context.warn("boolean: nothing is left");
  Value result;
  result.set("voxel_size", levelSet.voxelSize);
  result.set("volume_a", levelSetVolume(*first, context));
  result.set("volume_b", levelSetVolume(*second, context));
  addSurfaceFigures(result, surface, "", context);
  return Outputs({std::move(surface)}, std::move(result));
}

}  // namespace

Operator booleanOperator() {
  Operator op;
  op.id = "boolean";
  op.label = "Boolean";
  op.summary = "Unite, intersect or subtract two solids";
  op.help =
      "Combines two solids by way of level sets. It takes any surfaces: open, crossing and inside-out ones "
      "too (see sdf). The result is a closed 2-manifold of faces about as large as voxels, with creases "
      "rounded to that size and without the attributes of the inputs. Use it to build up shapes before they "
      "are broken; the cuts of a fracture are exact and need no voxels.";
  op.category = "Solids";
  op.examples = {"boolean wall.obj window.obj --operation subtract --voxel-size 0.02 -o wall_open.bgeo",
                 "boolean head.ply body.ply -o statue.bgeo"};
  op.inputs = {{"a", "A", "A surface or a level set."}, {"b", "B", "A surface or a level set."}};
  op.outputs = {{"geometry", "Geometry", "The surface of the combined solid."}};
  ParameterTable<BooleanOptions> table;
  using O = BooleanOptions;
  table.add(&O::operation, "operation", "Operation")
      .menu({{"union", "Union"}, {"intersect", "Intersection"}, {"subtract", "A Without B"}})
      .help("What to keep: what is in either, in both, or in a but not in b.");
  describeVoxelSize(table.add(&O::voxelSize, "voxel_size", "Voxel Size"));
  op.bind(table, boolean);
  return op;
}

}  // namespace hackle
