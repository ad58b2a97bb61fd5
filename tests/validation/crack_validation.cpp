// The fast method of crack growth against the full one ([Hahn17] ch. 5, figs. 24, 25): stress intensities,
// fragments, cost.
#include "../crack_scenes.h"
#include "table.h"

#include <hackle/core/error.h>

#include <ctime>
#include <set>

namespace hackle {
namespace {

using scenes::CrackScene;

/// One state of a run: size of the cracks, intensity along their fronts, what the step cost.
struct Moment {
  double area = 0;       // m^2
  double intensity = 0;  // Pa m^(1/2), mean of the effective one over deep nodes of active fronts
  double front = 0;      // m
  double seconds = 0;    // CPU
  bool fast = false;
};

/// Nodes of active fronts that lie a coarse length or more below the surface: next to it sheets are held
/// shut, and the full method's intensities fall off ([Hahn17] ch. 2.5).
std::set<int32_t> deepNodes(const CrackSolver& solver, double depth) {
  std::set<int32_t> nodes;
  for (const auto& crack : solver.cracks())
    for (size_t l = 0; l < crack->fronts().size(); ++l)
      for (size_t i = 0; i < crack->frontNodes(l).size(); ++i) {
        const int32_t node = crack->frontNodes(l)[i];
        const ClosestPoint closest =
            solver.surfaceTree().closestPoint(solver.system().surface().point(static_cast<size_t>(node)));
        if (crack->fronts()[l].nodeMarker(i).state == MarkerState::Active &&
            closest.squaredDistance > depth * depth)
          nodes.insert(node);
      }
  return nodes;
}

double processorSeconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::vector<Moment> run(const CrackScene& scene, CrackMethod method, double limit) {
  CrackScene changed = scene;
  changed.options.method = method;
  Context context;
  context.setThreads(1);
  const double begin = processorSeconds();
  context.setCancelPoll([=] { return processorSeconds() - begin > limit; });
  const auto solver = changed.solver(context);
  std::vector<Moment> moments;
  double area = 0;
  for (const auto& crack : solver->cracks()) area += crack->coarseArea();
  bool going = true;
  for (int i = 0; going && i < scene.options.steps; ++i) {
    const std::set<int32_t> nodes = deepNodes(*solver, scene.options.coarse);
    const double start = processorSeconds();
    going = solver->step(context);
    Moment moment{area, 0, solver->log().back().frontLength, processorSeconds() - start,
                  solver->log().back().fast};
    size_t count = 0;
    for (const FrontNode& node : solver->intensities()) {
      const double k = effectiveIntensity(node.k, scene.material.elastic.poisson);
      if (!(k > 0) || !nodes.count(node.node)) continue;
      moment.intensity += k;
      ++count;
    }
    if (count) moment.intensity /= static_cast<double>(count);
    if (moment.intensity > 0) moments.push_back(moment);
    area = solver->log().back().area;
  }
  return moments;
}

/// The intensity at an area between the moments of a run; 0 outside.
double intensityAt(const std::vector<Moment>& moments, double area) {
  for (size_t i = 0; i + 1 < moments.size(); ++i)
    if (moments[i].area <= area && area <= moments[i + 1].area) {
      const double t = (area - moments[i].area) / std::max(moments[i + 1].area - moments[i].area, 1e-300);
      return (1 - t) * moments[i].intensity + t * moments[i + 1].intensity;
    }
  return 0;
}

CrackScene scene(const std::string& name) {
  Context context;
  auto made = scenes::crackScene(name).make(scenes::publishedMeshes(), context);
  if (!made)
    throw Error(ErrorCode::Io, "the meshes of the published code are not there", "see tests/crack_scenes.h");
  return std::move(*made);
}

/// At equal areas of the crack; the mean and the largest difference over the run.
void compareIntensities(const std::string& name, ValidationTable& table) {
  const CrackScene s = scene(name);
  const std::vector<Moment> full = run(s, CrackMethod::Full, 60), fast = run(s, CrackMethod::Fast, 60);
  double sum = 0, worst = 0, count = 0;
  for (const Moment& moment : fast) {
    const double exact = intensityAt(full, moment.area);
    if (exact <= 0) continue;
    const double error = moment.intensity / exact - 1;
    table.row(name + ": mean K of a front, fast against full", fmt::format("area {:.3f} m^2", moment.area),
              exact, moment.intensity, 0);
    sum += std::abs(error);
    worst = std::max(worst, std::abs(error));
    ++count;
  }
  table.figure(name + ": moments compared", "", count);
  table.bound(name + ": K, fast against full, mean over the run", "", count > 0 ? sum / count : 1, 0.25);
  table.bound(name + ": K, fast against full, largest", "", count > 0 ? worst : 1, 0.25);
}

void compareFragments(const std::string& name, ValidationTable& table) {
  CrackScene s = scene(name);
  double pieces[2] = {0, 0};
  for (const CrackMethod method : {CrackMethod::Full, CrackMethod::Fast}) {
    s.options.method = method;
    const scenes::SceneResult result = scenes::runCrackScene(s, 60);
    pieces[method == CrackMethod::Fast] = static_cast<double>(result.mainPieces);
    if (!result.finished) std::printf("%s did not finish: %s\n", name.c_str(), result.stopped.c_str());
  }
  table.row(name + ": pieces of 2 % or more, fast against full", "", pieces[0], pieces[1], 1e-9);
}

/// Least squares of CPU seconds a step = a + b length of the front, and the exponent of a power law.
void fitCost(const std::string& name, ValidationTable& table) {
  const std::vector<Moment> moments = run(scene(name), CrackMethod::Fast, 90);
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0, lx = 0, ly = 0, lxx = 0, lxy = 0;
  for (const Moment& m : moments) {
    if (!(m.front > 0) || !(m.seconds > 0)) continue;
    ++n;
    x += m.front;
    y += m.seconds;
    xx += m.front * m.front;
    xy += m.front * m.seconds;
    yy += m.seconds * m.seconds;
    const double p = std::log(m.front), q = std::log(m.seconds);
    lx += p;
    ly += q;
    lxx += p * p;
    lxy += p * q;
    table.figure(name + fmt::format(": step {:.0f}, front {:.4f} m, CPU ms", n, m.front), "",
                 1e3 * m.seconds);
  }
  if (n < 3) return;
  const double slope = (n * xy - x * y) / (n * xx - x * x), offset = (y - slope * x) / n;
  const double correlation = (n * xy - x * y) / std::sqrt((n * xx - x * x) * (n * yy - y * y));
  table.figure(name + ": fast, CPU ms a metre of front", "", 1e3 * slope);
  table.figure(name + ": fast, CPU ms a step besides", "", 1e3 * offset);
  table.figure(name + ": fast, correlation of cost and front", "", correlation);
  table.figure(name + ": fast, exponent of cost over front", "", (n * lxy - lx * ly) / (n * lxx - lx * lx));
}

void validate(ValidationTable& table) {
  if (!std::filesystem::exists(scenes::publishedMeshes())) {
    std::printf("skipped: the meshes of the published code are not there (%s)\n",
                scenes::publishedMeshes().c_str());
    return;
  }
  compareIntensities("centre_45", table);
  compareIntensities("cube_controlled", table);
  compareFragments("bar", table);
  compareFragments("link_pmma", table);
  fitCost("smash", table);
}

}  // namespace
}  // namespace hackle

int main(int argc, char** argv) {
  hackle::ValidationTable table(argc, argv, "validate_crack.tsv");
  hackle::validate(table);
  return table.finish();
}
