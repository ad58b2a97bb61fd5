#include <cli/interrupt.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace hackle::cli {

namespace {

std::atomic<Context*> gContext{nullptr};
static_assert(std::atomic<Context*>::is_always_lock_free, "the handler may only touch lock-free atomics");
constexpr int kCancelledExit = 130;

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

}  // namespace

InterruptGuard::InterruptGuard(Context& context) {
  gContext = &context;
  handle(SIGINT, onSignal);
  handle(SIGTERM, onSignal);
}

InterruptGuard::~InterruptGuard() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  gContext = nullptr;
}

void turnSignalsIntoErrors() {
  handle(SIGPIPE, SIG_IGN);
  handle(SIGXFSZ, SIG_IGN);
}

}  // namespace hackle::cli
