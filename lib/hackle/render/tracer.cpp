#include <hackle/render/tracer.h>

#include <hackle/core/error.h>
#include <hackle/core/parallel.h>
#include <hackle/core/random.h>
#include <hackle/render/sample_pattern.h>
#include <hackle/render/studio.h>

#include <embree3/rtcore.h>
#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace hackle {

namespace {

constexpr int kLanes = 8;
constexpr int kTile = 16;              // px; a tile is some milliseconds of work
constexpr float kLift = 2e-4f;         // rays start that far off the surface; the scene has radius 1
constexpr int kPatch = 8;              // px; patches of a tile in even light take fewer samples
constexpr float kSkyVariance = 0.02f;  // of light between samples that nothing blocks, at most
constexpr float kFadeStart = 2.0f;     // distance on the floor where shadows begin to fade
constexpr float kFadeEnd = 4.5f;       // and where they are gone
enum GeometryId : unsigned { kSurfaceId = 0, kTubesId = 1, kDotsId = 2 };

float luminance(const Rgb& c) { return 0.2126f * c.x() + 0.7152f * c.y() + 0.0722f * c.z(); }

/// What a camera ray met, ready to be lit.
struct Met {
  enum class Kind { Nothing, Surface, Floor } kind = Kind::Nothing;
  Vec3f position{0, 0, 0};
  Vec3f normal{0, 0, 0};     // for shading, on the camera's side
  Vec3f face{0, 0, 0};       // of the triangle itself, on the camera's side
  Vec3f rayOrigin{0, 0, 0};  // where light rays start
  Rgb albedo{0, 0, 0};
};

using Packet = std::array<Met, kLanes>;

/// Sums over the samples of one pixel.
struct PixelSums {
  int taken = 0, surface = 0, floor = 0;
  Rgb albedo{0, 0, 0}, albedoSquares{0, 0, 0}, light{0, 0, 0};
  float luminanceSquares = 0, open = 0;
  Vec3f normal{0, 0, 0}, position{0, 0, 0};
  float shade = 0, shadeSquares = 0;

  void add(const Met& met, const Rgb& arriving, const Studio& studio) {
    if (met.kind == Met::Kind::Surface) {
      ++surface;
      albedo += met.albedo;
      albedoSquares += met.albedo.square();
      light += arriving;
      luminanceSquares += luminance(arriving) * luminance(arriving);
      open += studio.open(met.normal);
      normal += met.normal;
      position += met.position;
    } else if (met.kind == Met::Kind::Floor) {
      ++floor;
      const float relative = arriving.mean() / studio.openFloor();
      shade += relative;
      shadeSquares += relative * relative;
    }
  }

  static float varianceOfMean(float sum, float squares, float n) {
    return std::max(0.0f, squares / n - (sum / n) * (sum / n)) / n;
  }

  /// True if the light on surface and floor varies no more than that of the open sky does.
  bool evenlyLit() const {
    const auto variance = [](float sum, float squares, int count) {
      return static_cast<float>(count) * varianceOfMean(sum, squares, static_cast<float>(count));
    };
    return (surface == 0 || variance(luminance(light), luminanceSquares, surface) < kSkyVariance) &&
           (floor == 0 || variance(shade, shadeSquares, floor) < kSkyVariance);
  }

  /// True if all samples have met one smooth surface of one colour, or the floor, or nothing.
  bool uniform() const {
    if (surface == 0) return floor == 0 || floor == taken;
    const auto n = static_cast<float>(taken);
    if (surface < taken || normal.norm() < 0.998f * n) return false;
    return (albedoSquares / n - (albedo / n).square()).maxCoeff() < 1e-5f;
  }

  LayeredPixel pixel() const {
    LayeredPixel p;
    if (surface > 0) {
      const auto n = static_cast<float>(surface);
      p.coverage = n / static_cast<float>(taken);
      p.albedo = albedo / n;
      p.light = light / n;
      p.lightVariance = varianceOfMean(luminance(light), luminanceSquares, n);
      p.open = open / n;
      p.normal = normal.normalized();
      p.position = position / n;
    }
    if (floor > 0) {
      const auto n = static_cast<float>(floor);
      p.floorCoverage = n / static_cast<float>(taken);
      p.shade = shade / n;
      p.shadeVariance = varianceOfMean(shade, shadeSquares, n);
    }
    return p;
  }
};

float smoothStep(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

/// From uniform to a triangle over [-1, 1]: neighbouring pixels share samples of their border, which gives
/// smooth outlines.
float tent(float u) { return u < 0.5f ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 - 2 * u); }

[[noreturn]] void throwEmbreeError(RTCError error) {
  if (error == RTC_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  throw Error(ErrorCode::Failed,
              fmt::format("the ray tracer failed (Embree error {})", static_cast<int>(error)));
}

}  // namespace

struct Tracer::Scene {
  RTCDevice device = nullptr;
  RTCScene scene = nullptr;

  Scene() {
    // One instruction set on all machines, as far as they have it: results are equal to the last bit.
    device = rtcNewDevice("max_isa=avx2");
    if (!device) throwEmbreeError(rtcGetDeviceError(nullptr));
    scene = rtcNewScene(device);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
  }
  ~Scene() {
    if (scene) rtcReleaseScene(scene);
    if (device) rtcReleaseDevice(device);
  }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void attach(RTCGeometry geometry, unsigned id) {
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(scene, geometry, id);
    rtcReleaseGeometry(geometry);
  }

  template <class T>
  T* newBuffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, size_t stride, size_t count) {
    void* buffer = rtcSetNewGeometryBuffer(geometry, type, 0, format, stride, count);
    if (!buffer) throwEmbreeError(rtcGetDeviceError(device));
    return static_cast<T*>(buffer);
  }

  void addSurface(const Drawable& drawable) {
    if (drawable.triangles.empty()) return;
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* points = newBuffer<float>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, 3 * sizeof(float),
                                    drawable.points.size());
    std::memcpy(points, drawable.points.data(), drawable.points.size() * sizeof(Vec3f));
    auto* triangles = newBuffer<int32_t>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3,
                                         3 * sizeof(int32_t), drawable.triangles.size());
    std::memcpy(triangles, drawable.triangles.data(), drawable.triangles.size() * sizeof(Triangle));
    attach(geometry, kSurfaceId);
  }

  /// Centres with radii, as tubes and dots have them.
  void fillSpheres(RTCGeometry geometry, const Drawable& drawable, const std::vector<Corner>& corners,
                   float radius) {
    auto* spheres = newBuffer<float>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, 4 * sizeof(float),
                                     corners.size());
    for (const Corner& corner : corners) {
      const Vec3f& p = drawable.points[corner.point];
      for (const float value : {p.x(), p.y(), p.z(), radius}) *spheres++ = value;
    }
  }

  void addTubes(const Drawable& drawable, float radius) {
    if (drawable.segmentCorners.empty()) return;
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
    fillSpheres(geometry, drawable, drawable.segmentCorners, radius);
    const size_t count = drawable.segmentCorners.size() / 2;
    auto* starts =
        newBuffer<uint32_t>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT, sizeof(uint32_t), count);
    for (size_t s = 0; s < count; ++s) starts[s] = static_cast<uint32_t>(2 * s);
    attach(geometry, kTubesId);
  }

  void addDots(const Drawable& drawable, float radius) {
    if (drawable.dotCorners.empty()) return;
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
    fillSpheres(geometry, drawable, drawable.dotCorners, radius);
    attach(geometry, kDotsId);
  }

  void commit(Context& context) {
    rtcSetSceneProgressMonitorFunction(
        scene, [](void* c, double) { return !static_cast<Context*>(c)->cancelled(); }, &context);
    // On one thread: in a parallel build the order of triangles, and so which of two coincident ones a ray
    // meets, would depend on the number of cores.
    tbb::task_arena(1).execute([&] { rtcCommitScene(scene); });
    rtcSetSceneProgressMonitorFunction(scene, nullptr, nullptr);
    context.checkCancel();
    if (const RTCError error = rtcGetDeviceError(device); error != RTC_ERROR_NONE) throwEmbreeError(error);
  }
};

namespace {

/// Everything that the samples of one view share.
class ViewTracer {
 public:
  ViewTracer(RTCScene scene, const Drawable& drawable, const std::vector<Vec3f>& normals,
             const DrawnColours& paint, const View& view, const RenderOptions& options)
      : mScene(scene),
        mDrawable(drawable),
        mNormals(normals),
        mPaint(paint),
        mCamera(view.camera),
        mOptions(options),
        mStudio(view.camera, options),
        mSamples((std::max(options.samples, 1) + kLanes - 1) / kLanes * kLanes),
        mPattern(mSamples) {}

  /// Fills a patch of pixels. Where no sample of the first half shows a shadow in it, uniform pixels do
  /// without the second half.
  void tracePatch(const PixelRect& patch, LayeredImage& image, Context& context) const {
    std::array<PixelSums, static_cast<size_t>(kPatch * kPatch)> sums;
    const auto forPixels = [&](const auto& visit) {
      for (int y = 0; y < patch.height; ++y)
        for (int x = 0; x < patch.width; ++x) visit(patch.x + x, patch.y + y, sums[y * kPatch + x]);
    };
    const auto sampleUpTo = [&](int samples, int x, int y, PixelSums& pixel) {
      context.checkCancel();  // with thousands of samples a patch takes a second
      sample(x, y, samples, pixel);
    };
    bool evenlyLit = true;
    forPixels([&](int x, int y, PixelSums& pixel) {
      sampleUpTo((mSamples / 2 + kLanes - 1) / kLanes * kLanes, x, y, pixel);
      evenlyLit = evenlyLit && pixel.evenlyLit();
    });
    forPixels([&](int x, int y, PixelSums& pixel) {
      const bool empty = pixel.surface == 0 && pixel.floor == 0;
      if (!empty && !(evenlyLit && pixel.uniform())) sampleUpTo(mSamples, x, y, pixel);
      image.at(x, y) = pixel.pixel();
    });
  }

 private:
  /// Adds samples to a pixel until it has this many.
  void sample(int x, int y, int samples, PixelSums& sums) const {
    Random random(
        static_cast<uint64_t>(mOptions.seed),
        static_cast<uint64_t>(y) * static_cast<uint64_t>(mOptions.width) + static_cast<uint64_t>(x));
    const uint64_t forPixel = random.next(), forKey = random.next(), forDome = random.next();
    for (; sums.taken < samples; sums.taken += kLanes) {
      Packet packet;
      if (!shootFromCamera(x, y, sums.taken, forPixel, packet)) continue;
      std::array<Rgb, kLanes> light;
      light.fill(Rgb(0, 0, 0));
      addKeyLight(packet, sums.taken, forKey, light);
      addDome(packet, sums.taken, forDome, light);
      for (size_t lane = 0; lane < kLanes; ++lane) sums.add(packet[lane], light[lane], mStudio);
    }
  }

  /// False if all rays leave without meeting anything.
  bool shootFromCamera(int x, int y, int first, uint64_t scramble, Packet& packet) const {
    RTCRayHit8 rays;
    alignas(32) int valid[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      const auto [u, v] = mPattern.point(first + lane, scramble);
      const Vec3f d = mCamera.direction(static_cast<float>(x) + 0.5f + 0.75f * tent(u),
                                        static_cast<float>(y) + 0.5f + 0.75f * tent(v));
      valid[lane] = -1;
      setRay(rays.ray, lane, mCamera.eye, d);
      rays.hit.geomID[lane] = RTC_INVALID_GEOMETRY_ID;
      rays.hit.instID[0][lane] = RTC_INVALID_GEOMETRY_ID;
    }
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    context.flags = RTC_INTERSECT_CONTEXT_FLAG_COHERENT;
    rtcIntersect8(valid, mScene, &context, &rays);

    bool any = false;
    for (int lane = 0; lane < kLanes; ++lane) {
      Met& met = packet[lane];
      const Vec3f d(rays.ray.dir_x[lane], rays.ray.dir_y[lane], rays.ray.dir_z[lane]);
      if (rays.hit.geomID[lane] != RTC_INVALID_GEOMETRY_ID)
        meetSurface(rays, lane, d, met);
      else
        meetFloor(d, met);
      any |= met.kind != Met::Kind::Nothing;
    }
    return any;
  }

  static void setRay(RTCRay8& rays, int lane, const Vec3f& origin, const Vec3f& direction) {
    rays.org_x[lane] = origin.x(), rays.org_y[lane] = origin.y(), rays.org_z[lane] = origin.z();
    rays.dir_x[lane] = direction.x(), rays.dir_y[lane] = direction.y(), rays.dir_z[lane] = direction.z();
    rays.tnear[lane] = 0;
    rays.tfar[lane] = std::numeric_limits<float>::infinity();
    rays.time[lane] = 0;
    rays.mask[lane] = ~0u;
    rays.id[lane] = static_cast<unsigned>(lane);
    rays.flags[lane] = 0;
  }

  void meetSurface(const RTCRayHit8& rays, int lane, const Vec3f& d, Met& met) const {
    met.kind = Met::Kind::Surface;
    met.position = mCamera.eye + rays.ray.tfar[lane] * d;
    met.face = Vec3f(rays.hit.Ng_x[lane], rays.hit.Ng_y[lane], rays.hit.Ng_z[lane]).normalized();
    if (met.face.dot(d) > 0) met.face = -met.face;
    met.normal = met.face;
    met.rayOrigin = met.position + kLift * met.face;
    const size_t primitive = rays.hit.primID[lane];
    const float u = rays.hit.u[lane], v = rays.hit.v[lane];
    if (rays.hit.geomID[lane] == kTubesId) {
      const Vec3f numbers = (1 - u) * mPaint.segments[2 * primitive] + u * mPaint.segments[2 * primitive + 1];
      met.albedo = mPaint.colour(numbers);
    } else if (rays.hit.geomID[lane] == kDotsId) {
      met.albedo = mPaint.colour(mPaint.dots[primitive]);
    } else {
      meetTriangle(primitive, {1 - u - v, u, v}, met);
    }
  }

  void meetTriangle(size_t triangle, const Vec3f& weights, Met& met) const {
    Vec3f numbers(0, 0, 0), normal(0, 0, 0);
    for (size_t c = 0; c < 3; ++c) {
      const float w = weights[static_cast<int>(c)];
      numbers += w * mPaint.surface[3 * triangle + c];
      normal += w * mNormals[3 * triangle + c];
    }
    met.albedo = mPaint.colour(numbers);
    if (normal.squaredNorm() > 1e-12f) met.normal = normal.normalized();
    const float side = met.normal.dot(met.face) < 0 ? -1.0f : 1.0f;
    met.normal *= side;

    // Start light rays from the smooth surface that the normals describe, not from the flat triangle below
    // it: else facets show at the edge of shadow ([Hanika21], "Hacking the shadow terminator").
    Vec3f lift(0, 0, 0);
    for (size_t c = 0; c < 3; ++c) {
      const Vec3f& n = mNormals[3 * triangle + c];
      const Vec3f offset = met.position - corner(triangle, c);
      lift -= weights[static_cast<int>(c)] * std::min(0.0f, side * offset.dot(n)) * side * n;
    }
    met.rayOrigin += lift;
    if (mOptions.wireframe) {
      const float ink = wireCoverage(triangle, met.position);
      met.albedo = (1 - ink) * met.albedo + ink * Rgb(0.012f, 0.013f, 0.016f);
    }
  }

  const Vec3f& corner(size_t triangle, size_t c) const {
    return mDrawable.points[mDrawable.triangles[triangle][c]];
  }

  /// How much of a wire covers the point: by its distance in pixels to the edges of the polygon.
  float wireCoverage(size_t triangle, const Vec3f& position) const {
    const Vec3f at = mCamera.project(position);
    float distance = std::numeric_limits<float>::infinity();
    for (size_t c = 0; c < 3; ++c) {
      if (!(mDrawable.outlines[triangle] & (1u << c))) continue;
      const Vec3f a = mCamera.project(corner(triangle, c));
      const Vec3f b = mCamera.project(corner(triangle, (c + 1) % 3));
      if (a.z() <= 0 || b.z() <= 0) continue;
      const Eigen::Vector2f ab = (b - a).head<2>(), ap = (at - a).head<2>();
      const float length = ab.squaredNorm();
      const float t = length > 0 ? std::clamp(ap.dot(ab) / length, 0.0f, 1.0f) : 0.0f;
      distance = std::min(distance, (ap - t * ab).norm());
    }
    const auto half = static_cast<float>(0.5 * mOptions.wireWidth);
    return std::clamp((half + 0.25f - distance) / 0.5f, 0.0f, 1.0f);
  }

  void meetFloor(const Vec3f& d, Met& met) const {
    const float height = mCamera.eye.y() - mDrawable.floorHeight;
    if (!mOptions.floor || d.y() >= 0 || height <= 0) return;
    const Vec3f p = mCamera.eye - (height / d.y()) * d;
    if (Eigen::Vector2f(p.x(), p.z()).norm() >= kFadeEnd) return;
    met.kind = Met::Kind::Floor;
    met.position = p;
    met.normal = met.face = Vec3f(0, 1, 0);
    met.rayOrigin = p + kLift * met.normal;
  }

  /// Shoots the shadow rays of the lanes in `valid` and clears the bits of those that are blocked.
  void shootShadows(RTCRay8& rays, int* valid) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded8(valid, mScene, &context, &rays);
  }

  void addKeyLight(const Packet& packet, int first, uint64_t scramble, std::array<Rgb, kLanes>& light) const {
    RTCRay8 rays;
    alignas(32) int valid[kLanes];
    std::array<float, kLanes> cosine;
    for (int lane = 0; lane < kLanes; ++lane) {
      const Met& met = packet[lane];
      const auto [u, v] = mPattern.point(first + lane, scramble);
      const Vec3f l = mStudio.sampleKey(u, v);
      cosine[lane] = met.normal.dot(l);
      valid[lane] = met.kind != Met::Kind::Nothing && cosine[lane] > 0 ? -1 : 0;
      setRay(rays, lane, met.rayOrigin, l);
    }
    shootShadows(rays, valid);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (!valid[lane]) continue;
      const float visible = rays.tfar[lane] > 0 ? 1.0f : 0.0f;
      light[lane] += faded(packet[lane], visible) * cosine[lane] * mStudio.keyLight();
    }
  }

  void addDome(const Packet& packet, int first, uint64_t scramble, std::array<Rgb, kLanes>& light) const {
    RTCRay8 rays;
    alignas(32) int valid[kLanes];
    std::array<Vec3f, kLanes> directions;
    for (int lane = 0; lane < kLanes; ++lane) {
      const Met& met = packet[lane];
      const auto [u, v] = mPattern.point(first + lane, scramble);
      valid[lane] = met.kind != Met::Kind::Nothing ? -1 : 0;
      Vec3f& d = directions[lane];
      d = cosineDirection(met.normal, u, v);
      setRay(rays, lane, met.rayOrigin, d);
    }
    shootShadows(rays, valid);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      if (!valid[lane]) continue;
      const Met& met = packet[lane];
      const bool open = rays.tfar[lane] > 0;
      const Rgb sky = mStudio.dome(directions[lane]);
      if (met.kind == Met::Kind::Floor)
        light[lane] += faded(met, open ? 1.0f : 0.0f) * sky;
      else
        light[lane] += open ? sky : mStudio.bounced(met.albedo);
    }
  }

  /// Visibility; on the floor it goes to 1 far from the object, so that the floor ends nowhere.
  static float faded(const Met& met, float visible) {
    if (met.kind != Met::Kind::Floor) return visible;
    const float distance = Eigen::Vector2f(met.position.x(), met.position.z()).norm();
    return visible + (1 - visible) * smoothStep(kFadeStart, kFadeEnd, distance);
  }

  static Vec3f cosineDirection(const Vec3f& normal, float u, float v) {
    Vec3f s, t;
    completeFrame(normal, s, t);
    const float radius = std::sqrt(u), angle = 6.2831853f * v;
    return radius * std::cos(angle) * s + radius * std::sin(angle) * t + std::sqrt(1 - u) * normal;
  }

  RTCScene mScene;
  const Drawable& mDrawable;
  const std::vector<Vec3f>& mNormals;
  const DrawnColours& mPaint;
  const Camera& mCamera;
  const RenderOptions& mOptions;
  Studio mStudio;
  int mSamples;
  SamplePattern mPattern;
};

}  // namespace

Tracer::Tracer(const Drawable& drawable, const std::vector<Vec3f>& normals, const DrawnColours& paint,
               LineSizes sizes, Context& context)
    : mDrawable(drawable), mNormals(normals), mPaint(paint), mScene(std::make_unique<Scene>()) {
  mScene->addSurface(drawable);
  mScene->addTubes(drawable, sizes.tube);
  mScene->addDots(drawable, sizes.dot);
  mScene->commit(context);
}

Tracer::~Tracer() = default;

void Tracer::trace(const View& view, const RenderOptions& options, LayeredImage& image,
                   Context& context) const {
  const ViewTracer tracer(mScene->scene, mDrawable, mNormals, mPaint, view, options);
  const PixelRect& cell = view.cell;
  const int columns = (cell.width + kTile - 1) / kTile, rows = (cell.height + kTile - 1) / kTile;
  const auto tiles = static_cast<size_t>(columns) * static_cast<size_t>(rows);
  std::atomic<size_t> done{0};
  parallelFor(context, tiles, 1, [&](size_t tile) {
    const int x0 = cell.x + static_cast<int>(tile) % columns * kTile;
    const int y0 = cell.y + static_cast<int>(tile) / columns * kTile;
    for (int y = y0; y < std::min(y0 + kTile, cell.y + cell.height); y += kPatch)
      for (int x = x0; x < std::min(x0 + kTile, cell.x + cell.width); x += kPatch)
        tracer.tracePatch(
            {x, y, std::min(kPatch, cell.x + cell.width - x), std::min(kPatch, cell.y + cell.height - y)},
            image, context);
    context.advance(static_cast<double>(++done) / static_cast<double>(tiles));
  });
}

}  // namespace hackle
