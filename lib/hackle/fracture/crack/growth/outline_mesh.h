// Triangles of even size inside of an outline in the plane.
#pragma once

#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

struct OutlineMesh {
  std::vector<Vec2> points;  // those of the outline first
  std::vector<Triangle> triangles;
};

/// Triangles with edges of about `edge` in a simple outline (counter-clockwise), whose points and edges all
/// stay. A row of points follows the outline inside, a lattice fills the rest; at least one point is inside.
OutlineMesh meshOutline(const std::vector<Vec2>& outline, double edge);

/// The outline with edges longer than 1.4 times `edge` divided evenly.
std::vector<Vec2> dividedOutline(const std::vector<Vec2>& outline, double edge);

/// Twice the area to the left of a closed outline.
double twiceArea(const std::vector<Vec2>& outline);
bool insideOutline(const std::vector<Vec2>& outline, const Vec2& p);

}  // namespace hackle
