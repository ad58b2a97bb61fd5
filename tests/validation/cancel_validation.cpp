// Every reader and operator on large input, stopped at ten random moments: how long a run goes on without
// looking whether it was cancelled, and how long it takes to end. In processor time of one thread: a busy
// machine does not change it. Names of operators and formats as arguments choose among them.
#include <hackle/core/error.h>
#include <hackle/core/random.h>
#include <hackle/io/codec.h>
#include <hackle/ops/registry.h>

#include <execinfo.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <set>

#include "validation/table.h"

namespace hackle {
namespace {

constexpr double kLongest = 0.1;  // s, that an interrupt may take
constexpr int kMoments = 10;

double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Shows where the thread is once it has not looked for as long as it may.
class Alarm {
 public:
  Alarm() {
    struct sigaction action {};
    action.sa_handler = [](int) {
      void* frames[40];
      backtrace_symbols_fd(frames, backtrace(frames, 40), STDERR_FILENO);
    };
    sigaction(SIGUSR1, &action, nullptr);
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGUSR1;
    timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &mTimer);
  }
  ~Alarm() { timer_delete(mTimer); }
  void start() {
    itimerspec when{};
    when.it_value.tv_nsec = static_cast<long>(1e9 * kLongest);
    timer_settime(mTimer, 0, &when, nullptr);
  }

 private:
  timer_t mTimer{};
};

/// What a run on one thread did, stopped at its look number `stopAt` or not at all (0).
struct Watched {
  int looks = 0;
  double longest = 0;  // s of processor time between looks
  std::string stage;   // in which that was
  double toEnd = 0;    // s from the look that stopped it until it was over
};

Watched watch(const std::function<void(Context&)>& work, int stopAt) {
  Watched seen;
  Context context;
  context.setThreads(1);
  std::string stage = "begin";
  context.setProgressCallback([&](const Progress& progress) { stage = progress.stage; });
  double last = threadSeconds(), stopped = 0;
  Alarm alarm;
  alarm.start();
  const auto note = [&] {
    const double now = threadSeconds();
    if (now - last > seen.longest) seen.longest = now - last, seen.stage = stage;
    last = now;
    alarm.start();
  };
  context.setCancelPoll([&] {
    note();
    if (++seen.looks != stopAt) return false;
    stopped = last;
    return true;
  });
  try {
    work(context);
    note();
  } catch (const Error& e) {
    if (e.code() != ErrorCode::Cancelled) throw;
    seen.toEnd = threadSeconds() - stopped;
  }
  return seen;
}

class Checks {
 public:
  Checks(ValidationTable& table, std::set<std::string> wanted) : mTable(table), mWanted(std::move(wanted)) {}

  bool wants(const std::string& name) const { return mWanted.empty() || mWanted.count(name) > 0; }

  /// `work` has to be the same each time.
  void run(const std::string& name, const std::function<void(Context&)>& work) {
    if (!wants(name)) return;
    const Watched whole = watch(work, 0);
    mTable.bound(name, fmt::format("{} looks, longest without in {}", whole.looks, whole.stage),
                 whole.longest, kLongest);
    Watched worst;
    Random random(static_cast<uint64_t>(whole.looks) + 1);
    for (int moment = 0; moment < kMoments && whole.looks > 0; ++moment) {
      const auto look = 1 + static_cast<int>(random.below(static_cast<uint64_t>(whole.looks)));
      const Watched stopped = watch(work, look);
      if (stopped.toEnd > worst.toEnd) worst = stopped;
    }
    mTable.bound(name, "until it is over", worst.toEnd, kLongest);
  }

 private:
  ValidationTable& mTable;
  std::set<std::string> mWanted;
};

Geometry shape(const char* name, int resolution) {
  Context context;
  return runOperator(findOperator("model"), Inputs(), {{"shape", name}, {"resolution", resolution}}, context)
      .outputs.geometry();
}

void checkReaders(Checks& checks, const Geometry& surface) {
  for (const Codec& codec : codecs()) {
    if (!codec.read || !codec.write) continue;
    for (const std::string& extension : codec.format.extensions) {
      if (!checks.wants(extension)) continue;
      std::string bytes;
      try {
        Context context;
        bytes = codec.write(surface, extension, context);
      } catch (const Error&) {
        continue;  // a format for other things than polygons
      }
      checks.run(extension, [&](Context& context) { codec.read(bytes, {}, context); });
    }
  }
}

void checkOperators(Checks& checks, const Geometry& surface) {
  const Geometry small = shape("bunny", 60), pieces = [&] {
    Context context;
    return runOperator(findOperator("voronoi"), Inputs({surface}), {{"pieces", 50}}, context)
        .outputs.geometry();
  }();
  const Value::Map blow{{"at", Value::List{0.0, 1.0, 0.0}}, {"impulse", 100.0}};
  const Value::Map pressure{{"kind", "pressure"}, {"pressure", 1e5}};
  struct Case {
    const char* id;
    std::vector<Item> inputs;
    Value::Map parameters;
  };
  const std::vector<Case> cases{
      {"model", {}, {{"shape", "figure"}, {"resolution", 300}}},
      {"info", {surface}, {}},
      {"transform", {surface}, {{"scale", Value::List{2.0, 1.0, 1.0}}}},
      {"merge", {surface, surface, surface}, {}},
      {"normals", {surface}, {}},
      {"explode", {pieces}, {}},
      {"measure", {pieces}, {}},
      {"tets", {surface}, {{"count", 100000}}},
      {"repair", {surface}, {}},
      {"sdf", {surface}, {}},
      {"boolean", {surface, small}, {}},
      {"offset", {surface}, {}},
      {"decimate", {surface}, {{"triangles", 2000}}},
      {"stress", {small}, {{"triangles", 600}, {"condition", Value::List{pressure}}}},
      {"voronoi", {surface}, {{"pieces", 300}}},
      {"cvd", {small}, {{"cells", 14}, {"pieces", 20}, {"granularity", 0}}},
      {"modes", {small}, {{"modes", 4}, {"elements", 3000}}},
      {"render", {surface}, {{"width", 1200}, {"height", 800}, {"samples", 32}}},
  };
  for (const Case& c : cases)
    checks.run(c.id, [&](Context& context) {
      runOperator(findOperator(c.id), Inputs(c.inputs), c.parameters, context);
    });
}

}  // namespace
}  // namespace hackle

int main(int argc, char** argv) {
  using namespace hackle;
  ValidationTable table(argc, argv, "validate_cancel.tsv");
  std::set<std::string> wanted;
  for (int i = 1; i < argc; ++i)
    if (argv[i][0] != '-') wanted.insert(argv[i]);
  Checks checks(table, wanted);
  const Geometry surface = shape("bunny", 250);
  checkReaders(checks, surface);
  checkOperators(checks, surface);
  return table.finish();
}
