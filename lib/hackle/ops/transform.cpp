#include <hackle/geometry/transform.h>

#include <hackle/ops/catalogue.h>

#include <cmath>

namespace hackle {

namespace {

enum class Pivot { Origin, Centroid, Bounds, Position };

struct TransformOptions {
  Vec3 translate{0, 0, 0};
  Vec3 rotate{0, 0, 0};  // degrees
  Vec3 scale{1, 1, 1};
  double uniformScale = 1.0;
  Pivot pivot = Pivot::Origin;
  Vec3 pivotPosition{0, 0, 0};
  bool fit = false;
  double fitSize = 1.0;
  bool invert = false;
};

/// x -> linear * x + offset
struct Affine {
  Mat3 linear = Mat3::Identity();
  Vec3 offset = Vec3::Zero();

  Affine operator*(const Affine& first) const {
    return {linear * first.linear, linear * first.offset + offset};
  }
};

Vec3 averagePoint(const Geometry& geometry) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : geometry.positions()) sum += p;
  return geometry.pointCount() == 0 ? sum : Vec3(sum / static_cast<double>(geometry.pointCount()));
}

Vec3 boxCentre(const Box3& box) { return box.empty() ? Vec3(0, 0, 0) : box.centre(); }

Affine fitMap(const Geometry& geometry, double size) {
  const Box3 box = geometry.bounds();
  const double longest = box.size().maxCoeff();
  if (!(longest > 0)) throw Error(ErrorCode::BadInput, "the geometry has no extent to fit", "turn fit off");
  const double factor = size / longest;
  return {factor * Mat3::Identity(), -factor * box.centre()};
}

Vec3 pivotOf(const Geometry& geometry, const TransformOptions& options, const Affine& before) {
  switch (options.pivot) {
    case Pivot::Centroid:
      return before.linear * averagePoint(geometry) + before.offset;
    case Pivot::Bounds:
      return before.linear * boxCentre(geometry.bounds()) + before.offset;
    case Pivot::Position:
      return options.pivotPosition;
    default:
      return Vec3::Zero();
  }
}

Affine mapOf(const Geometry& geometry, const TransformOptions& options) {
  Affine map;
  if (options.fit) map = fitMap(geometry, options.fitSize);
  const Vec3 pivot = pivotOf(geometry, options, map);
  Affine own;
  own.linear = rotationFromDegrees(options.rotate) * Vec3(options.uniformScale * options.scale).asDiagonal();
  own.offset = pivot - own.linear * pivot + options.translate;
  map = own * map;
  if (!options.invert) return map;
  if (!(std::abs(map.linear.determinant()) > 0))
    throw Error(ErrorCode::Usage, "a scale of zero cannot be inverted", "turn invert off or change scale");
  Affine inverse;
  inverse.linear = map.linear.inverse();
  inverse.offset = -(inverse.linear * map.offset);
  return inverse;
}

Outputs transform(const Inputs& inputs, const TransformOptions& options, Context& context) {
  Geometry geometry = inputs.geometry(0);
  const Affine map = mapOf(geometry, options);
  transformGeometry(geometry, map.linear, map.offset, context);
  Value result;
  Value::List rows;
  for (int row = 0; row < 3; ++row)
    rows.push_back(Value::List{map.linear(row, 0), map.linear(row, 1), map.linear(row, 2), map.offset[row]});
  result.set("matrix", std::move(rows));
  result.set("mirrored", map.linear.determinant() < 0);
  return Outputs({std::move(geometry)}, std::move(result));
}

ParameterTable<TransformOptions> transformTable() {
  ParameterTable<TransformOptions> table;
  using O = TransformOptions;
  table.add(&O::translate, "translate", "Translate")
      .unit("m")
      .soft(-10, 10)
      .help("Moves the geometry, after scale and rotation.");
  table.add(&O::rotate, "rotate", "Rotate")
      .unit("deg")
      .soft(-180, 180)
      .help("Angles about the x, y and z axis, applied in that order, about the pivot.");
  table.add(&O::scale, "scale", "Scale")
      .unit("none")
      .soft(0, 10)
      .help("Factors along x, y and z, before the rotation. A negative factor mirrors.");
  table.add(&O::uniformScale, "uniform_scale", "Uniform Scale")
      .unit("none")
      .soft(0, 10)
      .help("A factor for all three directions, on top of scale.");
  table.add(&O::pivot, "pivot", "Pivot")
      .menu({{"origin", "Origin"},
             {"centroid", "Average Point"},
             {"bounds", "Bounding Box"},
             {"position", "Position"}})
      .help(
          "The point that scale and rotation leave in place: the origin, the average of all points, the "
          "middle of the bounding box, or pivot_position.");
  table.add(&O::pivotPosition, "pivot_position", "Pivot Position")
      .unit("m")
      .soft(-10, 10)
      .enabledWhen("pivot", {"position"})
      .help("The pivot, where it is given explicitly.");
  table.add(&O::fit, "fit", "Fit")
      .help(
          "First move the middle of the bounding box to the origin and scale its longest side to fit_size. "
          "The other parameters act on the result.");
  table.add(&O::fitSize, "fit_size", "Fit Size")
      .unit("m")
      .hard(1e-12, 1e12)
      .soft(0.01, 10)
      .enabledWhen("fit", {"on"})
      .help("Length of the longest side of the fitted bounding box.");
  table.add(&O::invert, "invert", "Invert")
      .help("Apply the inverse of the transform that the parameters give.");
  return table;
}

}  // namespace

Operator transformOperator() {
  Operator op;
  op.id = "transform";
  op.label = "Transform";
  op.summary = "Move, rotate and scale a geometry with everything that turns with it";
  op.help =
      "Scales, rotates about x, y and z in that order, then translates. Scale and rotation leave the pivot "
      "where it is. With fit on, the geometry is first centred and scaled to a given size, which is the "
      "quickest way to bring a model in unknown units to metres.\n\n"
      "Attributes follow by their qualifier: points, vectors, normals (which keep their length and stay "
      "perpendicular under uneven scale) and quaternions. An unqualified N is taken for a normal, v for a "
      "vector, orient for a quaternion. Volume grids change their transform only, packed primitives theirs; "
      "neither is copied.\n\n"
      "A scale that mirrors turns faces and tetrahedra over, so that outside stays outside.";
  op.category = "Geometry";
  op.examples = {"transform bunny.obj --rotate 0,90,0 --translate -1,0,0 -o turned.obj",
                 "transform scan.ply --fit --fit-size 2 -o scan.bgeo"};
  op.inputs = {{"geometry", "Geometry", "The geometry to move."}};
  op.outputs = {{"geometry", "Geometry", "The moved geometry."}};
  op.keepsPacked = true;
  op.bind(transformTable(), transform);
  return op;
}

}  // namespace hackle
