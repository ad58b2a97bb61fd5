// Surfaces of revolution, closed at the axis, whose rings need not be round.
#pragma once

#include <hackle/meshing/shapes/profile.h>
#include <hackle/meshing/shapes/surface_builder.h>

#include <functional>
#include <optional>

namespace hackle {

struct RevolveOptions {
  double spacing = 0.01;  // m, target length of edges
  /// m, how far chords may leave the round surface; keeps the two sides of a thin wall apart.
  double tolerance = std::numeric_limits<double>::infinity();
  /// Edges of a full ring; from `spacing` if not set.
  std::optional<int> segments;
  /// m, rings at least this wide are full; narrower ones have half the edges, a quarter, ... Default: the
  /// profile's largest radius.
  std::optional<double> fullRadius;
  /// Factor by which the radius of a profile point is stretched at an angle; 1 if empty. Must be positive.
  std::function<double(const Vec2& point, double weight, double angle)> shape;
};

/// Turns a profile about the y axis and adds the surface: quads, and triangles where rings lose edges and at
/// the axis. The profile starts and ends on the axis, touches it nowhere between, does not cross itself, and
/// has its outside on the right (upwards along an outer wall); then the surface is a closed 2-manifold of
/// genus 0. Angles run from +z towards +x. Charts are discs around flat stretches and strips around upright
/// ones.
void revolve(const Profile& profile, const RevolveOptions& options, SurfaceBuilder& builder);

}  // namespace hackle
