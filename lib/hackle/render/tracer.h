// Shoots rays: fills layers of surface and floor for every pixel of a view. Embree stays inside.
#pragma once

#include <hackle/core/context.h>
#include <hackle/render/camera.h>
#include <hackle/render/drawable.h>
#include <hackle/render/paint.h>

#include <memory>
#include <vector>

namespace hackle {

/// Means over the samples of a pixel, apart for surface and floor, with light apart from colour: so light can
/// be smoothed without blurring colours or outlines.
struct LayeredPixel {
  float coverage = 0;  // part of the samples that met the surface
  Rgb albedo{0, 0, 0};
  Rgb light{0, 0, 0};       // what arrives, so that albedo * light is what leaves
  float lightVariance = 0;  // of the mean, in luminance
  float open = 1;           // light that would arrive, about, if nothing were in the way
  Vec3f normal{0, 0, 0};
  Vec3f position{0, 0, 0};
  float floorCoverage = 0;
  float shade = 1;          // light on the floor, relative to a floor with nothing on it
  float shadeVariance = 0;  // of the mean
};

struct LayeredImage {
  int width = 0, height = 0;
  std::vector<LayeredPixel> pixels;

  LayeredImage(int w, int h) : width(w), height(h), pixels(static_cast<size_t>(w) * static_cast<size_t>(h)) {}
  LayeredPixel& at(int x, int y) {
    return pixels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
  const LayeredPixel& at(int x, int y) const {
    return pixels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)];
  }
};

/// Radii of tubes and dots in unit space.
struct LineSizes {
  float tube = 0.005f;
  float dot = 0.01f;
};

class Tracer {
 public:
  /// Builds the ray tracing structure; the arguments must outlive the tracer. `normals` has 3 per triangle.
  Tracer(const Drawable& drawable, const std::vector<Vec3f>& normals, const DrawnColours& paint,
         LineSizes sizes, Context& context);
  ~Tracer();
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  /// Fills the pixels of the view's cell. Each pixel has a random stream of its own.
  void trace(const View& view, const RenderOptions& options, LayeredImage& image, Context& context) const;

 private:
  struct Scene;
  const Drawable& mDrawable;
  const std::vector<Vec3f>& mNormals;
  const DrawnColours& mPaint;
  std::unique_ptr<Scene> mScene;
};

}  // namespace hackle
