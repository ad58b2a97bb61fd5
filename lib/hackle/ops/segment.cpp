#include <hackle/ops/catalogue.h>

#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/level_set_surface.h>
#include <hackle/ops/solid_surface.h>
#include <hackle/volume/segmentation.h>

#include <fmt/format.h>

namespace hackle {

namespace {

struct SegmentParameters {
  double voxelSize = 0.0;
  double thickness = 2.0;
  double threshold = 1.0;
  int leastVoxels = 10;
};

/// The solid as a level set, without the sheets of the second input.
VolumePtr crackedSolid(const Inputs& inputs, const SegmentParameters& options, double voxelSize,
                       const Geometry& surface, Context& context) {
  LevelSetOptions levelSet;
  levelSet.voxelSize = voxelSize;
  levelSet.name = "piece";
  VolumePtr solid = signedDistance(triangleMesh(surface, context), levelSet, context);
  if (!inputs.has(1)) return solid;
  const TriangleMesh cracks = triangleMesh(inputs.geometry(1), context);
  if (cracks.triangles.empty()) return solid;
  const VolumePtr sheets = sheetDistance(cracks, options.thickness * voxelSize, levelSet, context);
  return combinedLevelSets(*solid, *sheets, SolidBoolean::Difference, context);
}

Outputs segment(const Inputs& inputs, const SegmentParameters& options, Context& context) {
  const Geometry surface = solidSurface(inputs.geometry(0), "geometry", context);
  const double voxelSize = chosenVoxelSize(options.voxelSize, surface.bounds());
  const VolumePtr solid = crackedSolid(inputs, options, voxelSize, surface, context);
  SegmentOptions segmentation;
  segmentation.threshold = options.threshold * voxelSize;
  segmentation.leastVoxels = static_cast<size_t>(options.leastVoxels);
  const Segments segments = segmentLevelSet(*solid, segmentation, context);
  if (segments.leftOut > 0)
    context.warn(fmt::format("segment: {} parts of fewer than {} voxels were left out", segments.leftOut,
                             options.leastVoxels));
  std::vector<Geometry> pieces;
  for (const VolumePtr& grid : segments.grids) {
    Geometry piece = levelSetSurface(*grid, context);
    Attribute& name = piece.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
    for (size_t f = 0; f < piece.primitiveCount(); ++f) name.setString(f, grid->name());
    pieces.push_back(std::move(piece));
  }
  Geometry all = merged(pieces);
  Value result;
  result.set("pieces", segments.grids.size());
  result.set("left_out", segments.leftOut);
  result.set("lost_voxels", static_cast<int64_t>(segments.lostVoxels));
  result.set("voxel_size", voxelSize);
  result.set("volume_cut", levelSetVolume(*solid, context));
  addSurfaceFigures(result, surface, "_in", context);
  addSurfaceFigures(result, all, "", context);
  return Outputs({std::move(all)}, std::move(result));
}

}  // namespace

Operator segmentOperator() {
  Operator op;
  op.id = "segment";
  op.label = "Segment";
  op.summary = "Break a solid into the parts that crack surfaces leave";
  op.help =
      "Makes a level set of a solid, takes the crack surfaces out of it as thin sheets, and gives each "
      "connected part that is left as a closed piece of its own. Cracks may be open, cross each other and "
      "stick out of the solid; a crack that does not go through stays as a slit in its piece.\n\n"
      "Cracks that do not quite meet leave thin bridges between parts. The threshold cuts them: it widens "
      "cracks while parts are found, but not in the result.";
  op.category = "Solids";
  op.examples = {"segment block.obj cracks.obj --voxel-size 0.01 -o pieces.bgeo",
                 "segment scattered.vdb -o pieces.bgeo"};
  op.inputs = {{"geometry", "Geometry", "A surface or a level set."},
               {"cracks", "Cracks", "Surfaces to cut along.", PortType::Geometry, true}};
  op.outputs = {{"geometry", "Geometry", "Closed pieces, by the primitive attribute name."}};
  ParameterTable<SegmentParameters> table;
  using O = SegmentParameters;
  describeVoxelSize(table.add(&O::voxelSize, "voxel_size", "Voxel Size"));
  table.add(&O::thickness, "thickness", "Thickness")
      .unit("none")
      .hard(1, 20)
      .soft(1, 4)
      .help("Width of a crack in voxels. Below about 1.6 a crack may not divide.");
  table.add(&O::threshold, "threshold", "Threshold")
      .unit("none")
      .range(0, 1)
      .help("Bridges between parts that are up to twice this many voxels thick are cut.");
  table.add(&O::leastVoxels, "least_voxels", "Least Voxels")
      .unit("none")
      .hard(1, 1e9)
      .soft(1, 100)
      .help("Parts with fewer voxels are left out.");
  op.bind(table, segment);
  return op;
}

}  // namespace hackle
