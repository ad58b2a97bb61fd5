#include <hackle/ops/catalogue.h>

#include <hackle/core/error.h>
#include <hackle/meshing/surface/level_set_surface.h>
#include <hackle/ops/solid_surface.h>

namespace hackle {

namespace {

struct SurfaceOptions {
  double isovalue = 0.0;
  std::string grid;
};

Outputs surface(const Inputs& inputs, const SurfaceOptions& options, Context& context) {
  const Geometry& geometry = inputs.geometry(0);
  std::vector<Geometry> parts;
  for (size_t p = 0; p < geometry.primitiveCount(); ++p) {
    if (geometry.primitiveType(p) != PrimitiveType::Volume) continue;
    const VolumeGrid& grid = *geometry.volume(p);
    if (options.grid.empty() ? grid.gridClass() != "level set" : grid.name() != options.grid) continue;
    Geometry part = levelSetSurface(grid, context, options.isovalue);
    Attribute& name = part.addAttribute(Owner::Primitive, Attribute("name", Storage::String, 1));
    for (size_t f = 0; f < part.primitiveCount(); ++f) name.setString(f, grid.name());
    parts.push_back(std::move(part));
  }
  if (parts.empty())
    throw Error(ErrorCode::BadInput,
                options.grid.empty() ? "the input has no level set"
                                     : "the input has no grid called \"" + options.grid + "\"",
                "make one with sdf; info lists the grids of a file");
  Geometry result = merged(parts);
  Value figures;
  figures.set("grids", parts.size());
  addSurfaceFigures(figures, result, "", context);
  return Outputs({std::move(result)}, std::move(figures));
}

}  // namespace

Operator surfaceOperator() {
  Operator op;
  op.id = "surface";
  op.label = "Surface";
  op.summary = "Make a mesh of a VDB level set";
  op.help =
      "Gives the surface of a level set as a closed 2-manifold of quads and a few triangles, about as large "
      "as its voxels, oriented outwards. Parts that are closer than a voxel come apart rather than touch.\n\n"
      "Faces carry the name of their grid as the primitive attribute name.";
  op.category = "Solids";
  op.examples = {"surface bunny.vdb -o bunny.bgeo", "surface bunny.vdb --isovalue 0.01 -o thicker.obj"};
  op.inputs = {{"geometry", "Level Set", "VDB level sets of floats."}};
  op.outputs = {{"geometry", "Geometry", "Their surfaces."}};
  ParameterTable<SurfaceOptions> table;
  using O = SurfaceOptions;
  table.add(&O::isovalue, "isovalue", "Isovalue")
      .unit("m")
      .soft(-0.1, 0.1)
      .help("The distance at which the surface is taken; it must lie within the band.");
  table.add(&O::grid, "grid", "Grid").help("Name of the grid; all level sets if it is empty.");
  op.bind(table, surface);
  return op;
}

}  // namespace hackle
