#include <cli/interrupt.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace hackle::cli {

namespace {

std::atomic<Context*> gContext{nullptr};
static_assert(std::atomic<Context*>::is_always_lock_free, "the handler may only touch lock-free atomics");
constexpr int kCancelledExit = 130;
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

void onSignal(int) {
  Context* context = gContext.exchange(nullptr);
  if (!context) ::_exit(kCancelledExit);
  context->cancel();  // one atomic store
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

bool isIgnored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

// Whoever ends the program by one of these gets no temporary files left behind. What is ignored (SIGHUP under
// nohup) stays so.
InterruptGuard::InterruptGuard(Context& context) {
  gContext = &context;
  for (const int signal : kSignals)
    if (!isIgnored(signal)) handle(signal, onSignal);
}

InterruptGuard::~InterruptGuard() {
  for (const int signal : kSignals)
    if (!isIgnored(signal)) handle(signal, SIG_DFL);
  gContext = nullptr;
}

void turnSignalsIntoErrors() {
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
}

}  // namespace hackle::cli
