// Every scene of [Hahn17] table 1 at its resolution, down to pieces in a file, beside the thesis' own figures
// and the CPU seconds of the published code. HACKLE_CRACK_LIMIT: CPU seconds a scene may take (30, the
// full-size smash three times as many); HACKLE_CRACK_OUT: a folder for the pieces.
#include "../crack_scenes.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <hackle/core/error.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace hackle {
namespace {

using scenes::SceneResult;
using scenes::SceneRow;

/// Lines are shown as they come, and all together at the end.
std::vector<std::string>& table() {
  static std::vector<std::string> lines;
  return lines;
}

std::string figure(double value, const char* format = "{:.2f}") {
  return value > 0 ? fmt::format(fmt::runtime(format), value) : "-";
}

void addLine(const SceneRow& row, const SceneResult& r) {
  const scenes::Published& p = row.published;
  table().push_back(
      fmt::format("{:<20} {:>5} {:>5} {:>5}|{:<5} {:>4}|{:<4} {:>2}|{:<2} {:>2}|{:<2} {:>4}|{:<3} {:>6} "
                  "{:>6.2f} {:>6.2f} {:>6.2f} {:>6.2f} {:>7.2f} "
                  "{:>6} {:>6} {:>6}  {}",
                  row.name, p.figure == "run file" ? "run" : p.figure, r.before, r.after, p.after, r.voxels,
                  p.voxels, r.steps, p.steps, r.cracks, p.cracks, r.pieces, r.mainPieces, r.faces, r.setup,
                  r.run, r.cut, r.output, r.total(), figure(p.seconds), figure(p.processor, "{:.1f}"),
                  p.processor > 0 && r.finished ? fmt::format("{:.3f}", r.total() / p.processor) : "-",
                  r.finished ? (row.note.empty() ? "" : "ours: " + row.note) : "NOT FINISHED, " + r.stopped));
  std::fprintf(stderr, "%s\n", table().back().c_str());
}

/// Largest resident memory since the last call of forgetPeak, in MB; 0 where the system does not say.
double peakMb() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.rfind("VmHWM:", 0) == 0) return std::atof(line.c_str() + 6) * 1024e-6;
  return 0;
}
void forgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

void crack(benchmark::State& state, const SceneRow& row) {
  const char* given = std::getenv("HACKLE_CRACK_LIMIT");
  const double limit = (given ? std::atof(given) : 30.0) * (row.published.method == 'H' ? 3 : 1);
  for (auto _ : state) {
    forgetPeak();
    Context context;
    context.setThreads(1);
    const auto scene = row.make(scenes::publishedMeshes(), context);
    if (!scene) {
      state.SkipWithError("its mesh is not there: ../shared/data/meshes/fracturebem");
      table().push_back(fmt::format("{:<20} skipped: its mesh is not there", row.name));
      return;
    }
    const char* folder = std::getenv("HACKLE_CRACK_OUT");
    const SceneResult r = scenes::runCrackScene(
        *scene, limit,
        folder ? std::filesystem::path(folder) / (row.name + ".bgeo") : std::filesystem::path());
    addLine(row, r);
    const auto set = [&](const char* name, double value) { state.counters[name] = value; };
    set("finished", r.finished);
    set("elements_before", static_cast<double>(r.before));
    set("elements_after", static_cast<double>(r.after));
    set("voxels", static_cast<double>(r.voxels));
    set("steps", static_cast<double>(r.steps));
    set("cracks", static_cast<double>(r.cracks));
    set("pieces", static_cast<double>(r.pieces));
    set("main_pieces", static_cast<double>(r.mainPieces));
    set("faces", static_cast<double>(r.faces));
    set("closed", r.closed);
    set("cpu_s", r.total());
    set("cpu_setup_s", r.setup);
    set("cpu_steps_s", r.run);
    set("cpu_cut_s", r.cut);
    set("cpu_output_s", r.output);
    set("solve_s", r.solve);
    set("propagate_s", r.propagate);
    set("initiate_s", r.initiate);
    set("grow_s", r.grow);
    set("peak_mb", peakMb());
    const scenes::Published& p = row.published;
    if (p.seconds > 0) set("thesis_s", p.seconds);
    if (p.after > 0) set("thesis_elements_after", static_cast<double>(p.after));
    if (p.steps > 0) set("thesis_steps", static_cast<double>(p.steps));
    if (p.processor > 0) {
      set("published_cpu_s", p.processor);
      if (r.finished) set("ratio", r.total() / p.processor);
    }
    if (!r.finished) state.SetLabel("not finished: " + r.stopped);
  }
}

}  // namespace
}  // namespace hackle

int main(int argc, char** argv) {
  for (const hackle::scenes::SceneRow& row : hackle::scenes::crackScenes())
    benchmark::RegisterBenchmark(("crack/" + row.name).c_str(),
                                 [&row](benchmark::State& state) { hackle::crack(state, row); })
        ->Iterations(1)
        ->Repetitions(1)
        ->Unit(benchmark::kSecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  std::printf(
      "\nOurs|thesis. CPU seconds: assembly, steps, pieces, file, in all; thesis' seconds; the published "
      "code's CPU seconds on "
      "this kind of machine; ours over those.\n%-20s %5s %5s %-11s %-9s %-5s %-5s %-8s %6s %6s %6s %6s %6s "
      "%7s %6s %6s %6s\n",
      "scene", "fig.", "start", "  elements", "   voxels", "steps", "cracks", "pieces", "faces", "setup",
      "steps", "cut", "file", "all", "thesis", "publ.", "ratio");
  for (const std::string& line : hackle::table()) std::printf("%s\n", line.c_str());
  return 0;
}
