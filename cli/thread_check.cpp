// Refuses to begin where no threads can be made.
//
// A library that OpenVDB links starts a pool of threads before main(), and ends the process with an exception
// that nobody can catch where it cannot. What stands here runs before the libraries of the program begin, and
// says what is wrong.
#include <pthread.h>
#include <unistd.h>

#include <cstring>

namespace {

constexpr int kPool = 4;        // threads of the library's pool
constexpr int kFailedExit = 4;  // as exitCode(ErrorCode::Failed)

pthread_mutex_t gGate = PTHREAD_MUTEX_INITIALIZER;

void* waitAtGate(void*) {
  pthread_mutex_lock(&gGate);
  pthread_mutex_unlock(&gGate);
  return nullptr;
}

/// Makes as many threads as the pool does, all at once, and ends them again.
void checkThreads(int, char**, char**) {
  pthread_t threads[kPool];
  int made = 0, reason = 0;
  pthread_mutex_lock(&gGate);
  while (made < kPool && reason == 0) {
    reason = pthread_create(&threads[made], nullptr, waitAtGate, nullptr);
    if (reason == 0) ++made;
  }
  pthread_mutex_unlock(&gGate);
  for (int t = 0; t < made; ++t) pthread_join(threads[t], nullptr);
  if (reason == 0) return;
  static const char kMessage[] =
      "hackle: the system lets it start no threads\n"
      "  raise the limits on processes (ulimit -u) and on the address space (ulimit -v)\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kMessage, std::strlen(kMessage));
  ::_exit(kFailedExit);
}

__attribute__((section(".preinit_array"), used)) void (*const kBeforeLibraries)(int, char**,
                                                                                char**) = checkThreads;

}  // namespace
