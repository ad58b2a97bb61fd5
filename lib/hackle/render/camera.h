// A pinhole camera on a part of the picture, and how to frame things with it.
#pragma once

#include <hackle/render/colour.h>
#include <hackle/render/drawable.h>
#include <hackle/render/render.h>

#include <vector>

namespace hackle {

/// Pixels [x, x + width) x [y, y + height) of the picture; y runs down.
struct PixelRect {
  int x = 0, y = 0, width = 0, height = 0;
};

/// Looks along `forward` from `eye`; all in the drawable's unit space, axes orthonormal.
struct Camera {
  Vec3f eye{0, 0, 5}, right{1, 0, 0}, up{0, 1, 0}, forward{0, 0, -1};
  float pixelsPerSlope = 1.0f;      // px for a direction of slope 1 against the axis
  Eigen::Vector2f principal{0, 0};  // px: where `forward` meets the picture

  /// Not normalised: its component along `forward` is 1.
  Vec3f direction(float px, float py) const {
    return forward + ((px - principal.x()) / pixelsPerSlope) * right -
           ((py - principal.y()) / pixelsPerSlope) * up;
  }
  /// Pixel coordinates, and in z the distance along `forward`; meaningless where that is not positive.
  Vec3f project(const Vec3f& p) const {
    const Vec3f v = p - eye;
    const float depth = v.dot(forward);
    const float s = pixelsPerSlope / depth;
    return {principal.x() + s * v.dot(right), principal.y() - s * v.dot(up), depth};
  }
};

/// One view of the picture: where it is drawn, and the part of it that framed things keep to.
struct View {
  PixelRect cell;
  PixelRect safe;
  Camera camera;
};

/// Splits the picture into options.views cells and points a camera at each: automatically, so that every
/// drawn point falls into the safe part and touches its border on two sides at zoom 1, all views from one
/// distance; or as the options say. `reservedRight` and `reservedTop` are px kept free in every cell.
std::vector<View> makeViews(const Drawable& drawable, const RenderOptions& options, int reservedRight,
                            int reservedTop);

}  // namespace hackle
