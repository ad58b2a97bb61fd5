// Speed of nodes in the double of the HDK: a million polygons with four attributes through the bridge, in and
// out; and an impact that an artist drags over a solid whose fracture modes are known.
#include "../shapes.h"
#include "../sop/network.h"

#include <sop/detail_bridge.h>

#include <GU/GU_Detail.h>

#include <benchmark/benchmark.h>

#include <cmath>

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

/// A new place of the impact, cooked; the modes come from the node before.
void dragImpact(benchmark::State& state) {
  test::SourceNode source(shapes::torus(160, 80));
  const auto modes = test::makeNode("modes", {&source});
  modes->set("hackle_stream", "modes");
  modes->set("modes", "8");
  modes->set("elements", "3000");
  const auto impact = test::makeNode("modes_impact", {modes.get()});
  impact->set("use_at", "1");
  impact->set("impulse", "1e6");
  impact->cookAt();
  size_t pieces = 0;
  int step = 0;
  for (auto _ : state) {
    const double angle = 0.01 * ++step;
    impact->set("at", {std::to_string(std::cos(angle)), "0", std::to_string(std::sin(angle))});
    if (impact->cookAt() != UT_ERROR_NONE) {
      state.SkipWithError(test::joined(impact->errors).c_str());
      break;
    }
    pieces = static_cast<size_t>(impact->detail().getNumPrimitives());
  }
  state.counters["polygons"] = static_cast<double>(pieces);
}

BENCHMARK(dragImpact)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(in)->Unit(benchmark::kMillisecond);
BENCHMARK(out)->Unit(benchmark::kMillisecond);

}  // namespace
