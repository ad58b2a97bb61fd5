// Warnings of a run at the moment they are given, for fronts that write them to a log.
#pragma once

#include <functional>
#include <string>

namespace hackle {

class Context;

/// Called with each warning when it is first given, from whatever thread gives it; calls never overlap. An
/// empty function ends it.
void setWarningCallback(Context& context, std::function<void(const std::string&)> callback);

}  // namespace hackle
