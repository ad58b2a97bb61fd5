#include <hackle/core/memo.h>
#include <hackle/fracture/solid.h>
#include <hackle/geometry/geometry_key.h>
#include <hackle/geometry/place_check.h>
#include <hackle/meshing/repair/checked_solid.h>

namespace hackle {

/// The input, where numbers can tell its points apart.
static const Geometry& placed(const Geometry& input) {
  checkPlace(input.bounds());
  return input;
}

Solid::Solid(const Geometry& input, Context& context)
    : Solid(Checked(), checkedSolid(placed(input), context), context) {}

Solid::Solid(Checked, Geometry checked, Context& context)
    : geometry(std::move(checked)),
      mesh(triangleMesh(geometry, context)),
      bvh(mesh, context),
      mass(massProperties(mesh, context)) {}

SolidPtr Solid::ofChecked(Geometry geometry, Context& context) {
  return SolidPtr(new Solid(Checked(), std::move(geometry), context));
}

size_t Solid::bytes() const {
  // The tree: nodes twice, and corners in their order.
  constexpr size_t kTreePerTriangle = 200;
  return bytesOf(geometry) + bytesOf(mesh) + mesh.triangles.size() * kTreePerTriangle;
}

SolidPtr solidOf(const Geometry& input, Context& context) {
  MemoKey key("solid");
  addToKey(key, input);
  return remembered<Solid>(context, key, [&] { return std::make_shared<const Solid>(input, context); });
}

}  // namespace hackle
