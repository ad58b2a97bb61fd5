#include <hackle/meshing/shapes/shapes.h>

#include <hackle/meshing/shapes/shape_builders.h>

namespace hackle {

namespace {

Geometry naturalShape(const ShapeOptions& options, Context& context) {
  SurfaceBuilder builder;
  switch (options.shape) {
    case ShapeKind::Box:
      detail::buildBox(options, builder);
      break;
    case ShapeKind::Sphere:
      detail::buildSphere(options, builder);
      break;
    case ShapeKind::Torus:
      detail::buildTorus(options, builder);
      break;
    case ShapeKind::Bowl:
      detail::buildBowl(options, builder);
      break;
    case ShapeKind::Goblet:
      detail::buildGoblet(options, builder);
      break;
    case ShapeKind::Column:
      detail::buildColumn(options, builder);
      break;
    case ShapeKind::Link:
      detail::buildLink(options, builder);
      break;
    case ShapeKind::NotchedBar:
      detail::buildNotchedBar(options, builder);
      break;
    case ShapeKind::Pane:
      detail::buildPane(options, builder);
      break;
    case ShapeKind::Plate:
      detail::buildPlate(options, builder);
      break;
    case ShapeKind::Gear:
      detail::buildGear(options, builder);
      break;
    case ShapeKind::Stairs:
      detail::buildStairs(options, builder);
      break;
    case ShapeKind::Knot:
      detail::buildKnot(options, builder);
      break;
    case ShapeKind::Figure:
      return detail::buildFigure(options, context);
    case ShapeKind::Bunny:
      return detail::buildBunny(options, context);
    case ShapeKind::Vase:
      detail::buildVase(options, builder);
      break;
    case ShapeKind::Bottle:
      detail::buildBottle(options, builder);
      break;
    case ShapeKind::Dumbbell:
      detail::buildDumbbell(options, builder);
      break;
    case ShapeKind::Bone:
      return detail::buildBone(options, context);
    case ShapeKind::Brick:
      detail::buildBrick(options, builder);
      break;
  }
  context.checkCancel();
  return builder.geometry();
}

}  // namespace

Geometry makeShape(const ShapeOptions& options, Context& context) {
  Geometry geometry = naturalShape(options, context);
  const Box3 box = geometry.bounds();
  const double scale = options.size ? *options.size / box.size().maxCoeff() : 1.0;
  const Vec3 middle = options.centre ? box.centre() : Vec3(0, box.min.y(), 0);
  for (Vec3& p : geometry.editPositions()) p = scale * (p - middle);
  return geometry;
}

}  // namespace hackle
