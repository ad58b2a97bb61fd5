// How fast files are read and written, from and to memory, on one thread. Bytes per second count the file's
// size.
#include <benchmark/benchmark.h>
#include <hackle/io/codec.h>
#include <hackle/io/file.h>

#include <unistd.h>

#include <cmath>
#include <filesystem>

namespace hackle {
namespace {

/// A closed, wavy torus of about `triangles` triangles; the coordinates have single precision and all digits.
Geometry torus(size_t triangles) {
  const int32_t n = static_cast<int32_t>(std::sqrt(static_cast<double>(triangles) / 2));
  const auto point = [n](int32_t i, int32_t j) { return (i % n) * n + j % n; };
  Geometry geometry;
  geometry.addPoints(static_cast<size_t>(n) * static_cast<size_t>(n));
  std::vector<Vec3>& positions = geometry.editPositions();
  std::vector<int32_t> corners;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t j = 0; j < n; ++j) {
      const double a = 2 * M_PI * i / n, b = 2 * M_PI * j / n, r = 0.3 + 0.05 * std::sin(9 * a);
      positions[point(i, j)] =
          Vec3((1 + r * std::cos(b)) * std::cos(a), r * std::sin(b), (1 + r * std::cos(b)) * std::sin(a));
      for (const int32_t p : {point(i, j), point(i, j + 1), point(i + 1, j + 1), point(i, j),
                              point(i + 1, j + 1), point(i + 1, j)})
        corners.push_back(p);
    }
  geometry.addPrimitives(PrimitiveType::Polygon, corners.size() / 3, 3, corners);
  geometry.positionFileStorage = Storage::Float32;
  return geometry;
}

/// The torus with a uv and a normal at every corner, as exporters write it.
Geometry dressed(size_t triangles) {
  Geometry geometry = torus(triangles);
  std::vector<float> uv, normals;
  for (size_t v = 0; v < geometry.vertexCount(); ++v) {
    const Vec3 p = geometry.position(static_cast<size_t>(geometry.vertexPoint(v)));
    const Vec3 n = p.normalized();
    uv.insert(uv.end(), {static_cast<float>(p.x()), static_cast<float>(p.y()), 0});
    normals.insert(normals.end(),
                   {static_cast<float>(n.x()), static_cast<float>(n.y()), static_cast<float>(n.z())});
  }
  Attribute uvAttribute("uv", Storage::Float32, 3, 0, "texturecoord"),
      normal("N", Storage::Float32, 3, 0, "normal");
  uvAttribute.assign(CowArray<float>(std::move(uv)));
  normal.assign(CowArray<float>(std::move(normals)));
  geometry.addAttribute(Owner::Vertex, std::move(uvAttribute));
  geometry.addAttribute(Owner::Vertex, std::move(normal));
  return geometry;
}

const Codec& codecOf(const std::string& extension) { return codecForReading("", "x." + extension); }

void setSpeed(benchmark::State& state, size_t bytes) {
  state.SetBytesProcessed(static_cast<int64_t>(bytes) * static_cast<int64_t>(state.iterations()));
}

using Sample = const Geometry& (*)();
const Geometry& plain() {  // a million triangles
  static const Geometry geometry = torus(1000000);
  return geometry;
}
const Geometry& full() {  // 200 000 triangles
  static const Geometry geometry = dressed(200000);
  return geometry;
}

void read(benchmark::State& state, const std::string& extension, Sample sample) {
  Context context;
  context.setThreads(1);
  const std::string bytes = codecOf(extension).write(sample(), extension, context);
  for (auto _ : state) benchmark::DoNotOptimize(codecOf(extension).read(bytes, {}, context));
  setSpeed(state, bytes.size());
}

void write(benchmark::State& state, const std::string& extension, Sample sample) {
  const Geometry& geometry = sample();
  Context context;
  context.setThreads(1);
  size_t size = 0;
  for (auto _ : state) {
    const std::string bytes = codecOf(extension).write(geometry, extension, context);
    size = bytes.size();
    benchmark::DoNotOptimize(bytes.data());
  }
  setSpeed(state, size);
}

/// From the disk's cache: mapping the file and finding its format included.
void readFile(benchmark::State& state, const std::string& extension, Sample sample) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("hackle_bench_" + std::to_string(::getpid()) + "." + extension);
  Context context;
  context.setThreads(1);
  writeGeometry(path, sample(), context);
  for (auto _ : state) benchmark::DoNotOptimize(readGeometry(path, context));
  setSpeed(state, std::filesystem::file_size(path));
  std::filesystem::remove(path);
}

#define HACKLE_BENCH(function, name, extension, sample) \
  BENCHMARK_CAPTURE(function, name, extension, sample)->Unit(benchmark::kMillisecond)

HACKLE_BENCH(read, ply, "ply", plain);
HACKLE_BENCH(write, ply, "ply", plain);
HACKLE_BENCH(read, ply_big_endian, "bigendian.ply", plain);
HACKLE_BENCH(write, ply_big_endian, "bigendian.ply", plain);
HACKLE_BENCH(read, ply_text, "ascii.ply", plain);
HACKLE_BENCH(write, ply_text, "ascii.ply", plain);
HACKLE_BENCH(read, ply_uv, "ply", full);
HACKLE_BENCH(write, ply_uv, "ply", full);
HACKLE_BENCH(read, obj, "obj", plain);
HACKLE_BENCH(write, obj, "obj", plain);
HACKLE_BENCH(read, obj_uv_normals, "obj", full);
HACKLE_BENCH(write, obj_uv_normals, "obj", full);
HACKLE_BENCH(read, stl, "stl", plain);
HACKLE_BENCH(write, stl, "stl", plain);
HACKLE_BENCH(read, stl_text, "ascii.stl", plain);
HACKLE_BENCH(write, stl_text, "ascii.stl", plain);
HACKLE_BENCH(read, off, "off", plain);
HACKLE_BENCH(write, off, "off", plain);
HACKLE_BENCH(read, medit, "mesh", plain);
HACKLE_BENCH(write, medit, "mesh", plain);
HACKLE_BENCH(readFile, ply, "ply", plain);
HACKLE_BENCH(readFile, obj, "obj", plain);
HACKLE_BENCH(readFile, stl, "stl", plain);

}  // namespace
}  // namespace hackle
