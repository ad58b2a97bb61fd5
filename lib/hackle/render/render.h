// Pictures of geometry: a small studio with a dome, a soft key light and a floor that only catches shadows.
#pragma once

#include <hackle/core/context.h>
#include <hackle/geometry/geometry.h>
#include <hackle/geometry/image.h>

#include <cstdint>
#include <optional>
#include <string>

namespace hackle {

enum class ColourMode { Plain, Piece, Inside, Attribute, Uv, Normal };
enum class AttributeComponent { Magnitude, X, Y, Z, W };
enum class RangeMode { Automatic, Given };
enum class CameraMode { Automatic, Explicit };

/// Colours are sRGB, 0 to 1. Angles are degrees.
struct RenderOptions {
  // Picture
  int width = 960;                     // px
  int height = 540;                    // px
  int samples = 16;                    // a pixel, rounded up to a multiple of 8; half where all is even
  int64_t seed = 0;                    // of the light samples
  Vec3 background{0.92, 0.92, 0.925};  // exact at the middle of the picture, a little darker at corners
  bool floor = true;                   // catches shadows
  std::optional<double> floorHeight;   // m; not set: the lowest point
  std::string title;                   // at the top left
  // Colour
  ColourMode colour = ColourMode::Piece;
  Vec3 base{0.80, 0.79, 0.77};    // of what has no colour of its own
  Vec3 inside{0.80, 0.42, 0.26};  // of the primitive group `inside`
  bool useCd = true;              // Plain: take Cd where there is one
  std::string attribute;          // Attribute: its name
  AttributeComponent component = AttributeComponent::Magnitude;
  RangeMode range = RangeMode::Automatic;
  double rangeMin = 0.0, rangeMax = 1.0;
  bool legend = true;
  // Lines
  bool wireframe = false;   // edges of polygons, never of their triangles
  double wireWidth = 1.0;   // px
  double lineWidth = 4.0;   // px; polylines, as tubes
  double pointSize = 8.0;   // px; points that no primitive uses, as spheres
  double cuspAngle = 30.0;  // faces that meet at a larger angle keep a sharp edge
  // Camera
  CameraMode camera = CameraMode::Automatic;
  double azimuth = 30.0;  // about y; 0 looks from +z, 90 from +x
  double elevation = 20.0;
  double fieldOfView = 30.0;  // of the picture's height
  double zoom = 1.0;
  Vec3 position{0, 0, 5}, target{0, 0, 0};  // m; Explicit
  int views = 1;                            // turntable: that many views in one picture
  // Light
  double lightAzimuth = -40.0;  // relative to the camera; negative is left
  double lightElevation = 50.0;
  double lightSoftness = 9.0;  // half angle that the key light fills
};

/// Draws polygons, boundary faces of tetrahedra, polylines and loose points; volumes and packed primitives
/// are left out with a warning. The same bytes on any number of threads. Throws Error(BadInput) if there is
/// nothing to draw or the attribute asked for is missing or holds text.
Image renderGeometry(const Geometry& geometry, const RenderOptions& options, Context& context);

}  // namespace hackle
