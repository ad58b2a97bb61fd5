// Speed of the bridge to Houdini, in the double of the HDK: a million polygons with four attributes, in and
// out.
#include "../shapes.h"

#include <sop/detail_bridge.h>

#include <GU/GU_Detail.h>

#include <benchmark/benchmark.h>

namespace {

using namespace hackle;

/// A torus of a million quads with colour on points, uv on vertices, name and id on primitives.
const Geometry& millionPolygons() {
  static const Geometry* made = [] {
    auto* g = new Geometry(shapes::torus(1000, 1000));
    g->positionFileStorage = Storage::Float32;
    const auto fill = [&](Owner owner, const char* name, const char* qualifier) {
      Attribute& a = g->addAttribute(owner, Attribute(name, Storage::Float32, 3, 0, qualifier));
      std::vector<float>& values = a.edit<float>();
      for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 1009) * 0.001f;
    };
    fill(Owner::Point, "Cd", "color");
    fill(Owner::Vertex, "uv", "texturecoord");
    shapes::setNames(*g, [](size_t p) { return "piece" + std::to_string(p / 1000); });
    Attribute& id = g->addAttribute(Owner::Primitive, Attribute("id", Storage::Int32, 1));
    std::vector<int32_t>& ids = id.edit<int32_t>();
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i);
    return g;
  }();
  return *made;
}

void in(benchmark::State& state) {
  GU_Detail detail;
  houdini::toDetail(millionPolygons(), detail);
  Context context;
  for (auto _ : state) benchmark::DoNotOptimize(houdini::fromDetail(detail, context));
  state.counters["polygons"] = static_cast<double>(millionPolygons().primitiveCount());
}

void out(benchmark::State& state) {
  const Geometry& g = millionPolygons();
  for (auto _ : state) {
    GU_Detail detail;
    houdini::toDetail(g, detail);
    benchmark::DoNotOptimize(detail.getNumPrimitives());
  }
  state.counters["polygons"] = static_cast<double>(g.primitiveCount());
}

BENCHMARK(in)->Unit(benchmark::kMillisecond);
BENCHMARK(out)->Unit(benchmark::kMillisecond);

}  // namespace
