// Speed of nodes in the double of the HDK: a million polygons with four attributes through the bridge, in and
// out; and impacts and loads that an artist drags: over a solid whose fracture modes are known, over one
// whose lattice and factor the node keeps from the first cook, and over one whose boundary element matrix it
// keeps.
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

/// Cooks a node again and again while `drag(node, angle)` moves something; first cooks need a new node each.
template <class Drag>
void dragged(benchmark::State& state, const char* id, const Geometry& solid, bool first, const Drag& drag) {
  test::SourceNode source(solid);
  source.cookAt();
  auto node = test::makeNode(id, {&source});
  drag(*node, 0.0);
  node->cookAt();
  int step = 0;
  for (auto _ : state) {
    if (first) {
      state.PauseTiming();
      node = test::makeNode(id, {&source});
      state.ResumeTiming();
    }
    drag(*node, 0.01 * ++step);
    if (node->cookAt() != UT_ERROR_NONE) {
      state.SkipWithError(test::joined(node->errors).c_str());
      break;
    }
  }
  state.counters["polygons_in"] = static_cast<double>(solid.primitiveCount());
  state.counters["polygons_out"] = static_cast<double>(node->detail().getNumPrimitives());
  state.counters["kept_mb"] = 1e-6 * static_cast<double>(test::cacheOf(*node).memo().bytes());
}

std::vector<std::string> onCircle(double radius, double angle) {
  return {std::to_string(radius * std::cos(angle)), "0", std::to_string(radius * std::sin(angle))};
}

/// A ball of about 1,000 triangles, held below; the force wanders along its equator.
void dragLoad(benchmark::State& state, bool first) {
  dragged(state, "stress", shapes::sphere(16), first, [](SOP_Node& node, double angle) {
    node.set("condition", "2");
    node.set("condition_at1", {"0", "-1", "0"});
    node.set("condition_radius1", "0.6");
    node.set("condition_kind2", "force");
    node.set("condition_force2", {"0", "-1000", "0"});
    node.set("condition_at2", onCircle(1, angle));
    node.set("condition_radius2", "0.3");
  });
}

/// A torus of 12,800 quads.
void dragCvdImpact(benchmark::State& state, bool first) {
  dragged(state, "cvd", shapes::torus(160, 80), first, [](SOP_Node& node, double angle) {
    node.set("impact", "1");
    node.set("impact_at1", onCircle(1, angle));
    node.set("impact_impulse1", "1e4");
  });
}

BENCHMARK_CAPTURE(dragLoad, first, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(dragLoad, again, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(dragCvdImpact, first, true)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(dragCvdImpact, again, false)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(dragImpact)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(in)->Unit(benchmark::kMillisecond);
BENCHMARK(out)->Unit(benchmark::kMillisecond);

}  // namespace
