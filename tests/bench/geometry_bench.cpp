// Speed of the geometry algorithms on about a million triangles.
#include <hackle/geometry/bvh.h>
#include <hackle/geometry/mass_properties.h>
#include <hackle/geometry/normals.h>
#include <hackle/geometry/piece_names.h>
#include <hackle/geometry/topology.h>
#include <hackle/geometry/triangle_mesh.h>
#include <hackle/geometry/winding_number.h>

#include "../shapes.h"

#include <benchmark/benchmark.h>

namespace hackle {
namespace {

/// 500 000 quads, bumpy so that nothing is regular.
const Geometry& bumpyTorus() {
  static const Geometry kTorus = shapes::wrappedGrid(1000, 500, [](double a, double b) {
    const double minor = 0.3 + 0.02 * std::sin(37 * a) * std::cos(23 * b);
    const double r = 1.0 + minor * std::cos(b);
    return Vec3(r * std::cos(a), -minor * std::sin(b), r * std::sin(a));
  });
  return kTorus;
}

/// The same as a million triangles, with attributes on every owner and 1000 named pieces.
const Geometry& triangleTorus() {
  static const Geometry kTriangles = [] {
    const TriangleMesh mesh = triangleMesh(bumpyTorus());
    Geometry g;
    g.addPoints(mesh.points.size());
    g.editPositions() = std::vector<Vec3>(mesh.points.begin(), mesh.points.end());
    g.addPrimitives(PrimitiveType::Polygon, mesh.triangles.size(), 3,
                    Span<const int32_t>(mesh.triangles[0].data(), 3 * mesh.triangles.size()));
    g.addAttribute(Owner::Point, Attribute("Cd", Storage::Float32, 3));
    g.addAttribute(Owner::Vertex, Attribute("uv", Storage::Float32, 3));
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i) names.push_back("piece" + std::to_string(i));
    std::vector<int32_t> indices(g.primitiveCount());
    for (size_t p = 0; p < indices.size(); ++p) indices[p] = static_cast<int32_t>(p / 1000);
    Attribute name("name", Storage::String, 1);
    name.assignStrings({std::move(names), std::move(indices)});
    g.addAttribute(Owner::Primitive, name);
    g.addGroup(Owner::Primitive, "inside");
    return g;
  }();
  return kTriangles;
}

const TriangleMesh& bumpyMesh() {
  static const TriangleMesh kMesh = triangleMesh(bumpyTorus());
  return kMesh;
}

const TriangleBvh& bumpyBvh() {
  static Context context;
  static const TriangleBvh kBvh(bumpyMesh(), context);
  return kBvh;
}

void triangulateTriangles(benchmark::State& state) {
  const Geometry& g = triangleTorus();
  for (auto _ : state) benchmark::DoNotOptimize(triangleMesh(g));
}
void triangulateQuads(benchmark::State& state) {
  const Geometry& g = bumpyTorus();
  for (auto _ : state) benchmark::DoNotOptimize(triangleMesh(g));
}
void triangulateHugePolygon(benchmark::State& state) {
  Random random(1);
  std::vector<Vec3> star;
  for (int i = 0; i < 100000; ++i) {
    const double angle = 2 * shapes::kPi * i / 100000, radius = random.uniform(0.05, 1);
    star.emplace_back(radius * std::cos(angle), radius * std::sin(angle), 0);
  }
  for (auto _ : state) benchmark::DoNotOptimize(triangulatePolygon(star));
}
void bvhBuild(benchmark::State& state) {
  Context context;
  for (auto _ : state) benchmark::DoNotOptimize(TriangleBvh(bumpyMesh(), context));
}
void bvhClosestPoint(benchmark::State& state) {
  const TriangleBvh& bvh = bumpyBvh();
  Random random(1);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        bvh.closestPoint({random.uniform(-1.5, 1.5), random.uniform(-0.5, 0.5), random.uniform(-1.5, 1.5)}));
}
/// 70 000 triangles, from points a hundredth of its size off the surface.
void bvhClosestPointNearby(benchmark::State& state) {
  const auto surface = [](double a, double b, double minor) {
    const double r = 1.0 + minor * std::cos(b);
    return Vec3(r * std::cos(a), -minor * std::sin(b), r * std::sin(a));
  };
  const Geometry torus =
      shapes::wrappedGrid(250, 140, [&](double a, double b) { return surface(a, b, 0.3); });
  Context context;
  const TriangleBvh bvh(triangleMesh(torus), context);
  Random random(1);
  for (auto _ : state) {
    const double a = random.uniform(0, 2 * shapes::kPi), b = random.uniform(0, 2 * shapes::kPi);
    benchmark::DoNotOptimize(bvh.closestPoint(surface(a, b, 0.3 + random.uniform(-0.025, 0.025))));
  }
}
void bvhFirstHit(benchmark::State& state) {
  const TriangleBvh& bvh = bumpyBvh();
  Random random(1);
  for (auto _ : state) {
    const Vec3 target(random.uniform(-1.2, 1.2), 0, random.uniform(-1.2, 1.2));
    const Vec3 origin = 3 * Vec3(random.normal(), random.normal(), random.normal()).normalized();
    benchmark::DoNotOptimize(bvh.firstHit({origin, target - origin}));
  }
}
void windingBuild(benchmark::State& state) {
  Context context;
  for (auto _ : state) benchmark::DoNotOptimize(WindingNumber(bumpyBvh(), context));
}
void windingQuery(benchmark::State& state) {
  Context context;
  const WindingNumber winding(bumpyBvh(), context);
  Random random(1);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        winding({random.uniform(-1.5, 1.5), random.uniform(-0.5, 0.5), random.uniform(-1.5, 1.5)}));
}
void topology(benchmark::State& state) {
  Context context;
  for (auto _ : state) benchmark::DoNotOptimize(analyseTopology(triangleTorus(), context));
}
void normals(benchmark::State& state) {
  Context context;
  for (auto _ : state) benchmark::DoNotOptimize(vertexNormals(triangleTorus(), 60, context));
}
void mass(benchmark::State& state) {
  Context context;
  for (auto _ : state) benchmark::DoNotOptimize(massProperties(bumpyMesh(), context));
}
void pieces(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(findPieces(triangleTorus()));
}
void extractAll(benchmark::State& state) {
  const Geometry& g = triangleTorus();
  std::vector<int32_t> reversed(g.primitiveCount());
  for (size_t p = 0; p < reversed.size(); ++p) reversed[p] = static_cast<int32_t>(reversed.size() - 1 - p);
  for (auto _ : state) benchmark::DoNotOptimize(g.extract(reversed));
}
void appendAll(benchmark::State& state) {
  const Geometry& g = triangleTorus();
  for (auto _ : state) {
    Geometry both = g;
    both.append(g);
    benchmark::DoNotOptimize(both);
  }
}
void mergeManyParts(benchmark::State& state) {
  const Pieces parts = findPieces(triangleTorus());
  std::vector<Geometry> geometries;
  for (size_t i = 0; i < parts.count(); ++i)
    geometries.push_back(triangleTorus().extract(parts.primitivesOf(i)));
  for (auto _ : state) benchmark::DoNotOptimize(merged(geometries));
}

#define HACKLE_BENCH(name, unit) BENCHMARK(name)->Unit(benchmark::unit)->UseRealTime()
HACKLE_BENCH(triangulateTriangles, kMillisecond);
HACKLE_BENCH(triangulateQuads, kMillisecond);
HACKLE_BENCH(triangulateHugePolygon, kMillisecond);
HACKLE_BENCH(bvhBuild, kMillisecond);
HACKLE_BENCH(bvhClosestPoint, kMicrosecond);
HACKLE_BENCH(bvhClosestPointNearby, kMicrosecond);
HACKLE_BENCH(bvhFirstHit, kMicrosecond);
HACKLE_BENCH(windingBuild, kMillisecond);
HACKLE_BENCH(windingQuery, kMicrosecond);
HACKLE_BENCH(topology, kMillisecond);
HACKLE_BENCH(normals, kMillisecond);
HACKLE_BENCH(mass, kMillisecond);
HACKLE_BENCH(pieces, kMillisecond);
HACKLE_BENCH(extractAll, kMillisecond);
HACKLE_BENCH(appendAll, kMillisecond);
HACKLE_BENCH(mergeManyParts, kMillisecond);

}  // namespace
}  // namespace hackle
