#include <hackle/ops/catalogue.h>

#include <hackle/geometry/triangle_mesh.h>
#include <hackle/meshing/surface/decimate.h>
#include <hackle/meshing/surface/self_intersections.h>
#include <hackle/meshing/surface/surface_deviation.h>
#include <hackle/ops/solid_surface.h>

#include <fmt/format.h>

namespace hackle {

namespace {

struct DecimateParameters {
  DecimateOptions decimate;
  bool measure = true;
};

Outputs decimateSurface(const Inputs& inputs, const DecimateParameters& options, Context& context) {
  const Geometry surface = solidSurface(inputs.geometry(0), "geometry", context);
  const TriangleMesh before = triangleMesh(surface, context);
  Value figures;
  addSurfaceFigures(figures, surface, "_in", context);
  DecimateResult result;
  {
    Context::Stage stage(context, "collapse", 0.8);
    result = decimate(before, options.decimate, context);
  }
  if (result.crossingBefore > 0)
    context.warn(fmt::format("the surface crosses itself at {} pairs of triangles from the start",
                             result.crossingBefore));
  addSurfaceFigures(figures, result.surface, "", context);
  figures.set("reached", result.reached);
  figures.set("refused_crossing", result.refusedCrossing);
  if (options.measure) {
    Context::Stage stage(context, "measure", 0.2);
    const TriangleMesh after = triangleMesh(result.surface, context);
    const SurfaceDeviation distance =
        surfaceDeviation(before, after, 0.005 * surface.bounds().diagonal(), context);
    figures.set("hausdorff", distance.hausdorff);
    figures.set("mean_distance", distance.mean);
    figures.set("self_intersections_in", result.crossingBefore);
    figures.set("self_intersections", selfIntersections(after, context).size());
  }
  return Outputs({std::move(result.surface)}, std::move(figures));
}

}  // namespace

Operator decimateOperator() {
  Operator op;
  op.id = "decimate";
  op.label = "Decimate";
  op.summary = "Reduce a closed surface to fewer triangles";
  op.help =
      "Collapses edges, starting with those that change the shape least (quadric error), until the given number of "
      "triangles is left. The result is closed, 2-manifold and of the same genus, has no slivers that were "
      "not there before, and does not cross itself if the input does not. For collision shapes and for "
      "boundary elements. Attributes are not carried over.\n\n"
      "The surface must be closed and 2-manifold; repair it first if it is not, or go through sdf and "
      "surface.";
  op.category = "Solids";
  op.examples = {"decimate bunny.obj --triangles 5000 -o proxy.bgeo --json -"};
  op.inputs = {{"geometry", "Geometry", "A closed surface, or a level set."}};
  op.outputs = {{"geometry", "Geometry", "The same solid with fewer triangles."}};
  ParameterTable<DecimateOptions> inner;
  inner.add(&DecimateOptions::triangles, "triangles", "Triangles")
      .unit("none")
      .hard(4, 1e9)
      .soft(100, 20000)
      .help("Number of triangles to reach.");
  ParameterTable<DecimateParameters> table;
  using O = DecimateParameters;
  table.include(&O::decimate, inner);
  table.add(&O::measure, "measure", "Measure")
      .help(
          "Report how far the result is from the input (Hausdorff distance) and whether triangles cross; "
          "takes about as long as the decimation.");
  op.bind(table, decimateSurface);
  return op;
}

}  // namespace hackle
