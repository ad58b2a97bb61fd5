#include <hackle/ops/catalogue.h>

#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/ops/solid_surface.h>
#include <hackle/volume/grid.h>
#include <hackle/volume/level_set.h>

namespace hackle {

namespace {

struct SdfOptions {
  double voxelSize = 0.0;
  double band = 3.0;
  double grow = 0.0;
  std::string name = "surface";
};

Outputs sdf(const Inputs& inputs, const SdfOptions& options, Context& context) {
  const Geometry surface = solidSurface(inputs.geometry(0), "geometry", context);
  const TriangleMesh mesh = triangleMesh(surface, context);
  LevelSetOptions levelSet;
  levelSet.voxelSize = chosenVoxelSize(options.voxelSize, surface.bounds());
  levelSet.halfWidth = options.band;
  levelSet.offset = options.grow;
  levelSet.name = options.name;
  const VolumePtr grid = signedDistance(mesh, levelSet, context);
  if (grid->activeVoxelCount() == 0)
    context.warn("sdf: the surface encloses nothing at this voxel size; the level set is empty");
  Value result;
  result.set("voxel_size", levelSet.voxelSize);
  result.set("voxels", static_cast<int64_t>(grid->activeVoxelCount()));
  result.set("volume_in", massProperties(mesh, context).volume);
  result.set("volume_out", levelSetVolume(*grid, context));
  Geometry geometry;
  geometry.addVolume(grid, gridOrigin(*grid));
  return Outputs({std::move(geometry)}, std::move(result));
}

}  // namespace

Operator sdfOperator() {
  Operator op;
  op.id = "sdf";
  op.label = "Signed Distance";
  op.summary = "Make a VDB level set of a surface";
  op.help =
      "Gives the distance from a surface, negative inside, in a narrow band of voxels around it.\n\n"
      "Any faces will do. Inside is where they surround a point more than half way (the generalised winding "
      "number), so that holes are closed, shells that overlap become one solid, and shells that are inside "
      "out are taken as if they were not. For a closed surface that does not cross itself, distances are "
      "exact.\n\n"
      "Use surface to get a mesh back, boolean and offset to do so in one go.";
  op.category = "Solids";
  op.examples = {"sdf bunny.obj --voxel-size 0.002 -o bunny.vdb", "sdf scan.ply --band 5 -o scan.vdb"};
  op.inputs = {{"geometry", "Geometry", "A surface, closed or not, or a level set to sample anew."}};
  op.outputs = {{"geometry", "Level Set", "One VDB level set of floats."}};
  ParameterTable<SdfOptions> table;
  using O = SdfOptions;
  describeVoxelSize(table.add(&O::voxelSize, "voxel_size", "Voxel Size"));
  table.add(&O::band, "band", "Band")
      .unit("none")
      .hard(1, 1000)
      .soft(2, 10)
      .help("Half the width of the band, in voxels: how far from the surface distances are known.");
  table.add(&O::grow, "grow", "Grow")
      .unit("m")
      .soft(-0.1, 0.1)
      .help("How far the surface is moved outwards; a negative value moves it inwards.");
  table.add(&O::name, "name", "Name").help("Name of the grid; other tools look for surface.");
  op.bind(table, sdf);
  return op;
}

}  // namespace hackle
