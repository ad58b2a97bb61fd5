#include <hackle/geometry/normals.h>

#include <hackle/core/parallel.h>
#include <hackle/ops/catalogue.h>

namespace hackle {

namespace {

enum class Mode { Vertex, Point, Remove };

struct NormalsOptions {
  Mode mode = Mode::Vertex;
  double cuspAngle = 60.0;  // degrees
  bool reverse = false;
  bool flipFaces = false;
};

Attribute normalAttribute(const std::vector<Vec3>& normals, bool reverse, Context& context) {
  std::vector<float> values(3 * normals.size());
  const double sign = reverse ? -1.0 : 1.0;
  parallelFor(context, normals.size(), 1 << 14, [&](size_t i) {
    // Zero has no direction to reverse, and no sign.
    for (int c = 0; c < 3; ++c)
      values[3 * i + static_cast<size_t>(c)] = static_cast<float>(sign * normals[i][c] + 0.0);
  });
  Attribute attribute("N", Storage::Float32, 3, 0, "normal");
  attribute.assign(CowArray<float>(std::move(values)));
  return attribute;
}

Outputs normals(const Inputs& inputs, const NormalsOptions& options, Context& context) {
  Geometry geometry = inputs.geometry(0);
  if (options.flipFaces) geometry.flipWinding();
  // N on another owner would hide or contradict the new one.
  for (const Owner owner : {Owner::Point, Owner::Vertex, Owner::Primitive, Owner::Detail})
    geometry.removeAttribute(owner, "N");
  if (options.mode == Mode::Remove) return Outputs({std::move(geometry)});
  const bool onVertices = options.mode == Mode::Vertex;
  const std::vector<Vec3> values =
      onVertices ? vertexNormals(geometry, options.cuspAngle, context) : pointNormals(geometry, context);
  geometry.addAttribute(onVertices ? Owner::Vertex : Owner::Point,
                        normalAttribute(values, options.reverse, context));
  return Outputs({std::move(geometry)});
}

}  // namespace

Operator normalsOperator() {
  Operator op;
  op.id = "normals";
  op.label = "Normals";
  op.summary = "Compute shading normals, with sharp edges, or remove them";
  op.help =
      "Computes N from the faces, weighted by the angle that each face takes at the point, so that the "
      "result does not depend on how polygons are cut into triangles. N of other kinds (point normals where "
      "vertex normals are made, and the other way round) is removed, since one would hide the other.\n\n"
      "Vertex normals keep edges sharp where two faces meet at more than the cusp angle; edges of open "
      "surfaces, and edges with more than two faces, are sharp too. Point normals are smooth everywhere.\n\n"
      "Points that coincide but are not shared do not smooth across: fuse them first.";
  op.category = "Geometry";
  op.examples = {"normals bunny.obj --cusp-angle 40 -o smooth.bgeo"};
  op.inputs = {{"geometry", "Geometry", "Polygons."}};
  op.outputs = {{"geometry", "Geometry", "The same polygons with N."}};
  ParameterTable<NormalsOptions> table;
  table.add(&NormalsOptions::mode, "mode", "Mode")
      .menu({{"vertex", "Vertex Normals"}, {"point", "Point Normals"}, {"remove", "Remove Normals"}})
      .help("Compute N on vertices, with sharp edges, or on points, smooth; or remove N everywhere.");
  table.add(&NormalsOptions::cuspAngle, "cusp_angle", "Cusp Angle")
      .unit("deg")
      .range(0, 180)
      .enabledWhen("mode", {"vertex"})
      .help("Faces that meet at more than this angle get a sharp edge. 0 is faceted, 180 is smooth.");
  table.add(&NormalsOptions::reverse, "reverse", "Reverse Normals")
      .help("Make N point inwards. The faces stay as they are.");
  table.add(&NormalsOptions::flipFaces, "flip_faces", "Flip Faces")
      .help("Turn the faces over first, for a model that is inside out.");
  op.bind(table, normals);
  return op;
}

}  // namespace hackle
