// What a step of a sheet costs, on ARCSim's paper scene with its own numbers and on a window pane. One
// thread.
#include "sheet_scenes.h"

#include <benchmark/benchmark.h>

#include <ctime>

namespace {

using namespace hackle;

double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// ARCSim: 0.343 CPU s per step while tearing; start 0.148 s; 27, 53, 110, 141 mm at 0.2, 0.6, 1.0, 1.1 s.
void paperTearing(benchmark::State& state) {
  for (auto _ : state) {
    Context context;
    context.setThreads(1);
    const auto sheet = sheets::paperTearing(context);
    double start = 0, tearing = 0, faces = 0, apart = 0;
    size_t steps = 0;
    const double times[] = {0.2, 0.6, 1.0, 1.1, 2.0};
    int next = 0;
    while (sheet->time() < times[state.range(0)] - 1e-9) {
      const double before = cpu();
      sheet->step(times[next], context);
      if (sheet->time() > times[next] - 1e-9) {
        if (next < 4)
          state.counters["mm_at_" + std::to_string(static_cast<int>(1e3 * times[next])) + "ms"] =
              1e3 * sheet->crackLength();
        ++next;
      }
      if (start == 0 && sheet->crackLength() > 0) start = sheet->time();
      if (apart == 0 && sheet->pieces() > 1) apart = sheet->time();
      if (start > 0 && apart == 0) {
        tearing += cpu() - before;
        faces += static_cast<double>(sheet->mesh().faceCount());
        ++steps;
      }
    }
    state.counters["start"] = start;
    state.counters["apart"] = apart;
    state.counters["cpu_per_step"] = tearing / static_cast<double>(std::max<size_t>(steps, 1));
    state.counters["faces"] = faces / static_cast<double>(std::max<size_t>(steps, 1));
    state.counters["steps"] = static_cast<double>(sheet->steps());
  }
}
BENCHMARK(paperTearing)->Arg(4)->Iterations(1)->Unit(benchmark::kSecond);

void windowPane(benchmark::State& state) {
  for (auto _ : state) {
    Context context;
    context.setThreads(1);
    const auto sheet = sheets::windowPane(0.01, 15, context);
    const double before = cpu();
    sheet->advance(1e-3, context);
    state.counters["cpu_per_step"] = (cpu() - before) / static_cast<double>(sheet->steps());
    state.counters["steps"] = static_cast<double>(sheet->steps());
    state.counters["pieces"] = static_cast<double>(sheet->pieces());
    state.counters["faces"] = static_cast<double>(sheet->mesh().faceCount());
  }
}
BENCHMARK(windowPane)->Iterations(1)->Unit(benchmark::kSecond);

/// Cost of one step without cracks against the number of faces: the exponent is asked to be at most 1.3.
void quietStep(benchmark::State& state) {
  Context context;
  context.setThreads(1);
  SheetOptions options;
  options.material = {4e9, 0.3, 800, 1e-4, 0};
  options.thickness = 1e-4;
  options.births = false;
  options.fine = options.coarse = 0.2 / static_cast<double>(state.range(0));
  SheetPin pin;
  pin.centre = Vec3(-0.1, 0, 0);
  pin.half = Vec3(1e-3, 1, 1);
  options.pins = {pin};
  SheetSimulation sheet(sheets::centredRectangle(0.2, 0.2, options.thickness), options, context);
  for (auto _ : state) sheet.step(100, context);
  state.counters["faces"] = static_cast<double>(sheet.mesh().faceCount());
}
BENCHMARK(quietStep)->Arg(10)->Arg(20)->Arg(40)->Arg(80)->Iterations(10)->Unit(benchmark::kMillisecond);

}  // namespace
