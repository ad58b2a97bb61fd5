// Ctrl-C and SIGTERM ask the run to stop; a second one ends the program at once.
#pragma once

#include <hackle/core/context.h>

namespace hackle::cli {

/// While it lives, the first SIGINT or SIGTERM cancels the context and the second exits with code 130. One at
/// a time.
class InterruptGuard {
 public:
  explicit InterruptGuard(Context& context);
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// Writing to a pipe whose reader has gone, or beyond the allowed size of a file, is an error code and not
/// the end of the program.
void turnSignalsIntoErrors();

}  // namespace hackle::cli
