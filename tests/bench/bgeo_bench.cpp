// Speed of .bgeo files: a mesh of a million triangles with uv and normals.
#include "../shapes.h"

#include <hackle/io/houdini/reader.h>
#include <hackle/io/houdini/writer.h>

#include <benchmark/benchmark.h>

namespace {

using namespace hackle;

Geometry millionTriangles() {
  const Geometry quads = shapes::torus(1000, 500);
  Geometry g;
  g.positionFileStorage = Storage::Float32;
  g.addPoints(quads.pointCount());
  g.editPositions().assign(quads.positions().begin(), quads.positions().end());
  std::vector<int32_t> corners;
  for (size_t p = 0; p < quads.primitiveCount(); ++p) {
    const Span<const int32_t> c = quads.corners(p);
    corners.insert(corners.end(), {c[0], c[1], c[2], c[0], c[2], c[3]});
  }
  g.addPrimitives(PrimitiveType::Polygon, corners.size() / 3, 3, corners);
  const auto fill = [&](const char* name, const char* qualifier) {
    Attribute& a = g.addAttribute(Owner::Vertex, Attribute(name, Storage::Float32, 3, 0, qualifier));
    std::vector<float>& values = a.edit<float>();
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1009) * 0.001f;
  };
  fill("uv", "texturecoord");
  fill("N", "normal");
  return g;
}

/// Bytes a second are those of the file.
void read(benchmark::State& state, const char* extension) {
  Context context;
  context.setThreads(1);
  const Geometry g = millionTriangles();
  const std::string bytes = houdini::writeGeometryFile(g, extension, context);
  for (auto _ : state) benchmark::DoNotOptimize(houdini::readGeometryFile(bytes, {}, context));
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes.size()));
  state.counters["file_MB"] = static_cast<double>(bytes.size()) * 1e-6;
}

void write(benchmark::State& state, const char* extension) {
  Context context;
  context.setThreads(1);
  const Geometry g = millionTriangles();
  size_t size = 0;
  for (auto _ : state) {
    const std::string bytes = houdini::writeGeometryFile(g, extension, context);
    size = bytes.size();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(size));
  state.counters["file_MB"] = static_cast<double>(size) * 1e-6;
}

BENCHMARK_CAPTURE(read, bgeo, "bgeo")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, bgeo_sc, "bgeo.sc")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, geo, "geo")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write, bgeo, "bgeo")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write, bgeo_sc, "bgeo.sc")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(write, geo, "geo")->Unit(benchmark::kMillisecond);

}  // namespace
