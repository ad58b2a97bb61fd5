// The lights: a dome, brighter above, and a soft key light.
#pragma once

#include <hackle/render/camera.h>
#include <hackle/render/colour.h>
#include <hackle/render/render.h>

#include <cmath>

namespace hackle {

/// Any two directions that complete a unit vector to an orthonormal frame.
inline void completeFrame(const Vec3f& n, Vec3f& s, Vec3f& t) {
  s = std::abs(n.x()) > 0.7f ? Vec3f(n.y(), -n.x(), 0) : Vec3f(0, n.z(), -n.y());
  s.normalize();
  t = n.cross(s);
}

class Studio {
 public:
  Studio(const Camera& camera, const RenderOptions& options) : mHasFloor(options.floor) {
    constexpr double kRadians = 0.017453292519943295;
    // The key light stands relative to the camera, so every view of a turntable is lit alike.
    const double azimuth = std::atan2(-camera.forward.x(), -camera.forward.z()) / kRadians;
    const double a = (azimuth + options.lightAzimuth) * kRadians;
    const double e = options.lightElevation * kRadians;
    mKey = Vec3(std::sin(a) * std::cos(e), std::sin(e), std::cos(a) * std::cos(e)).cast<float>();
    mKeySpread = static_cast<float>(std::tan(options.lightSoftness * kRadians));
    completeFrame(mKey, mKeyS, mKeyT);
  }

  const Vec3f& keyDirection() const { return mKey; }
  /// Irradiance of a surface that faces the key light, over pi.
  Rgb keyLight() const { return {0.88f, 0.85f, 0.80f}; }
  Vec3f sampleKey(float u, float v) const {
    const float radius = mKeySpread * std::sqrt(u);
    const float angle = 6.2831853f * v;
    return (mKey + radius * std::cos(angle) * mKeyS + radius * std::sin(angle) * mKeyT).normalized();
  }

  /// Radiance from a direction that nothing blocks; below the horizon it comes back from the floor.
  Rgb dome(const Vec3f& direction) const {
    if (direction.y() < 0 && mHasFloor) return {0.30f, 0.295f, 0.285f};
    const float up = std::abs(direction.y());
    return (1 - up) * Rgb(0.40f, 0.41f, 0.425f) + up * Rgb(0.60f, 0.615f, 0.64f);
  }
  /// Radiance from a direction that the surface itself blocks: light that has bounced once more.
  Rgb bounced(const Rgb& albedo) const { return 0.16f * albedo; }

  /// About what a surface of that normal gets where nothing is in the way; luminance over pi. Divided by
  /// this, light tells how much is blocked and no longer follows every bump of the surface.
  float open(const Vec3f& normal) const {
    const float up = 0.5f + 0.5f * normal.y();
    return 0.30f + 0.25f * up + std::max(0.0f, normal.dot(mKey)) * keyLight().mean();
  }
  /// Luminance over pi that a floor with nothing on it gets; the mean of `up` over the cosine is 2/3.
  float openFloor() const {
    return std::max(mKey.y(), 0.0f) * keyLight().mean() +
           (Rgb(0.40f, 0.41f, 0.425f) / 3.0f + Rgb(0.60f, 0.615f, 0.64f) * (2.0f / 3.0f)).mean();
  }

 private:
  bool mHasFloor;
  Vec3f mKey, mKeyS, mKeyT;
  float mKeySpread;
};

}  // namespace hackle
