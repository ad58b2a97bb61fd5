// A stand-in for a long operator: the module's own waiting, interrupt and progress code around a loop that
// only passes time, on several threads. For tests.
#include <hackle/core/parallel.h>

#include "../bindings/watched_run.h"

#include <thread>

namespace py = pybind11;
using namespace hackle;

PYBIND11_MODULE(hackle_slow, module) {
  module.def(
      "run",
      [](double seconds, const py::object& progress, const std::string& warning, int threads) {
        Context context;
        context.setThreads(threads);
        python::runWithWarnings(context, progress, 1, [&] {
          if (!warning.empty()) context.warn(warning);
          const Context::Stage stage(context, "wait", 1.0);
          constexpr size_t kSteps = 1000;
          parallelFor(context, kSteps, 1, [&](size_t step) {
            std::this_thread::sleep_for(
                std::chrono::duration<double>(seconds * context.threads() / static_cast<double>(kSteps)));
            context.advance(static_cast<double>(step) / static_cast<double>(kSteps));
          });
        });
      },
      py::arg("seconds"), py::arg("progress") = py::none(), py::arg("warning") = "", py::arg("threads") = 2);
}
