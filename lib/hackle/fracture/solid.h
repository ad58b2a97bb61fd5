// A body that can be broken: its surface, checked, and what every engine asks of it.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/geometry.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/triangle_mesh.h>

#include <memory>

namespace hackle {

/// Made once per body and shared by all that is computed for it; it never changes.
struct Solid {
  /// Errors and repairs are those of `checkedSolid`.
  Solid(const Geometry& input, Context& context);
  /// Of a geometry that is known to be closed, 2-manifold and oriented outwards, such as a part of a solid.
  static std::shared_ptr<const Solid> ofChecked(Geometry geometry, Context& context);

  Geometry geometry;    // closed, 2-manifold, oriented outwards
  TriangleMesh mesh;    // of `geometry`
  TriangleBvh bvh;      // of `mesh`
  MassProperties mass;  // for density 1

  /// Memory that it takes, about.
  size_t bytes() const;

 private:
  struct Checked {};
  Solid(Checked, Geometry checked, Context& context);
};
using SolidPtr = std::shared_ptr<const Solid>;

/// The solid of an input, kept in the run's memo.
SolidPtr solidOf(const Geometry& input, Context& context);

}  // namespace hackle
