// Texture charts on faces between pieces: which faces are laid flat together, and how.
#pragma once

#include <hackle/core/context.h>
#include <hackle/core/span.h>
#include <hackle/geometry/vec.h>

#include <vector>

namespace hackle {

/// Faces between pieces, each once. Up to three and more meet in an edge.
struct InsideFaces {
  std::vector<Vec3> points;        // m
  std::vector<int32_t> starts{0};  // of each face's corners, and the end
  std::vector<int32_t> corners;    // points
  std::vector<Vec3> normals;       // unit; of the plane under it where a face is part of a rough one
  std::vector<int32_t> contact;    // faces between the same two pieces share it

  size_t count() const { return normals.size(); }
};

struct InsideCharts {
  std::vector<Vec2> uv;        // m, of each corner
  std::vector<int32_t> chart;  // of each face, numbered by their first faces
};

/// One chart per connected face between two pieces, and on across edges where it meets another at less than
/// `smoothAngle` (degrees), the straightest continuation where several meet. A chart is laid flat at scale 1;
/// where that would stretch more than a hundredth of its area by more than 1.4, it is
/// divided, and bumps of a rough face become charts of their own. Charts lie
/// where their mean plane lies in space, so that faces which are flat have the texture of their plane.
InsideCharts insideCharts(const InsideFaces& faces, double smoothAngle, Context& context);

}  // namespace hackle
