// What hits a body, where and how hard: one type for every engine and operator.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/bvh.h>
#include <hackle/mechanics/elastic.h>

#include <optional>
#include <vector>

namespace hackle {

/// What hits the body. As it stands: immovable flat ground of the body's own material.
struct Striker {
  std::optional<double> mass;               // kg; not set: immovable
  std::optional<ElasticMaterial> material;  // not set: that of the body
  std::optional<double> radius;             // m, at the contact; not set: flat
};

struct Impact {
  Vec3 position = Vec3::Zero();  // m, on or near the surface
  Vec3 direction{0, -1, 0};      // in which the body is pushed; any length above 0
  double impulse = 1;            // N s, 0 or more
  std::optional<double> speed;   // m/s of approach; not set: that of an elastic impact, J = 2 m v
  Striker striker;
};

/// Impacts as people give them, checked and moved to the nearest place of the surface, with directions of
/// unit length. Error(Usage) for a direction without length or an impulse below 0, Error(BadInput) for a
/// place farther from the surface than a tenth of the diagonal of its box; both name the impact, counted
/// from 1, and a remedy.
std::vector<Impact> impactsOnSurface(Span<const Impact> impacts, const TriangleBvh& surface);

}  // namespace hackle
