// A line of counts beside the progress of a run: which frame, how many bodies.
#pragma once

#include <hackle/core/context.h>

#include <string>

namespace hackle {

/// Shown by fronts that show progress, until another one takes its place. From any thread.
void setProgressDetail(Context& context, std::string detail);
std::string progressDetail(const Context& context);

}  // namespace hackle
