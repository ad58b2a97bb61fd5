// For fronts whose interrupt belongs to one thread.
#pragma once

#include <hackle/core/context.h>

namespace hackle {

/// From now on only the calling thread asks the poll of Context::setCancelPoll; the other threads of the run
/// see what it found.
void pollOnThisThread(Context& context);

}  // namespace hackle
